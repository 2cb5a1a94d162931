create function private.hide_messages(message_ids bigint[], seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- pgmq.set_vt does it for one message, by a statement that it writes and plans at each call: five times the cost of the update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => hide_messages.seconds)
  where m.msg_id = any (hide_messages.message_ids);
end;
$$;
comment on function private.hide_messages(bigint[], integer) is
  'Keeps messages from being claimed for so many seconds from now, and no longer. Definer: the queue is private.';

create function private.wake_flow_run(flow_run_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
begin
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = wake_flow_run.flow_run_id and j.message_id is not null and not j.is_held
  returning j.message_id into v_message_id;
  perform private.hide_messages(array[v_message_id], 0);
end;
$$;
comment on function private.wake_flow_run(uuid) is
  'Lets a run that nobody holds be claimed at once, whatever it waits for. The caller holds the run''s lock. Definer: queue and jobs are private.';

create function private.wake_due_flow_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Whom somebody is changing is being woken, or comes with the next claim.
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.sleeps_until <= (select clock_timestamp())
    order by due.sleeps_until limit 1000
    for no key update skip locked
  ));
end;
$$;
comment on function private.wake_due_flow_runs() is
  'Lets claims look at runs whose time has come, a thousand at a time. Definer: jobs are private; called under the lock of claim_flow_runs.';
