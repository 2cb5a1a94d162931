create function private.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[], max_lost_claims integer, wait_ms integer,
  owners_with_slots uuid[] default null
)
returns table (
  flow_run_id uuid, claim_number integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text,
  inputs jsonb, settings jsonb, snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint,
  earlier_output_bytes bigint
)
language plpgsql volatile security definer
set search_path = ''
-- Planning would take longer than the claim itself, so force_generic_plan lets Postgres keep the first plan. Postgres
-- may make this plan while the queue is empty, but the plan must also suit a full queue. So the enable_ settings leave
-- only plans with indexes, also in the functions that this function calls. These settings raise the estimated costs,
-- and at high costs Postgres would use JIT, so JIT is off.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
declare
  v_began timestamptz := clock_timestamp();
  v_waited_seconds double precision;
  v_tries integer := 0;
  v_run_ids uuid[];
begin
  -- Wait until a run is claimable. Each pass reads two entries of indexes, and locks no row.
  while not private.has_claimable_run() loop
    if private.settle_queue_keys() then
      -- Keys are now locked, and starts wait for them. So do not wait here.
      exit when private.has_claimable_run();
      return;
    end if;
    v_waited_seconds := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited_seconds * 1000 < claim_flow_runs.wait_ms) is not true
      -- Only one claim waits at a time, because a waiting claim holds a connection that starts could use.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited_seconds / 20, 0.001));
  end loop;
  loop
    v_run_ids := private.take_jobs(
      claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.max_lost_claims,
      claim_flow_runs.owners_with_slots
    );
    exit when v_run_ids <> '{}' or claim_flow_runs.max_runs = 0;
    -- If runs are claimable, but other transactions have locked their jobs, most of these are claims, which end within
    -- milliseconds. They may leave runs, so try again. Otherwise the worker would think that the queue is empty.
    v_tries := v_tries + 1;
    if v_tries > 20 or not private.has_claimable_run(claim_flow_runs.owners_with_slots) then
      return;
    end if;
    perform pg_sleep(0.001);
  end loop;

  return query
  with started as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    where r.id = any (v_run_ids) and r.status <> 'running'
  )
  select
    r.id, j.claim_number, j.lost_claim_count, r.flow_id, r.user_id,
    coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    j.settings,
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null
      else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    j.output_bytes,
    case when j.redriven_from is not null or j.settings #> '{partial_config,runs}' <> '{}' then (
      -- A redrive also reads the inputs of the earlier runs. The inputs are assumed to be as large as the outputs.
      select coalesce(sum(e.output_bytes), 0)::bigint * case when j.redriven_from is null then 1 else 2 end
      from private.flow_run_jobs as e
      where e.flow_run_id = any (j.redriven_from || array(
        select distinct n.run_id::uuid
        from jsonb_each_text(j.settings #> '{partial_config,runs}') as n (node_id, run_id)
      ))
    ) end
  from unnest(v_run_ids) with ordinality as t (flow_run_id, place)
  join private.flow_run_jobs as j on j.flow_run_id = t.flow_run_id
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  order by t.place;
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'Implements public.claim_flow_runs. Definer, because no API role may access jobs and snapshots.';
grant execute on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

create function public.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[] default '{}', max_lost_claims integer default 5,
  wait_ms integer default 0, owners_with_slots uuid[] default null
)
returns table (
  flow_run_id uuid, claim_number integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text,
  inputs jsonb, settings jsonb, snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint,
  earlier_output_bytes bigint, has_due_webhook boolean
)
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  select c.*, false from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots,
    claim_flow_runs.max_lost_claims, claim_flow_runs.wait_ms, claim_flow_runs.owners_with_slots
  ) as c;
  -- A claim that returns runs does not report due webhooks. A later claim that returns no run reports them.
  if not found and private.has_due_webhook() then
    has_due_webhook := true;
    return next;
  end if;
end;
$$;
-- Claims queued runs, and runs whose lease is over. Owners take turns. A run that lost two workers in a row is claimed
-- alone. If no run is claimable, the call waits up to wait_ms for one. Only one caller waits at a time; others return
-- at once. If no run is claimed, but webhooks are due (claim_webhook_deliveries), the result is one row in which only
-- has_due_webhook is not null.
--
--   max_lost_claims       a run that lost more workers than this in a row fails; if null, no run fails
--   owners_with_slots     the owners who have a run in the worker: they get no run, and each other owner gets at most
--                         one. Given for the slots that a worker reserves for other owners.
--   snapshot              JSON text; null if its hash (hex) is in known_snapshots
--   output_bytes          the approximate size of the node outputs that flow_run_history and flow_run_history_page
--                         return
--   earlier_output_bytes  an approximate upper bound of the bytes that earlier_flow_runs returns; null if the run is
--                         neither a redrive nor partial
comment on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'For the runner: claims up to max_runs runs for lease_seconds. A run is claimable if it is queued, or if its lease is over. Owners take turns. If no run is claimable, the call waits up to wait_ms. A row without a run says that webhooks are due.';
grant execute on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;
