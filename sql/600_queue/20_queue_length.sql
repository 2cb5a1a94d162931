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

-- The values below are in sequences, not in a table. A sequence keeps the value that a start sets, even if the
-- start is then refused and rolled back. And starts that set a value do not wait for each other.
create sequence private.limited_starts;
comment on sequence private.limited_starts is
  'Counts the starts that a full queue refuses: starts by nodes, and by callers other than the owner.';
create sequence private.queue_check_start minvalue 0;
comment on sequence private.queue_check_start is
  'A number of private.limited_starts. Starts with lower numbers assume that the queue has room. The next start with this number or a higher one counts the runs in the queue.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is
  'A time in milliseconds since 1970; 0 while the queue has room. Until this time, starts assume that the queue is full, because a count found it full. After this time, a start counts the runs again.';
create sequence private.queue_refused_owner minvalue 0;
comment on sequence private.queue_refused_owner is
  'A hash of the owner of the deployment whose start was last refused because of the full queue; 0 for no owner. Valid until queue_full_until. set_max_queue_length sets the value to 0, and so does each count that finds the queue full.';

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

create function private.lock_queue_check(wait boolean default true)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_key bigint := hashtextextended('private.check_queue_length', 0);
begin
  if lock_queue_check.wait then
    perform pg_advisory_xact_lock(v_key);
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_key);
end;
$$;
comment on function private.lock_queue_check(boolean) is
  'Takes the lock that protects the count and the limit of the queue, until the transaction ends. If `wait` is true, waits for the lock. Returns true if the caller has the lock.';

create function private.await_queue_check()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Take a shared lock, because several transactions can hold it at once. An exclusive lock lasts until the end of the
  -- transaction, so with it, the waiting transactions would wait for each other.
  perform pg_advisory_xact_lock_shared(hashtextextended('private.check_queue_length', 0));
end;
$$;
comment on function private.await_queue_check() is
  'Waits until no transaction holds the lock of private.lock_queue_check.';

create function private.queue_clock()
returns bigint
language sql volatile security invoker
set search_path = ''
as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;
comment on function private.queue_clock() is 'The present time in milliseconds since 1970, as in private.queue_full_until.';

create function private.is_queue_count_due()
returns boolean
language sql volatile security invoker
begin atomic
  select (
    nextval('private.limited_starts'::regclass) < pg_sequence_last_value('private.queue_check_start'::regclass)
  ) is not true;
end;
comment on function private.is_queue_count_due() is
  'Numbers a start. True if this start must count the queue. Most starts need no count, because the next count is due only after many starts.';

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
  -- This clears the sign bit, because the sequence has no negative values.
  v_owner bigint := hashtextextended(refuse_if_owner_fills_queue.owner_id::text, 0) & 9223372036854775807;
  v_is_known boolean := coalesce(
    pg_sequence_last_value('private.queue_refused_owner') = v_owner
      and private.queue_clock() < pg_sequence_last_value('private.queue_full_until'),
    false
  );
begin
  -- If the last refused start was for the same owner, refuse this start without counting the owner's runs. A count may
  -- read as many runs as a tenth of the limit.
  if v_is_known then
    v_count := v_share;
  else
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
  end if;
  if v_count >= v_share then
    if not v_is_known then
      perform setval('private.queue_refused_owner', v_owner);
    end if;
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$$;
-- If an owner has fewer runs than a tenth of the limit, starts of the owner's deployments succeed, however many runs of
-- other owners are in the queue. Until queue_full_until, starts for the last refused owner are refused without counting
-- the runs again. Retry-After is 10 seconds. In this time, workers can't empty a queue of the default length. But if
-- the queue has only just reached its limit, they make room.
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'Called when the queue is full. Raises 429 queue_full if the runs of this owner that wait to be claimed are at least a tenth of the limit. Definer, because no API role may access the queue.';

create function private.check_queue_length(owner_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_start bigint;
  v_length integer;
begin
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, private.max_queue_length());
    return;
  end if;
  -- If the last count found room, and another transaction is counting now, this start succeeds without waiting for the
  -- result. The limit may be exceeded by a hundredth anyway, and few runs start during a count.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- Read the limit, and read the sequences again: another transaction may have changed them while it held the lock.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_start := coalesce(pg_sequence_last_value('private.limited_starts'), 0);
  if v_start < pg_sequence_last_value('private.queue_check_start') then
    return;
  end if;
  -- The transaction that held the lock did not count, so this start still treats the queue as full. The next start
  -- counts the queue.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
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
  -- The higher the limit, the longer a count takes, so counts are rarer. While the queue has room, the next count comes
  -- after v_max_length / 100 starts. While the queue is full, the next count comes after v_max_length / 100
  -- milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0),
      setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0),
      setval('private.queue_check_start', v_start + greatest(v_max_length / 100, 1));
  end if;
end;
$$;
-- This check prevents the starts of one owner's deployments from filling the whole queue. The queue is full when
-- max_queue_length runs wait to be claimed. A count stops at the limit. While the queue has room, its runs are counted
-- only once every max_queue_length / 100 of these starts. So this many runs may be queued beyond the limit.
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
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- After the commit, the next start counts the queue again, and other starts wait for its result.
  perform setval('private.queue_refused_owner', 0), setval('private.queue_check_start', 0),
    setval('private.queue_full_until', 1);
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
-- callers get 429 queue_full. If max_length is 0, only owners may start deployments. The runs are counted only once
-- every max_length / 100 of these starts, so this many runs may be queued beyond max_length. 400 request_invalid.
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
