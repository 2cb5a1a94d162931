SET local check_function_bodies = off;

CREATE TABLE "private"."model_day_tokens" (
  "deployment_id" uuid   NOT NULL,
  "day"           date   NOT NULL,
  "tokens"        bigint NOT NULL,
  CONSTRAINT "model_day_tokens_pkey" PRIMARY KEY (deployment_id),
  CONSTRAINT "model_day_tokens_tokens_natural" CHECK ((tokens >= 0))
);

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "model_limits" jsonb;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "usage" jsonb NOT NULL DEFAULT '{}'::jsonb;

CREATE OR REPLACE FUNCTION private.begin_model_call (
  claim jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (begin_model_call.claim ->> 'flow_run_id')::uuid, (begin_model_call.claim ->> 'claim_number')::integer
  );
begin
  return jsonb_build_object('usage', v_run.usage, 'fault', (
    select private.model_limit_fault(j.settings -> 'model_limits', v_run)
    from private.flow_run_jobs as j
    where j.flow_run_id = v_run.id and j.state <> 'ended' and j.settings -> 'model_limits' is not null
  ));
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
               'model_limits_invalid'::text,
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
             WHEN (code = ANY (ARRAY['flow_invalid'::text, 'connection_test_failed'::text, 'document_unreadable'::text])) THEN 422
             WHEN (code = ANY (ARRAY['too_many_requests'::text, 'queue_full'::text, 'start_limit_reached'::text, 'action_lookups_limit'::text])) THEN 429
             WHEN (code = 'internal'::text) THEN 500
             WHEN (code = 'service_unavailable'::text) THEN 503
             ELSE NULL::integer
         END
  AS "case";
END;

