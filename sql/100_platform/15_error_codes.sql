-- Written by npm run db:diff from types/errors.ts and types/run_errors.ts, in which changes are made.

create function private.error_status(code text)
returns integer
language sql immutable security invoker
begin atomic
  select case
    when error_status.code in (
      'request_invalid', 'count_inexact', 'pattern_filter_refused', 'inputs_invalid', 'answer_invalid',
      'public_key_invalid', 'idempotency_key_invalid', 'column_invalid', 'column_read_only',
      'start_permission_invalid', 'name_invalid', 'description_invalid', 'icon_url_invalid', 'fees_invalid',
      'chain_network_invalid', 'max_starts_per_minute_invalid', 'max_runs_in_flight_invalid', 'queue_key_invalid',
      'max_running_per_key_invalid', 'max_starts_per_key_invalid', 'key_period_seconds_invalid',
      'debounce_seconds_invalid', 'debounce_max_seconds_invalid', 'on_end_invalid', 'model_limits_invalid',
      'action_identity_invalid', 'action_identity_without_wallet', 'node_definition_invalid', 'row_start_invalid',
      'start_target_ambiguous', 'action_signer_invalid', 'priority_invalid', 'environment_invalid',
      'partial_config_invalid', 'wallet_key_mismatch', 'wallet_keypair_required', 'signature_invalid',
      'transaction_changed', 'kv_store_name_invalid', 'kv_key_invalid', 'kv_value_invalid'
    ) then 400
    when error_status.code in (
      'unauthenticated', 'token_invalid', 'api_key_invalid', 'webhook_signature_invalid'
    ) then 401
    when error_status.code in (
      'token_required'
    ) then 403
    when error_status.code in (
      'route_not_found', 'api_key_not_found', 'flow_not_found', 'deployment_not_found', 'flow_version_not_found',
      'flow_run_not_found', 'webhook_delivery_not_found', 'pending_input_not_found', 'webhook_not_found',
      'signature_request_not_found', 'wallet_not_found', 'connection_not_found', 'kv_item_not_found',
      'kv_store_not_found'
    ) then 404
    when error_status.code in (
      'method_not_allowed'
    ) then 405
    when error_status.code in (
      'body_timeout'
    ) then 408
    when error_status.code in (
      'idempotency_key_reused', 'quota_exceeded', 'flow_changed', 'flow_has_deployments', 'tag_latest_protected',
      'webhook_answer_failed', 'webhook_loop', 'start_loop', 'run_failed', 'action_failed', 'run_stopped',
      'run_not_ended', 'run_succeeded', 'run_redriven', 'run_not_redrivable', 'redrive_graph_changed',
      'outcome_unknown', 'pending_input_answered', 'claim_lost', 'wallet_in_use', 'signature_request_answered',
      'signature_request_expired', 'connection_changed', 'connection_in_use', 'kv_store_exists', 'kv_stores_limit'
    ) then 409
    when error_status.code in (
      'body_too_large', 'flows_too_large', 'inputs_too_large', 'kv_size_limit'
    ) then 413
    when error_status.code in (
      'media_type_unsupported'
    ) then 415
    when error_status.code in (
      'flow_invalid', 'connection_test_failed', 'document_unreadable'
    ) then 422
    when error_status.code in (
      'too_many_requests', 'queue_full', 'start_limit_reached', 'action_lookups_limit'
    ) then 429
    when error_status.code in (
      'internal'
    ) then 500
    when error_status.code in (
      'service_unavailable'
    ) then 503
  end;
end;
comment on function private.error_status(text) is
  'The HTTP status of an error code; null for an unknown code.';
grant execute on function private.error_status(text) to anon, authenticated, service_role;

create function private.run_error_codes()
returns text[]
language sql immutable security invoker
begin atomic
  select array[
    'bad_config', 'connection_missing', 'connection_token_failed', 'connection_unreadable',
    'connection_url_refused', 'definition_invalid', 'effect_already_done', 'expression_failed',
    'input_address_unknown', 'input_cancelled', 'input_expired', 'kv_key_invalid', 'kv_size_limit',
    'kv_store_exists', 'kv_store_name_invalid', 'kv_store_not_found', 'kv_stores_limit', 'kv_value_invalid',
    'model_answer_invalid', 'model_call_too_long', 'model_limit_reached', 'node_cpu_limit',
    'node_executions_limit', 'node_not_implemented', 'node_timeout', 'open_nodes_limit', 'outcome_unknown',
    'output_too_large', 'project_address_unknown', 'quota_exceeded', 'run_outputs_limit', 'run_size_limit',
    'run_time_limit', 'storage_denied', 'storage_not_configured', 'value_missing', 'worker_lost'
  ];
end;
comment on function private.run_error_codes() is
  'The codes with which runs and nodes fail, including those of key-value stores.';
