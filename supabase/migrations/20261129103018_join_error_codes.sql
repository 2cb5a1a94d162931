SET local check_function_bodies = off;

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
             WHEN (code = ANY (ARRAY['flow_invalid'::text, 'connection_test_failed'::text, 'document_unreadable'::text])) THEN 422
             WHEN (code = ANY (ARRAY['too_many_requests'::text, 'queue_full'::text, 'start_limit_reached'::text, 'action_lookups_limit'::text])) THEN 429
             WHEN (code = 'internal'::text) THEN 500
             WHEN (code = 'service_unavailable'::text) THEN 503
             ELSE NULL::integer
         END
  AS "case";
END;
