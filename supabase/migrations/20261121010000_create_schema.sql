SET local check_function_bodies = off;

CREATE TABLE "private"."api_key_hashes" (
  "hash"       bytea NOT NULL,
  "api_key_id" uuid  NOT NULL,
  CONSTRAINT "api_key_hashes_api_key_id_key" UNIQUE (api_key_id),
  CONSTRAINT "api_key_hashes_hash_length" CHECK ((octet_length(hash) = 32)),
  CONSTRAINT "api_key_hashes_pkey" PRIMARY KEY (hash)
);

CREATE TABLE "private"."flow_run_jobs" (
  "flow_run_id"          uuid                     NOT NULL,
  "snapshot_hash"        bytea                    NOT NULL,
  "chain_url"            text                     NOT NULL,
  "attempt"              integer                  NOT NULL DEFAULT 0,
  "stop_requested_at"    timestamp with time zone,
  "stop_reason"          text,
  "stop_timeout_millies" integer,
  CONSTRAINT "flow_run_jobs_attempt_natural" CHECK ((attempt >= 0)),
  CONSTRAINT "flow_run_jobs_pkey" PRIMARY KEY (flow_run_id)
);

CREATE TABLE "private"."flow_snapshots" (
  "hash"       bytea                    NOT NULL,
  "data"       jsonb                    NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "flow_snapshots_hash_length" CHECK ((octet_length(hash) = 32)),
  CONSTRAINT "flow_snapshots_pkey" PRIMARY KEY (hash)
);

CREATE TABLE "private"."idempotency_keys" (
  "key_hash"     bytea                    NOT NULL,
  "request_hash" bytea                    NOT NULL,
  "flow_run_id"  uuid                     NOT NULL,
  "created_at"   timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "idempotency_keys_key_hash_length" CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY (key_hash),
  CONSTRAINT "idempotency_keys_request_hash_length" CHECK ((octet_length(request_hash) = 32))
);

CREATE TABLE "private"."node_publishers" (
  "user_id" uuid NOT NULL,
  CONSTRAINT "node_publishers_pkey" PRIMARY KEY (user_id)
);

CREATE TABLE "private"."run_token_secrets" (
  "generation" integer                  NOT NULL,
  "secret"     bytea                    NOT NULL DEFAULT extensions.gen_random_bytes(32),
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "run_token_secrets_pkey" PRIMARY KEY (generation),
  CONSTRAINT "run_token_secrets_secret_length" CHECK ((octet_length(secret) = 32))
);

CREATE TABLE "private"."wallet_secrets" (
  "wallet_id"  integer                  NOT NULL,
  "key_id"     text                     NOT NULL,
  "nonce"      bytea                    NOT NULL,
  "ciphertext" bytea                    NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "wallet_secrets_ciphertext_length" CHECK ((octet_length(ciphertext) = 48)),
  CONSTRAINT "wallet_secrets_key_id_form" CHECK ((key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'::text)),
  CONSTRAINT "wallet_secrets_nonce_length" CHECK ((octet_length(nonce) = 12)),
  CONSTRAINT "wallet_secrets_pkey" PRIMARY KEY (wallet_id)
);

CREATE TABLE "public"."api_keys" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid                     NOT NULL,
  "name"       text                     NOT NULL,
  "prefix"     text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "api_keys_name_length" CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT "api_keys_pkey" PRIMARY KEY (id),
  CONSTRAINT "api_keys_prefix_form" CHECK ((prefix ~ '^fk_[A-Za-z0-9_-]{7}$'::text))
);

ALTER TABLE "public"."api_keys"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."api_keys" FROM "anon";

CREATE TABLE "public"."flow_deployments_tags" (
  "entrypoint"    integer NOT NULL,
  "tag"           text    NOT NULL,
  "deployment_id" uuid    NOT NULL,
  "description"   text    NOT NULL DEFAULT ''::text,
  CONSTRAINT "flow_deployments_tags_description_length" CHECK ((char_length(description) <= 2000)),
  CONSTRAINT "flow_deployments_tags_pkey" PRIMARY KEY (entrypoint, TAG),
  CONSTRAINT "flow_deployments_tags_tag_form" CHECK ((tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$'::text)),
  "user_id"       uuid    NOT NULL DEFAULT auth.uid()
);

ALTER TABLE "public"."flow_deployments_tags"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flow_deployments_tags" FROM "anon";

CREATE TABLE "public"."flow_deployments" (
  "id"                  uuid                     NOT NULL,
  "created_at"          timestamp with time zone NOT NULL,
  "user_id"             uuid                     NOT NULL,
  "entrypoint"          integer                  NOT NULL,
  "snapshot_hash"       bytea                    NOT NULL,
  "start_permission"    text                     NOT NULL DEFAULT 'Owner'::text,
  "output_instructions" boolean                  NOT NULL DEFAULT false,
  "action_identity"     text,
  "fees"                jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "chain_network"       jsonb                    NOT NULL,
  CONSTRAINT "flow_deployments_id_entrypoint_user_id_key" UNIQUE (id, entrypoint, user_id),
  CONSTRAINT "flow_deployments_pkey" PRIMARY KEY (id),
  CONSTRAINT "flow_deployments_start_permission_known" CHECK ((start_permission = ANY (ARRAY['Owner'::text, 'Authenticated'::text, 'Anonymous'::text])))
);

ALTER TABLE "public"."flow_deployments"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flow_deployments" FROM "anon";

CREATE TABLE "public"."flow_run_logs" (
  "flow_run_id" uuid                     NOT NULL,
  "log_index"   integer                  NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "node_id"     uuid,
  "times"       integer,
  "time"        timestamp with time zone NOT NULL,
  "log_level"   text                     NOT NULL,
  "module"      text,
  "content"     text                     NOT NULL,
  CONSTRAINT "flow_run_logs_log_index_natural" CHECK ((log_index >= 0)),
  CONSTRAINT "flow_run_logs_log_level_known" CHECK ((log_level = ANY (ARRAY['Trace'::text, 'Debug'::text, 'Info'::text, 'Warn'::text, 'Error'::text]))),
  CONSTRAINT "flow_run_logs_node_complete" CHECK (((node_id IS NULL) = (times IS NULL))),
  CONSTRAINT "flow_run_logs_pkey" PRIMARY KEY (flow_run_id, log_index)
);

ALTER TABLE "public"."flow_run_logs"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flow_run_logs" FROM "anon";

CREATE TABLE "public"."flow_run" (
  "user_id"               uuid    NOT NULL,
  "flow_id"               integer NOT NULL,
  "deployment_id"         uuid,
  "status"                text    NOT NULL DEFAULT 'queued'::text,
  "started_by"            uuid,
  "started_by_public_key" text,
  "inputs"                jsonb   NOT NULL,
  "output"                jsonb,
  "errors"                text[],
  "not_run"               uuid[],
  CONSTRAINT "flow_run_errors_match_status" CHECK (
CASE status
    WHEN 'failed'::text THEN (errors IS NOT NULL)
    WHEN 'stopped'::text THEN true
    ELSE (errors IS NULL)
END),
  CONSTRAINT "flow_run_errors_not_empty" CHECK ((cardinality(errors) > 0)),
  CONSTRAINT "flow_run_status_known" CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'waiting'::text, 'succeeded'::text, 'failed'::text, 'stopped'::text])))
);

ALTER TABLE "public"."flow_run"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."flows" (
  "id"                    integer                  GENERATED ALWAYS AS IDENTITY NOT NULL,
  "name"                  text                     NOT NULL DEFAULT ''::text,
  "description"           text                     NOT NULL DEFAULT ''::text,
  "nodes"                 jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "edges"                 jsonb                    NOT NULL DEFAULT '[]'::jsonb,
  "environment"           jsonb                    NOT NULL DEFAULT '{}'::jsonb,
  "chain_network"         jsonb                    NOT NULL DEFAULT '{"url": "https://api.devnet.solana.com", "cluster": "devnet"}'::jsonb,
  "instructions_bundling" text                     NOT NULL DEFAULT 'Off'::text,
  "is_public"             boolean                  NOT NULL DEFAULT false,
  "start_shared"          boolean                  NOT NULL DEFAULT false,
  "start_unverified"      boolean                  NOT NULL DEFAULT false,
  "created_at"            timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"            timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "flows_description_length" CHECK ((char_length(description) <= 20000)),
  CONSTRAINT "flows_edges_array" CHECK (((jsonb_typeof(edges) = 'array'::text) AND (pg_column_size(edges) <= 16777216))),
  CONSTRAINT "flows_instructions_bundling_known" CHECK ((instructions_bundling = ANY (ARRAY['Off'::text, 'Automatic'::text]))),
  CONSTRAINT "flows_name_length" CHECK ((char_length(name) <= 200)),
  CONSTRAINT "flows_nodes_array" CHECK (((jsonb_typeof(nodes) = 'array'::text) AND (pg_column_size(nodes) <= 16777216))),
  CONSTRAINT "flows_pkey" PRIMARY KEY (id),
  "user_id"               uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "flows_id_user_id_key" UNIQUE (id, user_id)
);

ALTER TABLE "public"."flows"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."flows" FROM "anon";

CREATE TABLE "public"."node_run" (
  "flow_run_id" uuid                     NOT NULL,
  "node_id"     uuid                     NOT NULL,
  "times"       integer                  NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "start_time"  timestamp with time zone NOT NULL,
  "end_time"    timestamp with time zone,
  "input"       jsonb                    NOT NULL,
  "output"      jsonb,
  "errors"      text[],
  CONSTRAINT "node_run_errors_not_empty" CHECK ((cardinality(errors) > 0)),
  CONSTRAINT "node_run_pkey" PRIMARY KEY (flow_run_id, node_id, times),
  CONSTRAINT "node_run_times_natural" CHECK ((times >= 0))
);

ALTER TABLE "public"."node_run"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."node_run" FROM "anon";

CREATE TABLE "public"."nodes" (
  "id"                       uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"                  uuid,
  "is_public"                boolean                  NOT NULL DEFAULT false,
  "owner_key"                uuid                     NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
  "node_id"                  text                     NOT NULL DEFAULT ''::text,
  "version"                  text                     NOT NULL DEFAULT ''::text,
  "type"                     text                     NOT NULL,
  "data"                     jsonb                    NOT NULL,
  "sources"                  jsonb                    NOT NULL,
  "targets"                  jsonb                    NOT NULL,
  "targets_form.json_schema" jsonb,
  "targets_form.ui_schema"   jsonb,
  "targets_form.extra"       jsonb,
  "created_at"               timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"               timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "nodes_forms_together" CHECK ((("targets_form.json_schema" IS NULL) = ("targets_form.ui_schema" IS NULL))),
  CONSTRAINT "nodes_id_key" UNIQUE (id),
  CONSTRAINT "nodes_node_id_in_data" CHECK ((node_id = (data ->> 'node_id'::text))),
  CONSTRAINT "nodes_owner_key_is_user_id" CHECK ((owner_key = COALESCE(user_id, '00000000-0000-0000-0000-000000000000'::uuid))),
  CONSTRAINT "nodes_pkey" PRIMARY KEY (owner_key, node_id, VERSION),
  CONSTRAINT "nodes_version_in_data" CHECK ((version = (data ->> 'version'::text))),
  CONSTRAINT "nodes_without_user_public" CHECK (((user_id IS NOT NULL) OR is_public))
);

ALTER TABLE "public"."nodes"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."signature_requests" ();

ALTER TABLE "public"."signature_requests"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "public"."wallets" (
  "id"         integer                  GENERATED ALWAYS AS IDENTITY NOT NULL,
  "type"       text                     NOT NULL,
  "name"       text                     NOT NULL DEFAULT ''::text,
  "public_key" text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "wallets_name_length" CHECK ((char_length(name) <= 200)),
  CONSTRAINT "wallets_pkey" PRIMARY KEY (id),
  CONSTRAINT "wallets_type_known" CHECK ((type = ANY (ARRAY['HARDCODED'::text, 'ADAPTER'::text]))),
  "user_id"    uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "wallets_user_id_public_key_key" UNIQUE (user_id, public_key)
);

ALTER TABLE "public"."wallets"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."wallets" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."flows_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."flows_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."flows_id_seq" FROM "service_role";

REVOKE ALL ON SEQUENCE "public"."wallets_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."wallets_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."wallets_id_seq" FROM "service_role";

