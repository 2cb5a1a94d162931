SET local check_function_bodies = off;

DROP FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows);

CREATE TABLE "private"."queue_key_notes" (
  "id"           bigint  GENERATED ALWAYS AS IDENTITY NOT NULL,
  "queue_key_id" bigint  NOT NULL,
  "ended"        integer NOT NULL,
  "freed"        integer NOT NULL,
  CONSTRAINT "queue_key_notes_pkey" PRIMARY KEY (id)
);

CREATE TABLE "private"."queue_keys" (
  "id"            bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "deployment_id" uuid                     NOT NULL,
  "key_hash"      bytea                    NOT NULL,
  "pending"       integer                  NOT NULL,
  "running"       integer                  NOT NULL,
  "max_running"   integer,
  "next_start_at" timestamp with time zone,
  CONSTRAINT "queue_keys_deployment_id_key_hash_key" UNIQUE (deployment_id, key_hash),
  CONSTRAINT "queue_keys_key_hash_length" CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT "queue_keys_pkey" PRIMARY KEY (id),
  CONSTRAINT "queue_keys_running_at_most_pending" CHECK (((running >= 0) AND (running <= pending)))
);

ALTER TABLE "private"."queue_keys"
  SET (fillfactor=50);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "queue_key_id" bigint;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "queue_key" text;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "queue_key_shared" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_running_per_key" integer;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_starts_per_key" integer;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "key_period_seconds" integer;

