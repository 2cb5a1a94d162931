create function private.snapshots_of_pending_runs()
returns bytea[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('held', 'sleeping', 'waiting')
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.state = 'blocked'
  );
end;
$$;
comment on function private.snapshots_of_pending_runs() is
  'The snapshot hashes of the runs that have not ended. Definer, because no API role may access the jobs.';

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
  'True if a run with this snapshot failed or was stopped. A redrive of such a run needs the snapshot. Definer, because no API role may access the jobs.';

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
  -- before the lock. The first query finds uses by deployments, the second query uses by runs. The first query does not
  -- see a deployment that was deleted meanwhile. But all starts from such a deployment are committed, so the second
  -- query sees their runs.
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
      -- A run that had not ended before the lock may have failed since then. Its redrive would need the snapshot.
      and not private.is_snapshot_redrivable(u.hash)
  );
  v_used_hashes := private.snapshots_of_pending_runs();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_unused_snapshots(integer) is
  'Deletes the snapshots that no deployment and no run needs, and returns how many. A run needs its snapshot until it ends, and after that as long as it may be redriven. Definer, because no API role may access snapshots and jobs.';