CREATE OR REPLACE FUNCTION private.api_key_claims (
  key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_key record;
begin
  select k.id, k.user_id into v_key
  from private.api_key_hashes as h
  join public.api_keys as k on k.id = h.api_key_id
  where h.hash = sha256(convert_to(api_key_claims.key, 'UTF8'));
  if not found then
    perform private.fail(401, 'api_key_invalid', 'There is no such API key.');
  end if;
  return jsonb_build_object('sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.bad_value (
  value jsonb,
  path  text,
  depth integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return format('%s: nested too deeply', bad_value.path);
  end if;
  if jsonb_typeof(bad_value.value) <> 'object' or (select count(*) from jsonb_object_keys(bad_value.value)) <> 1 then
    return format('%s: a value is an object with exactly one tag, such as {"S": "text"}', bad_value.path);
  end if;
  select m.key, m.value into v_tag, v_payload from jsonb_each(bad_value.value) as m;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then format('%s.%s: takes a string', bad_value.path, v_tag) end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then format('%s.B: takes true or false', bad_value.path) end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then format('%s.N: takes 0', bad_value.path) end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return format('%s.A: takes an array', bad_value.path);
      end if;
      for v_member in select e.value, e.ordinality - 1 as index from jsonb_array_elements(v_payload) with ordinality as e loop
        v_bad := private.bad_value(v_member.value, format('%s.A[%s]', bad_value.path, v_member.index), bad_value.depth - 1);
        exit when v_bad is not null;
      end loop;
      return v_bad;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return format('%s.M: takes an object', bad_value.path);
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, format('%s.M.%s', bad_value.path, v_member.key), bad_value.depth - 1);
        exit when v_bad is not null;
      end loop;
      return v_bad;
    else
      return format('%s: there is no tag %s', bad_value.path, to_jsonb(v_tag));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.caller (
  OUT user_id uuid,
  OUT is_anonymous boolean,
  OUT run_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := private.request_claims();
begin
  run_id := private.token_run_id();
  is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  if v_claims ->> 'role' = 'service_role' then
    perform private.fail(401, 'token_invalid', 'This needs a user: the service role is nobody in particular.',
      hint => 'Send the access token of the user on whose behalf you call.');
  end if;
  if v_claims ->> 'sub' is null then
    return;
  end if;
  user_id := (v_claims ->> 'sub')::uuid;
  if not exists (select from auth.users as u where u.id = caller.user_id) then
    perform private.fail(401, 'token_invalid', 'The user of this access token does not exist any more.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.chain_network_faults (
  chain_network jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "takes an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', 'takes an http or https address of at most 2048 characters'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'takes devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      select m.name, 'there is no such member'
      from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
      where m.name not in ('url', 'cluster')
    ) as fault (member, message)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_input record;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  for v_input in select i.key, i.value from jsonb_each(check_inputs.inputs) as i loop
    v_bad := private.bad_value(v_input.value, 'inputs.' || v_input.key, 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', v_bad);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_node_definition (
  definition jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail(400, 'node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      -- The first ones tell enough.
      details => jsonb_path_query_array(v_faults, '$[0 to 19]'),
      hint => format('This is the definition of node %s.', check_node_definition.definition #> '{data,node_id}'));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_start (
  inputs        jsonb,
  action_signer text
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  perform private.check_inputs(check_start.inputs);
  if check_start.action_signer is not null and not private.is_public_key(to_jsonb(check_start.action_signer)) then
    perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.checkpoint_flow_run (
  flow_run_id   uuid,
  message_id    bigint,
  attempt       integer,
  lease_seconds integer,
  node_runs     jsonb,
  logs          jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.node_runs, checkpoint_flow_run.logs
  );
  perform pgmq.set_vt('flow_runs', checkpoint_flow_run.message_id, checkpoint_flow_run.lease_seconds);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]
)
  RETURNS TABLE (
    flow_run_id   uuid,
    message_id    bigint,
    attempt       integer,
    flow_id       integer,
    user_id       uuid,
    started_by    uuid,
    inputs        jsonb,
    settings      jsonb,
    snapshot_hash text,
    snapshot      text,
    node_runs     jsonb,
    log_count     integer
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_ids bigint[];
  v_run_ids uuid[];
begin
  select array_agg(m.msg_id), array_agg((m.message ->> 'flow_run_id')::uuid)
  into v_message_ids, v_run_ids
  from pgmq.read('flow_runs', claim_flow_runs.lease_seconds, claim_flow_runs.max_runs) as m;
  if v_run_ids is null then
    return;
  end if;

  return query
  with message as materialized (
    select m.id, m.run_id from unnest(v_message_ids, v_run_ids) as m (id, run_id)
  ),
  run as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    from message where r.id = message.run_id and r.end_time is null
    returning r.*, message.id as message_id
  ),
  job as (
    update private.flow_run_jobs as j set attempt = j.attempt + 1
    from run where j.flow_run_id = run.id
    returning j.*
  )
  select
    run.id, run.message_id, job.attempt, run.flow_id, run.user_id, run.started_by, run.inputs,
    jsonb_build_object(
      'output_instructions', run.output_instructions, 'action_identity', run.action_identity, 'action_signer', run.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(run.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', run.chain_network || jsonb_build_object('url', job.chain_url)
    ),
    encode(job.snapshot_hash, 'hex'),
    case when encode(job.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    -- Only a run that was claimed before can have node runs and logs.
    case when job.attempt > 1 then (
      select coalesce(jsonb_agg(to_jsonb(n) - 'flow_run_id' - 'user_id' order by n.start_time, n.times), '[]')
      from public.node_run as n where n.flow_run_id = run.id
    ) else '[]' end,
    case when job.attempt > 1 then (
      select coalesce(max(l.log_index) + 1, 0) from public.flow_run_logs as l where l.flow_run_id = run.id
    ) else 0 end
  from run
  join job on job.flow_run_id = run.id
  join private.flow_snapshots as s on s.hash = job.snapshot_hash;

  -- Runs that have ended or are deleted need their messages no more.
  perform pgmq.delete('flow_runs', m.id)
  from unnest(v_message_ids, v_run_ids) as m (id, run_id)
  where not exists (select from public.flow_run as r where r.id = m.run_id and r.end_time is null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_idempotency_key (
  caller      text,
  key         text,
  request     jsonb,
  flow_run_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_key_hash bytea := sha256(convert_to(jsonb_build_array(claim_idempotency_key.caller, claim_idempotency_key.key)::text, 'UTF8'));
  v_request_hash bytea := sha256(convert_to(claim_idempotency_key.request::text, 'UTF8'));
  v_stored private.idempotency_keys;
begin
  if length(claim_idempotency_key.key) not between (case when claim_idempotency_key.caller like 'key:%' then 22 else 1 end) and 255 then
    perform private.fail(400, 'idempotency_key_invalid',
      'Idempotency-Key: takes 1 to 255 characters, 22 or more from a caller with a public key only; use a random UUID.');
  end if;
  -- A start of the same key that is under way is waited for here; one of yesterday makes way.
  insert into private.idempotency_keys as k (key_hash, request_hash, flow_run_id)
  values (v_key_hash, v_request_hash, claim_idempotency_key.flow_run_id)
  on conflict (key_hash) do update
  set request_hash = excluded.request_hash, flow_run_id = excluded.flow_run_id, created_at = excluded.created_at
  where k.created_at < now() - interval '24 hours';
  if found then
    return claim_idempotency_key.flow_run_id;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail(409, 'idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint => 'Use a new key for a new request; repeat a request only as it was.');
  end if;
  return v_stored.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_api_key (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_key text;
  v_row public.api_keys;
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  if v_caller.is_anonymous or private.request_claims() ? 'api_key_id' then
    perform private.fail(403, 'token_required', 'This needs the access token of a user who has signed up: API keys and anonymous users can''t make API keys.');
  end if;
  if char_length(create_api_key.name) not between 1 and 100 or create_api_key.name is null then
    perform private.fail(400, 'request_invalid', 'name: takes 1 to 100 characters.');
  end if;

  -- 32 bytes: their base64 has one = at its end.
  v_key := 'fk_' || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_caller.user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) - 'user_id' || jsonb_build_object('key', v_key);
end;
$function$;

CREATE OR REPLACE FUNCTION private.decode_base58 (
  value text
)
  RETURNS bytea
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
declare
  v_alphabet constant text := '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  v_number numeric := 0;
  v_bytes bytea := '';
  v_digit integer;
begin
  if length(decode_base58.value) > 128 then
    return null;
  end if;
  for v_index in 1..length(decode_base58.value) loop
    v_digit := strpos(v_alphabet, substr(decode_base58.value, v_index, 1)) - 1;
    if v_digit < 0 then
      return null;
    end if;
    v_number := v_number * 58 + v_digit;
  end loop;
  while v_number > 0 loop
    v_bytes := substring(int2send((v_number % 256)::smallint) from 2) || v_bytes;
    v_number := div(v_number, 256);
  end loop;
  -- Each leading 1 stands for a leading zero byte.
  return decode(repeat('00', length(substring(decode_base58.value from '^1*'))), 'hex') || v_bytes;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id integer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.require_user();
  v_flow public.flows;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, private.take_snapshot(v_flow.id),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return v_deployment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.ended_flow_runs (
  flow_run_ids uuid[]
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select r.id from public.flow_run as r where r.id = any (ended_flow_runs.flow_run_ids) and r.end_time is not null;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  run             public.flow_run,
  snapshot_hash   bytea,
  chain_url       text,
  idempotency_key text,
  request         jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_new_id uuid := private.uuid_v7();
  v_run_id uuid := v_new_id;
begin
  if enqueue_run.idempotency_key is not null then
    v_run_id := private.claim_idempotency_key(
      coalesce('user:' || run.started_by, 'key:' || run.started_by_public_key), enqueue_run.idempotency_key, enqueue_run.request, v_new_id
    );
  end if;
  if v_run_id = v_new_id then
    insert into public.flow_run (
      id, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
      output_instructions, action_identity, action_signer, fees, chain_network
    ) values (
      v_run_id, run.user_id, run.flow_id, run.deployment_id, run.started_by, run.started_by_public_key, run.inputs,
      run.output_instructions, run.action_identity, run.action_signer, run.fees, run.chain_network
    );
    insert into private.flow_run_jobs (flow_run_id, snapshot_hash, chain_url)
    values (v_run_id, enqueue_run.snapshot_hash, enqueue_run.chain_url);
    perform pgmq.send('flow_runs', jsonb_build_object('flow_run_id', v_run_id));
  end if;
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.fail (
  status  integer,
  code    text,
  message text,
  details jsonb   DEFAULT NULL::jsonb,
  hint    text    DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- PostgREST carries details as text only; the Edge Functions give the JSON in it back.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', fail.message, 'details', fail.details::text, 'hint', fail.hint
    )::text,
    detail = json_build_object('status', fail.status, 'headers', json_build_object())::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.fees_faults (
  fees jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "takes a list of [address, amount] pairs"}]';
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    -- A list of nothing but faults needs no complete answer.
    exit when jsonb_array_length(v_faults) >= 100;
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if not private.is_public_key(v_fee.pair -> 0) then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path || '[0]', 'message', 'takes an address, base58 of 32 bytes');
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'takes an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_flow_run (
  flow_run_id uuid,
  message_id  bigint,
  attempt     integer,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  node_runs   jsonb,
  logs        jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.node_runs, finish_flow_run.logs
  );
  update public.flow_run as r
  set
    status = finish_flow_run.status, output = finish_flow_run.output, errors = finish_flow_run.errors,
    not_run = finish_flow_run.not_run, end_time = clock_timestamp()
  where r.id = finish_flow_run.flow_run_id;
  perform pgmq.delete('flow_runs', finish_flow_run.message_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_cycle (
  nodes   text[],
  sources text[],
  targets text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_count integer := coalesce(cardinality(flow_cycle.nodes), 0);
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_waiting integer[];
  v_ready integer[];
  v_done integer := 0;
  v_node integer;
  v_edge integer;
  v_next integer;
  v_before integer[];
  v_step integer[];
  v_path integer[] := '{}';
begin
  -- Kahn's algorithm on node numbers, its edges sorted by source: one pass over nodes and edges.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
    return null;
  end if;

  v_first := array_fill(0, array[v_count + 1]);
  v_waiting := array_fill(0, array[v_count]);
  for v_edge in reverse cardinality(v_from)..1 loop
    v_first[v_from[v_edge]] := v_edge;
    v_waiting[v_to[v_edge]] := v_waiting[v_to[v_edge]] + 1;
  end loop;
  select coalesce(array_agg(number), '{}') into v_ready
  from unnest(v_waiting) with ordinality as w (waiting, number)
  where waiting = 0;

  while v_done < cardinality(v_ready) loop
    v_done := v_done + 1;
    v_edge := v_first[v_ready[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_ready[v_done] loop
      v_next := v_to[v_edge];
      v_waiting[v_next] := v_waiting[v_next] - 1;
      if v_waiting[v_next] = 0 then
        v_ready := v_ready || v_next;
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  if v_done = v_count then
    return null;
  end if;

  -- Every node left waits for another one that is left: walking backwards from any of them ends up going round a cycle.
  v_before := array_fill(null::integer, array[v_count]);
  for v_edge in 1..cardinality(v_from) loop
    if v_waiting[v_from[v_edge]] > 0 then
      v_before[v_to[v_edge]] := v_from[v_edge];
    end if;
  end loop;
  v_step := array_fill(null::integer, array[v_count]);
  v_node := (select w.number from unnest(v_waiting) with ordinality as w (waiting, number) where w.waiting > 0 limit 1);
  while v_step[v_node] is null loop
    v_path := v_path || v_node;
    v_step[v_node] := cardinality(v_path);
    v_node := v_before[v_node];
  end loop;
  return (
    select array_agg(flow_cycle.nodes[p.number] order by p.position desc)
    from unnest(v_path) with ordinality as p (number, position)
    where p.position >= v_step[v_node]
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_edges (
  nodes jsonb,
  edges jsonb
)
  RETURNS TABLE (
    edge_index  integer,
    source      text,
    target      text,
    target_port text
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Handle ids name ports flow-wide: an edge's handle may belong to any node, only its node ids say what it joins.
  with node as materialized (
    select n.node ->> 'id' as id, n.node -> 'data' as data
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    where n.node #>> '{data,type}' <> 'mock'
  ),
  target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from node cross join lateral jsonb_array_elements(node.data -> 'targets') as t (port)
    group by t.port ->> 'id'
  ),
  source_handle as materialized (
    select s.port ->> 'id' as id
    from node cross join lateral jsonb_array_elements(node.data -> 'sources') as s (port)
    union
    select 'passthrough-' || target_handle.id from target_handle
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join source_handle on source_handle.id = e.edge ->> 'sourceHandle'
  join target_handle on target_handle.id = e.edge ->> 'targetHandle';
$function$;

CREATE OR REPLACE FUNCTION private.flow_findings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_findings jsonb;
  v_indexes integer[];
  v_sources text[];
  v_targets text[];
  v_ports text[];
  v_cycle text[];
begin
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', position - 1), 'message', fault) order by position)
  into v_findings
  from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  cross join lateral private.node_fault(node) as fault
  where fault is not null;
  if v_findings is not null then
    -- Nothing more can be said of a graph whose nodes can't be read.
    return v_findings;
  end if;

  select array_agg(kept.edge_index), array_agg(kept.source), array_agg(kept.target), array_agg(kept.target_port)
  into v_indexes, v_sources, v_targets, v_ports
  from private.flow_edges(flow_findings.nodes, flow_findings.edges) as kept;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, n.node #>> '{data,type}' as type, n.node #>> '{data,node_id}' as node_id,
      n.node #>> '{data,targets_form,form_data,label}' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', max(node.index)) as path,
      format('two nodes have the id %s', node.id) as message
    from node group by node.id having count(*) > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(edge.source, 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(edge.target, 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(kept.target_port), kept.target)
    from unnest(v_indexes, v_targets, v_ports) as kept (edge_index, target, target_port)
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(node.label)::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select jsonb_agg(to_jsonb(finding) order by finding.path, finding.code) into v_findings from finding;

  v_cycle := private.flow_cycle(
    array(select n.node ->> 'id' from jsonb_array_elements(flow_findings.nodes) as n (node) where n.node #>> '{data,type}' <> 'mock'),
    v_sources, v_targets
  );
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object('status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors));
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id          uuid,
    is_lost              boolean,
    stop_reason          text,
    stop_timeout_millies integer,
    is_stop_requested    boolean
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform pgmq.set_vt('flow_runs', c.message_id, heartbeat_flow_runs.lease_seconds)
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, message_id bigint, attempt integer)
  join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.attempt = c.attempt;

  return query
  select c.flow_run_id, (j.attempt is distinct from c.attempt) or r.end_time is not null,
    j.stop_reason, j.stop_timeout_millies, j.stop_requested_at is not null
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, message_id bigint, attempt integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  left join public.flow_run as r on r.id = c.flow_run_id
  where j.attempt is distinct from c.attempt or r.end_time is not null or j.stop_requested_at is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.interflow_references (
  nodes jsonb
)
  RETURNS TABLE (
    path text,
    id   integer
  )
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select
    format('nodes[%s].data.targets_form.form_data.id', position - 1),
    case when node #>> '{data,targets_form,form_data,id}' ~ '^[0-9]{1,10}$'
      and pg_input_is_valid(node #>> '{data,targets_form,form_data,id}', 'integer')
      then (node #>> '{data,targets_form,form_data,id}')::integer
    end
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  where node #>> '{data,type}' = 'native' and node #>> '{data,node_id}' in ('interflow', 'interflow_instructions')
  order by position;
$function$;

CREATE OR REPLACE FUNCTION private.is_chain_network (
  value jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+[^[:space:]]*$'
      and length(is_chain_network.value ->> 'url') <= 2048,
    false
  );
$function$;

CREATE OR REPLACE FUNCTION private.is_fees (
  value jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(is_fees.value) <> 'array' then false
    else not exists (
      select
      from jsonb_array_elements(is_fees.value) as fee
      where case
        when jsonb_typeof(fee) <> 'array' or jsonb_array_length(fee) <> 2 then true
        when not coalesce(private.is_public_key(fee -> 0), false) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
$function$;

CREATE OR REPLACE FUNCTION private.is_public_key (
  value jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  select jsonb_typeof(is_public_key.value) = 'string'
    and coalesce(octet_length(private.decode_base58(is_public_key.value #>> '{}')) = 32, false);
$function$;

CREATE OR REPLACE FUNCTION private.is_string_map (
  value jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(is_string_map.value) <> 'object' then false
    else not jsonb_path_exists(is_string_map.value, 'strict $.* ? (@.type() != "string")')
  end;
$function$;

CREATE OR REPLACE FUNCTION private.json_faults (
  value jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with recursive part as (
    select json_faults.value as value, '' as path, 0 as depth, 0 as name_bytes
    union all
    select inside.value, part.path || inside.step, part.depth + 1, inside.name_bytes
    from part
    cross join lateral (
      select m.value, '.' || m.key as step, octet_length(m.key) as name_bytes
      from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
      union all
      select e.value, format('[%s]', e.position - 1), 0
      from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
    where part.depth <= 64
  ),
  fault as (
    select ltrim(part.path, '.') as path,
      case
        when part.depth > 64 then 'is nested deeper than 64 levels'
        -- Half-way between the greatest double and 2^1024: from here on a double is infinite.
        when jsonb_typeof(part.value) = 'number' then case
          when abs(part.value::numeric) >= 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792
          then 'takes a number that a double can hold'
        end
      end as message
    from part
    union all
    -- The UTF-8 bytes of strings and member names, and 8 for each value: a size that TypeScript counts alike.
    select '', 'holds more than 256 KiB'
    from part
    having sum(8 + part.name_bytes + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end) > 262144
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', fault.message) order by fault.path collate "C"), '[]')
  from fault where fault.message is not null;
$function$;

CREATE OR REPLACE FUNCTION private.keypair_required()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(400, 'wallet_keypair_required', 'A HARDCODED wallet needs its key pair.',
    hint => 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.lamports (
  amount jsonb
)
  RETURNS numeric
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
declare
  v_text text := lamports.amount #>> '{}';
  v_number numeric;
begin
  if jsonb_typeof(lamports.amount) = 'number' or jsonb_typeof(lamports.amount) = 'string' and v_text ~ '^[0-9]{1,20}$' then
    v_number := v_text::numeric;
  end if;
  -- Without a fraction's zeros: 1.0 is 1.
  return case when v_number = trunc(v_number) and v_number between 0 and 18446744073709551615 then trunc(v_number) end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_definition (
  node public.nodes
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'type', node_definition.node.type, 'data', node_definition.node.data,
    'sources', node_definition.node.sources, 'targets', node_definition.node.targets,
    'targets_form.json_schema', node_definition.node."targets_form.json_schema",
    'targets_form.ui_schema', node_definition.node."targets_form.ui_schema",
    'targets_form.extra', node_definition.node."targets_form.extra"
  );
$function$;

CREATE OR REPLACE FUNCTION private.node_definition_faults (
  definition jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
begin
  -- What is within the limit takes less than this: what costs much isn't even looked at.
  if pg_column_size(v_definition) > 1048576 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  -- A row has null for the columns that its definition leaves out: the size must not depend on it.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select m.name, 'there is no such member'
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name)))
    union all
    -- Numbers and booleans that PostgREST writes into the text column arrive as their text.
    select 'type', 'takes a name: a letter, then letters, digits, _ and -, 64 at most, but neither true nor false'
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]{0,63}$'
    union all
    select 'data.' || l.name, format('takes 1 to %s characters', l.longest)
    from (values ('node_id', 200), ('version', 100)) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    select f.name, 'is missing: the two form schemas come together'
    from (values
      ('targets_form.json_schema', 'targets_form.ui_schema'), ('targets_form.ui_schema', 'targets_form.json_schema')
    ) as f (name, other)
    where v_definition ->> f.name is null and v_definition ->> f.other is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', p.port -> 'name')
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
  )
  select coalesce(jsonb_agg(to_jsonb(fault) order by fault.path collate "C"), '[]') into v_faults from fault;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_definition_shape()
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select '{
    "type!": "string",
    "data!": {
      "node_id!": "string",
      "version!": "string",
      "display_name!": "string",
      "node_definition_version": "string",
      "unique_id": "string",
      "description": "string",
      "tags": ["string"],
      "related_to": [{"id": "string", "type": "string", "relationship": "string"}],
      "resources": {"source_code_url": "string", "documentation_url": "string"},
      "usage": {
        "license": "string",
        "license_url": "string",
        "pricing": {
          "currency": "string",
          "purchase_price": "number",
          "price_per_run": "number",
          "custom": {"unit": "string", "value": "string"}
        }
      },
      "authors": [{"name": "string", "contact": "string"}],
      "design": {
        "width": "number",
        "height": "number",
        "icon_url": "string",
        "backgroundColor": "string",
        "backgroundColorDark": "string"
      },
      "options": {},
      "instruction_info": {"before": ["string"], "signature": "string", "after": ["string"]},
      "width": "number",
      "height": "number",
      "backgroundColor": "string",
      "backgroundColorDark": "string"
    },
    "sources!": [{"name!": "string", "type!": "string", "optional": "boolean", "tooltip": "string"}],
    "targets!": [{
      "name!": "string",
      "type_bounds!": ["string"],
      "required": "boolean",
      "passthrough": "boolean",
      "tooltip": "string"
    }],
    "targets_form.json_schema": {},
    "targets_form.ui_schema": {},
    "targets_form.extra": {}
  }'::jsonb;
$function$;

CREATE OR REPLACE FUNCTION private.node_fault (
  node jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(node_fault.node) <> 'object' then 'a node is an object'
    when coalesce(node_fault.node ->> 'id', '') !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(node_fault.node -> 'data') is distinct from 'object' then 'data: takes an object'
    when coalesce(node_fault.node #>> '{data,type}', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(node_fault.node #> '{data,node_id}') is distinct from 'string' then 'data.node_id: takes a string'
    when jsonb_typeof(node_fault.node #> '{data,sources}') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(node_fault.node #> '{data,targets}') is distinct from 'array' then 'data.targets: takes an array'
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(node_fault.node, 'strict $.data.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(node_fault.node, 'strict $.data.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(node_fault.node, '$.data.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(node_fault.node, '$.data.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    when node_fault.node #> '{data,targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.node_poster (
  OUT user_id uuid,
  OUT is_publisher boolean
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  user_id := private.require_user();
  is_publisher := exists (select from private.node_publishers as p where p.user_id = node_poster.user_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pick (
  value   jsonb,
  members text[]
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(pick.value) = 'object' then (
      select coalesce(jsonb_object_agg(m.name, pick.value -> m.name), '{}')
      from unnest(pick.members) as m (name)
      where pick.value ? m.name
    )
    else pick.value
  end;
$function$;

CREATE OR REPLACE FUNCTION private.pre_request()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_api_key text;
begin
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail(401, 'token_invalid', 'The run token is not valid.');
  end if;
  -- Only a caller without a token: a user token beats an API key.
  if current_setting('role') = 'anon' then
    v_api_key := private.request_header('x-api-key');
    if v_api_key is not null then
      perform set_config('request.jwt.claims', private.api_key_claims(v_api_key)::text, true);
      perform set_config('role', 'authenticated', true);
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_wallet_secret (
  user_id    uuid,
  public_key text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'key_id', s.key_id, 'nonce', '\x' || encode(s.nonce, 'hex'), 'ciphertext', '\x' || encode(s.ciphertext, 'hex')
  )
  from public.wallets as w
  join private.wallet_secrets as s on s.wallet_id = w.id
  where w.user_id = read_wallet_secret.user_id and w.public_key = read_wallet_secret.public_key;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_edges (
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(private.pick(edge, '{source,sourceHandle,target,targetHandle}') order by position), '[]')
  from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position);
$function$;

CREATE OR REPLACE FUNCTION private.reduce_nodes (
  nodes jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- Nothing is made up on the way: what is missing or malformed stays so, for private.flow_findings to say.
  select coalesce(jsonb_agg(
    case when jsonb_typeof(node -> 'data') = 'object'
      then private.pick(node, '{id}') || jsonb_build_object('data',
        private.pick(node -> 'data', '{type,node_id,display_name,instruction_info}') || jsonb_build_object(
          'sources', private.reduce_ports(node #> '{data,sources}', '{id,name,type,optional}'),
          'targets', private.reduce_ports(node #> '{data,targets}', '{id,name,type_bounds,required,passthrough}'),
          'targets_form', private.pick(node #> '{data,targets_form}', '{form_data,extra}')
        )
      )
      else private.pick(node, '{id,data}')
    end
    order by position
  ), '[]')
  from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position);
$function$;

CREATE OR REPLACE FUNCTION private.reduce_ports (
  ports   jsonb,
  members text[]
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when jsonb_typeof(reduce_ports.ports) = 'array' then (
      select coalesce(jsonb_agg(private.pick(port, reduce_ports.members) order by position), '[]')
      from jsonb_array_elements(reduce_ports.ports) with ordinality as p (port, position)
    )
    else reduce_ports.ports
  end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_faults (
  code   text,
  faults jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if refuse_faults.faults <> '[]' then
    perform private.fail(400, refuse_faults.code,
      format('%s: %s.', refuse_faults.faults #>> '{0,path}', refuse_faults.faults #>> '{0,message}'), refuse_faults.faults);
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_latest()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(409, 'tag_latest_protected', 'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. The description of latest may be changed.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_wallet_in_use (
  wallet public.wallets
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_deployment_id uuid;
begin
  select d.id into v_deployment_id
  from public.flow_deployments as d
  where d.user_id = wallet.user_id and d.action_identity = wallet.public_key
  order by d.id desc limit 1;
  if found then
    perform private.fail(409, 'wallet_in_use', format('The wallet is the action identity of deployment %s.', v_deployment_id),
      jsonb_build_object('deployment_id', v_deployment_id),
      'Change the action_identity of the deployments that name it first.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.request_claims()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
$function$;

CREATE OR REPLACE FUNCTION private.request_header (
  name text
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select nullif(current_setting('request.headers', true), '')::json ->> request_header.name;
$function$;

CREATE OR REPLACE FUNCTION private.require_user()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := (select c.user_id from private.caller() as c);
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rotate_run_token_secret()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.run_token_secrets (generation)
  select coalesce(max(s.generation), 0) + 1 from private.run_token_secrets as s;
  delete from private.run_token_secrets as s
  where s.generation < (select max(newest.generation) - 1 from private.run_token_secrets as newest);
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_for_caller (
  flow_run_id uuid
)
  RETURNS public.flow_run
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_run public.flow_run;
begin
  if v_caller.user_id is null and v_caller.run_id is null then
    perform private.unauthenticated();
  end if;
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id
    and (r.user_id = v_caller.user_id or r.started_by = v_caller.user_id or r.id = v_caller.run_id);
  if not found then
    perform private.fail(404, 'flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_token (
  flow_run_id uuid
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s order by s.generation desc limit 1;
    exit when found;
    insert into private.run_token_secrets (generation) values (1) on conflict do nothing;
  end loop;
  -- 48 bytes: their base64 is one line without padding.
  return 'fr_' || translate(
    encode(uuid_send(run_token.flow_run_id) || extensions.hmac(uuid_send(run_token.flow_run_id), v_secret, 'sha256'), 'base64'),
    '+/', '-_'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.shape_faults (
  value jsonb,
  shape jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape, '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', typed.path, 'message', case
    when typed.type is null then 'is missing'
    else 'takes ' || case typed.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array' else 'a ' || typed.expected
    end
  end) order by typed.path collate "C"), '[]')
  from typed
  where case when typed.type is null then typed.is_required else typed.type <> typed.expected end;
$function$;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_deployment public.flow_deployments;
  v_inputs jsonb := coalesce(start_deployment.inputs, '{}');
  v_run public.flow_run;
begin
  if (start_deployment.id is null) = (start_deployment.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if start_deployment.tag is not null and start_deployment.flow is null then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
  if v_caller.user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif not private.is_public_key(to_jsonb(start_deployment.public_key)) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment stays until the run is stored; deploys, customising and other starts don't wait.
  select d.* into v_deployment
  from public.flow_deployments as d
  where d.id = coalesce(start_deployment.id, (
    select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
  ))
  for key share;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_caller.user_id, false)
    when 'Authenticated' then v_caller.user_id is not null and (v_deployment.user_id = v_caller.user_id or not v_caller.is_anonymous)
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;
  perform private.check_start(v_inputs, start_deployment.action_signer);

  v_run.user_id := v_deployment.user_id;
  v_run.flow_id := v_deployment.entrypoint;
  v_run.deployment_id := v_deployment.id;
  v_run.started_by := v_caller.user_id;
  if v_caller.user_id is null then
    v_run.started_by_public_key := start_deployment.public_key;
  end if;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := v_deployment.output_instructions;
  v_run.action_identity := v_deployment.action_identity;
  v_run.action_signer := start_deployment.action_signer;
  v_run.fees := v_deployment.fees;
  v_run.chain_network := jsonb_build_object('cluster', v_deployment.chain_network -> 'cluster');
  return private.enqueue_run(
    v_run, v_deployment.snapshot_hash, v_deployment.chain_network ->> 'url', start_deployment.idempotency_key,
    jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.require_user();
  v_flow public.flows;
  v_inputs jsonb := coalesce(start_flow.inputs, '{}');
  v_run public.flow_run;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  perform private.check_start(v_inputs, start_flow.action_signer);

  v_run.user_id := v_user_id;
  v_run.flow_id := v_flow.id;
  v_run.started_by := v_user_id;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := false;
  v_run.action_signer := start_flow.action_signer;
  v_run.fees := '[]';
  v_run.chain_network := jsonb_build_object('cluster', v_flow.chain_network -> 'cluster');
  return private.enqueue_run(
    v_run, private.take_snapshot(v_flow.id), v_flow.chain_network ->> 'url', start_flow.idempotency_key,
    jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_flow_run (
  flow_run_id     uuid,
  reason          text,
  timeout_millies integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := (private.run_for_caller(stop_flow_run.flow_run_id)).id;
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and 300000 then
    perform private.fail(400, 'request_invalid', 'timeout_millies: takes an integer from 0 to 300000.');
  end if;
  if char_length(stop_flow_run.reason) > 1000 then
    perform private.fail(400, 'request_invalid', 'reason: takes at most 1000 characters.');
  end if;
  -- The lock that claims take too, and first: a run is either not begun yet, or its worker gets to know.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id;
  if v_job.attempt = 0 then
    update public.flow_run as r
    set status = 'stopped', end_time = clock_timestamp(), output = '{"M": {}}', not_run = array(
      select (n.node ->> 'id')::uuid
      from private.flow_snapshots as s
      cross join lateral jsonb_array_elements(s.data #> '{entry,nodes}') with ordinality as n (node, position)
      where s.hash = v_job.snapshot_hash and n.node #>> '{data,type}' <> 'mock'
      order by n.position
    )
    where r.id = v_run_id and r.end_time is null;
  else
    update private.flow_run_jobs as j
    set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason, stop_timeout_millies = stop_flow_run.timeout_millies
    where j.flow_run_id = v_run_id and j.stop_requested_at is null;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_progress (
  flow_run_id uuid,
  attempt     integer,
  node_runs   jsonb,
  logs        jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_attempt integer;
  v_user_id uuid;
begin
  -- The run before its job, as claims and stops lock them.
  select r.user_id into v_user_id
  from public.flow_run as r
  where r.id = store_progress.flow_run_id and r.end_time is null
  for no key update;
  select j.attempt into v_attempt from private.flow_run_jobs as j where j.flow_run_id = store_progress.flow_run_id;
  if v_user_id is null or v_attempt is distinct from store_progress.attempt then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, is deleted, or was claimed again.');
  end if;

  insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
  select store_progress.flow_run_id, p.node_id, p.times, v_user_id, p.start_time, p.end_time, p.input, p.output, p.errors
  from jsonb_to_recordset(store_progress.node_runs) as p (
    node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
  )
  on conflict on constraint node_run_pkey do update
  set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
  -- A request that was held up takes nothing back.
  where n.end_time is null;

  insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
  select store_progress.flow_run_id, l.log_index, v_user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
  from jsonb_to_recordset(store_progress.logs) as l (
    log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
  )
  on conflict on constraint flow_run_logs_pkey do nothing;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_wallet (
  user_id    uuid,
  type       text,
  name       text,
  public_key text,
  key_id     text,
  nonce      bytea,
  ciphertext bytea
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_wallet public.wallets;
begin
  if coalesce(store_wallet.type not in ('HARDCODED', 'ADAPTER'), true)
    or store_wallet.type = 'ADAPTER' and store_wallet.ciphertext is not null
  then
    perform private.fail(400, 'request_invalid', 'type: takes HARDCODED, or ADAPTER without a key pair.');
  end if;
  -- Locks the row, old or new, until the end: whoever sets it as action identity waits, and was waited for.
  insert into public.wallets as w (user_id, type, name, public_key)
  values (store_wallet.user_id, 'ADAPTER', store_wallet.name, store_wallet.public_key)
  on conflict on constraint wallets_user_id_public_key_key do update set name = excluded.name
  returning w.* into v_wallet;

  if store_wallet.type = 'ADAPTER' and v_wallet.type = 'HARDCODED' then
    perform private.refuse_wallet_in_use(v_wallet);
    delete from private.wallet_secrets as s where s.wallet_id = v_wallet.id;
  elsif store_wallet.type = 'HARDCODED' and store_wallet.ciphertext is not null then
    insert into private.wallet_secrets as s (wallet_id, key_id, nonce, ciphertext)
    values (v_wallet.id, store_wallet.key_id, store_wallet.nonce, store_wallet.ciphertext)
    on conflict (wallet_id) do update
    set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext, created_at = excluded.created_at;
  elsif store_wallet.type = 'HARDCODED' and v_wallet.type = 'ADAPTER' then
    perform private.keypair_required();
  end if;

  if v_wallet.type <> store_wallet.type then
    update public.wallets as w set type = store_wallet.type where w.id = v_wallet.id returning w.* into v_wallet;
  end if;
  return to_jsonb(v_wallet);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  flow_id integer
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_flow public.flows;
  v_owner uuid;
  v_graph jsonb;
  v_entry jsonb;
  v_flows jsonb := '{}';
  v_wanted integer[] := array[take_snapshot.flow_id];
  v_seen integer[] := '{}';
  v_current integer;
  v_findings jsonb := '[]';
  v_reference record;
  v_data jsonb;
  v_hash bytea;
begin
  select f.user_id into strict v_owner from public.flows as f where f.id = take_snapshot.flow_id;

  -- The flow itself, then every flow that it reaches through interflow nodes; a flow may call itself, directly or in a ring.
  while cardinality(v_wanted) > 0 loop
    v_current := v_wanted[1];
    v_wanted := v_wanted[2:];
    continue when v_current = any (v_seen);
    v_seen := v_seen || v_current;

    select * into v_flow from public.flows as f where f.id = v_current and f.user_id = v_owner;
    v_graph := jsonb_build_object(
      'nodes', private.reduce_nodes(v_flow.nodes), 'edges', private.reduce_edges(v_flow.edges),
      'environment', v_flow.environment, 'instructions_bundling', v_flow.instructions_bundling
    );
    v_findings := v_findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_current) || finding)
      from jsonb_array_elements(private.flow_findings(v_graph -> 'nodes', v_graph -> 'edges')) as finding
    ), '[]');
    if v_current = take_snapshot.flow_id then
      v_entry := v_graph;
    else
      v_flows := v_flows || jsonb_build_object(v_current, v_graph);
    end if;

    for v_reference in
      select r.*, f.id as flow_id
      from private.interflow_references(v_graph -> 'nodes') as r
      left join public.flows as f on f.id = r.id and f.user_id = v_owner
    loop
      if v_reference.flow_id is null then
        v_findings := v_findings || jsonb_build_object(
          'flow_id', v_current, 'code', 'interflow_flow_unknown', 'path', v_reference.path,
          'message', 'this is the id of none of your flows'
        );
      elsif v_reference.flow_id = take_snapshot.flow_id then
        -- Called by its id, the entry is one of the called flows too.
        v_flows := v_flows || jsonb_build_object(v_reference.flow_id, v_entry);
      else
        v_wanted := v_wanted || v_reference.flow_id;
      end if;
    end loop;
  end loop;

  if v_findings <> '[]' then
    perform private.fail(422, 'flow_invalid', format('The flow can''t run: %s.', v_findings #>> '{0,message}'), v_findings);
  end if;

  v_data := jsonb_build_object('entry', v_entry, 'flows', v_flows);
  v_hash := sha256(convert_to(v_data::text, 'UTF8'));
  loop
    insert into private.flow_snapshots (hash, data) values (v_hash, v_data) on conflict (hash) do nothing;
    -- An older equal snapshot is held against the retention job until whoever needs it refers to it.
    perform from private.flow_snapshots as s where s.hash = v_hash for key share;
    exit when found;
  end loop;
  return v_hash;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_any__before_update_touch()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  new.updated_at := now();
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.flow_deployments_tags as t (user_id, entrypoint, tag, deployment_id)
  values (new.user_id, new.entrypoint, 'latest', new.id)
  on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id
  where t.deployment_id < excluded.deployment_id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_previous uuid;
begin
  perform from public.flows as f where f.id = old.entrypoint for no key update;
  -- Before the foreign key acts, which deletes the tags that still point here. (An AFTER trigger would come too late: a deploy
  -- that waited for this one's locks could have moved latest in between.)
  select d.id into v_previous
  from public.flow_deployments as d
  where d.entrypoint = old.entrypoint and d.user_id = old.user_id and d.id <> old.id
  order by d.id desc limit 1
  -- One that is being deleted, and waits for this lock, is passed over: to wait for it would be a deadlock.
  for key share skip locked;
  if v_previous is not null then
    update public.flow_deployments_tags as t set deployment_id = v_previous
    where t.entrypoint = old.entrypoint and t.tag = 'latest' and t.deployment_id = old.id;
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Deploys and deletes of one flow go one after another; starts, which only read, don't wait for them.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash)
    is distinct from (old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash)
  then
    perform private.fail(400, 'column_read_only',
      'id, created_at, user_id, entrypoint and snapshot_hash of a deployment can''t be changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_faults('start_permission_invalid',
      '[{"path": "start_permission", "message": "takes Owner, Authenticated or Anonymous"}]');
  end if;

  if tg_op = 'INSERT' then
    -- The flow's own may have more members.
    new.chain_network := jsonb_build_object('url', new.chain_network -> 'url', 'cluster', new.chain_network -> 'cluster');
  end if;
  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- As text, in which 1.0 is not 1.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(to_jsonb(new.action_identity)) then
      perform private.refuse_faults('action_identity_invalid',
        '[{"path": "action_identity", "message": "takes a public key, base58 of 32 bytes, or null"}]');
    end if;
    -- Share: until this is stored, the wallet is neither deleted nor made an ADAPTER; whoever tries waits, and then sees it.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail(400, 'action_identity_without_wallet',
        'action_identity: takes the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet of this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments_tags__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- Deeper calls are the deployments' own triggers and foreign keys, which keep latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- An upsert that describes latest passes here first: it names the deployment that latest has anyway.
      if new.tag = 'latest' and not exists (
        select from public.flow_deployments_tags as t
        where t.entrypoint = new.entrypoint and t.tag = 'latest' and t.deployment_id = new.deployment_id
      ) then
        perform private.refuse_latest();
      end if;
      return new;
    when 'UPDATE' then
      if 'latest' in (old.tag, new.tag)
        and (new.user_id, new.entrypoint, new.tag, new.deployment_id)
          is distinct from (old.user_id, old.entrypoint, old.tag, old.deployment_id)
      then
        perform private.refuse_latest();
      end if;
      return new;
    else
      if old.tag = 'latest' then
        perform private.refuse_latest();
      end if;
      return old;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- By trigger, not by foreign key: a run of an interflow child goes with its parent run, whatever becomes of the child's flow.
  delete from public.flow_run as r where r.flow_id = old.id and r.parent_flow_run_id is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__before_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A deleted user takes everything along: by the time the cascade comes here, the user is gone.
  if exists (select from auth.users as u where u.id = old.user_id)
    and exists (select from public.flow_deployments as d where d.entrypoint = old.id)
  then
    perform private.fail(409, 'flow_has_deployments', format('Flow %s has deployments, so it can''t be deleted.', old.id),
      hint => 'Delete its deployments first.');
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (new.user_id, new.created_at) is distinct from (old.user_id, old.created_at) then
    perform private.fail(400, 'column_read_only', 'user_id and created_at of a flow can''t be changed.');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_poster record;
begin
  perform private.check_node_definition(private.node_definition(new));
  new.node_id := new.data ->> 'node_id';
  new.version := new.data ->> 'version';

  if tg_op = 'INSERT' then
    -- A new one always: a definition may be copied with the id of the other's row. An upsert passes here first, too.
    new.id := gen_random_uuid();
    new.created_at := now();
    new.user_id := null;
    new.is_public := true;
  else
    new.id := old.id;
    new.created_at := old.created_at;
    new.user_id := old.user_id;
    new.is_public := old.is_public;
  end if;
  -- Roles past row level security are the service role and the database's own administration; all others are users.
  if row_security_active('public.nodes') then
    v_poster := private.node_poster();
    new.is_public := v_poster.is_publisher;
    if tg_op = 'INSERT' then
      new.user_id := v_poster.user_id;
    end if;
  end if;
  new.owner_key := coalesce(new.user_id, '00000000-0000-0000-0000-000000000000');

  if tg_op = 'UPDATE' and private.node_definition(new) = private.node_definition(old) and new.is_public = old.is_public then
    new.updated_at := old.updated_at;
  else
    new.updated_at := now();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_wallets__before_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A deleted user takes everything along: by the time the cascade comes here, the user is gone.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_wallet_in_use(old);
  end if;
  return old;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_wallets__before_insert()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- For everybody: store_wallet, too, inserts an ADAPTER wallet first and gives it its secret afterwards.
  if new.type = 'HARDCODED' then
    perform private.keypair_required();
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_wallets__before_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (new.user_id, new.public_key, new.created_at) is distinct from (old.user_id, old.public_key, old.created_at)
    -- The type follows the secret, which only store_wallet stores and removes: nobody else can change either.
    or new.type is distinct from old.type and new.type is distinct from (
      case when exists (select from private.wallet_secrets as s where s.wallet_id = old.id) then 'HARDCODED' else 'ADAPTER' end
    )
  then
    perform private.fail(400, 'column_read_only', 'user_id, type, public_key and created_at of a wallet can''t be changed.',
      hint => 'POST /wallets/upsert changes the type of a wallet.');
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.token_run_id()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_token text := private.request_header('x-flow-run-token');
  v_bytes bytea;
begin
  if v_token is null or v_token !~ '^fr_[A-Za-z0-9_-]{64}$' then
    return null;
  end if;
  v_bytes := decode(translate(substr(v_token, 4), '-_', '+/'), 'base64');
  -- Digests are compared, so that the time says nothing about how far a forged token is right.
  perform from private.run_token_secrets as s
  where sha256(extensions.hmac(substring(v_bytes for 16), s.secret, 'sha256')) = sha256(substring(v_bytes from 17));
  if not found then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$function$;

CREATE OR REPLACE FUNCTION private.unauthenticated()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(401, 'unauthenticated', 'This needs a credential.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>).');
end;
$function$;

CREATE OR REPLACE FUNCTION private.uuid_v7 (
  at timestamp with time zone DEFAULT clock_timestamp()
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_microseconds bigint := floor(extract(epoch from uuid_v7.at) * 1000000);
begin
  -- 48 bits of milliseconds, version 7 with 12 bits of the millisecond's fraction, 64 bits of a random UUID's second half,
  -- which already starts with the variant bits.
  return encode(
    substring(int8send(v_microseconds / 1000) from 3)
      || int2send((28672 + (v_microseconds % 1000) * 4096 / 1000)::smallint)
      || substring(uuid_send(gen_random_uuid()) from 9),
    'hex'
  )::uuid;
end;
$function$;

CREATE OR REPLACE FUNCTION private.uuid_v7_after (
  previous uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_id uuid := private.uuid_v7();
begin
  if uuid_v7_after.previous is null or v_id > uuid_v7_after.previous then
    return v_id;
  end if;
  -- The clock stood still or went back: go on from the previous id instead.
  return private.uuid_v7(private.uuid_v7_time(uuid_v7_after.previous) + interval '1 microsecond');
end;
$function$;

CREATE OR REPLACE FUNCTION private.uuid_v7_time (
  id uuid
)
  RETURNS timestamp WITH time zone
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
declare
  v_hex text := replace(uuid_v7_time.id::text, '-', '');
  v_milliseconds bigint := ('x' || substr(v_hex, 1, 12))::bit(48)::bigint;
  v_fraction integer := ('x' || substr(v_hex, 14, 3))::bit(12)::integer;
begin
  -- The fraction was rounded down to 1/4096 ms, finer than a microsecond: rounding up gives back the very microsecond.
  return timestamptz '1970-01-01 00:00:00+00'
    + (v_milliseconds * 1000 + (v_fraction * 1000 + 4095) / 4096) * interval '1 microsecond';
end;
$function$;

CREATE OR REPLACE FUNCTION private.whoami()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  return jsonb_build_object('user_id', v_caller.user_id, 'is_anonymous', v_caller.is_anonymous);
end;
$function$;

CREATE OR REPLACE FUNCTION public.checkpoint_flow_run (
  flow_run_id   uuid,
  message_id    bigint,
  attempt       integer,
  lease_seconds integer,
  node_runs     jsonb   DEFAULT '[]'::jsonb,
  logs          jsonb   DEFAULT '[]'::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.message_id, checkpoint_flow_run.attempt,
    checkpoint_flow_run.lease_seconds, checkpoint_flow_run.node_runs, checkpoint_flow_run.logs
  );
$function$;

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]  DEFAULT '{}'::text[]
)
  RETURNS TABLE (
    flow_run_id   uuid,
    message_id    bigint,
    attempt       integer,
    flow_id       integer,
    user_id       uuid,
    started_by    uuid,
    inputs        jsonb,
    settings      jsonb,
    snapshot_hash text,
    snapshot      text,
    node_runs     jsonb,
    log_count     integer
  )
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots
  );
$function$;

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[]) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.create_api_key (
  name text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.create_api_key(create_api_key.name);
$function$;

CREATE OR REPLACE FUNCTION public.deploy_flow (
  flow_id integer
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select jsonb_build_object('deployment_id', private.deploy_flow(deploy_flow.flow_id));
$function$;

CREATE OR REPLACE FUNCTION public.deployment (
  flow_run public.flow_run
)
  RETURNS SETOF public.flow_deployments
  LANGUAGE sql
  STABLE
  ROWS 1
  SET search_path TO ''
  AS $function$
  select d.* from public.flow_deployments as d where d.id = deployment.flow_run.deployment_id;
$function$;

REVOKE ALL ON FUNCTION "public"."deployment"(public.flow_run) FROM PUBLIC, "anon";

CREATE OR REPLACE FUNCTION public.ended_flow_runs (
  flow_run_ids uuid[]
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.ended_flow_runs(ended_flow_runs.flow_run_ids);
$function$;

REVOKE ALL ON FUNCTION "public"."ended_flow_runs"(uuid[]) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.finish_flow_run (
  flow_run_id uuid,
  message_id  bigint,
  attempt     integer,
  status      text,
  output      jsonb,
  errors      text[]  DEFAULT NULL::text[],
  not_run     uuid[]  DEFAULT '{}'::uuid[],
  node_runs   jsonb   DEFAULT '[]'::jsonb,
  logs        jsonb   DEFAULT '[]'::jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.message_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.node_runs, finish_flow_run.logs
  );
$function$;

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.flow_run_result(flow_run_result.flow_run_id);
$function$;

CREATE OR REPLACE FUNCTION public.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id          uuid,
    is_lost              boolean,
    stop_reason          text,
    stop_timeout_millies integer,
    is_stop_requested    boolean
  )
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select * from private.heartbeat_flow_runs(heartbeat_flow_runs.claims, heartbeat_flow_runs.lease_seconds);
$function$;

REVOKE ALL ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.read_wallet_secret (
  user_id    uuid,
  public_key text
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.read_wallet_secret(read_wallet_secret.user_id, read_wallet_secret.public_key);
$function$;

REVOKE ALL ON FUNCTION "public"."read_wallet_secret"(uuid, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.rotate_run_token_secret()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.rotate_run_token_secret();
$function$;

REVOKE ALL ON FUNCTION "public"."rotate_run_token_secret"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.start_deployment (
  id              uuid    DEFAULT NULL::uuid,
  flow            integer DEFAULT NULL::integer,
  tag             text    DEFAULT NULL::text,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  public_key      text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs,
    start_deployment.action_signer, start_deployment.public_key, start_deployment.idempotency_key
  );
$function$;

CREATE OR REPLACE FUNCTION public.start_flow (
  flow_id         integer,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.start_flow(start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key);
$function$;

CREATE OR REPLACE FUNCTION public.stop_flow_run (
  flow_run_id     uuid,
  reason          text    DEFAULT NULL::text,
  timeout_millies integer DEFAULT 0
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.stop_flow_run(stop_flow_run.flow_run_id, stop_flow_run.reason, stop_flow_run.timeout_millies);
$function$;

CREATE OR REPLACE FUNCTION public.store_wallet (
  user_id    uuid,
  type       text,
  name       text,
  public_key text,
  key_id     text  DEFAULT NULL::text,
  nonce      bytea DEFAULT NULL::bytea,
  ciphertext bytea DEFAULT NULL::bytea
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.store_wallet(
    store_wallet.user_id, store_wallet.type, store_wallet.name, store_wallet.public_key,
    store_wallet.key_id, store_wallet.nonce, store_wallet.ciphertext
  );
$function$;

REVOKE ALL ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.whoami()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.whoami();
$function$;

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_snapshot_hash_fkey" FOREIGN KEY (snapshot_hash) REFERENCES private.flow_snapshots(hash);

ALTER TABLE "private"."node_publishers"
  ADD CONSTRAINT "node_publishers_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."api_key_hashes"
  ADD CONSTRAINT "api_key_hashes_api_key_id_fkey" FOREIGN KEY (api_key_id) REFERENCES public.api_keys(id) ON DELETE CASCADE;

ALTER TABLE "public"."api_keys"
  ADD CONSTRAINT "api_keys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_snapshot_hash_fkey" FOREIGN KEY (snapshot_hash) REFERENCES private.flow_snapshots(hash);

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_started_by_fkey" FOREIGN KEY (started_by) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."nodes"
  ADD CONSTRAINT "nodes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."wallet_secrets"
  ADD CONSTRAINT "wallet_secrets_wallet_id_fkey" FOREIGN KEY (wallet_id) REFERENCES public.wallets(id) ON DELETE CASCADE;

CREATE INDEX flow_run_jobs_snapshot_hash_idx ON private.flow_run_jobs USING btree (snapshot_hash);

CREATE INDEX idempotency_keys_created_at_idx ON private.idempotency_keys USING btree (created_at);

CREATE INDEX idempotency_keys_flow_run_id_idx ON private.idempotency_keys USING btree (flow_run_id);

CREATE INDEX api_keys_user_id_idx ON public.api_keys USING btree (user_id);

CREATE INDEX flow_deployments_entrypoint_id_idx ON public.flow_deployments USING btree (entrypoint, user_id, id DESC);

CREATE INDEX flow_deployments_snapshot_hash_idx ON public.flow_deployments USING btree (snapshot_hash);

CREATE INDEX flow_deployments_user_id_idx ON public.flow_deployments USING btree (user_id);

CREATE UNIQUE INDEX nodes_node_id_version_public_idx ON public.nodes USING btree (node_id, VERSION)
  WHERE is_public;

CREATE INDEX nodes_user_id_idx ON public.nodes USING btree (user_id);

CREATE TRIGGER _100_assign_id
  BEFORE INSERT ON public.flow_deployments
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__before_insert();

CREATE TRIGGER _100_move_latest_back
  BEFORE DELETE ON public.flow_deployments
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__before_delete();

CREATE TRIGGER _100_move_latest
  AFTER INSERT ON public.flow_deployments
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__after_insert();

CREATE TRIGGER _100_refuse_read_only
  BEFORE UPDATE ON public.flow_deployments
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__before_update();

CREATE TRIGGER _200_check_settings
  BEFORE INSERT OR UPDATE ON public.flow_deployments
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__before_write();

CREATE TRIGGER _100_protect_latest
  BEFORE INSERT OR DELETE OR UPDATE ON public.flow_deployments_tags
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments_tags__before_write();

CREATE TRIGGER _100_delete_runs
  AFTER DELETE ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flows__after_delete();

CREATE TRIGGER _100_refuse_deployed
  BEFORE DELETE ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flows__before_delete();

CREATE TRIGGER _100_refuse_read_only
  BEFORE UPDATE ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flows__before_update();

CREATE TRIGGER _200_touch
  BEFORE UPDATE ON public.flows
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_any__before_update_touch();

CREATE TRIGGER _100_check_and_keep
  BEFORE INSERT OR UPDATE ON public.nodes
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_nodes__before_write();

CREATE TRIGGER _100_refuse_hardcoded
  BEFORE INSERT ON public.wallets
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_wallets__before_insert();

CREATE TRIGGER _100_refuse_in_use
  BEFORE DELETE ON public.wallets
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_wallets__before_delete();

CREATE TRIGGER _100_refuse_read_only
  BEFORE UPDATE ON public.wallets
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_wallets__before_update();

CREATE TRIGGER _200_touch
  BEFORE UPDATE ON public.wallets
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_any__before_update_touch();

CREATE POLICY "api_keys_delete_owner" ON "public"."api_keys"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "api_keys_select_owner" ON "public"."api_keys"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_delete_owner" ON "public"."flow_deployments"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_select_owner" ON "public"."flow_deployments"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_update_owner" ON "public"."flow_deployments"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_run_logs_select_owner" ON "public"."flow_run_logs"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "node_run_select_owner" ON "public"."node_run"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "nodes_delete_owner" ON "public"."nodes"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "nodes_insert_owner" ON "public"."nodes"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "nodes_select_owner_or_public" ON "public"."nodes"
  FOR SELECT
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) OR is_public));

CREATE POLICY "nodes_select_public" ON "public"."nodes"
  FOR SELECT
  TO "anon"
  USING (is_public);

CREATE POLICY "nodes_update_owner" ON "public"."nodes"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "private"."flow_run_jobs"."attempt" IS 'Counts the claims of the run: what an earlier claim still writes is refused.';

COMMENT ON COLUMN "private"."flow_run_jobs"."chain_url" IS 'RPC address, copied at start; it may carry a secret.';

COMMENT ON COLUMN "private"."flow_run_jobs"."stop_requested_at" IS 'When somebody first asked the run to stop, with stop_reason and stop_timeout_millies.';

COMMENT ON COLUMN "private"."flow_snapshots"."data" IS '{entry: graph, flows: {"<flow id>": graph}}: the flow itself and those that it reaches through interflow nodes; a graph is {nodes, edges, environment, instructions_bundling}.';

COMMENT ON COLUMN "private"."flow_snapshots"."hash" IS 'SHA-256 of the text of data.';

COMMENT ON COLUMN "private"."idempotency_keys"."key_hash" IS 'SHA-256 of caller and key: the keys of public-key callers are a proof, and so not stored.';

COMMENT ON COLUMN "private"."idempotency_keys"."request_hash" IS 'SHA-256 of the request as it was sent.';

COMMENT ON COLUMN "private"."wallet_secrets"."ciphertext" IS 'AES-256-GCM of the 32 bytes of the secret key with its tag of 16 bytes, bound to user_id and public_key as associated data.';

COMMENT ON COLUMN "private"."wallet_secrets"."created_at" IS 'When this ciphertext was stored.';

COMMENT ON COLUMN "private"."wallet_secrets"."key_id" IS 'Which of WALLET_KEYS it is encrypted with.';

COMMENT ON COLUMN "public"."api_keys"."prefix" IS 'The first characters of the key, by which its owner recognises it.';

COMMENT ON COLUMN "public"."flow_deployments"."action_identity" IS 'Public key of the owner''s wallet that signs as action identity.';

COMMENT ON COLUMN "public"."flow_deployments"."chain_network" IS 'The Solana network of its runs: {url, cluster}.';

COMMENT ON COLUMN "public"."flow_deployments"."created_at" IS 'The time in the id.';

COMMENT ON COLUMN "public"."flow_deployments"."entrypoint" IS 'The flow that was deployed.';

COMMENT ON COLUMN "public"."flow_deployments"."fees" IS 'List of [address, lamports]: transfers added to the run''s first transaction.';

COMMENT ON COLUMN "public"."flow_deployments"."id" IS 'UUID version 7; of two deployments of one flow the newer has the greater id.';

COMMENT ON COLUMN "public"."flow_deployments"."output_instructions" IS 'Put out the transaction instead of sending it.';

COMMENT ON COLUMN "public"."flow_deployments"."snapshot_hash" IS 'What was frozen: deployments with the same hash run the same graph.';

COMMENT ON COLUMN "public"."flow_deployments"."start_permission" IS 'Who may start it: Owner, Authenticated (any signed-in user) or Anonymous (anybody who shows a public key).';

COMMENT ON COLUMN "public"."flow_deployments_tags"."entrypoint" IS 'The flow; a tag names one of its deployments at a time.';

COMMENT ON COLUMN "public"."flow_deployments_tags"."tag" IS '1 to 128 letters, digits, dots, underscores and hyphens, a letter or digit first.';

COMMENT ON COLUMN "public"."flow_run"."deployment_id" IS 'The deployment that was started; null for a normal run and for an interflow child. Kept when the deployment is deleted, so it carries no foreign key.';

COMMENT ON COLUMN "public"."flow_run"."errors" IS 'One line per failed node, "<name> <node id>[#times]: <message>", 100 at most; null when there are none.';

COMMENT ON COLUMN "public"."flow_run"."inputs" IS 'One value, {"M": {…}}: the inputs of the start.';

COMMENT ON COLUMN "public"."flow_run"."not_run" IS 'Ids of the nodes that never started; null until the run has ended.';

COMMENT ON COLUMN "public"."flow_run"."output" IS 'One value, {"M": {…}}, by the labels of the flow''s outputs; null until the run has ended.';

COMMENT ON COLUMN "public"."flow_run"."started_by" IS 'The user who started it; null for a caller with a public key only.';

COMMENT ON COLUMN "public"."flow_run"."started_by_public_key" IS 'The public key that an unauthenticated caller showed: a claim, no proof.';

COMMENT ON COLUMN "public"."flow_run"."user_id" IS 'The owner of the flow.';

COMMENT ON COLUMN "public"."flow_run_logs"."log_index" IS 'Counts from 0 within a run.';

COMMENT ON COLUMN "public"."flow_run_logs"."node_id" IS 'The node, with times; null for a line of the run itself.';

COMMENT ON COLUMN "public"."flow_run_logs"."user_id" IS 'The owner of the flow, repeated from flow_run so that the policy needs no join.';

COMMENT ON COLUMN "public"."flows"."chain_network" IS 'The Solana network of the flow''s runs: {url, cluster}.';

COMMENT ON COLUMN "public"."flows"."edges" IS 'The editor''s edge objects: source, sourceHandle, target, targetHandle.';

COMMENT ON COLUMN "public"."flows"."environment" IS 'Settings of the flow''s runs, an object of strings; also visible to its scripts.';

COMMENT ON COLUMN "public"."flows"."instructions_bundling" IS 'Off: each node sends its own transaction. Automatic: they are bundled.';

COMMENT ON COLUMN "public"."flows"."is_public" IS 'Signed-in users may read the flow.';

COMMENT ON COLUMN "public"."flows"."nodes" IS 'The editor''s node objects; only id and data are read when the flow runs.';

COMMENT ON COLUMN "public"."flows"."start_shared" IS 'With is_public: a new deployment may be started by any signed-in user.';

COMMENT ON COLUMN "public"."flows"."start_unverified" IS 'With is_public and start_shared: a new deployment may be started by anybody.';

COMMENT ON COLUMN "public"."node_run"."input" IS 'One value, {"M": {…}}: the inputs by name.';

COMMENT ON COLUMN "public"."node_run"."output" IS 'One value, {"M": {…}}; null when the node failed before any output.';

COMMENT ON COLUMN "public"."node_run"."times" IS '0 for the first execution; counts up inside a loop.';

COMMENT ON COLUMN "public"."node_run"."user_id" IS 'The owner of the flow, repeated from flow_run so that the policy needs no join; no foreign key, since the run''s own row carries it.';

COMMENT ON COLUMN "public"."nodes"."targets_form.json_schema" IS 'The form for its settings, together with targets_form.ui_schema.';

COMMENT ON COLUMN "public"."nodes"."data" IS 'node_id, version, display_name and more about the node.';

COMMENT ON COLUMN "public"."nodes"."is_public" IS 'Posted by the service role or by a user in private.node_publishers.';

COMMENT ON COLUMN "public"."nodes"."node_id" IS 'data.node_id.';

COMMENT ON COLUMN "public"."nodes"."owner_key" IS 'user_id, and zeros for null: the part of the key that upserts meet on.';

COMMENT ON COLUMN "public"."nodes"."sources" IS 'Its outputs: {name, type, …}.';

COMMENT ON COLUMN "public"."nodes"."targets" IS 'Its inputs: {name, type_bounds, …}.';

COMMENT ON COLUMN "public"."nodes"."type" IS 'native, or the name of another kind of nodes.';

COMMENT ON COLUMN "public"."nodes"."user_id" IS 'Who posted it; null for the service role.';

COMMENT ON COLUMN "public"."nodes"."version" IS 'data.version.';

COMMENT ON COLUMN "public"."wallets"."public_key" IS 'Base58 of 32 bytes.';

COMMENT ON COLUMN "public"."wallets"."type" IS 'HARDCODED: its secret key is kept, encrypted, and the runner signs with it. ADAPTER: whoever holds the key is asked to sign.';

COMMENT ON FUNCTION "private"."api_key_claims"(text) IS 'The claims with which the holder of an API key acts, as the key''s owner; 401 api_key_invalid for an unknown key. Definer: the hashes are private, and the keys are others''.';

COMMENT ON FUNCTION "private"."bad_value"(jsonb, text, integer) IS 'What is wrong with a tagged value and where, or null. Checks tags and JSON types down to `depth` levels; ranges are the door''s and the runner''s.';

COMMENT ON FUNCTION "private"."caller"() IS 'Who calls, as far as it is proved: user_id by access token or API key, is_anonymous for Supabase''s anonymous sign-ins, run_id by a run token; null where nothing proves it. Definer, since the API roles can''t read auth.users, where a deleted user is missed.';

COMMENT ON FUNCTION "private"."chain_network_faults"(jsonb) IS 'What is wrong with the chain_network of a deployment, by member.';

COMMENT ON FUNCTION "private"."check_inputs"(jsonb) IS 'Refuses flow inputs that are not an object of one-tag values, 64 levels deep and 1 MiB at most.';

COMMENT ON FUNCTION "private"."check_node_definition"(jsonb) IS 'Refuses what is no node definition: 400 node_definition_invalid, whose details are a list of {path, message}.';

COMMENT ON FUNCTION "private"."check_start"(jsonb, text) IS 'Refuses the parameters of a start that are malformed: 400 inputs_invalid or action_signer_invalid, 413 inputs_too_large.';

COMMENT ON FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) IS 'Does what public.checkpoint_flow_run says. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[]) IS 'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';

COMMENT ON FUNCTION "private"."claim_idempotency_key"(text, text, jsonb, uuid) IS 'The run of an earlier start by the same caller, with the same key and request, within 24 hours; else takes the key for the given new run and returns that. 400 idempotency_key_invalid, 409 idempotency_key_reused. Definer: the keys are private.';

COMMENT ON FUNCTION "private"."create_api_key"(text) IS 'Does what public.create_api_key says. Definer: nobody else makes keys.';

COMMENT ON FUNCTION "private"."decode_base58"(text) IS 'The bytes that a base58 text (Bitcoin''s alphabet, as Solana uses it) stands for; null when it is no base58 or longer than 128 characters.';

COMMENT ON FUNCTION "private"."deploy_flow"(integer) IS 'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';

COMMENT ON FUNCTION "private"."ended_flow_runs"(uuid[]) IS 'Does what public.ended_flow_runs says. Definer: one look for many callers, who were checked before.';

COMMENT ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb) IS 'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) IS 'The one way to raise an error that a caller sees: PostgREST answers with `status` and the body {code, message, details, hint}. The codes are listed in types/errors.ts. Source: PostgREST documentation, "Raise errors with HTTP status codes".';

COMMENT ON FUNCTION "private"."fees_faults"(jsonb) IS 'What is wrong with the fees of a deployment, the first hundred faults.';

COMMENT ON FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) IS 'Does what public.finish_flow_run says. Definer: nobody else ends runs, and the queue is private.';

COMMENT ON FUNCTION "private"."flow_cycle"(text[], text[], text[]) IS 'The node ids of one cycle in the order of its edges, or null when there is none; sources[i] → targets[i] are the edges. Source: A. B. Kahn, Topological sorting of large networks, CACM 5 (1962).';

COMMENT ON FUNCTION "private"."flow_edges"(jsonb, jsonb) IS 'The edges that a run keeps: those whose two handles are known. Editors leave others behind; a run drops them with a warning.';

COMMENT ON FUNCTION "private"."flow_findings"(jsonb, jsonb) IS 'What keeps a graph from being run, as an array of {code, path, message}; empty when nothing does. Interflow references are checked by private.take_snapshot, which follows them.';

COMMENT ON FUNCTION "private"."flow_run_result"(uuid) IS 'Does what public.flow_run_result says. Definer, as private.run_for_caller is.';

COMMENT ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) IS 'Does what public.heartbeat_flow_runs says. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."interflow_references"(jsonb) IS 'The flows that a graph calls, with the path that names each; id is null where the path holds no integer.';

COMMENT ON FUNCTION "private"."is_chain_network"(jsonb) IS 'Whether the value is a Solana network: {url: an http(s) address, cluster: devnet | testnet | mainnet-beta}.';

COMMENT ON FUNCTION "private"."is_fees"(jsonb) IS 'Whether the value is a list of [address, amount] pairs: a base58 public key and an integer of lamports from 0 to 2^64-1.';

COMMENT ON FUNCTION "private"."is_public_key"(jsonb) IS 'Whether the value is the base58 text of 32 bytes, a Solana public key.';

COMMENT ON FUNCTION "private"."is_string_map"(jsonb) IS 'Whether the value is an object whose members are all strings.';

COMMENT ON FUNCTION "private"."json_faults"(jsonb) IS 'What is wrong with a JSON value whatever it means: nested too deeply, too large, or no I-JSON (RFC 7493), as an array of {path, message}; empty when nothing is. Its texts need no check: jsonb takes no NUL and no lone surrogates.';

COMMENT ON FUNCTION "private"."keypair_required"() IS 'Raises the one refusal of HARDCODED wallets without a secret.';

COMMENT ON FUNCTION "private"."lamports"(jsonb) IS 'The integer from 0 to 2^64-1 that a number or a string of digits stands for; null for anything else.';

COMMENT ON FUNCTION "private"."node_definition"(public.nodes) IS 'The definition in a row, without what the database keeps about it.';

COMMENT ON FUNCTION "private"."node_definition_faults"(jsonb) IS 'What is wrong with a node definition, as an array of {path, message}; empty when nothing is.';

COMMENT ON FUNCTION "private"."node_definition_shape"() IS 'The shape of a node definition, as private.shape_faults takes it.';

COMMENT ON FUNCTION "private"."node_fault"(jsonb) IS 'What makes a node unreadable for the runner, or null. Source: the node object of the editor''s flow JSON, its mandatory members.';

COMMENT ON FUNCTION "private"."node_poster"() IS 'The calling user, and whether that user''s node definitions are public; 401 unauthenticated without one. Definer: who publishes is private.';

COMMENT ON FUNCTION "private"."pick"(jsonb, text[]) IS 'The named members of an object, as far as it has them; anything else as it is.';

COMMENT ON FUNCTION "private"."pre_request"() IS 'PostgREST runs it before each request: it refuses invalid run tokens, and lets the holder of an API key act as the key''s owner, so that auth.uid() and policies hold on every path. Invoker, since a definer can''t change the role.';

COMMENT ON FUNCTION "private"."read_wallet_secret"(uuid, text) IS 'Does what public.read_wallet_secret says. Definer: the secrets are private.';

COMMENT ON FUNCTION "private"."reduce_edges"(jsonb) IS 'A flow''s edges without what only the editor needs, in the same order.';

COMMENT ON FUNCTION "private"."reduce_nodes"(jsonb) IS 'A flow''s nodes without what only the editor needs (places, sizes, colours, forms), in the same order.';

COMMENT ON FUNCTION "private"."reduce_ports"(jsonb, text[]) IS 'The named members of each port; what is no array of ports as it is.';

COMMENT ON FUNCTION "private"."refuse_faults"(text, jsonb) IS 'Raises 400 with the faults, if there are any: the first as message, all as details.';

COMMENT ON FUNCTION "private"."refuse_latest"() IS 'Raises the one refusal of changes to the tag latest.';

COMMENT ON FUNCTION "private"."refuse_wallet_in_use"(public.wallets) IS 'Raises 409 wallet_in_use while a deployment of the owner names the wallet as action_identity. The caller has locked the wallet''s row, for which _200_check_settings of the deployments waits. Definer: it must see all deployments.';

COMMENT ON FUNCTION "private"."request_claims"() IS 'The claims of the caller, verified by PostgREST, or set by private.pre_request for an API key; {} outside of a request.';

COMMENT ON FUNCTION "private"."request_header"(text) IS 'A header of the request, by its lower-case name; null when it has none.';

COMMENT ON FUNCTION "private"."require_user"() IS 'The id of the calling user; 401 unauthenticated when there is none. Definer for the same reason as private.caller().';

COMMENT ON FUNCTION "private"."rotate_run_token_secret"() IS 'Does what public.rotate_run_token_secret says. Definer: the secrets are private.';

COMMENT ON FUNCTION "private"."run_for_caller"(uuid) IS 'A run, for its owner, who started it, and the holder of its token; for everybody else it does not exist (404 flow_run_not_found). Definer: it is the check itself.';

COMMENT ON FUNCTION "private"."run_token"(uuid) IS 'The token that shows one run to its holder: fr_ and the base64url of run id and HMAC-SHA256(secret, run id). The same run gives the same token, as long as the secret is the same. Definer: the secret is private.';

COMMENT ON FUNCTION "private"."shape_faults"(jsonb, jsonb) IS 'Where a JSON value differs from a shape, as an array of {path, message}; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';

COMMENT ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) IS 'Does what public.start_deployment says. Definer: it reads deployments of others, as far as their start_permission allows, and stores the run.';

COMMENT ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) IS 'Does what public.start_flow says. Definer: it stores a snapshot and the run.';

COMMENT ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) IS 'Does what public.stop_flow_run says. Definer: jobs are private, and nobody else ends runs.';

COMMENT ON FUNCTION "private"."store_progress"(uuid, integer, jsonb, jsonb) IS 'Stores node runs and log lines of a claimed run, replay-safe; 409 claim_lost when the claim is not the newest. Definer: nobody else writes these tables.';

COMMENT ON FUNCTION "private"."store_wallet"(uuid, text, text, text, text, bytea, bytea) IS 'Does what public.store_wallet says. Definer: the secrets are private.';

COMMENT ON FUNCTION "private"."take_snapshot"(integer) IS 'Freezes a flow and all flows that it reaches, as they are now, and returns the snapshot''s key; 422 flow_invalid lists everything that keeps them from running. Definer, since snapshots are private; callers check who asks.';

COMMENT ON FUNCTION "private"."tg_any__before_update_touch"() IS 'Keeps updated_at of the table that it is put on.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__after_insert"() IS 'Moves latest to the new deployment; its description stays. Definer: nobody else may move latest.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_delete"() IS 'Moves latest to the newest of the other deployments, under a lock of the flow. Definer: nobody else may move latest.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_insert"() IS 'Gives the deployment an id greater than those of the flow''s other deployments, under a lock of the flow. Definer: it must see all of them.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_update"() IS 'Refuses changes of a deployment''s read-only columns.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__before_write"() IS 'Refuses settings that are invalid, naming what is wrong, and stores amounts of fees as integers. Definer: it locks the owner''s wallet, whoever writes.';

COMMENT ON FUNCTION "private"."tg_flow_deployments_tags__before_write"() IS 'Keeps everybody, the service role included, from setting, moving or deleting latest.';

COMMENT ON FUNCTION "private"."tg_flows__after_delete"() IS 'A deleted flow takes its runs along. Definer, since nobody deletes runs directly.';

COMMENT ON FUNCTION "private"."tg_flows__before_delete"() IS 'Refuses to delete a flow that has deployments. Definer, since users can''t read auth.users.';

COMMENT ON FUNCTION "private"."tg_flows__before_update"() IS 'Refuses changes of a flow''s read-only columns.';

COMMENT ON FUNCTION "private"."tg_nodes__before_write"() IS 'Refuses what is no node definition, and sets the columns that the database keeps: a definition is the poster''s, and public when the poster is a publisher or the service role.';

COMMENT ON FUNCTION "private"."tg_wallets__before_delete"() IS 'Refuses to delete a wallet that is an action identity. Definer, since users can''t read auth.users.';

COMMENT ON FUNCTION "private"."tg_wallets__before_insert"() IS 'Refuses a HARDCODED wallet, which would have no secret yet.';

COMMENT ON FUNCTION "private"."tg_wallets__before_update"() IS 'Refuses changes of a wallet''s read-only columns. Definer, since the secrets are private.';

COMMENT ON FUNCTION "private"."token_run_id"() IS 'The run that the request''s x-flow-run-token proves to show; null without a valid one. Definer: the secrets are private.';

COMMENT ON FUNCTION "private"."unauthenticated"() IS 'Raises the one refusal of callers who show nothing.';

COMMENT ON FUNCTION "private"."uuid_v7"(timestamp with time zone) IS 'A UUID version 7 of the given time, with the fraction of the millisecond in rand_a (RFC 9562, section 6.2, method 3), so that ids sort by microsecond.';

COMMENT ON FUNCTION "private"."uuid_v7_after"(uuid) IS 'A new UUID version 7 that is greater than `previous` (null: any), even when the clock stood still or was set back.';

COMMENT ON FUNCTION "private"."uuid_v7_time"(uuid) IS 'The time from which private.uuid_v7 made this id, to the microsecond.';

COMMENT ON FUNCTION "private"."whoami"() IS 'Does what public.whoami says. Definer for the same reason as private.caller().';

COMMENT ON FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) IS 'For the runner: stores node runs and log lines of a claimed run and holds the claim for lease_seconds from now (0 hands it back). 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[]) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots; node_runs are what earlier claims stored.';

COMMENT ON FUNCTION "public"."create_api_key"(text) IS 'Makes an API key of the calling user and returns {id, name, prefix, created_at, key}; the key is shown this once. 403 token_required for anonymous users and callers with an API key.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid with all findings.';

COMMENT ON FUNCTION "public"."deployment"(public.flow_run) IS 'The deployment that a run was started from, for embedding: select=*,deployment(*). Empty when it has been deleted.';

COMMENT ON FUNCTION "public"."ended_flow_runs"(uuid[]) IS 'For the functions that wait on behalf of callers: which of these runs have ended.';

COMMENT ON FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) IS 'For the runner: stores the last node runs and log lines, ends the run with its result and removes its message, in one transaction. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."flow_run_result"(uuid) IS 'How a run stands, {status, output, errors}, for its owner, who started it, and the holder of its token. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) IS 'For the runner: holds its claims, [{flow_run_id, message_id, attempt}], for another lease, and returns those that are lost or shall stop.';

COMMENT ON FUNCTION "public"."read_wallet_secret"(uuid, text) IS 'For the runner: the encrypted secret key of a HARDCODED wallet, {key_id, nonce, ciphertext} with bytes as \x and hex, as store_wallet takes them; null when there is none.';

COMMENT ON FUNCTION "public"."rotate_run_token_secret"() IS 'For the service role: from now on run tokens are made with a new secret. Tokens of the secret before stay valid until the next rotation, older ones end.';

COMMENT ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) IS 'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is no user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, for what the caller may not start too; 409 idempotency_key_reused.';

COMMENT ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) IS 'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token}. 401; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid; else as start_deployment.';

COMMENT ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) IS 'Asks a run to stop; the first request counts. No new node starts; what runs is told, and recorded if it ends within timeout_millies. A run that has ended stays as it is. 400 request_invalid; 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) IS 'For the function wallets, which has checked and encrypted the key pair: stores a wallet of the user, by public key, and returns its row without secrets. Without a ciphertext a HARDCODED wallet keeps the one it has; an ADAPTER wallet has none. 400 request_invalid, wallet_keypair_required; 409 wallet_in_use.';

COMMENT ON FUNCTION "public"."whoami"() IS 'The calling user, {user_id, is_anonymous}; 401 unauthenticated or token_invalid.';

COMMENT ON TABLE "private"."api_key_hashes" IS 'SHA-256 of each API key. The keys have 256 random bits, so a plain hash is enough.';

COMMENT ON TABLE "private"."flow_run_jobs" IS 'What the runner needs of a root run and its readers must not see.';

COMMENT ON TABLE "private"."flow_snapshots" IS 'Frozen graphs, stored once each: what deployments and runs execute, whatever happens to the flows. Never updated.';

COMMENT ON TABLE "private"."idempotency_keys" IS 'Starts that carried an Idempotency-Key: for 24 hours the same caller, key and request give the same run.';

COMMENT ON TABLE "private"."node_publishers" IS 'Users whose node definitions are public. Kept in SQL by the project''s administrators; it takes effect with a user''s next post.';

COMMENT ON TABLE "private"."run_token_secrets" IS 'Keys of the run tokens: the current one, the greatest generation, and the one before it. The first is made when the first token is.';

COMMENT ON TABLE "private"."wallet_secrets" IS 'The secret keys of HARDCODED wallets, as ciphertext: the keys that open them are in the environment of the Edge Functions only.';

COMMENT ON TABLE "public"."api_keys" IS 'The API keys of a user, without the keys: create_api_key makes one and shows it once; deleting the row revokes it.';

COMMENT ON TABLE "public"."flow_deployments" IS 'Frozen flows. id, created_at, user_id, entrypoint and snapshot_hash never change; the other columns are the owner''s to customise.';

COMMENT ON TABLE "public"."flow_deployments_tags" IS 'Names for deployments of a flow. latest is kept by triggers and always names the newest; the others are the owner''s.';

COMMENT ON TABLE "public"."flow_run" IS 'Runs of flows: written by functions only, read by the flow''s owner and by whoever started the run.';

COMMENT ON TABLE "public"."flow_run_logs" IS 'What a run and its nodes had to say, in order. Read by the flow''s owner only.';

COMMENT ON TABLE "public"."flows" IS 'Flows as the editor saves them. A flow is run as a deployment, which freezes it, or as it is now.';

COMMENT ON TABLE "public"."node_run" IS 'Executions of nodes: one row per run, node and iteration. Read by the flow''s owner only, since it shows the flow''s constants.';

COMMENT ON TABLE "public"."nodes" IS 'Node definitions, from which front-ends draw nodes. Public ones are read by everybody, a user''s own by that user. id, user_id, is_public, owner_key, node_id, version, created_at and updated_at are kept by the database: what a write says of them is ignored.';

COMMENT ON TABLE "public"."signature_requests" IS 'Signatures that runs wait for: written by functions only, read by the flow''s owner, the user whose key is asked, and the holder of the run''s token.';

COMMENT ON TABLE "public"."wallets" IS 'The wallets of a user, without secrets. A client stores ADAPTER wallets here; a HARDCODED one comes with its key pair, through /wallets/upsert.';

REVOKE ALL ON FUNCTION "private"."api_key_claims"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."api_key_claims"(text) TO "anon";

REVOKE ALL ON FUNCTION "private"."api_key_claims"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."api_key_claims"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."bad_value"(jsonb, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."bad_value"(jsonb, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."bad_value"(jsonb, text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."caller"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."caller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."caller"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."chain_network_faults"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."chain_network_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."chain_network_faults"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_inputs"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_node_definition"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_node_definition"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."check_node_definition"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_node_definition"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_node_definition"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_start"(jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_start"(jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_start"(jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."claim_idempotency_key"(text, text, jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claim_idempotency_key"(text, text, jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claim_idempotency_key"(text, text, jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."create_api_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_api_key"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."create_api_key"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_api_key"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_api_key"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."decode_base58"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."decode_base58"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."decode_base58"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."decode_base58"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."decode_base58"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."ended_flow_runs"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ended_flow_runs"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."ended_flow_runs"(uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."ended_flow_runs"(uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."fees_faults"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fees_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fees_faults"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_cycle"(text[], text[], text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_cycle"(text[], text[], text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_cycle"(text[], text[], text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_edges"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_edges"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_edges"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_findings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_findings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_findings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_run_result"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."flow_run_result"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."flow_run_result"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_result"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_run_result"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interflow_references"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_chain_network"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_chain_network"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_fees"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_fees"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_public_key"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_public_key"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_string_map"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_string_map"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keypair_required"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keypair_required"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."keypair_required"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."keypair_required"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."keypair_required"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."lamports"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lamports"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lamports"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."node_definition"(public.nodes) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."node_definition"(public.nodes) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."node_definition"(public.nodes) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition"(public.nodes) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition"(public.nodes) TO "service_role";

REVOKE ALL ON FUNCTION "private"."node_definition_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."node_definition_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."node_definition_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."node_definition_shape"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."node_definition_shape"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."node_definition_shape"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition_shape"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_definition_shape"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."node_fault"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."node_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_fault"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."node_poster"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."node_poster"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."node_poster"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_poster"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pre_request"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pre_request"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."pre_request"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pre_request"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."pre_request"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."read_wallet_secret"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_wallet_secret"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_wallet_secret"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_wallet_secret"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reduce_edges"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_edges"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_edges"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_nodes"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reduce_ports"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_ports"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_ports"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_faults"(text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_faults"(text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_faults"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_latest"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."refuse_latest"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."refuse_latest"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_latest"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_latest"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."refuse_wallet_in_use"(public.wallets) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_wallet_in_use"(public.wallets) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_wallet_in_use"(public.wallets) TO "postgres";

REVOKE ALL ON FUNCTION "private"."request_claims"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."request_claims"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."request_header"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."request_header"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_user"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_user"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_user"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."rotate_run_token_secret"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."rotate_run_token_secret"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."rotate_run_token_secret"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."rotate_run_token_secret"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."run_for_caller"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."run_for_caller"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."run_for_caller"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."run_token"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."run_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."run_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."shape_faults"(jsonb, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shape_faults"(jsonb, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."shape_faults"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shape_faults"(jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."shape_faults"(jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."stop_flow_run"(uuid, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."store_progress"(uuid, integer, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_progress"(uuid, integer, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_progress"(uuid, integer, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_wallet"(uuid, text, text, text, text, bytea, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_wallet"(uuid, text, text, text, text, bytea, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_wallet"(uuid, text, text, text, text, bytea, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_wallet"(uuid, text, text, text, text, bytea, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_snapshot"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_snapshot"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_snapshot"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_any__before_update_touch"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_any__before_update_touch"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_any__before_update_touch"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__after_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__before_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__before_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__before_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__before_write"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__before_write"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments_tags__before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments_tags__before_write"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments_tags__before_write"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flows__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flows__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flows__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flows__before_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flows__before_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flows__before_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flows__before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flows__before_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flows__before_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_nodes__before_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__before_write"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__before_write"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_wallets__before_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_insert"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_insert"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_wallets__before_insert"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_wallets__before_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_wallets__before_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."token_run_id"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."token_run_id"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."token_run_id"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."token_run_id"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."token_run_id"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."unauthenticated"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unauthenticated"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unauthenticated"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."uuid_v7"(timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uuid_v7"(timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."uuid_v7"(timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."uuid_v7_after"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uuid_v7_after"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."uuid_v7_after"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."uuid_v7_time"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."uuid_v7_time"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."uuid_v7_time"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."whoami"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."whoami"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."whoami"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."whoami"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."whoami"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, bigint, integer, integer, jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."create_api_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."create_api_key"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_api_key"(text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."deployment"(public.flow_run) TO "authenticated";

REVOKE ALL ON FUNCTION "public"."deployment"(public.flow_run) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deployment"(public.flow_run) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deployment"(public.flow_run) TO "service_role";

REVOKE ALL ON FUNCTION "public"."ended_flow_runs"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."ended_flow_runs"(uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."ended_flow_runs"(uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_result"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."flow_run_result"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."heartbeat_flow_runs"(jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."read_wallet_secret"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."read_wallet_secret"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."read_wallet_secret"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."rotate_run_token_secret"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."rotate_run_token_secret"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."rotate_run_token_secret"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."stop_flow_run"(uuid, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_wallet"(uuid, text, text, text, text, bytea, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "public"."whoami"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."whoami"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."whoami"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."whoami"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."whoami"() TO "service_role";

REVOKE ALL ON TABLE "public"."api_keys" FROM "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."api_keys" TO "authenticated";

REVOKE ALL ON TABLE "public"."api_keys" FROM "service_role";

GRANT DELETE, SELECT ON TABLE "public"."api_keys" TO "service_role";

REVOKE ALL ON TABLE "public"."flow_deployments" FROM "authenticated";

GRANT DELETE, SELECT, UPDATE ON TABLE "public"."flow_deployments" TO "authenticated";

REVOKE ALL ON TABLE "public"."flow_deployments" FROM "service_role";

GRANT DELETE, SELECT, UPDATE ON TABLE "public"."flow_deployments" TO "service_role";

REVOKE ALL ON TABLE "public"."flow_deployments_tags" FROM "authenticated";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."flow_deployments_tags" TO "authenticated";

REVOKE ALL ON TABLE "public"."flow_deployments_tags" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."flow_deployments_tags" TO "service_role";

REVOKE ALL ON TABLE "public"."flow_run" FROM "anon";

GRANT SELECT ON TABLE "public"."flow_run" TO "anon";

REVOKE ALL ON TABLE "public"."flow_run" FROM "authenticated";

GRANT SELECT ON TABLE "public"."flow_run" TO "authenticated";

REVOKE ALL ON TABLE "public"."flow_run" FROM "service_role";

GRANT SELECT ON TABLE "public"."flow_run" TO "service_role";

REVOKE ALL ON TABLE "public"."flow_run_logs" FROM "authenticated";

GRANT SELECT ON TABLE "public"."flow_run_logs" TO "authenticated";

REVOKE ALL ON TABLE "public"."flow_run_logs" FROM "service_role";

GRANT SELECT ON TABLE "public"."flow_run_logs" TO "service_role";

REVOKE ALL ON TABLE "public"."flows" FROM "authenticated";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."flows" TO "authenticated";

REVOKE ALL ON TABLE "public"."flows" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."flows" TO "service_role";

REVOKE ALL ON TABLE "public"."node_run" FROM "authenticated";

GRANT SELECT ON TABLE "public"."node_run" TO "authenticated";

REVOKE ALL ON TABLE "public"."node_run" FROM "service_role";

GRANT SELECT ON TABLE "public"."node_run" TO "service_role";

REVOKE ALL ON TABLE "public"."nodes" FROM "anon";

GRANT SELECT ON TABLE "public"."nodes" TO "anon";

REVOKE ALL ON TABLE "public"."nodes" FROM "authenticated";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."nodes" TO "authenticated";

REVOKE ALL ON TABLE "public"."nodes" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."nodes" TO "service_role";

REVOKE ALL ON TABLE "public"."signature_requests" FROM "anon";

GRANT SELECT ON TABLE "public"."signature_requests" TO "anon";

REVOKE ALL ON TABLE "public"."signature_requests" FROM "authenticated";

GRANT SELECT ON TABLE "public"."signature_requests" TO "authenticated";

REVOKE ALL ON TABLE "public"."signature_requests" FROM "service_role";

GRANT SELECT ON TABLE "public"."signature_requests" TO "service_role";

REVOKE ALL ON TABLE "public"."wallets" FROM "authenticated";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."wallets" TO "authenticated";

REVOKE ALL ON TABLE "public"."wallets" FROM "service_role";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "public"."wallets" TO "service_role";

ALTER TABLE "public"."flow_deployments_tags"
  ADD CONSTRAINT "flow_deployments_tags_deployment_id_fkey" FOREIGN KEY (deployment_id, entrypoint, user_id) REFERENCES public.flow_deployments(id, entrypoint, user_id)
    ON DELETE CASCADE;

CREATE INDEX flow_deployments_tags_deployment_id_idx ON public.flow_deployments_tags USING btree (deployment_id, entrypoint, user_id);

CREATE INDEX flow_deployments_tags_entrypoint_user_id_idx ON public.flow_deployments_tags USING btree (entrypoint, user_id);

CREATE INDEX flow_deployments_tags_user_id_idx ON public.flow_deployments_tags USING btree (user_id);

CREATE POLICY "flow_deployments_tags_delete_owner" ON "public"."flow_deployments_tags"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_tags_insert_owner" ON "public"."flow_deployments_tags"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_tags_select_owner" ON "public"."flow_deployments_tags"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flow_deployments_tags_update_owner" ON "public"."flow_deployments_tags"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

ALTER TABLE "public"."flow_run"
  ADD COLUMN "id" uuid NOT NULL DEFAULT private.uuid_v7();

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_pkey" PRIMARY KEY (id);

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "private"."idempotency_keys"
  ADD CONSTRAINT "idempotency_keys_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED;

ALTER TABLE "public"."flow_run_logs"
  ADD CONSTRAINT "flow_run_logs_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "public"."node_run"
  ADD CONSTRAINT "node_run_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

CREATE INDEX flow_run_deployment_id_idx ON public.flow_run USING btree (deployment_id, id DESC);

CREATE INDEX flow_run_flow_id_idx ON public.flow_run USING btree (flow_id, id DESC);

CREATE INDEX flow_run_started_by_idx ON public.flow_run USING btree (started_by, id DESC)
  WHERE (started_by IS NOT NULL);

CREATE INDEX flow_run_user_id_idx ON public.flow_run USING btree (user_id, id DESC);

CREATE POLICY "flow_run_select_owner_starter_token" ON "public"."flow_run"
  FOR SELECT
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) OR (started_by = ( SELECT auth.uid() AS uid)) OR (id = ( SELECT private.token_run_id() AS token_run_id))));

CREATE POLICY "flow_run_select_token" ON "public"."flow_run"
  FOR SELECT
  TO "anon"
  USING ((id = ( SELECT private.token_run_id() AS token_run_id)));

ALTER TABLE "public"."flow_run"
  ADD COLUMN "created_at" timestamp WITH time zone GENERATED ALWAYS AS (private.uuid_v7_time(id)) STORED NOT NULL;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "start_time" timestamp WITH time zone;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "end_time" timestamp WITH time zone;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "parent_flow_run_id" uuid;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "parent_node_id" uuid;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "parent_times" integer;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "output_instructions" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "action_identity" text;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "action_signer" text;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "fees" jsonb NOT NULL DEFAULT '[]'::jsonb;

ALTER TABLE "public"."flow_run"
  ADD COLUMN "chain_network" jsonb NOT NULL;

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_child_without_deployment" CHECK (((parent_flow_run_id IS NULL) OR (deployment_id IS NULL)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_end_time_matches_status" CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'stopped'::text])) = (end_time IS NOT NULL)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_output_after_end" CHECK (((output IS NULL) OR (end_time IS NOT NULL)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_parent_complete" CHECK ((num_nulls(parent_flow_run_id, parent_node_id, parent_times) = ANY (ARRAY[0, 3])));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_parent_flow_run_id_fkey" FOREIGN KEY (parent_flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_start_time_matches_status" CHECK (
CASE
    WHEN (status = 'queued'::text) THEN (start_time IS NULL)
    WHEN (status = ANY (ARRAY['running'::text, 'waiting'::text, 'succeeded'::text])) THEN (start_time IS NOT NULL)
    ELSE true
END);

CREATE INDEX flow_run_parent_flow_run_id_idx ON public.flow_run USING btree (parent_flow_run_id)
  WHERE (parent_flow_run_id IS NOT NULL);

COMMENT ON COLUMN "public"."flow_run"."action_signer" IS 'Public key that signs and sends for the action identity.';

COMMENT ON COLUMN "public"."flow_run"."chain_network" IS 'The Solana network of this run, {cluster}; its address is the runner''s only.';

COMMENT ON COLUMN "public"."flow_run"."parent_flow_run_id" IS 'For an interflow child: the run whose node called it, with parent_node_id and parent_times.';

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_entrypoint_fkey" FOREIGN KEY (entrypoint, user_id) REFERENCES public.flows(id, user_id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_deployments_tags"
  ADD CONSTRAINT "flow_deployments_tags_entrypoint_fkey" FOREIGN KEY (entrypoint, user_id) REFERENCES public.flows(id, user_id) ON DELETE CASCADE;

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX flows_user_id_idx ON public.flows USING btree (user_id);

CREATE POLICY "flows_delete_owner" ON "public"."flows"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flows_insert_owner" ON "public"."flows"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "flows_select_owner_or_public" ON "public"."flows"
  FOR SELECT
  TO "authenticated"
  USING (((user_id = ( SELECT auth.uid() AS uid)) OR is_public));

CREATE POLICY "flows_update_owner" ON "public"."flows"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "id" uuid NOT NULL DEFAULT private.uuid_v7();

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_pkey" PRIMARY KEY (id);

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "created_at" timestamp WITH time zone GENERATED ALWAYS AS (private.uuid_v7_time(id)) STORED NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "flow_run_id" uuid NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "root_flow_run_id" uuid NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "owner_id" uuid NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "user_id" uuid;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "pubkey" text NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "msg" text NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "signatures" jsonb;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "signature" text;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "new_msg" text;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "expires_at" timestamp WITH time zone NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_new_msg_signed" CHECK (((new_msg IS NULL) OR (signature IS NOT NULL)));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_owner_id_fkey" FOREIGN KEY (owner_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_root_flow_run_id_fkey" FOREIGN KEY (root_flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_signatures_array" CHECK ((jsonb_typeof(signatures) = 'array'::text));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

CREATE INDEX signature_requests_flow_run_id_idx ON public.signature_requests USING btree (flow_run_id);

CREATE INDEX signature_requests_owner_id_idx ON public.signature_requests USING btree (owner_id);

CREATE INDEX signature_requests_root_flow_run_id_idx ON public.signature_requests USING btree (root_flow_run_id, id);

CREATE INDEX signature_requests_user_id_idx ON public.signature_requests USING btree (user_id);

CREATE POLICY "signature_requests_select_party" ON "public"."signature_requests"
  FOR SELECT
  TO "authenticated"
  USING (((owner_id = ( SELECT auth.uid() AS uid)) OR (user_id = ( SELECT auth.uid() AS uid)) OR (root_flow_run_id = ( SELECT private.token_run_id() AS token_run_id))));

CREATE POLICY "signature_requests_select_token" ON "public"."signature_requests"
  FOR SELECT
  TO "anon"
  USING ((root_flow_run_id = ( SELECT private.token_run_id() AS token_run_id)));

COMMENT ON COLUMN "public"."signature_requests"."expires_at" IS 'Without an answer until then the request has failed.';

COMMENT ON COLUMN "public"."signature_requests"."flow_run_id" IS 'The run that waits; root_flow_run_id is the run that was started, which its token shows.';

COMMENT ON COLUMN "public"."signature_requests"."msg" IS 'What to sign, base64 of the message''s bytes.';

COMMENT ON COLUMN "public"."signature_requests"."new_msg" IS 'The message that was signed instead, base64, where the wallet changed it.';

COMMENT ON COLUMN "public"."signature_requests"."owner_id" IS 'The owner of the flow.';

COMMENT ON COLUMN "public"."signature_requests"."pubkey" IS 'The key that shall sign, base58.';

COMMENT ON COLUMN "public"."signature_requests"."signature" IS 'The answer, base58; null as long as there is none.';

COMMENT ON COLUMN "public"."signature_requests"."signatures" IS 'Signatures that are known already, [{pubkey, signature}]; null when there are none.';

COMMENT ON COLUMN "public"."signature_requests"."user_id" IS 'The user whose key is asked, where the run was started by one.';

ALTER TABLE "public"."wallets"
  ADD CONSTRAINT "wallets_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "wallets_delete_owner" ON "public"."wallets"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "wallets_insert_owner" ON "public"."wallets"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "wallets_select_owner" ON "public"."wallets"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "wallets_update_owner" ON "public"."wallets"
  FOR UPDATE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)))
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_action_identity_public_key" CHECK (private.is_public_key(to_jsonb(action_identity)));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_chain_network_valid" CHECK (private.is_chain_network(chain_network));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_fees_valid" CHECK (private.is_fees(fees));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_action_identity_valid" CHECK (private.is_public_key(to_jsonb(action_identity)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_action_signer_valid" CHECK (private.is_public_key(to_jsonb(action_signer)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_fees_valid" CHECK (private.is_fees(fees));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_started_by_public_key_valid" CHECK (private.is_public_key(to_jsonb(started_by_public_key)));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_chain_network_valid" CHECK (private.is_chain_network(chain_network));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_environment_strings" CHECK (private.is_string_map(environment));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_pubkey_valid" CHECK (private.is_public_key(to_jsonb(pubkey)));

ALTER TABLE "public"."wallets"
  ADD CONSTRAINT "wallets_public_key_valid" CHECK (private.is_public_key(to_jsonb(public_key)));
