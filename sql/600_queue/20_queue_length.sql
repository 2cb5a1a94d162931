create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is
  'Settings of the queue that an operator has changed, in one row. Without the row, private.max_queue_length() has its default.';
comment on column private.queue_settings.max_length is
  'The number of runs waiting to be claimed from which the queue is full.';

-- Sequences, because a value that a start sets remains when that start is refused, and setting it takes no lock.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is
  'The id of the message from which the queue is counted again. Until then it is not treated as full.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is
  'The time, in milliseconds since 1970, until which a queue that was found full is treated as full without being counted again; 0 while there is room.';
create sequence private.queue_refused_owner minvalue 0;
comment on sequence private.queue_refused_owner is
  'A hash of the owner whose runs were found to fill the queue, until the queue is counted again or is not treated as full any more; 0 for no owner.';

create function private.max_queue_length()
returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select s.max_length from private.queue_settings as s), private.limit_queue_length());
$$;
comment on function private.max_queue_length() is
  'Implements public.max_queue_length. Definer: the settings are private.';
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
  'Takes the lock for counting the queue or setting its limit, until the transaction ends. Returns true if the caller has the lock; with wait it waits for the lock.';

create function private.await_queue_check()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- A shared lock, so that waiting transactions do not wait for each other: each would hold the lock until it ends.
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
comment on function private.queue_clock() is 'The present time in the unit of private.queue_full_until.';

create function private.is_queue_count_due(message_id bigint)
returns boolean
language sql volatile security invoker
begin atomic
  select (is_queue_count_due.message_id < pg_sequence_last_value('private.queue_check_message'::regclass)) is not true;
end;
comment on function private.is_queue_count_due(bigint) is
  'True if the start with this message has to count the queue. Most starts do not: see private.check_queue_length.';

create function private.refuse_if_owner_fills_queue(owner_id uuid, max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Keeps the plan from being made for an empty queue and reused for a full one.
set enable_seqscan = off
as $$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
  -- Not negative, like all values of the sequence.
  v_owner bigint := hashtextextended(refuse_if_owner_fills_queue.owner_id::text, 0) & 9223372036854775807;
  v_is_known boolean := coalesce(
    pg_sequence_last_value('private.queue_refused_owner') = v_owner
      and private.queue_clock() < pg_sequence_last_value('private.queue_full_until'),
    false
  );
begin
  -- Repeated starts for one owner do not count ten thousand runs each time. Only the last refused owner is remembered;
  -- runs of other owners are counted.
  if v_is_known then
    v_count := v_share;
  else
    -- Counts at most the share, by the index of each owner's runs by turn.
    select count(*) into v_count
    from (
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.message_id is not null and j.sleeps_until is null
      order by j.turn limit v_share
    ) as own;
  end if;
  if v_count >= v_share then
    if not v_is_known then
      perform setval('private.queue_refused_owner', v_owner);
    end if;
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
  end if;
end;
$$;
-- Owners with fewer runs have room, however many runs others queue. The last refused owner is refused without counting
-- while the queue is treated as full. To work off a queue of the default length takes longer than the 10 seconds of
-- Retry-After; a queue that just reached the limit takes less.
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'For a full queue: raises 429 queue_full if a tenth of its limit or more are runs of this owner, waiting or executed. Definer: the queue is private.';

create function private.check_queue_length(owner_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_message_id bigint;
  v_length integer;
begin
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, private.max_queue_length());
    return;
  end if;
  -- While there is room, no start waits for the one that counts: few runs start meanwhile, and a hundredth of the limit
  -- is not counted anyway.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- The transaction that had the lock before has counted the queue or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- The transaction that had the lock did not count: the queue is still treated as full, and the next start counts it.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is in a sub-select, so that the index is used and messages that are due later are not read.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes time in proportion to the limit. So the next one follows after a hundredth of the limit, in messages
  -- or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0),
      setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0),
      setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
  end if;
end;
$$;
-- This keeps an owner, and the callers who start the owner's deployments, from using up the whole queue. The queue is
-- full when max_queue_length runs wait to be claimed. It is counted up to the limit only, and again only after new
-- messages of a hundredth of the limit, so it may become longer by that much.
comment on function private.check_queue_length(uuid) is
  'Refuses a start by a caller other than this owner if the queue is full and a tenth of its limit or more are the owner''s runs: 429 queue_full. Definer: the queue is private.';

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
  -- After the commit, the next start counts anew, and other starts wait for its result.
  perform setval('private.queue_refused_owner', 0), setval('private.queue_check_message', 0),
    setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is
  'Implements public.set_max_queue_length. Definer: the settings are private.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(max_length);
$$;
-- When the queue is full, only the owner may start the deployments of an owner who has a tenth of max_length or more in
-- it: 429 queue_full. With 0, only owners start deployments. The queue is counted again after new messages of a
-- hundredth of the limit, so it may become longer by that much. 400 request_invalid.
comment on function public.set_max_queue_length(integer) is
  'For operators: sets the number of runs waiting to be claimed from which the queue is full. With 0, only owners start deployments. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: the number of waiting runs from which the queue is full, as set_max_queue_length has set it, or else the default.';
grant execute on function public.max_queue_length() to service_role;