CREATE OR REPLACE FUNCTION private.flow_run_stats (
  flow       integer,
  deployment uuid,
  since      timestamp with time zone
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  AS $function$
declare
  v_user_id uuid := private.require_user();
  -- Reading this many runs takes less than 50 ms, whatever the size of the table.
  v_max_runs constant integer := 5000;
  v_since_id uuid;
  v_stats jsonb;
begin
  perform private.check_run_period(flow_run_stats.flow, flow_run_stats.deployment, flow_run_stats.since);
  perform private.check_own_target(v_user_id, flow_run_stats.flow, flow_run_stats.deployment);
  -- The id of a run begins with the time of its creation, so `since` gives a lower bound of the ids.
  v_since_id := private.first_uuid_v7(flow_run_stats.since);

  with looked_at as materialized (
    select r.created_at, r.status,
      (extract(epoch from r.end_time - r.start_time) * 1000)::double precision as duration_ms, r.error_code, r.usage
    from (
      (
        select f.created_at, f.status, f.start_time, f.end_time, f.error_code, f.usage from public.flow_run as f
        where f.flow_id = flow_run_stats.flow and f.id >= v_since_id
        order by f.id desc limit case when flow_run_stats.flow is null then 0 else v_max_runs + 1 end
      )
      union all
      (
        select d.created_at, d.status, d.start_time, d.end_time, d.error_code, d.usage from public.flow_run as d
        where d.deployment_id = flow_run_stats.deployment and d.id >= v_since_id
        order by d.id desc limit case when flow_run_stats.deployment is null then 0 else v_max_runs + 1 end
      )
    ) as r
  ), counted as (
    select l.* from looked_at as l order by l.created_at desc limit v_max_runs
  )
  select jsonb_build_object(
    'since', case
      when (select count(*) from looked_at) > v_max_runs then (select min(c.created_at) from counted as c)
      else flow_run_stats.since
    end,
    'is_complete', (select count(*) from looked_at) <= v_max_runs,
    'runs', (select count(*) from counted),
    'by_status', (
      select jsonb_object_agg(known.status, coalesce(s.count, 0))
      from unnest('{queued,running,waiting,succeeded,failed,stopped}'::text[]) as known (status)
      left join (select c.status, count(*) as count from counted as c group by c.status) as s using (status)
    ),
    'duration_ms', (
      select jsonb_build_object(
        'p50', round(percentile_cont(0.5) within group (order by c.duration_ms)),
        'p95', round(percentile_cont(0.95) within group (order by c.duration_ms))
      ) from counted as c where c.duration_ms is not null
    ),
    'failures', (
      select coalesce(
        jsonb_agg(jsonb_build_object('code', f.code, 'count', f.count) order by f.count desc, f.code), '[]'
      )
      from (
        select c.error_code as code, count(*) as count
        from counted as c where c.status = 'failed'
        group by c.error_code order by count(*) desc, c.error_code limit 20
      ) as f
    ),
    'usage', (
      select coalesce(jsonb_object_agg(u.model, u.sums), '{}')
      from (
        select m.key as model, jsonb_build_object(
          'requests', sum((m.value ->> 'requests')::bigint),
          'input_tokens', sum((m.value ->> 'input_tokens')::bigint),
          'output_tokens', sum((m.value ->> 'output_tokens')::bigint)
        ) as sums
        from counted as c cross join lateral jsonb_each(c.usage) as m
        where c.usage <> '{}'
        group by m.key
      ) as u
    )
  ) into v_stats;
  return v_stats;
end;
$function$;

CREATE OR REPLACE FUNCTION private.grant_runner (
  worker regrole
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_function regprocedure;
begin
  execute format('grant usage on schema public, private to %s', grant_runner.worker);
  for v_function in
    select p.oid from pg_catalog.pg_proc as p
    where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and p.proname in (
      'await_claimable_runs', 'claim_flow_runs', 'heartbeat_flow_runs', 'flow_run_history', 'flow_run_history_page',
      'checkpoint_flow_run', 'release_flow_run', 'suspend_flow_run', 'take_api_inputs', 'store_transaction',
      'finish_flow_run', 'finish_flow_runs', 'read_wallet_secret', 'kv_create_store', 'kv_delete_store', 'kv_read_item',
      'kv_write_item', 'make_claim_token', 'primary_key_columns', 'has_due_webhook', 'claim_webhook_deliveries', 'store_webhook_attempt',
      'read_claimed_connection', 'begin_token_refresh',
      'end_token_refresh', 'expire_connection_token', 'begin_model_call', 'store_model_usage'
    )
  loop
    execute format('grant execute on function %s to %s', v_function, grant_runner.worker);
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.greater_usage (
  stored jsonb,
  told   jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
   COALESCE(jsonb_object_agg(m.model, jsonb_build_object('requests', GREATEST((((greater_usage.stored -> m.model) ->> 'requests'::text))::bigint, (((greater_usage.told -> m.model)
   ->> 'requests'::text))::bigint),
   'input_tokens',
   GREATEST((((greater_usage.stored -> m.model) ->> 'input_tokens'::text))::bigint, (((greater_usage.told -> m.model) ->> 'input_tokens'::text))::bigint),
   'output_tokens',
   GREATEST((((greater_usage.stored -> m.model) ->> 'output_tokens'::text))::bigint, (((greater_usage.told -> m.model) ->> 'output_tokens'::text))::bigint))), '{}'::jsonb)
  AS "coalesce"
    FROM ( SELECT jsonb_object_keys(greater_usage.stored) AS model
         UNION
          SELECT jsonb_object_keys(greater_usage.told) AS jsonb_object_keys) m;
END;

CREATE OR REPLACE FUNCTION private.model_limit_fault (
  limits jsonb,
  run    public.flow_run
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_tokens bigint := private.model_tokens(model_limit_fault.run.usage);
  v_day_tokens bigint;
begin
  if v_run_tokens >= (model_limit_fault.limits ->> 'run_tokens')::bigint then
    return format('the run has used %s tokens, and run_tokens of its deployment is %s', v_run_tokens,
      model_limit_fault.limits ->> 'run_tokens');
  end if;
  if model_limit_fault.limits ->> 'day_tokens' is null then
    return null;
  end if;
  select m.tokens into v_day_tokens from private.model_day_tokens as m
  where m.deployment_id = model_limit_fault.run.deployment_id
    and m.day = (clock_timestamp() at time zone 'UTC')::date;
  if v_day_tokens >= (model_limit_fault.limits ->> 'day_tokens')::bigint then
    return format('the runs of the deployment have used %s tokens today (UTC), and day_tokens is %s', v_day_tokens,
      model_limit_fault.limits ->> 'day_tokens');
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.model_limits_faults (
  model_limits jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(model_limits_faults.model_limits) is distinct from 'object' then
    return '[{"path": "model_limits", "message": "must be an object {run_tokens, day_tokens}, or null"}]';
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('path', 'model_limits.' || fault.member, 'message', fault.message)), '[]'
    )
    from (
      select m.name, 'must be an integer from 1 to 2^53-1'
      from jsonb_each(model_limits_faults.model_limits) as m (name, value)
      where m.name in ('run_tokens', 'day_tokens') and case
        when jsonb_typeof(m.value) <> 'number' then true
        else m.value::numeric <> trunc(m.value::numeric) or m.value::numeric not between 1 and 9007199254740991
      end
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are run_tokens and day_tokens'
        from jsonb_object_keys(model_limits_faults.model_limits) as m (name)
        where m.name not in ('run_tokens', 'day_tokens') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.model_tokens (
  usage jsonb
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT (COALESCE(sum((((m.value ->> 'input_tokens'::text))::bigint + ((m.value ->> 'output_tokens'::text))::bigint)), (0)::numeric))::bigint
  AS "coalesce"
    FROM jsonb_each(model_tokens.usage) m(key, value);
END;

CREATE OR REPLACE FUNCTION private.run_error_codes()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ARRAY['bad_config'::text,
   'connection_missing'::text,
   'connection_token_failed'::text,
   'connection_unreadable'::text,
   'connection_url_refused'::text,
   'definition_invalid'::text,
   'effect_already_done'::text,
   'expression_failed'::text,
   'input_address_unknown'::text,
   'input_cancelled'::text,
   'input_expired'::text,
   'kv_key_invalid'::text,
   'kv_size_limit'::text,
   'kv_store_exists'::text,
   'kv_store_name_invalid'::text,
   'kv_store_not_found'::text,
   'kv_stores_limit'::text,
   'kv_value_invalid'::text,
   'model_answer_invalid'::text,
   'model_call_too_long'::text,
   'model_limit_reached'::text,
   'node_cpu_limit'::text,
   'node_executions_limit'::text,
   'node_not_implemented'::text,
   'node_timeout'::text,
   'open_nodes_limit'::text,
   'outcome_unknown'::text,
   'output_too_large'::text,
   'project_address_unknown'::text,
   'quota_exceeded'::text,
   'run_outputs_limit'::text, 'run_size_limit'::text, 'run_time_limit'::text, 'storage_denied'::text, 'storage_not_configured'::text, 'value_missing'::text, 'worker_lost'::text]
  AS "array";
END;

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
    when run_settings.deployment.model_limits is null then '{}'
    -- Only runs with limits have this member, because each update of a job writes its settings again.
    else jsonb_build_object('model_limits', run_settings.deployment.model_limits)
  end || case
    when num_nonnulls(
      run_settings.deployment.max_running_per_key, run_settings.deployment.max_starts_per_key,
      run_settings.deployment.debounce_seconds
    ) = 0 then '{}'
    -- As above.
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

CREATE OR REPLACE FUNCTION private.store_model_usage (
  claim jsonb,
  usage jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (store_model_usage.claim ->> 'flow_run_id')::uuid, (store_model_usage.claim ->> 'claim_number')::integer
  );
  v_usage constant jsonb := private.greater_usage(v_run.usage, store_model_usage.usage);
  v_new_tokens constant bigint := private.model_tokens(v_usage) - private.model_tokens(v_run.usage);
begin
  update public.flow_run as r set usage = v_usage where r.id = v_run.id and r.usage <> v_usage;
  -- The deployment may have been deleted.
  insert into private.model_day_tokens as m (deployment_id, day, tokens)
  select d.id, (clock_timestamp() at time zone 'UTC')::date, v_new_tokens
  from public.flow_deployments as d where d.id = v_run.deployment_id and v_new_tokens > 0
  on conflict on constraint model_day_tokens_pkey do update
  set day = excluded.day, tokens = excluded.tokens + case when m.day = excluded.day then m.tokens else 0 end;
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
  perform private.check_setting_json('model_limits', new.model_limits);

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

  if new.model_limits is distinct from old.model_limits and new.model_limits is not null then
    perform private.refuse_faults('model_limits_invalid', private.model_limits_faults(new.model_limits));
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

CREATE OR REPLACE FUNCTION public.begin_model_call (
  claim jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.begin_model_call(claim);
$function$;

REVOKE ALL ON FUNCTION "public"."begin_model_call"(jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.store_model_usage (
  claim jsonb,
  usage jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.store_model_usage(claim, usage);
$function$;

REVOKE ALL ON FUNCTION "public"."store_model_usage"(jsonb, jsonb) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."model_day_tokens"
  ADD CONSTRAINT "model_day_tokens_deployment_id_fkey" FOREIGN KEY (deployment_id) REFERENCES public.flow_deployments(id) ON DELETE CASCADE;

COMMENT ON COLUMN "public"."flow_deployments"."model_limits" IS 'The most tokens of models, {run_tokens, day_tokens}: of one run with its called runs, and of all runs on one day (UTC). A call of a model that begins below a limit may exceed it. Both members are optional; null: no limits. A run keeps the limits that were set when it started.';

COMMENT ON COLUMN "public"."flow_run"."usage" IS 'What the models cost that the run and its called runs have asked: {"<model>": {requests, input_tokens, output_tokens}}. {} for a called run. A request whose worker was lost is not counted.';

COMMENT ON FUNCTION "private"."begin_model_call"(jsonb) IS 'Implements public.begin_model_call. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."greater_usage"(jsonb, jsonb) IS 'Joins two reports of the usage of one run. Numbers of a run only grow, so the greater number is the newer one.';

COMMENT ON FUNCTION "private"."model_limit_fault"(jsonb, public.flow_run) IS 'Tells which of the model_limits of its deployment a run has reached; null if none. Definer, because no API role may access the tokens of a day.';

COMMENT ON FUNCTION "private"."model_limits_faults"(jsonb) IS 'The faults of a deployment''s model_limits, by member.';

COMMENT ON FUNCTION "private"."model_tokens"(jsonb) IS 'The tokens of flow_run.usage, of all models together.';

COMMENT ON FUNCTION "private"."run_settings"(public.flow_deployments) IS 'The settings of the runs of a deployment: {output_instructions, action_identity, fees, chain_network, on_end, connections}, model_limits if it has any, and queue if it has limits by key. chain_network contains the RPC address, which may contain a secret.';

COMMENT ON FUNCTION "private"."store_model_usage"(jsonb, jsonb) IS 'Implements public.store_model_usage. Definer, because no API role may write runs.';

COMMENT ON FUNCTION "public"."begin_model_call"(jsonb) IS 'For the runner, before each call of a model: the stored usage of the run of the claim, {flow_run_id, claim_number}, and a fault if the run has reached a limit: {usage, fault}. 409 claim_lost.';

COMMENT ON FUNCTION "public"."flow_run_stats"(integer, uuid, timestamp with time zone) IS 'Statistics of the runs of the caller''s flow, or of one deployment, since a time (default: 7 days ago): {since, is_complete, runs, by_status, duration_ms: {p50, p95}, failures: [{code, count}], usage}. 400 request_invalid; 401; 404 flow_not_found, deployment_not_found.';

COMMENT ON FUNCTION "public"."store_model_usage"(jsonb, jsonb) IS 'For the runner, after each call of a model: stores the usage of the whole run of the claim, {flow_run_id, claim_number}, so far. Storing the same usage twice changes nothing. 409 claim_lost.';

COMMENT ON TABLE "private"."model_day_tokens" IS 'The tokens that the runs of a deployment have used on the newest day (UTC) with a call of a model, for day_tokens of model_limits. Only functions read and write it.';

REVOKE ALL ON FUNCTION "private"."begin_model_call"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."begin_model_call"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."begin_model_call"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."begin_model_call"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."greater_usage"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."greater_usage"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."greater_usage"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."model_limit_fault"(jsonb, public.flow_run) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."model_limit_fault"(jsonb, public.flow_run) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."model_limit_fault"(jsonb, public.flow_run) TO "postgres";

REVOKE ALL ON FUNCTION "private"."model_limits_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."model_limits_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."model_limits_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."model_limits_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."model_limits_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."model_tokens"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."model_tokens"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."model_tokens"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_model_usage"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_model_usage"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_model_usage"(jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_model_usage"(jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."begin_model_call"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."begin_model_call"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."begin_model_call"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."store_model_usage"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_model_usage"(jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_model_usage"(jsonb, jsonb) TO "service_role";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_model_limits_valid" CHECK (((model_limits IS NULL) OR (private.model_limits_faults(model_limits) = '[]'::jsonb)));
