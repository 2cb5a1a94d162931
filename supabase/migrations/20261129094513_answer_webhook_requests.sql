SET local check_function_bodies = off;

DROP TRIGGER "_200_check" ON "public"."flow_webhooks";

DROP FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb);

DROP FUNCTION "private"."receive_webhook"(text, text, jsonb);

DROP FUNCTION "private"."start_webhook"(public.flow_webhooks, text, jsonb);

DROP FUNCTION "private"."webhook_form"(text);

DROP FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb);

DROP FUNCTION "public"."receive_webhook"(text, text, jsonb);

ALTER TABLE "public"."flow_webhooks"
  ADD COLUMN "whole_request" boolean NOT NULL DEFAULT false;

ALTER TABLE "public"."flow_webhooks"
  ADD COLUMN "respond" boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION private.create_webhook (
  input         text,
  flow          integer,
  tag           text,
  deployment_id uuid,
  headers       text[],
  verification  text,
  secret        text,
  hmac          jsonb,
  whole_request boolean,
  respond       boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_token text;
  v_webhook public.flow_webhooks;
begin
  v_token := private.new_token('fh_');
  insert into public.flow_webhooks as w (
    user_id, prefix, flow, tag, deployment_id, input, headers, verification, hmac, whole_request, respond
  )
  values (
    v_user_id, substr(v_token, 1, 10), create_webhook.flow, create_webhook.tag, create_webhook.deployment_id,
    create_webhook.input, coalesce(create_webhook.headers, '{}'), create_webhook.verification, create_webhook.hmac,
    coalesce(create_webhook.whole_request, false), coalesce(create_webhook.respond, false)
  )
  returning w.* into v_webhook;
  insert into private.flow_webhook_secrets (webhook_id, token_hash, verification_secret)
  values (
    v_webhook.id, sha256(convert_to(v_token, 'UTF8')),
    private.webhook_secret_bytes(create_webhook.verification, create_webhook.secret)
  );
  return private.webhook_for_owner(v_webhook)
    || jsonb_build_object('url', concat(private.project_url(), '/functions/v1/deployment/hook/', v_token));
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

CREATE OR REPLACE FUNCTION private.is_secret_header (
  name text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT (name ~ 'authorization|authenticat|cookie|api-?key|token|secret|passw|credential|signature|hmac|jwt'::text);
END;

CREATE OR REPLACE FUNCTION private.receive_webhook (
  token   text,
  body    text,
  headers jsonb,
  query   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_webhook public.flow_webhooks := private.webhook_of_token(receive_webhook.token);
  v_run_id uuid;
  v_error jsonb;
  v_answer text;
begin
  if not private.is_string_map(receive_webhook.headers)
    or octet_length(receive_webhook.headers::text) > private.limit_webhook_headers_bytes()
  then
    perform private.fail('request_invalid', format(
      'headers: must be an object of strings, of at most %s.', private.size_text(private.limit_webhook_headers_bytes())
    ));
  end if;
  if octet_length(receive_webhook.query) > private.limit_webhook_headers_bytes() then
    perform private.fail('request_invalid', format(
      'query: must have at most %s.', private.size_text(private.limit_webhook_headers_bytes())
    ));
  end if;
  begin
    v_run_id := private.start_webhook(
      v_webhook, receive_webhook.body, receive_webhook.headers, receive_webhook.query
    );
  exception when sqlstate 'PGRST' then
    get stacked diagnostics v_error := message_text, v_answer := pg_exception_detail;
  end;
  perform private.note_webhook(v_webhook.id, v_run_id, (v_error ->> 'code') || ': ' || (v_error ->> 'message'));
  if v_error is null then
    return jsonb_build_object('flow_run_id', v_run_id)
      || case when v_webhook.respond then '{"respond": true}'::jsonb else '{}' end;
  end if;
  -- Return the error as the response. If it were raised, Postgres would roll back the result that note_webhook stored.
  perform set_config('response.status', v_answer::jsonb ->> 'status', true);
  perform set_config('response.headers', jsonb_agg(jsonb_build_object(h.name, h.value))::text, true)
  from jsonb_each(v_answer::jsonb -> 'headers') as h (name, value) having count(*) > 0;
  return v_error;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_webhook (
  webhook public.flow_webhooks,
  body    text,
  headers jsonb,
  query   text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller private.caller;
  v_deployment public.flow_deployments;
  v_body jsonb;
begin
  if start_webhook.webhook.verification is not null and not private.is_webhook_verified(
    start_webhook.webhook.verification,
    (select s.verification_secret from private.flow_webhook_secrets as s where s.webhook_id = start_webhook.webhook.id),
    start_webhook.body, start_webhook.headers, start_webhook.webhook.hmac
  ) then
    perform private.fail('webhook_signature_invalid', 'The signature or its time is missing, wrong or too old.');
  end if;
  v_caller.chain_depth := private.chain_depth(start_webhook.headers);
  v_body := private.webhook_body(start_webhook.webhook.verification, start_webhook.body, start_webhook.headers);

  v_caller.user_id := start_webhook.webhook.user_id;
  v_caller.webhook_id := start_webhook.webhook.id;
  -- Lock user, deployment and webhook in the order in which a deletion locks them, to prevent deadlocks.
  perform from auth.users as u where u.id = v_caller.user_id and u.deleted_at is null for key share;
  if not found then
    perform private.refuse_webhook();
  end if;
  v_deployment := private.startable_deployment(
    start_webhook.webhook.deployment_id, start_webhook.webhook.flow, start_webhook.webhook.tag, v_caller, null, true
  );
  -- Lock the webhook: after its owner has been told that it is deleted, it must not start another run.
  perform from public.flow_webhooks as w where w.id = start_webhook.webhook.id and w.is_active for key share;
  if not found then
    perform private.refuse_webhook();
  end if;

  return private.enqueue_run(
    v_deployment, v_caller, '{}',
    jsonb_build_object(start_webhook.webhook.input, private.webhook_value(
      start_webhook.webhook, v_body, start_webhook.headers, start_webhook.query
    )),
    null,
    private.webhook_delivery_id(start_webhook.webhook, v_body, start_webhook.headers),
    -- Pass an empty request, so that enqueue_run compares only the ids. If it got the real requests, it would refuse a
    -- second one that has the same id but another content. But two attempts of one delivery may differ: Stripe changes
    -- a member of an event at each attempt.
    '{}'
  ) ->> 'flow_run_id';
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_webhooks__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.flow is not null then
    new.tag := coalesce(new.tag, 'latest');
  end if;
  if num_nulls(new.input, new.headers, new.whole_request, new.respond, new.is_active) > 0 then
    perform private.refuse_column(
      case
        when new.input is null then 'input'
        when new.headers is null then 'headers'
        when new.whole_request is null then 'whole_request'
        when new.respond is null then 'respond'
        else 'is_active'
      end,
      'must not be null'
    );
  end if;
  perform private.check_json_column('hmac', new.hmac, 16384);
  new.hmac := private.webhook_hmac(new.hmac);
  new.headers := array(
    select lower(h.name) from unnest(new.headers) with ordinality as h (name, place) order by h.place
  );
  if (new.flow, new.deployment_id) is distinct from (old.flow, old.deployment_id) then
    perform private.check_own_target(new.user_id, new.flow, new.deployment_id);
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.webhook_form (
  body text,
  what text DEFAULT 'form'::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_form jsonb;
  v_fields bigint;
begin
  if length(webhook_form.body) - length(replace(webhook_form.body, '&', '')) >= private.limit_form_fields() then
    perform private.fail('request_invalid', format(
      'The %s has more than %s fields.', webhook_form.what, private.limit_form_fields()
    ));
  end if;
  select coalesce(jsonb_object_agg(n.name, private.form_text(substr(f.field, strpos(f.field || '=', '=') + 1))), '{}'),
    count(*)
  into v_form, v_fields
  from string_to_table(webhook_form.body, '&') as f (field)
  cross join private.form_text(split_part(f.field, '=', 1)) as n (name)
  where f.field <> '';
  if v_fields > (select count(*) from jsonb_object_keys(v_form)) then
    perform private.fail('request_invalid', format('The %s has two fields with the same name.', webhook_form.what));
  end if;
  return v_form;
exception when character_not_in_repertoire then
  perform private.fail('request_invalid', format('The %s ', webhook_form.what) || case
    when strpos(webhook_form.body, '%00') > 0 then 'holds NUL (%00), which can''t be stored.'
    else 'is not UTF-8.'
  end);
end;
$function$;

CREATE OR REPLACE FUNCTION private.webhook_value (
  webhook public.flow_webhooks,
  body    jsonb,
  headers jsonb,
  query   text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_webhook constant public.flow_webhooks := webhook_value.webhook;
  v_headers jsonb;
begin
  if not v_webhook.whole_request and v_webhook.headers = '{}' then
    return webhook_value.body;
  end if;
  select coalesce(jsonb_object_agg(h.name, h.value), '{}') into v_headers
  from jsonb_each(webhook_value.headers) as h (name, value)
  where case
    when v_webhook.whole_request
      then not private.is_secret_header(h.name) and h.name is distinct from v_webhook.hmac ->> 'header'
    else h.name = any (v_webhook.headers)
  end;
  return jsonb_build_object('body', webhook_value.body, 'headers', v_headers) || case
    -- Supabase takes the project's key as a header or as the parameter apikey.
    when v_webhook.whole_request then jsonb_build_object(
      'query', private.webhook_form(webhook_value.query, 'query') - 'apikey', 'method', 'POST'
    )
    else '{}'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION public.create_webhook (
  input         text,
  flow          integer DEFAULT NULL::integer,
  tag           text    DEFAULT NULL::text,
  deployment_id uuid    DEFAULT NULL::uuid,
  headers       text[]  DEFAULT '{}'::text[],
  verification  text    DEFAULT NULL::text,
  secret        text    DEFAULT NULL::text,
  hmac          jsonb   DEFAULT NULL::jsonb,
  whole_request boolean DEFAULT false,
  respond       boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.create_webhook(
    input, flow, tag, deployment_id, headers, verification, secret, hmac, whole_request, respond
  );
$function$;

CREATE OR REPLACE FUNCTION public.receive_webhook (
  token   text,
  body    text,
  headers jsonb DEFAULT '{}'::jsonb,
  query   text  DEFAULT ''::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.receive_webhook(token, body, headers, query);
$function$;

REVOKE ALL ON FUNCTION "public"."receive_webhook"(text, text, jsonb, text) FROM PUBLIC, "authenticated", "service_role";

CREATE TRIGGER _200_check
  BEFORE INSERT OR UPDATE OF user_id, flow, TAG, deployment_id, INPUT, headers, hmac, whole_request, respond, is_active ON public.flow_webhooks
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_webhooks__before_write();

COMMENT ON COLUMN "public"."flow_webhooks"."input" IS 'The flow''s input that gets each request as JSON, converted to the input''s types. The JSON is the body, {body, headers} if the column headers names any, or {body, headers, query, method} if whole_request is true.';

COMMENT ON COLUMN "public"."flow_webhooks"."respond" IS 'If true, a request waits for the end of its run, and gets the output of the run as its answer.';

COMMENT ON COLUMN "public"."flow_webhooks"."whole_request" IS 'If true, the input gets {body, headers, query, method}. The headers are all headers of the request, without those of credentials and signatures.';

COMMENT ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) IS 'Implements public.create_webhook. Definer, because no API role may insert webhooks.';

COMMENT ON FUNCTION "private"."is_secret_header"(text) IS 'Whether a header, by its lower-case name, may carry a credential or a signature.';

COMMENT ON FUNCTION "private"."limit_webhook_headers_bytes"() IS 'Limit in bytes: headers of a request to an incoming webhook; also its query.';

COMMENT ON FUNCTION "private"."receive_webhook"(text, text, jsonb, text) IS 'Implements public.receive_webhook. Definer, because it reads webhooks of other users.';

COMMENT ON FUNCTION "private"."start_webhook"(public.flow_webhooks, text, jsonb, text) IS 'If the request is verified, starts the deployment of a webhook as its owner, and returns the run. If an earlier request within 24 hours had the same id, returns the run of that request. Definer, because no API role may insert runs.';

COMMENT ON FUNCTION "private"."webhook_form"(text, text) IS 'The fields of a form, or of the query of an address, as an object of strings; {} for an empty one. `what` names it in errors. 400 request_invalid if two fields have the same name, if there are more than 1000 fields, or if a text is not UTF-8.';

COMMENT ON FUNCTION "private"."webhook_value"(public.flow_webhooks, jsonb, jsonb, text) IS 'The JSON that the input of a webhook gets from a request: its body, {body, headers}, or {body, headers, query, method}. 400 request_invalid for a malformed query.';

COMMENT ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) IS 'Makes an incoming webhook of the calling user. Returns its row with url, shown only this once. POST to the URL starts the deployment as its owner. 400 column_invalid, inputs_invalid, request_invalid; 401; 404 flow_not_found, deployment_not_found; 409 quota_exceeded.';

COMMENT ON FUNCTION "public"."receive_webhook"(text, text, jsonb, text) IS 'For POST /deployment/hook/{token}: verifies a request to a webhook, starts its deployment and returns {flow_run_id}, with respond if the sender waits for the run. 400; 401 webhook_signature_invalid; 404 webhook_not_found, deployment_not_found; 409 webhook_loop; 413; 415; 429.';

REVOKE ALL ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_secret_header"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_secret_header"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_secret_header"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."receive_webhook"(text, text, jsonb, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."receive_webhook"(text, text, jsonb, text) TO "anon";

REVOKE ALL ON FUNCTION "private"."receive_webhook"(text, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."receive_webhook"(text, text, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_webhook"(public.flow_webhooks, text, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_webhook"(public.flow_webhooks, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_webhook"(public.flow_webhooks, text, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."webhook_form"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."webhook_form"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."webhook_form"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."webhook_value"(public.flow_webhooks, jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."webhook_value"(public.flow_webhooks, jsonb, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."webhook_value"(public.flow_webhooks, jsonb, jsonb, text) TO "postgres";

REVOKE ALL ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."create_webhook"(text, integer, text, uuid, text[], text, text, jsonb, boolean, boolean) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."receive_webhook"(text, text, jsonb, text) TO "anon";

REVOKE ALL ON FUNCTION "public"."receive_webhook"(text, text, jsonb, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."receive_webhook"(text, text, jsonb, text) TO "postgres";

ALTER TABLE "public"."flow_webhooks"
  ADD CONSTRAINT "flow_webhooks_whole_request_has_all_headers"
    CHECK
    (((NOT whole_request) OR (headers = '{}'::text[]) OR private.refuse_column('headers'::text,
    'must be empty if whole_request is true, because the input then gets all headers'::text)));
