SET local check_function_bodies = off;

DROP FUNCTION "private"."starter_kind"(uuid, uuid, uuid, text);

CREATE SEQUENCE "private"."row_start_pokes" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE TABLE "public"."flow_row_starts" (
  "user_id"         uuid                     NOT NULL,
  "flow"            integer                  NOT NULL,
  "tag"             text                     NOT NULL,
  "input"           text                     NOT NULL,
  "schema_name"     text                     NOT NULL,
  "table_name"      text                     NOT NULL,
  "events"          text[]                   NOT NULL,
  "columns"         text[],
  "per"             text                     NOT NULL,
  "on_refusal"      text                     NOT NULL,
  "is_active"       boolean                  NOT NULL DEFAULT true,
  "refused"         integer                  NOT NULL DEFAULT 0,
  "last_error"      text,
  "last_refused_at" timestamp with time zone,
  "created_at"      timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"      timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "flow_row_starts_last_error_length" CHECK ((char_length(last_error) <= 2200)),
  "id"              uuid                     NOT NULL DEFAULT private.uuid_v7(),
  CONSTRAINT "flow_row_starts_pkey" PRIMARY KEY (id),
  CONSTRAINT "flow_row_starts_columns_with_updates"
    CHECK
    (((columns IS NULL) OR (('update'::text = ANY (events)) AND ((cardinality(columns) >= 1) AND (cardinality(columns) <= 100))) OR private.refuse_column('columns'::text,
    'must be a list of columns, and events must contain update'::text))),
  CONSTRAINT "flow_row_starts_events_known"
    CHECK
    ((((events <@ '{insert,update,delete}'::text[]) AND ((cardinality(events) >= 1) AND (cardinality(events) <= 3))) OR private.refuse_column('events'::text,
    'must be a list of insert, update and delete'::text))),
  CONSTRAINT "flow_row_starts_input_length"
    CHECK
    (((char_length(input) <= private.limit_port_name_characters()) OR private.refuse_column('input'::text, format('must be the name of an input, at most %s characters'::text,
    private.limit_port_name_characters())))),
  CONSTRAINT "flow_row_starts_on_refusal_known"
    CHECK (((on_refusal = ANY (ARRAY['record'::text, 'abort'::text])) OR private.refuse_column('on_refusal'::text, 'must be record or abort'::text))),
  CONSTRAINT "flow_row_starts_per_known" CHECK (((per = ANY (ARRAY['row'::text, 'statement'::text])) OR private.refuse_column('per'::text, 'must be row or statement'::text))),
  CONSTRAINT "flow_row_starts_tag_form" CHECK (private.check_tag(tag))
);

ALTER TABLE "public"."flow_row_starts"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flow_row_starts" FROM "anon";

ALTER TABLE "public"."flow_run"
  ADD COLUMN "row_start_id" uuid;

ALTER TYPE "private"."caller" ADD ATTRIBUTE "row_start_id" uuid CASCADE;

