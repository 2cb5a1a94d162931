create function private.snapshots_of_pending_runs()
returns bytea[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.sleeps_until is not null
  );
end;
$$;
comment on function private.snapshots_of_pending_runs() is
  'The snapshots of runs that have not ended, by hash. Definer, because no API role may access the jobs.';

create function private.is_snapshot_redrivable(hash bytea)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.flow_run_jobs as j
    where j.snapshot_hash = is_snapshot_redrivable.hash and (j.failed_at is not null or j.stop_requested_at is not null)
  );
$$;
comment on function private.is_snapshot_redrivable(bytea) is
  'True if a run with this snapshot failed or was stopped, because its redrive would need the snapshot. Definer, because no API role may access the jobs.';

create function private.delete_unused_snapshots(max_snapshots integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  v_used_hashes := private.snapshots_of_pending_runs();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
      and not private.is_snapshot_redrivable(s.hash)
    limit delete_unused_snapshots.max_snapshots
    for update skip locked
  );
  -- While these snapshots are locked, no new deployment or run can use them. The queries below find uses that began
  -- before the lock: first by deployments, then by runs. If the first query no longer sees a deployment, all runs that
  -- were started from it are committed, so the second query sees them.
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
      -- A run that was pending may have ended meanwhile, and may now be redriven.
      and not private.is_snapshot_redrivable(u.hash)
  );
  v_used_hashes := private.snapshots_of_pending_runs();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_unused_snapshots(integer) is
  'Deletes snapshots that are used neither by a deployment nor by a run that has not ended or may be redriven. Returns how many. Definer, because no API role may access snapshots and jobs.';
