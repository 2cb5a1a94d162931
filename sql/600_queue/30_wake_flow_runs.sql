create function private.has_claimable_run(left_out_owners uuid[] default null)
returns boolean
language plpgsql stable security invoker
set search_path = ''
set enable_seqscan = off
as $$
begin
  if has_claimable_run.left_out_owners is null then
    if exists (select from private.flow_run_jobs as j where j.state in ('ready', 'lost')) then
      return true;
    end if;
  elsif private.ready_owners(null, null, 1, has_claimable_run.left_out_owners) <> '{}' then
    return true;
  end if;
  return exists (
    select from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
      and (j.user_id = any (has_claimable_run.left_out_owners)) is not true
  );
end;
$$;
comment on function private.has_claimable_run(uuid[]) is
  'True if a run of an owner who is not left out may be claimed now. Locks nothing.';

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

create function private.wake_flow_run(flow_run_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_told boolean;
begin
  update private.flow_run_jobs as j
  set state = 'ready', due_at = null, turn = clock_timestamp() - make_interval(secs => j.priority)
  where j.flow_run_id = wake_flow_run.flow_run_id and j.state in ('sleeping', 'waiting');
  if found then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$$;
comment on function private.wake_flow_run(uuid) is
  'If the run sleeps or waits, makes it claimable at once. The caller has locked the run''s job. Definer, because no API role may access jobs.';
