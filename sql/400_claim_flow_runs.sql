create function private.pick_flow_runs(max_runs integer)
returns table (flow_run_id uuid, lost_claim_count integer)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_ids uuid[];
  v_lost_claim_counts integer[];
begin
  select array_agg(free.flow_run_id), array_agg(free.lost_claim_count) into v_run_ids, v_lost_claim_counts
  from (
    select j.flow_run_id, j.lost_claim_count + j.is_held::integer as lost_claim_count
    from private.flow_run_jobs as j
    join pgmq.q_flow_runs as m on m.msg_id = j.message_id
    join public.flow_run as r on r.id = j.flow_run_id
    where j.message_id is not null and m.vt <= clock_timestamp()
    order by j.turn, j.message_id
    limit pick_flow_runs.max_runs
    -- All three rows: what an older claim, a stop or a heartbeat has just changed is looked at anew, and whom one of them is
    -- changing now is no worker's to take over.
    for no key update skip locked
  ) as free;
  -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along, when it is the first.
  if v_lost_claim_counts[1] >= 2 then
    v_run_ids := v_run_ids[:1];
  elsif 2 <= any (v_lost_claim_counts) then
    -- Others take the places of those that have to wait for that.
    v_run_ids := array(
      select j.flow_run_id
      from private.flow_run_jobs as j
      join pgmq.q_flow_runs as m on m.msg_id = j.message_id
      join public.flow_run as r on r.id = j.flow_run_id
      where j.message_id is not null and m.vt <= clock_timestamp() and j.lost_claim_count + j.is_held::integer < 2
      order by j.turn, j.message_id
      limit pick_flow_runs.max_runs
      for no key update skip locked
    );
  end if;
  return query
  select j.flow_run_id, j.lost_claim_count + j.is_held::integer from private.flow_run_jobs as j where j.flow_run_id = any (v_run_ids);
end;
$$;
comment on function private.pick_flow_runs(integer) is
  'Locks the runs to claim next, in turn: those whose message is visible. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

create function private.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[], max_lost_claims integer, wait_millies integer
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb
)
language plpgsql volatile security definer
set search_path = ''
-- Planning would take longer than all the rest: the first plan is kept. It must not be one that was made while the queue was empty:
-- along the turns, by keys.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claim_count integer;
  v_message_ids bigint[];
  v_turn bigint;
begin
  -- Idle workers neither wait for each other nor look at runs that are due later.
  while not private.has_queued_run() loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited * 1000 < claim_flow_runs.wait_millies) is not true
      -- Each that waits keeps a connection from those who start runs: one at a time.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited / 20, 0.001));
  end loop;
  -- One claim at a time: each sees what the others left, and none comes back empty-handed while there is work.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  loop
    select array_agg(p.flow_run_id) filter (where (p.lost_claim_count > claim_flow_runs.max_lost_claims) is not true),
      (array_agg(p.flow_run_id order by p.lost_claim_count desc) filter (where p.lost_claim_count > claim_flow_runs.max_lost_claims))[1],
      max(p.lost_claim_count)
    into v_run_ids, v_lost_id, v_lost_claim_count
    from private.pick_flow_runs(claim_flow_runs.max_runs) as p;
    exit when v_lost_id is null;
    perform private.end_flow_run(v_lost_id, 'failed', null, array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claim_count
    )], null);
  end loop;
  if v_run_ids is null then
    return;
  end if;

  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  with claimed as (
    update private.flow_run_jobs as j
    set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.message_id, j.turn
  )
  select array_agg(claimed.message_id), max(claimed.turn) into v_message_ids, v_turn from claimed;
  perform private.hide_messages(v_message_ids, claim_flow_runs.lease_seconds);
  if v_turn > coalesce(pg_sequence_last_value('private.flow_run_turn'), 0) then
    perform setval('private.flow_run_turn', v_turn);
  end if;

  return query
  select
    r.id, j.attempt, j.lost_claim_count, r.flow_id, r.user_id, coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    jsonb_build_object(
      'output_instructions', r.output_instructions, 'action_identity', r.action_identity, 'action_signer', r.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(r.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', r.chain_network || jsonb_build_object('url', j.chain_url)
    ),
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by j.turn, j.message_id;
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer) is
  'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';
grant execute on function private.claim_flow_runs(integer, integer, text[], integer, integer) to service_role;

create function public.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[] default '{}', max_lost_claims integer default 5,
  wait_millies integer default 0
)
returns table (
  flow_run_id uuid, attempt integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, work_ms bigint, stop jsonb
)
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims,
    claim_flow_runs.wait_millies
  );
end;
$$;
comment on function public.claim_flow_runs(integer, integer, text[], integer, integer) is
  'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone. Where none is there, wait_millies are waited for one, by one caller at a time.';
grant execute on function public.claim_flow_runs(integer, integer, text[], integer, integer) to service_role;