CREATE OR REPLACE FUNCTION private.check_changed_columns (
  "table" regclass,
  events  text[],
  per     text,
  columns text[]
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_missing text;
begin
  select c.name into v_missing from unnest(check_changed_columns.columns) as c (name)
  where not exists (
    select from pg_catalog.pg_attribute as a
    where a.attrelid = check_changed_columns."table" and a.attname = c.name and a.attnum > 0 and not a.attisdropped
  )
  limit 1;
  if found then
    perform private.fail('row_start_invalid',
      format('columns: %s has no column %s.', check_changed_columns."table", to_json(v_missing)));
  end if;
  if 'update' = any (check_changed_columns.events)
    and (check_changed_columns.per = 'row' or check_changed_columns.columns is not null)
    and not exists (
      select from pg_catalog.pg_index as i where i.indrelid = check_changed_columns."table" and i.indisprimary
    )
  then
    perform private.fail('row_start_invalid',
      format('table: %s has no primary key, by which the old row of an update is found.',
        check_changed_columns."table"),
      hint => 'Add a primary key, or use per => ''statement'' without columns.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_run_filter (
  filter private.run_filter
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_most constant integer := private.limit_run_search_characters();
begin
  if char_length((check_run_filter.filter).search) not between 1 and v_most then
    perform private.fail('request_invalid', format('search: must have 1 to %s characters.', v_most));
  end if;
  if (check_run_filter.filter).status not in ('queued', 'running', 'waiting', 'succeeded', 'failed', 'stopped') then
    perform private.fail('request_invalid',
      'status: must be queued, running, waiting, succeeded, failed or stopped.');
  end if;
  if (check_run_filter.filter).starter not in ('schedule', 'webhook', 'row_start', 'flow', 'user', 'key') then
    perform private.fail('request_invalid', 'starter: must be schedule, webhook, row_start, flow, user or key.');
  end if;
  if (check_run_filter.filter).since not between 'epoch' and '2200-01-01'
    or (check_run_filter.filter).until not between 'epoch' and '2200-01-01'
  then
    perform private.fail('request_invalid', 'since, until: must be times between 1970 and 2200.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_table_of_row_start (
  "table" regclass
)
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_owner oid;
  v_kind "char";
  -- The owner of the trigger function. The trigger function executes with the rights of this role.
  v_definer constant oid := (
    select p.proowner from pg_catalog.pg_proc as p where p.oid = 'private.tg_rows__start_flow()'::regprocedure
  );
begin
  select c.relowner, c.relkind into v_owner, v_kind
  from pg_catalog.pg_class as c where c.oid = check_table_of_row_start."table";
  if v_owner is null or v_kind not in ('r', 'p') then
    perform private.fail('row_start_invalid', format('table: %s is not a table.', check_table_of_row_start."table"));
  end if;
  if private.is_table_of_system(check_table_of_row_start."table") then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to this project, Auth, Storage or Postgres.', check_table_of_row_start."table"
    ), hint => 'Use a table of your own.');
  end if;
  if not pg_has_role(current_user, v_owner, 'USAGE') then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to %s, and %s does not have the rights of this role.',
      check_table_of_row_start."table", v_owner::regrole, quote_ident(current_user)
    ));
  end if;
  -- The trigger converts rows to JSON, and thereby calls a cast from a column's type to json, if the owner of the type
  -- has made one. The cast executes with the rights of the trigger function. So a table's owner who does not have
  -- these rights could gain them.
  if not pg_has_role(v_owner, v_definer, 'USAGE') then
    perform private.fail('row_start_invalid', format(
      'table: %s belongs to %s, who does not have the rights of %s.',
      check_table_of_row_start."table", v_owner::regrole, v_definer::regrole
    ), hint => format('alter table %s owner to %s;', check_table_of_row_start."table", v_definer::regrole));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deployment_of_row_start (
  row_start public.flow_row_starts
)
  RETURNS public.flow_deployments
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_deployment public.flow_deployments;
begin
  perform from auth.users as u
  where u.id = deployment_of_row_start.row_start.user_id and u.deleted_at is null
    and u.banned_until > now() is not true;
  if not found then
    perform private.fail('token_invalid', 'The owner of this flow has been deleted or banned.');
  end if;
  v_deployment := private.own_deployment(
    deployment_of_row_start.row_start.flow, deployment_of_row_start.row_start.tag, null
  );
  -- The writing transaction may hold locks for which a deletion of the owner waits, because rows of users are often
  -- deleted with their user. So do not wait for that deletion; treat the deployment as deleted.
  perform from public.flow_deployments as d where d.id = v_deployment.id for key share skip locked;
  if not found then
    perform private.refuse_missing_tag(
      deployment_of_row_start.row_start.flow, deployment_of_row_start.row_start.tag
    );
  end if;
  return v_deployment;
end;
$function$;

CREATE OR REPLACE FUNCTION private.drop_idle_row_triggers (
  "table" regclass
)
  RETURNS integer
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_names text[] := array(
    select t.tgname from pg_catalog.pg_trigger as t
    where t.tgrelid = drop_idle_row_triggers."table" and t.tgfoid = 'private.tg_rows__start_flow()'::regprocedure
      and not t.tgisinternal
      and not exists (
        select from public.flow_row_starts as s where t.tgargs = convert_to(s.id::text, 'UTF8') || '\x00'
      )
  );
  v_name text;
begin
  foreach v_name in array v_names loop
    execute format('drop trigger %I on %s', v_name, drop_idle_row_triggers."table");
  end loop;
  return cardinality(v_names);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_row_starts_without_table()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.flow_row_starts as s
  set is_active = false, last_error = 'row_start_invalid: The table or its trigger was dropped.',
    last_refused_at = clock_timestamp()
  where s.id in (
    select free.id from public.flow_row_starts as free
    where free.is_active and not exists (
      select from pg_catalog.pg_trigger as t
      where t.tgfoid = 'private.tg_rows__start_flow()'::regprocedure
        and t.tgargs = convert_to(free.id::text, 'UTF8') || '\x00'
    )
    for no key update skip locked
  );
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

