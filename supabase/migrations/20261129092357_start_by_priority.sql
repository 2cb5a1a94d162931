SET local check_function_bodies = off;

DROP FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller);

DROP FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean);

DROP FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb);

DROP FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb);

DROP FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "priority" integer NOT NULL DEFAULT 0;

CREATE OR REPLACE FUNCTION private.check_priority (
  priority integer,
  is_owner boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if not check_priority.is_owner then
    perform private.fail('priority_invalid', 'Only the owner of the flow may start a run with a `priority`.',
      hint => 'Leave `priority` out.');
  elsif check_priority.priority not between -private.limit_priority_seconds() and private.limit_priority_seconds() then
    perform private.fail('priority_invalid', format(
      '`priority` must be a whole number of seconds from -%1$s to %1$s.', private.limit_priority_seconds()
    ));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claimable_since (
  job private.flow_run_jobs
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  STABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((job).state = 'ready'::private.job_state) THEN ((job).turn + make_interval(secs => ((job).priority)::double precision))
             ELSE (job).due_at
         END
  AS due_at;
END;

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

CREATE OR REPLACE FUNCTION private.limit_priority_seconds()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 3600;

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
      turn = case when j.state = 'held' then j.turn else j.due_at - make_interval(secs => j.priority) end,
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

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id             integer,
  inputs              jsonb,
  action_signer       text,
  idempotency_key     text,
  strict              boolean,
  "values"            jsonb,
  partial_config      jsonb,
  environment         jsonb,
  output_instructions boolean,
  priority            integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_flow public.flows;
  -- Stands for a deployment of the flow as it is now. This deployment is not stored, so it has no id.
  v_deployment public.flow_deployments;
  v_warnings jsonb;
begin
  v_caller.user_id := private.lock_user();
  -- The lock delays a deletion of the flow until the run is stored, so that the deletion also deletes the run. The lock
  -- does not prevent edits. So read the flow only once: its network and graph must come from the same edit.
  select f.* into v_flow from public.flows as f
    where f.id = start_flow.flow_id and f.user_id = v_caller.user_id for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  v_deployment.snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_deployment.snapshot_hash, v_flow, start_flow.strict);
  v_deployment.user_id := v_flow.user_id;
  v_deployment.entrypoint := v_flow.id;
  v_deployment.input_names := private.input_names(v_flow.nodes);
  v_deployment.chain_network := v_flow.chain_network;
  v_deployment.fees := '[]';
  v_deployment.output_instructions := start_flow.output_instructions;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_flow.inputs, '{}'), start_flow."values", start_flow.action_signer,
    start_flow.idempotency_key,
    jsonb_build_object(
      'flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer
    ) || (
      select coalesce(jsonb_object_agg(o.name, o.value), '{}')
      from (values
        ('values', start_flow."values"), ('partial_config', start_flow.partial_config),
        ('environment', start_flow.environment), ('output_instructions', to_jsonb(start_flow.output_instructions)),
        ('priority', to_jsonb(start_flow.priority))
      ) as o (name, value)
      where o.value is not null
    ),
    flow => v_flow, priority => start_flow.priority
  ) || jsonb_build_object('warnings', v_warnings);
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_job_progress (
  flow_run_id uuid,
  progress    jsonb,
  next_state  private.job_state,
  seconds     integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    state = store_job_progress.next_state,
    due_at = case
      when store_job_progress.next_state <> 'ready'
        then clock_timestamp() + make_interval(secs => store_job_progress.seconds)
    end,
    -- The next turn of a released run comes after the other runs of its owner, including new runs. In this way, a long
    -- run takes turns with new runs.
    turn = case
      when store_job_progress.next_state = 'held' then j.turn else clock_timestamp() - make_interval(secs => j.priority)
    end,
    -- If a node has ended, the run makes progress, so the count of lost workers begins again. A worker that releases
    -- the run was not lost, either. Perhaps another run crashed the earlier workers. Without the reset, this run would
    -- stay a suspect, and would be executed alone after every release.
    lost_claim_count = case
      when store_job_progress.next_state <> 'held'
        or jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0
      else j.lost_claim_count
    end
  -- A checkpoint may arrive after the release, and a release may be repeated. Both must change nothing.
  where j.flow_run_id = store_job_progress.flow_run_id and j.state in ('held', 'lost');
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.wake_flow_run (
  flow_run_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_is_told boolean;
begin
  update private.flow_run_jobs as j
  set state = 'ready', due_at = null, turn = clock_timestamp() - make_interval(secs => j.priority)
  where j.flow_run_id = wake_flow_run.flow_run_id and j.state in ('sleeping', 'waiting');
  if found then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION public.start_deployment (
  id              uuid    DEFAULT NULL::uuid,
  flow            integer DEFAULT NULL::integer,
  tag             text    DEFAULT NULL::text,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  public_key      text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text,
  "values"        jsonb   DEFAULT NULL::jsonb,
  priority        integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE sql
BEGIN ATOMIC
 SELECT private.start_deployment(id, flow, TAG, inputs, action_signer, public_key, idempotency_key, "values", priority)
  AS start_deployment;
END;

CREATE OR REPLACE FUNCTION public.start_flow (
  flow_id             integer,
  inputs              jsonb   DEFAULT NULL::jsonb,
  action_signer       text    DEFAULT NULL::text,
  idempotency_key     text    DEFAULT NULL::text,
  strict              boolean DEFAULT false,
  "values"            jsonb   DEFAULT NULL::jsonb,
  partial_config      jsonb   DEFAULT NULL::jsonb,
  environment         jsonb   DEFAULT NULL::jsonb,
  output_instructions boolean DEFAULT NULL::boolean,
  priority            integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.start_flow(
    flow_id, inputs, action_signer, idempotency_key, strict, "values", partial_config, environment, output_instructions,
    priority
  );
end;
$function$;

COMMENT ON COLUMN "private"."flow_run_jobs"."priority" IS 'The seconds that are subtracted from each turn of the run. Only the owner''s start can set it.';

COMMENT ON COLUMN "private"."flow_run_jobs"."turn" IS 'The time at which the run was queued (started, released, woken, or due after its sleep), less the priority. An owner''s runs are claimed in this order. A lost run keeps its turn, so it is claimed before the runs that were queued later.';

COMMENT ON FUNCTION "private"."check_priority"(integer, boolean) IS 'Refuses the priority of a start if the caller is not the owner, or if it is out of range: 400 priority_invalid.';

COMMENT ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller, integer) IS
  'Stores and queues a run of the deployment: {flow_run_id, token}. Does not check permission; callers must. Definer, because no API role may insert runs.';

COMMENT ON FUNCTION "private"."limit_priority_seconds"() IS 'Limit in s: `priority` of a start, which may also be negative.';

COMMENT ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) IS 'Implements public.start_deployment. Definer, because it reads other users'' deployments, as their start_permission allows, and inserts the run.';

COMMENT ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) IS 'Implements public.start_flow. Definer, because no API role may insert snapshots or runs.';

COMMENT ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) IS 'Starts the deployment named by id, or by flow and tag (default latest): {flow_run_id, token}. inputs are tagged values, values are plain JSON. 400; 401; 404 deployment_not_found, also for a deployment that the caller may not start; 409; 413; 429.';

COMMENT ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) IS 'Starts the caller''s flow as it is now, without a deployment: {flow_run_id, token, warnings}. inputs, values and priority are as in start_deployment, warnings and strict as in deploy_flow. 400 environment_invalid; 404 flow_not_found; 422 flow_invalid; others as in start_deployment and private.partial_setting.';

REVOKE ALL ON FUNCTION "private"."check_priority"(integer, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_priority"(integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_priority"(integer, boolean) TO "postgres";

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller, integer)
  FROM PUBLIC;

REVOKE ALL
  ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller, integer)
  FROM "postgres";

GRANT EXECUTE
  ON FUNCTION "private"."enqueue_run"(public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller, integer)
  TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_priority_seconds"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_priority_seconds"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_priority_seconds"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_priority_seconds"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_priority_seconds"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) TO "service_role";
