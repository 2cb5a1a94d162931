create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is 'Settings of the queue that an operator has changed, in one row. Without it the default of private.max_queue_length() holds.';
comment on column private.queue_settings.max_length is 'From so many runs on that wait to be claimed the queue is full.';

-- Sequences, because what a start notes in them stays when that start is refused, and noting it takes no lock.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is 'The id of the message from which on the queue is counted again. Until then it counts as not full.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is 'Milliseconds since 1970 until which a queue that was found full counts as full and is not counted again; 0 while there is room.';
create sequence private.queue_refused_owner minvalue 0;
comment on sequence private.queue_refused_owner is 'A hash of the owner whose runs were found to fill the queue, until it counts as full no longer or is counted again; 0 of nobody.';

create function private.max_queue_length()
returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select s.max_length from private.queue_settings as s), 100000);
$$;
comment on function private.max_queue_length() is 'Does what public.max_queue_length says. Definer: the settings are private.';
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
  'The lock of whoever counts the queue or sets its limit, until the transaction ends. Returns whether the caller has it; with wait it waits until it has.';

create function private.await_queue_check()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Shared, so that those who wait do not wait for each other: each would hold the lock until its transaction ends.
  perform pg_advisory_xact_lock_shared(hashtextextended('private.check_queue_length', 0));
end;
$$;
comment on function private.await_queue_check() is 'Waits until nobody has the lock of private.lock_queue_check.';

create function private.queue_clock()
returns bigint
language sql volatile security invoker
set search_path = ''
as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;
comment on function private.queue_clock() is 'The time in the unit of private.queue_full_until.';

create function private.is_queue_count_due(message_id bigint)
returns boolean
language sql volatile security invoker
begin atomic
  select (is_queue_count_due.message_id < pg_sequence_last_value('private.queue_check_message'::regclass)) is not true;
end;
comment on function private.is_queue_count_due(bigint) is
  'Whether the start with this message has to look at the queue. Most starts do not: see private.check_queue_length.';

create function private.refuse_if_owner_fills_queue(owner_id uuid, max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the queue was empty.
set enable_seqscan = off
as $$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
  -- Not negative, as the values of the sequence.
  v_owner bigint := hashtextextended(refuse_if_owner_fills_queue.owner_id::text, 0) & 9223372036854775807;
  v_is_known boolean := coalesce(
    pg_sequence_last_value('private.queue_refused_owner') = v_owner
      and private.queue_clock() < pg_sequence_last_value('private.queue_full_until'),
    false
  );
begin
  -- Whoever strikes again and again does not have ten thousand runs counted each time. Only the last owner who was refused is known:
  -- for others it is as before.
  if v_is_known then
    v_count := v_share;
  else
    -- Counted no further than the share, along the index of each owner's runs by turn.
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
    perform private.fail(429, 'queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
  end if;
end;
$$;
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'For a queue that is full: raises 429 queue_full if a tenth of its limit or more are runs of this owner, waiting or executed. Owners with fewer have room however many runs others queue. Who was refused last is refused without counting for as long as the queue counts as full. A queue of the default length takes longer than the 10 seconds of Retry-After to work off, one that just touches the limit less. Definer: the queue is private.';

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
  -- While there is room nobody waits for whoever counts: few runs start meanwhile, beside the hundredth that is not counted.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- Whoever had the lock before has counted, or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- Whoever had the lock found nothing out: the queue still counts as full, and the next start counts it.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is a sub-select, so that the index is used and messages that are due later are not looked at.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes as long as it finds runs: the next one comes a hundredth of the limit later, in messages or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0), setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0), setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
  end if;
end;
$$;
comment on function private.check_queue_length(uuid) is
  'Refuses a start by somebody else than this owner if the queue is full and a tenth of its limit or more are the owner''s runs: 429 queue_full. So no owner, and nobody who starts an owner''s deployments, uses up the queue of the others. The queue is full when max_queue_length runs wait to be claimed. They are counted no further than the limit, and again only after as many new messages as a hundredth of it: a queue may grow so much longer. Definer: the queue is private.';

create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail(400, 'request_invalid', 'max_length must be an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits, and other starts wait for what it finds.
  perform setval('private.queue_refused_owner', 0), setval('private.queue_check_message', 0), setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is 'Does what public.set_max_queue_length says. Definer: the settings are private.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(set_max_queue_length.max_length);
$$;
comment on function public.set_max_queue_length(integer) is
  'For operators: from how many runs on that wait to be claimed the queue is full. Then nobody but the owner starts the deployments of an owner who has a tenth of so many runs there or more: 429 queue_full. With 0 only owners start anything. What waits is counted again after a hundredth of the limit: the queue may grow so much longer. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: from how many waiting runs on the queue is full; 100000 unless set by set_max_queue_length.';
grant execute on function public.max_queue_length() to service_role;
