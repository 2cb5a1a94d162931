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
-- only plans with indexes. These settings raise the estimated costs, and at high costs Postgres would use JIT, so JIT
-- is off.
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
  v_visible_ids uuid[];
  v_next record;
  v_run_ids uuid[];
begin
  -- Wait until a message is visible. Each pass reads only the first two messages of the index, and locks no row.
  loop
    select array_agg((m.message ->> 'flow_run_id')::uuid) into v_visible_ids
    from (select q.vt, q.message from pgmq.q_flow_runs as q order by q.vt limit 2) as m
    where m.vt <= clock_timestamp();
    exit when v_visible_ids is not null;
    v_waited_seconds := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited_seconds * 1000 < claim_flow_runs.wait_ms) is not true
      -- Only one claim waits at a time, because a waiting claim holds a connection that starts could use.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited_seconds / 20, 0.001));
  end loop;
  -- Claims run one at a time, so that each claim sees the result of the previous claim. If two claims ran at once, the
  -- second would skip all runs that the first has locked, and could return no run although some are claimable.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  loop
    v_next := private.lock_next_flow_runs(
      claim_flow_runs.max_runs, claim_flow_runs.owners_with_slots,
      case when cardinality(v_visible_ids) = 1 then v_visible_ids[1] end
    );
    exit when (claim_flow_runs.max_lost_claims < any (v_next.lost_claims)) is not true;
    perform private.end_flow_run(n.run_id, 'failed', errors => array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', n.lost_claims
    )])
    from unnest(v_next.run_ids, v_next.lost_claims) as n (run_id, lost_claims)
    where n.lost_claims > claim_flow_runs.max_lost_claims;
  end loop;
  v_run_ids := v_next.run_ids;
  if v_run_ids is null then
    return;
  end if;

  insert into private.last_claim as l (user_id, suspect_id) values (v_next.last_user_id, v_next.suspect_id)
  on conflict (id) do update set user_id = excluded.user_id, suspect_id = excluded.suspect_id
  where (l.user_id, l.suspect_id) is distinct from (excluded.user_id, excluded.suspect_id);
  return query
  with started as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    where r.id = any (v_run_ids) and r.status <> 'running'
    returning private.announce_run_news(r.id, 'events')
  ), claimed as (
    update private.flow_run_jobs as j
    set claim_number = j.claim_number + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.*
  ), hidden as (
    update pgmq.q_flow_runs as m
    set vt = clock_timestamp() + make_interval(secs => claim_flow_runs.lease_seconds)
    from claimed as j
    where m.msg_id = j.message_id
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
  from claimed as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  order by array_position(v_run_ids, r.id);
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'Implements public.claim_flow_runs. Definer, because no API role may access queue, jobs and snapshots.';
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