CREATE OR REPLACE FUNCTION private.check_queue_length (
  owner_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_start bigint;
  v_length integer;
begin
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, private.max_queue_length());
    return;
  end if;
  -- If the last count found room, and another transaction is counting now, this start succeeds without waiting for the
  -- result. The limit may be exceeded by a hundredth anyway, and few runs start during a count.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- Read the limit, and read the sequences again: another transaction may have changed them while it held the lock.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_start := coalesce(pg_sequence_last_value('private.limited_starts'), 0);
  if v_start < pg_sequence_last_value('private.queue_check_start') then
    return;
  end if;
  -- The transaction that held the lock did not count, so this start still treats the queue as full. The next start
  -- counts the queue.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is in a sub-select, so that Postgres uses the index and does not read jobs that are due later.
  select count(*) into v_length
  from (
    select from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union all
    select from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
    union all
    select from private.flow_run_jobs as j where j.claim_number = 0 and j.state in ('blocked', 'sleeping')
    limit v_max_length
  ) as queued;
  -- The higher the limit, the longer a count takes, so counts are rarer. While the queue has room, the next count comes
  -- after v_max_length / 100 starts. While the queue is full, the next count comes after v_max_length / 100
  -- milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0),
      setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0),
      setval('private.queue_check_start', v_start + greatest(v_max_length / 100, 1));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs          integer,
  lease_seconds     integer,
  known_snapshots   text[],
  max_lost_claims   integer,
  wait_ms           integer,
  owners_with_slots uuid[]  DEFAULT NULL::uuid[]
)
  RETURNS TABLE (
    flow_run_id          uuid,
    claim_number         integer,
    lost_claim_count     integer,
    flow_id              integer,
    user_id              uuid,
    started_by           text,
    inputs               jsonb,
    settings             jsonb,
    snapshot_hash        text,
    snapshot             text,
    work_ms              bigint,
    stop                 jsonb,
    output_bytes         bigint,
    earlier_output_bytes bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
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
    returning private.announce_run_news(r.id, 'events')
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
$function$;

CREATE OR REPLACE FUNCTION private.delete_unused_keys (
  max_keys integer
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  deployment      public.flow_deployments,
  caller          private.caller,
  inputs          jsonb,
  plain           jsonb,
  action_signer   text,
  idempotency_key text,
  request         jsonb,
  schedule_id     uuid                    DEFAULT NULL::uuid,
  settings        jsonb                   DEFAULT NULL::jsonb,
  flow            public.flows            DEFAULT NULL::public.flows,
  starter         private.caller          DEFAULT NULL::private.caller
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_is_announced boolean;
  v_shares text[];
  v_started jsonb;
  v_inputs jsonb := enqueue_run.inputs;
  v_claims constant jsonb := auth.jwt();
  -- The number of runs that started one another up to this request, including the run of the node that makes it with a
  -- claim token. Null if no node makes the request.
  v_node_depth constant integer := v_claims ->> 'chain_depth';
  v_settings jsonb := enqueue_run.settings;
  v_is_limited boolean;
  v_queue jsonb;
  -- Without limits by key, the job is ready at once.
  v_queue_key_id bigint;
  v_state private.job_state := 'ready';
  v_due_at timestamptz;
begin
  if v_node_depth > private.limit_chain_depth() then
    perform private.fail('start_loop',
      format('%s runs have started one another: it seems to be a loop.', v_node_depth),
      hint => 'Remove the loop: a flow must not start itself, directly or by other flows.');
  end if;
  perform private.check_inputs(v_inputs);
  if enqueue_run.plain is not null then
    perform private.check_values(enqueue_run.plain, v_inputs);
  end if;
  if not private.is_public_key(enqueue_run.action_signer) then
    perform private.fail('action_signer_invalid', '`action_signer` must be a public key: base58 of 32 bytes.');
  end if;
  if enqueue_run.idempotency_key is not null then
    v_earlier_run_id := private.claim_idempotency_key(
      enqueue_run.caller, enqueue_run.idempotency_key, enqueue_run.request, v_run_id
    );
    if v_earlier_run_id is not null then
      return jsonb_build_object('flow_run_id', v_earlier_run_id, 'token', private.run_token(v_earlier_run_id));
    end if;
  end if;
  -- Check the inputs and settings after the key. A repeated start must find its run even if the flow now has other
  -- inputs, or if a run that partial_config names has been deleted. Nearly all starts have only tagged inputs that the
  -- flow knows. Such starts need no further check. This condition finds them: it compares each name with each name,
  -- which is quick if the flow has few inputs.
  if (
    enqueue_run.plain is null and cardinality(enqueue_run.deployment.input_names) <= 100
      and v_inputs - enqueue_run.deployment.input_names = '{}'
  ) is not true then
    v_inputs := private.inputs_of_start(enqueue_run.deployment, v_inputs, enqueue_run.plain);
  end if;
  if (enqueue_run.flow).id is not null then
    v_settings := private.flow_start_settings(
      enqueue_run.deployment, enqueue_run.flow, enqueue_run.action_signer,
      enqueue_run.request -> 'environment', enqueue_run.request -> 'partial_config'
    );
  elsif v_settings is null then
    v_settings := (
      select s.settings from private.deployment_run_settings as s where s.deployment_id = enqueue_run.deployment.id
    );
    if enqueue_run.action_signer is not null then
      v_settings := v_settings || jsonb_build_object('action_signer', enqueue_run.action_signer);
    end if;
  end if;

  v_is_limited := enqueue_run.deployment.user_id is distinct from enqueue_run.caller.user_id
    or enqueue_run.caller.webhook_id is not null or v_node_depth is not null;
  if v_is_limited then
    v_shares := private.admit_start(enqueue_run.deployment, enqueue_run.caller);
  end if;
  v_queue := v_settings -> 'queue';
  if v_queue is not null then
    select p.queue_key_id, p.state, p.due_at into v_queue_key_id, v_state, v_due_at
    from private.take_queue_place(
      enqueue_run.deployment.id, v_queue, v_inputs,
      private.queue_starter(enqueue_run.deployment, coalesce(enqueue_run.starter, enqueue_run.caller)), v_is_limited
    ) as p;
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, started_by, started_by_public_key,
    started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (v_claims ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, counted_deployment_id, counted_shares, queue_key_id, state, due_at, turn,
    chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_queue_key_id, v_state,
    v_due_at, v_now,
    coalesce(enqueue_run.caller.chain_depth, v_node_depth, 0)
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first call of run_token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  v_is_announced := private.announce_claimable_run();
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.error_status (
  code text
)
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN
               (code = ANY (ARRAY['request_invalid'::text, 'count_inexact'::text, 'pattern_filter_refused'::text, 'inputs_invalid'::text, 'answer_invalid'::text,
               'public_key_invalid'::text,
               'idempotency_key_invalid'::text,
               'column_invalid'::text,
               'column_read_only'::text,
               'start_permission_invalid'::text,
               'name_invalid'::text,
               'description_invalid'::text,
               'icon_url_invalid'::text,
               'fees_invalid'::text,
               'chain_network_invalid'::text,
               'max_starts_per_minute_invalid'::text,
               'max_runs_in_flight_invalid'::text,
               'queue_key_invalid'::text,
               'max_running_per_key_invalid'::text,
               'max_starts_per_key_invalid'::text,
               'key_period_seconds_invalid'::text,
               'on_end_invalid'::text,
               'action_identity_invalid'::text,
               'action_identity_without_wallet'::text,
               'node_definition_invalid'::text,
               'start_target_ambiguous'::text,
               'action_signer_invalid'::text,
               'environment_invalid'::text,
               'partial_config_invalid'::text,
               'wallet_key_mismatch'::text,
               'wallet_keypair_required'::text,
               'signature_invalid'::text, 'transaction_changed'::text, 'kv_store_name_invalid'::text, 'kv_key_invalid'::text, 'kv_value_invalid'::text])) THEN 400
             WHEN (code = ANY (ARRAY['unauthenticated'::text, 'token_invalid'::text, 'api_key_invalid'::text, 'webhook_signature_invalid'::text])) THEN 401
             WHEN (code = 'token_required'::text) THEN 403
             WHEN
               (code = ANY (ARRAY['route_not_found'::text, 'api_key_not_found'::text, 'flow_not_found'::text, 'deployment_not_found'::text, 'flow_version_not_found'::text,
               'flow_run_not_found'::text,
               'webhook_delivery_not_found'::text,
               'pending_input_not_found'::text,
               'webhook_not_found'::text,
               'signature_request_not_found'::text, 'wallet_not_found'::text, 'connection_not_found'::text, 'kv_item_not_found'::text, 'kv_store_not_found'::text])) THEN 404
             WHEN (code = 'method_not_allowed'::text) THEN 405
             WHEN (code = 'body_timeout'::text) THEN 408
             WHEN
               (code = ANY (ARRAY['idempotency_key_reused'::text, 'quota_exceeded'::text, 'flow_changed'::text, 'flow_has_deployments'::text, 'tag_latest_protected'::text,
               'webhook_loop'::text,
               'start_loop'::text,
               'run_failed'::text,
               'action_failed'::text,
               'run_stopped'::text,
               'run_not_ended'::text,
               'run_succeeded'::text,
               'run_redriven'::text,
               'run_not_redrivable'::text,
               'redrive_graph_changed'::text,
               'outcome_unknown'::text,
               'pending_input_answered'::text,
               'claim_lost'::text,
               'wallet_in_use'::text,
               'signature_request_answered'::text,
               'signature_request_expired'::text, 'connection_changed'::text, 'connection_in_use'::text, 'kv_store_exists'::text, 'kv_stores_limit'::text])) THEN 409
             WHEN (code = ANY (ARRAY['body_too_large'::text, 'flows_too_large'::text, 'inputs_too_large'::text, 'kv_size_limit'::text])) THEN 413
             WHEN (code = 'media_type_unsupported'::text) THEN 415
             WHEN (code = ANY (ARRAY['flow_invalid'::text, 'connection_test_failed'::text])) THEN 422
             WHEN (code = ANY (ARRAY['too_many_requests'::text, 'queue_full'::text, 'start_limit_reached'::text, 'action_lookups_limit'::text])) THEN 429
             WHEN (code = 'internal'::text) THEN 500
             WHEN (code = 'service_unavailable'::text) THEN 503
             ELSE NULL::integer
         END
  AS "case";
END;

CREATE OR REPLACE FUNCTION private.limit_key_period_seconds()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 86400;

CREATE OR REPLACE FUNCTION private.limit_queue_key_characters()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 1000;

CREATE OR REPLACE FUNCTION private.limit_queue_keys()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 10000;

CREATE OR REPLACE FUNCTION private.make_due_jobs_ready()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_key_ids bigint[];
begin
  perform private.settle_queue_keys();
  -- Nearly always, no job is due. Then this function reads one entry of the index, and locks nothing.
  if (
    select j.due_at from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') order by j.due_at limit 1
  ) <= clock_timestamp() is not true then
    return;
  end if;
  -- Skip locked jobs: the transaction that holds the lock changes the state, or the next call does.
  with due_job as (
    update private.flow_run_jobs as j
    set
      state = case
        when j.state = 'held' then 'lost'
        when j.queue_key_id is not null and j.claim_number = 0 then 'blocked'
        else 'ready'
      end::private.job_state,
      turn = case when j.state = 'held' then j.turn else j.due_at end,
      due_at = case when j.state = 'held' then j.due_at end
    where j.flow_run_id = any (array(
      select due.flow_run_id from private.flow_run_jobs as due
      where due.state in ('held', 'sleeping', 'waiting') and due.due_at <= (select clock_timestamp())
      order by due.due_at limit 1000
      for no key update skip locked
    ))
    returning j.queue_key_id, j.state
  )
  select array_agg(distinct d.queue_key_id) filter (where d.state = 'blocked') into v_key_ids from due_job as d;
  -- The time of these runs has come, but they have no place yet.
  if v_key_ids is not null then
    perform private.settle_queue_key(k.id, 0, 0) from unnest(v_key_ids) as k (id);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.new_deployment (
  flow public.flows
)
  RETURNS public.flow_deployments
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_new public.flow_deployments;
begin
  v_new.user_id := new_deployment.flow.user_id;
  v_new.entrypoint := new_deployment.flow.id;
  v_new.name := new_deployment.flow.name;
  v_new.description := left(new_deployment.flow.description, private.limit_description_characters());
  v_new.start_permission := case
    when new_deployment.flow.is_public and new_deployment.flow.start_shared and new_deployment.flow.start_unverified
      then 'Anonymous'
    when new_deployment.flow.is_public and new_deployment.flow.start_shared then 'Authenticated'
    else 'Owner'
  end;
  v_new.output_instructions := false;
  v_new.fees := '[]';
  v_new.queue_key_shared := false;
  -- Keep only url and cluster: the chain_network of a flow may have more members.
  v_new.chain_network := jsonb_build_object(
    'url', new_deployment.flow.chain_network -> 'url', 'cluster', new_deployment.flow.chain_network -> 'cluster'
  );
  return v_new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_key_hash (
  queue   jsonb,
  inputs  jsonb,
  starter text
)
  RETURNS bytea
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_key constant text := queue_key_hash.queue ->> 'key';
  v_is_input constant boolean := v_key <> 'caller';
  v_value constant jsonb := case when v_is_input then queue_key_hash.inputs -> v_key end;
  v_starter constant text := case
    when v_key = 'caller' or v_is_input and (queue_key_hash.queue -> 'is_shared')::boolean is not true
      then queue_key_hash.starter
  end;
begin
  if length(v_value::text) > private.limit_queue_key_characters() then
    perform private.refuse_faults('inputs_invalid', jsonb_build_array(jsonb_build_object(
      'path', 'inputs.' || private.shorten(v_key), 'message', format(
        'is the queue_key of the deployment, so its JSON must have at most %s characters',
        private.limit_queue_key_characters()
      )
    )));
  end if;
  return sha256(convert_to(jsonb_build_array(v_key, v_starter, v_value)::text, 'UTF8'));
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_starter (
  deployment public.flow_deployments,
  caller     private.caller
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (((caller).webhook_id IS NULL) AND ((caller).user_id = (deployment).user_id)) THEN ''::text
             ELSE COALESCE((private.start_shares(caller))[2], ''::text)
         END
  AS "coalesce";
END;

CREATE OR REPLACE FUNCTION private.redrive_flow_run (
  flow_run_id     uuid,
  accept_unknown  boolean,
  idempotency_key text,
  deployment      uuid,
  repeat_effects  jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_run public.flow_run;
  v_job private.flow_run_jobs;
  v_run_ids uuid[];
  v_redrive_id uuid;
  v_as_started public.flow_deployments;
  v_request jsonb := jsonb_build_object(
    'redrive', redrive_flow_run.flow_run_id, 'accept_unknown', coalesce(redrive_flow_run.accept_unknown, false)
  ) || case when redrive_flow_run.deployment is null then '{}'
    else jsonb_build_object('deployment', redrive_flow_run.deployment)
  end || case when redrive_flow_run.repeat_effects is null then '{}'
    else jsonb_build_object('repeat_effects', redrive_flow_run.repeat_effects) end;
  v_snapshot jsonb;
  -- The starter of the run that is redriven, because the redrive has the same key.
  v_starter private.caller;
  v_started jsonb;
  v_changes jsonb;
begin
  perform private.check_repeat_effects(redrive_flow_run.repeat_effects);
  v_caller.user_id := private.lock_user();
  v_run := private.lock_run_to_redrive(redrive_flow_run.flow_run_id, v_caller.user_id);
  v_redrive_id := (select r.id from public.flow_run as r where r.redriven_from = v_run.id);
  if v_redrive_id is not null then
    if redrive_flow_run.idempotency_key is not null
      and private.claim_idempotency_key(
        v_caller, redrive_flow_run.idempotency_key, v_request, v_redrive_id
      ) = v_redrive_id
    then
      return jsonb_build_object('flow_run_id', v_redrive_id, 'token', private.run_token(v_redrive_id));
    end if;
    perform private.fail('run_redriven', format('This run has already been redriven: the new run is %s.', v_redrive_id),
      jsonb_build_object('flow_run_id', v_redrive_id), 'If the new run has failed too, redrive the new run.');
  end if;
  perform private.check_redrivable(v_run, coalesce(redrive_flow_run.accept_unknown, false));

  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run.id;
  v_run_ids := private.runs_to_take_over(v_run);
  if redrive_flow_run.deployment is null then
    -- Rebuild the deployment as it was when the run started.
    v_as_started.id := v_run.deployment_id;
    v_as_started.user_id := v_run.user_id;
    v_as_started.entrypoint := v_run.flow_id;
    v_as_started.snapshot_hash := v_job.snapshot_hash;
    -- The start of the run has checked the inputs, so accept exactly their names.
    v_as_started.input_names := array(select jsonb_object_keys(v_run.inputs -> 'M'));
    v_as_started.fees := v_run.fees;
  else
    v_as_started := private.deployment_to_redrive_on(redrive_flow_run.deployment, v_run, v_job.settings);
    v_job.settings := private.run_settings(v_as_started) || jsonb_build_object('action_signer', v_run.action_signer);
  end if;
  select s.data into v_snapshot
  from private.flow_snapshots as s where s.hash = v_as_started.snapshot_hash for key share;
  if not found then
    perform private.fail('run_not_redrivable', 'The graph of this run is no longer stored.',
      jsonb_build_object('reason', 'snapshot_deleted'), 'Start a new run.');
  end if;
  v_job.settings := v_job.settings - 'repeat_effects' || case
    when redrive_flow_run.repeat_effects is null then '{}'
    else jsonb_build_object(
      'repeat_effects', private.repeat_effects(redrive_flow_run.repeat_effects, v_run.flow_id, v_snapshot)
    )
  end;
  v_changes := private.changes_since(v_run_ids, v_as_started.snapshot_hash);
  -- If the fees of the run are paid, the redrive must not charge them again.
  if exists (
    select from private.flow_run_transactions as t
    where t.root_flow_run_id = v_run.id and t.has_fees and t.outcome = 'confirmed'
  ) then
    v_as_started.fees := '[]';
    v_job.settings := v_job.settings || '{"fees": []}';
  end if;
  v_starter.user_id := v_run.started_by;
  v_starter.public_key := v_run.started_by_public_key;
  v_starter.webhook_id := v_run.webhook_id;
  v_started := private.enqueue_run(
    v_as_started, v_caller, v_run.inputs -> 'M', null, v_run.action_signer, redrive_flow_run.idempotency_key, v_request,
    settings => v_job.settings, starter => v_starter
  );
  v_redrive_id := v_started ->> 'flow_run_id';
  update public.flow_run as r
  set redriven_from = v_run.id, started_by = v_run.started_by, started_by_public_key = v_run.started_by_public_key,
    started_by_run_id = null
  where r.id = v_redrive_id;
  update private.flow_run_jobs as j set redriven_from = v_run_ids, redrive_changes = v_changes
  where j.flow_run_id = v_redrive_id;
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_if_owner_fills_queue (
  owner_id   uuid,
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
  -- This clears the sign bit, because the sequence has no negative values.
  v_owner bigint := hashtextextended(refuse_if_owner_fills_queue.owner_id::text, 0) & 9223372036854775807;
  v_is_known boolean := coalesce(
    pg_sequence_last_value('private.queue_refused_owner') = v_owner
      and private.queue_clock() < pg_sequence_last_value('private.queue_full_until'),
    false
  );
begin
  -- If the last refused start was for the same owner, refuse this start without counting the owner's runs. A count may
  -- read as many runs as a tenth of the limit.
  if v_is_known then
    v_count := v_share;
  else
    -- Counts at most v_share runs, by indexes. Runs that wait because of a limit by key count, too.
    select count(*) into v_count
    from (
      (
        select from private.flow_run_jobs as j
        where j.user_id = refuse_if_owner_fills_queue.owner_id and j.state in ('ready', 'lost')
        order by j.turn limit v_share
      )
      union all
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.claim_number = 0 and j.state in ('blocked', 'sleeping')
      limit v_share
    ) as own;
  end if;
  if v_count >= v_share then
    if not v_is_known then
      perform setval('private.queue_refused_owner', v_owner);
    end if;
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_many_keys (
  deployment_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  -- Count only the keys whose hash begins with six bits that are chosen by chance: a sixty-fourth of all keys. A count
  -- of all keys would take milliseconds, and a stranger can't fill a slice that nobody can foresee.
  v_slice constant integer := floor(random() * 64) * 4;
  v_most constant integer := ceil(private.limit_queue_keys() / 64.0);
  v_count integer;
begin
  select count(*) into v_count
  from (
    select from private.queue_keys as k
    where k.deployment_id = refuse_many_keys.deployment_id
      and k.key_hash between set_byte('\x00', 0, v_slice) and set_byte('\x00', 0, v_slice + 3) || decode(repeat('ff', 31), 'hex')
    limit v_most
  ) as slice;
  if v_count >= v_most then
    perform private.fail('queue_full', 'Runs of this deployment use too many keys at the same time.',
      jsonb_build_object('limit', 'queue_keys', 'value', private.limit_queue_keys()),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_settings (
  deployment public.flow_deployments
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return jsonb_build_object(
    'output_instructions', coalesce(run_settings.deployment.output_instructions, false),
    'action_identity', run_settings.deployment.action_identity,
    -- The amounts are text, because JavaScript would read a JSON number as a float.
    'fees', case when run_settings.deployment.fees <> '[]' then (
      select jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position)
      from jsonb_array_elements(run_settings.deployment.fees) with ordinality as fee (pair, position)
    ) else '[]' end,
    'chain_network', jsonb_build_object(
      'url', run_settings.deployment.chain_network -> 'url', 'cluster', run_settings.deployment.chain_network -> 'cluster'
    ),
    'on_end', run_settings.deployment.on_end,
    'connections', case
      when run_settings.deployment.id is null
        then private.snapshot_connections(run_settings.deployment.snapshot_hash, run_settings.deployment.user_id)
      else (
        select coalesce(jsonb_object_agg(c.name, c.connection_id), '{}')
        from private.flow_deployment_connections as c where c.deployment_id = run_settings.deployment.id
      )
    end
  ) || case
    when num_nonnulls(run_settings.deployment.max_running_per_key, run_settings.deployment.max_starts_per_key) = 0
      then '{}'
    -- Only runs with limits by key have this member, because each update of a job writes its settings again.
    else jsonb_build_object('queue', jsonb_strip_nulls(jsonb_build_object(
      'key', run_settings.deployment.queue_key, 'is_shared', run_settings.deployment.queue_key_shared,
      'max_running', run_settings.deployment.max_running_per_key,
      'max_starts', run_settings.deployment.max_starts_per_key,
      'period_seconds', run_settings.deployment.key_period_seconds
    )))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- clock_timestamp() is in sub-selects, because a volatile function in a condition prevents the use of an index.
  -- Runs that may be claimed and runs whose state ends later have different indexes, so they are read separately.
  with queued as not materialized (
    select j.* from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union all
    select j.* from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(private.claimable_since(q)) as age from queued as q
  ),
  undue as (
    select count(*) filter (where j.state = 'held') as running, count(*) filter (where j.state = 'sleeping') as delayed,
      count(*) filter (where j.state = 'waiting') as waiting
    from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', undue.delayed,
    'running', undue.running,
    'waiting', undue.waiting,
    'blocked', (select count(*) from private.flow_run_jobs as j where j.state = 'blocked'),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    ),
    'pending_webhooks', (select count(*) from public.webhook_deliveries as d where d.status = 'pending')
  )
  from queue cross join undue;
$function$;

CREATE OR REPLACE FUNCTION private.settle_queue_key (
  key_id bigint,
  ended  integer,
  freed  integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_key private.queue_keys;
  v_ended integer;
  v_freed integer;
  v_max_running integer;
  v_places integer;
  v_admitted integer := 0;
  v_is_told boolean;
begin
  select k.* into v_key from private.queue_keys as k where k.id = settle_queue_key.key_id
  for no key update skip locked;
  if not found then
    insert into private.queue_key_notes (queue_key_id, ended, freed)
    select settle_queue_key.key_id, settle_queue_key.ended, settle_queue_key.freed
    where settle_queue_key.ended > 0
      or not exists (select from private.queue_key_notes as n where n.queue_key_id = settle_queue_key.key_id);
    return;
  end if;
  with note as (
    delete from private.queue_key_notes as n where n.queue_key_id = v_key.id returning n.ended, n.freed
  )
  select coalesce(sum(n.ended), 0) + settle_queue_key.ended, coalesce(sum(n.freed), 0) + settle_queue_key.freed
  into v_ended, v_freed from note as n;
  v_key.pending := v_key.pending - v_ended;
  v_key.running := v_key.running - v_freed;
  if v_key.pending > v_key.running then
    select d.max_running_per_key into v_max_running
    from public.flow_deployments as d where d.id = v_key.deployment_id;
    if not found then
      v_max_running := v_key.max_running;
    end if;
    -- `least` ignores null, which stands for no limit.
    v_places := greatest(least(1000, v_max_running - v_key.running), 0);
    update private.flow_run_jobs as j set state = 'ready'
    where j.flow_run_id = any (array(
      select b.flow_run_id from private.flow_run_jobs as b
      where b.queue_key_id = v_key.id and b.state = 'blocked'
      order by b.turn limit v_places
      for no key update skip locked
    ));
    get diagnostics v_admitted = row_count;
    v_key.running := v_key.running + v_admitted;
    -- If a blocked run was left although a place is free, another transaction had locked its job. Try again later.
    if v_admitted < v_places or v_places = 1000 then
      insert into private.queue_key_notes (queue_key_id, ended, freed)
      select v_key.id, 0, 0
      where exists (select from private.flow_run_jobs as b where b.queue_key_id = v_key.id and b.state = 'blocked');
    end if;
  end if;
  if v_key.pending = 0 and (v_key.next_start_at > clock_timestamp()) is not true then
    delete from private.queue_keys as k where k.id = v_key.id;
  else
    update private.queue_keys as k set pending = v_key.pending, running = v_key.running where k.id = v_key.id;
  end if;
  if v_admitted > 0 then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.settle_queue_keys()
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_key_ids bigint[];
begin
  -- Nearly always, there is no note.
  if not exists (select from private.queue_key_notes) then
    return false;
  end if;
  v_key_ids := array(select distinct n.queue_key_id from private.queue_key_notes as n limit 1000);
  perform private.settle_queue_key(k.id, 0, 0) from private.queue_keys as k where k.id = any (v_key_ids);
  -- A note that only says that blocked runs may get a place may outlive its key.
  delete from private.queue_key_notes as n
  where n.queue_key_id = any (v_key_ids)
    and not exists (select from private.queue_keys as k where k.id = n.queue_key_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshots_of_pending_runs()
  RETURNS bytea[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('held', 'sleeping', 'waiting')
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.state = 'blocked'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_runs bigint;
  v_keys bigint;
  v_idle_shares bigint;
  v_queue_keys bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- Claims do this, too. Without a worker, the metrics and the limit of the queue still read few due jobs.
  perform private.make_due_jobs_ready();
  v_queue_keys := private.delete_unused_keys(sweep_runner.max_runs);
  -- This step comes last, because a start that needs one of these snapshots waits until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    -- There are no messages any more. The member stays for callers of the former release.
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', 0, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_snapshots, v_idle_shares, v_queue_keys)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_queue_place (
  deployment_id uuid,
  queue         jsonb,
  inputs        jsonb,
  starter       text,
  is_limited    boolean,
  OUT           queue_key_id bigint,
  OUT           state private.job_state,
  OUT           due_at timestamp with time zone
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_hash constant bytea := private.queue_key_hash(
    take_queue_place.queue, take_queue_place.inputs, take_queue_place.starter
  );
  v_max_running constant integer := take_queue_place.queue -> 'max_running';
  v_gap constant interval := make_interval(secs =>
    (take_queue_place.queue -> 'period_seconds')::double precision
      / (take_queue_place.queue -> 'max_starts')::double precision
  );
  v_now timestamptz;
  v_key private.queue_keys;
begin
  loop
    select k.* into v_key from private.queue_keys as k
    where k.deployment_id = take_queue_place.deployment_id and k.key_hash = v_hash
    for no key update;
    -- The time is read after the lock, because the start may have waited for it.
    v_now := clock_timestamp();
    state := 'ready';
    due_at := null;
    if v_gap is not null then
      v_key.next_start_at := greatest(v_key.next_start_at, v_now);
      if v_key.next_start_at > v_now then
        state := 'sleeping';
        due_at := v_key.next_start_at;
      end if;
      v_key.next_start_at := v_key.next_start_at + v_gap;
    end if;
    -- If other runs of the key wait, this run waits, too, even if a place is free: they come first.
    if state = 'ready' and (v_key.running >= v_max_running or v_key.pending > v_key.running) then
      state := 'blocked';
    end if;
    v_key.pending := coalesce(v_key.pending, 0) + 1;
    v_key.running := coalesce(v_key.running, 0) + (state = 'ready')::integer;
    if v_key.id is not null then
      update private.queue_keys as k
      set pending = v_key.pending, running = v_key.running, max_running = v_max_running,
        next_start_at = v_key.next_start_at
      where k.id = v_key.id;
      queue_key_id := v_key.id;
      -- A place is free only if runs ended while the key was locked, or if a limit was raised.
      if state = 'blocked' and (v_key.running < v_max_running) is not false then
        insert into private.queue_key_notes (queue_key_id, ended, freed) values (v_key.id, 0, 0);
      end if;
      return;
    end if;
    if take_queue_place.is_limited then
      perform private.refuse_many_keys(take_queue_place.deployment_id);
    end if;
    insert into private.queue_keys as k (deployment_id, key_hash, pending, running, max_running, next_start_at)
    values (
      take_queue_place.deployment_id, v_hash, v_key.pending, v_key.running, v_max_running, v_key.next_start_at
    )
    on conflict on constraint queue_keys_deployment_id_key_hash_key do nothing
    returning k.id into queue_key_id;
    if queue_key_id is not null then
      return;
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_update_limit()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_is_told boolean;
begin
  insert into private.queue_key_notes (queue_key_id, ended, freed)
  select k.id, 0, 0 from private.queue_keys as k where k.deployment_id = new.id and k.pending > k.running;
  if found then
    v_is_told := private.announce_claimable_run();
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.check_setting_json('fees', new.fees);
  perform private.check_setting_json('chain_network', new.chain_network);
  perform private.check_setting_json('on_end', new.on_end);

  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_setting('start_permission', 'must be Owner, Authenticated or Anonymous');
  end if;

  if new.name is distinct from old.name and coalesce(char_length(new.name) > private.limit_name_characters(), true) then
    perform private.refuse_setting(
      'name', format('must be a text of at most %s characters', private.limit_name_characters())
    );
  end if;
  if new.description is distinct from old.description
    and coalesce(char_length(new.description) > private.limit_description_characters(), true)
  then
    perform private.refuse_setting(
      'description', format('must be a text of at most %s characters', private.limit_description_characters())
    );
  end if;
  if new.icon_url is distinct from old.icon_url and not private.is_icon_url(new.icon_url) then
    perform private.refuse_setting(
      'icon_url', format('must be an https address of at most %s characters, or null', private.limit_url_characters())
    );
  end if;

  if new.max_starts_per_minute < 0 then
    perform private.refuse_setting(
      'max_starts_per_minute', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;
  if new.max_runs_in_flight < 0 then
    perform private.refuse_setting(
      'max_runs_in_flight', 'must be an integer from 0 to 2^31-1, or null for the default'
    );
  end if;

  if new.queue_key is distinct from old.queue_key and new.queue_key <> all ('{caller}' || new.input_names) then
    perform private.refuse_setting('queue_key', 'must be caller, the name of an input of the flow, or null');
  end if;
  if new.max_running_per_key < 1 then
    perform private.refuse_setting('max_running_per_key', 'must be an integer from 1 to 2^31-1, or null');
  end if;
  if new.max_starts_per_key < 1 then
    perform private.refuse_setting('max_starts_per_key', 'must be an integer from 1 to 2^31-1, or null');
  end if;
  if new.key_period_seconds not between 1 and private.limit_key_period_seconds() then
    perform private.refuse_setting('key_period_seconds', format(
      'must be an integer from 1 to %s, or null', private.limit_key_period_seconds()
    ));
  end if;
  if (new.max_starts_per_key is null) <> (new.key_period_seconds is null) then
    perform private.refuse_setting('key_period_seconds', 'max_starts_per_key and key_period_seconds need each other');
  end if;

  if new.on_end is distinct from old.on_end and new.on_end is not null then
    perform private.refuse_faults('on_end_invalid', private.on_end_faults(new.on_end));
  end if;

  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- Compare the texts, because the jsonb values 1.0 and 1 are equal. If an update changes an amount from 1 to 1.0, the
  -- texts differ, and the code below stores 1 again.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(new.action_identity) then
      perform private.refuse_setting('action_identity', 'must be a public key, base58 of 32 bytes, or null');
    end if;
    -- The share lock keeps the wallet from being deleted or changed into an ADAPTER until this row is stored. A
    -- concurrent change of the wallet waits for the lock, then sees the deployment and is refused.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail('action_identity_without_wallet',
        'action_identity must be the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet with this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_run_jobs__after_end_settle()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.settle_queue_key(
    old.queue_key_id, 1,
    -- Before the first claim, a run that is blocked or sleeps has no place.
    case when old.claim_number = 0 and old.state in ('blocked', 'sleeping') then 0 else 1 end
  );
  return null;
end;
$function$;

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_running_per_key_positive" CHECK ((max_running_per_key >= 1));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_starts_per_key_has_period" CHECK (((max_starts_per_key IS NULL) = (key_period_seconds IS NULL)));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_starts_per_key_positive" CHECK ((max_starts_per_key >= 1));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_queue_key_known" CHECK (((queue_key = 'caller'::text) OR (queue_key = ANY (input_names))));

CREATE INDEX flow_run_jobs_queue_key_id_idx_blocked ON private.flow_run_jobs USING btree (queue_key_id, turn)
  WHERE (state = 'blocked'::private.job_state);

CREATE INDEX flow_run_jobs_user_id_idx_limited ON private.flow_run_jobs USING btree (user_id)
  WHERE ((claim_number = 0) AND (state = ANY (ARRAY['blocked'::private.job_state, 'sleeping'::private.job_state])));

CREATE INDEX queue_key_notes_queue_key_id_idx ON private.queue_key_notes USING btree (queue_key_id);

CREATE INDEX queue_keys_next_start_at_idx ON private.queue_keys USING btree (next_start_at)
  WHERE (next_start_at IS NOT NULL);

CREATE CONSTRAINT TRIGGER flow_run_jobs_settle_delete
  AFTER DELETE ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.queue_key_id IS NOT NULL) AND (old.state <> 'ended'::private.job_state)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end_settle();

CREATE CONSTRAINT TRIGGER flow_run_jobs_settle_end
  AFTER UPDATE OF state ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.queue_key_id IS NOT NULL) AND (old.state <> 'ended'::private.job_state) AND (new.state = 'ended'::private.job_state)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end_settle();

CREATE TRIGGER _600_settle_keys
  AFTER UPDATE OF max_running_per_key ON public.flow_deployments
  FOR EACH ROW
  WHEN ((old.max_running_per_key IS DISTINCT FROM new.max_running_per_key))
  EXECUTE FUNCTION private.tg_flow_deployments__after_update_limit();

COMMENT ON COLUMN "private"."flow_run_jobs"."due_at" IS 'The time at which the state ends by itself: a held run is then lost, a sleeping or waiting run is ready. While the state is lost, the time at which the lease ended. Null if the run is ready, is blocked or has ended.';

COMMENT ON COLUMN "private"."flow_run_jobs"."queue_key_id" IS 'The key in private.queue_keys whose places the run needs; null for a run without limits by key. There is no foreign key, because it would lock the key at the start of each run.';

COMMENT ON COLUMN "private"."flow_run_jobs"."state" IS 'ready and lost: a worker may claim the run. held: a worker has the run. sleeping: the run was released until due_at. waiting: like sleeping, but a signature or an input may wake the run earlier. blocked: the run waits for a place of its key. ended: the run has ended.';

COMMENT ON COLUMN "private"."queue_key_notes"."ended" IS 'How many runs of the key have ended.';

COMMENT ON COLUMN "private"."queue_key_notes"."freed" IS 'How many of the ended runs had a place. A row with 0 in both columns says only that blocked runs may get a place.';

COMMENT ON COLUMN "private"."queue_keys"."key_hash" IS 'SHA-256 of the settings'' queue_key, the caller if callers have keys of their own, and the value of the input.';

COMMENT ON COLUMN "private"."queue_keys"."max_running" IS 'max_running_per_key at the newest start. Used if the deployment has been deleted; otherwise its present value counts.';

COMMENT ON COLUMN "private"."queue_keys"."next_start_at" IS 'The time at which the next run of this key may begin; null if the deployment does not limit the starts of a key.';

COMMENT ON COLUMN "private"."queue_keys"."pending" IS 'The runs with this key that have not ended. While private.queue_key_notes has rows for the key, too many.';

COMMENT ON COLUMN "private"."queue_keys"."running" IS 'The runs that have a place: those of the pending runs that are neither blocked nor sleep before their first claim.';

COMMENT ON COLUMN "public"."flow_deployments"."key_period_seconds" IS 'The period of max_starts_per_key. Both are null, or neither.';

COMMENT ON COLUMN "public"."flow_deployments"."max_running_per_key" IS 'The most runs of one key that may be under way at the same time. Further runs wait. A run keeps its place until it ends, also while it waits for a time, a signature or an input. Null: no limit.';

COMMENT ON COLUMN "public"."flow_deployments"."max_starts_per_key" IS 'The most runs of one key that may begin in key_period_seconds: they begin at least key_period_seconds / max_starts_per_key apart. Further runs wait. Null: no limit.';

COMMENT ON COLUMN "public"."flow_deployments"."queue_key" IS 'The key of the limits by key: the name of an input, or caller. Null: all runs of the deployment have the same key.';

COMMENT ON COLUMN "public"."flow_deployments"."queue_key_shared" IS 'If queue_key is an input: whether runs of different callers may have the same key. If false, each caller but the owner has keys of its own.';

COMMENT ON FUNCTION "private"."claimable_since"(private.flow_run_jobs) IS 'The time from which a worker may claim the run; null if the run is blocked or has ended. A later time for a run that is held, sleeps or waits.';

COMMENT ON FUNCTION "private"."delete_unused_keys"(integer) IS 'Deletes at most max_keys keys that no run uses and whose next run may begin now. Returns how many. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller) IS
  'Stores and queues a run of the deployment: {flow_run_id, token}. Does not check permission; callers must. Definer, because no API role may insert runs.';

COMMENT ON FUNCTION "private"."limit_key_period_seconds"() IS 'Limit in s: `key_period_seconds` of a deployment.';

COMMENT ON FUNCTION "private"."limit_queue_key_characters"() IS 'Limit in characters: the JSON of the input that `queue_key` names.';

COMMENT ON FUNCTION "private"."limit_queue_keys"() IS 'Limit in keys: keys of one deployment, approximately: those of runs that have not ended, and of starts in the last period.';

COMMENT ON FUNCTION "private"."limit_queue_length"() IS 'Limit in runs: runs of the project that are claimable, or wait because of a limit by key, by default.';

COMMENT ON FUNCTION "private"."make_due_jobs_ready"() IS 'Changes the state of at most a thousand jobs whose time has come: held jobs are lost, sleeping and waiting jobs are ready, or blocked if they have no place of their key. First settles the keys that have notes. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."queue_key_hash"(jsonb, jsonb, text) IS 'The key of a run. `starter` is the caller, or an empty text for the owner. 400 inputs_invalid if the value of the input is too long.';

COMMENT ON FUNCTION "private"."queue_starter"(public.flow_deployments, private.caller) IS 'The part of a key that names the caller: empty for the owner, otherwise the caller''s share (private.start_shares).';

COMMENT ON FUNCTION "private"."refuse_many_keys"(uuid) IS 'Refuses a start that needs a new key, if the deployment has about limit_queue_keys() keys: 429 queue_full. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."run_settings"(public.flow_deployments) IS 'The settings of the runs of a deployment: {output_instructions, action_identity, fees, chain_network, on_end, connections}, and queue if the deployment has limits by key. chain_network contains the RPC address, which may contain a secret.';

COMMENT ON FUNCTION "private"."settle_queue_key"(bigint, integer, integer) IS 'Subtracts ended runs and freed places from a key, gives free places to the blocked runs that have waited longest, and deletes an unused key. If another transaction has locked the key, writes a note instead. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."settle_queue_keys"() IS 'Settles at most 1,000 keys that have notes. Returns false if there are no notes. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean) IS 'Counts a new run for its key, and returns the key, and the state and due_at of the run''s job. Locks the key until the transaction ends. 400 inputs_invalid; 429 queue_full. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__after_update_limit"() IS 'Lets the next claim give places to blocked runs if their limit was changed. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "private"."tg_flow_run_jobs__after_end_settle"() IS 'Frees the place of a run that has ended or was deleted. Definer, because no API role may access keys.';

COMMENT ON FUNCTION "public"."runner_metrics"() IS 'For operators: {queue_length, oldest_queued_seconds, delayed, running, waiting, blocked, failed_last_hour, pending_webhooks}. Only root runs are counted. pending_webhooks counts the deliveries that have not been made yet.';

COMMENT ON TABLE "private"."queue_key_notes" IS 'Changes of keys that were locked by other transactions. The next claim or sweep that can lock the key reads and deletes its rows. Nearly always empty.';

COMMENT ON TABLE "private"."queue_keys" IS 'The keys by which deployments limit their runs. A row exists while a run with the key has not ended, and until next_start_at. There is no foreign key: the runs of a deleted deployment keep their places.';

REVOKE ALL ON FUNCTION "private"."delete_unused_keys"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."delete_unused_keys"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_unused_keys"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_key_period_seconds"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_key_period_seconds"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_key_period_seconds"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_key_period_seconds"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_key_period_seconds"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_queue_key_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_queue_key_characters"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_queue_key_characters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_queue_key_characters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_queue_key_characters"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_queue_keys"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_queue_keys"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_queue_keys"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_queue_keys"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_queue_keys"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."queue_key_hash"(jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_key_hash"(jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_key_hash"(jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_starter"(public.flow_deployments, private.caller) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_starter"(public.flow_deployments, private.caller) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_starter"(public.flow_deployments, private.caller) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_many_keys"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_many_keys"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_many_keys"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_queue_key"(bigint, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_queue_key"(bigint, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_queue_key"(bigint, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."settle_queue_keys"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_queue_keys"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_queue_keys"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_update_limit"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_update_limit"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__after_update_limit"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end_settle"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end_settle"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_run_jobs__after_end_settle"() TO "postgres";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_key_period_seconds_range" CHECK (((key_period_seconds >= 1) AND (key_period_seconds <= private.limit_key_period_seconds())));
