create function private.has_claimable_run(min_age interval default '0')
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1)
      <= clock_timestamp() - has_claimable_run.min_age,
    false
  );
end;
$$;
comment on function private.has_claimable_run(interval) is
  'True if a claimable run has waited for at least min_age. Reads one entry of the queue''s index.';

create function private.announce_claimable_run()
returns boolean
language sql volatile security invoker
begin atomic
  -- NOTIFY makes commits wait for each other, so this function notifies only if a worker waits for runs. A waiting
  -- worker holds an exclusive advisory lock, or waits for this lock (await_claimable_runs). If no worker waits, this
  -- transaction gets the lock in shared mode and keeps it until its end. If a worker begins to wait meanwhile, it gets
  -- the exclusive lock only after this transaction has ended. Then the worker reads the queue and finds the run. Both
  -- calls are in one expression, so that the planner can inline this function.
  select pg_try_advisory_xact_lock_shared(hashtext('private.announce_claimable_run'), 0)
    or pg_notify('flow_runs', '') is null;
end;
comment on function private.announce_claimable_run() is
  'Every transaction that makes a run claimable calls this function. When the transaction commits, a worker that waits is notified and reads the queue. Returns false if a worker was notified.';

create function private.await_claimable_runs()
returns void
language sql volatile security invoker
begin atomic
  select pg_advisory_lock(hashtext('private.announce_claimable_run'), 0);
end;
-- From this call until the session ends or unlocks, transactions that make a run claimable notify the channel
-- flow_runs. The call returns when all transactions that made a run claimable without a notification have ended. So if
-- the session reads the queue after this call, it misses no run. Only one session at a time has the lock; other
-- sessions wait for it.
comment on function private.await_claimable_runs() is
  'For a worker that listens to the channel flow_runs. From this call on, transactions that make a run claimable notify the channel. The call returns when all transactions without a notification have ended, so the worker''s next read of the queue misses no run. One session at a time.';
grant execute on function private.await_claimable_runs() to service_role;

create function private.set_visible_after(message_ids bigint[], seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_told boolean;
begin
  if set_visible_after.seconds = 0 then
    v_is_told := private.announce_claimable_run();
  end if;
  -- pgmq.set_vt would change only one message. It plans dynamic SQL at each call, which costs five times as much as
  -- this update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => set_visible_after.seconds)
  where m.msg_id = any (set_visible_after.message_ids);
end;
$$;
comment on function private.set_visible_after(bigint[], integer) is
  'Hides messages for this many seconds from now. Until then, no claim takes their runs. If seconds is 0, the runs may be claimed at once. Definer, because no API role may access the queue.';

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
  perform private.set_visible_after(array[v_message_id], 0);
end;
$$;
comment on function private.wake_flow_run(uuid) is
  'If no worker holds the run, makes the run claimable at once, even if it sleeps or waits for signatures. The caller has locked the run''s row in flow_run. Definer, because no API role may access queue and jobs.';

create function private.wake_due_flow_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Skip locked jobs: the transaction that holds the lock, or the next claim, wakes the run.
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
  'Ends the sleep of at most a thousand runs whose time has come, so that claims read them. The caller holds the lock of claim_flow_runs. Definer, because no API role may access jobs.';