CREATE OR REPLACE FUNCTION private.error_line (
  state   text,
  message text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when error_line.state = 'PGRST'
      then concat(error_line.message::jsonb ->> 'code', ': ', error_line.message::jsonb ->> 'message')
    else concat('internal: ', error_line.state, ' ', private.shorten(error_line.message, 2000))
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

CREATE OR REPLACE FUNCTION private.find_flow_runs (
  filter private.run_filter,
  skip   integer,
  take   integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  AS $function$
declare
  v_user_id constant uuid := private.require_user();
  v_most constant integer := private.limit_runs_searched();
  v_most_taken constant integer := private.limit_runs_listed();
  v_from uuid;
  v_to uuid;
  v_runs jsonb;
  v_looked_at integer := 0;
begin
  perform private.check_run_filter(find_flow_runs.filter);
  if (find_flow_runs.take between 1 and v_most_taken and find_flow_runs.skip between 0 and v_most) is not true then
    perform private.fail('request_invalid',
      format('take: must be from 1 to %s; skip: from 0 to %s.', v_most_taken, v_most));
  end if;
  -- The id of a run begins with the time of its creation, so `since` and `until` give bounds of the ids.
  v_from := private.first_uuid_v7(coalesce((find_flow_runs.filter).since, 'epoch'));
  v_to := private.first_uuid_v7(coalesce((find_flow_runs.filter).until, '2200-01-01'));
  execute format(
    'select coalesce(jsonb_agg(to_jsonb(l)), ''[]'') from (
      select q.id, q.flow_id, q.deployment_id, q.schedule_id, q.webhook_id, q.row_start_id, q.status, q.user_id,
        q.started_by, q.started_by_public_key, q.started_by_run_id, q.created_at, q.start_time, q.end_time,
        private.starter_kind(
          q.schedule_id, q.webhook_id, q.row_start_id, q.started_by_run_id, q.started_by_public_key
        ) as starter,
        left(q.errors[1], 1000) as first_error
      from (%s) as q order by q.id desc limit $6 offset $7
    ) as l', private.run_query(find_flow_runs.filter)
  ) into v_runs
  using find_flow_runs.filter, v_user_id, v_from, v_to, v_most, find_flow_runs.take, find_flow_runs.skip;
  -- If the page is not full, the search is over. Count the runs that it read in each index, to find out whether it
  -- stopped at the limit. If the page is full, the next page continues the search.
  if jsonb_array_length(v_runs) < find_flow_runs.take then
    execute format(
      'select coalesce(max(n.runs), 0) from (select count(*) as runs from (%s) as q group by q.is_by_owner) as n',
      private.run_sources(find_flow_runs.filter)
    ) into v_looked_at
    using find_flow_runs.filter, v_user_id, v_from, v_to, v_most;
  end if;
  return jsonb_build_object('runs', v_runs, 'is_complete', v_looked_at < v_most);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_table_of_system (
  "table" regclass
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select n.nspname in ('private', 'auth', 'storage', 'pg_catalog', 'information_schema')
    or n.nspname = 'public' and c.relname in (
      'api_keys', 'connections', 'flow_deployments', 'flow_deployments_tags', 'flow_pins', 'flow_row_starts',
      'flow_run', 'flow_run_logs', 'flow_schedules', 'flow_versions', 'flow_webhooks', 'flows', 'kv_items',
      'kv_stores', 'node_run', 'nodes', 'pending_inputs', 'public_flows', 'signature_requests', 'wallets',
      'webhook_deliveries'
    )
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where c.oid = is_table_of_system."table";
$function$;

CREATE OR REPLACE FUNCTION private.limit_row_start_rows()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 10000;

CREATE OR REPLACE FUNCTION private.named_members (
  value jsonb,
  names text[]
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT jsonb_agg((named_members.value -> n.name))
  AS jsonb_agg
    FROM unnest(named_members.names) n(name);
END;

CREATE OR REPLACE FUNCTION private.note_row_refusal (
  row_start_id uuid,
  error        text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update public.flow_row_starts as s
  set refused = s.refused + 1, last_error = note_row_refusal.error, last_refused_at = clock_timestamp()
  where s.id = (
    select free.id from public.flow_row_starts as free
    where free.id = note_row_refusal.row_start_id for no key update skip locked
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.poke_runner_for_rows()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_now constant bigint := extract(epoch from clock_timestamp()) * 1000;
begin
  if v_now - (select p.last_value from private.row_start_pokes as p) >= 1000 then
    perform setval('private.row_start_pokes', v_now);
    perform private.poke_runner();
  end if;
exception when others then
  -- The start does not depend on the poke: pg_cron pokes the runner every 10 seconds.
  null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_query (
  filter private.run_filter
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
   concat_ws(' and '::text, format('select r.* from (select u.* from (%s) as u order by u.id desc offset 0) as r where (r.user_id = $2 or r.started_by = $2)'::text,
   private.run_sources(filter)), 'r.parent_flow_run_id is null',
         CASE
             WHEN (num_nonnulls((filter).deployment, (filter).schedule, (filter).webhook, (filter).flow) = 0) THEN '(r.is_by_owner or r.user_id <> $2)'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).flow IS NOT NULL) THEN 'r.flow_id = ($1).flow'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).schedule IS NOT NULL) THEN 'r.schedule_id = ($1).schedule'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).webhook IS NOT NULL) THEN 'r.webhook_id = ($1).webhook'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).status IS NOT NULL) THEN 'r.status = ($1).status'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).starter IS
               NOT NULL) THEN 'private.starter_kind(r.schedule_id, r.webhook_id, r.row_start_id, r.started_by_run_id, r.started_by_public_key) = ($1).starter'::text
             ELSE NULL::text
         END,
         CASE
             WHEN ((filter).search IS
               NOT NULL) THEN
               ((('(strpos(lower(array_to_string(r.errors, chr(10))), lower(($1).search)) > 0'::text || ' or starts_with(r.started_by_public_key, ($1).search)'::text) ||
             CASE
                 WHEN ((filter).search ~ '^[0-9A-Fa-f-]+$'::text) THEN
                   (((((' or starts_with(r.id::text, lower(($1).search))'::text || ' or starts_with(r.started_by::text, lower(($1).search))'::text) ||
                   ' or starts_with(r.schedule_id::text, lower(($1).search))'::text) || ' or starts_with(r.webhook_id::text, lower(($1).search))'::text) ||
                   ' or starts_with(r.row_start_id::text, lower(($1).search))'::text) || ' or starts_with(r.started_by_run_id::text, lower(($1).search))'::text)
                 ELSE ''::text
             END) || ')'::text)
             ELSE NULL::text
         END)
  AS concat_ws;
