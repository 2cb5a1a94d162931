create function private.check_sweep(max_age interval, max_runs integer)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if check_sweep.max_age < interval '24 hours' then
    perform private.fail(400, 'request_invalid', 'max_age: takes at least 24 hours, for which a repeated start finds its run again.');
  end if;
  if check_sweep.max_runs is null or check_sweep.max_runs not between 1 and 10000 then
    perform private.fail(400, 'request_invalid', 'max_runs: takes an integer from 1 to 10000.');
  end if;
end;
$$;
comment on function private.check_sweep(interval, integer) is 'Refuses arguments that a sweep does not take: 400 request_invalid.';

create function private.pending_snapshots()
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
comment on function private.pending_snapshots() is 'The snapshots of runs that have not ended, by hash. Definer: the jobs are private.';

create function private.sweep_usage(max_shares integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_idle bigint;
begin
  with idle as (
    select u.deployment_id, u.share
    from private.deployment_usage as u
    where u.share <> 'all'
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit sweep_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- As they are under the lock. Where they add up to nothing, the sum with rows that were not seen or got stays what it is.
    delete from private.deployment_usage as u
    where (u.deployment_id, u.share, u.slot) in (
      select l.deployment_id, l.share, l.slot
      from locked as l join (
        select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
        having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
      ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
    )
  )
  select count(*) into v_idle from idle;
  return v_idle;
end;
$$;
comment on function private.sweep_usage(integer) is
  'Forgets callers who have no run in flight and started none within the last minute, so many at most, and tells how many it came to. Definer: the usage is private.';

create function private.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- The planner goes by averages: it expects a scan to come upon a reference soon, and what is looked for here has none.
set enable_seqscan = off
as $$
declare
  v_idle bigint;
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_snapshots bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  perform private.check_sweep(sweep_runner.max_age, sweep_runner.max_runs);

  -- Whatever a transaction under way has locked is left for the next sweep, so that nobody waits for a sweep that waits. `offset 0`
  -- keeps `not exists` a look at an index for each row; a join would read all of it.
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    -- The ids tell when runs were made, which is before they ended: no index of the ends is needed, which starts would pay for.
    where old.id < (select private.uuid_v7(greatest(now() - sweep_runner.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - sweep_runner.max_age
    order by old.id limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_runs = row_count;

  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_keys = row_count;

  select count(*) into v_messages
  from unnest(array(
    select m.msg_id from pgmq.q_flow_runs as m
    where not exists (
        select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null and j.sleeps_until is null
      )
      and not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.sleeps_until is not null)
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  v_idle := private.sweep_usage(sweep_runner.max_runs);
  -- What the end of a run had locked when its deployment was deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select old.deployment_id, old.share, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  );

  -- Last, since a start of the same graph waits for it. From the lock on nobody can take a snapshot anew; whoever took it before
  -- is seen in this order: a deployment that is gone by the first look has had its starts committed by the second.
  v_used_hashes := private.pending_snapshots();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
    limit sweep_runner.max_runs
    for update skip locked
  );
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
  );
  v_used_hashes := private.pending_snapshots();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_snapshots = row_count;

  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots, v_idle)
  );
end;
$$;
comment on function private.sweep_runner(interval, integer) is 'Does what public.sweep_runner says. Definer: nobody else deletes runs, and the rest is private.';
grant execute on function private.sweep_runner(interval, integer) to service_role;

create function public.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.sweep_runner(sweep_runner.max_age, sweep_runner.max_runs);
$$;
comment on function public.sweep_runner(interval, integer) is
  'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages that belong to no run, usage of deployments that are gone, and snapshots that neither a deployment nor a run that has not ended needs; of each at most max_runs. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many, and whether to call again. 400 request_invalid.';
grant execute on function public.sweep_runner(interval, integer) to service_role;
