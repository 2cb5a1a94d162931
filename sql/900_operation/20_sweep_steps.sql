-- The steps of sweep_runner. Each step skips rows that other transactions have locked; the next sweep deletes these
-- rows. So a sweep never holds its locks while it waits for another lock. `offset 0` keeps the planner from making a
-- join of a `not exists`: a join would read the whole table, but a `not exists` searches an index for each row.

create function private.runs_being_redriven()
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select unnest(j.redriven_from) from private.flow_run_jobs as j
  where j.redriven_from is not null and j.state <> 'ended';
$$;
comment on function private.runs_being_redriven() is
  'The ids of the runs whose executions an unfinished redrive takes over. Definer, because no API role may access the jobs.';

create function private.delete_old_runs(max_age interval, max_runs integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_run_ids uuid[];
begin
  v_run_ids := array(
    select old.id from public.flow_run as old
    -- The id of a run contains the time at which the run was started. A run that ended long ago was also started long
    -- ago, so the search can use the ids. An index on end_time would slow every start.
    where old.id < (select private.uuid_v7(greatest(now() - delete_old_runs.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - delete_old_runs.max_age
      -- An unfinished redrive still reads the old run.
      and old.id <> all (array(select u.id from private.runs_being_redriven() as u (id)))
    order by old.id limit delete_old_runs.max_runs
    for update skip locked
  );
  -- While these runs are locked, they can't be redriven. This second query finds redrives that were committed
  -- before the lock.
  delete from public.flow_run as r
  where r.id = any (v_run_ids) and r.id <> all (array(select u.id from private.runs_being_redriven() as u (id)));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_runs(interval, integer) is
  'Deletes root runs that ended longer than max_age ago, and everything that belongs to them. Returns the number of deleted root runs. Definer, because no API role may write runs.';

create function private.delete_old_idempotency_keys(max_keys integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - make_interval(hours => private.limit_idempotency_hours())
    order by old.created_at limit delete_old_idempotency_keys.max_keys
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_idempotency_keys(integer) is
  'Deletes idempotency keys older than limit_idempotency_hours() hours, and returns how many. Definer, because no API role may access the keys.';

create function private.delete_unused_keys(max_keys integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from private.queue_keys as k
  where k.id = any (array(
    select unused.id from private.queue_keys as unused
    where unused.next_start_at <= (select clock_timestamp()) and unused.pending = 0
    limit delete_unused_keys.max_keys
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_unused_keys(integer) is
  'Deletes at most max_keys keys that no run uses and whose next run may begin now. Returns how many. Definer, because no API role may access keys.';