END;

CREATE OR REPLACE FUNCTION private.start_flow_on_rows (
  "table"    regclass,
  events     text[],
  flow       integer,
  tag        text,
  input      text,
  per        text     DEFAULT 'row'::text,
  columns    text[]   DEFAULT NULL::text[],
  on_refusal text     DEFAULT 'record'::text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_tag constant text := coalesce(start_flow_on_rows.tag, 'latest');
  v_user_id uuid;
  v_id uuid;
  v_event text;
begin
  perform private.check_table_of_row_start(start_flow_on_rows."table");
  select f.user_id into v_user_id from public.flows as f where f.id = start_flow_on_rows.flow for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  insert into public.flow_row_starts as s (
    user_id, flow, tag, input, schema_name, table_name, events, columns, per, on_refusal
  )
  select
    v_user_id, start_flow_on_rows.flow, v_tag, start_flow_on_rows.input, n.nspname, c.relname,
    array(select distinct e.event from unnest(start_flow_on_rows.events) as e (event)), start_flow_on_rows.columns,
    start_flow_on_rows.per, start_flow_on_rows.on_refusal
  from pg_catalog.pg_class as c join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  where c.oid = start_flow_on_rows."table"
  returning s.id, s.events into v_id, start_flow_on_rows.events;
  perform private.check_changed_columns(
    start_flow_on_rows."table", start_flow_on_rows.events, start_flow_on_rows.per, start_flow_on_rows.columns
  );
  perform private.check_input_names(
    jsonb_build_object(start_flow_on_rows.input, null),
    (private.own_deployment(start_flow_on_rows.flow, v_tag, null)).input_names
  );
  perform private.drop_idle_row_triggers(start_flow_on_rows."table");
  -- Postgres allows neither several events nor a list of columns in a trigger with transition tables.
  foreach v_event in array start_flow_on_rows.events loop
    execute format(
      'create trigger %I after %s on %s referencing %s for each statement execute function '
      'private.tg_rows__start_flow(%L)',
      format('start_flow_%s_%s', v_id, v_event), v_event, start_flow_on_rows."table",
      case v_event when 'insert' then 'new table as new_rows' when 'delete' then 'old table as old_rows'
        else 'old table as old_rows new table as new_rows' end,
      v_id
    );
  end loop;
  return v_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_row_runs (
  row_start  public.flow_row_starts,
  deployment public.flow_deployments,
  changes    jsonb[]
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_change jsonb;
  v_error text;
begin
  v_caller.user_id := start_row_runs.row_start.user_id;
  v_caller.row_start_id := start_row_runs.row_start.id;
  begin
    foreach v_change in array start_row_runs.changes loop
      perform private.enqueue_run(
        start_row_runs.deployment, v_caller, '{}',
        jsonb_build_object(start_row_runs.row_start.input, v_change), null, null, null
      );
    end loop;
    return null;
  exception when others then
    if start_row_runs.row_start.on_refusal = 'abort' then
      raise;
    end if;
    v_error := private.error_line(sqlstate, sqlerrm);
  end;
  -- All starts above are undone. One of them was refused, so make each of them again in a subtransaction of its own.
  -- Thousands of subtransactions slow down all readers of the database, so try without them first.
  if cardinality(start_row_runs.changes) > 1 then
    foreach v_change in array start_row_runs.changes loop
      v_error := coalesce(
        private.start_row_runs(start_row_runs.row_start, start_row_runs.deployment, array[v_change]), v_error
      );
    end loop;
  end if;
  return v_error;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_schedule (
  schedule public.flow_schedules,
  now      timestamp with time zone
)
  RETURNS private.schedule_outcome
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_target record;
  v_caller private.caller;
  v_made private.schedule_outcome;
begin
  v_made.schedule_id := start_schedule.schedule.id;
  if start_schedule.schedule.policy = 'skip'
    and start_schedule.schedule.next_start_at < start_schedule.now - interval '1 minute'
  then
    v_made.outcome := 'skipped';
    v_made.error := format('schedule_skipped: The start planned for %s was more than a minute late.',
      to_char(start_schedule.schedule.next_start_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'));
    return v_made;
  end if;
  begin
    v_target := private.schedule_deployment(start_schedule.schedule);
    if v_target.is_busy then
      v_made.outcome := 'busy';
      return v_made;
    end if;
    v_caller.user_id := start_schedule.schedule.user_id;
    v_made.run_id := private.enqueue_run(
      v_target.deployment, v_caller, start_schedule.schedule.inputs,
      nullif(start_schedule.schedule."values", '{}'), null, null, null,
      start_schedule.schedule.id
    ) ->> 'flow_run_id';
    v_made.outcome := 'started';
  exception
    when others then
      v_made.outcome := 'refused';
      v_made.error := private.error_line(sqlstate, sqlerrm);
  end;
  return v_made;
end;
$function$;

CREATE OR REPLACE FUNCTION private.starter_kind (
  schedule_id           uuid,
  webhook_id            uuid,
  row_start_id          uuid,
  started_by_run_id     uuid,
  started_by_public_key text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN (schedule_id IS NOT NULL) THEN 'schedule'::text
             WHEN (webhook_id IS NOT NULL) THEN 'webhook'::text
             WHEN (row_start_id IS NOT NULL) THEN 'row_start'::text
             WHEN (started_by_run_id IS NOT NULL) THEN 'flow'::text
             WHEN (started_by_public_key IS NOT NULL) THEN 'key'::text
             ELSE 'user'::text
         END
  AS "case";
END;

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
  perform private.end_row_starts_without_table();
  -- This step comes last, because a start that needs one of these snapshots waits until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    -- There are no messages any more. The member stays for callers of the former release.
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', 0, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_snapshots, v_idle_shares, v_queue_keys)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_row_starts__before_update_read_only()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if to_jsonb(new) - 'is_active' is distinct from to_jsonb(old) - 'is_active' then
    perform private.fail('column_read_only', 'Of a row start, only is_active can be changed.',
      hint => 'Leave the other columns out. To change them, the owner of the table makes another row start.');
  end if;
  new.updated_at := now();
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_rows__start_flow()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
-- The table may have columns with the names of these variables.
#variable_conflict use_variable
declare
  v_start public.flow_row_starts;
  v_most constant integer := private.limit_row_start_rows();
  v_count bigint;
  v_key text[];
  v_rows jsonb[];
  v_change jsonb;
  v_error text;
begin
  select s.* into v_start from public.flow_row_starts as s where s.id = tg_argv[0]::uuid and s.is_active;
  if not found then
    return null;
  end if;
  begin
    if tg_op = 'INSERT' then
      v_count := (select count(*) from (select from new_rows limit v_most + 1) as r);
    else
      v_count := (select count(*) from (select from old_rows limit v_most + 1) as r);
    end if;
    if v_count = 0 then
      return null;
    elsif v_count > v_most then
      perform private.fail('row_start_invalid', format('The statement changes more than %s rows.', v_most));
    end if;
    case tg_op
      when 'INSERT' then
        v_rows := array(select jsonb_build_object('row', to_jsonb(n.*), 'old_row', null) from new_rows as n);
      when 'DELETE' then
        v_rows := array(select jsonb_build_object('row', null, 'old_row', to_jsonb(o.*)) from old_rows as o);
      when 'UPDATE' then
        perform private.check_changed_columns(tg_relid, '{update}', v_start.per, v_start.columns);
        v_key := public.primary_key_columns(tg_table_name, tg_table_schema);
        v_rows := array(
          select jsonb_build_object('row', n.row, 'old_row', o.row)
          from (select to_jsonb(r.*) as row, row_number() over () as place from new_rows as r) as n
          left join (select to_jsonb(r.*) as row from old_rows as r) as o
            on private.named_members(n.row, v_key) = private.named_members(o.row, v_key)
          where v_start.columns is null or private.named_members(n.row, v_start.columns)
            is distinct from private.named_members(o.row, v_start.columns)
          order by n.place
        );
    end case;
    if cardinality(v_rows) = 0 then
      return null;
    end if;
    v_change := jsonb_build_object(
      'operation', lower(tg_op), 'schema', tg_table_schema, 'table', tg_table_name, 'user_id', auth.jwt() ->> 'sub'
    );
    v_error := private.start_row_runs(v_start, private.deployment_of_row_start(v_start), case v_start.per
      when 'statement' then array[v_change || jsonb_build_object('rows', to_jsonb(v_rows))]
      else array(select v_change || r.change from unnest(v_rows) with ordinality as r (change, place) order by r.place)
    end);
  exception when others then
    if v_start.on_refusal = 'abort' then
      raise;
    end if;
    v_error := private.error_line(sqlstate, sqlerrm);
  end;
  if v_error is not null then
    perform private.note_row_refusal(v_start.id, v_error);
  end if;
  perform private.poke_runner_for_rows();
  return null;
end;
$function$;

ALTER TABLE "public"."flow_row_starts"
  ADD CONSTRAINT "flow_row_starts_flow_fkey" FOREIGN KEY (flow, user_id) REFERENCES public.flows(id, user_id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_row_starts"
  ADD CONSTRAINT "flow_row_starts_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX flow_row_starts_flow_idx ON public.flow_row_starts USING btree (flow, user_id);

CREATE INDEX flow_row_starts_user_id_idx ON public.flow_row_starts USING btree (user_id);

CREATE INDEX flow_run_row_start_id_idx ON public.flow_run USING btree (row_start_id, id DESC)
  WHERE (row_start_id IS NOT NULL);

CREATE TRIGGER _100_refuse_read_only
  BEFORE UPDATE ON public.flow_row_starts
  FOR EACH ROW
  WHEN ((CURRENT_USER = ANY (ARRAY['authenticated'::name, 'service_role'::name])))
  EXECUTE FUNCTION private.tg_flow_row_starts__before_update_read_only();

CREATE POLICY "flow_row_starts_delete_owner" ON "public"."flow_row_starts"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_row_starts_select_owner" ON "public"."flow_row_starts"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_row_starts_update_owner" ON "public"."flow_row_starts"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."flow_row_starts"."columns" IS 'If given, an update starts the flow only for rows in which the value of one of these columns changes.';

COMMENT ON COLUMN "public"."flow_row_starts"."events" IS 'The events that start the flow: insert, update, delete.';

COMMENT ON COLUMN "public"."flow_row_starts"."flow" IS 'The flow whose deployment is started; tag selects the deployment.';

COMMENT ON COLUMN "public"."flow_row_starts"."input" IS 'The flow''s input that gets each change as JSON, converted to the input''s types: {operation, schema, table, row, old_row, user_id}, or {…, rows: [{row, old_row}]} instead of row and old_row if per is statement.';

COMMENT ON COLUMN "public"."flow_row_starts"."is_active" IS 'If false, changes of rows start nothing. The owner may change it.';

COMMENT ON COLUMN "public"."flow_row_starts"."last_error" IS 'The error of the last refusal, "<code>: <message>"; null if no start was refused.';

COMMENT ON COLUMN "public"."flow_row_starts"."last_refused_at" IS 'The time of the last refusal.';

COMMENT ON COLUMN "public"."flow_row_starts"."on_refusal" IS 'record: if a start is refused, the write succeeds, and refused and last_error record the refusal. abort: the write fails with the error.';

COMMENT ON COLUMN "public"."flow_row_starts"."per" IS 'row: a run for each changed row. statement: one run for all rows that a statement changes.';

COMMENT ON COLUMN "public"."flow_row_starts"."refused" IS 'The number of statements of which at least one start was refused. If several transactions are refused at the same time, only one of them is counted.';

COMMENT ON COLUMN "public"."flow_row_starts"."schema_name" IS 'The schema of the table when the row start was made.';

COMMENT ON COLUMN "public"."flow_row_starts"."table_name" IS 'The name of the table when the row start was made.';

COMMENT ON COLUMN "public"."flow_row_starts"."tag" IS 'The tag that selects one of the flow''s deployments, looked up at each start.';

COMMENT ON COLUMN "public"."flow_row_starts"."user_id" IS 'The owner of the flow, who sees, pauses and deletes the row start.';

COMMENT ON COLUMN "public"."flow_run"."row_start_id" IS 'The row start by which a change of a row started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the row start is deleted.';

COMMENT ON FUNCTION "private"."check_changed_columns"(regclass, text[], text, text[]) IS 'Refuses a row start if the table lacks one of the columns, or the primary key that updates need: 400 row_start_invalid. The trigger calls this function, too, because tables change.';

COMMENT ON FUNCTION "private"."check_table_of_row_start"(regclass) IS 'Refuses a table that does not belong to the calling role, or whose owner does not have the rights of the trigger function, and tables of the system: 400 row_start_invalid. Invoker, so that current_user is the caller.';

COMMENT ON FUNCTION "private"."deployment_of_row_start"(public.flow_row_starts) IS 'The deployment that a row start starts, locked against deletion until the transaction ends. 404 deployment_not_found; 401 token_invalid if the owner is deleted or banned. Definer, because it reads rows of all users.';

COMMENT ON FUNCTION "private"."drop_idle_row_triggers"(regclass) IS 'For the owner of a table: drops the triggers of row starts that have been deleted, and returns their number. These triggers do nothing, but each statement calls them.';

COMMENT ON FUNCTION "private"."end_row_starts_without_table"() IS 'Pauses the row starts whose triggers do not exist any more, because the table was dropped, and records this in last_error. Definer, because no API role may write these columns.';

COMMENT ON FUNCTION "private"."error_line"(text, text) IS 'The line "<code>: <message>" for the SQLSTATE and the message of an error that was caught.';

COMMENT ON FUNCTION "private"."is_table_of_system"(regclass) IS 'True for tables of this project, of Supabase Auth, of Supabase Storage and of Postgres. Their rows start no flows.';

COMMENT ON FUNCTION "private"."limit_chain_depth"() IS 'Limit in runs: runs that have led to a start, each by a webhook or by a node that starts a flow or writes a row.';

COMMENT ON FUNCTION "private"."limit_row_start_rows"() IS 'Limit in rows: rows that a statement changes, if they start flows.';

COMMENT ON FUNCTION "private"."named_members"(jsonb, text[]) IS 'The values of these members of an object, as an array; null if there are no names.';

COMMENT ON FUNCTION "private"."note_row_refusal"(uuid, text) IS 'Records the refusal of a start in the row of its row start, unless another transaction has locked this row: writes of users must not wait for each other. Definer, because no API role may write these columns.';

COMMENT ON FUNCTION "private"."poke_runner_for_rows"() IS 'Calls private.poke_runner(), unless a row start has done so within the last second. pg_net sends the request after the commit. Ignores errors.';

COMMENT ON FUNCTION "private"."start_flow_on_rows"(regclass, text[], integer, text, text, text, text[], text) IS 'For the owner of a table: from now on, changes of its rows start a deployment of the flow, as the flow''s owner. Returns the id of the row start. Invoker, so that current_user is the caller, and so that Postgres, too, checks the caller''s rights on the table.';

COMMENT ON FUNCTION "private"."start_row_runs"(public.flow_row_starts, public.flow_deployments, jsonb[]) IS 'Starts a run for each change. Returns the last error if starts were refused; the other runs are started. If on_refusal is abort, raises the error. Definer, because no API role may insert runs.';

COMMENT ON FUNCTION "private"."starter_kind"(uuid, uuid, uuid, uuid, text) IS 'The kind of starter of a run: schedule, webhook, row_start, flow (a node of another run), key (a caller with a public key) or user.';

COMMENT ON FUNCTION "private"."tg_flow_row_starts__before_update_read_only"() IS 'Refuses writes of clients to columns other than is_active. The trigger does not apply to the system''s functions, which write as the owner of the schema.';

COMMENT ON FUNCTION "private"."tg_rows__start_flow"() IS 'Starts the flow of a row start for the rows that a statement has changed. The argument of the trigger is the id of the row start. A refusal does not abort the statement, unless on_refusal is abort. Definer, because the role that writes the rows may not start the flow.';

COMMENT ON FUNCTION "public"."find_flow_runs"(text, integer, uuid, uuid, uuid, text, text, timestamp with time zone, timestamp
  with time zone, integer, integer) IS 'The root runs that the caller owns or started, the newest first, without inputs and output: {runs, is_complete}. search: text in the errors, or the beginning of the id of the run or its starter, or of the starter''s public key. starter: schedule, webhook, row_start, flow, user or key. 400 request_invalid; 401.';

COMMENT ON SEQUENCE "private"."row_start_pokes" IS 'The time at which a row start last called private.poke_runner(), in milliseconds since 1970.';

COMMENT ON TABLE "public"."flow_row_starts" IS 'Row starts: changes of rows of a table start a deployment, as the flow''s owner. private.start_flow_on_rows makes them. A row start is deleted with its user and its flow. Without its row here, the triggers of a row start do nothing.';

COMMENT ON TYPE "private"."caller" IS 'The caller of a request: its user, run, public key, webhook or row start. A field is null if the request has no value for it.';

COMMENT ON TYPE "private"."run_filter" IS 'Conditions for runs; a null member allows any run. search: a text in the errors, or the beginning of an id or of the starter''s public key. starter: schedule, webhook, row_start, flow, user or key. since and until: bounds of created_at; until is excluded.';

REVOKE ALL ON FUNCTION "private"."check_changed_columns"(regclass, text[], text, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_changed_columns"(regclass, text[], text, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_changed_columns"(regclass, text[], text, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_table_of_row_start"(regclass) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_table_of_row_start"(regclass) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_table_of_row_start"(regclass) TO "postgres";

REVOKE ALL ON FUNCTION "private"."deployment_of_row_start"(public.flow_row_starts) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."deployment_of_row_start"(public.flow_row_starts) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."deployment_of_row_start"(public.flow_row_starts) TO "postgres";

REVOKE ALL ON FUNCTION "private"."drop_idle_row_triggers"(regclass) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."drop_idle_row_triggers"(regclass) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."drop_idle_row_triggers"(regclass) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_row_starts_without_table"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_row_starts_without_table"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_row_starts_without_table"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."error_line"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."error_line"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."error_line"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_table_of_system"(regclass) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_table_of_system"(regclass) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_table_of_system"(regclass) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_row_start_rows"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_row_start_rows"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_row_start_rows"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_row_start_rows"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_row_start_rows"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."named_members"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."named_members"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."named_members"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_row_refusal"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_row_refusal"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_row_refusal"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."poke_runner_for_rows"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."poke_runner_for_rows"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."poke_runner_for_rows"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_flow_on_rows"(regclass, text[], integer, text, text, text, text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_flow_on_rows"(regclass, text[], integer, text, text, text, text[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow_on_rows"(regclass, text[], integer, text, text, text, text[], text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_row_runs"(public.flow_row_starts, public.flow_deployments, jsonb[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_row_runs"(public.flow_row_starts, public.flow_deployments, jsonb[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_row_runs"(public.flow_row_starts, public.flow_deployments, jsonb[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."starter_kind"(uuid, uuid, uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."starter_kind"(uuid, uuid, uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."starter_kind"(uuid, uuid, uuid, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_row_starts__before_update_read_only"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_row_starts__before_update_read_only"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_row_starts__before_update_read_only"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_rows__start_flow"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_rows__start_flow"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_rows__start_flow"() TO "postgres";

REVOKE ALL ON TABLE "public"."flow_row_starts" FROM "authenticated";

GRANT DELETE, SELECT, UPDATE ON TABLE "public"."flow_row_starts" TO "authenticated";

REVOKE ALL ON TABLE "public"."flow_row_starts" FROM "service_role";

GRANT DELETE, SELECT, UPDATE ON TABLE "public"."flow_row_starts" TO "service_role";
