SET local check_function_bodies = off;

DROP FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer);

DROP FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer);

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[],
  max_lost_claims integer,
  wait_millies    integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    attempt          integer,
    lost_claim_count integer,
    flow_id          integer,
    user_id          uuid,
    started_by       text,
    inputs           jsonb,
    settings         jsonb,
    snapshot_hash    text,
    snapshot         text,
    work_ms          bigint,
    stop             jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]  DEFAULT '{}'::text[],
  max_lost_claims integer DEFAULT 5,
  wait_millies    integer DEFAULT 0
)
  RETURNS TABLE (
    flow_run_id      uuid,
    attempt          integer,
    lost_claim_count integer,
    flow_id          integer,
    user_id          uuid,
    started_by       text,
    inputs           jsonb,
    settings         jsonb,
    snapshot_hash    text,
    snapshot         text,
    work_ms          bigint,
    stop             jsonb
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims,
    claim_flow_runs.wait_millies
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer) FROM PUBLIC, "anon", "authenticated";

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer) IS 'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone. Where none is there, wait_millies are waited for one, by one caller at a time.';

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer, integer) TO "service_role";
