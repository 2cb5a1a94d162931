create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is
  'One row with the queue settings that an operator has changed. Without the row, private.max_queue_length() returns the default.';
comment on column private.queue_settings.max_length is
  'The queue is full when at least this many runs wait to be claimed.';

-- A sequence keeps the time that a start sets, even if the start is then refused and rolled back. And starts that set
-- the time do not wait for each other.
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is
  'A time in milliseconds since 1970; 0 while the queue has room. Until this time, starts assume that the queue is full, because a count found it full. After this time, each start counts the runs again.';

create function private.max_queue_length()
returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select s.max_length from private.queue_settings as s), private.limit_queue_length());
$$;
comment on function private.max_queue_length() is
  'Implements public.max_queue_length. Definer, because no API role may access the settings.';
grant execute on function private.max_queue_length() to service_role;

create function private.refuse_if_owner_fills_queue(owner_id uuid, max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with sequential scans while the queue is empty, and reuse it when
-- the queue is full.
set enable_seqscan = off
as $$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
begin
  -- Counts at most v_share runs, by indexes. Runs that wait because of a limit by key count, too.
  select count(*) into v_count
  from (
    (
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.state in ('ready', 'lost')
      order by j.turn limit v_share
    )
    union all
    select from private.flow_run_jobs as j
    where j.user_id = refuse_if_owner_fills_queue.owner_id and j.claim_number = 0 and j.state in ('blocked', 'sleeping')
    limit v_share
  ) as own;
  if v_count >= v_share then
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$$;
-- If an owner has fewer runs than a tenth of the limit, starts of the owner's deployments succeed, however many runs of
-- other owners are in the queue. Retry-After is 10 seconds. In this time, workers can't empty a queue of the default
-- length. But if the queue has only just reached its limit, they make room.
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'Called when the queue is full. Raises 429 queue_full if the runs of this owner that wait to be claimed are at least a tenth of the limit. Definer, because no API role may access the queue.';

create function private.check_queue_length(owner_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer := private.max_queue_length();
  v_now bigint := extract(epoch from clock_timestamp()) * 1000;
  v_length integer;
begin
  if coalesce(pg_sequence_last_value('private.queue_full_until'), 0) <= v_now then
    -- The time is in a sub-select, so that Postgres uses the index and does not read jobs that are due later.
    select count(*) into v_length
    from (
      select from private.flow_run_jobs as j where j.state in ('ready', 'lost')
      union all
      select from private.flow_run_jobs as j
      where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
      union all
      select from private.flow_run_jobs as j where j.claim_number = 0 and j.state in ('blocked', 'sleeping')
      limit v_max_length
    ) as queued;
    if v_length < v_max_length then
      perform setval('private.queue_full_until', 0);
      return;
    end if;
    -- The higher the limit, the longer a count takes. So the result holds for v_max_length / 100 milliseconds.
    perform setval('private.queue_full_until', v_now + v_max_length / 100);
  end if;
  perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
end;
$$;
-- This check prevents the starts of one owner's deployments from filling the whole queue. The queue is full when
-- max_queue_length runs wait to be claimed. A count stops at the limit. While the queue has room, private.admit_start
-- calls this function for few starts. So some hundredths more runs may be queued.
comment on function private.check_queue_length(uuid) is
  'Refuses a start of this owner''s deployment if the queue is full and the owner''s runs are at least a tenth of the limit: 429 queue_full. Called for starts by nodes, and by callers other than the owner. Definer, because no API role may access the queue.';

create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail('request_invalid', 'max_length must be an integer from 0 to 2^31-1.');
  end if;
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts the queue.
  perform setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is
  'Implements public.set_max_queue_length. Definer, because no API role may access the settings.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(max_length);
$$;
-- The queue is full when at least max_length runs wait to be claimed. If the queue is full, and an owner has at least
-- max_length / 10 runs that wait to be claimed, only this owner may start the owner's deployments. Nodes and other
-- callers get 429 queue_full. If max_length is 0, only owners may start deployments. On average one of max_length / 100
-- of these starts counts the runs, so some hundredths more runs than max_length may be queued. 400 request_invalid.
comment on function public.set_max_queue_length(integer) is
  'For operators: sets max_length. The queue is full when at least this many runs wait to be claimed. If max_length is 0, only owners may start deployments. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: the value that set_max_queue_length has set, or the default. The queue is full when at least this many runs wait to be claimed.';
grant execute on function public.max_queue_length() to service_role;
