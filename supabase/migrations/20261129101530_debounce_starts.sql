SET local check_function_bodies = off;

DROP FUNCTION "private"."admit_start"(public.flow_deployments, private.caller);

DROP FUNCTION "private"."count_start"(public.flow_deployments, text[]);

DROP FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean);

ALTER TABLE "private"."queue_keys"
  ADD COLUMN "debounced_run_id" uuid;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "debounce_seconds" integer;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "debounce_max_seconds" integer;

CREATE OR REPLACE FUNCTION private.admit_start (
  deployment public.flow_deployments,
  caller     private.caller,
  runs       integer
)
  RETURNS text[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_shares text[];
begin
  if admit_start.runs > 0 and private.is_queue_count_due() then
    perform private.check_queue_length(admit_start.deployment.user_id);
  end if;
  -- A start by a webhook has the owner's user id, but anybody with the webhook's URL may make it. So starts by webhooks
  -- are counted.
  if admit_start.deployment.user_id is distinct from admit_start.caller.user_id
    or admit_start.caller.webhook_id is not null then
    v_shares := private.start_shares(admit_start.caller);
  end if;
  if v_shares is not null then
    perform private.count_start(admit_start.deployment, v_shares, admit_start.runs);
  end if;
  return v_shares;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_start (
  deployment public.flow_deployments,
  shares     text[],
  runs       integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_limits constant private.limits_of_starts := private.start_limits(count_start.deployment);
  v_share text;
  v_starts bigint;
  v_runs bigint;
begin
  -- Count the group before the caller. A transaction that waits for the slot of a caller already holds the slot of
  -- its group, so two such transactions can't deadlock.
  insert into private.deployment_usage as u (deployment_id, share, slot, minute, starts, in_flight)
  select count_start.deployment.id, s.share, pg_backend_pid() % 32, v_minute, 1, count_start.runs
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute),
    starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + excluded.in_flight;

  -- The share of one caller is a tenth of the limit. So if all callers together use at most a tenth of the limit, no
  -- caller can exceed a share. Nearly every start needs no further check for this reason.
  select coalesce(sum(u.starts) filter (where u.minute = v_minute), 0), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = count_start.deployment.id and u.share in ('guests', 'others');
  if v_starts > v_limits.max_starts_per_minute / 10 or v_runs > v_limits.max_runs_in_flight / 10 then
    -- Skip the group `others`: of the two groups, only `guests` has a limited share.
    foreach v_share in array array['all'] || array_remove(count_start.shares, 'others') loop
      perform private.check_share(count_start.deployment, v_share, v_minute);
    end loop;
  end if;
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
  starter         private.caller          DEFAULT NULL::private.caller,
  priority        integer                 DEFAULT NULL::integer
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
  -- Not v_run_id if the start joins a sleeping run.
  v_joined_run_id uuid := v_run_id;
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
  if enqueue_run.priority is not null then
    perform private.check_priority(
      enqueue_run.priority, enqueue_run.caller.user_id is not distinct from enqueue_run.deployment.user_id
    );
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
    v_inputs := private.inputs_of_start(
      enqueue_run.deployment, v_inputs, enqueue_run.plain, waits => enqueue_run.caller.row_start_id is null
    );
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
  v_queue := v_settings -> 'queue';
  if v_queue is not null and enqueue_run.caller.row_start_id is not null then
    v_state := 'blocked';
    -- The write of the row must not wait for a key. So only check the key; the next claim takes a place of it.
    perform private.queue_key_hash(v_queue, v_inputs, '');
    if v_is_limited then
      perform private.refuse_many_keys(enqueue_run.deployment.id);
    end if;
  elsif v_queue is not null then
    select p.run_id, p.queue_key_id, p.state, p.due_at into v_joined_run_id, v_queue_key_id, v_state, v_due_at
    from private.take_queue_place(
      enqueue_run.deployment.id, v_queue, v_inputs,
      private.queue_starter(enqueue_run.deployment, coalesce(enqueue_run.starter, enqueue_run.caller)), v_is_limited,
      enqueue_run.settings is not null, enqueue_run.caller.run_id, v_run_id
    ) as p;
  end if;
  if v_is_limited then
    v_shares := private.admit_start(
      enqueue_run.deployment, enqueue_run.caller, (v_joined_run_id = v_run_id)::integer
    );
  end if;
  if v_joined_run_id <> v_run_id then
    -- The key and the limits do not count the new run, because private.join_debounced_run deletes it again.
    v_queue_key_id := null;
    v_shares := null;
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, row_start_id, started_by,
    started_by_public_key, started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees,
    chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.row_start_id,
    enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (v_claims ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, counted_deployment_id, counted_shares, queue_key_id, state, due_at, turn,
    priority, chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_queue_key_id, v_state,
    v_due_at, v_now - make_interval(secs => coalesce(enqueue_run.priority, 0)), coalesce(enqueue_run.priority, 0),
    coalesce(enqueue_run.caller.chain_depth, v_node_depth, 0)
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first call of run_token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  if v_joined_run_id <> v_run_id then
    perform private.join_debounced_run(v_run_id, v_joined_run_id, v_due_at);
    return jsonb_build_object('flow_run_id', v_joined_run_id, 'token', private.run_token(v_joined_run_id));
  end if;
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
               'debounce_seconds_invalid'::text,
               'debounce_max_seconds_invalid'::text,
               'on_end_invalid'::text,
               'action_identity_invalid'::text,
               'action_identity_without_wallet'::text,
               'node_definition_invalid'::text,
               'row_start_invalid'::text,
               'start_target_ambiguous'::text,
               'action_signer_invalid'::text,
               'priority_invalid'::text,
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
               'webhook_answer_failed'::text,
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

CREATE OR REPLACE FUNCTION private.join_debounced_run (
  run_id        uuid,
  joined_run_id uuid,
  due_at        timestamp with time zone
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A change of a row may join after a start that is newer. Then the inputs of the newer start stay.
  update private.flow_run_jobs as j
  set settings = newest.settings, due_at = join_debounced_run.due_at, turn = newest.turn, priority = newest.priority
  from private.flow_run_jobs as newest
  where j.flow_run_id = join_debounced_run.joined_run_id and newest.flow_run_id = join_debounced_run.run_id
    and newest.turn + make_interval(secs => newest.priority) >= j.turn + make_interval(secs => j.priority);
  if found then
    update public.flow_run as r
    set schedule_id = newest.schedule_id, row_start_id = newest.row_start_id,
      started_by_run_id = newest.started_by_run_id, inputs = newest.inputs,
      output_instructions = newest.output_instructions, action_identity = newest.action_identity,
      action_signer = newest.action_signer, fees = newest.fees, chain_network = newest.chain_network
    from public.flow_run as newest
    where r.id = join_debounced_run.joined_run_id and newest.id = join_debounced_run.run_id;
  end if;
  -- A loop of starts ends also if a run of it joins another run.
  update private.flow_run_jobs as j set chain_depth = newest.chain_depth
  from private.flow_run_jobs as newest
  where j.flow_run_id = join_debounced_run.joined_run_id and newest.flow_run_id = join_debounced_run.run_id
    and newest.chain_depth > j.chain_depth;
  update private.idempotency_keys as k set flow_run_id = join_debounced_run.joined_run_id
  where k.flow_run_id = join_debounced_run.run_id;
  delete from public.flow_run as r where r.id = join_debounced_run.run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_debounced_run (
  run_id uuid,
  key_id bigint
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform from private.flow_run_jobs as j
  where j.flow_run_id = lock_debounced_run.run_id and j.queue_key_id = lock_debounced_run.key_id
    and j.state = 'sleeping' and j.claim_number = 0
  for no key update skip locked;
  return found;
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
    when v_key = 'caller' or queue_key_hash.queue ? 'debounce_seconds'
      or v_is_input and (queue_key_hash.queue -> 'is_shared')::boolean is not true
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
    when num_nonnulls(
      run_settings.deployment.max_running_per_key, run_settings.deployment.max_starts_per_key,
      run_settings.deployment.debounce_seconds
    ) = 0 then '{}'
    -- Only runs with limits by key have this member, because each update of a job writes its settings again.
    else jsonb_build_object('queue', jsonb_strip_nulls(jsonb_build_object(
      'key', run_settings.deployment.queue_key, 'is_shared', run_settings.deployment.queue_key_shared,
      'max_running', run_settings.deployment.max_running_per_key,
      'max_starts', run_settings.deployment.max_starts_per_key,
      'period_seconds', run_settings.deployment.key_period_seconds,
      'debounce_seconds', run_settings.deployment.debounce_seconds,
      'debounce_max_seconds', run_settings.deployment.debounce_max_seconds
    )))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text,
  "values"        jsonb,
  priority        integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if num_nonnulls(start_deployment.id, start_deployment.flow) <> 1
    or num_nonnulls(start_deployment.id, start_deployment.tag) > 1 then
    perform private.refuse_start_target(start_deployment.id, start_deployment.flow, start_deployment.tag);
  end if;
  -- Lock the caller's row first, then the deployment. A deletion of the user locks in the same order, so the two can't
  -- deadlock.
  v_caller := private.lock_caller();
  v_deployment := private.startable_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, v_caller, start_deployment.public_key, true
  );
  if v_caller.user_id is null then
    v_caller.public_key := start_deployment.public_key;
    v_caller.run_id := private.token_run_id();
  end if;

  if start_deployment.idempotency_key is not null then
    v_request := jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    ) || jsonb_strip_nulls(jsonb_build_object('priority', start_deployment.priority))
      || case when start_deployment."values" is null then '{}'
        else jsonb_build_object('values', start_deployment."values") end;
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_deployment.inputs, '{}'), start_deployment."values",
    start_deployment.action_signer,
    start_deployment.idempotency_key, v_request, priority => start_deployment.priority
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_places_of_row_starts()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_job record;
  v_place record;
  v_is_told boolean := false;
begin
  for v_job in
    select j.flow_run_id, j.settings -> 'queue' as queue, r.deployment_id, r.inputs -> 'M' as inputs
    from private.flow_run_jobs as j join public.flow_run as r on r.id = j.flow_run_id
    where j.state = 'blocked' and j.queue_key_id is null
    order by j.queue_key_id, j.turn limit 200
    for no key update of j skip locked
  loop
    continue when not private.lock_queue_key(
      v_job.deployment_id, private.queue_key_hash(v_job.queue, v_job.inputs, '')
    );
    select p.* into v_place
    from private.take_queue_place(
      v_job.deployment_id, v_job.queue, v_job.inputs, '', false, false, null, v_job.flow_run_id
    ) as p;
    if v_place.run_id <> v_job.flow_run_id then
      perform private.join_debounced_run(v_job.flow_run_id, v_place.run_id, v_place.due_at);
      continue;
    end if;
    update private.flow_run_jobs as j
    set queue_key_id = v_place.queue_key_id, state = v_place.state, due_at = v_place.due_at
    where j.flow_run_id = v_job.flow_run_id;
    v_is_told := v_is_told or v_place.state = 'ready';
  end loop;
  if v_is_told then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_queue_place (
  deployment_id uuid,
  queue         jsonb,
  inputs        jsonb,
  starter       text,
  is_limited    boolean,
  is_redrive    boolean,
  token_run_id  uuid,
  INOUT         run_id uuid,
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
  v_debounce constant interval := case
    when not take_queue_place.is_redrive
      then make_interval(secs => (take_queue_place.queue -> 'debounce_seconds')::double precision)
  end;
  v_now timestamptz;
  v_key private.queue_keys;
  v_joined_run_id uuid;
begin
  loop
    select k.* into v_key from private.queue_keys as k
    where k.deployment_id = take_queue_place.deployment_id and k.key_hash = v_hash
    for no key update;
    -- The time is read after the lock, because the start may have waited for it.
    v_now := clock_timestamp();
    state := 'ready';
    due_at := null;
    if v_debounce is not null then
      state := 'sleeping';
      due_at := v_now + v_debounce;
      -- A guest shows only a public key, which proves nothing. So a guest joins the run whose token the request carries.
      v_joined_run_id := case
        when take_queue_place.starter like 'key:%' then take_queue_place.token_run_id else v_key.debounced_run_id
      end;
      if private.lock_debounced_run(v_joined_run_id, v_key.id) then
        run_id := v_joined_run_id;
        queue_key_id := v_key.id;
        due_at := least(due_at, private.uuid_v7_time(run_id) + make_interval(
          secs => (take_queue_place.queue -> 'debounce_max_seconds')::double precision
        ));
        return;
      end if;
      v_key.debounced_run_id := run_id;
    end if;
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
        next_start_at = v_key.next_start_at, debounced_run_id = v_key.debounced_run_id
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
    -- Starts that would insert the same key wait for each other here. Because of this lock, private.lock_queue_key can
    -- find out whether it would have to wait.
    perform pg_advisory_xact_lock(private.queue_key_lock(take_queue_place.deployment_id, v_hash));
    insert into private.queue_keys as k (
      deployment_id, key_hash, pending, running, max_running, next_start_at, debounced_run_id
    ) values (
      take_queue_place.deployment_id, v_hash, v_key.pending, v_key.running, v_max_running, v_key.next_start_at,
      v_key.debounced_run_id
    )
    on conflict on constraint queue_keys_deployment_id_key_hash_key do nothing
    returning k.id into queue_key_id;
    if queue_key_id is not null then
      return;
    end if;
  end loop;
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
  if new.debounce_seconds not between 1 and private.limit_key_period_seconds() then
    perform private.refuse_setting('debounce_seconds', format(
      'must be an integer from 1 to %s, or null', private.limit_key_period_seconds()
    ));
  end if;
  if new.debounce_seconds is not null and (new.max_starts_per_key is not null or new.queue_key_shared) then
    perform private.refuse_setting('debounce_seconds', 'must be null if max_starts_per_key or queue_key_shared is set');
  end if;
  if new.debounce_max_seconds not between new.debounce_seconds and private.limit_key_period_seconds()
    or new.debounce_max_seconds is not null and new.debounce_seconds is null
  then
    perform private.refuse_setting('debounce_max_seconds', format(
      'must be an integer from debounce_seconds to %s, or null', private.limit_key_period_seconds()
    ));
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

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_debounce_max_seconds_has_debounce" CHECK (((debounce_max_seconds IS NULL) OR (debounce_seconds IS NOT NULL)));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_debounce_seconds_alone" CHECK (((debounce_seconds IS NULL) OR ((max_starts_per_key IS NULL) AND (NOT queue_key_shared))));

COMMENT ON COLUMN "private"."queue_keys"."debounced_run_id" IS 'The newest run whose inputs later starts of this key may replace, as long as its job sleeps before its first claim.';

COMMENT ON COLUMN "public"."flow_deployments"."debounce_max_seconds" IS 'A run begins at the latest so many seconds after its first start, even if debounce_seconds would postpone it further. Null: no bound.';

COMMENT ON COLUMN "public"."flow_deployments"."debounce_seconds" IS 'A run begins so many seconds after the newest start of its key. A start whose run has not begun replaces the inputs of that run instead of starting another one. Each caller has keys of its own. Null: runs begin at once.';

COMMENT ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, integer) IS 'Counts a start by a node, a webhook or a caller other than the owner for the limits (runs: 1, or 0 if it joins a run), and returns the shares for which it counts. Returns null for a node, which acts as the owner and counts only for the length of the queue. 429 queue_full, start_limit_reached. Definer, because no API role may access usage and queue.';

COMMENT ON FUNCTION "private"."count_start"(public.flow_deployments, text[], integer) IS 'Counts a start of so many new runs (1, or 0 if it joins a run) against the limits of the deployment, for the groups and the caller in `shares` (see private.start_shares). Called for starts by webhooks, and by callers other than the owner. 429 start_limit_reached if the start exceeds a limit. Definer, because no API role may access the usage.';

COMMENT ON FUNCTION "private"."join_debounced_run"(uuid, uuid, timestamp with time zone) IS 'Lets a new run join a run that sleeps before its first claim: the sleeping run gets all that comes from the start of the new run, and is due at due_at. Deletes the new run. Definer, because no API role may write runs.';

COMMENT ON FUNCTION "private"."limit_key_period_seconds"() IS 'Limit in s: `key_period_seconds`, `debounce_seconds` and `debounce_max_seconds` of a deployment.';

COMMENT ON FUNCTION "private"."lock_debounced_run"(uuid, bigint) IS 'Locks the job of a run that sleeps before its first claim. False if it does not, belongs to another key, or another transaction has locked it, because its time has come or it is stopped. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean, boolean, uuid, uuid) IS 'Counts a new run for its key, and returns the key, and the state and due_at of the run''s job. If the start is debounced, may return the sleeping run that the start joins, and its new due_at, instead. Locks the key until the transaction ends. 400 inputs_invalid; 429 queue_full. Definer, because no API role may access keys.';

REVOKE ALL ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_start"(public.flow_deployments, text[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(public.flow_deployments, text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(public.flow_deployments, text[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."join_debounced_run"(uuid, uuid, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."join_debounced_run"(uuid, uuid, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."join_debounced_run"(uuid, uuid, timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_debounced_run"(uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_debounced_run"(uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_debounced_run"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean, boolean, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean, boolean, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_queue_place"(uuid, jsonb, jsonb, text, boolean, boolean, uuid, uuid) TO "postgres";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_debounce_max_seconds_range" CHECK (((debounce_max_seconds >= debounce_seconds) AND (debounce_max_seconds <= private.limit_key_period_seconds())));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_debounce_seconds_range" CHECK (((debounce_seconds >= 1) AND (debounce_seconds <= private.limit_key_period_seconds())));
