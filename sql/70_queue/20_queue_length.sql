create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is 'What operators set of the queue, in one row; without it the defaults of private.max_queue_length() hold.';
comment on column private.queue_settings.max_length is 'With so many runs there to be claimed, others than the owner start none.';

-- Sequences, since what is noted in them stays when the start that noted it is refused, and takes no lock.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is 'The message from which on the queue is counted again: until then it is not full.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is 'Milliseconds since 1970 until which a queue that was found full is not counted again; 0 while there is room.';

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
  'One at a time counts the queue or sets its limit: whether it is the caller until the transaction ends, which is waited for if told.';

create function private.queue_clock()
returns bigint
language sql volatile security invoker
set search_path = ''
as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;
comment on function private.queue_clock() is 'The time as private.queue_full_until has it.';

create function private.refuse_queue_full(max_length integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(429, 'queue_full', 'More runs wait to be executed than this project allows.',
    jsonb_build_object('limit', 'max_queue_length', 'value', refuse_queue_full.max_length),
    'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
end;
$$;
comment on function private.refuse_queue_full(integer) is 'Raises 429 queue_full. A queue of the default length takes longer than 10 seconds to work off, one that just touches the limit less.';

create function private.check_queue_length()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_message_id bigint;
  v_length integer;
begin
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  -- While there is room nobody waits for who counts: those who start meanwhile are few beside the hundredth that is not counted.
  if not private.lock_queue_check(wait => v_was_full) then
    return;
  end if;
  -- Whoever had the lock has counted, or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- By the index, for which the time is a sub-select: what is due later is not looked at.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes time as it finds runs: the next one comes a hundredth of the limit later, in messages or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_queue_full(v_max_length);
  end if;
  perform setval('private.queue_full_until', 0), setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
end;
$$;
comment on function private.check_queue_length() is
  'Counts the runs that are there to be claimed, no further than the limit: 429 queue_full. Counting again only after as many new messages as a hundredth of the limit lets the queue grow so much beyond it. Definer: the queue is private.';

create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail(400, 'request_invalid', 'max_length: takes an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits, and others wait for what it finds.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 1);
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
  'For operators: from so many runs on that are there to be claimed, others than a deployment''s owner start none of it, 429 queue_full; 0: never. What waits is counted again after a hundredth of it: a queue may grow so much longer. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: how many runs may be there to be claimed when others than the owner start a deployment; 100000 unless set by set_max_queue_length.';
grant execute on function public.max_queue_length() to service_role;
