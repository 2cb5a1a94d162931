-- The schema of release 0.3.0, from the files in sql/ of that release.

-- Functions may name tables of later files.
set check_function_bodies = off;

-- sql/100_platform/10_platform.sql

-- Create the extensions before the default privileges change below. So the objects of the extensions get the privileges
-- that they have on every Supabase project.
create extension if not exists pgmq;

create schema private;
comment on schema private is
  'Tables and functions that PostgREST does not expose. API roles may execute only the functions that are granted to them by name.';
grant usage on schema private to anon, authenticated, service_role;

-- From here on, a role has a privilege on a new object only if a file grants it.
alter default privileges for role postgres revoke execute on functions from public;
alter default privileges for role postgres in schema public revoke all on tables from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on functions
  from anon, authenticated, service_role;
alter default privileges for role postgres in schema public revoke all on sequences
  from anon, authenticated, service_role;

-- The queue of runs to execute. The runner claims messages from this queue.
select pgmq.create('flow_runs');

-- sql/100_platform/15_error_codes.sql

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
      'chain_network_invalid', 'max_starts_per_minute_invalid', 'max_runs_in_flight_invalid', 'on_end_invalid',
      'action_identity_invalid', 'action_identity_without_wallet', 'node_definition_invalid',
      'start_target_ambiguous', 'action_signer_invalid', 'environment_invalid', 'partial_config_invalid',
      'wallet_key_mismatch', 'wallet_keypair_required', 'signature_invalid', 'transaction_changed',
      'kv_store_name_invalid', 'kv_key_invalid', 'kv_value_invalid'
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
      'webhook_loop', 'start_loop', 'run_failed', 'action_failed', 'run_stopped', 'run_not_ended', 'run_succeeded',
      'run_redriven', 'run_not_redrivable', 'redrive_graph_changed', 'outcome_unknown', 'pending_input_answered',
      'claim_lost', 'wallet_in_use', 'signature_request_answered', 'signature_request_expired', 'connection_changed',
      'connection_in_use', 'kv_store_exists', 'kv_stores_limit'
    ) then 409
    when error_status.code in (
      'body_too_large', 'flows_too_large', 'inputs_too_large', 'kv_size_limit'
    ) then 413
    when error_status.code in (
      'media_type_unsupported'
    ) then 415
    when error_status.code in (
      'flow_invalid', 'connection_test_failed'
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
    'connection_url_refused', 'effect_already_done', 'expression_failed', 'input_address_unknown',
    'input_cancelled', 'input_expired', 'kv_key_invalid', 'kv_size_limit', 'kv_store_exists',
    'kv_store_name_invalid', 'kv_store_not_found', 'kv_stores_limit', 'kv_value_invalid', 'node_cpu_limit',
    'node_executions_limit', 'node_not_implemented', 'node_timeout', 'open_nodes_limit', 'outcome_unknown',
    'output_too_large', 'project_address_unknown', 'quota_exceeded', 'run_outputs_limit', 'run_size_limit',
    'run_time_limit', 'storage_denied', 'storage_not_configured', 'value_missing', 'worker_lost'
  ];
end;
comment on function private.run_error_codes() is
  'The codes with which runs and nodes fail, including those of key-value stores.';

-- sql/100_platform/16_limits.sql

-- Written by npm run db:diff from types/limits/, in which changes are made.

create function private.limit_number_digits()
returns integer
language sql immutable security invoker
return 400;
comment on function private.limit_number_digits() is
  'Limit in digits: a stored number in JSON: its digits before and after the point together.';

create function private.limit_value_levels()
returns integer
language sql immutable security invoker
return 64;
comment on function private.limit_value_levels() is
  'Limit in levels: arrays and maps within each other, in a value and in JSON from an HTTP response.';

create function private.limit_json_levels()
returns integer
language sql immutable security invoker
return 136;
comment on function private.limit_json_levels() is
  'Limit in levels: JSON of a body, and of a column.';

create function private.limit_number_characters()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_number_characters() is
  'Limit in characters: text of a number.';

create function private.limit_body_bytes()
returns integer
language sql immutable security invoker
return 1048576;
comment on function private.limit_body_bytes() is
  'Limit in bytes: body of a request.';

create function private.limit_inputs_bytes()
returns integer
language sql immutable security invoker
return 1048576;
comment on function private.limit_inputs_bytes() is
  'Limit in bytes: `inputs` of a start, and an answer to a pending input with its tags.';

create function private.limit_plain_values()
returns integer
language sql immutable security invoker
return 104857;
comment on function private.limit_plain_values() is
  'Limit in values: `values` of a start, and JSON of a request to a webhook.';

create function private.limit_url_characters()
returns integer
language sql immutable security invoker
return 2048;
comment on function private.limit_url_characters() is
  'Limit in characters: an address that is stored: of a chain, an icon, a receiver of webhooks.';

create function private.limit_api_key_name_characters()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_api_key_name_characters() is
  'Limit in characters: name of an API key.';

create function private.limit_idempotency_key_characters()
returns integer
language sql immutable security invoker
return 255;
comment on function private.limit_idempotency_key_characters() is
  'Limit in characters: `Idempotency-Key`.';

create function private.limit_min_guest_idempotency_key_characters()
returns integer
language sql immutable security invoker
return 22;
comment on function private.limit_min_guest_idempotency_key_characters() is
  'Limit in characters: `Idempotency-Key` of a caller with a public key, at least.';

create function private.limit_idempotency_hours()
returns integer
language sql immutable security invoker
return 24;
comment on function private.limit_idempotency_hours() is
  'Limit in hours: time for which an `Idempotency-Key` is remembered.';

create function private.limit_event_value_bytes()
returns integer
language sql immutable security invoker
return 8192;
comment on function private.limit_event_value_bytes() is
  'Limit in bytes: a value in an event.';

create function private.limit_form_fields()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_form_fields() is
  'Limit in fields: a form that an incoming webhook takes.';

create function private.limit_chain_depth()
returns integer
language sql immutable security invoker
return 16;
comment on function private.limit_chain_depth() is
  'Limit in runs: runs that have led to a start, each by a webhook or by a node that calls the REST API.';

create function private.limit_claim_token_seconds()
returns integer
language sql immutable security invoker
return 300;
comment on function private.limit_claim_token_seconds() is
  'Limit in s: the validity of the token by which a node calls the REST API; the worker renews it.';

create function private.limit_webhook_headers_bytes()
returns integer
language sql immutable security invoker
return 32768;
comment on function private.limit_webhook_headers_bytes() is
  'Limit in bytes: headers of a request to an incoming webhook.';

create function private.limit_forwarded_headers()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_forwarded_headers() is
  'Limit in headers: headers that an incoming webhook passes to its run.';

create function private.limit_listed_faults()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_listed_faults() is
  'Limit in faults: faults that `details` of a request lists.';

create function private.limit_flow_nodes()
returns integer
language sql immutable security invoker
return 10000;
comment on function private.limit_flow_nodes() is
  'Limit in nodes: nodes.';

create function private.limit_flow_edges()
returns integer
language sql immutable security invoker
return 50000;
comment on function private.limit_flow_edges() is
  'Limit in edges: edges.';

create function private.limit_node_ports()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_node_ports() is
  'Limit in ports: inputs of a node; also outputs of a node.';

create function private.limit_node_edges()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_node_edges() is
  'Limit in edges: edges that lead into one node.';

create function private.limit_flow_expressions()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_flow_expressions() is
  'Limit in edges: edges with an expression.';

create function private.limit_expression_characters()
returns integer
language sql immutable security invoker
return 10000;
comment on function private.limit_expression_characters() is
  'Limit in characters: `data.expression` of an edge.';

create function private.limit_retry_attempts()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_retry_attempts() is
  'Limit in attempts: attempts of a node with `data.retry`.';

create function private.limit_retry_pause_ms()
returns integer
language sql immutable security invoker
return 600000;
comment on function private.limit_retry_pause_ms() is
  'Limit in ms: a pause between attempts of a node.';

create function private.limit_timeout_ms()
returns integer
language sql immutable security invoker
return 604800000;
comment on function private.limit_timeout_ms() is
  'Limit in ms: `data.timeout_ms` of a node.';

create function private.limit_switch_cases()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_switch_cases() is
  'Limit in cases: cases of a node `switch`.';

create function private.limit_script_ports()
returns integer
language sql immutable security invoker
return 32;
comment on function private.limit_script_ports() is
  'Limit in ports: inputs of a node `rhai_script` or `javascript`; also outputs.';

create function private.limit_field_path_characters()
returns integer
language sql immutable security invoker
return 1024;
comment on function private.limit_field_path_characters() is
  'Limit in characters: `field` of a condition.';

create function private.limit_port_name_characters()
returns integer
language sql immutable security invoker
return 256;
comment on function private.limit_port_name_characters() is
  'Limit in characters: labels; ids and names of ports.';

create function private.limit_flow_pins()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_flow_pins() is
  'Limit in pins: pinned nodes of a flow (`flow_pins`).';

create function private.limit_flow_pins_bytes()
returns integer
language sql immutable security invoker
return 262144;
comment on function private.limit_flow_pins_bytes() is
  'Limit in bytes: all pinned outputs of a flow.';

create function private.limit_flow_versions()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_flow_versions() is
  'Limit in versions: versions of a flow (`flow_versions`).';

create function private.limit_flow_version_minutes()
returns integer
language sql immutable security invoker
return 10;
comment on function private.limit_flow_version_minutes() is
  'Limit in minutes: the time after a version of a flow is made, in which saves make no further version.';

create function private.limit_checked_flow_bytes()
returns integer
language sql immutable security invoker
return 1048576;
comment on function private.limit_checked_flow_bytes() is
  'Limit in bytes: a flow that `check_flow` checks, as JSON text; also all flows together that it calls.';

create function private.limit_flow_checks_per_second()
returns integer
language sql immutable security invoker
return 2;
comment on function private.limit_flow_checks_per_second() is
  'Limit in calls: calls of `check_flow` by a user within a second, one at a time.';

create function private.limit_node_id_characters()
returns integer
language sql immutable security invoker
return 200;
comment on function private.limit_node_id_characters() is
  'Limit in characters: `node_id` of a node.';

create function private.limit_flow_bytes()
returns integer
language sql immutable security invoker
return 8388608;
comment on function private.limit_flow_bytes() is
  'Limit in bytes: all of a flow, as JSON text: `nodes`, `edges`, and the rest of the row.';

create function private.limit_flow_jsonb_bytes()
returns integer
language sql immutable security invoker
return 16777216;
comment on function private.limit_flow_jsonb_bytes() is
  'Limit in bytes: `nodes` as jsonb, where a number takes 12 bytes or more, and any other value 4 bytes and its text; also `edges`.';

create function private.limit_written_flow_bytes()
returns integer
language sql immutable security invoker
return 16777216;
comment on function private.limit_written_flow_bytes() is
  'Limit in bytes: `nodes` and `edges` that one request writes, in all flows together.';

create function private.limit_environment_bytes()
returns integer
language sql immutable security invoker
return 65536;
comment on function private.limit_environment_bytes() is
  'Limit in bytes: `environment`.';

create function private.limit_flow_network_bytes()
returns integer
language sql immutable security invoker
return 16384;
comment on function private.limit_flow_network_bytes() is
  'Limit in bytes: `chain_network` of a flow.';

create function private.limit_name_characters()
returns integer
language sql immutable security invoker
return 200;
comment on function private.limit_name_characters() is
  'Limit in characters: `name` of a flow, a deployment or a wallet.';

create function private.limit_flow_description_characters()
returns integer
language sql immutable security invoker
return 20000;
comment on function private.limit_flow_description_characters() is
  'Limit in characters: `description` of a flow.';

create function private.limit_snapshot_bytes()
returns integer
language sql immutable security invoker
return 16777216;
comment on function private.limit_snapshot_bytes() is
  'Limit in bytes: graph of a run: the flow and the flows that it calls, without the members that only the editor needs.';

create function private.limit_listed_findings()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_listed_findings() is
  'Limit in findings: findings that an answer lists.';

create function private.limit_listed_warnings()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_listed_warnings() is
  'Limit in warnings: warnings that an answer lists.';

create function private.limit_description_characters()
returns integer
language sql immutable security invoker
return 2000;
comment on function private.limit_description_characters() is
  'Limit in characters: `description` of a deployment or a tag.';

create function private.limit_setting_bytes()
returns integer
language sql immutable security invoker
return 65536;
comment on function private.limit_setting_bytes() is
  'Limit in bytes: `fees`, `chain_network` and `on_end`, each.';

create function private.limit_fees()
returns integer
language sql immutable security invoker
return 64;
comment on function private.limit_fees() is
  'Limit in pairs: `fees`.';

create function private.limit_tag_characters()
returns integer
language sql immutable security invoker
return 128;
comment on function private.limit_tag_characters() is
  'Limit in characters: a tag: letters, digits, `.`, `_`, `-`; first a letter or digit.';

create function private.limit_open_starts_per_minute()
returns integer
language sql immutable security invoker
return 1200;
comment on function private.limit_open_starts_per_minute() is
  'Limit in starts: `max_starts_per_minute` of a deployment that anybody may start, by default.';

create function private.limit_starts_per_minute()
returns integer
language sql immutable security invoker
return 60000;
comment on function private.limit_starts_per_minute() is
  'Limit in starts: `max_starts_per_minute` of other deployments, by default.';

create function private.limit_open_runs_in_flight()
returns integer
language sql immutable security invoker
return 2000;
comment on function private.limit_open_runs_in_flight() is
  'Limit in runs: `max_runs_in_flight` of a deployment that anybody may start, by default.';

create function private.limit_runs_in_flight()
returns integer
language sql immutable security invoker
return 10000;
comment on function private.limit_runs_in_flight() is
  'Limit in runs: `max_runs_in_flight` of other deployments, by default.';

create function private.limit_schedule_bytes()
returns integer
language sql immutable security invoker
return 65536;
comment on function private.limit_schedule_bytes() is
  'Limit in bytes: `inputs` and `values` of a schedule, together.';

create function private.limit_cron_characters()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_cron_characters() is
  'Limit in characters: `cron` of a schedule.';

create function private.limit_queue_length()
returns integer
language sql immutable security invoker
return 100000;
comment on function private.limit_queue_length() is
  'Limit in runs: claimable runs of the project, by default.';

create function private.limit_answers_bytes()
returns integer
language sql immutable security invoker
return 16777216;
comment on function private.limit_answers_bytes() is
  'Limit in bytes: answers to the pending inputs of one run, together.';

create function private.limit_run_search_characters()
returns integer
language sql immutable security invoker
return 200;
comment on function private.limit_run_search_characters() is
  'Limit in characters: the search of a list of runs.';

create function private.limit_runs_searched()
returns integer
language sql immutable security invoker
return 100000;
comment on function private.limit_runs_searched() is
  'Limit in runs: runs that one search of a list looks at.';

create function private.limit_runs_listed()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_runs_listed() is
  'Limit in runs: runs that `find_flow_runs` returns at once.';

create function private.limit_runs_counted()
returns integer
language sql immutable security invoker
return 5000;
comment on function private.limit_runs_counted() is
  'Limit in runs: runs that `flow_run_overview` counts.';

create function private.limit_action_lookups()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_action_lookups() is
  'Limit in look-ups: look-ups of the transaction that an action has output.';

create function private.limit_stop_timeout_ms()
returns integer
language sql immutable security invoker
return 300000;
comment on function private.limit_stop_timeout_ms() is
  'Limit in ms: `timeout_millies` of a stop.';

create function private.limit_stop_reason_characters()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_stop_reason_characters() is
  'Limit in characters: `reason` of a stop.';

create function private.limit_repeated_nodes()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_repeated_nodes() is
  'Limit in nodes: nodes that `repeat_effects` of a redrive names.';

create function private.limit_named_runs()
returns integer
language sql immutable security invoker
return 10;
comment on function private.limit_named_runs() is
  'Limit in runs: runs that `partial_config` of a start names.';

create function private.limit_input_title_characters()
returns integer
language sql immutable security invoker
return 200;
comment on function private.limit_input_title_characters() is
  'Limit in characters: `title` of `api_input`.';

create function private.limit_input_description_characters()
returns integer
language sql immutable security invoker
return 4000;
comment on function private.limit_input_description_characters() is
  'Limit in characters: `description` of `api_input`.';

create function private.limit_input_schema_bytes()
returns integer
language sql immutable security invoker
return 8192;
comment on function private.limit_input_schema_bytes() is
  'Limit in bytes: `json_schema` of `api_input`, as JSON.';

create function private.limit_input_choices()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_input_choices() is
  'Limit in choices: `choices` of `api_input`.';

create function private.limit_storage_file_bytes()
returns integer
language sql immutable security invoker
return 10485760;
comment on function private.limit_storage_file_bytes() is
  'Limit in bytes: a file in user-storages and user-public-storages, also in an upload with an access token.';

create function private.limit_storage_counted_bytes()
returns integer
language sql immutable security invoker
return 4096;
comment on function private.limit_storage_counted_bytes() is
  'Limit in bytes: the least size that a file counts as towards the quota `file_bytes`.';

create function private.limit_kv_stores()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_kv_stores() is
  'Limit in stores: stores of a user.';

create function private.limit_kv_bytes()
returns integer
language sql immutable security invoker
return 104857600;
comment on function private.limit_kv_bytes() is
  'Limit in bytes: keys and values of all stores of a user, as text.';

create function private.limit_kv_store_name_characters()
returns integer
language sql immutable security invoker
return 120;
comment on function private.limit_kv_store_name_characters() is
  'Limit in characters: name of a store: letters, digits, `_`, `-`; first a letter.';

create function private.limit_kv_key_bytes()
returns integer
language sql immutable security invoker
return 1024;
comment on function private.limit_kv_key_bytes() is
  'Limit in bytes: a key.';

create function private.limit_connection_hosts()
returns integer
language sql immutable security invoker
return 20;
comment on function private.limit_connection_hosts() is
  'Limit in hosts: hosts of a connection.';

create function private.limit_connection_host_characters()
returns integer
language sql immutable security invoker
return 300;
comment on function private.limit_connection_host_characters() is
  'Limit in characters: a host of a connection, with port and path prefix.';

create function private.limit_flow_connections()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_flow_connections() is
  'Limit in connections: connections that a flow and the flows that it calls use, by name.';

create function private.limit_connection_secret_bytes()
returns integer
language sql immutable security invoker
return 8192;
comment on function private.limit_connection_secret_bytes() is
  'Limit in bytes: the secret of a connection, as JSON.';

create function private.limit_connection_token_bytes()
returns integer
language sql immutable security invoker
return 16384;
comment on function private.limit_connection_token_bytes() is
  'Limit in bytes: the tokens of a connection of a kind `oauth2_*`, as JSON.';

create function private.limit_connection_lease_seconds()
returns integer
language sql immutable security invoker
return 60;
comment on function private.limit_connection_lease_seconds() is
  'Limit in s: the time in which one worker gets a new token while other workers wait.';

create function private.limit_connection_failure_seconds()
returns integer
language sql immutable security invoker
return 5;
comment on function private.limit_connection_failure_seconds() is
  'Limit in s: the pause after a failure of a token server, before the server is asked again.';

create function private.limit_listed_connection_uses()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_listed_connection_uses() is
  'Limit in deployments: deployments that 409 `connection_in_use` lists.';

create function private.limit_definition_bytes()
returns integer
language sql immutable security invoker
return 262144;
comment on function private.limit_definition_bytes() is
  'Limit in bytes: a definition: strings and member names as UTF-8, and 8 bytes for each value.';

create function private.limit_definition_levels()
returns integer
language sql immutable security invoker
return 64;
comment on function private.limit_definition_levels() is
  'Limit in levels: levels of JSON.';

create function private.limit_definition_name_characters()
returns integer
language sql immutable security invoker
return 256;
comment on function private.limit_definition_name_characters() is
  'Limit in characters: names of ports and members.';

create function private.limit_definition_version_characters()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_definition_version_characters() is
  'Limit in characters: `version`.';

create function private.limit_definition_type_characters()
returns integer
language sql immutable security invoker
return 64;
comment on function private.limit_definition_type_characters() is
  'Limit in characters: `type`: letters, digits, `_`, `-`; first a letter; neither `true` nor `false`.';

grant execute on function
  private.limit_number_digits(),
  private.limit_value_levels(),
  private.limit_json_levels(),
  private.limit_number_characters(),
  private.limit_body_bytes(),
  private.limit_inputs_bytes(),
  private.limit_plain_values(),
  private.limit_url_characters(),
  private.limit_api_key_name_characters(),
  private.limit_idempotency_key_characters(),
  private.limit_min_guest_idempotency_key_characters(),
  private.limit_idempotency_hours(),
  private.limit_event_value_bytes(),
  private.limit_form_fields(),
  private.limit_chain_depth(),
  private.limit_claim_token_seconds(),
  private.limit_webhook_headers_bytes(),
  private.limit_forwarded_headers(),
  private.limit_listed_faults(),
  private.limit_flow_nodes(),
  private.limit_flow_edges(),
  private.limit_node_ports(),
  private.limit_node_edges(),
  private.limit_flow_expressions(),
  private.limit_expression_characters(),
  private.limit_retry_attempts(),
  private.limit_retry_pause_ms(),
  private.limit_timeout_ms(),
  private.limit_switch_cases(),
  private.limit_script_ports(),
  private.limit_field_path_characters(),
  private.limit_port_name_characters(),
  private.limit_flow_pins(),
  private.limit_flow_pins_bytes(),
  private.limit_flow_versions(),
  private.limit_flow_version_minutes(),
  private.limit_checked_flow_bytes(),
  private.limit_flow_checks_per_second(),
  private.limit_node_id_characters(),
  private.limit_flow_bytes(),
  private.limit_flow_jsonb_bytes(),
  private.limit_written_flow_bytes(),
  private.limit_environment_bytes(),
  private.limit_flow_network_bytes(),
  private.limit_name_characters(),
  private.limit_flow_description_characters(),
  private.limit_snapshot_bytes(),
  private.limit_listed_findings(),
  private.limit_listed_warnings(),
  private.limit_description_characters(),
  private.limit_setting_bytes(),
  private.limit_fees(),
  private.limit_tag_characters(),
  private.limit_open_starts_per_minute(),
  private.limit_starts_per_minute(),
  private.limit_open_runs_in_flight(),
  private.limit_runs_in_flight(),
  private.limit_schedule_bytes(),
  private.limit_cron_characters(),
  private.limit_queue_length(),
  private.limit_answers_bytes(),
  private.limit_run_search_characters(),
  private.limit_runs_searched(),
  private.limit_runs_listed(),
  private.limit_runs_counted(),
  private.limit_action_lookups(),
  private.limit_stop_timeout_ms(),
  private.limit_stop_reason_characters(),
  private.limit_repeated_nodes(),
  private.limit_named_runs(),
  private.limit_input_title_characters(),
  private.limit_input_description_characters(),
  private.limit_input_schema_bytes(),
  private.limit_input_choices(),
  private.limit_storage_file_bytes(),
  private.limit_storage_counted_bytes(),
  private.limit_kv_stores(),
  private.limit_kv_bytes(),
  private.limit_kv_store_name_characters(),
  private.limit_kv_key_bytes(),
  private.limit_connection_hosts(),
  private.limit_connection_host_characters(),
  private.limit_flow_connections(),
  private.limit_connection_secret_bytes(),
  private.limit_connection_token_bytes(),
  private.limit_connection_lease_seconds(),
  private.limit_connection_failure_seconds(),
  private.limit_listed_connection_uses(),
  private.limit_definition_bytes(),
  private.limit_definition_levels(),
  private.limit_definition_name_characters(),
  private.limit_definition_version_characters(),
  private.limit_definition_type_characters()
to authenticated, service_role;

create function private.known_quotas()
returns table (name text, default_value bigint, noun text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('flows', 1000::bigint, 'flows'),
    ('flow_bytes', 1073741824, 'bytes of nodes, edges and environments in flows and their versions'),
    ('deployments', 10000, 'deployments'),
    ('deployment_bytes', 4294967296, 'bytes of frozen flows in deployments'),
    ('tags', 10000, 'tags beside latest'),
    ('api_keys', 100, 'API keys'),
    ('wallets', 1000, 'wallets'),
    ('connections', 1000, 'connections'),
    ('nodes', 1000, 'private node definitions'),
    ('schedules', 1000, 'schedules'),
    ('schedule_bytes', 4194304, 'bytes of inputs and values in schedules'),
    ('pending_webhooks', 10000, 'outgoing webhooks that were tried and are pending'),
    ('file_bytes', 1073741824, 'bytes of files in user-storages and user-public-storages, each file counted as 4096 bytes or more'),
    ('webhooks', 1000, 'incoming webhooks');
end;
$$;
comment on function private.known_quotas() is
  'The quotas with their defaults for each user. Bytes are counted as stored, after compression.';

-- sql/100_platform/20_fail.sql

create function private.shorten(value text, longest integer default 100)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…'
    else shorten.value end;
$$;
comment on function private.shorten(text, integer) is
  'Shortens a text that a client sent, so that a message can quote it. If the text has more than `longest` characters, the rest is replaced by an ellipsis.';
grant execute on function private.shorten(text, integer) to anon, authenticated, service_role;

create function private.size_text(bytes bigint)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when size_text.bytes % 1048576 = 0 then size_text.bytes / 1048576 || ' MiB'
    when size_text.bytes % 1024 = 0 then size_text.bytes / 1024 || ' KiB'
    else size_text.bytes || ' bytes'
  end;
$$;
comment on function private.size_text(bigint) is
  'The text for a number of bytes in error messages, such as 16 MiB for 16777216.';
grant execute on function private.size_text(bigint) to authenticated, service_role;

create function private.fail(
  code text, message text, details jsonb default null, hint text default null, headers jsonb default '{}'
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_status constant integer := private.error_status(fail.code);
begin
  if v_status is null then
    perform private.fail('internal', format('The error code %s is unknown.', private.shorten(fail.code)));
  end if;
  -- PostgREST accepts details only as a text. The Edge Functions turn this text back into JSON.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', v_status, 'headers', fail.headers)::text;
end;
$$;
comment on function private.fail(text, text, jsonb, text, jsonb) is
  'Raises an error for the client. PostgREST answers with the HTTP status of the code, the response headers in `headers`, and the body {code, message, details, hint}. types/errors.ts lists the codes. Source: PostgREST documentation, "Raise errors with HTTP status codes".';
grant execute on function private.fail(text, text, jsonb, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_column(name text, message text)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('column_invalid', format('%s: %s.', refuse_column.name, refuse_column.message),
    jsonb_build_array(jsonb_build_object('path', refuse_column.name, 'message', refuse_column.message)));
  return false;
end;
$$;
comment on function private.refuse_column(text, text) is
  'Refuses a column''s value: 400 column_invalid. Check constraints end in `or private.refuse_column(…)`, so that the client learns which values are valid. The function is volatile. If it were immutable, the planner could call it in advance, and valid values would be refused.';
grant execute on function private.refuse_column(text, text) to authenticated, service_role;

create function private.refuse_faults(code text, faults jsonb, hint text default null)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_faults.faults <> '[]' then
    perform private.fail(refuse_faults.code,
      format('%s: %s.', refuse_faults.faults #>> '{0,path}', refuse_faults.faults #>> '{0,message}'),
      refuse_faults.faults, refuse_faults.hint);
  end if;
end;
$$;
comment on function private.refuse_faults(text, jsonb, text) is
  'Raises the error `code` if `faults`, [{path, message}], is not empty. The first fault becomes the message of the error; details list all faults.';

-- sql/100_platform/30_uuid_v7.sql

create function private.uuid_v7(at timestamptz default clock_timestamp())
returns uuid
language sql volatile security invoker
begin atomic
  -- The second half of a random UUID starts with the variant bits, which are the same in version 7. So this function
  -- keeps the second half, and replaces the first half. The new first half has, from left to right, 48 bits of
  -- milliseconds, the version (7) and 12 bits for the fraction of the millisecond. As a number, it is 65536 *
  -- milliseconds + 28672 (the version) + 4.096 * (microseconds within the millisecond). The code multiplies all
  -- microseconds since 1970 by 4.096 (512 / 125). This adds 4096 * milliseconds, so the code multiplies the
  -- milliseconds by only 61440 (65536 - 4096).
  select encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(
        (date_part('epoch', uuid_v7.at) * 1000000)::bigint * 512 / 125
          + (date_part('epoch', uuid_v7.at) * 1000000)::bigint / 1000 * 61440 + 28672
      ) from 1 for 8
    ),
    'hex'
  )::uuid;
end;
comment on function private.uuid_v7(timestamptz) is
  'Makes a UUID version 7 of the given time. The field rand_a of the UUID holds the fraction of the millisecond (RFC 9562, section 6.2, method 3), so that ids sort by microsecond. The function is one expression, so that the planner can inline it.';

create function private.first_uuid_v7(at timestamptz)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return overlay(
    private.uuid_v7(date_trunc('milliseconds', first_uuid_v7.at))::text placing '-7000-8000-000000000000' from 14
  );
end;
$$;
comment on function private.first_uuid_v7(timestamptz) is
  'The least UUID version 7 of the millisecond that contains `at`. Ids made in this millisecond or later are greater than this UUID or equal to it.';

create function private.uuid_v7_time(id uuid)
returns timestamptz
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_hex text := replace(uuid_v7_time.id::text, '-', '');
  v_milliseconds bigint := ('x' || substr(v_hex, 1, 12))::bit(48)::bigint;
  v_fraction integer := ('x' || substr(v_hex, 14, 3))::bit(12)::integer;
begin
  -- private.uuid_v7() rounded the fraction down to a multiple of 1/4096 ms, so it lost less than a microsecond.
  -- Rounding up to whole microseconds restores the exact time.
  return timestamptz '1970-01-01 00:00:00+00'
    + (v_milliseconds * 1000 + (v_fraction * 1000 + 4095) / 4096) * interval '1 microsecond';
end;
$$;
comment on function private.uuid_v7_time(uuid) is
  'The time, to the microsecond, from which private.uuid_v7 made this id.';

create function private.uuid_v7_after(previous uuid)
returns uuid
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_id uuid := private.uuid_v7();
begin
  if uuid_v7_after.previous is null or v_id > uuid_v7_after.previous then
    return v_id;
  end if;
  -- The clock stood still or was set back: continue from the previous id.
  return private.uuid_v7(private.uuid_v7_time(uuid_v7_after.previous) + interval '1 microsecond');
end;
$$;
comment on function private.uuid_v7_after(uuid) is
  'Makes a UUID version 7 that is greater than `previous`, even if the clock stood still or was set back. A null `previous` sets no bound.';

-- sql/100_platform/35_random_id.sql

create function private.random_id()
returns bigint
language sql volatile security invoker
begin atomic
  -- The last 53 bits of a UUID version 4 are random; version and variant come before them.
  select ('x' || right(replace(gen_random_uuid()::text, '-', ''), 16))::bit(64)::bigint & 9007199254740991;
end;
comment on function private.random_id() is
  'An unpredictable random integer from 0 to 2^53 - 1, which JSON and JavaScript represent exactly. An earlier call may have returned the same integer.';

-- sql/100_platform/40_touch.sql

create function private.tg_any__before_update_touch()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_any__before_update_touch() is
  'For triggers of tables with a column updated_at: sets this column when a row is updated.';

-- sql/150_callers/10_caller.sql

create function private.request_header(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> request_header.name;
end;
$$;
comment on function private.request_header(text) is
  'The value of the request header `name`, which must be in lower case; null if the request has no such header.';
grant execute on function private.request_header(text) to anon, authenticated, service_role;

create function private.refuse_service_role()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('token_invalid', 'This call needs a user, but the service role is not a user.',
    hint => 'Send the access token of the user on whose behalf you call.');
end;
$$;
comment on function private.refuse_service_role() is
  'Refuses the service role where a user is needed: 401 token_invalid.';

create function private.refuse_deleted_user()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('token_invalid', 'The user of this access token has been deleted.');
end;
$$;
comment on function private.refuse_deleted_user() is 'Refuses a deleted user: 401 token_invalid.';

create function private.user_claims()
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  return v_claims;
end;
$$;
comment on function private.user_claims() is
  'The claims of the request''s access token, API key or claim token; null if the request has no claims. 401 token_invalid for the service role, which is not a user.';

-- The caller of a request. A field is null if the request has no value for it.
--
--   user_id       the user of an access token, API key or claim token
--   is_anonymous  true for Supabase's anonymous sign-ins
--   run_id        the run of a run token
--   public_key    the public key that a start without a user sends; nothing proves that the caller owns it
--   webhook_id    the incoming webhook whose token the URL contains; the request starts runs as the webhook's owner
--   chain_depth   for a webhook: the number of runs in the chain that led to the request
create type private.caller as (
  user_id uuid, is_anonymous boolean, run_id uuid, public_key text, webhook_id uuid, chain_depth integer
);
comment on type private.caller is
  'The caller of a request: its user, run, public key or webhook. A field is null if the request has no value for it.';

create function private.caller()
returns private.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_claims jsonb := private.user_claims();
  v_caller private.caller;
begin
  v_caller.user_id := v_claims ->> 'sub';
  v_caller.is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  v_caller.run_id := private.token_run_id();
  if v_caller.user_id is not null
    and not exists (select from auth.users as u where u.id = v_caller.user_id and u.deleted_at is null)
  then
    perform private.refuse_deleted_user();
  end if;
  return v_caller;
end;
$$;
comment on function private.caller() is
  'The caller of this request. 401 token_invalid for the service role, and for a user whose row in auth.users is missing or marked as deleted. Definer, because no API role may read auth.users.';

create function private.hold_user(user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from auth.users as u where u.id = hold_user.user_id and u.deleted_at is null for key share;
  if not found then
    perform private.refuse_deleted_user();
  end if;
end;
$$;
comment on function private.hold_user(uuid) is
  'Prevents the deletion of a user until the transaction ends; 401 token_invalid for a deleted user. Definer, because no API role may lock rows of auth.users.';

create function private.lock_caller()
returns private.caller
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_claims jsonb := private.user_claims();
  v_caller private.caller;
begin
  v_caller.user_id := v_claims ->> 'sub';
  if v_caller.user_id is not null then
    v_caller.is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
    perform private.hold_user(v_caller.user_id);
  end if;
  return v_caller;
end;
$$;
comment on function private.lock_caller() is
  'For requests that write in the name of a user: returns user_id and is_anonymous of the caller, and prevents the deletion of this user until the transaction ends. Both fields are null if the caller is not a user. Definer, because no API role may call private.hold_user().';

create function private.unauthenticated()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('unauthenticated', 'The request carries no credential that this call accepts.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). '
      'A run token is accepted only for its own run, and a public key only for a start.');
end;
$$;
comment on function private.unauthenticated() is
  'Refuses a caller who has sent no credential that the calling function accepts: 401 unauthenticated.';

create function private.require_user()
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (private.caller()).user_id;
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$$;
comment on function private.require_user() is
  'The id of the calling user; 401 unauthenticated if the caller is not a user. Definer, because no API role may call private.caller().';

create function private.lock_user()
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := (private.lock_caller()).user_id;
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$$;
comment on function private.lock_user() is
  'Returns the id of the calling user, and prevents the deletion of this user until the transaction ends; 401 unauthenticated if the caller is not a user. Definer, because no API role may call private.lock_caller().';

create function private.require_caller()
returns private.caller
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.caller();
begin
  if v_caller.user_id is null and v_caller.run_id is null then
    perform private.unauthenticated();
  end if;
  return v_caller;
end;
$$;
comment on function private.require_caller() is
  'The caller, who may be a user or the holder of a run token; 401 unauthenticated for anybody else. Definer, because no API role may call private.caller().';

create function private.whoami()
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.caller();
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  return jsonb_build_object('user_id', v_caller.user_id, 'is_anonymous', v_caller.is_anonymous);
end;
$$;
comment on function private.whoami() is
  'Implements public.whoami. Definer, because no API role may call private.caller().';
grant execute on function private.whoami() to anon, authenticated, service_role;

create function public.whoami()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.whoami();
$$;
comment on function public.whoami() is
  'The calling user, {user_id, is_anonymous}; 401 unauthenticated or token_invalid.';
grant execute on function public.whoami() to anon, authenticated, service_role;

-- sql/150_callers/20_quotas.sql

create table private.quotas (
  name text primary key,
  value bigint not null,
  constraint quotas_value_natural check (value >= 0)
);
comment on table private.quotas is
  'The quotas that an operator has changed. All other quotas have the defaults of private.known_quotas().';
comment on column private.quotas.value is
  'The limit for each user: a number of rows for quotas such as flows, a number of bytes for quotas such as flow_bytes.';

create function private.quota(name text)
returns bigint
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return coalesce(
    (select s.value from private.quotas as s where s.name = quota.name),
    (select k.default_value from private.known_quotas() as k where k.name = quota.name)
  );
end;
$$;
comment on function private.quota(text) is
  'The value of a quota: the most that each user may have. Definer, because no API role may access private.quotas.';

create function private.counted_file_bytes(metadata jsonb)
returns bigint
language sql immutable security invoker
set search_path = ''
as $$
  select greatest((counted_file_bytes.metadata ->> 'size')::bigint, private.limit_storage_counted_bytes());
$$;
comment on function private.counted_file_bytes(jsonb) is
  'The size that a file with this metadata of Supabase Storage counts as. Storage itself writes the metadata; they are null until the file is stored.';

create function private.quota_use(name text, user_id uuid)
returns bigint
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, a plan that was made while the tables were empty could stay in the cache and scan whole
-- tables.
set enable_seqscan = off
as $$
begin
  case quota_use.name
    when 'flows' then
      return (select count(*) from public.flows as f where f.user_id = quota_use.user_id);
    when 'flow_bytes' then
      return (
        select sum(pg_column_size(f.nodes)::bigint + pg_column_size(f.edges) + pg_column_size(f.environment))
        from public.flows as f where f.user_id = quota_use.user_id
      ) + (
        select coalesce(sum(v.bytes), 0) from public.flow_versions as v where v.user_id = quota_use.user_id
      );
    when 'deployments' then
      return (select count(*) from public.flow_deployments as d where d.user_id = quota_use.user_id);
    when 'deployment_bytes' then
      return (
        select sum(pg_column_size(s.data)::bigint)
        from (
          select distinct d.snapshot_hash from public.flow_deployments as d where d.user_id = quota_use.user_id
        ) as own
        join private.flow_snapshots as s on s.hash = own.snapshot_hash
      ) + (
        select coalesce(sum(pg_column_size(c.canvas)::bigint), 0)
        from public.flow_deployments as d
        join private.flow_deployment_canvases as c on c.deployment_id = d.id
        where d.user_id = quota_use.user_id
      );
    when 'tags' then
      return (
        select count(*) from public.flow_deployments_tags as t where t.user_id = quota_use.user_id and t.tag <> 'latest'
      );
    when 'api_keys' then
      return (select count(*) from public.api_keys as k where k.user_id = quota_use.user_id);
    when 'wallets' then
      return (select count(*) from public.wallets as w where w.user_id = quota_use.user_id);
    when 'connections' then
      return (select count(*) from public.connections as c where c.user_id = quota_use.user_id);
    when 'nodes' then
      return (select count(*) from public.nodes as n where n.user_id = quota_use.user_id and not n.is_public);
    when 'schedules' then
      return (select count(*) from public.flow_schedules as s where s.user_id = quota_use.user_id);
    when 'schedule_bytes' then
      return (
        select sum(pg_column_size(s.inputs)::bigint + pg_column_size(s."values"))
        from public.flow_schedules as s where s.user_id = quota_use.user_id
      );
    when 'pending_webhooks' then
      return (
        select count(*) from public.webhook_deliveries as w
        where w.user_id = quota_use.user_id and w.status = 'pending' and least(w.attempts, 1) = 1
      );
    when 'webhooks' then
      return (select count(*) from public.flow_webhooks as w where w.user_id = quota_use.user_id);
    when 'file_bytes' then
      -- `0` is the character after the slash, so these are the names in the user's folder.
      return (
        select coalesce(sum(private.counted_file_bytes(o.metadata)), 0)
        from storage.objects as o
        where o.bucket_id in ('user-storages', 'user-public-storages')
          and o.name collate "C" >= quota_use.user_id || '/' and o.name collate "C" < quota_use.user_id || '0'
      );
  end case;
end;
$$;
comment on function private.quota_use(text, uuid) is
  'How much of a quota a user has used up, including rows that this transaction has stored. A flow snapshot counts once, even if several deployments of the user have this snapshot. Definer, because it must also see rows that policies hide.';

create function private.lock_quota(name text, user_id uuid)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Only one transaction of the user can hold this lock at a time, so each transaction counts the rows that earlier
  -- transactions stored. The lock can't cause a deadlock: only checks of quotas take it, and its holder does not wait
  -- for rows that another transaction of the user has locked.
  perform pg_advisory_xact_lock(
    hashtextextended(format('private.check_quota %s %s', lock_quota.name, lock_quota.user_id), 0)
  );
end;
$$;
comment on function private.lock_quota(text, uuid) is
  'Takes the lock for counting a user''s rows for a quota. Until the transaction ends, every other transaction that calls this function for the same quota and user waits.';

create function private.refuse_use(name text, value bigint)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('quota_exceeded',
    format('You have reached the quota of %s: a user may have %s at most.',
      (select k.noun from private.known_quotas() as k where k.name = refuse_use.name), refuse_use.value),
    jsonb_build_object('limit', refuse_use.value, 'of', refuse_use.name),
    'Delete what you no longer need, or ask the operator of this project for more.');
end;
$$;
comment on function private.refuse_use(text, bigint) is
  'Raises the error of a user who has used up a quota: 409 quota_exceeded.';

create function private.check_quota(name text, user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limit bigint := private.quota(check_quota.name);
begin
  perform private.lock_quota(check_quota.name, check_quota.user_id);
  if private.quota_use(check_quota.name, check_quota.user_id) > v_limit then
    perform private.refuse_use(check_quota.name, v_limit);
  end if;
end;
$$;
comment on function private.check_quota(text, uuid) is
  'Refuses the transaction if the user now has more than the quota allows: 409 quota_exceeded. Deletions need neither this check nor its lock. Definer, because it must also see rows that policies hide.';

create function private.tg_any__after_insert_check_quota()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid;
  v_name text;
begin
  -- At a trigger depth of 2 or more, the insert comes from the trigger that moves the tag `latest`. This tag counts
  -- towards no quota.
  if pg_trigger_depth() > 1 then
    return null;
  end if;
  for v_user_id in select distinct i.user_id from inserted as i where i.user_id is not null order by i.user_id loop
    foreach v_name in array tg_argv loop
      perform private.check_quota(v_name, v_user_id);
    end loop;
  end loop;
  return null;
end;
$$;
comment on function private.tg_any__after_insert_check_quota() is
  'For each user who owns an inserted row, checks the quotas that the trigger''s arguments name. Checks nothing after an upsert that only updates, because such an upsert inserts no rows. Definer, because users may not call private.check_quota().';

create function private.set_quota(name text, value bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if not exists (select from private.known_quotas() as k where k.name = set_quota.name) then
    perform private.fail('request_invalid', format(
      'name must be one of %s.', (select string_agg(k.name, ', ' order by k.name) from private.known_quotas() as k)
    ));
  end if;
  if set_quota.value < 0 then
    perform private.fail('request_invalid', 'value must be an integer from 0 to 2^63-1, or null for the default.');
  end if;
  if set_quota.value is null then
    delete from private.quotas as q where q.name = set_quota.name;
  else
    insert into private.quotas as q (name, value) values (set_quota.name, set_quota.value)
    on conflict on constraint quotas_pkey do update set value = excluded.value;
  end if;
end;
$$;
comment on function private.set_quota(text, bigint) is
  'Implements public.set_quota. Definer, because no API role may access private.quotas.';
grant execute on function private.set_quota(text, bigint) to service_role;

create function public.set_quota(name text, value bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_quota(name, value);
$$;
comment on function public.set_quota(text, bigint) is
  'For operators: sets a quota, the most that each user may have. Null restores the default. Users who have more than the new quota keep what they have. 400 request_invalid.';
grant execute on function public.set_quota(text, bigint) to service_role;

create function private.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security definer
set search_path = ''
as $$
  select k.name, private.quota(k.name), k.default_value from private.known_quotas() as k;
$$;
comment on function private.quotas() is
  'Implements public.quotas. Definer, because no API role may access private.quotas.';
grant execute on function private.quotas() to service_role;

create function public.quotas()
returns table (name text, value bigint, default_value bigint)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.quotas();
$$;
comment on function public.quotas() is 'For operators: all quotas, each with its present value and its default.';
grant execute on function public.quotas() to service_role;

-- sql/150_callers/30_api_keys.sql

create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  constraint api_keys_name_length check (char_length(name) between 1 and private.limit_api_key_name_characters()),
  constraint api_keys_prefix_form check (prefix ~ '^fk_[A-Za-z0-9_-]{7}$')
);
comment on table public.api_keys is
  'A user''s API keys, without the secret keys. create_api_key makes a key and returns it once. Deleting a row revokes its key.';
comment on column public.api_keys.prefix is
  'The first 10 characters of the key, so that the owner can recognise the key.';

create index api_keys_user_id_idx on public.api_keys (user_id);

alter table public.api_keys enable row level security;
create policy api_keys_select_owner on public.api_keys for select to authenticated
  using (user_id = (select auth.uid()));
create policy api_keys_delete_owner on public.api_keys for delete to authenticated
  using (user_id = (select auth.uid()));

-- There are no grants to insert and update: create_api_key makes the rows, and they never change.
grant select, delete on public.api_keys to authenticated;
grant select, delete on public.api_keys to service_role;

create trigger _800_check_quota after insert on public.api_keys
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('api_keys');

create table private.api_key_hashes (
  hash bytea primary key,
  api_key_id uuid not null references public.api_keys (id) on delete cascade,
  constraint api_key_hashes_hash_length check (octet_length(hash) = 32),
  constraint api_key_hashes_api_key_id_key unique (api_key_id)
);
comment on table private.api_key_hashes is
  'SHA-256 of each API key. A key has 256 random bits, so this hash can''t be reversed by trying keys.';

create function private.new_token(prefix text)
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- The base64 of 32 bytes ends in one =. translate() removes it.
  return new_token.prefix || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
end;
$$;
comment on function private.new_token(text) is
  'A new secret token: `prefix`, which names the kind of token, and then 256 random bits as 43 characters of base64url.';

create function private.create_api_key(name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_key text;
  v_row public.api_keys;
begin
  if coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false) or auth.jwt() ?| '{api_key_id,claimed_run_id}' then
    perform private.fail(
      'token_required',
      'Only a user who has signed up can make API keys, with an access token. An API key, a flow or an anonymous user can''t.'
    );
  end if;
  if char_length(create_api_key.name) not between 1 and private.limit_api_key_name_characters()
    or create_api_key.name is null
  then
    perform private.fail('request_invalid',
      format('name must have 1 to %s characters.', private.limit_api_key_name_characters()));
  end if;

  v_key := private.new_token('fk_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) || jsonb_build_object('key', v_key);
end;
$$;
comment on function private.create_api_key(text) is
  'Implements public.create_api_key. Definer, because no API role may insert keys.';
grant execute on function private.create_api_key(text) to anon, authenticated, service_role;

create function public.create_api_key(name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_api_key(name);
$$;
comment on function public.create_api_key(text) is
  'Makes an API key of the calling user: {id, user_id, name, prefix, created_at, key}. The key can''t be read again. 403 token_required for anonymous users, and for callers with an API key or a claim token; 409 quota_exceeded.';
grant execute on function public.create_api_key(text) to anon, authenticated, service_role;

create function private.delete_api_key(id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
begin
  delete from public.api_keys as k where k.id = delete_api_key.id and k.user_id = v_user_id;
  if not found then
    perform private.fail('api_key_not_found', 'There is no such API key.');
  end if;
end;
$$;
comment on function private.delete_api_key(uuid) is
  'Implements public.delete_api_key. Definer, because no API role may call private.require_user().';
grant execute on function private.delete_api_key(uuid) to anon, authenticated, service_role;

create function public.delete_api_key(id uuid)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_api_key(id);
$$;
comment on function public.delete_api_key(uuid) is
  'Revokes an API key of the calling user. 401 unauthenticated or token_invalid; 404 api_key_not_found if the key does not exist or belongs to another user.';
grant execute on function public.delete_api_key(uuid) to anon, authenticated, service_role;

create function private.valid_api_key(key text)
returns public.api_keys
language sql stable security definer
set search_path = ''
as $$
  select k.*
  from private.api_key_hashes as h
  join public.api_keys as k on k.id = h.api_key_id
  -- A banned user's API keys are not valid. In the same way, Auth issues no access tokens to a banned user.
  join auth.users as u on u.id = k.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where h.hash = sha256(convert_to(valid_api_key.key, 'UTF8'));
$$;
comment on function private.valid_api_key(text) is
  'The API key with this text; null if it is unknown, or if its user is banned or deleted. Definer, because no API role may access the hashes, and the policies hide the keys of other users.';

create function private.api_key_claims(key text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_key public.api_keys;
begin
  if api_key_claims.key !~ '^fk_[A-Za-z0-9_-]{43}$' then
    perform private.fail('api_key_invalid',
      format(
        'The API key is malformed: it must be fk_ and 43 letters, digits, - or _, but it has %s characters.',
        length(api_key_claims.key)
      ),
      hint => 'Send the whole key that create_api_key returned.');
  end if;
  v_key := private.valid_api_key(api_key_claims.key);
  if v_key.id is null then
    perform private.fail(
      'api_key_invalid',
      'The API key is not valid: it was never made, it has been deleted, or its user has been deleted or banned.'
    );
  end if;
  return jsonb_build_object(
    'sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id
  );
end;
$$;
comment on function private.api_key_claims(text) is
  'The claims that let the sender of this API key act as the owner of the key. 401 api_key_invalid if the key is malformed or unknown, or if the owner is banned or deleted. Definer, because guests may not read keys.';
grant execute on function private.api_key_claims(text) to anon;

-- sql/150_callers/40_run_tokens.sql

create table private.run_token_secrets (
  id boolean primary key default true,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  constraint run_token_secrets_single check (id),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'The secrets that sign run tokens and claim tokens, in one row. The row is inserted when the first token is made.';
comment on column private.run_token_secrets.secret is 'Signs new tokens.';
comment on column private.run_token_secrets.previous_secret is
  'The secret that the last rotation replaced. Tokens signed with this secret are still valid.';

create function private.run_token(flow_run_id uuid, secret bytea)
returns text
language sql immutable security invoker
begin atomic
  -- The base64 of 48 bytes is one line without padding.
  select 'fr_' || translate(
    encode(
      uuid_send(run_token.flow_run_id)
        || extensions.hmac(uuid_send(run_token.flow_run_id), run_token.secret, 'sha256'), 'base64'
    ),
    '+/', '-_'
  );
end;
comment on function private.run_token(uuid, bytea) is
  'The token of a run, signed with `secret`: fr_, and then 48 bytes in base64url. The bytes are the run id and HMAC-SHA256(secret, run id).';

create function private.run_token_secret()
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s;
    exit when found;
    insert into private.run_token_secrets default values on conflict do nothing;
  end loop;
  return v_secret;
end;
$$;
comment on function private.run_token_secret() is
  'The secret that signs new tokens. The first call makes the secret. Definer, because no API role may access the secret.';

create function private.run_token(flow_run_id uuid)
returns text
language sql volatile security definer
set search_path = ''
as $$
  select private.run_token(run_token.flow_run_id, private.run_token_secret());
$$;
comment on function private.run_token(uuid) is
  'The token that gives its holder access to one run. A run has the same token until the project''s secret is rotated. The first call makes the secret. Definer, because no API role may access the secret.';

create function private.is_signed(signed bytea, signature bytea)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  -- The query compares digests, so the time of the comparison does not reveal how many bytes of a forged token are
  -- right.
  select exists (
    select from private.run_token_secrets as s
    cross join lateral (values (s.secret), (s.previous_secret)) as valid (secret)
    where sha256(extensions.hmac(is_signed.signed, valid.secret, 'sha256')) = sha256(is_signed.signature)
  );
$$;
comment on function private.is_signed(bytea, bytea) is
  'Whether `signature` signs the bytes `signed` with the present or the previous secret. Definer, because no API role may access the secrets.';

create function private.run_id_of_token(token text)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_bytes bytea;
begin
  if run_id_of_token.token is null or run_id_of_token.token !~ '^fr_[A-Za-z0-9_-]{64}$' then
    return null;
  end if;
  v_bytes := decode(translate(substr(run_id_of_token.token, 4), '-_', '+/'), 'base64');
  if not private.is_signed(substring(v_bytes for 16), substring(v_bytes from 17)) then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$$;
comment on function private.run_id_of_token(text) is
  'The id of the run with this token; null if the token is not valid. Definer, because no API role may access the secrets.';

create function private.token_run_id()
returns uuid
language sql stable security definer
set search_path = ''
as $$
  select private.run_id_of_token(private.request_header('x-flow-run-token'));
$$;
comment on function private.token_run_id() is
  'The id of the run whose token the request carries in x-flow-run-token; null without a valid token. Definer, because no API role may call private.run_id_of_token().';
grant execute on function private.token_run_id() to anon, authenticated, service_role;

create function private.rotate_run_token_secret()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.run_token_secrets as s default values
  on conflict (id) do update set secret = excluded.secret, previous_secret = s.secret;
end;
$$;
comment on function private.rotate_run_token_secret() is
  'Implements public.rotate_run_token_secret. Definer, because no API role may access the secrets.';
grant execute on function private.rotate_run_token_secret() to service_role;

create function public.rotate_run_token_secret()
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.rotate_run_token_secret();
$$;
comment on function public.rotate_run_token_secret() is
  'For the service role: replaces the secret that signs new run tokens. Tokens signed with the replaced secret stay valid until the next rotation. Tokens signed with an older secret become invalid.';
grant execute on function public.rotate_run_token_secret() to service_role;

-- sql/150_callers/50_pre_request.sql

create function private.guest_time_limit(path text)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(
    (
      select l.time_limit
      from (values
        ('/rpc/start_deployment', '3s'), ('/rpc/receive_webhook', '3s'), ('/rpc/read_deployment', '3s'),
        ('/rpc/flow_run_result', '3s'), ('/rpc/await_flow_run_result', '3s')
      ) as l (path, time_limit)
      where l.path = guest_time_limit.path
    ),
    '500ms'
  );
$$;
comment on function private.guest_time_limit(text) is
  'The time limit of a guest''s statement, by request path. A guest is a caller without a credential. The limit is short, because guests choose the filters of a query and thereby its cost. Starts of runs, and reads of deployments and of runs'' outputs, have more time, because they may wait for locks.';
grant execute on function private.guest_time_limit(text) to anon;

-- A user's access token takes precedence over an API key. The nodes of a run send only a claim token. A request with a
-- claim token and another credential is refused, because a claim token must never act for the service role.
create function private.credential_claims()
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_role constant text := current_setting('role');
  v_claim_token text;
  v_api_key text;
begin
  -- Most requests have no claim token. This quick test avoids parsing their headers.
  if current_setting('request.headers', true) like '%x-flow-claim-token%' then
    v_claim_token := private.request_header('x-flow-claim-token');
  end if;
  if v_role = 'anon' or v_claim_token is not null then
    v_api_key := private.request_header('x-api-key');
  end if;
  if v_claim_token is not null then
    if v_role <> 'anon' or v_api_key is not null then
      perform private.fail('token_invalid', 'A request with a claim token may carry no other credential.');
    end if;
    return private.claim_token_claims(v_claim_token);
  end if;
  if v_role = 'anon' and v_api_key is not null then
    return private.api_key_claims(v_api_key);
  end if;
  return null;
end;
$$;
comment on function private.credential_claims() is
  'The claims of the request''s API key or claim token. Null if the request has neither, or if it has an access token, which takes precedence over an API key. 401 token_invalid, api_key_invalid.';
grant execute on function private.credential_claims() to anon, authenticated, service_role;

-- PostgREST runs this function before each request. The function
--
--   - refuses invalid run tokens, invalid claim tokens and requests for estimated counts;
--   - lets the holder of an API key act as the key's owner, and a node with a claim token act as the flow's owner, so
--     that auth.uid() and policies apply on every path;
--   - sets a short time limit for guests, and for reads of tables.
create function private.pre_request()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_claims jsonb;
begin
  -- Refuse estimated counts, because the planner's estimates count rows that policies hide. The first condition is a
  -- quick test: most requests do not ask for a count, and their headers need not be parsed.
  if current_setting('request.headers', true) like '%count=%' and current_setting('role') <> 'service_role'
    and private.request_header('prefer') ~ 'count=(planned|estimated)' then
    perform private.fail('count_inexact', 'Prefer: count= must be exact.',
      hint => 'Planned and estimated counts include rows that the caller may not see. Send Prefer: count=exact.');
  end if;
  if private.request_header('x-flow-run-token') is not null and private.token_run_id() is null then
    perform private.fail('token_invalid',
      case
        when private.request_header('x-flow-run-token') ~ '^fr_[A-Za-z0-9_-]{64}$'
          then 'The run token is not valid: it was changed, is of another project, '
            'or is older than the last two rotations of the secret.'
        else format(
          'The run token is malformed: it must be fr_ and 64 letters, digits, - or _, but it has %s characters.',
          length(private.request_header('x-flow-run-token'))
        )
      end,
      hint => 'Send the whole token that the start of the run returned.');
  end if;
  v_claims := private.credential_claims();
  if v_claims is not null then
    -- Functions of the project can read the request's headers. Remove the claim token, because such a function could
    -- return it.
    if v_claims ? 'claimed_run_id' then
      perform set_config(
        'request.headers', (current_setting('request.headers')::jsonb - 'x-flow-claim-token')::text, true
      );
    end if;
    perform set_config('request.jwt.claims', v_claims::text, true);
    perform set_config('role', 'authenticated', true);
    -- PostgREST has already applied the settings of the role anon. Replace the time limit of anon by the time limit of
    -- the role authenticated.
    perform set_config('statement_timeout', split_part(o.setting, '=', 2), true)
    from pg_catalog.pg_db_role_setting as s cross join unnest(s.setconfig) as o (setting)
    where s.setdatabase = 0 and s.setrole = 'authenticated'::regrole and o.setting like 'statement\_timeout=%';
  elsif current_setting('role') = 'anon' and private.request_header('x-flow-run-token') is null then
    -- The limit takes effect from the next statement, which is the statement of the request itself.
    perform set_config('statement_timeout', private.guest_time_limit(current_setting('request.path', true)), true);
  end if;
  -- The caller of a read chooses its filters, and thereby its cost. A limit of 0 means no limit.
  if current_setting('request.method', true) in ('GET', 'HEAD')
    and current_setting('request.path', true) not like '/rpc/%' and current_setting('role') <> 'service_role'
    and current_setting('statement_timeout')::interval not between interval '1 ms' and interval '2 s' then
    perform set_config('statement_timeout', '2s', true);
  end if;
end;
$$;
comment on function private.pre_request() is
  'PostgREST calls this function before each request. It checks the run token, lets a caller with an API key or claim token act as a user, refuses inexact counts, and limits how long a guest''s statement and any caller''s read of a table may take. Invoker, because a definer function can''t change the role.';
grant execute on function private.pre_request() to anon, authenticated, service_role;

-- sql/200_values/05_json_bounds.sql

-- Bounds of JSON that users send. Jsonb stores a number such as 1e100000 in a few bytes, but writes it with 100,001
-- digits. So the functions in this file check the numbers of a value first. They make the text of the value only if its
-- numbers are short.

create type private.json_measure as (bytes bigint, fault text, path text, message text);
comment on type private.json_measure is
  'Measures of a JSON value. bytes: the length of its text. fault: number, depth or size. path: the place of the fault. message: a description of valid values. fault, path and message are null if there is no fault.';

create function private.json_digits(value jsonb, out longest integer, out total bigint)
language sql immutable security invoker
set search_path = ''
as $$
  -- jsonb_path_query would take quadratic time, because it moves all remaining results after each row that it returns.
  select coalesce(max(d.digits), 0), coalesce(sum(d.digits), 0)
  from jsonb_array_elements(jsonb_path_query_array(json_digits.value, 'strict $.** ? (@.type() == "number")'))
    as e (number)
  cross join lateral (select e.number::numeric as number) as n
  cross join lateral (select case
    when abs(n.number) >= 10::numeric ^ private.limit_number_digits()
      or scale(n.number) > private.limit_number_digits() then 131072
    when abs(n.number) < 1 then scale(n.number)
    when abs(n.number) < 1e16 and scale(n.number) <= private.limit_number_digits() - 16 then scale(n.number) + 1
    else scale(n.number) + length(trunc(abs(n.number))::text)
  end as digits) as d;
$$;
comment on function private.json_digits(jsonb) is
  'Counts the digits in the text of each number in a JSON value, before and after the point. longest: the greatest count. total: the sum of all counts. A number with more digits than the limit counts as 131,072 digits. In a number below 10^16, all digits before the point count as one.';

create function private.long_number_path(value jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_value jsonb := long_number_path.value;
  v_path text := '';
  v_child record;
begin
  -- To read one level, Postgres copies everything below that level. So the loop stops after 16 levels, or at a list or
  -- object of more than 10,000 parts. If the loop stops before it reaches the number, the path is incomplete.
  for v_level in 1..16 loop
    exit when case jsonb_typeof(v_value)
      when 'array' then jsonb_array_length(v_value) > 10000
      when 'object' then (select count(*) > 10000 from jsonb_object_keys(v_value))
      else true
    end;
    for v_child in
      select c.step, c.value, c.place = count(*) over () as is_largest
      from (
        select i.step, i.value, row_number() over (order by pg_column_size(i.value)) as place
        from (
          select '.' || private.shorten(m.key) as step, m.value
          from jsonb_each(case jsonb_typeof(v_value) when 'object' then v_value end) as m
          union all
          select format('[%s]', e.position - 1), e.value
          from jsonb_array_elements(
            case jsonb_typeof(v_value) when 'array' then v_value end
          ) with ordinality as e (value, position)
        ) as i
      ) as c
      order by c.place
    loop
      -- The largest part comes last. If no other part contains the number, the largest part must contain it. So the
      -- largest part is never searched.
      exit when v_child.is_largest or (private.json_digits(v_child.value)).longest > private.limit_number_digits();
    end loop;
    v_path := v_path || v_child.step;
    v_value := v_child.value;
  end loop;
  return v_path;
end;
$$;
comment on function private.long_number_path(jsonb) is
  'The path of a number with too many digits, such as [0].data.x; at most the first 16 levels of the path. The value must contain such a number.';

create function private.measure_json(value jsonb, max_bytes integer)
returns private.json_measure
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
  v_digits record;
begin
  -- A jsonb value takes at most four times as many bytes as its text, plus a header. The worst case is a list of short
  -- numbers: each number takes twelve bytes in jsonb, and three bytes (`1, `) in text.
  if pg_column_size(measure_json.value) <= 4::bigint * measure_json.max_bytes + 64 then
    if jsonb_path_exists(
      measure_json.value, ('strict $.**{' || (private.limit_json_levels() + 1)::text || '}')::jsonpath
    ) then
      v_measure.fault := 'depth';
      v_measure.path := '';
      v_measure.message := format('must be nested at most %s levels deep', private.limit_json_levels());
      return v_measure;
    end if;
    v_digits := private.json_digits(measure_json.value);
    if v_digits.longest > private.limit_number_digits() then
      v_measure.fault := 'number';
      v_measure.path := private.long_number_path(measure_json.value);
      v_measure.message := format('a number must have at most %s digits', private.limit_number_digits());
      return v_measure;
    end if;
    if v_digits.total <= measure_json.max_bytes then
      v_measure.bytes := octet_length(measure_json.value::text);
    end if;
  end if;
  if v_measure.bytes <= measure_json.max_bytes or measure_json.value is null then
    return v_measure;
  end if;
  v_measure.fault := 'size';
  v_measure.path := '';
  v_measure.message := format('must be at most %s of JSON text', private.size_text(measure_json.max_bytes));
  return v_measure;
end;
$$;
comment on function private.measure_json(jsonb, integer) is
  'Measures JSON from a user. Call this function before any code that makes the text of the value. The value has a fault if its text has more than max_bytes, if it has too many levels, or if one of its numbers has too many digits.';
grant execute on function private.json_digits(jsonb) to authenticated, service_role;
grant execute on function private.long_number_path(jsonb) to authenticated, service_role;
grant execute on function private.measure_json(jsonb, integer) to authenticated, service_role;

create function private.check_json_column(name text, value jsonb, max_bytes integer)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure := private.measure_json(check_json_column.value, check_json_column.max_bytes);
begin
  if v_measure.fault is not null then
    perform private.refuse_column(check_json_column.name || v_measure.path, v_measure.message);
  end if;
  return coalesce(v_measure.bytes, 0);
end;
$$;
comment on function private.check_json_column(text, jsonb, integer) is
  'Refuses the JSON of a column if it is too large or nested too deeply, or if one of its numbers has too many digits. The error 400 column_invalid names the place of the fault. Returns the number of bytes of the JSON''s text; 0 for null.';
grant execute on function private.check_json_column(text, jsonb, integer) to authenticated, service_role;

-- sql/200_values/10_checks.sql

-- Functions for check constraints. The roles that write the tables may execute them.

create function private.is_string_map(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_string_map.value) <> 'object' then false
    else not jsonb_path_exists(is_string_map.value, 'strict $.* ? (@.type() != "string")')
  end;
end;
$$;
comment on function private.is_string_map(jsonb) is 'Whether the value is an object whose members are all strings.';
grant execute on function private.is_string_map(jsonb) to authenticated, service_role;

create function private.is_chain_network(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+([/?#][^[:space:]]*)?$'
      and length(is_chain_network.value ->> 'url') <= private.limit_url_characters(),
    false
  );
end;
$$;
comment on function private.is_chain_network(jsonb) is
  'Whether the value is a Solana network: {url: an http(s) address, cluster: devnet | testnet | mainnet-beta}.';
grant execute on function private.is_chain_network(jsonb) to authenticated, service_role;

create function private.decode_base58(value text)
returns bytea
language plpgsql immutable strict security invoker
set search_path = ''
as $$
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
$$;
comment on function private.decode_base58(text) is
  'Decodes base58 with Bitcoin''s alphabet, which Solana also uses. Null if the text is not base58 or is longer than 128 characters.';
grant execute on function private.decode_base58(text) to authenticated, service_role;

create function private.is_base58(value text, byte_count integer)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select coalesce(octet_length(private.decode_base58(is_base58.value)) = is_base58.byte_count, false);
$$;
comment on function private.is_base58(text, integer) is 'Whether the text is base58 of exactly byte_count bytes.';

create function private.is_base64(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select is_base64.value ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$'
    and length(is_base64.value) <= 8192;
$$;
comment on function private.is_base64(text) is
  'Whether the text is padded standard base64 of at least one byte and has at most 8,192 characters. All Solana transactions and messages are shorter.';

create function private.is_public_key(value text)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  -- Every start with a public key makes this check, so the check must be fast. Decoding would take fifty times as long.
  -- The characters of the base58 alphabet are in the order of their codes. So if two numbers have equally many digits,
  -- comparing their texts compares the numbers. The two texts below are 256^31 and 256^32: a number of 32 bytes lies
  -- between them if its first byte is not zero. If the first byte is zero, the text starts with the digit 1, and the
  -- key is decoded. A single pattern for both the characters and the length would take eight times as long.
  return case
    when length(is_public_key.value) not between 32 and 44 or is_public_key.value ~ '[^1-9A-HJ-NP-Za-km-z]' then false
    when is_public_key.value like '1%' then octet_length(private.decode_base58(is_public_key.value)) = 32
    when length(is_public_key.value) = 43
      then is_public_key.value collate "C" >= '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
    else length(is_public_key.value) = 44
      and is_public_key.value collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
  end;
end;
$$;
comment on function private.is_public_key(text) is 'Whether the text is the base58 of 32 bytes, a Solana public key.';
grant execute on function private.is_public_key(text) to authenticated, service_role;

create function private.integer_or_null(value text)
returns integer
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when integer_or_null.value ~ '^[0-9]{1,10}$'
    and pg_input_is_valid(integer_or_null.value, 'integer') then integer_or_null.value::integer end;
end;
$$;
comment on function private.integer_or_null(text) is
  'The integer that a text of 1 to 10 digits stands for. Null for any other text, and for a number too large for the type integer.';

create function private.first_elements(list jsonb, most integer)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when jsonb_array_length(first_elements.list) <= first_elements.most then first_elements.list
    else jsonb_path_query_array(
      first_elements.list, '$[0 to $last]', jsonb_build_object('last', first_elements.most - 1)
    )
  end;
end;
$$;
comment on function private.first_elements(jsonb, integer) is 'At most the first `most` elements of a JSON array.';
grant execute on function private.first_elements(jsonb, integer) to authenticated, service_role;

create function private.check_tag(tag text)
returns boolean
language plpgsql volatile strict security invoker
set search_path = ''
as $$
begin
  return length(check_tag.tag) <= private.limit_tag_characters() and check_tag.tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$'
    or private.refuse_column('tag', format(
      'must be 1 to %s letters, digits, dots, underscores and hyphens, and begin with a letter or digit',
      private.limit_tag_characters()
    ));
end;
$$;
comment on function private.check_tag(text) is
  'True if the text has the form of a tag. Otherwise raises 400 column_invalid for the column tag.';
grant execute on function private.check_tag(text) to authenticated, service_role;

-- sql/200_values/20_inputs.sql

create function private.is_too_deep(value jsonb)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  return jsonb_path_exists(is_too_deep.value, ('strict $.**{' || private.limit_value_levels()::text || '}')::jsonpath);
end;
$$;
comment on function private.is_too_deep(jsonb) is
  'Whether JSON without tags is nested deeper than a value of a flow may be.';

create function private.bad_value(value jsonb, depth integer)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return format(': is nested deeper than %s levels', private.limit_value_levels());
  end if;
  if jsonb_typeof(bad_value.value) = 'object' then
    v_tag := case
      when bad_value.value ? 'A' then 'A'
      when bad_value.value ? 'M' then 'M'
      when bad_value.value ? 'S' then 'S'
      when bad_value.value ? 'N' then 'N'
      -- This path copies the whole value. Arrays (A) and maps (M) may be large, so the conditions above recognise them
      -- without a copy.
      else jsonb_path_query_first(bad_value.value, '$.keyvalue().key') #>> '{}'
    end;
  end if;
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': must be an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': must be a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: must be true or false' end;
    when v_tag = 'N' then
      -- Check the scale, because 0e-9 equals 0 but its text is 0.000000000.
      return case when v_payload <> '0' or scale(v_payload::numeric) > 0 then '.N: must be 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: must be an array';
      end if;
      for v_index in 0..jsonb_array_length(v_payload) - 1 loop
        v_bad := private.bad_value(v_payload -> v_index, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: must be an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', private.shorten(v_member.key), v_bad);
        end if;
      end loop;
      return null;
    else
      return format(
        ': there is no tag %s; the tags are S, N, B, U, I, U1, I1, F, D, B3, B6, BY, A and M',
        to_jsonb(private.shorten(v_tag))
      );
  end case;
end;
$$;
comment on function private.bad_value(jsonb, integer) is
  'The path and the fault of a tagged value, such as ".A[0].S: must be a string"; null without a fault. Checks tags and JSON types down to `depth` levels. The Edge Functions and the runner check the ranges of numbers.';

-- Error messages begin with `path`, which names the inputs.
create function private.check_inputs(inputs jsonb, path text default 'inputs')
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
  v_pairs jsonb;
  v_bad text;
begin
  -- Nearly all inputs are a few short strings with one tag each. For such inputs, a single pattern on the jsonb text
  -- shows that they are valid. Inputs with a JSON number skip this test: the number must be measured first, because its
  -- text may be very long.
  if pg_column_size(check_inputs.inputs) < 1024
    and not jsonb_path_exists(check_inputs.inputs, 'strict $.** ? (@.type() == "number")')
    and check_inputs.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
  then
    return;
  end if;
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(
      'inputs_invalid', check_inputs.path || ': must be an object of values, such as {"a": {"S": "text"}}'
    );
  end if;
  v_measure := private.measure_json(check_inputs.inputs, private.limit_inputs_bytes());
  if v_measure.fault = 'size' then
    perform private.fail('inputs_too_large', format(
      '%s: must be at most %s of JSON', check_inputs.path, private.size_text(private.limit_inputs_bytes())
    ));
  elsif v_measure.fault = 'number' then
    perform private.fail('inputs_invalid', format('%s%s: %s', check_inputs.path, v_measure.path, v_measure.message));
  end if;
  -- A number or key with more characters than the limit is invalid, and reading it would take quadratic time. The query
  -- splits the text at `": "`. In JSON text, these characters occur only between a member's name and a string. In
  -- inputs, only a member whose name is a tag may have a string as its value.
  if octet_length(check_inputs.inputs::text) > private.limit_number_characters() and exists (
    select
    from (
      select part.text, right(lag(part.text) over (order by part.place), 4) as before
      from string_to_table(check_inputs.inputs::text, '": "') with ordinality as part (text, place)
    ) as strings
    where strpos(strings.text, '"') > private.limit_number_characters() + 1 and strings.before ~ '"([FD]|[UI]1?|B[36])$'
  ) then
    perform private.fail('inputs_invalid', format(
      '%s: the text of a number or a key must have at most %s characters', check_inputs.path,
      private.limit_number_characters()
    ));
  end if;
  -- This JSON path checks all levels without copying. Inputs that pass it are valid. The path must be lax: in a lax
  -- path, `(@.*.size() * 0 == 0) is unknown` is true if an object has no members or several. But in a lax path, `.*`
  -- also looks into the objects of an array, so the path refuses arrays where values must be objects.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', private.limit_value_levels()
    )
    -- A value one level below the last allowed level is a fault.
    || '1 == 1' || repeat('))', private.limit_value_levels() + 1) || ')'
  )::jsonpath) then
    return;
  end if;
  -- The inputs have a fault. Search each level to name the fault.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', private.limit_value_levels());
    if v_bad is not null then
      perform private.fail(
        'inputs_invalid', format('%s.%s%s', check_inputs.path, private.shorten(v_pairs -> v_index ->> 'key'), v_bad)
      );
    end if;
  end loop;
end;
$$;
comment on function private.check_inputs(jsonb, text) is
  'Checks that inputs are an object whose values have one tag each, such as {"a": {"S": "text"}}. 400 inputs_invalid if they are not, if there are too many levels, or if a number or a key has too many characters. 413 inputs_too_large if there are too many bytes.';

create function private.quote_input_names(input_names text[])
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_listed_faults();
begin
  return coalesce((
    select string_agg(to_jsonb(left(k.name, 100))::text, ', ' order by k.position)
    from unnest(quote_input_names.input_names[:v_most]) with ordinality as k (name, position)
  ) || case when cardinality(quote_input_names.input_names) > v_most then ' and others' else '' end, 'none');
end;
$$;
comment on function private.quote_input_names(text[]) is
  'A list of the names of a flow''s inputs for an error message: at most 20 names, each cut after 100 characters; `none` for a flow without inputs.';

create function private.check_input_names(inputs jsonb, input_names text[])
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_unknown text[];
begin
  -- Use `except`, which hashes or sorts both sides. Comparing each name with every other name would take minutes
  -- for the largest inputs.
  v_unknown := array(
    select left(given.name, 100)
    from (
      select g.name from jsonb_object_keys(check_input_names.inputs) as g (name)
      except
      select k.name from unnest(check_input_names.input_names) as k (name)
    ) as given
    order by given.name limit private.limit_listed_faults()
  );
  if cardinality(v_unknown) = 0 then
    return;
  end if;
  perform private.fail(
    'inputs_invalid',
    format('inputs: the flow has no input %s; it has %s.',
      (select string_agg(to_jsonb(u.name)::text, ', ') from unnest(v_unknown) as u (name)),
      private.quote_input_names(check_input_names.input_names)),
    (
      select jsonb_agg(jsonb_build_object('path', 'inputs.' || u.name, 'message', 'the flow has no such input'))
      from unnest(v_unknown) as u (name)
    )
  );
end;
$$;
comment on function private.check_input_names(jsonb, text[]) is
  'Refuses inputs that the flow does not have: 400 inputs_invalid. The error names the first 20 of these inputs, and lists the flow''s own inputs.';

-- sql/200_values/30_port_types.sql

-- Written by npm run db:diff from types/values/port_types.ts, in which changes are made.

create function private.port_types()
returns table (
  name text, place integer, takes bigint, makes bigint, accepts bigint, gives bigint, json_schema jsonb
)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query values
    ('u8', 1, 1::bigint, 1::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":255}'::jsonb),
    ('u16', 2, 3::bigint, 3::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":65535}'::jsonb),
    ('u32', 3, 7::bigint, 7::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":4294967295}'::jsonb),
    ('u64', 4, 15::bigint, 15::bigint, 280::bigint, 8::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":18446744073709551615},
      {"type":"string","pattern":"^[0-9]{1,20}$"}]}'::jsonb),
    ('u128', 5, 31::bigint, 31::bigint, 376::bigint, 40::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":340282366920938463463374607431768211455},
      {"type":"string","pattern":"^[0-9]{1,39}$"}]}'::jsonb),
    ('i8', 6, 33::bigint, 33::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-128,"maximum":127}'::jsonb),
    ('i16', 7, 99::bigint, 99::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-32768,"maximum":32767}'::jsonb),
    ('i32', 8, 231::bigint, 231::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-2147483648,"maximum":2147483647}'::jsonb),
    ('i64', 9, 495::bigint, 495::bigint, 280::bigint, 24::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},
      {"type":"string","pattern":"^-?[0-9]{1,19}$"}]}'::jsonb),
    ('i128', 10, 1023::bigint, 1023::bigint, 376::bigint, 120::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-170141183460469231731687303715884105728,"maximum":170141183460469231731687303715884105727},
      {"type":"string","pattern":"^-?[0-9]{1,39}$"}]}'::jsonb),
    ('decimal', 11, 1519::bigint, 1519::bigint, 410::bigint, 256::bigint,
      '{"anyOf":[
      {"type":"number"},
      {"type":"string","pattern":"^-?[0-9]{1,29}([.][0-9]{1,28})?$"}]}'::jsonb),
    ('f32', 12, 3567::bigint, 3567::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('f64', 13, 7663::bigint, 7663::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('bool', 14, 8192::bigint, 8192::bigint, 4::bigint, 4::bigint,
      '{"type":"boolean"}'::jsonb),
    ('string', 15, 16826368::bigint, 49152::bigint, 16386::bigint, 16386::bigint,
      '{"type":"string"}'::jsonb),
    ('address', 16, 32768::bigint, 32768::bigint, 16386::bigint, 16384::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('pubkey', 17, 491520::bigint, 98304::bigint, 65026::bigint, 16896::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('keypair', 18, 393216::bigint, 393216::bigint, 48130::bigint, 33792::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,88}$"}'::jsonb),
    ('signature', 19, 262144::bigint, 262144::bigint, 7170::bigint, 1024::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{64,88}$"}'::jsonb),
    ('bytes', 20, 901120::bigint, 851968::bigint, 24322::bigint, 3584::bigint,
      '{"type":"string","contentEncoding":"base64"}'::jsonb),
    ('object', 21, 1048576::bigint, 1048576::bigint, 40960::bigint, 8192::bigint,
      '{"type":"object"}'::jsonb),
    ('array', 22, 2097152::bigint, 2097152::bigint, 4096::bigint, 4096::bigint,
      '{"type":"array"}'::jsonb),
    ('json', 23, 20971519::bigint, 20971519::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb),
    ('free', 24, 25165823::bigint, 25165823::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb);
end;
$$;
comment on function private.port_types() is
  'One row for each port type. takes, makes: masks of the values that the type always takes and that its JSON makes. accepts, gives: masks of the kinds of values that an input accepts and an output gives; their bits have another order. json_schema: the JSON Schema of the readable JSON.';

-- sql/250_wallets/10_wallets.sql

create table public.wallets (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  type text not null,
  name text not null default '',
  public_key text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint wallets_user_id_public_key_key unique (user_id, public_key),
  constraint wallets_type_known check (
    type in ('HARDCODED', 'ADAPTER') or private.refuse_column('type', 'must be HARDCODED or ADAPTER')
  ),
  constraint wallets_name_length check (
    char_length(name) <= private.limit_name_characters()
    or private.refuse_column('name', format('must have at most %s characters', private.limit_name_characters()))
  ),
  constraint wallets_public_key_valid check (
    private.is_public_key(public_key) or private.refuse_column('public_key', 'must be a public key: base58 of 32 bytes')
  )
);
comment on table public.wallets is
  'The wallets of users, without secrets. Clients store ADAPTER wallets in this table; POST /wallets/upsert stores a HARDCODED wallet with its key pair.';
comment on column public.wallets.type is
  'HARDCODED: the secret key is stored, encrypted, and the runner signs with it. ADAPTER: the runner asks the holder of the key to sign.';
comment on column public.wallets.public_key is 'Base58 of 32 bytes.';

alter table public.wallets enable row level security;
create policy wallets_select_owner on public.wallets for select to authenticated
  using (user_id = (select auth.uid()));
create policy wallets_insert_owner on public.wallets for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy wallets_update_owner on public.wallets for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy wallets_delete_owner on public.wallets for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.wallets to authenticated;
grant select, insert, update, delete on public.wallets to service_role;

create function private.refuse_missing_keypair()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('wallet_keypair_required', 'A HARDCODED wallet needs its key pair.',
    hint => 'Send keypair, base58 of 64 bytes, to POST /wallets/upsert.');
end;
$$;
comment on function private.refuse_missing_keypair() is
  'Refuses a HARDCODED wallet that has no secret: 400 wallet_keypair_required.';
grant execute on function private.refuse_missing_keypair() to authenticated, service_role;

create function private.tg_wallets__before_insert()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- A wallet becomes HARDCODED only by an update. store_wallet inserts an ADAPTER wallet, stores its secret, and
  -- then changes the type.
  if new.type = 'HARDCODED' then
    perform private.refuse_missing_keypair();
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_insert() is
  'Refuses to insert a HARDCODED wallet, since it would have no secret.';
create trigger _100_refuse_hardcoded before insert on public.wallets
  for each row execute function private.tg_wallets__before_insert();

create trigger _800_check_quota after insert on public.wallets
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('wallets');

create function private.tg_wallets__before_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.user_id, new.public_key, new.created_at) is distinct from (old.user_id, old.public_key, old.created_at)
    -- A wallet with a stored secret must be HARDCODED, and any other wallet must be ADAPTER. Only store_wallet
    -- stores and deletes secrets, so only store_wallet can change the type.
    or new.type is distinct from old.type and new.type is distinct from (
      case when exists (select from private.wallet_secrets as s where s.wallet_id = old.id) then 'HARDCODED'
        else 'ADAPTER' end
    )
  then
    perform private.fail('column_read_only', 'user_id, type, public_key and created_at of a wallet can''t be changed.',
      hint => 'POST /wallets/upsert changes the type of a wallet.');
  end if;
  return new;
end;
$$;
comment on function private.tg_wallets__before_update() is
  'Refuses changes to the read-only columns of a wallet. Definer, because no API role may access the secrets.';
create trigger _100_refuse_read_only before update on public.wallets
  for each row execute function private.tg_wallets__before_update();
create trigger _200_touch before update on public.wallets
  for each row execute function private.tg_any__before_update_touch();

create function private.refuse_wallet_in_use(wallet public.wallets)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment_id uuid;
begin
  select d.id into v_deployment_id
  from public.flow_deployments as d
  where d.user_id = wallet.user_id and d.action_identity = wallet.public_key
  order by d.id desc limit 1;
  if found then
    perform private.fail('wallet_in_use',
      format('The wallet is the action identity of deployment %s.', v_deployment_id),
      jsonb_build_object('deployment_id', v_deployment_id),
      'First change the action_identity of all deployments that name this wallet.');
  end if;
end;
$$;
comment on function private.refuse_wallet_in_use(public.wallets) is
  'Raises 409 wallet_in_use if a deployment of the owner names the wallet as action_identity. Lock the wallet''s row before the call. Then the trigger _200_check_settings of deployments waits, so no new deployment can name the wallet. Definer, because it must also see deployments that policies hide.';

create function private.tg_wallets__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the user is being deleted, and the cascade deletes this wallet. Allow this deletion,
  -- even if a deployment names the wallet.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_wallet_in_use(old);
  end if;
  return old;
end;
$$;
comment on function private.tg_wallets__before_delete() is
  'Refuses to delete a wallet that is an action identity. Definer, because users can''t read auth.users.';
create trigger _100_refuse_in_use before delete on public.wallets
  for each row execute function private.tg_wallets__before_delete();

-- sql/250_wallets/20_wallet_secrets.sql

create table private.wallet_secrets (
  wallet_id integer primary key references public.wallets (id) on delete cascade,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  constraint wallet_secrets_key_id_form check (key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'),
  constraint wallet_secrets_nonce_length check (octet_length(nonce) = 12),
  constraint wallet_secrets_ciphertext_length check (octet_length(ciphertext) = 48)
);
comment on table private.wallet_secrets is
  'The secret keys of HARDCODED wallets, encrypted. Only the environment of the Edge Functions holds the keys that decrypt them.';
comment on column private.wallet_secrets.key_id is 'The id of the encryption key in WALLET_KEYS.';
comment on column private.wallet_secrets.ciphertext is
  'AES-256-GCM of the secret key: 32 bytes, and a tag of 16 bytes. user_id and public_key are the associated data, so the secret decrypts only for this wallet.';
comment on column private.wallet_secrets.created_at is 'When this ciphertext was stored.';

create function private.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text, nonce bytea, ciphertext bytea
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_wallet public.wallets;
begin
  if coalesce(store_wallet.type not in ('HARDCODED', 'ADAPTER'), true)
    or store_wallet.type = 'ADAPTER' and store_wallet.ciphertext is not null
  then
    perform private.fail('request_invalid', 'type: must be HARDCODED or ADAPTER; an ADAPTER wallet has no key pair.');
  end if;
  perform private.hold_user(store_wallet.user_id);
  -- The upsert locks the wallet's row until the transaction ends. So no deployment can name the wallet as action
  -- identity between the check by refuse_wallet_in_use and the change of the type.
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
    set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
      created_at = excluded.created_at;
  elsif store_wallet.type = 'HARDCODED' and v_wallet.type = 'ADAPTER' then
    perform private.refuse_missing_keypair();
  end if;

  if v_wallet.type <> store_wallet.type then
    update public.wallets as w set type = store_wallet.type where w.id = v_wallet.id returning w.* into v_wallet;
  end if;
  return to_jsonb(v_wallet);
end;
$$;
comment on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'Implements public.store_wallet. Definer, because no API role may access the secrets.';
grant execute on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

-- The Edge Function has checked and encrypted the key pair. If no ciphertext is given, a HARDCODED wallet keeps its
-- stored ciphertext. If a wallet becomes an ADAPTER wallet, its stored ciphertext is deleted.
create function public.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text default null, nonce bytea default null,
  ciphertext bytea default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_wallet(user_id, type, name, public_key, key_id, nonce, ciphertext);
$$;
comment on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'For the Edge Function wallets: stores the user''s wallet with this public key, and returns its row without secrets. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a deleted user; 409 wallet_in_use, quota_exceeded.';
grant execute on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

create function private.sealed_row(key_id text, nonce bytea, ciphertext bytea)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'key_id', sealed_row.key_id, 'nonce', '\x' || encode(sealed_row.nonce, 'hex'),
    'ciphertext', '\x' || encode(sealed_row.ciphertext, 'hex')
  );
$$;
comment on function private.sealed_row(text, bytea, bytea) is
  'An encrypted secret in the form that the Edge Functions and the runner read: {key_id, nonce, ciphertext}. nonce and ciphertext are texts: \x, then hex digits.';

create function private.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.sealed_row(s.key_id, s.nonce, s.ciphertext)
  from public.wallets as w
  join private.wallet_secrets as s on s.wallet_id = w.id
  where w.user_id = read_wallet_secret.user_id and w.public_key = read_wallet_secret.public_key;
$$;
comment on function private.read_wallet_secret(uuid, text) is
  'Implements public.read_wallet_secret. Definer, because no API role may access the secrets.';
grant execute on function private.read_wallet_secret(uuid, text) to service_role;

create function public.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_wallet_secret(user_id, public_key);
$$;
comment on function public.read_wallet_secret(uuid, text) is
  'For the runner: the encrypted secret key of a HARDCODED wallet, {key_id, nonce, ciphertext}. nonce and ciphertext are texts: \x, then hex digits. Null if the user has no such wallet.';
grant execute on function public.read_wallet_secret(uuid, text) to service_role;

-- sql/275_connections/10_connections.sql

-- An entry of `hosts` is a host in lower case, with an optional port and path prefix: api.example.com:8443/v1. A prefix
-- has no dot segments and no percent-encoding, so each prefix can be written in only one way.
create function private.are_connection_hosts(hosts text[])
returns boolean
language sql immutable security invoker
begin atomic
  select cardinality(are_connection_hosts.hosts) between 1 and private.limit_connection_hosts()
    and array_ndims(are_connection_hosts.hosts) = 1
    and (
      select bool_and(coalesce(
        char_length(host) <= private.limit_connection_host_characters()
          and host ~ '^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[1-9][0-9]{0,4})?(/[A-Za-z0-9._~!$&''()*+,;=:@-]+)*/?$'
          and host !~ '^[._-]|^[^:/]*[._-](:|/|$)'
          and host !~ '/[.]{1,2}(/|$)',
        false
      ))
      from unnest(are_connection_hosts.hosts) as h (host)
    );
end;
comment on function private.are_connection_hosts(text[]) is
  'True if the list is a valid value of connections.hosts: hosts, each with an optional port and path prefix.';

create table public.connections (
  id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  kind text not null,
  hosts text[] not null,
  header text,
  parameter text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_used_at timestamptz,
  last_tested_at timestamptz,
  last_test_status smallint,
  constraint connections_user_id_name_key unique (user_id, name),
  constraint connections_name_length check (char_length(name) between 1 and private.limit_name_characters()),
  constraint connections_kind_known check (
    kind in ('bearer', 'basic', 'header', 'query', 'oauth2_client_credentials', 'oauth2_refresh_token')
  ),
  constraint connections_hosts_valid check (private.are_connection_hosts(hosts)),
  constraint connections_header_of_kind check (
    case kind when 'header' then coalesce(header ~ '^[a-z0-9!#$%&''*+.^_`|~-]{1,100}$', false) else header is null end
  ),
  constraint connections_last_test_status_of_test check (
    last_test_status is null or last_tested_at is not null and last_test_status between 100 and 999
  ),
  constraint connections_parameter_of_kind check (
    case kind when 'query' then coalesce(char_length(parameter) between 1 and 100, false) else parameter is null end
  )
);
comment on table public.connections is
  'The credentials of users for other servers, without secrets. POST /connections/upsert stores them. A node names its connection in data.targets_form.form_data.connection.';
comment on column public.connections.name is
  'The name by which nodes refer to the connection. A user has at most one connection with a name.';
comment on column public.connections.kind is
  'How a request carries the secret. bearer, basic and oauth2_*: in the header authorization. header: in the header that the column header names. query: in the URL parameter that the column parameter names.';
comment on column public.connections.hosts is
  'The hosts that get the secret, each with an optional port and path prefix. A request to any other host is refused.';
comment on column public.connections.header is 'The header of a connection of kind header, in lower case.';
comment on column public.connections.parameter is 'The query parameter of a connection of kind query.';
comment on column public.connections.updated_at is 'The time at which the connection and its secret were last stored.';
comment on column public.connections.last_used_at is
  'The time at which a run last read the secret. The stored time may be up to a minute earlier. Null if no run has read the secret.';
comment on column public.connections.last_tested_at is
  'The time at which POST /connections/test last tested the present secret; null if this secret has not been tested.';
comment on column public.connections.last_test_status is
  'The HTTP status of the last test''s answer; null if there was no test or no answer.';

alter table public.connections enable row level security;
create policy connections_select_owner on public.connections for select to authenticated
  using (user_id = (select auth.uid()));
create policy connections_delete_owner on public.connections for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, delete on public.connections to authenticated;
grant select, delete on public.connections to service_role;

create trigger _800_check_quota after insert on public.connections
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('connections');

create function private.refuse_connection_in_use(connection public.connections)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployments jsonb;
  v_max constant integer := private.limit_listed_connection_uses();
begin
  select jsonb_agg(jsonb_build_object('deployment_id', u.deployment_id, 'tags', u.tags) order by u.deployment_id desc)
  into v_deployments
  from (
    select t.deployment_id, jsonb_agg(t.tag order by t.tag) as tags
    from private.flow_deployment_connections as c
    join public.flow_deployments_tags as t on t.deployment_id = c.deployment_id
    where c.connection_id = refuse_connection_in_use.connection.id
    group by t.deployment_id
    order by t.deployment_id desc limit v_max + 1
  ) as u;
  if v_deployments is not null then
    perform private.fail('connection_in_use',
      format('Tagged deployments use the connection: %s.', v_deployments #>> '{0,deployment_id}')
        || case when jsonb_array_length(v_deployments) > v_max
          then format(' The details list %s of them.', v_max) else '' end,
      private.first_elements(v_deployments, v_max),
      'First move the tags to deployments that do not use the connection.');
  end if;
end;
$$;
comment on function private.refuse_connection_in_use(public.connections) is
  'Refuses to delete a connection that a tagged deployment uses: 409 connection_in_use, which lists the deployments. Lock the connection''s row before the call, so that deploys wait. Definer, because it must also see deployments that policies hide.';

create function private.tg_connections__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the user is being deleted, and the cascade deletes this connection. Allow this deletion,
  -- even if a tagged deployment uses the connection.
  if exists (select from auth.users as u where u.id = old.user_id) then
    perform private.refuse_connection_in_use(old);
  end if;
  return old;
end;
$$;
comment on function private.tg_connections__before_delete() is
  'Refuses to delete a connection that a tagged deployment uses. Definer, because users can''t read auth.users.';
create trigger _100_refuse_in_use before delete on public.connections
  for each row execute function private.tg_connections__before_delete();

-- sql/275_connections/20_connection_secrets.sql

create table private.connection_secrets (
  connection_id uuid primary key references public.connections (id) on delete cascade,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  constraint connection_secrets_key_id_form check (key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'),
  constraint connection_secrets_nonce_length check (octet_length(nonce) = 12),
  constraint connection_secrets_ciphertext_length
    check (octet_length(ciphertext) between 17 and private.limit_connection_secret_bytes() + 16)
);
comment on table private.connection_secrets is
  'The secrets of connections, encrypted. Only the environment of the Edge Functions holds the keys that decrypt them.';
comment on column private.connection_secrets.key_id is 'The id of the encryption key in WALLET_KEYS.';
comment on column private.connection_secrets.ciphertext is
  'AES-256-GCM of the secret as JSON, with a tag of 16 bytes. The connection''s id, owner, kind, hosts, header and parameter are the associated data, so the secret can''t be decrypted after one of them is changed.';
comment on column private.connection_secrets.created_at is 'When this ciphertext was stored.';

create function private.connection_id_to_store(user_id uuid, name text)
returns uuid
language sql volatile security definer
set search_path = ''
as $$
  select coalesce((
    select c.id from public.connections as c
    where c.user_id = connection_id_to_store.user_id and c.name = connection_id_to_store.name
  ), private.uuid_v7());
$$;
comment on function private.connection_id_to_store(uuid, text) is
  'Implements public.connection_id_to_store. Definer, because it reads the connections of any user.';
grant execute on function private.connection_id_to_store(uuid, text) to service_role;

create function public.connection_id_to_store(user_id uuid, name text)
returns uuid
language sql volatile security invoker
set search_path = ''
as $$
  select private.connection_id_to_store(user_id, name);
$$;
comment on function public.connection_id_to_store(uuid, text) is
  'For the Edge Function connections: the id of the user''s connection with this name, or a new id. The Edge Function needs the id before it calls store_connection, because the id is associated data of the encrypted secret.';
grant execute on function public.connection_id_to_store(uuid, text) to service_role;

create function private.store_connection(connection jsonb, secret jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_given constant public.connections := jsonb_populate_record(null::public.connections, store_connection.connection);
  v_stored public.connections;
begin
  perform private.hold_user(v_given.user_id);
  insert into public.connections as c (id, user_id, name, kind, hosts, header, parameter)
  values (
    v_given.id, v_given.user_id, v_given.name, v_given.kind, v_given.hosts, v_given.header, v_given.parameter
  )
  on conflict on constraint connections_user_id_name_key do update
  set kind = excluded.kind, hosts = excluded.hosts, header = excluded.header, parameter = excluded.parameter,
    updated_at = now(), last_tested_at = null, last_test_status = null
  where c.id = excluded.id
  returning c.* into v_stored;
  if v_stored.id is null then
    perform private.fail('connection_changed', 'The connection was stored by another request at the same time.',
      hint => 'Send the request again if its secret is the right one.');
  end if;
  insert into private.connection_secrets as s (connection_id, key_id, nonce, ciphertext)
  values (
    v_stored.id, store_connection.secret ->> 'key_id', (store_connection.secret ->> 'nonce')::bytea,
    (store_connection.secret ->> 'ciphertext')::bytea
  )
  on conflict (connection_id) do update
  set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
    created_at = excluded.created_at;
  -- The stored access token belongs to the previous secret.
  delete from private.connection_tokens as t where t.connection_id = v_stored.id;
  return to_jsonb(v_stored);
end;
$$;
comment on function private.store_connection(jsonb, jsonb) is
  'Implements public.store_connection. Definer, because no API role may access the secrets or write connections.';
grant execute on function private.store_connection(jsonb, jsonb) to service_role;

-- Each call stores a connection together with its secret. So only a user who knows the secret can change the hosts.
create function public.store_connection(connection jsonb, secret jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_connection(connection, secret);
$$;
comment on function public.store_connection(jsonb, jsonb) is
  'For the Edge Function connections: stores {id, user_id, name, kind, hosts, header, parameter} and its secret {key_id, nonce, ciphertext}, and returns the row. 401 token_invalid for a deleted user; 409 connection_changed, quota_exceeded.';
grant execute on function public.store_connection(jsonb, jsonb) to service_role;

create function private.store_connection_test(connection_id uuid, nonce bytea, status smallint)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.connections as c set last_tested_at = now(), last_test_status = store_connection_test.status
  where c.id = store_connection_test.connection_id and exists (
    select from private.connection_secrets as s
    where s.connection_id = c.id and s.nonce = store_connection_test.nonce
  );
$$;
comment on function private.store_connection_test(uuid, bytea, smallint) is
  'Implements public.store_connection_test. Definer, because no API role may access the secrets or update connections.';
grant execute on function private.store_connection_test(uuid, bytea, smallint) to service_role;

create function public.store_connection_test(connection_id uuid, nonce bytea, status smallint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_connection_test(connection_id, nonce, status);
$$;
comment on function public.store_connection_test(uuid, bytea, smallint) is
  'For the Edge Function connections: stores the time and the HTTP status of a test; a null status means that there was no answer. Does nothing if the secret with this nonce has been replaced.';
grant execute on function public.store_connection_test(uuid, bytea, smallint) to service_role;

-- sql/275_connections/25_connection_tokens.sql

-- Access tokens of connections of the kinds oauth2_*. A worker that needs a new token takes the lease, asks the
-- token server, and stores the answer. While the lease lasts, all other workers wait, because some servers revoke a
-- refresh token that is used twice. No transaction stays open while a worker waits for the token server.
create table private.connection_tokens (
  connection_id uuid primary key references public.connections (id) on delete cascade,
  key_id text,
  nonce bytea,
  ciphertext bytea,
  expires_at timestamptz,
  lease uuid,
  leased_until timestamptz,
  failure jsonb,
  failed_until timestamptz,
  constraint connection_tokens_token_complete
    check (num_nulls(key_id, nonce, ciphertext, expires_at) in (0, 4)),
  constraint connection_tokens_nonce_length check (octet_length(nonce) = 12),
  constraint connection_tokens_ciphertext_length
    check (octet_length(ciphertext) between 17 and private.limit_connection_token_bytes() + 16),
  constraint connection_tokens_failure_size check (pg_column_size(failure) <= 2048)
);
comment on table private.connection_tokens is
  'The access tokens of connections of the kinds oauth2_*, encrypted, and the leases for getting new ones. A row is deleted when its connection is stored again.';
comment on column private.connection_tokens.ciphertext is
  'AES-256-GCM of {access_token, refresh_token}, with a tag of 16 bytes. The connection''s id and owner are the associated data.';
comment on column private.connection_tokens.expires_at is
  'The time from which the access token counts as expired. From then on, a worker must get a new token.';
comment on column private.connection_tokens.lease is
  'The lease of the worker that is getting a new token. Only this worker may store a new token.';
comment on column private.connection_tokens.leased_until is
  'The time at which the lease ends. From then on, its worker counts as lost, and another worker may take the lease.';
comment on column private.connection_tokens.failure is
  'The last failure, {message, is_transient}. No worker asks the token server again before failed_until.';

create function private.begin_token_refresh(connection_id uuid, secret_nonce text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_token private.connection_tokens;
  v_lease constant uuid := gen_random_uuid();
begin
  -- The lock prevents a change of the secret until the transaction ends. If no secret has this nonce, the connection
  -- was stored again or deleted after the worker read its secret. The worker then gets no lease, because it could store
  -- a token of the former secret for the new hosts.
  perform from private.connection_secrets as s
  where s.connection_id = begin_token_refresh.connection_id and s.nonce = begin_token_refresh.secret_nonce::bytea
  for share;
  if not found then
    return '{"state": "gone"}';
  end if;
  insert into private.connection_tokens as t (connection_id) values (begin_token_refresh.connection_id)
  on conflict do nothing;
  select t.* into v_token from private.connection_tokens as t
  where t.connection_id = begin_token_refresh.connection_id
  for no key update;
  -- Read the time after the lock is taken, because this call may have waited for the lock.
  v_now := clock_timestamp();
  case
    when v_token.expires_at > v_now then
      return '{"state": "ready"}';
    when v_token.failed_until > v_now then
      return jsonb_build_object('state', 'failed') || v_token.failure;
    when v_token.leased_until > v_now then
      return '{"state": "wait"}';
    else
      update private.connection_tokens as t
      set lease = v_lease, leased_until = v_now + make_interval(secs => private.limit_connection_lease_seconds())
      where t.connection_id = begin_token_refresh.connection_id;
      return jsonb_build_object('state', 'leased', 'lease', v_lease, 'token', case
        when v_token.ciphertext is not null then private.sealed_row(v_token.key_id, v_token.nonce, v_token.ciphertext)
      end);
  end case;
end;
$$;
comment on function private.begin_token_refresh(uuid, text) is
  'Implements public.begin_token_refresh. Definer, because no API role may access the tokens.';
grant execute on function private.begin_token_refresh(uuid, text) to service_role;

create function public.begin_token_refresh(connection_id uuid, secret_nonce text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.begin_token_refresh(connection_id, secret_nonce);
$$;
comment on function public.begin_token_refresh(uuid, text) is
  'For the runner: begins to get a new token. Returns {state}. ready: a valid token is stored. wait: another worker asks the token server. leased: this worker must ask; adds `lease` and the expired `token` or null. failed: adds the stored message and is_transient. gone: no secret has this nonce.';
grant execute on function public.begin_token_refresh(uuid, text) to service_role;

create function private.end_token_refresh(
  connection_id uuid, lease uuid, token jsonb, valid_seconds integer, failure jsonb
)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.connection_tokens as t
  set lease = null, leased_until = null, failure = end_token_refresh.failure,
    failed_until = case when end_token_refresh.failure is not null
      then clock_timestamp() + make_interval(secs => private.limit_connection_failure_seconds()) end,
    key_id = coalesce(end_token_refresh.token ->> 'key_id', t.key_id),
    nonce = coalesce((end_token_refresh.token ->> 'nonce')::bytea, t.nonce),
    ciphertext = coalesce((end_token_refresh.token ->> 'ciphertext')::bytea, t.ciphertext),
    expires_at = coalesce(
      clock_timestamp() + make_interval(secs => end_token_refresh.valid_seconds), t.expires_at
    )
  where t.connection_id = end_token_refresh.connection_id and t.lease = end_token_refresh.lease;
  return found;
end;
$$;
comment on function private.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) is
  'Implements public.end_token_refresh. Definer, because no API role may access the tokens.';
grant execute on function private.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) to service_role;

create function public.end_token_refresh(
  connection_id uuid, lease uuid, token jsonb default null, valid_seconds integer default null,
  failure jsonb default null
)
returns boolean
language sql volatile security invoker
set search_path = ''
as $$
  select private.end_token_refresh(connection_id, lease, token, valid_seconds, failure);
$$;
comment on function public.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) is
  'For the runner: ends the lease, and stores the new token {key_id, nonce, ciphertext}, valid for valid_seconds, or the failure {message, is_transient}. If another worker has the lease, or if the connection was stored again, stores nothing and returns false.';
grant execute on function public.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) to service_role;

create function private.expire_connection_token(connection_id uuid, nonce text)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update private.connection_tokens as t set expires_at = clock_timestamp()
  where t.connection_id = expire_connection_token.connection_id
    and t.nonce = (expire_connection_token.nonce)::bytea and t.expires_at > clock_timestamp();
$$;
comment on function private.expire_connection_token(uuid, text) is
  'Implements public.expire_connection_token. Definer, because no API role may access the tokens.';
grant execute on function private.expire_connection_token(uuid, text) to service_role;

create function public.expire_connection_token(connection_id uuid, nonce text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.expire_connection_token(connection_id, nonce);
$$;
comment on function public.expire_connection_token(uuid, text) is
  'For the runner: marks the access token with this nonce as expired, because a server has refused it (401). The next request gets a new token. Does nothing if another token is stored by now.';
grant execute on function public.expire_connection_token(uuid, text) to service_role;

-- sql/275_connections/30_claimed_connection.sql

create function private.with_secret(connection public.connections)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select to_jsonb(with_secret.connection) || private.sealed_row(s.key_id, s.nonce, s.ciphertext) || jsonb_build_object(
    'token', (
      select private.sealed_row(t.key_id, t.nonce, t.ciphertext) from private.connection_tokens as t
      where t.connection_id = with_secret.connection.id and t.expires_at > clock_timestamp()
    )
  )
  from private.connection_secrets as s where s.connection_id = with_secret.connection.id;
$$;
comment on function private.with_secret(public.connections) is
  'A connection with its encrypted secret, {key_id, nonce, ciphertext}. `token` is the connection''s valid access token in the same form, or null. Calling functions must check who may read the secret. Definer, because no API role may access the secrets.';

create function private.read_connection_secret(user_id uuid, name text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.with_secret(c) from public.connections as c
  where c.user_id = read_connection_secret.user_id and c.name = read_connection_secret.name;
$$;
comment on function private.read_connection_secret(uuid, text) is
  'Implements public.read_connection_secret. Definer, because no API role may access the secrets.';
grant execute on function private.read_connection_secret(uuid, text) to service_role;

create function public.read_connection_secret(user_id uuid, name text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_connection_secret(user_id, name);
$$;
comment on function public.read_connection_secret(uuid, text) is
  'For the Edge Function connections, to test a connection: the user''s connection with its encrypted secret, as read_claimed_connection returns it. Null if the user has no connection with this name.';
grant execute on function public.read_connection_secret(uuid, text) to service_role;

create function private.read_claimed_connection(claim jsonb, name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (read_claimed_connection.claim ->> 'flow_run_id')::uuid, (read_claimed_connection.claim ->> 'claim_number')::integer
  );
  v_connection public.connections;
begin
  select c.* into v_connection
  from private.flow_run_jobs as j
  join public.connections as c
    on c.id = (j.settings -> 'connections' ->> read_claimed_connection.name)::uuid and c.user_id = v_run.user_id
  where j.flow_run_id = v_run.id and j.is_held;
  if not found then
    return null;
  end if;
  -- The time is written at most once a minute. If several runs read the secret at the same time, only one of them
  -- writes the time, and the others do not wait.
  update public.connections as c set last_used_at = now()
  where c.id = (
    select o.id from public.connections as o
    where o.id = v_connection.id and (o.last_used_at < now() - interval '1 minute') is not false
    for no key update skip locked
  );
  return private.with_secret(v_connection);
end;
$$;
comment on function private.read_claimed_connection(jsonb, text) is
  'Implements public.read_claimed_connection. Definer, because no API role may access secrets and jobs.';
grant execute on function private.read_claimed_connection(jsonb, text) to service_role;

create function public.read_claimed_connection(claim jsonb, name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.read_claimed_connection(claim, name);
$$;
comment on function public.read_claimed_connection(jsonb, text) is
  'For the runner: the connection with this name; null if the run of the claim, {flow_run_id, claim_number}, may use no such connection. The result has the encrypted secret {key_id, nonce, ciphertext}, and `token`: a valid access token in the same form, or null. 409 claim_lost.';
grant execute on function public.read_claimed_connection(jsonb, text) to service_role;

-- sql/300_nodes/10_json_faults.sql

-- Finds values that are too large or nested too deeply, names that are too long, and numbers that I-JSON (RFC 7493)
-- does not allow. Texts need no check, because jsonb refuses NUL and lone surrogates.
create function private.json_faults(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The number halfway between the largest double and 2^1024. As a double, this number and all larger ones are
  -- infinity.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- The query measures only strings, numbers, booleans and nulls, because each array or object in the result would be a
  -- copy of everything inside it. jsonb_path_query would take quadratic time, because it moves all remaining results
  -- after each row that it returns.
  select coalesce(
    sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0
  ) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= private.limit_definition_bytes() then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= private.limit_definition_levels()
    )
    select
      -- The size is the UTF-8 bytes of all strings and member names, plus 8 bytes for each value. TypeScript computes
      -- the same size.
      sum(
        8 + octet_length(part.name) + case jsonb_typeof(part.value)
          when 'string' then octet_length(part.value #>> '{}') else 0 end
      ),
      bool_or(
        part.depth > private.limit_definition_levels()
        or length(part.name) > private.limit_definition_name_characters()
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > private.limit_definition_bytes() then
    return jsonb_build_array(jsonb_build_object(
      'path', '', 'message', format('holds more than %s', private.size_text(private.limit_definition_bytes()))
    ));
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Build paths only if there is a fault. Shorten the names in a path, because each name is copied into the path of
  -- every value below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step,
          length(m.key) > private.limit_definition_name_characters() as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= private.limit_definition_levels()
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > private.limit_definition_levels()
            then format('is nested deeper than %s levels', private.limit_definition_levels())
          when part.is_named_too_long
            then format('has a name of more than %s characters', private.limit_definition_name_characters())
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'must be a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(
      jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]'
    )
    from (
      select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100
    ) as first
  );
end;
$$;
comment on function private.json_faults(jsonb) is
  'The first 100 faults in the size, depth, names and numbers of a JSON value, [{path, message}]; [] if there are none.';
grant execute on function private.json_faults(jsonb) to authenticated, service_role;

create function private.shape_faults(value jsonb, shape jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape,
        '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(
        case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end
      ) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(
        case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end
      )
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'must be ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array'
        else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$$;
comment on function private.shape_faults(jsonb, jsonb) is
  'The first 100 differences of a JSON value from a shape, [{path, message}]; [] if the value fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape}. A ! at the end of a member''s name marks a mandatory member. The value may have members that the shape does not name.';
grant execute on function private.shape_faults(jsonb, jsonb) to authenticated, service_role;

-- sql/300_nodes/20_node_definition.sql

-- Checks node definitions. types/node_definition.ts has the same rules in zod. The test
-- tests/sql/node_definition_agreement.test.ts compares the results of SQL and zod.

create function private.node_definition_shape()
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select '{
    "type!": "string",
    "data!": {
      "node_id!": "string",
      "version!": "string",
      "display_name!": "string",
      "node_definition_version": "string",
      "unique_id": "string",
      "description": "string",
      "effects": "string",
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
$$;
comment on function private.node_definition_shape() is
  'The shape of a node definition, in the form that private.shape_faults() takes.';
grant execute on function private.node_definition_shape() to authenticated, service_role;

create function private.node_definition_faults(definition jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
  v_measure private.json_measure;
begin
  -- If a definition is within the limit, its jsonb takes at most four times the limit. Refuse larger definitions before
  -- the slow checks.
  if pg_column_size(v_definition) > 4 * private.limit_definition_bytes() then
    return jsonb_build_array(jsonb_build_object(
      'path', '', 'message', format('holds more than %s', private.size_text(private.limit_definition_bytes()))
    ));
  end if;
  -- In a row of the table nodes, the columns of missing members are null. These nulls must not count towards the size.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    -- Like the zod schema, private.json_faults() counts 8 bytes for each number, but the text of a number may have 50
    -- times as many bytes. So the limit for the text is 64 times the limit for the counted bytes.
    v_measure := private.measure_json(v_definition, 64 * private.limit_definition_bytes());
    if v_measure.fault is not null then
      v_faults := jsonb_build_array(
        jsonb_build_object('path', ltrim(v_measure.path, '.'), 'message', v_measure.message)
      );
    end if;
  end if;
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; the members are ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (
      array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name))
    )
    union all
    -- PostgREST turns numbers and booleans into text before it writes them into the column `type`. So refuse texts that
    -- may come from a number or boolean.
    select 'type', format(
      'must be at most %s letters, digits, _ and -, start with a letter, and not be true or false',
      private.limit_definition_type_characters()
    )
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]*$'
      or length(v_definition ->> 'type') > private.limit_definition_type_characters()
    union all
    select 'data.' || l.name, format('must have 1 to %s characters', l.longest)
    from (values
      ('node_id', private.limit_node_id_characters()), ('version', private.limit_definition_version_characters())
    ) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    select 'data.effects', 'must be none, idempotent or once'
    where v_definition -> 'data' ->> 'effects' not in ('none', 'idempotent', 'once')
    union all
    -- A ui_schema without a json_schema defines no form. Accept such a ui_schema, because some definitions from other
    -- servers have one.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1),
      format('another port has the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1),
      format('must have at most %s characters', private.limit_definition_name_characters())
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > private.limit_definition_name_characters()
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$$;
comment on function private.node_definition_faults(jsonb) is
  'The first 100 faults of a node definition, [{path, message}]; [] if there are none.';
grant execute on function private.node_definition_faults(jsonb) to authenticated, service_role;

create function private.check_node_definition(definition jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail('node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      details => private.first_elements(v_faults, private.limit_listed_faults()),
      hint => format(
        'This is the definition of node %s.',
        to_jsonb(private.shorten(
          check_node_definition.definition #>> '{data,node_id}', private.limit_node_id_characters()
        ))
      ));
  end if;
end;
$$;
comment on function private.check_node_definition(jsonb) is
  'Refuses an invalid node definition: 400 node_definition_invalid, whose details are a list of {path, message}.';
grant execute on function private.check_node_definition(jsonb) to authenticated, service_role;

-- sql/300_nodes/30_node_publishers.sql

create table private.node_publishers (
  user_id uuid primary key references auth.users (id) on delete cascade
);
comment on table private.node_publishers is
  'Users whose node definitions are public. Administrators of the project edit this table in SQL. A change applies only to definitions that the user posts after the change.';

create function private.node_poster(out user_id uuid, out is_publisher boolean)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
begin
  user_id := private.require_user();
  is_publisher := exists (select from private.node_publishers as p where p.user_id = node_poster.user_id);
end;
$$;
comment on function private.node_poster() is
  'The calling user, and whether that user''s node definitions are public; 401 unauthenticated if the caller is not a user. Definer, because no API role may access private.node_publishers.';
grant execute on function private.node_poster() to authenticated;

-- sql/300_nodes/40_nodes.sql

create table public.nodes (
  id uuid not null default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  is_public boolean not null default false,
  owner_key uuid not null default '00000000-0000-0000-0000-000000000000',
  node_id text not null default '',
  version text not null default '',
  type text not null,
  data jsonb not null,
  sources jsonb not null,
  targets jsonb not null,
  "targets_form.json_schema" jsonb,
  "targets_form.ui_schema" jsonb,
  "targets_form.extra" jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (owner_key, node_id, version),
  constraint nodes_id_key unique (id),
  constraint nodes_owner_key_is_user_id check (owner_key = coalesce(user_id, '00000000-0000-0000-0000-000000000000')),
  constraint nodes_node_id_in_data check (node_id = data ->> 'node_id'),
  constraint nodes_version_in_data check (version = data ->> 'version'),
  constraint nodes_without_user_public check (user_id is not null or is_public),
  constraint nodes_json_schema_with_ui_schema check (
    "targets_form.json_schema" is null or "targets_form.ui_schema" is not null
  )
);
comment on table public.nodes is
  'Node definitions, from which front-ends draw nodes. Everybody may read public definitions. Users may also read their own definitions. The database sets id, user_id, is_public, owner_key, node_id, version, created_at and updated_at, and ignores a client''s values for them.';
comment on column public.nodes.user_id is 'The user who posted the definition; null if the service role posted it.';
comment on column public.nodes.is_public is
  'True if the service role or a user in private.node_publishers posted the definition.';
comment on column public.nodes.owner_key is
  'user_id, or a UUID of zeros if user_id is null. An upsert finds its row by the primary key. The primary key contains owner_key instead of user_id, because a column of a primary key can''t be null.';
comment on column public.nodes.node_id is 'data.node_id.';
comment on column public.nodes.version is 'data.version.';
comment on column public.nodes.type is 'native, or the name of another kind of node.';
comment on column public.nodes.data is 'The node_id, version, display_name and other properties of the node.';
comment on column public.nodes.sources is 'The outputs of the node: an array of {name, type, …}.';
comment on column public.nodes.targets is 'The inputs of the node: an array of {name, type_bounds, …}.';
comment on column public.nodes."targets_form.json_schema" is
  'The form for the settings of the node. A json_schema needs a ui_schema.';

create unique index nodes_node_id_version_public_idx on public.nodes (node_id, version) where is_public;
create index nodes_user_id_idx on public.nodes (user_id);

alter table public.nodes enable row level security;
create policy nodes_select_public on public.nodes for select to anon
  using (is_public);
create policy nodes_select_owner_or_public on public.nodes for select to authenticated
  using (user_id = (select auth.uid()) or is_public);
create policy nodes_insert_owner on public.nodes for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy nodes_update_owner on public.nodes for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy nodes_delete_owner on public.nodes for delete to authenticated
  using (user_id = (select auth.uid()));

grant select on public.nodes to anon;
grant select, insert, update, delete on public.nodes to authenticated;
grant select, insert, update, delete on public.nodes to service_role;

create function private.node_definition(node public.nodes)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'type', node_definition.node.type, 'data', node_definition.node.data,
    'sources', node_definition.node.sources, 'targets', node_definition.node.targets,
    'targets_form.json_schema', node_definition.node."targets_form.json_schema",
    'targets_form.ui_schema', node_definition.node."targets_form.ui_schema",
    'targets_form.extra', node_definition.node."targets_form.extra"
  );
$$;
comment on function private.node_definition(public.nodes) is
  'The node definition in a row, without the columns that the database sets.';
grant execute on function private.node_definition(public.nodes) to authenticated, service_role;

create function private.tg_nodes__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_poster record;
begin
  perform private.check_node_definition(private.node_definition(new));
  new.node_id := new.data ->> 'node_id';
  new.version := new.data ->> 'version';

  if tg_op = 'INSERT' then
    -- The id is always new, because a copied definition may contain the id of the original row. An upsert runs this
    -- branch first, even if it then updates a row.
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
  -- Row level security applies only to users. It does not apply to the service role and to administrators.
  if row_security_active('public.nodes') then
    v_poster := private.node_poster();
    new.is_public := v_poster.is_publisher;
    if tg_op = 'INSERT' then
      new.user_id := v_poster.user_id;
    end if;
  end if;
  new.owner_key := coalesce(new.user_id, '00000000-0000-0000-0000-000000000000');

  if tg_op = 'UPDATE' and private.node_definition(new) = private.node_definition(old)
    and new.is_public = old.is_public then
    new.updated_at := old.updated_at;
  else
    new.updated_at := now();
  end if;
  return new;
end;
$$;
comment on function private.tg_nodes__before_write() is
  'Refuses an invalid node definition, and sets the columns that clients can''t set. A definition belongs to the user who posted it. It is public if that user is a publisher, or if the service role posted it.';
create trigger _100_check_and_keep before insert or update on public.nodes
  for each row execute function private.tg_nodes__before_write();
create trigger _800_check_quota after insert on public.nodes
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('nodes');

-- sql/300_nodes/50_native_nodes.sql

create table private.native_nodes (
  id boolean primary key default true,
  version bigint not null default 0,
  constraint native_nodes_single check (id)
);
comment on table private.native_nodes is
  'One row that counts changes of the service role''s node definitions; the first change inserts the row. Warnings and interfaces of flow snapshots are stored with this count, and are computed again when the count has grown.';

create function private.tg_nodes__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (select from changed as c where c.user_id is null) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_write() is
  'Counts new and deleted definitions of the service role. Definer, because no API role may access the count.';

create function private.tg_nodes__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Each start of the stack writes all definitions again. Count only definitions that changed.
  if exists (
    select from former as f join changed as c on c.id = f.id
    where c.user_id is null and private.node_definition(c) <> private.node_definition(f)
  ) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_update() is
  'Counts changes of the service role''s definitions. Definer, because no API role may access the count.';
create trigger _100_count_inserted after insert on public.nodes
  referencing new table as changed
  for each statement execute function private.tg_nodes__after_write();
create trigger _110_count_updated after update on public.nodes
  referencing old table as former new table as changed
  for each statement execute function private.tg_nodes__after_update();
create trigger _120_count_deleted after delete on public.nodes
  referencing old table as changed
  for each statement execute function private.tg_nodes__after_write();

-- sql/350_flows/02_is_script.sql

create function private.is_script(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_script.node_id in ('rhai_script', 'javascript') or is_script.node_id like 'rhai\_script\_%';
end;
comment on function private.is_script(text) is
  'True for a native node that runs a script of the flow''s author. The flow''s JSON declares the inputs and outputs of such a node. The script may leave any of its outputs unset.';

create function private.draws_inputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_inputs.node_id in ('interflow', 'interflow_instructions') or private.is_script(draws_inputs.node_id);
end;
comment on function private.draws_inputs(text) is
  'True for a native node whose inputs come from the flow''s JSON instead of the node definition.';

create function private.draws_outputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_outputs.node_id in ('interflow', 'switch', 'fileexplorer') or private.is_script(draws_outputs.node_id);
end;
comment on function private.draws_outputs(text) is
  'True for a native node whose outputs come from the flow''s JSON instead of the node definition.';

-- sql/350_flows/04_port_label.sql

-- The body is a single expression, so that the planner can inline this function.
create function private.port_label(data jsonb)
returns text
language sql immutable security invoker
return coalesce(
  case jsonb_typeof(data #> '{targets_form,form_data,label}')
    when 'string' then data #>> '{targets_form,form_data,label}'
  end,
  data -> case data ->> 'node_id' when 'flow_input' then 'sources' else 'targets' end -> 0 ->> 'name',
  ''
);
comment on function private.port_label(jsonb) is
  'The name of the only port of a flow_input or flow_output node. This is the node''s label, or if the node has no label, the port''s name in the flow''s JSON. The runner uses the same name. `data` is the node''s data.';

-- sql/350_flows/05_retry.sql

create function private.retry_fault(retry jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(retry_fault.retry) <> 'object' then
    return 'data.retry: must be an object';
  end if;
  return coalesce(
    (
      select format(
        'data.retry.%s: must be %s from %s to %s', m.name, case when m.is_whole then 'an integer' else 'a number' end,
        m.least, m.most
      )
      from (values
        (1, 'max_attempts', 1, private.limit_retry_attempts(), true),
        (2, 'delay_ms', 0, private.limit_retry_pause_ms(), true), (3, 'backoff', 1, 10, false),
        (4, 'max_delay_ms', 0, private.limit_retry_pause_ms(), true)
      ) as m (position, name, least, most, is_whole)
      cross join lateral (select retry_fault.retry -> m.name as value offset 0) as given
      where case
        when given.value is null then m.name = 'max_attempts'
        when jsonb_typeof(given.value) <> 'number' then true
        when given.value::numeric not between m.least and m.most then true
        else m.is_whole and given.value::numeric % 1 <> 0
      end
      order by m.position limit 1
    ),
    (
      select format(
        'data.retry: there is no member %s, only max_attempts, delay_ms, backoff and max_delay_ms',
        to_jsonb(private.shorten(key))
      )
      from jsonb_object_keys(retry_fault.retry) as key
      where key not in ('max_attempts', 'delay_ms', 'backoff', 'max_delay_ms')
      limit 1
    )
  );
end;
$$;
comment on function private.retry_fault(jsonb) is
  'The first fault in data.retry of a node; null if the runner can read data.retry.';

create function private.complete_retry(retry jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'delay_ms', 1000, 'backoff', 2, 'max_delay_ms', greatest(60000, (complete_retry.retry -> 'delay_ms')::numeric)
  ) || complete_retry.retry;
$$;
comment on function private.complete_retry(jsonb) is
  'data.retry of a node, with defaults for missing members. data.retry must have no fault.';

-- sql/350_flows/06_switch.sql

create function private.switch_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_cases constant jsonb := switch_fault.data #> '{targets_form,form_data,cases}';
begin
  if jsonb_typeof(v_cases) is distinct from 'array'
    or jsonb_array_length(v_cases) not between 1 and private.limit_switch_cases()
  then
    return format(
      'data.targets_form.form_data.cases: must be an array of 1 to %s cases', private.limit_switch_cases()
    );
  end if;
  return coalesce(
    (
      select format('data.targets_form.form_data.cases[%s]%s', c.position - 1, f.fault)
      from jsonb_array_elements(v_cases) with ordinality as c (one, position)
      cross join lateral (select case
        when jsonb_typeof(c.one) <> 'object' then ': must be an object'
        when jsonb_typeof(c.one -> 'name') is distinct from 'string'
            or length(c.one ->> 'name') not between 1 and private.limit_port_name_characters()
            or c.one ->> 'name' = 'default'
          then format(
            '.name: must be a text of 1 to %s characters other than default', private.limit_port_name_characters()
          )
        -- These are the operators of runner/conditions/condition.ts. A test compares both lists.
        when (c.one ->> 'operator' = any (
            '{is_null,is_not_null,is_true,is_false,is_empty,is_not_empty,eq,ne,gt,lt,gte,lte,contains,starts_with,ends_with}'
          )) is not true
          then '.operator: there is no such operator'
        when jsonb_typeof(coalesce(nullif(c.one -> 'field', 'null'), '""')) <> 'string'
            or length(c.one ->> 'field') > private.limit_field_path_characters()
            or '.' || (c.one ->> 'field') || '.' like '%..%' and c.one ->> 'field' <> ''
          then format(
            '.field: must be names with single dots between them, %s characters at most',
            private.limit_field_path_characters()
          )
        when not c.one ? 'compare_to' and c.one ->> 'operator' not like 'is\_%'
          then '.compare_to: is missing'
        when c.one ->> 'operator' in ('gt', 'lt', 'gte', 'lte') and jsonb_typeof(c.one -> 'compare_to') <> 'number'
          then '.compare_to: must be a number for this operator'
        when c.one ->> 'operator' in ('starts_with', 'ends_with') and jsonb_typeof(c.one -> 'compare_to') <> 'string'
          then '.compare_to: must be a text for this operator'
      end) as f (fault)
      where f.fault is not null
      order by c.position limit 1
    ),
    (
      select format(
        'data.targets_form.form_data.cases: two cases have the name %s', to_jsonb(private.shorten(c.one ->> 'name'))
      )
      from jsonb_array_elements(v_cases) as c (one) group by c.one ->> 'name' having count(*) > 1 limit 1
    ),
    (
      select format('data.sources: there is no case %s', to_jsonb(private.shorten(s.port ->> 'name')))
      from jsonb_array_elements(switch_fault.data -> 'sources') as s (port)
      where s.port ->> 'name' not in (
        select c.one ->> 'name' from jsonb_array_elements(v_cases) as c (one) union all select 'default'
      ) and not (s.port ->> 'name' = 'error' and switch_fault.data -> 'on_error' is not distinct from '"output"')
      limit 1
    )
  );
end;
$$;
comment on function private.switch_fault(jsonb) is
  'The first fault in the cases or outputs of a switch node; null without a fault. Each output must have the name of a case, or the name `default`. If data.on_error is "output", an output may also have the name `error`. `data` is the node''s data. private.port_fault() must have found no fault in it.';

-- sql/350_flows/07_on_error.sql

create function private.on_error_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when on_error_fault.data -> 'on_error' = 'null' then null
    when on_error_fault.data -> 'on_error' <> '"output"' then 'data.on_error: must be "output", or left out'
    when on_error_fault.data ->> 'type' = 'native' and (
      on_error_fault.data ->> 'node_id' = 'flow_input' and private.port_label(on_error_fault.data) = 'error'
      or on_error_fault.data ->> 'node_id' = 'switch'
        and jsonb_path_exists(on_error_fault.data, '$.targets_form.form_data.cases[*] ? (@.name == "error")')
    )
      then 'data.on_error: the node already has an output "error", so it can''t have on_error'
  end;
end;
$$;
comment on function private.on_error_fault(jsonb) is
  'The fault of a node''s data.on_error, or null. `data` is the node''s data. Does not check whether the node calls a flow that already has an output named error; private.called_error_findings() checks this.';

-- sql/350_flows/08_edge_expression.sql

-- The body is a single expression, so that the planner can inline this function.
create function private.edge_expression(edge jsonb)
returns text
language sql immutable security invoker
return nullif(edge -> 'data' ->> 'expression', '');
comment on function private.edge_expression(jsonb) is
  'The expression of an edge. The target of the edge gets the result of the expression. Null if the edge has no expression. An empty text, which editors may store, counts as no expression.';

create function private.edge_expression_findings(edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Most flows have no expressions. For them, this cheap test is enough.
  if not jsonb_path_exists(edge_expression_findings.edges, '$[*].data.expression ? (@ != null)') then
    return '[]';
  end if;
  return (
    with expression as materialized (
      select e.position - 1 as index, e.edge #> '{data,expression}' as expression
      from jsonb_array_elements(edge_expression_findings.edges) with ordinality as e (edge, position)
      where e.edge #> '{data,expression}' not in ('null', '""')
    )
    select coalesce(jsonb_agg(
      jsonb_build_object('code', f.code, 'path', f.path, 'message', f.message) order by f.index
    ), '[]')
    from (
      select -1 as index, 'flow_too_large' as code, 'edges' as path, format(
        'a flow may have at most %s edges with expressions, and this one has %s',
        private.limit_flow_expressions(), count(*)
      ) as message
      from expression having count(*) > private.limit_flow_expressions()
      union all
      select x.index, 'edge_malformed', format('edges[%s].data.expression', x.index),
        format('data.expression: must be a text of at most %s characters', private.limit_expression_characters())
      from expression as x
      where jsonb_typeof(x.expression) <> 'string'
        or length(x.expression #>> '{}') > private.limit_expression_characters()
      order by index limit private.limit_listed_findings() + 1
    ) as f
  );
end;
$$;
comment on function private.edge_expression_findings(jsonb) is
  'Findings for private.flow_findings(): too many expressions, and expressions that are too long or not a text. The deploy route checks whether expressions parse.';

-- sql/350_flows/09_script_ports.sql

create function private.script_names_fault(names text[], noun text, is_rhai boolean)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The reserved words of runner/rhai/tokens.ts, and the names ENV and source, which have a meaning in every script. A
  -- test compares the lists.
  v_words constant text[] := '{
    as,async,await,break,call,case,catch,const,continue,curry,debug,default,do,else,eval,export,false,fn,Fn,for,go,
    goto,if,import,in,is,is_def_fn,is_def_var,is_shared,let,loop,match,module,new,nil,"null",package,print,private,
    protected,public,return,shared,spawn,static,super,switch,sync,this,thread,throw,true,try,type_of,until,use,var,
    void,while,with,yield,ENV,source
  }';
begin
  if cardinality(script_names_fault.names) > private.limit_script_ports() then
    return format('a script may have at most %s %ss', private.limit_script_ports(), script_names_fault.noun);
  end if;
  return (
    select case
      when p.count > 1
        then format('two %ss have the name %s', script_names_fault.noun, to_jsonb(private.shorten(p.name)))
      when p.name = any (v_words)
        then format(
          '%s has a meaning in scripts, so no %s may have this name', to_jsonb(p.name), script_names_fault.noun
        )
      else format(
        'the name %s of an %s must have only letters from A to Z, digits and _, and a letter before its first digit',
        to_jsonb(private.shorten(p.name)), script_names_fault.noun
      )
    end
    from (
      select n.name, count(*) as count, min(n.position) as position
      from unnest(script_names_fault.names) with ordinality as n (name, position) group by n.name
    ) as p
    where p.count > 1
      or script_names_fault.is_rhai and (p.name = any (v_words) or p.name !~ '^_*[A-Za-z][A-Za-z0-9_]*$')
    order by p.position limit 1
  );
end;
$$;
comment on function private.script_names_fault(text[], text, boolean) is
  'The first fault in the names of a script''s inputs or outputs; null without a fault. `noun` is input or output.';

-- Only the port names of a rhai_script node must be valid names of the language Rhai. The script of a javascript node
-- can read an input with any name as inputs["…"].
create function private.script_port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_rhai constant boolean := script_port_fault.data ->> 'node_id' = 'rhai_script';
begin
  return coalesce(
    'data.targets: ' || private.script_names_fault(array(
      select t.port ->> 'name' from jsonb_array_elements(script_port_fault.data -> 'targets') as t (port)
    ), 'input', v_is_rhai),
    'data.sources: ' || private.script_names_fault(array(
      select s.port ->> 'name' from jsonb_array_elements(script_port_fault.data -> 'sources') as s (port)
      -- If data.on_error is "output", the runner sets the output named error. The script does not set this output, so
      -- the rules do not apply to its name.
      where s.port ->> 'name' <> 'error' or script_port_fault.data -> 'on_error' is distinct from '"output"'
    ), 'output', v_is_rhai)
  );
end;
$$;
comment on function private.script_port_fault(jsonb) is
  'The first fault in the port names of a rhai_script or javascript node; null without a fault. No two inputs, and no two outputs, may share a name. In a rhai_script node, names must be valid in the language Rhai. `data` is the node''s data. private.port_fault() must have found no fault in it.';

-- sql/350_flows/10_node_faults.sql

create function private.port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    -- These two paths are strict. In a lax path, the filter would test the elements of an inner array instead of the
    -- inner array itself.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source must be an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target must be an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source must have a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target must have a string id, a string name, '
        'an array type_bounds, and booleans required and passthrough'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
        where port -> 'when_absent' not in ('"run"', '"run_unless_failed"', 'null')
    )
      then 'data.targets: when_absent of a target must be "run" or "run_unless_failed", or left out'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'sources') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > private.limit_port_name_characters()
    )
      then format('data.sources: the id and the name of a source may have at most %s characters',
        private.limit_port_name_characters())
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > private.limit_port_name_characters()
    )
      then format('data.targets: the id and the name of a target may have at most %s characters',
        private.limit_port_name_characters())
  end;
end;
$$;
comment on function private.port_fault(jsonb) is
  'The first fault in the ports of a node; null if the runner can read all ports. `data` is the node''s data, whose sources and targets must be arrays.';

create function private.node_faults(nodes jsonb)
returns table (node_index integer, fault text)
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- First check all ports in one pass. Each row of the subquery has the nth source and the nth target of one node. If a
  -- port has a fault, the query below checks the ports of each node to name the fault.
  v_has_bad_ports constant boolean := coalesce((
    -- Measure only the texts of the few ports whose total number of bytes exceeds the character limit of a name.
    select bool_or(
      port.source is not null and (
        jsonb_typeof(port.source -> 'id') = 'string' and jsonb_typeof(port.source -> 'name') = 'string'
        and (
          pg_column_size(port.source) <= private.limit_port_name_characters()
            or greatest(length(port.source ->> 'id'), length(port.source ->> 'name'))
              <= private.limit_port_name_characters()
        )
      ) is not true
      or port.target is not null and (
        jsonb_typeof(port.target -> 'id') = 'string' and jsonb_typeof(port.target -> 'name') = 'string'
        and (
          pg_column_size(port.target) <= private.limit_port_name_characters()
            or greatest(length(port.target ->> 'id'), length(port.target ->> 'name'))
              <= private.limit_port_name_characters()
        )
        and jsonb_typeof(port.target -> 'type_bounds') = 'array'
        and jsonb_typeof(port.target -> 'required') = 'boolean'
          and jsonb_typeof(port.target -> 'passthrough') = 'boolean'
        and coalesce(port.target ->> 'when_absent', 'run') in ('run', 'run_unless_failed')
      ) is not true
    )
    from (
      select
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'sources') = 'array' then d.data -> 'sources' end
        ) as source,
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'targets') = 'array' then d.data -> 'targets' end
        ) as target
      from jsonb_array_elements(node_faults.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Extract `data` once here instead of in each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node must be an object'
    -- A single pattern for the whole id would take four times as long as these three tests.
    when (
      n.node ->> 'id' like '________-____-____-____-____________' and length(replace(n.node ->> 'id', '-', '')) = 32
      and n.node ->> 'id' !~ '[^-0-9a-f]'
    ) is not true
      then 'id: must be a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: must be an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: must be native, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: must be a string'
    when length(d.data ->> 'node_id') > private.limit_node_id_characters()
      then format('data.node_id: must have at most %s characters', private.limit_node_id_characters())
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: must be an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: must be an array'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    -- Editors may store null for a member that is not set.
    when d.data ? 'retry' and d.data -> 'retry' <> 'null' and private.retry_fault(d.data -> 'retry') is not null
      then private.retry_fault(d.data -> 'retry')
    when d.data ? 'on_error' and private.on_error_fault(d.data) is not null then private.on_error_fault(d.data)
    when d.data ? 'timeout_ms' and d.data -> 'timeout_ms' <> 'null' and (
      case jsonb_typeof(d.data -> 'timeout_ms') when 'number' then
        (d.data -> 'timeout_ms')::numeric between 1 and private.limit_timeout_ms()
          and (d.data -> 'timeout_ms')::numeric % 1 = 0
      end
    ) is not true
      then format('data.timeout_ms: must be an integer from 1 to %s', private.limit_timeout_ms())
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > private.limit_port_name_characters()
      then format('data.targets_form.form_data.label: must have at most %s characters',
        private.limit_port_name_characters())
    when d.data ->> 'node_id' = 'switch' and d.data ->> 'type' = 'native' then private.switch_fault(d.data)
    when d.data ->> 'node_id' in ('rhai_script', 'javascript') and d.data ->> 'type' = 'native'
      then private.script_port_fault(d.data)
  end) as f (fault)
  where f.fault is not null
  order by n.position limit private.limit_listed_findings() + 1;
end;
$$;
comment on function private.node_faults(jsonb) is
  'The first fault of each malformed node, for at most limit_listed_findings() + 1 nodes. First call private.flow_size_findings(), which bounds nodes and ports. Checks the members that the editor must set, and members that only this project defines, such as data.retry.';

-- sql/350_flows/12_constant_fault.sql

create function private.constant_fault(form_data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form constant jsonb := constant_fault.form_data;
  v_value constant jsonb := v_form -> 'value';
  v_kind constant text := coalesce(jsonb_typeof(v_value), 'missing');
  v_text constant text := case v_kind when 'string' then v_value #>> '{}' end;
begin
  -- A bare text is the constant itself. The runner reads a list of addresses (File) as it is.
  if jsonb_typeof(v_form) = 'string' or v_form ->> 'type' = 'File' and v_kind <> 'missing' then
    return null;
  end if;
  if jsonb_typeof(v_form -> 'type') is distinct from 'string' then
    return 'form_data must have the members type and value';
  end if;
  -- Types of other names come from other editors, and have a value with its tag.
  if v_kind = 'object' and v_form ->> 'type' <> 'JSON'
    or v_form ->> 'type' not in ('text', 'number', 'decimal', 'boolean', 'JSON', 'null', 'bytes', 'key') then
    return case when v_kind = 'missing' then 'form_data must have the members type and value'
      else 'form_data.value' || private.bad_value(v_value, private.limit_value_levels()) end;
  end if;
  return 'form_data.value: must be ' || case v_form ->> 'type'
    when 'text' then case when v_kind not in ('string', 'missing') then 'a text' end
    when 'number' then case when v_kind <> 'number' then 'a number' end
    when 'decimal' then
      case
        when v_text ~ '^[-+]?([0-9]{1,60}([.][0-9]{0,60})?|[.][0-9]{1,60})$'
          and abs(v_text::numeric) <= 79228162514264337593543950335 then null
        else 'a decimal, such as 2.50'
      end
    when 'boolean' then case when v_kind <> 'boolean' then 'true or false' end
    when 'JSON' then case when v_text is json is not true then 'a text that holds JSON' end
    when 'bytes' then
      case when v_text is null or v_text <> '' and length(v_text) <= 8192 and not private.is_base64(v_text)
        then 'bytes in base64, such as AQID' end
    when 'key' then
      case when private.is_base58(v_text, 32) or private.is_base58(v_text, 64) then null
        else 'a public key, or a key pair of 64 bytes, in base58' end
  end;
end;
$$;
comment on function private.constant_fault(jsonb) is
  'The reason why a run can''t read the form data of a node const; null if it can. The runner has the same rule (runner/nodes/const/), and also checks the numbers in values with a tag.';

-- sql/350_flows/20_flow_cycle.sql

create function private.flow_cycle(nodes text[], sources text[], targets text[])
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
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
  -- Kahn's algorithm on numbered nodes. The edges are sorted by source, so each node and each edge is visited once.
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

  -- Into each node that is still waiting, an edge leads from a node that is also waiting. So a walk backwards along
  -- such edges ends in a cycle.
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
$$;
comment on function private.flow_cycle(text[], text[], text[]) is
  'The node ids of one cycle in the order of its edges; null if there is no cycle. Edge i leads from sources[i] to targets[i]. Source: A. B. Kahn, Topological sorting of large networks, CACM 5 (1962).';

-- sql/350_flows/30_flow_findings.sql

create function private.flow_edges(nodes jsonb, edges jsonb)
returns table (edge_index integer, source text, target text, target_port text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- The members source and target of an edge say which nodes the edge connects. But its handles may be ports of other
  -- nodes, so look up each handle in the whole flow.
  return query
  with port as materialized (
    -- Each row has the nth source and the nth target of one node.
    select p.source ->> 'id' as source, p.target ->> 'id' as target, p.target ->> 'name' as target_name
    from (
      select jsonb_array_elements(d.data -> 'sources') as source, jsonb_array_elements(d.data -> 'targets') as target
      from jsonb_array_elements(flow_edges.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ) as p
  ),
  target_handle as materialized (
    select port.target as id, max(port.target_name) as name from port where port.target is not null group by port.target
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select port.source from port
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$$;
comment on function private.flow_edges(jsonb, jsonb) is
  'The edges that a run keeps: edges whose two handles are ports of the flow. Editors may leave edges behind whose ports are gone. A run drops such edges with a warning.';

create function private.port_count_findings(nodes jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A JSON path counts ports without copying nodes. Extracting each node takes twenty times as long for 40,000
  -- ports.
  if not jsonb_path_exists(
    port_count_findings.nodes, '$[*].data ? (@.sources.size() > $most || @.targets.size() > $most)',
    jsonb_build_object('most', private.limit_node_ports())
  ) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', 'node_malformed', 'path', format('nodes[%s]', node.index),
      'message',
      format(
        'data.%s: must have at most %s %1$s', case when node.has_too_many_sources then 'sources' else 'targets' end,
        private.limit_node_ports()
      )
    ) order by node.index), '[]')
    from (
      select i.index, has.too_many_sources, has.too_many_targets
      from generate_series(0, jsonb_array_length(port_count_findings.nodes) - 1) as i (index)
      cross join lateral (select
        jsonb_path_exists(
          port_count_findings.nodes, 'strict $[$index].data.sources.size() ? (@ > $most)',
          jsonb_build_object('index', i.index, 'most', private.limit_node_ports()), silent => true
        ),
        jsonb_path_exists(
          port_count_findings.nodes, 'strict $[$index].data.targets.size() ? (@ > $most)',
          jsonb_build_object('index', i.index, 'most', private.limit_node_ports()), silent => true
        )
      ) as has (too_many_sources, too_many_targets)
      where has.too_many_sources or has.too_many_targets
      order by i.index limit private.limit_listed_findings() + 1
    ) as node (index, has_too_many_sources, has_too_many_targets)
  );
end;
$$;
comment on function private.port_count_findings(jsonb) is
  'Findings for private.flow_findings() about nodes with too many sources or targets, for at most limit_listed_findings() + 1 nodes.';

create function private.flow_size_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb := (
    select jsonb_agg(jsonb_build_object(
      'code', 'flow_too_large', 'path', part.name, 'message',
      format('a flow may have at most %s %s, and this one has %s', part.most, part.name, part.size)
    ))
    from (values
      ('nodes', private.limit_flow_nodes(), jsonb_array_length(flow_size_findings.nodes)),
      ('edges', private.limit_flow_edges(), jsonb_array_length(flow_size_findings.edges))
    ) as part (name, most, size)
    where part.size > part.most
  );
begin
  return coalesce(v_findings, private.port_count_findings(flow_size_findings.nodes));
end;
$$;
comment on function private.flow_size_findings(jsonb, jsonb) is
  'Findings for private.flow_findings() about too many nodes, edges or ports. A larger graph would delay other runs while the runner sets it up.';

create function private.flow_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph, and nested loops could take quadratic time. The plan is generic,
-- because for most flows, making a new plan for a call would take longer than the call itself.
set enable_nestloop = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_leads_back boolean;
  v_cycle text[];
begin
  -- Check the size first: it bounds the cost of the other checks.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
  select jsonb_agg(
    jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault)
      order by f.node_index
  )
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- The other checks read members that a malformed node may lack.
    return v_findings;
  end if;
  v_findings := private.edge_expression_findings(flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
      d.data -> 'targets_form' -> 'form_data' ->> 'label' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  ),
  -- One row for each id, because several nodes may share an id. Without this step, if a thousand nodes shared an id,
  -- each edge to this id would become a thousand rows.
  known as materialized (
    select node.id, count(*) as node_count, min(node.index) as first_index, max(node.index) as last_index,
      bool_or(node.type <> 'mock') as is_run, bool_or(node.type = 'mock') as is_mock
    from node group by node.id
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      s.first_index as source_index, t.first_index as target_index,
      coalesce(s.is_run, false) as is_source_run, coalesce(t.is_run, false) as is_target_run,
      coalesce(t.is_mock, false) as is_target_mock,
      kept.edge_index is not null as is_kept, kept.target_port
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
    left join known as s on s.id = e.edge ->> 'source'
    left join known as t on t.id = e.edge ->> 'target'
    left join private.flow_edges(flow_findings.nodes, flow_findings.edges) as kept on kept.edge_index = e.position - 1
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', known.last_index) as path,
      format('two nodes have the id %s', known.id) as message
    from known where known.node_count > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index),
      format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge where not edge.is_source_run and not edge.is_target_mock
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index),
      format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where edge.target_index is null
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(edge.index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(edge.target_port)), edge.target)
    from edge where edge.is_kept and edge.is_target_run
    group by edge.target, edge.target_port having count(*) > 1
    union all
    -- The limit on the number of a node's inputs does not limit the number of edges into the node, because the
    -- targetHandle of an edge may be an input of another node.
    select 'node_edges_too_many', format('nodes[%s]', edge.target_index),
      format('at most %s edges may lead into one node', private.limit_node_edges())
    from edge where edge.is_kept and edge.target_index is not null
    group by edge.target_index having count(*) > private.limit_node_edges()
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (
        select finding.* from finding
        order by finding.path, finding.code limit private.limit_listed_findings() + 1
      ) as first
    ),
    (select array_agg(known.id order by known.first_index) from known where known.is_run),
    wired.sources, wired.targets, wired.leads_back
  into v_findings, v_nodes, v_sources, v_targets, v_leads_back
  from (
    select array_agg(edge.source) as sources, array_agg(edge.target) as targets,
      bool_or(edge.source_index >= edge.target_index) as leads_back
    from edge where edge.is_kept and edge.is_source_run and edge.is_target_run
  ) as wired;

  -- If every edge leads to a later node, as in most flows, there is no cycle.
  if v_leads_back then
    v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  end if;
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$$;
comment on function private.flow_findings(jsonb, jsonb) is
  'The faults that keep a graph from running, [{code, path, message}]; [] if the graph can run. Lists at most limit_listed_findings() + 1 faults. Does not check calls of other flows; private.reduce_flow() checks these calls.';

-- sql/350_flows/40_acting_flows.sql

-- Finds the nodes that have effects outside of a run or ask a person, and the flows that contain such nodes. hasEffects
-- in runner/engine/graph.ts has the same rule.

create function private.acting_nodes(nodes jsonb, edges jsonb, acting_flows jsonb)
returns table (node_id text, is_settled boolean)
language plpgsql stable security invoker
set search_path = ''
set enable_nestloop = off
as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  return query
  with node as materialized (
    select d.node ->> 'id' as id, d.node -> 'data' ->> 'node_id' as node_id,
      d.node #> '{data,targets_form,form_data}' as form_data
    from jsonb_array_elements(acting_nodes.nodes) as d (node)
    where d.node -> 'data' ->> 'type' = 'native'
  ),
  definition as materialized (
    select distinct on (d.node_id) d.node_id, coalesce(d.data ->> 'effects', 'none') as effects,
      d.targets @> '[{"name": "submit"}]' and d.sources @> '[{"name": "signature"}]' as is_settled
    from public.nodes as d
    where d.owner_key = v_nobody and d.type = 'native'
      and d.node_id = any (array(select distinct n.node_id from node as n))
    order by d.node_id, d.created_at desc, d.version desc
  ),
  -- The nodes whose effects depend on the value of one input. If an edge leads into that input, only a run determines
  -- its value, so the node counts as a node with effects.
  decided as materialized (
    select n.id, n.node_id, d.input,
      case jsonb_typeof(n.form_data) when 'object' then n.form_data -> d.input end as value
    from node as n
    join (values
      ('http_request', 'method'), ('das_api', 'method'), ('postgrest_execute_query', 'query')
    ) as d (node_id, input) on d.node_id = n.node_id
  ),
  given as materialized (
    select e.target, e.target_port
    from private.flow_edges(acting_nodes.nodes, acting_nodes.edges) as e
    where e.target_port in ('method', 'query') and exists (select from decided)
  ),
  safe as (
    select d.id from decided as d
    where case d.node_id
      when 'http_request' then case coalesce(jsonb_typeof(d.value), 'null')
        when 'null' then true when 'string' then upper(d.value #>> '{}') in ('GET', 'HEAD', 'OPTIONS') else false
      end
      when 'das_api' then jsonb_typeof(d.value) = 'string' and d.value #>> '{}' ~* '^(get|is|search|simulate)'
      else d.value -> 'method' = '"GET"'
    end
    and (d.id, d.input) not in (select g.target, g.target_port from given as g)
  )
  select n.id, coalesce(d.is_settled, false)
  from node as n left join definition as d on d.node_id = n.node_id
  where case
    when n.node_id in ('interflow', 'interflow_instructions') then
      acting_nodes.acting_flows -> case n.node_id when 'interflow' then 'all' else 'without_instructions' end
        @> to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
    when n.node_id = 'api_input' then true
    else coalesce(d.effects, 'none') <> 'none' and n.id not in (select s.id from safe as s)
  end;
end;
$$;
comment on function private.acting_nodes(jsonb, jsonb, jsonb) is
  'The nodes of a graph that have effects or ask a person. `acting_flows` lists the called flows that have effects, as private.acting_flows() returns them. is_settled is true if the node has effects only through the instructions that it makes.';

create function private.acting_flows(snapshot jsonb)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  if acting_flows.snapshot -> 'flows' = '{}' then
    return '{}';
  end if;
  return (
    with recursive flow as materialized (
      select f.key::integer as id, f.value -> 'nodes' as nodes, f.value -> 'edges' as edges
      from jsonb_each(acting_flows.snapshot -> 'flows') as f
    ),
    own as materialized (
      select f.id, bool_and(a.is_settled) as is_settled
      from flow as f cross join lateral private.acting_nodes(f.nodes, f.edges, '{}') as a
      group by f.id
    ),
    call as materialized (
      select distinct f.id as caller, r.id as called from flow as f
        cross join lateral private.interflow_references(f.nodes) as r
    ),
    acting (kind, id) as (
      select k.kind, o.id from own as o cross join (values ('all'), ('without_instructions')) as k (kind)
      where k.kind = 'all' or not o.is_settled
      union
      select a.kind, c.caller from acting as a join call as c on c.called = a.id
    )
    select coalesce(jsonb_object_agg(k.kind, k.ids), '{}')
      from (select a.kind, jsonb_agg(a.id) as ids from acting as a group by a.kind) as k
  );
end;
$$;
comment on function private.acting_flows(jsonb) is
  'The ids of called flows with effects in a snapshot: {all, without_instructions}, without empty arrays. A flow has effects if one of its nodes, or a flow that it calls, has effects. For `without_instructions`, a node does not count if its only effects are the instructions that it makes.';

create function private.acting_nodes_of(snapshot jsonb)
returns table (flow text, node_id uuid)
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return query
  with graph as materialized (
    select 'entry' as flow, acting_nodes_of.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(acting_nodes_of.snapshot -> 'flows') as f
  )
  select g.flow, a.node_id::uuid
  from graph as g
  cross join lateral private.acting_nodes(
    g.graph -> 'nodes', g.graph -> 'edges', private.acting_flows(acting_nodes_of.snapshot)
  ) as a
  union
  -- A node without a published definition may have any effects.
  select g.flow, (n.node ->> 'id')::uuid
  from graph as g cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
  where n.node #>> '{data,type}' = 'native' and not exists (
    select from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = n.node #>> '{data,node_id}'
  );
end;
$$;
comment on function private.acting_nodes_of(jsonb) is
  'The nodes of a snapshot that a redrive must not repeat without need, because they may have effects. flow is `entry` or the id of a called flow.';

-- sql/350_flows/40_environment_findings.sql

-- Checks the transaction settings in a flow's environment. The environment may have other members, which are not
-- checked.

create function private.environment_fault(name text, value text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A fault never repeats the value, because the value may be a secret.
  return case
    when environment_fault.name = 'COMPUTE_BUDGET'
      and (
        environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) <= 4294967295
      ) is not true
      then 'must be auto, no or an integer from 0 to 2^32-1'
    when environment_fault.name = 'FALLBACK_COMPUTE_BUDGET'
      and (private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'must be an integer from 0 to 2^32-1'
    when environment_fault.name = 'PRIORITY_FEE'
      and not (
        environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) is not null
      )
      then 'must be auto, no or an integer from 0 to 2^64-1'
    when environment_fault.name in ('SIMULATION_COMMITMENT_LEVEL', 'TX_COMMITMENT_LEVEL', 'WAIT_COMMITMENT_LEVEL')
      and environment_fault.value not in ('processed', 'confirmed', 'finalized')
      then 'must be processed, confirmed or finalized'
    when environment_fault.name in ('OVERWRITE_FEEPAYER', 'DEVNET_LOOKUP_TABLE', 'MAINNET_LOOKUP_TABLE')
      and not private.is_base58(environment_fault.value, 32)
      then 'must be a public key: base58 of 32 bytes'
  end;
end;
$$;
comment on function private.environment_fault(text, text) is
  'The fault of a setting in a flow''s environment, or null. The message never repeats the value.';

create function private.is_key_pair(value text)
returns boolean
language sql immutable strict security invoker
set search_path = ''
as $$
  select private.is_base58(is_key_pair.value, 64)
    or is_key_pair.value ~ '^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$';
$$;
comment on function private.is_key_pair(text) is
  'Whether the text may be a Solana key pair: base58 of 64 bytes, or a JSON array of 64 numbers, the format of Solana''s command-line tools.';

create function private.environment_findings(environment jsonb, owner_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('code', finding.code, 'path', 'environment.' || setting.name, 'message', finding.message)
        order by setting.name
    ), '[]')
    from jsonb_each_text(environment_findings.environment) as setting (name, value)
    cross join lateral (
      select case
        when setting.name = 'OVERWRITE_FEEPAYER' and private.is_key_pair(setting.value) then 'environment_key_pair'
        when private.environment_fault(setting.name, setting.value) is not null then 'environment_value_invalid'
        when setting.name = 'OVERWRITE_FEEPAYER' and not exists (
          select from public.wallets as w
          where w.user_id = environment_findings.owner_id and w.public_key = setting.value and w.type = 'HARDCODED'
        ) then 'environment_wallet_unknown'
      end
    ) as fault (code)
    cross join lateral (
      select fault.code, case fault.code
        when 'environment_key_pair'
          then 'OVERWRITE_FEEPAYER holds a key pair, and a flow must hold no secrets: '
            'store the key pair as a HARDCODED wallet, and set OVERWRITE_FEEPAYER to its public key'
        when 'environment_wallet_unknown'
          then 'OVERWRITE_FEEPAYER must be the public key of one of your HARDCODED wallets: none of them has this key'
        else setting.name || ' ' || private.environment_fault(setting.name, setting.value)
      end
    ) as finding (code, message)
    where finding.code is not null
  );
end;
$$;
comment on function private.environment_findings(jsonb, uuid) is
  'The faults of the settings in the environment of an owner''s flow, [{code, path, message}]; [] if there are none.';

-- sql/350_flows/45_connection_uses.sql

create function private.takes_connection(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select takes_connection.node_id = 'http_request';
end;
comment on function private.takes_connection(text) is
  'Whether a native node may name a connection in data.targets_form.form_data.';

create function private.connection_uses(nodes jsonb)
returns table (node_index integer, id text, name text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Most flows name no connection. This path recognises such flows in a tenth of the time of the query below.
  if not jsonb_path_exists(connection_uses.nodes, '$[*].data.targets_form.form_data.connection ? (@ != "")') then
    return;
  end if;
  return query
  -- If a name is too long for a connection, cut it to one character more than allowed, so that it still fits no
  -- connection.
  select (n.position - 1)::integer, n.node ->> 'id',
    left(n.node #>> '{data,targets_form,form_data,connection}', private.limit_name_characters() + 1)
  from jsonb_array_elements(connection_uses.nodes) with ordinality as n (node, position)
  where n.node #>> '{data,type}' = 'native' and private.takes_connection(n.node #>> '{data,node_id}')
    and n.node #>> '{data,targets_form,form_data,connection}' <> '';
end;
$$;
comment on function private.connection_uses(jsonb) is
  'The nodes of a graph that name a connection: the index and the id of each node, and the name of the connection. An empty name counts as no name.';

-- Numbers the nodes and sorts the edges by source, so that each edge is followed only once, even in long chains.
create function private.nodes_from(nodes jsonb, edges jsonb, starts text[], is_backwards boolean)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_ids text[];
  -- The numbers of the nodes that the loop has reached, in the order in which it reached them.
  v_reached integer[];
  v_is_reached boolean[];
  -- Edge i leads from node v_from[i] to node v_to[i]. The edges are sorted by v_from. v_first[n] is the first edge that
  -- leaves node n.
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_done integer := 0;
  v_edge integer;
begin
  select array_agg(n.id order by n.position),
    array_agg(n.position order by n.position) filter (where n.is_start),
    array_agg(n.is_start order by n.position)
  into v_ids, v_reached, v_is_reached
  from (
    select e.node ->> 'id' as id, e.position,
      coalesce(e.node ->> 'id' in (select unnest(nodes_from.starts)), false) as is_start
    from jsonb_array_elements(nodes_from.nodes) with ordinality as e (node, position)
  ) as n;
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from (
    select e.edge ->> case when nodes_from.is_backwards then 'target' else 'source' end as source,
      e.edge ->> case when nodes_from.is_backwards then 'source' else 'target' end as target
    from jsonb_array_elements(nodes_from.edges) as e (edge)
  ) as e
  join unnest(v_ids) with ordinality as s (id, number) on s.id = e.source
  join unnest(v_ids) with ordinality as t (id, number) on t.id = e.target;
  v_first := array_fill(0, array[coalesce(cardinality(v_ids), 0)]);
  for v_edge in reverse coalesce(cardinality(v_from), 0)..1 loop
    v_first[v_from[v_edge]] := v_edge;
  end loop;
  while v_done < coalesce(cardinality(v_reached), 0) loop
    v_done := v_done + 1;
    v_edge := v_first[v_reached[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_reached[v_done] loop
      if not v_is_reached[v_to[v_edge]] then
        v_is_reached[v_to[v_edge]] := true;
        v_reached := v_reached || v_to[v_edge];
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  return array(select v_ids[r.number] from unnest(v_reached) as r (number));
end;
$$;
comment on function private.nodes_from(jsonb, jsonb, text[], boolean) is
  'The ids of the nodes `starts` of a graph, and of all nodes that the edges lead to from there. If is_backwards is true, the edges are followed against their direction.';

create function private.open_connection_urls(nodes jsonb, edges jsonb)
returns table (node_index integer, name text)
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph, and nested loops could take quadratic time.
set enable_nestloop = off
as $$
begin
  if not exists (select from private.connection_uses(open_connection_urls.nodes)) then
    return;
  end if;
  return query
  select u.node_index, u.name
  from private.connection_uses(open_connection_urls.nodes) as u
  where u.id in (
    select e.edge ->> 'target'
    from jsonb_array_elements(open_connection_urls.edges) as e (edge)
    where e.edge ->> 'source' in (
      select unnest(private.nodes_from(open_connection_urls.nodes, open_connection_urls.edges, array(
        select n.node ->> 'id' from jsonb_array_elements(open_connection_urls.nodes) as n (node)
        where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
      ), false))
    )
      -- Look up the handle in the whole flow, because it may be a port of a node other than the target of the edge.
      and e.edge ->> 'targetHandle' in (
        select t.port ->> 'id'
        from jsonb_path_query(open_connection_urls.nodes, '$[*].data.targets[*] ? (@.name == "url")') as t (port)
      )
  );
end;
$$;
comment on function private.open_connection_urls(jsonb, jsonb) is
  'The nodes that name a connection and whose input `url` depends on a flow input. The caller who starts such a flow can choose which URL gets the secret. The URL must match the hosts of the connection.';

-- sql/350_flows/46_owner_data.sql

-- Finds the nodes of a graph that may send the owner's data to other servers. A flow acts with the rights of its owner,
-- so a flow that a stranger has drawn could send away what it reads.

create function private.reads_owner_data(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select reads_owner_data.node_id in (
    'kv_read_item', 'kv_write_item', 'postgrest_execute_query', 'sql_function', 'storage_create_signed_url',
    'storage_download', 'storage_get_file_metadata', 'storage_list'
  );
end;
comment on function private.reads_owner_data(text) is
  'Whether outputs of a native node have contents of the owner''s rows, files or key-value stores.';

create function private.data_nodes(nodes jsonb, edges jsonb, data_flows jsonb)
returns table (id text, reads boolean, sends boolean)
language plpgsql immutable security invoker
set search_path = ''
set enable_nestloop = off
as $$
begin
  return query
  with node as materialized (
    select n.node ->> 'id' as id, n.node #>> '{data,node_id}' as node_id,
      n.node #> '{data,targets_form,form_data}' as form_data
    from jsonb_array_elements(data_nodes.nodes) as n (node)
    where n.node #>> '{data,type}' = 'native'
  ),
  -- The nodes that send a request only if one of their inputs has an address.
  addressed as materialized (
    select n.id, n.node_id
    from node as n
    join (values
      ('api_input', 'webhook_url'), ('postgrest_new_query', 'url'), ('postgrest_new_rpc', 'url')
    ) as a (node_id, input) on a.node_id = n.node_id
    where case jsonb_typeof(n.form_data) when 'object'
        then coalesce(n.form_data ->> a.input, '') <> '' else false end
      or (n.id, a.input) in (
        select e.target, e.target_port from private.flow_edges(data_nodes.nodes, data_nodes.edges) as e
          where e.target_port in ('webhook_url', 'url')
      )
  ),
  -- A query with an address is built by some nodes and sent by another one.
  foreign_query as materialized (
    select exists (select from addressed as a where a.node_id <> 'api_input')
      or jsonb_path_exists(data_nodes.nodes, '$[*].data.targets_form.form_data.query.url ? (@ != null)') as exists
  )
  select * from (
    select n.id,
      private.reads_owner_data(n.node_id) or c.is_call and coalesce(data_nodes.data_flows -> 'reads' @> c.called, false) as reads,
      n.node_id in ('das_api', 'http_request')
        or n.node_id = 'api_input' and n.id in (select a.id from addressed as a)
        or n.node_id = 'postgrest_execute_query' and f.exists
        or c.is_call and coalesce(data_nodes.data_flows -> 'sends' @> c.called, false) as sends
    from node as n
    cross join foreign_query as f
    cross join lateral (
      select n.node_id in ('interflow', 'interflow_instructions') as is_call,
        to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
          as called
      offset 0
    ) as c
  ) as d
  where d.reads or d.sends;
end;
$$;
comment on function private.data_nodes(jsonb, jsonb, jsonb) is
  'The nodes of a graph that read the owner''s rows, files or stores, and those that send requests to other servers. `data_flows` has the called flows with such nodes, as private.data_flows() returns them.';

create function private.data_flows(snapshot jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if data_flows.snapshot -> 'flows' = '{}' then
    return '{}';
  end if;
  return (
    with recursive flow as materialized (
      select f.key::integer as id, f.value -> 'nodes' as nodes, f.value -> 'edges' as edges
      from jsonb_each(data_flows.snapshot -> 'flows') as f
    ),
    call as materialized (
      select distinct f.id as caller, r.id as called
      from flow as f cross join lateral private.interflow_references(f.nodes) as r
    ),
    found (kind, id) as (
      select k.kind, f.id
      from flow as f
      cross join lateral private.data_nodes(f.nodes, f.edges, '{}') as d
      cross join lateral (values ('reads', d.reads), ('sends', d.sends)) as k (kind, is_so)
      where k.is_so
      union
      select found.kind, c.caller from found join call as c on c.called = found.id
    )
    select coalesce(jsonb_object_agg(k.kind, k.ids), '{}')
      from (select found.kind, jsonb_agg(found.id) as ids from found group by found.kind) as k
  );
end;
$$;
comment on function private.data_flows(jsonb) is
  'The ids of called flows in a snapshot that read the owner''s data, and of those that send requests to other servers: {reads, sends}, without empty arrays. A flow does so if one of its nodes does, or a flow that it calls.';

create function private.owner_data_leaks(nodes jsonb, edges jsonb, data_flows jsonb)
returns table (node_index integer)
language plpgsql immutable security invoker
set search_path = ''
set enable_nestloop = off
as $$
declare
  v_readers text[];
  v_senders text[];
begin
  -- Most flows read no data of the owner. For them, this cheap test is enough.
  if not owner_data_leaks.data_flows ? 'reads' and not exists (
    select from jsonb_path_query(owner_data_leaks.nodes, '$[*].data.node_id') as i (node_id)
    where private.reads_owner_data(i.node_id #>> '{}')
  ) then
    return;
  end if;
  select array_agg(d.id) filter (where d.reads), array_agg(d.id) filter (where d.sends) into v_readers, v_senders
  from private.data_nodes(owner_data_leaks.nodes, owner_data_leaks.edges, owner_data_leaks.data_flows) as d;
  if v_readers is null or v_senders is null then
    return;
  end if;
  return query
  select (n.position - 1)::integer
  from jsonb_array_elements(owner_data_leaks.nodes) with ordinality as n (node, position)
  where n.node ->> 'id' in (
    select unnest(v_senders)
    intersect
    select unnest(private.nodes_from(owner_data_leaks.nodes, owner_data_leaks.edges, array(
      select e.edge ->> 'target' from jsonb_array_elements(owner_data_leaks.edges) as e (edge)
      where e.edge ->> 'source' in (select unnest(v_readers))
    ), false))
  );
end;
$$;
comment on function private.owner_data_leaks(jsonb, jsonb, jsonb) is
  'The nodes of a graph that send requests to other servers and depend on a node that reads the owner''s rows, files or stores. `data_flows` as for private.data_nodes().';

-- sql/350_flows/50_flow_warnings.sql

-- Finds the parts of a graph that will fail in a run, and the parts that a run ignores. Deploys and starts report these
-- warnings and continue. If the caller sets `strict`, any warning causes a refusal, except acts_on_owner_data and those
-- about missing values of nodes with effects.

-- A node exists if the service role has stored a definition of it. If there are no definitions at all, every native
-- node counts as existing, and has the ports in the flow's JSON. `acting_flows` lists the called flows that have
-- effects or touch the owner's data, as private.acting_flows() and private.data_flows() return them.
create function private.flow_warnings(nodes jsonb, edges jsonb, acting_flows jsonb)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph. It could choose nested loops, which take quadratic time. A generic
-- plan is made once and not for each call: for most flows, planning takes longer than executing the plan.
set enable_nestloop = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without any definitions, the database does not know which nodes the runner has.
  v_knows_nodes constant boolean := exists (
    select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native'
  );
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type,
        d.data ->> 'node_id' as node_id,
        -- True if the node's inputs and outputs come from the flow's JSON instead of the definition.
        not v_knows_nodes or private.draws_inputs(d.data ->> 'node_id') as are_inputs_drawn,
        not v_knows_nodes or private.draws_outputs(d.data ->> 'node_id') as are_outputs_drawn,
        private.draws_inputs(d.data ->> 'node_id') as draws_inputs,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets,
        d.data #> '{targets_form,form_data}' as form_data,
        coalesce(d.data -> 'retry' <> 'null', false) as has_retry,
        coalesce(d.data -> 'timeout_ms' <> 'null', false) as has_timeout,
        coalesce(d.data ->> 'on_error' = 'output', false) as handles_errors,
        d.data ->> 'on_error' = 'output' and jsonb_path_exists(d.data, '$.sources[*] ? (@.name == "error")')
          as has_error_output,
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output')
          then private.port_label(d.data)
        end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select distinct on (d.node_id) d.node_id, d.sources, d.targets
      from public.nodes as d
      where d.owner_key = v_nobody and d.type = 'native'
        and d.node_id = any (array(select distinct n.node_id from node as n where n.type = 'native'))
      order by d.node_id, d.created_at desc, d.version desc
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on,
        coalesce((s.port ->> 'optional')::boolean, false) as may_be_unset,
        jsonb_build_array(coalesce(s.port ->> 'type', 'free')) as types
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false), false, t.port -> 'type_bounds'
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select s.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required,
        false as is_handed_on, s.port ->> 'optional' = 'true' as may_be_unset, false as runs_when_absent
      from (select n.index, jsonb_array_elements(n.sources) as port from node as n) as s
      union all
      select t.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port -> 'required')::boolean,
        (t.port -> 'passthrough')::boolean, false, t.port ->> 'when_absent' is not null
      from (select n.index, jsonb_array_elements(n.targets) as port from node as n) as t
    ),
    -- Look up each handle in the whole flow, as the runner does. Copies of a node may share a handle.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle,
        private.edge_expression(e.edge) is not null as has_expression
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, e.has_expression, s.index as source_index, t.index as target_index,
        s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name)
          else sh.name end as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name)
          else th.name end as target_name,
        s.type = 'native'
          and (not v_knows_nodes or s.node_id in (select d.node_id from definition as d)) as is_source_known,
        t.type = 'native'
          and (not v_knows_nodes or t.node_id in (select d.node_id from definition as d)) as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        e.side = 'source' and sh.name = 'error' and coalesce(s.has_error_output, false) as is_error,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    -- Compare only types in node definitions. The values of a node always have the types of its definition, but may
    -- have other types than the flow's JSON says.
    typed as materialized (
      select w.index, w.source_name, w.target_name, w.side = 'target' as is_passed_on, s.types as given,
        t.types as wanted
      from wired as w
      join defined_port as s on s.node_id = w.source_id and s.side = w.side and s.name = w.source_name
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.is_source_known and w.is_target_known and not w.is_source_drawn and not w.is_target_drawn
        -- An expression converts its result to a type of the input.
        and not w.has_expression
        and (s.side = 'source' or s.is_handed_on)
    ),
    unlike as materialized (
      select p.given, p.wanted, p.is_passed_on
      from (select distinct t.given, t.wanted, t.is_passed_on from typed as t) as p
      where not private.do_types_meet(p.given, p.wanted, p.is_passed_on)
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and n.type = 'native' and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn and not n.draws_inputs
    ),
    acting as materialized (
      select n.index, n.id, n.draws_inputs, n.node_id
      from private.acting_nodes(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as a
      join node as n on n.id = a.node_id
    ),
    -- The edges whose output may stay unset although the source succeeds.
    unset as (
      select w.index
      from wired as w
      where (w.side = 'source' or w.has_expression) and case
        when w.has_expression or w.is_error or w.source_id in ('switch', 'fileexplorer')
          or private.is_script(w.source_id) then true
        when w.is_source_drawn then (w.source_index, w.source_name) in (
          select d.index, d.name from drawn as d where d.side = 'source' and d.may_be_unset
        )
        else (w.source_id, w.source_name) in (select p.node_id, p.name from defined_port as p where p.may_be_unset)
      end
    ),
    -- The edges whose value may be missing while another edge into the same node brings one, and the node runs.
    lacking as materialized (
      select w.index, w.target_index, w.source_name, w.target_name
      from wired as w
      join node as s on s.index = w.source_index
      join node as t on t.index = w.target_index
      join (
        select o.target_index, count(distinct o.source_index) as sources from wired as o
        where o.source_name is not null and o.target_name is not null
        group by o.target_index having count(*) > 1
      ) as others on others.target_index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and t.node_id not in ('merge', 'collect') and t.index not in (select a.index from acting as a)
        and (
          -- A constant and a flow input never fail. Two outputs of one node are missing together if the node fails.
          others.sources > 1 and s.node_id not in ('const', 'flow_input') or w.index in (select u.index from unset as u)
        )
        and (w.target_index, w.target_name) not in (
          select d.index, d.name from drawn as d where d.side = 'target' and (d.is_required or d.runs_when_absent)
        )
        and (t.draws_inputs or (w.target_id, w.target_name) not in (
          select p.node_id, p.name from defined_port as p where p.side = 'target' and p.is_required
        ))
    ),
    before_effect as materialized (
      select unnest(private.nodes_from(
        flow_warnings.nodes, flow_warnings.edges, array(select a.id from acting as a), true
      )) as id
      where exists (select from lacking)
    ),
    warning (place, index, code, member, message) as (
      select 0, 0, 'flow_empty', '', 'the flow has no nodes, so its runs do nothing'
      where jsonb_array_length(flow_warnings.nodes) = 0
      union all
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native'
          then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.node_id)))
        when n.type = 'deno' then
          'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript'
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where n.type <> 'native' or v_knows_nodes and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, c.index, 'constant_invalid', '.data.targets_form.form_data', 'the run fails at the node: ' || c.fault
      from (
        select n.index, private.constant_fault(n.form_data) as fault
        from node as n where n.node_id = 'const' and n.type = 'native'
      ) as c
      where c.fault is not null
      union all
      -- Values that come by an edge bring no names of their own (runner/postgrest/names.ts).
      select distinct 1, n.index, 'names_missing', '.data.targets_form.form_data.' || k.listed_in, format(
        'an edge brings the values of %s, so the form data must list their names in %s; without the list, '
          || 'the run fails at the node',
        to_jsonb(k.input), to_jsonb(k.listed_in)
      )
      from (values
        ('postgrest_builder_match', 'filter', 'columns'), ('postgrest_builder_insert', 'body', 'columns'),
        ('postgrest_builder_update', 'body', 'columns'), ('postgrest_builder_upsert', 'body', 'columns'),
        ('postgrest_new_rpc', 'params', 'param_names'), ('sql_function', 'params', 'param_names')
      ) as k (node_id, input, listed_in)
      join wired as w on w.target_id = k.node_id and w.target_name = k.input
      join node as n on n.index = w.target_index and n.type = 'native'
      where w.source_name is not null
        and coalesce(n.form_data -> k.listed_in in ('[]', 'null'), true) and n.form_data ? k.input is not true
      union all
      select 1, n.index, 'retry_without_effect', '.data.retry', case
        when private.is_script(n.node_id) then 'a script has no transient failures, so it is never tried again'
        else 'a called flow is not tried again as a whole; set data.retry on its nodes instead'
      end
      from node as n
      where n.has_retry and n.type = 'native'
        -- If a script exceeds its timeout, a retry runs it again. A retry never runs a called flow again.
        and (n.node_id in ('interflow', 'interflow_instructions') or private.is_script(n.node_id) and not n.has_timeout)
      union all
      select 1, n.index, 'error_output_missing', '.data.on_error',
        'sources has no output named error, so a failure of the node is not handled'
      from node as n where n.handles_errors and n.has_error_output is not true and n.type = 'native'
      union all
      select 1, u.node_index, 'connection_url_open', '.data.targets_form.form_data.connection', format(
        'url depends on a flow input, so whoever starts the flow chooses the URL that gets the secret of connection %s,'
          || ' within its hosts',
        to_jsonb(private.shorten(u.name))
      )
      from private.open_connection_urls(flow_warnings.nodes, flow_warnings.edges) as u
      union all
      select 1, l.node_index, 'acts_on_owner_data', '',
        'the node may send to another server what nodes before it read from your rows, files or key-value stores'
      from private.owner_data_leaks(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as l
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      -- In this branch, `member` is the name of the input. The query at the end stores it in the warning's member
      -- `port` and leaves it out of `path`.
      select distinct 1, r.index, 'input_missing', r.name, format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node',
        to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the source''s port %s instead',
          to_jsonb(private.shorten(w.source_name))
        )
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the target''s port %s instead',
          to_jsonb(private.shorten(w.target_name))
        )
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not pass its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known and not w.is_error
        and not (w.side = 'source' and (w.source_id = 'flow_input' or w.is_source_drawn and w.is_own_source is true))
        and case when w.is_source_drawn
          then (w.source_index, w.side, w.source_name) not in (
            select d.index, d.side, d.name from drawn as d where d.side = 'source' or d.is_handed_on
          )
          else (w.source_id, w.side, w.source_name) not in (
            select p.node_id, p.side, p.name from defined_port as p where p.side = 'source' or p.is_handed_on
          )
        end
      union all
      select 2, w.index, 'edge_target_port_unknown', '.targetHandle',
        format('the node has no input %s, so the run fails at it', to_jsonb(private.shorten(w.target_name)))
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (
            select p.node_id, p.name from defined_port as p where p.side = 'target'
          )
        end
      union all
      select 2, w.index, 'effect_may_be_skipped', '', format(
        case when w.has_expression then 'the expression of output %s may have no result'
          else 'the output %s may stay unset' end
          || '; then the target, a node with effects, does not run, unless its input %s has "when_absent"',
        to_jsonb(private.shorten(w.source_name)), to_jsonb(private.shorten(w.target_name))
      )
      from wired as w
      join acting as a on a.index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.index in (select u.index from unset as u)
        and case when a.draws_inputs
          then (w.target_index, w.target_name) in (
            select d.index, d.name from drawn as d where d.side = 'target' and not d.is_required
          )
          else (w.target_id, w.target_name) in (
            select p.node_id, p.name from defined_port as p where p.side = 'target' and not p.is_required
          )
        end
        and (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.runs_when_absent)
      union all
      select 2, l.index, 'effect_may_lack_value', '', format(
        'if the output %s gives no value, the target runs without its input %s, and a node with effects behind it acts; '
          || 'make the input required, or choose "when_absent"',
        to_jsonb(private.shorten(l.source_name)), to_jsonb(private.shorten(l.target_name))
      )
      from lacking as l join node as n on n.index = l.target_index
      where n.id in (select b.id from before_effect as b)
      union all
      select 2, t.index, 'edge_types_differ', '', format(
        'the port %s gives %s, but the input %s takes %s; the value can''t be converted, so the run fails at the target',
        to_jsonb(private.shorten(t.source_name)),
        array_to_string(array(select jsonb_array_elements_text(t.given)), ' or '),
        to_jsonb(private.shorten(t.target_name)),
        array_to_string(array(select jsonb_array_elements_text(t.wanted)), ' or ')
      )
      from typed as t join unlike as u on u.given = t.given and u.wanted = t.wanted and u.is_passed_on = t.is_passed_on
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code,
      'path', case first.place
        when 0 then 'nodes'
          else format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index,
            case when first.code <> 'input_missing' then first.member end)
      end,
      'message', first.message
    ) || case when first.code = 'input_missing' then jsonb_build_object('port', first.member) else '{}' end
      order by first.place, first.index, first.code, first.message), '[]')
    from (
      select w.* from warning as w
      order by w.place, w.index, w.code, w.message limit private.limit_listed_warnings()
    ) as first
  );
end;
$$;
comment on function private.flow_warnings(jsonb, jsonb, jsonb) is
  'The first warnings about a graph, {code, path, message} each: about parts that will fail in a run, and about parts that a run ignores. A warning input_missing also has port, the input''s name. The graph must have no findings.';

-- sql/350_flows/60_flows.sql

create table public.flows (
  id integer generated always as identity primary key,
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  name text not null default '',
  description text not null default '',
  nodes jsonb not null default '[]',
  edges jsonb not null default '[]',
  environment jsonb not null default '{}',
  chain_network jsonb not null default '{"url": "https://api.devnet.solana.com", "cluster": "devnet"}',
  instructions_bundling text not null default 'Off',
  is_public boolean not null default false,
  start_shared boolean not null default false,
  start_unverified boolean not null default false,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flows_id_user_id_key unique (id, user_id),
  constraint flows_name_length check (
    char_length(name) <= private.limit_name_characters()
    or private.refuse_column('name', format('must have at most %s characters', private.limit_name_characters()))
  ),
  constraint flows_description_length check (
    char_length(description) <= private.limit_flow_description_characters()
    or private.refuse_column(
      'description', format('must have at most %s characters', private.limit_flow_description_characters())
    )
  ),
  constraint flows_nodes_array check (
    jsonb_typeof(nodes) = 'array' or private.refuse_column('nodes', 'must be an array')
  ),
  constraint flows_edges_array check (
    jsonb_typeof(edges) = 'array' or private.refuse_column('edges', 'must be an array')
  ),
  constraint flows_environment_strings check (
    private.is_string_map(environment)
      or private.refuse_column('environment', 'must be an object whose members are all strings')
  ),
  constraint flows_environment_size check (
    pg_column_size(environment) <= private.limit_environment_bytes() or private.refuse_column(
      'environment', format('must have at most %s', private.size_text(private.limit_environment_bytes()))
    )
  ),
  constraint flows_chain_network_valid check (
    private.is_chain_network(chain_network) or private.refuse_column('chain_network', format(
      'must be an object with url, an http or https address of at most %s characters, '
      'and cluster: devnet, testnet or mainnet-beta', private.limit_url_characters()
    ))
  ),
  -- Editors may store more members than url and cluster.
  constraint flows_chain_network_size check (
    octet_length(chain_network::text) <= private.limit_flow_network_bytes() or private.refuse_column(
      'chain_network', format('must have at most %s', private.size_text(private.limit_flow_network_bytes()))
    )
  ),
  constraint flows_instructions_bundling_known check (
    instructions_bundling in ('Off', 'Automatic')
      or private.refuse_column('instructions_bundling', 'must be Off or Automatic')
  )
);
comment on table public.flows is
  'Flows as saved by the editor. A run executes either a deployment, which is a frozen copy of a flow, or a flow as it is when the run starts.';
comment on column public.flows.nodes is
  'The editor''s node objects. A run reads only the id and the data of each node.';
comment on column public.flows.edges is 'The editor''s edge objects: source, sourceHandle, target, targetHandle.';
comment on column public.flows.environment is
  'Settings of the flow''s runs, an object of strings. Scripts of the flow can read them. Only the owner can read the column.';
comment on column public.flows.chain_network is 'The Solana network of the flow''s runs: {url, cluster}.';
comment on column public.flows.instructions_bundling is
  'Off: each node sends its own transaction. Automatic: a run puts the instructions of several nodes into one transaction.';
comment on column public.flows.is_public is
  'If true, signed-in users can read the flow in public_flows, without its environment and without the address of its network.';
comment on column public.flows.start_shared is
  'If start_shared and is_public are true, every user who has signed up may start new deployments of the flow.';
comment on column public.flows.start_unverified is
  'If start_unverified, start_shared and is_public are true, anybody may start new deployments of the flow.';

create index flows_user_id_idx on public.flows (user_id);

alter table public.flows enable row level security;
create policy flows_select_owner on public.flows for select to authenticated
  using (user_id = (select auth.uid()));
create policy flows_insert_owner on public.flows for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy flows_update_owner on public.flows for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flows_delete_owner on public.flows for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flows to authenticated;
grant select, insert, update, delete on public.flows to service_role;

create function private.tg_flows__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.user_id, new.created_at) is distinct from (old.user_id, old.created_at) then
    perform private.fail('column_read_only', 'user_id and created_at of a flow can''t be changed.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flows__before_update() is 'Refuses changes to a flow''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flows
  for each row execute function private.tg_flows__before_update();
create trigger _200_touch before update on public.flows
  for each row execute function private.tg_any__before_update_touch();

create function private.check_graph_column(name text, graph jsonb)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if pg_column_size(check_graph_column.graph) > private.limit_flow_jsonb_bytes() then
    perform private.refuse_column(check_graph_column.name, format(
      'must take at most %s as jsonb: it has too many numbers', private.size_text(private.limit_flow_jsonb_bytes())
    ));
  end if;
  return private.check_json_column(check_graph_column.name, check_graph_column.graph, private.limit_flow_bytes());
end;
$$;
comment on function private.check_graph_column(text, jsonb) is
  'Checks nodes or edges: first their size as jsonb, then their content with private.check_json_column(). The first check bounds the memory that the second check uses.';
grant execute on function private.check_graph_column(text, jsonb) to authenticated, service_role;

create function private.tg_flows__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_flow_bytes();
  v_most_written constant integer := private.limit_written_flow_bytes();
  v_nodes_bytes bigint := private.check_graph_column('nodes', new.nodes);
  v_edges_bytes bigint := private.check_graph_column('edges', new.edges);
  v_rest_bytes bigint := private.check_json_column('environment', new.environment, v_most)
    + private.check_json_column('chain_network', new.chain_network, v_most)
    + octet_length(new.name) + octet_length(new.description);
  v_written_bytes bigint;
begin
  if v_nodes_bytes + v_edges_bytes + v_rest_bytes > v_most then
    perform private.refuse_column(case when v_nodes_bytes > v_edges_bytes then 'nodes' else 'edges' end,
      format('must be at most %s of JSON text, together with the other columns of the flow', private.size_text(v_most))
    );
  end if;

  if tg_op = 'UPDATE' then
    -- If the JSON text of a column is unchanged, assign the old value. The new row then refers to the stored value, so
    -- Postgres does not store a large value again. Compare the texts too, because equal jsonb values may have different
    -- texts: 1.0 equals 1.
    if new.nodes = old.nodes and new.nodes::text = old.nodes::text then
      new.nodes := old.nodes;
      v_nodes_bytes := 0;
    end if;
    if new.edges = old.edges and new.edges::text = old.edges::text then
      new.edges := old.edges;
      v_edges_bytes := 0;
    end if;
  end if;

  -- This condition limits the bytes that one transaction writes. Otherwise, one update could write the same large graph
  -- to a thousand flows. The service role and administrators have no limit.
  if row_security_active('public.flows') then
    v_written_bytes := v_nodes_bytes + v_edges_bytes
      + coalesce(nullif(current_setting('flows.written_bytes', true), ''), '0')::bigint;
    if v_written_bytes > v_most_written then
      perform private.fail('flows_too_large',
        format('One request may write at most %s of nodes and edges, in all flows together.',
          private.size_text(v_most_written)),
        hint => 'Change fewer flows at once.');
    end if;
    perform set_config('flows.written_bytes', v_written_bytes::text, true);
  end if;
  return new;
end;
$$;
comment on function private.tg_flows__before_write() is
  'Refuses a flow whose JSON is too large, is nested too deeply or contains a number with too many digits: 400 column_invalid. Refuses a request that writes too much in total: 413 flows_too_large. If nodes or edges are unchanged, keeps the stored value instead of writing it again.';
create trigger _300_bound_json before insert or update of nodes, edges, environment, chain_network on public.flows
  for each row execute function private.tg_flows__before_write();

create trigger _800_check_quota after insert on public.flows
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('flows', 'flow_bytes');

create function private.tg_flows__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- If Postgres makes a plan while the table is empty, it may choose a sequential scan and cache this plan. Each save of
-- a flow would then read all flows.
set enable_seqscan = off
as $$
declare
  v_user_id uuid;
begin
  -- Compare compressed sizes. The trigger could also get the statement's new rows directly, but these are not
  -- compressed yet, so read the rows from the table.
  for v_user_id in
    select distinct f.user_id
    from former as o
    join public.flows as f on f.id = o.id
    where pg_column_size(f.nodes) + pg_column_size(f.edges) + pg_column_size(f.environment)
      > pg_column_size(o.nodes) + pg_column_size(o.edges) + pg_column_size(o.environment)
    order by f.user_id
  loop
    perform private.check_quota('flow_bytes', v_user_id);
  end loop;
  return null;
end;
$$;
comment on function private.tg_flows__after_update() is
  'Checks once per statement that updated flows did not grow beyond their owner''s quota. A flow that shrinks is saved even if its owner exceeds the quota. Definer, because users may not call private.check_quota().';
create trigger _800_check_growth after update on public.flows
  referencing old table as former
  for each statement execute function private.tg_flows__after_update();

create function private.tg_flows__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- If the user's row is gone, the deletion of the user has deleted this flow by cascade, so do not refuse it.
  if exists (select from auth.users as u where u.id = old.user_id)
    and exists (select from public.flow_deployments as d where d.entrypoint = old.id)
  then
    perform private.fail('flow_has_deployments', format('Flow %s has deployments, so it can''t be deleted.', old.id),
      hint => 'Delete its deployments first.');
  end if;
  return old;
end;
$$;
comment on function private.tg_flows__before_delete() is
  'Refuses to delete a flow that has deployments. Definer, because users can''t read auth.users.';
create trigger _100_refuse_deployed before delete on public.flows
  for each row execute function private.tg_flows__before_delete();

-- sql/350_flows/61_public_flows.sql

-- The flows that users publish for other users. RLS lets users read only their own rows of public.flows. RLS does not
-- limit the view private.shared_flows, because this view runs with the rights of the role that created it. PostgREST
-- does not expose the schema private, so if somebody adds a column to this view by mistake, clients can't read the
-- column. Clients read the view public.public_flows, which has the same columns and runs with the caller's rights. The
-- caller needs grants on both views.

create view private.shared_flows with (security_barrier = true) as
select f.id, f.user_id, f.name, f.description, f.nodes, f.edges,
  jsonb_build_object('cluster', f.chain_network -> 'cluster') as chain_network,
  f.instructions_bundling, f.start_shared, f.start_unverified, f.created_at, f.updated_at
from public.flows as f
where f.is_public;
comment on view private.shared_flows is
  'The public flows, without their environment and without the URL of their Solana network. The view is a security barrier: Postgres applies a caller''s conditions only to public flows, so that they can''t reveal other flows.';
comment on column private.shared_flows.id is 'The id in public.flows.';
comment on column private.shared_flows.user_id is 'The owner.';
comment on column private.shared_flows.nodes is 'The nodes with their form data.';
comment on column private.shared_flows.edges is 'The edges between the nodes.';
comment on column private.shared_flows.chain_network is 'The Solana network, {cluster}.';

create view public.public_flows with (security_invoker = true) as
select s.id, s.user_id, s.name, s.description, s.nodes, s.edges, s.chain_network, s.instructions_bundling,
  s.start_shared,
  s.start_unverified, s.created_at, s.updated_at
from private.shared_flows as s;
comment on view public.public_flows is
  'The public flows of all users, for every signed-in user. The view has all columns of flows except environment and is_public. chain_network contains only cluster. Owners read and write their own flows in the table flows.';
comment on column public.public_flows.id is 'The id in flows.';
comment on column public.public_flows.user_id is 'The owner.';
comment on column public.public_flows.nodes is 'The nodes with all form data, which the owner publishes with the flow.';
comment on column public.public_flows.edges is 'The editor''s edge objects.';
comment on column public.public_flows.chain_network is
  'The Solana network of the flow''s runs, {cluster}. The address is left out, because it may contain a key.';

grant select on private.shared_flows to authenticated, service_role;
grant select on public.public_flows to authenticated, service_role;

-- sql/350_flows/65_flow_pins.sql

create table public.flow_pins (
  user_id uuid not null default auth.uid(),
  flow_id integer not null,
  node_id uuid not null,
  outputs jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (flow_id, node_id),
  constraint flow_pins_flow_id_fkey foreign key (flow_id, user_id)
    references public.flows (id, user_id) on delete cascade
);
comment on table public.flow_pins is
  'Pins: outputs that the owner has stored for a node, for tests. In a run of the saved flow, a node with a pin does not run, and gives these outputs. Runs of deployments ignore pins. Pins are stored apart from flows, so that they are never part of public_flows.';
comment on column public.flow_pins.user_id is 'The owner of the flow.';
comment on column public.flow_pins.node_id is
  'A node of the flow. A pin has no effect if its node was removed from the flow.';
comment on column public.flow_pins.outputs is 'The tagged value of each output, such as {"result": {"S": "text"}}.';

create index flow_pins_user_id_idx on public.flow_pins (user_id);
create index flow_pins_flow_id_user_id_idx on public.flow_pins (flow_id, user_id);

alter table public.flow_pins enable row level security;
create policy flow_pins_select_owner on public.flow_pins for select to authenticated
  using (user_id = (select auth.uid()));
-- The insert and update policies check the owner of the flow. Otherwise, a user could try to insert a pin for another
-- user's flow. Postgres checks the primary key before the foreign key, so the error would reveal whether that flow
-- already has a pin for the node.
create policy flow_pins_insert_owner on public.flow_pins for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = flow_id and f.user_id = (select auth.uid()))
  );
create policy flow_pins_update_owner on public.flow_pins for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = flow_id and f.user_id = (select auth.uid()))
  );
create policy flow_pins_delete_owner on public.flow_pins for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flow_pins to authenticated;
grant select, insert, update, delete on public.flow_pins to service_role;

create trigger _200_touch before update on public.flow_pins
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_flow_pins__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_bytes bigint;
begin
  perform private.check_inputs(new.outputs, 'outputs');
  -- The lock prevents two concurrent writes from exceeding the limits together.
  perform from public.flows as f where f.id = new.flow_id for no key update;
  select count(*), sum(octet_length(p.outputs::text)) into v_count, v_bytes
  from public.flow_pins as p where p.flow_id = new.flow_id;
  if v_count > private.limit_flow_pins() or v_bytes > private.limit_flow_pins_bytes() then
    perform private.refuse_column('outputs', format('a flow may have at most %s pins, with at most %s in total',
      private.limit_flow_pins(), private.size_text(private.limit_flow_pins_bytes())));
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_pins__after_write() is
  'Refuses outputs that are not tagged values. Refuses a pin if its flow would have too many pins, or pins that are too large in total. Runs after the policies, so that only the owner gets these errors. Definer, so that it locks the flow whatever rights the writer has.';
create trigger _500_check after insert or update on public.flow_pins
  for each row execute function private.tg_flow_pins__after_write();

create function private.pins_of_flow(flow public.flows)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_pins constant jsonb := (
    select jsonb_object_agg(p.node_id::text, p.outputs) from public.flow_pins as p
    where p.flow_id = (pins_of_flow.flow).id
  );
begin
  -- Most flows have no pins. Do not read the nodes of these flows.
  if v_pins is null then
    return '{}';
  end if;
  return (
    select coalesce(jsonb_object_agg(n.id, v_pins -> n.id), '{}')
    from jsonb_array_elements((pins_of_flow.flow).nodes) as e (node)
    cross join lateral (select e.node ->> 'id' as id offset 0) as n
    where v_pins ? n.id
  );
end;
$$;
comment on function private.pins_of_flow(public.flows) is
  'The pinned outputs of the flow''s nodes, {"<node id>": {"<output>": value}}. Definer, because it reads the pins of any user. The calling functions have checked the owner.';

-- sql/350_flows/66_reduce_flow.sql

-- A reduced graph has only what a run needs. It is built as text, because building jsonb would copy each value once for
-- every level around it, and because the hash needs the text anyway. The members are in the order in which jsonb prints
-- them.

create function private.reduce_nodes(nodes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s%s, "node_id": %s, '
      '"sources": [%s], "targets": [%s]%s%s%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', d.data -> 'type',
      case when d.data -> 'retry' <> 'null' then ', "retry": ' || private.complete_retry(d.data -> 'retry')::text end,
      d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s%s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds',
          ', "when_absent": ' || nullif(port -> 'when_absent', 'null')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      case when d.data ->> 'on_error' = 'output' then ', "on_error": "output"' end,
      case when d.data -> 'timeout_ms' <> 'null'
        then format(', "timeout_ms": %s', trim_scale((d.data -> 'timeout_ms')::numeric)) end,
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$$;
comment on function private.reduce_nodes(jsonb) is
  'The nodes of a flow as JSON text, formatted as jsonb prints it. The nodes keep their order, and lose the members that only the editor needs: positions, sizes, colours, forms. The nodes must have no faults.';

create function private.reduce_edges(edges jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{%s%s"target": %s%s%s}',
      '"data": {"expression": ' || to_jsonb(private.edge_expression(edge))::text || '}, ',
      '"source": ' || (edge -> 'source')::text || ', ', edge -> 'target',
      ', "sourceHandle": ' || (edge -> 'sourceHandle')::text, ', "targetHandle": ' || (edge -> 'targetHandle')::text
    ), ', ' order by position))
    from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position)
  );
end;
$$;
comment on function private.reduce_edges(jsonb) is
  'The edges of a flow as JSON text, formatted as jsonb prints it. The edges keep their order, and lose the members that only the editor needs. Every edge must lead to a node.';

create function private.interflow_references(nodes jsonb)
returns table (node_index integer, id integer)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query
  select (position - 1)::integer, private.integer_or_null(node #>> '{data,targets_form,form_data,id}')
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  where node #>> '{data,type}' = 'native' and node #>> '{data,node_id}' in ('interflow', 'interflow_instructions');
end;
$$;
comment on function private.interflow_references(jsonb) is
  'The ids of the flows that a graph calls, each with the index of the calling node. If a node''s form data has no integer as id, the id is null.';

create function private.called_error_findings(caller public.flows)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  -- In most flows, no interflow node has on_error. For these flows, this cheap test replaces the query below.
  if not jsonb_path_exists(
    called_error_findings.caller.nodes, '$[*].data ? (@.on_error == "output" && @.node_id == "interflow")'
  ) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'flow_id', called_error_findings.caller.id, 'code', 'error_output_taken',
      'path', format('nodes[%s].data.on_error', r.node_index),
      'message', 'the called flow already has an output "error", so this node can''t have on_error'
    ) order by r.node_index), '[]')
    from private.interflow_references(called_error_findings.caller.nodes) as r
    join public.flows as f on f.id = r.id and f.user_id = called_error_findings.caller.user_id
    where called_error_findings.caller.nodes #>> array[r.node_index::text, 'data', 'on_error'] = 'output'
      and called_error_findings.caller.nodes #>> array[r.node_index::text, 'data', 'node_id'] = 'interflow'
      and exists (
        select
        from jsonb_path_query(f.nodes, '$[*].data ? (@.type == "native" && @.node_id == "flow_output")') as d (data)
        where private.port_label(d.data) = 'error'
      )
  );
end;
$$;
comment on function private.called_error_findings(public.flows) is
  'One finding for each node that has data.on_error and calls a flow with an output named error. private.reduce_flow() lists these findings. Definer, because it reads all flows of the owner of `caller`.';

create function private.canvas_text(nodes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- This function takes a tenth of the time of the query below, but skips nodes without a position. So its result is
  -- used only if all nodes have a position, as in most flows, or if no node has one.
  v_positions constant jsonb := jsonb_path_query_array(canvas_text.nodes, '$[*].position');
begin
  if jsonb_array_length(v_positions) in (0, jsonb_array_length(canvas_text.nodes)) then
    return v_positions::text;
  end if;
  return (
    select jsonb_agg(n.node -> 'position' order by n.position)::text
    from jsonb_array_elements(canvas_text.nodes) with ordinality as n (node, position)
  );
end;
$$;
comment on function private.canvas_text(jsonb) is
  'The positions of a flow''s nodes in the editor, in the order of the nodes, as the text of jsonb. A node without a position gets null. If no node has a position, the text is [].';

-- Reduces a flow, and all flows that it calls directly or through others, to what a run needs. Uses the given row of
-- the flow and the current rows of the called flows. Callers must check the permission.
--
--   max_called_bytes  the most bytes of called flows to read; null for no limit
--   data              the data of a snapshot, as text; null if there are findings
--   canvas            if keeps_canvas: the positions of the nodes, {"<flow id>": private.canvas_text()}, as text
--   findings          the findings that keep the flows from running, [{flow_id, code, path, message}]; those of
--                     `entry` come first
--   is_complete       false if called flows were left out because of max_called_bytes
create function private.reduce_flow(
  entry public.flows, keeps_canvas boolean, max_called_bytes bigint,
  out data text, out canvas text, out findings jsonb, out is_complete boolean
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_flow public.flows := reduce_flow.entry;
  v_reached integer[] := array[reduce_flow.entry.id];
  v_called integer[];
  v_position integer := 1;
  v_ids integer[] := '{}';
  v_graphs text[] := '{}';
  v_max_size constant integer := private.limit_snapshot_bytes();
  v_max_findings constant integer := private.limit_listed_findings();
  v_size integer := 0;
  v_called_bytes bigint := 0;
  v_is_entry_called boolean := false;
  v_own_findings jsonb;
  v_canvases text[] := '{}';
begin
  findings := '[]';
  is_complete := true;
  -- Read the flow itself, then every flow that it reaches through interflow nodes. A flow may call itself, directly or
  -- through others.
  <<flows>>
  loop
    -- Appending an empty array decompresses the graph without changing it. Otherwise each function below would
    -- decompress the graph again.
    v_flow.nodes := v_flow.nodes || '[]';
    v_flow.edges := v_flow.edges || '[]';
    if v_position > 1 then
      -- Reading even a small flow takes time, so 10 KiB are added to the size of each flow.
      v_called_bytes := v_called_bytes + pg_column_size(v_flow.nodes) + pg_column_size(v_flow.edges) + 10240;
      is_complete := v_called_bytes <= coalesce(reduce_flow.max_called_bytes, v_called_bytes);
      exit when not is_complete;
    end if;
    -- Freezing several MiB keeps one processor busy for a second. The lock lets each user freeze only one large graph
    -- at a time, so that the other users find a free processor. The lock can't cause a deadlock: if a transaction also
    -- locks a quota or the queue, it does so after it has frozen the flow.
    if pg_column_size(v_flow.nodes) > 1048576 then
      perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', reduce_flow.entry.user_id), 0));
    end if;
    v_own_findings := private.flow_findings(v_flow.nodes, v_flow.edges);
    findings := findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_flow.id) || finding)
      from jsonb_array_elements(v_own_findings || private.environment_findings(v_flow.environment, v_flow.user_id))
        as finding
    ), '[]');
    if findings = '[]' then
      v_ids := v_ids || v_flow.id;
      v_graphs := v_graphs || format(
        '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
        private.reduce_edges(v_flow.edges),
        private.reduce_nodes(v_flow.nodes), v_flow.environment, to_jsonb(v_flow.instructions_bundling)
      );
      if reduce_flow.keeps_canvas then
        v_canvases := v_canvases || format('"%s": %s', v_flow.id, private.canvas_text(v_flow.nodes));
      end if;
    end if;

    v_called := null;
    -- Do not follow the calls of a flow that is too large or has malformed nodes. Such a flow is refused in any case,
    -- and the search for its calls would take as long as all checks above.
    if coalesce(v_own_findings #>> '{0,code}', '') not in ('flow_too_large', 'node_malformed') then
      select
        findings || coalesce(jsonb_agg(jsonb_build_object(
          'flow_id', v_flow.id, 'code', 'interflow_flow_unknown', 'message', 'you have no flow with this id',
          'path', format('nodes[%s].data.targets_form.form_data.id', r.node_index)
        ) order by r.node_index) filter (where f.id is null), '[]'),
        array_agg(distinct f.id) filter (where f.id is not null)
      into findings, v_called
      from private.interflow_references(v_flow.nodes) as r
      left join public.flows as f on f.id = r.id and f.user_id = reduce_flow.entry.user_id;
      findings := findings || private.called_error_findings(v_flow);
    end if;
    -- Extend the arrays outside of the query above. If the query contained the arrays, Postgres would plan the query
    -- again at each execution.
    if v_called is not null then
      v_reached := v_reached || array(select c.id from unnest(v_called) as c (id) where c.id <> all (v_reached));
      v_is_entry_called := v_is_entry_called or reduce_flow.entry.id = any (v_called);
    end if;

    loop
      exit flows when v_position = cardinality(v_reached);
      v_position := v_position + 1;
      select f.* into v_flow
      from public.flows as f where f.id = v_reached[v_position] and f.user_id = reduce_flow.entry.user_id;
      -- If the called flow was deleted after the query above had found it, continue with the next flow. A run will fail
      -- at the node that calls the deleted flow.
      exit when found;
    end loop;
    if findings = '[]' then
      v_size := v_size + octet_length(v_graphs[cardinality(v_graphs)]);
    end if;
    -- If the graphs are too large together, or if there are too many findings, the flow is refused. Then the remaining
    -- flows need not be read.
    exit when v_size > v_max_size or jsonb_array_length(findings) > v_max_findings;
  end loop;

  if findings = '[]' then
    data := format('{"entry": %s, "flows": {%s}}', v_graphs[1], (
      -- If a flow calls the entry, list the entry among the called flows too.
      select string_agg(format('"%s": %s', reached.id, reached.graph), ', ' order by reached.id)
      from unnest(v_ids, v_graphs) as reached (id, graph) where reached.id <> reduce_flow.entry.id or v_is_entry_called
    ));
    if octet_length(data) > v_max_size then
      findings := jsonb_build_array(jsonb_build_object(
        'flow_id', reduce_flow.entry.id, 'code', 'snapshot_too_large', 'path', 'nodes',
        'message',
        format('the flow and the flows that it calls are larger than %s together', private.size_text(v_max_size))
      ));
      data := null;
    end if;
  end if;
  canvas := format('{%s}', array_to_string(v_canvases, ', '));
end;
$$;
comment on function private.reduce_flow(public.flows, boolean, bigint) is
  'Reduces a flow and all flows that it calls to the data of a snapshot, and finds what keeps them from running. Callers must check the permission. Definer, because it reads all flows of the owner of `entry`.';

-- sql/350_flows/70_flow_snapshots.sql

create table private.flow_snapshots (
  hash bytea primary key,
  data jsonb not null,
  created_at timestamptz not null default now(),
  constraint flow_snapshots_hash_length check (octet_length(hash) = 32)
);
comment on table private.flow_snapshots is
  'Frozen graphs. Runs execute these graphs even if the flows have changed since. Equal graphs are stored once. Rows are never updated.';
comment on column private.flow_snapshots.hash is 'SHA-256 of the text of data.';
comment on column private.flow_snapshots.data is
  '{entry: graph, flows: {"<flow id>": graph}}: the flow itself, and the flows that it reaches through interflow nodes. A graph is {nodes, edges, environment, instructions_bundling}.';

-- Freezes a flow and all flows that it calls, directly or through others. Uses the given row of the flow and the
-- current rows of the called flows. Returns the hash of the snapshot. If keeps_canvas is true, also returns the
-- positions of the nodes in the editor, {"<flow id>": private.canvas_text()}, as text. Callers must check the
-- permission. 422 flow_invalid lists the first 1,000 findings that keep the flows from running.
create function private.freeze_flow(entry public.flows, keeps_canvas boolean, out snapshot_hash bytea, out canvas text)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_reduced constant record := private.reduce_flow(freeze_flow.entry, freeze_flow.keeps_canvas, null);
  v_max_findings constant integer := private.limit_listed_findings();
begin
  if v_reduced.findings <> '[]' then
    perform private.fail(
      'flow_invalid',
      format('The flow can''t run: %s.', v_reduced.findings #>> '{0,message}')
        || case when jsonb_array_length(v_reduced.findings) > v_max_findings
          then format(' The details are the first %s findings.', v_max_findings) else '' end,
      private.first_elements(v_reduced.findings, v_max_findings)
    );
  end if;
  canvas := v_reduced.canvas;
  snapshot_hash := sha256(convert_to(v_reduced.data, 'UTF8'));
  loop
    -- If an equal snapshot exists, lock it, so that the sweep does not delete it before the caller has stored its hash.
    perform from private.flow_snapshots as s where s.hash = freeze_flow.snapshot_hash for key share;
    exit when found;
    insert into private.flow_snapshots (hash, data) values (freeze_flow.snapshot_hash, v_reduced.data::jsonb)
      on conflict (hash) do nothing;
    exit when found;
  end loop;
end;
$$;
comment on function private.freeze_flow(public.flows, boolean) is
  'Makes a snapshot of a flow and of all flows that it reaches. 422 flow_invalid if the flows can''t run. Callers must check the permission. Definer, because no API role may access snapshots.';

-- sql/350_flows/72_flow_versions.sql

-- The history of a flow. A version has the parts of a flow that a run reads, as they were saved. It does not contain
-- the flow's name, its description or the columns that make it public. So restoring an old version never makes a flow
-- public.

create table public.flow_versions (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  flow_id integer not null references public.flows on delete cascade,
  hash bytea not null,
  name text,
  nodes jsonb not null,
  edges jsonb not null,
  environment jsonb not null,
  chain_network jsonb not null,
  instructions_bundling text not null,
  bytes integer not null,
  saved_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint flow_versions_flow_id_hash_key unique (flow_id, hash),
  constraint flow_versions_hash_length check (octet_length(hash) = 32),
  constraint flow_versions_name_length check (
    name is null or char_length(name) between 1 and private.limit_name_characters()
    or private.refuse_column('name', format('must have 1 to %s characters', private.limit_name_characters()))
  )
);
comment on table public.flow_versions is
  'Earlier contents of flows, for the owner. If a flow is saved several times with equal contents, it has one version with these contents. Functions insert the rows; users can change only the name.';
comment on column public.flow_versions.user_id is 'The owner of the flow.';
comment on column public.flow_versions.hash is 'SHA-256 of the contents: private.flow_version_hash().';
comment on column public.flow_versions.name is
  'The name that the owner gave to the version. Null for an automatic version. When the flow has too many versions, the oldest automatic version is deleted.';
comment on column public.flow_versions.environment is 'The flow''s settings, which may hold secrets.';
comment on column public.flow_versions.bytes is
  'The stored size of nodes, edges and environment. It counts towards the quota flow_bytes.';
comment on column public.flow_versions.saved_at is 'The time when the flow was saved with these contents.';
comment on column public.flow_versions.created_at is
  'The time when the version was made, which may be much later than saved_at.';

create index flow_versions_flow_id_idx on public.flow_versions (flow_id, created_at);
-- The index includes bytes, so that the bytes of a user's versions can be added up from the index alone.
create index flow_versions_user_id_idx on public.flow_versions (user_id) include (bytes);

alter table public.flow_versions enable row level security;
create policy flow_versions_select_owner on public.flow_versions for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_versions_update_owner on public.flow_versions for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_versions_delete_owner on public.flow_versions for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, update, delete on public.flow_versions to authenticated;
grant select, update, delete on public.flow_versions to service_role;

create function private.tg_flow_versions__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  old.name := new.name;
  if new is distinct from old then
    perform private.fail('column_read_only', 'Only name of a version can be changed.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_versions__before_update() is
  'Refuses changes to a version''s read-only columns: all columns except name.';
create trigger _100_refuse_read_only before update on public.flow_versions
  for each row execute function private.tg_flow_versions__before_update();

create function private.flow_version_hash(
  nodes jsonb, edges jsonb, environment jsonb, chain_network jsonb, instructions_bundling text
)
returns bytea
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return sha256(convert_to(
    format('[%s, %s, %s, %s, "%s"]', nodes, edges, environment, chain_network, instructions_bundling), 'UTF8'
  ));
end;
$$;
comment on function private.flow_version_hash(jsonb, jsonb, jsonb, jsonb, text) is
  'The SHA-256 of the contents of a version. The contents are hashed as the text of a JSON array.';

create function private.make_room_for_version(flow_id integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (
    select count(*) from public.flow_versions as v where v.flow_id = make_room_for_version.flow_id
  ) < private.limit_flow_versions() then
    return true;
  end if;
  delete from public.flow_versions as v
  where v.id = (
    select u.id from public.flow_versions as u
    where u.flow_id = make_room_for_version.flow_id and u.name is null
    order by u.created_at, u.id limit 1
  );
  return found;
end;
$$;
comment on function private.make_room_for_version(integer) is
  'If a flow has as many versions as allowed, deletes its oldest version without a name. Returns false if all versions have names. Definer, because it also deletes versions that policies hide.';

-- sql/350_flows/74_keep_flow_version.sql

-- Stores the contents of a saved flow as a version. The caller must have locked the flow's row, so that no other
-- transaction adds a version of this flow.
create function private.store_flow_version(flow_id integer, hash bytea, name text)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_flow_versions();
  v_version record;
begin
  update public.flow_versions as v set name = coalesce(store_flow_version.name, v.name)
  where v.flow_id = store_flow_version.flow_id and v.hash = store_flow_version.hash
  returning v.id into v_version;
  if found then
    return v_version.id;
  end if;
  if not private.make_room_for_version(store_flow_version.flow_id) then
    perform private.fail('quota_exceeded',
      format('A flow may have %s versions at most, and all versions of this flow have names.', v_most),
      jsonb_build_object('limit', v_most, 'of', 'flow_versions'), 'Delete a version, or remove its name.');
  end if;
  -- Copy the values within one statement, so that they stay compressed.
  insert into public.flow_versions as v (
    user_id, flow_id, hash, name, nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at
  )
  select f.user_id, f.id, store_flow_version.hash, store_flow_version.name, f.nodes, f.edges, f.environment,
    f.chain_network, f.instructions_bundling,
    pg_column_size(f.nodes) + pg_column_size(f.edges) + pg_column_size(f.environment), f.updated_at
  from public.flows as f where f.id = store_flow_version.flow_id
  returning v.id, v.user_id into v_version;
  perform private.check_quota('flow_bytes', v_version.user_id);
  return v_version.id;
end;
$$;
comment on function private.store_flow_version(integer, bytea, text) is
  'Makes a version of the saved flow, or returns the existing version with the same contents. If `name` is null, an existing version keeps its name. 409 quota_exceeded. Callers must check the permission. Definer, because no API role may insert versions.';

create function private.store_deployed_version(flow_id integer, hash bytea)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_flow_version(store_deployed_version.flow_id, store_deployed_version.hash, null);
exception when sqlstate 'PGRST' then
  -- There is no room for a version, so the deploy goes on without one.
  return;
end;
$$;
comment on function private.store_deployed_version(integer, bytea) is
  'Makes a version of a flow that is being deployed, if the flow has room for one. Definer, because no API role may insert versions.';

create function private.tg_flows__after_update_keep()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- Sequential scans are off for the same reason as in private.tg_flows__after_update().
set enable_seqscan = off
as $$
declare
  v_since constant timestamptz := now() - make_interval(mins => private.limit_flow_version_minutes());
  v_old record;
  v_hash bytea;
  v_user_id uuid;
  v_room bigint;
  v_bytes bigint := 0;
begin
  for v_old in
    select o.id, o.user_id, o.nodes, o.edges, o.environment, o.chain_network, o.instructions_bundling, o.updated_at,
      pg_column_size(o.nodes) + pg_column_size(o.edges) + pg_column_size(o.environment) as bytes
    from former as o
    -- Most updated flows already have a recent version. For such a flow, the trigger only does this index lookup.
    where not exists (
      select from public.flow_versions as v
      where v.flow_id = o.id and v.created_at > v_since
    )
    order by o.user_id, o.id
  loop
    -- One statement may change many flows. The versions that this trigger stores for it may have as many bytes in total
    -- as a request may write.
    v_bytes := v_bytes + v_old.bytes;
    exit when v_bytes > private.limit_written_flow_bytes();
    continue when exists (
      select from public.flows as f
      where f.id = v_old.id and (f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
        is not distinct from
          (v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network, v_old.instructions_bundling)
    );
    v_hash := private.flow_version_hash(
      v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network, v_old.instructions_bundling
    );
    continue when exists (select from public.flow_versions as v where v.flow_id = v_old.id and v.hash = v_hash);
    if v_user_id is distinct from v_old.user_id then
      v_user_id := v_old.user_id;
      perform private.lock_quota('flow_bytes', v_user_id);
      v_room := private.quota('flow_bytes') - private.quota_use('flow_bytes', v_user_id);
    end if;
    -- If there is no room for a version, the flow is saved without keeping one.
    continue when v_room < v_old.bytes or not private.make_room_for_version(v_old.id);
    insert into public.flow_versions (
      user_id, flow_id, hash, nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at
    )
    values (
      v_old.user_id, v_old.id, v_hash, v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network,
      v_old.instructions_bundling, v_old.bytes, v_old.updated_at
    );
    v_room := v_room - v_old.bytes;
  end loop;
  return null;
end;
$$;
comment on function private.tg_flows__after_update_keep() is
  'Stores the contents that updated flows had before the update as versions. A flow gets no such version if another version of it was made within the last limit_flow_version_minutes() minutes. Definer, because no API role may insert versions.';
-- Triggers run in the order of their names, so this trigger runs after _800_check_growth, which refuses a flow beyond
-- the quota.
create trigger _900_keep_version after update on public.flows
  referencing old table as former
  for each statement execute function private.tg_flows__after_update_keep();

create function private.keep_flow_version(flow_id integer, name text)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_user();
  v_hash bytea;
begin
  perform from public.flows as f where f.id = keep_flow_version.flow_id and f.user_id = v_user_id for no key update;
  select private.flow_version_hash(f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
  into v_hash
  from public.flows as f where f.id = keep_flow_version.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return private.store_flow_version(keep_flow_version.flow_id, v_hash, keep_flow_version.name);
end;
$$;
comment on function private.keep_flow_version(integer, text) is
  'Implements public.keep_flow_version. Definer, because no API role may insert versions.';
grant execute on function private.keep_flow_version(integer, text) to anon, authenticated, service_role;

-- Makes a version of the saved contents of the caller's flow, and returns the version's id. If a version already has
-- these contents, gives that version the name and returns its id. When the flow has too many versions, the oldest
-- version without a name is deleted.
create function public.keep_flow_version(flow_id integer, name text default null)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.keep_flow_version(flow_id, name);
end;
$$;
comment on function public.keep_flow_version(integer, text) is
  'Makes a version of the saved contents of the caller''s flow, and returns the version''s id. 400 column_invalid for a name that is empty or too long; 401; 404 flow_not_found; 409 quota_exceeded.';
grant execute on function public.keep_flow_version(integer, text) to anon, authenticated, service_role;

-- sql/350_flows/75_take_snapshot.sql

create table private.flow_current_snapshots (
  flow_id integer primary key references public.flows on delete cascade,
  flow_updated_at timestamptz not null,
  snapshot_hash bytea not null references private.flow_snapshots on delete cascade
);
comment on table private.flow_current_snapshots is
  'One row for each large flow that has been started and calls no other flow: the snapshot of its last start. While the flow is unchanged, its starts use this snapshot. If the snapshot is deleted, the row is deleted with it.';
comment on column private.flow_current_snapshots.flow_updated_at is
  'The updated_at that the flow had when its snapshot was taken.';
create index flow_current_snapshots_snapshot_hash_idx on private.flow_current_snapshots (snapshot_hash);

create function private.current_snapshot(entry public.flows)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_hash bytea;
begin
  -- Lock the snapshot, so that the sweep does not delete it before the caller has stored its hash.
  select s.hash into v_hash
  from private.flow_current_snapshots as c join private.flow_snapshots as s on s.hash = c.snapshot_hash
  where c.flow_id = current_snapshot.entry.id and c.flow_updated_at = current_snapshot.entry.updated_at
  for key share of s;
  -- The flow's environment may name a wallet that was deleted after the snapshot was made. In this case, return null:
  -- the caller then freezes the flow again, which reports the missing wallet.
  if v_hash is not null and private.environment_findings(
    current_snapshot.entry.environment, current_snapshot.entry.user_id
  ) = '[]' then
    return v_hash;
  end if;
  return null;
end;
$$;
comment on function private.current_snapshot(public.flows) is
  'The snapshot of the flow''s last start, if the flow is unchanged and can still run; otherwise null. Definer, because no API role may access snapshots.';

create function private.take_snapshot(entry public.flows)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- Freezing a small flow costs less than a search for its snapshot. If this transaction has edited the flow, its
  -- snapshot is not stored: a further edit in this transaction would set the same updated_at, so nothing would show
  -- that the flow has changed.
  v_is_kept constant boolean := pg_column_size(take_snapshot.entry.nodes) > 65536
    and take_snapshot.entry.updated_at < now();
  v_hash bytea := case when v_is_kept then private.current_snapshot(take_snapshot.entry) end;
begin
  if v_hash is not null then
    return v_hash;
  end if;
  v_hash := (private.freeze_flow(take_snapshot.entry, false)).snapshot_hash;
  -- Do not keep the snapshot of a flow that calls others: a called flow may change without a change of its caller.
  if v_is_kept and not exists (select from private.interflow_references(take_snapshot.entry.nodes)) then
    insert into private.flow_current_snapshots as c (flow_id, flow_updated_at, snapshot_hash)
    values (take_snapshot.entry.id, take_snapshot.entry.updated_at, v_hash)
    on conflict (flow_id) do update
    set flow_updated_at = excluded.flow_updated_at, snapshot_hash = excluded.snapshot_hash;
  end if;
  return v_hash;
end;
$$;
comment on function private.take_snapshot(public.flows) is
  'Returns the hash of a snapshot of the flow, without the positions of nodes. If the flow is unchanged and its last snapshot is stored, uses this snapshot. Otherwise makes one with private.freeze_flow(). Callers must check the permission. Definer, because no API role may access snapshots.';

-- sql/350_flows/76_restore_flow_version.sql

create function private.restore_flow_version(id bigint, updated_at timestamptz)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_user();
  v_version public.flow_versions;
  v_flow public.flows;
  v_kept_id bigint;
begin
  -- Lock the flow's row first, as a save does. While this transaction holds the lock, no other transaction deletes
  -- versions of this flow to make room for another.
  select f.* into v_flow
  from public.flow_versions as v join public.flows as f on f.id = v.flow_id
  where v.id = restore_flow_version.id and v.user_id = v_user_id
  for no key update of f;
  select v.* into v_version from public.flow_versions as v
  where v.id = restore_flow_version.id and v.user_id = v_user_id;
  if not found then
    perform private.fail('flow_version_not_found', 'There is no such version.');
  end if;
  if v_flow.updated_at <> restore_flow_version.updated_at then
    perform private.fail('flow_changed', 'The flow has been saved since the time in updated_at.',
      hint => 'Read the flow again, and restore the version if you still want it.');
  end if;
  v_kept_id := private.store_flow_version(
    v_flow.id,
    private.flow_version_hash(
      v_flow.nodes, v_flow.edges, v_flow.environment, v_flow.chain_network, v_flow.instructions_bundling
    ),
    null
  );
  update public.flows as f
  set nodes = v_version.nodes, edges = v_version.edges, environment = v_version.environment,
    chain_network = v_version.chain_network, instructions_bundling = v_version.instructions_bundling
  where f.id = v_flow.id
  returning f.* into v_flow;
  return jsonb_build_object('updated_at', v_flow.updated_at, 'kept_version_id', v_kept_id);
end;
$$;
comment on function private.restore_flow_version(bigint, timestamptz) is
  'Implements public.restore_flow_version. Definer, because no API role may insert versions.';
grant execute on function private.restore_flow_version(bigint, timestamptz) to anon, authenticated, service_role;

-- First makes a version of the flow's present contents. Then saves the contents of the version `id` as the contents of
-- its flow. Returns {updated_at, kept_version_id}. The parameter `updated_at` is the flow's updated_at when the caller
-- last read the flow. If the flow has been saved since, the answer is 409 flow_changed. If the parameter is null, the
-- function does not check for later saves. The returned updated_at is that of the restored flow.
create function public.restore_flow_version(id bigint, updated_at timestamptz default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.restore_flow_version(id, updated_at);
end;
$$;
comment on function public.restore_flow_version(bigint, timestamptz) is
  'Saves the contents of a version as its flow''s contents. Before that, keeps the present contents as a version. Returns {updated_at, kept_version_id}. 401; 404 flow_version_not_found; 409 flow_changed, quota_exceeded.';
grant execute on function public.restore_flow_version(bigint, timestamptz) to anon, authenticated, service_role;

-- sql/350_flows/80_flow_snapshot_warnings.sql

create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null,
  connections jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'The warnings about each snapshot. They are stored because a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is
  'The version of the node definitions, from private.native_nodes, by which the warnings were computed. If that version has changed since, the warnings are computed again.';
comment on column private.flow_snapshot_warnings.warnings is
  'The warnings of private.flow_warnings(). Warnings about called flows have a flow_id. Warnings about the flow itself have no flow_id, because equal flows share a snapshot.';
comment on column private.flow_snapshot_warnings.connections is
  '{"<name>": {path} or {flow_id, path}}: the connections that nodes name, each with the place of its first use.';

create function private.warnings_of_data(data jsonb, out warnings jsonb, out connections jsonb)
returns record
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- Merging with an empty object decompresses the data once for all parts below, without changing it.
  v_data constant jsonb := warnings_of_data.data || '{}';
  v_acting_flows constant jsonb := private.acting_flows(v_data) || private.data_flows(v_data);
begin
  with graph as materialized (
    select null::integer as flow_id, v_data -> 'entry' as graph
    union all
    -- If a flow calls itself, the data contains its graph twice: as the entry, and as a called flow. Use only the
    -- entry.
    select f.key::integer, f.value
    from jsonb_each(v_data -> 'flows') as f
    where f.value <> v_data -> 'entry'
  ),
  use as (
    select distinct on (u.name) u.name, g.flow_id, u.node_index
    from graph as g cross join lateral private.connection_uses(g.graph -> 'nodes') as u
    order by u.name, g.flow_id nulls first, u.node_index
  )
  select
    (
      select coalesce(jsonb_agg(warning.warning order by warning.flow_id nulls first, warning.position), '[]')
      from (
        select g.flow_id, w.position, w.warning || case when g.flow_id is null then '{}'
          else jsonb_build_object('flow_id', g.flow_id) end as warning
        from graph as g
        cross join lateral jsonb_array_elements(
          private.flow_warnings(g.graph -> 'nodes', g.graph -> 'edges', v_acting_flows)
        ) with ordinality as w (warning, position)
      ) as warning
    ),
    (
      select coalesce(jsonb_object_agg(u.name, jsonb_strip_nulls(jsonb_build_object(
        'flow_id', u.flow_id, 'path', format('nodes[%s].data.targets_form.form_data.connection', u.node_index)
      ))), '{}')
      from use as u
    )
  into warnings_of_data.warnings, warnings_of_data.connections;
  warnings := private.first_elements(warnings_of_data.warnings, private.limit_listed_warnings());
end;
$$;
comment on function private.warnings_of_data(jsonb) is
  'The first warnings about the data of a snapshot, and the connections that the snapshot names, each with the place of its first use. Warnings about called flows have a flow_id.';

create function private.current_snapshot_warnings(hash bytea)
returns private.flow_snapshot_warnings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_stored private.flow_snapshot_warnings;
begin
  select w.* into v_stored
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = current_snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    v_stored.snapshot_hash := current_snapshot_warnings.hash;
    v_stored.nodes_version := v_version;
    select w.warnings, w.connections into v_stored.warnings, v_stored.connections
    from private.flow_snapshots as s cross join lateral private.warnings_of_data(s.data) as w
    where s.hash = current_snapshot_warnings.hash;
    v_stored.warnings := (
      select coalesce(jsonb_agg(w.warning - 'port' order by w.position), '[]')
      from jsonb_array_elements(v_stored.warnings) with ordinality as w (warning, position)
    );
    -- Concurrent calls compute the same warnings, so it does not matter which call stores them last.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings, connections)
    values (v_stored.snapshot_hash, v_stored.nodes_version, v_stored.warnings, v_stored.connections)
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, warnings = excluded.warnings, connections = excluded.connections;
  end if;
  return v_stored;
end;
$$;
comment on function private.current_snapshot_warnings(bytea) is
  'The warnings about a snapshot, computed by the present node definitions, and the connections that the snapshot names. If they are not stored yet, the function computes and stores them. Definer, because no API role may access snapshots.';

create function private.snapshot_connections(hash bytea, user_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_named constant jsonb := (
    select w.connections from private.flow_snapshot_warnings as w where w.snapshot_hash = snapshot_connections.hash
  );
begin
  if v_named = '{}' then
    return v_named;
  end if;
  return (
    select coalesce(jsonb_object_agg(c.name, c.id), '{}')
    from (
      select c.name, c.id from public.connections as c
      where c.user_id = snapshot_connections.user_id and c.name = any (array(select jsonb_object_keys(v_named)))
      order by c.name limit private.limit_flow_connections()
    ) as c
  );
end;
$$;
comment on function private.snapshot_connections(bytea, uuid) is
  'The user''s connections that nodes of a snapshot name, {"<name>": "<id>"}, at most 100. Call private.snapshot_warnings() first, because it stores the names that this function reads. Definer, because no API role may access snapshots.';

create function private.connection_warnings(named jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_names constant text[] := array(select jsonb_object_keys(connection_warnings.named));
  v_found text[];
begin
  if v_names = '{}' then
    return '[]';
  end if;
  -- The lock prevents the deletion of the connections until the deployment or the run refers to them.
  v_found := array(
    select c.name from public.connections as c
    where c.user_id = connection_warnings.user_id and c.name = any (v_names)
    order by c.name limit private.limit_flow_connections()
    for key share
  );
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'connection_missing', 'message', format(
      'you have no connection %s, so the run fails at the node', to_jsonb(private.shorten(n.key))
    )) || n.value order by n.key), '[]')
    from (
      select n.key, n.value from jsonb_each(connection_warnings.named) as n
      where n.key <> all (v_found) order by n.key limit private.limit_listed_warnings()
    ) as n
  );
end;
$$;
comment on function private.connection_warnings(jsonb, uuid) is
  '`named` is {"<name>": place}. Returns a warning connection_missing for each name for which the user has no connection. Locks the connections that the user has. Definer, because it reads the connections of any user.';

create function private.snapshot_warnings(hash bytea, flow public.flows, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_stored constant private.flow_snapshot_warnings := private.current_snapshot_warnings(snapshot_warnings.hash);
  v_warnings jsonb := private.first_elements(
    private.connection_warnings(v_stored.connections, snapshot_warnings.flow.user_id) || v_stored.warnings,
    private.limit_listed_warnings()
  );
  v_refused jsonb;
begin
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow.id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    -- Most authors want missing values to act as these warnings say, and know which data their own flow sends, so `strict`
    -- accepts these warnings.
    v_refused := jsonb_path_query_array(
      v_warnings,
      '$[*] ? (@.code != "effect_may_be_skipped" && @.code != "effect_may_lack_value" && @.code != "acts_on_owner_data")'
    );
    if v_refused <> '[]' then
      perform private.fail(
        'flow_invalid', format('The flow has warnings, which strict doesn''t allow: %s.', v_refused #>> '{0,message}'),
        v_refused
      );
    end if;
  end if;
  return v_warnings;
end;
$$;
comment on function private.snapshot_warnings(bytea, public.flows, boolean) is
  'The first 100 warnings about the snapshot of a flow, [{flow_id, code, path, message}]. If `strict` is true and there are warnings other than effect_may_be_skipped, effect_may_lack_value and acts_on_owner_data, raises 422 flow_invalid with these warnings. Callers must check the permission. Definer, because no API role may access snapshots.';

-- sql/350_flows/85_check_flow.sql

-- Checks a graph that is not saved, so that an editor can list its problems while the user draws it.

create table private.flow_checks (
  user_id uuid primary key references auth.users (id) on delete cascade,
  last_at timestamptz not null,
  before_last_at timestamptz not null
) with (fillfactor = 50);
comment on table private.flow_checks is
  'The times of each user''s last two calls of check_flow. They decide whether the user may call check_flow again now.';

create function private.count_flow_check(user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_is_counted boolean := false;
begin
  -- The lock lasts until the check has ended. While a check of a user runs, another check of this user is refused
  -- instead of waiting. So the checks of a user keep at most one processor busy.
  if pg_try_advisory_xact_lock(hashtextextended(format('private.check_flow %s', count_flow_check.user_id), 0)) then
    insert into private.flow_checks as c (user_id, last_at, before_last_at)
    values (count_flow_check.user_id, v_now, '-infinity')
    on conflict on constraint flow_checks_pkey do update
    set last_at = excluded.last_at, before_last_at = c.last_at
    where c.before_last_at <= v_now - interval '1 second';
    v_is_counted := found;
  end if;
  if not v_is_counted then
    perform private.fail(
      'too_many_requests',
      format('A user may check %s flows a second, one at a time.', private.limit_flow_checks_per_second()),
      hint => 'Try again after as many seconds as Retry-After says.', headers => '{"Retry-After": "1"}'
    );
  end if;
end;
$$;
comment on function private.count_flow_check(uuid) is
  'Counts a call of check_flow. Refuses the call with 429 too_many_requests if another check of the user is running, or if the user has called check_flow twice within the last second. Definer, because no API role may access private.flow_checks.';

create function private.flow_to_check(flow jsonb, user_id uuid)
returns public.flows
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure constant private.json_measure :=
    private.measure_json(flow_to_check.flow, private.limit_checked_flow_bytes());
  v_flow public.flows;
begin
  if v_measure.fault = 'size' then
    perform private.fail('body_too_large',
      format('flow: %s.', v_measure.message),
      hint => 'Save the flow. A deploy and a start check flows of every size.');
  end if;
  if v_measure.fault is not null then
    perform private.fail('request_invalid', format('flow%s: %s.', v_measure.path, v_measure.message));
  end if;
  if (
    jsonb_typeof(flow_to_check.flow -> 'nodes') = 'array' and jsonb_typeof(flow_to_check.flow -> 'edges') = 'array'
  ) is not true then
    perform private.fail('request_invalid', 'flow: must be an object with the arrays nodes and edges.');
  end if;
  v_flow.nodes := flow_to_check.flow -> 'nodes';
  v_flow.edges := flow_to_check.flow -> 'edges';
  v_flow.environment := coalesce(flow_to_check.flow -> 'environment', '{}');
  if not private.is_string_map(v_flow.environment) then
    perform private.fail('request_invalid', 'flow.environment: must be an object whose members are all strings.');
  end if;
  -- No flow has the id 0, so 0 stands for a flow without an id.
  v_flow.id := coalesce(private.integer_or_null(flow_to_check.flow ->> 'id'), 0);
  v_flow.user_id := flow_to_check.user_id;
  v_flow.instructions_bundling := 'Off';
  return v_flow;
end;
$$;
comment on function private.flow_to_check(jsonb, uuid) is
  'Turns the argument of check_flow into a row of flows. 400 request_invalid; 413 body_too_large.';

create function private.severity_of_problem(code text, is_finding boolean)
returns text
language sql immutable security invoker
begin atomic
  select case
    when severity_of_problem.is_finding then 'prevents_deploy'
    when severity_of_problem.code in (
      'connection_missing', 'edge_source_port_unknown', 'edge_target_port_unknown', 'edge_types_differ',
      'input_missing', 'node_not_implemented'
    ) then 'fails_run'
    else 'warning'
  end;
end;
comment on function private.severity_of_problem(text, boolean) is
  'The severity of a problem that check_flow reports. A warning has the severity fails_run if its message says that the run fails.';

create function private.check_flow(flow jsonb, flow_id integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_flow public.flows;
  v_reduced record;
  v_problems jsonb;
  v_is_finding boolean;
begin
  if num_nonnulls(check_flow.flow, check_flow.flow_id) <> 1 then
    perform private.fail('request_invalid', 'Give either flow or flow_id.');
  end if;
  if check_flow.flow is not null then
    v_flow := private.flow_to_check(check_flow.flow, v_user_id);
  else
    select f.* into v_flow from public.flows as f where f.id = check_flow.flow_id and f.user_id = v_user_id;
    if not found then
      perform private.fail('flow_not_found', 'There is no such flow.');
    end if;
  end if;
  perform private.count_flow_check(v_user_id);
  v_reduced := private.reduce_flow(
    v_flow, false, case when check_flow.flow is not null then private.limit_checked_flow_bytes() end
  );
  v_problems := private.first_elements(v_reduced.findings, private.limit_listed_findings());
  v_is_finding := v_problems <> '[]';
  if not v_is_finding then
    select private.first_elements(
      private.connection_warnings(w.connections, v_user_id) || w.warnings, private.limit_listed_warnings()
    )
    into v_problems
    from private.warnings_of_data(v_reduced.data::jsonb) as w;
  end if;
  return jsonb_build_object(
    'problems', (
      select coalesce(jsonb_agg(
        case when p.problem -> 'flow_id' = to_jsonb(v_flow.id) then p.problem - 'flow_id' else p.problem end
          || jsonb_build_object('severity', private.severity_of_problem(p.problem ->> 'code', v_is_finding))
          order by p.position
      ), '[]')
      from jsonb_array_elements(v_problems) with ordinality as p (problem, position)
    ),
    'is_complete', v_reduced.is_complete
  );
end;
$$;
comment on function private.check_flow(jsonb, integer) is
  'Implements public.check_flow. Definer, because no API role may call private.reduce_flow().';
grant execute on function private.check_flow(jsonb, integer) to anon, authenticated, service_role;

-- Checks either `flow`, a flow that is not saved, or the saved flow `flow_id`. `flow` is {nodes, edges, environment,
-- id}, where environment and id may be missing. Returns {problems, is_complete}. A problem is a finding or a warning
-- that a deploy would report: {code, path, message, severity}. Problems of called flows also have flow_id, and a
-- problem input_missing also has port. severity is prevents_deploy, fails_run or warning. As in a deploy, warnings are
-- listed only if there are no findings. `flow` must have at most 1 MiB. If the flows that `flow` calls have more than 1
-- MiB together, the check leaves some of them out, and is_complete is false. This limit does not apply to a saved flow.
create function public.check_flow(flow jsonb default null, flow_id integer default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.check_flow(flow, flow_id);
end;
$$;
comment on function public.check_flow(jsonb, integer) is
  'The problems that a deploy would report, for a flow that is not saved or for a saved one: {problems: [{code, path, message, severity}], is_complete}. 400 request_invalid; 401; 404 flow_not_found; 413 body_too_large; 429 too_many_requests.';
grant execute on function public.check_flow(jsonb, integer) to anon, authenticated, service_role;

-- sql/350_flows/90_input_names.sql

create function private.input_names(nodes jsonb)
returns text[]
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(named.name order by named.position), '{}')
  from (
    select label.name, min(n.position) as position
    from jsonb_array_elements(input_names.nodes) with ordinality as n (node, position)
    cross join lateral (select private.port_label(n.node -> 'data') as name offset 0) as label
    where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    group by label.name
  ) as named;
$$;
comment on function private.input_names(jsonb) is
  'The names of a graph''s inputs, as private.port_label() gives them. They are in the order of the nodes, and each name is listed once. The nodes must have no faults.';

-- sql/350_flows/91_types_in_common.sql

create function private.types_of_mask(mask bigint)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_names text[];
begin
  -- The JSON of a port type can become values of several kinds. A type fits if the mask contains all of these kinds.
  -- Drop a fitting type if another fitting type takes all its kinds of values and more.
  with fitting as (
    select t.name, t.place, t.takes & types_of_mask.mask as covered
    from private.port_types() as t where t.makes & types_of_mask.mask = t.makes
  )
  select array_agg(f.name order by f.place) into v_names
  from fitting as f
  where not exists (
    select from fitting as wider where wider.covered <> f.covered and wider.covered & f.covered = f.covered
  );
  return coalesce(v_names, '{free}');
end;
$$;
comment on function private.types_of_mask(bigint) is
  'The names of the widest port types whose values all have kinds in the mask; free if there is no such type.';

create function private.mask_of_bounds(type_bounds jsonb)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_free constant bigint := (select t.takes from private.port_types() as t where t.name = 'free');
begin
  return coalesce(
    (
      select bit_or(coalesce(t.takes, v_free))
      from jsonb_array_elements(mask_of_bounds.type_bounds) as b (name)
      left join private.port_types() as t on t.name = b.name #>> '{}'
    ),
    v_free
  );
end;
$$;
comment on function private.mask_of_bounds(jsonb) is
  'The kinds of values that a port with these type_bounds always accepts, as a mask of private.port_types(). A port without bounds accepts all kinds.';

create function private.do_types_meet(given jsonb, wanted jsonb, is_passed_on boolean)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- An unknown type gives and accepts every kind of value.
  v_every constant bigint := (1 << 16) - 1;
begin
  return coalesce((
    -- If is_passed_on is true, the edge begins at an input, which sends on each value that it receives. So the edge
    -- gives the kinds of values that the input accepts. Exception: if the first type of the input is pubkey, the edge
    -- gives a public key.
    select bit_or(coalesce(
      case when do_types_meet.is_passed_on and not (g.position = 1 and g.name = 'pubkey') then t.accepts
        else t.gives end, v_every
    ))
    from jsonb_array_elements_text(do_types_meet.given) with ordinality as g (name, position)
    left join private.port_types() as t on t.name = g.name
  ), v_every) & coalesce((
    select bit_or(coalesce(t.accepts, v_every))
    from jsonb_array_elements_text(do_types_meet.wanted) as w (name)
    left join private.port_types() as t on t.name = w.name
  ), v_every) <> 0;
end;
$$;
comment on function private.do_types_meet(jsonb, jsonb, boolean) is
  'Whether an edge may lead from a port with the types `given` to an input with the types `wanted`. If `is_passed_on` is true, the edge begins at an input, which sends on the values that it receives. typesMeet of types/values/port_types.ts has the same rule.';

create function private.schema_hint(property jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(m.key, m.value), '{}')
    from jsonb_each(case jsonb_typeof(schema_hint.property) when 'object' then schema_hint.property else '{}' end) as m
    where case m.key
      when 'title' then jsonb_typeof(m.value) = 'string' and length(m.value #>> '{}') <= 200
      when 'minimum' then jsonb_typeof(m.value) = 'number'
      when 'maximum' then jsonb_typeof(m.value) = 'number'
      when 'minLength' then jsonb_typeof(m.value) = 'number'
      when 'maxLength' then jsonb_typeof(m.value) = 'number'
      when 'format' then m.value in ('"email"', '"uri"', '"date"')
      when 'enum' then jsonb_typeof(m.value) = 'array'
        and jsonb_path_exists(m.value, 'strict $.size() ? (@ > 0 && @ <= 100)')
        and octet_length(m.value::text) <= 4096
        and not jsonb_path_exists(
          m.value, '$[*] ? (@.type() != "string" && @.type() != "number" && @.type() != "boolean")'
        )
    end
  );
end;
$$;
comment on function private.schema_hint(jsonb) is
  'The members of an input''s form schema that also apply to the inputs of a start: title, bounds of a number or of a text''s length, the choices of a short list, and the formats email, uri and date.';

-- sql/350_flows/92_describe_snapshot.sql

-- Describes the inputs and outputs of a frozen flow. An input is described by the ports that receive its value from a
-- flow_input node. An output is described by the ports that send values to its flow_output node.

-- Port number i receives the value of the flow input with the number labels[i], and accepts the kinds of values in
-- masks[i]. If the port sends its value to a called flow, calls[i] is the number of the called flow's input. In labels
-- and calls, 0 stands for no input.
create function private.label_masks(labels integer[], masks bigint[], calls integer[], label_count integer)
returns bigint[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_masks bigint[];
  v_callers integer[];
  v_called integer[];
  v_first integer[] := array_fill(0, array[label_masks.label_count]);
  v_queue integer[];
  v_is_queued boolean[];
  v_position integer := 1;
  v_label integer;
  v_call integer;
begin
  -- By default, all bits are set: an input without ports accepts all kinds of values and is not required.
  select coalesce(array_agg(coalesce(own.mask, (1 << 25)::bigint - 1) order by l.number), '{}') into v_masks
  from generate_series(1, label_masks.label_count) as l (number)
  left join (
    select p.label, bit_and(p.mask) as mask
      from unnest(label_masks.labels, label_masks.masks) as p (label, mask) group by p.label
  ) as own on own.label = l.number;

  -- If a flow passes an input on to a called flow, the values must also fit the input of the called flow. A flow may
  -- call itself, so the loop narrows the masks until no mask changes. Each narrowing clears at least one bit of a mask,
  -- so the loop ends.
  select array_agg(c.caller order by c.called), array_agg(c.called order by c.called) into v_callers, v_called
  from (
    select distinct p.label as caller, p.call as called
    from unnest(label_masks.labels, label_masks.calls) as p (label, call) where p.label > 0 and p.call > 0
  ) as c;
  if v_called is null then
    return v_masks;
  end if;
  for v_index in reverse cardinality(v_called)..1 loop
    v_first[v_called[v_index]] := v_index;
  end loop;
  v_queue := array(select distinct c.called from unnest(v_called) as c (called));
  v_is_queued := array_fill(false, array[label_masks.label_count]);
  foreach v_label in array v_queue loop
    v_is_queued[v_label] := true;
  end loop;
  while v_position <= cardinality(v_queue) loop
    v_label := v_queue[v_position];
    v_position := v_position + 1;
    v_is_queued[v_label] := false;
    v_call := v_first[v_label];
    while v_call <= cardinality(v_called) and v_called[v_call] = v_label loop
      if v_masks[v_callers[v_call]] & v_masks[v_label] <> v_masks[v_callers[v_call]] then
        v_masks[v_callers[v_call]] := v_masks[v_callers[v_call]] & v_masks[v_label];
        if v_first[v_callers[v_call]] > 0 and not v_is_queued[v_callers[v_call]] then
          v_queue := v_queue || v_callers[v_call];
          v_is_queued[v_callers[v_call]] := true;
        end if;
      end if;
      v_call := v_call + 1;
    end loop;
  end loop;
  return v_masks;
end;
$$;
comment on function private.label_masks(integer[], bigint[], integer[], integer) is
  'One mask of private.port_types() for each numbered input of a snapshot''s flows: the kinds of values that the input accepts. The mask also has the bit 2^23 if no port requires the input.';

create function private.input_descriptions(names text[], masks bigint[], defaults jsonb[], hints jsonb[])
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  with input as materialized (
    select i.number, i.name, i.value, i.hint, i.number <= cardinality(input_descriptions.names) as is_entry,
      input_descriptions.masks[i.number] & (1 << 23) = 0 as is_required,
      input_descriptions.masks[i.number] & ~(1 << 23)::bigint as mask,
      -- Leave out defaults of more than 4 KiB, which are too large for a form. When the total size of the defaults
      -- exceeds a megabyte, leave out all further defaults.
      octet_length(i.value::text) as size,
      sum(octet_length(i.value::text))
        filter (where octet_length(i.value::text) <= 4096) over (order by i.number) as total_size
    from unnest(
      input_descriptions.names, input_descriptions.defaults, input_descriptions.hints
    ) with ordinality as i (name, value, hint, number)
  ),
  typed as materialized (
    select m.mask, private.types_of_mask(m.mask) as types from (select distinct i.mask from input as i) as m
  ),
  -- A single query makes all lists of types. Each input may have its own list, and a query for each list would take
  -- seconds.
  shape as materialized (
    select s.types, to_jsonb(s.types) as type_bounds,
      case when cardinality(s.types) = 1 then jsonb_agg(t.json_schema) -> 0
        else jsonb_build_object('anyOf', jsonb_agg(distinct part.json_schema)) end as json_schema
    from (select distinct typed.types from typed) as s
    cross join lateral unnest(s.types) as n (name)
    join private.port_types() as t on t.name = n.name
    cross join lateral jsonb_array_elements(coalesce(t.json_schema -> 'anyOf', jsonb_build_array(t.json_schema)))
      as part (json_schema)
    group by s.types
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', i.name, 'description', coalesce(i.hint ->> 'description', ''), 'type_bounds', s.type_bounds,
    'required', i.is_required and i.value is null,
    'default', case when i.size <= 4096 and i.total_size <= 1048576 then i.value end,
    'json_schema', s.json_schema || coalesce(i.hint -> 'json_schema', '{}')
  ) order by i.number), '[]')
  from input as i join typed as t on t.mask = i.mask join shape as s on s.types = t.types;
$$;
comment on function private.input_descriptions(text[], bigint[], jsonb[], jsonb[]) is
  'The inputs of a flow as in public.read_deployment: {name, description, type_bounds, required, default, json_schema} each. If an input feeds only one port, its description and parts of its json_schema come from that port''s definition.';

-- The ports of a node come from the definition that the service role has stored. If a node has no definition, or is of
-- a kind whose ports each flow chooses, its ports come from the flow's JSON.
create function private.describe_snapshot(data jsonb, out inputs jsonb, out outputs jsonb)
returns record
language plpgsql stable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph. Nested loops could take quadratic time. Merge joins could take
-- quadratic time too, because the planner would sort the rows only by flow.
set enable_nestloop = off
set enable_mergejoin = off
as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The query below numbers the inputs of all flows of the snapshot, beginning with the inputs of the entry. It also
  -- numbers the ports that the value of an input may reach.
  v_names text[];
  v_label_count integer;
  v_defaults jsonb[];
  v_hints jsonb[];
  v_labels integer[];
  v_parents integer[];
  v_masks bigint[];
  v_calls integer[];
begin
  with graph as materialized (
    -- A flow that calls itself is in the snapshot twice: as the entry, and as a called flow.
    select 0 as flow, describe_snapshot.data -> 'entry' as graph
    union all
    select f.key::integer, f.value from jsonb_each(describe_snapshot.data -> 'flows') as f
  ),
  node as materialized (
    select
      g.flow, (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'node_id' as node_id,
      d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_input' as is_input,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_output' as is_output,
      case when d.data ->> 'type' = 'native' then d.data ->> 'node_id' end as native_id
    from graph as g
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' <> 'mock'
  ),
  definition as materialized (
    select distinct on (d.node_id) d.node_id, d.sources, d.targets,
      d."targets_form.json_schema" -> 'properties' as properties
    from public.nodes as d
    where d.owner_key = v_nobody and d.type = 'native'
      and d.node_id = any (array(select distinct n.native_id from node as n))
    order by d.node_id, d.created_at desc, d.version desc
  ),
  defined_target as materialized (
    select d.node_id, t.port ->> 'name' as name, t.port -> 'type_bounds' as type_bounds,
      coalesce((t.port ->> 'required')::boolean, false) as is_required,
      coalesce((t.port ->> 'passthrough')::boolean, false) as is_handed_on,
      jsonb_build_object(
        'description', private.shorten(t.port ->> 'tooltip', 500),
        'json_schema', private.schema_hint(d.properties -> (t.port ->> 'name'))
      ) as hint
    from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
  ),
  defined_source as materialized (
    select d.node_id, s.port ->> 'name' as name, s.port ->> 'type' as type
    from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
  ),
  -- The label of a flow_input or flow_output is the name of its port, even if the JSON gives the port another name.
  named as materialized (
    select n.flow, n.index, n.id, n.native_id, n.is_input, n.is_output, n.form_data,
      case when n.is_input or n.is_output then coalesce(
        case jsonb_typeof(n.form_data -> 'label') when 'string' then n.form_data ->> 'label' end,
        (case when n.is_input then n.sources else n.targets end) -> 0 ->> 'name', ''
      ) end as label,
      case when n.native_id in ('interflow', 'interflow_instructions')
        then private.integer_or_null(n.form_data ->> 'id') end as called,
      n.native_id is not null and n.native_id in (select d.node_id from definition as d) as is_defined,
      coalesce(private.draws_inputs(n.native_id), false) as are_inputs_drawn,
      coalesce(private.draws_outputs(n.native_id), false) as are_outputs_drawn
    from node as n
  ),
  drawn_target as materialized (
    select t.flow, t.index, t.port ->> 'id' as handle, t.port ->> 'name' as name,
      t.port -> 'type_bounds' as type_bounds,
      (t.port -> 'required')::boolean as is_required, (t.port -> 'passthrough')::boolean as is_handed_on
    from (select n.flow, n.index, jsonb_array_elements(n.targets) as port from node as n) as t
  ),
  drawn_source as materialized (
    select s.flow, s.index, s.port ->> 'id' as handle, s.port ->> 'name' as name, s.port ->> 'type' as type
    from (select n.flow, n.index, jsonb_array_elements(n.sources) as port from node as n) as s
  ),
  -- Look up each handle in the whole flow, as the runner does.
  handle as materialized (
    select 'target' as side, d.flow, d.handle, max(d.name) as name from drawn_target as d group by d.flow, d.handle
    union all
    select 'source', d.flow, d.handle, max(d.name) from drawn_source as d group by d.flow, d.handle
  ),
  edge as materialized (
    select g.flow, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      e.edge ->> 'targetHandle' as target_handle,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
        else e.edge ->> 'sourceHandle' end as source_handle
    from graph as g cross join lateral jsonb_array_elements(g.graph -> 'edges') as e (edge)
    -- An expression computes another value, so an edge with an expression does not pass on the input's value.
    where private.edge_expression(e.edge) is null
  ),
  -- Keep only edges over which an input's value may travel, and edges into an output of the entry.
  wired as materialized (
    select e.flow, e.side, s.index as source_index, s.is_input, s.label as source_label, s.native_id as source_id,
      s.is_defined and not s.are_outputs_drawn as is_source_defined, sh.name as source_name,
      t.index as target_index, t.native_id as target_id, t.is_defined and not t.are_inputs_drawn as is_target_defined,
      t.is_output,
      t.called, case when t.is_output then t.label else th.name end as target_name
    from edge as e
    join named as s on s.flow = e.flow and s.id = e.source
    join named as t on t.flow = e.flow and t.id = e.target
    join handle as sh on sh.flow = e.flow and sh.side = e.side and sh.handle = e.source_handle
    join handle as th on th.flow = e.flow and th.side = 'target' and th.handle = e.target_handle
    where e.side = 'target' or s.is_input or t.is_output and e.flow = 0
  ),
  label as materialized (
    select l.flow, l.name, row_number() over (order by l.flow, l.first_index)::integer as number, l.form_label
    from (
      select n.flow, n.label as name, min(n.index) as first_index,
        (
          array_agg(n.form_data -> 'form_label' order by n.index) filter (where n.form_data -> 'form_label' <> 'null')
        )[1] as form_label
      from named as n where n.is_input group by n.flow, n.label
    ) as l
  ),
  -- The targets of edges over which an input's value may travel, each once.
  fed as materialized (
    select row_number() over ()::integer as number, w.*
    from (
      select distinct on (e.flow, e.target_index, e.target_name) e.* from wired as e
      where e.side = 'target' or e.is_input
      order by e.flow, e.target_index, e.target_name
    ) as w
  ),
  first_drawn as materialized (
    select d.flow, d.index, d.name, (array_agg(d.type_bounds))[1] as type_bounds, bool_or(d.is_required) as is_required,
      bool_or(d.is_handed_on) as is_handed_on
    from drawn_target as d group by d.flow, d.index, d.name
  ),
  -- A node may have several outputs with the same name. Keep one row for each name.
  first_source as materialized (
    select d.flow, d.index, d.name, min(d.type) as type from drawn_source as d group by d.flow, d.index, d.name
  ),
  port as materialized (
    select f.number, f.flow, f.target_index as index, f.target_name as name, f.called, f.side, f.is_input,
      f.source_index, f.source_name, f.source_label,
      case when f.is_output then '["free"]' when f.is_target_defined then defined.type_bounds
        else drawn.type_bounds end as type_bounds,
      case when f.is_output then true when f.is_target_defined then defined.is_required
        else drawn.is_required end as is_required,
      case when f.is_output then false when f.is_target_defined then defined.is_handed_on
        else drawn.is_handed_on end as is_handed_on,
      case when f.is_target_defined and not f.is_output then defined.hint end as hint
    from fed as f
    left join defined_target as defined on defined.node_id = f.target_id and defined.name = f.target_name
    left join first_drawn as drawn on drawn.flow = f.flow and drawn.index = f.target_index
      and drawn.name = f.target_name
  ),
  bounds as materialized (
    select b.type_bounds, private.mask_of_bounds(b.type_bounds) as mask
      from (select distinct p.type_bounds from port as p) as b
  ),
  linked as materialized (
    select p.number,
      -- If an input of type pubkey passes its value on, the runner first converts the value to a public key. The next
      -- port gets this public key instead of the input's value, so the port has no parent.
      case when p.side = 'target' and upper.is_handed_on
        and upper.type_bounds ->> 0 is distinct from 'pubkey' then upper.number else 0 end as parent,
      case when p.side = 'source' then coalesce(l.number, 0) else 0 end as label,
      coalesce(b.mask, private.mask_of_bounds(null)) + case when p.is_required then 0 else 1 << 23 end as mask,
      coalesce(c.number, 0) as call, p.hint
    from port as p
    left join bounds as b on b.type_bounds = p.type_bounds
    left join port as upper on p.side = 'target' and upper.flow = p.flow and upper.index = p.source_index
      and upper.name = p.source_name
    left join label as l on p.side = 'source' and l.flow = p.flow and l.name = p.source_label
    left join label as c on c.flow = p.called and c.name = p.name
  ),
  hint as (
    select l.label, (array_agg(l.hint))[1] as hint from linked as l
      where l.label > 0 group by l.label having count(*) = 1
  ),
  output as (
    select n.label as name, min(n.index) as index, coalesce(min(
      case
        when w.side is null then 'free'
        when w.is_input then null
        when w.side = 'target' then coalesce(passed.type_bounds ->> 0, 'free')
        when w.is_source_defined then coalesce(defined.type, 'free')
        else coalesce(drawn.type, 'free')
      end
    ), 'free') as type, min(l.number) as label
    from named as n
    left join wired as w on w.flow = 0 and w.is_output and w.target_index = n.index
    left join defined_source as defined on defined.node_id = w.source_id and defined.name = w.source_name
    left join first_source as drawn on drawn.flow = 0 and drawn.index = w.source_index and drawn.name = w.source_name
    left join port as passed on passed.flow = 0 and passed.index = w.source_index and passed.name = w.source_name
      and w.side = 'target'
    left join label as l on w.is_input and l.flow = 0 and l.name = w.source_label
    where n.flow = 0 and n.is_output
    group by n.label
  )
  select
    (select coalesce(array_agg(l.name order by l.number) filter (where l.flow = 0), '{}') from label as l),
    (select count(*) from label as l),
    (select array_agg(l.form_label order by l.number) from label as l where l.flow = 0),
    (
      select array_agg(h.hint order by l.number) from label as l left join hint as h on h.label = l.number
        where l.flow = 0
    ),
    (select coalesce(array_agg(k.label order by k.number), '{}') from linked as k),
    (select array_agg(k.parent order by k.number) from linked as k),
    (select array_agg(k.mask order by k.number) from linked as k),
    (select array_agg(k.call order by k.number) from linked as k),
    (
      select coalesce(
        jsonb_agg(jsonb_build_object('name', o.name, 'type', o.type, 'label', o.label) order by o.index), '[]'
      ) from output as o
    )
  into v_names, v_label_count, v_defaults, v_hints, v_labels, v_parents, v_masks, v_calls, outputs;

  -- Ports may pass a value on in a chain. The loop gives each port of a chain the label of the input at the start of
  -- the chain. Each round doubles the number of ports that the loop looks back.
  while exists (select from unnest(v_labels, v_parents) as p (label, parent) where p.label = 0 and p.parent > 0) loop
    select
      array_agg(case when p.label = 0 and p.parent > 0 then v_labels[p.parent] else p.label end order by p.number),
      array_agg(case when p.label = 0 and p.parent > 0 then v_parents[p.parent] else 0 end order by p.number)
    into v_labels, v_parents
    from unnest(v_labels, v_parents) with ordinality as p (label, parent, number);
  end loop;

  v_masks := private.label_masks(v_labels, v_masks, v_calls, v_label_count);
  inputs := private.input_descriptions(v_names, v_masks, v_defaults, v_hints);
  outputs := (
    select coalesce(jsonb_agg(jsonb_build_object('name', o.output -> 'name', 'type', coalesce(
      -- If an input feeds an output directly and has exactly one type, the output has that type.
      case jsonb_array_length(describe_snapshot.inputs -> (o.output ->> 'label')::integer - 1 -> 'type_bounds')
        when 1 then describe_snapshot.inputs -> (o.output ->> 'label')::integer - 1 #>> '{type_bounds,0}'
      end, o.output ->> 'type'
    )) order by o.position), '[]')
    from jsonb_array_elements(outputs) with ordinality as o (output, position)
  );
end;
$$;
comment on function private.describe_snapshot(jsonb) is
  'The inputs and outputs of a snapshot: inputs as in private.input_descriptions(), and outputs, {name, type} each.';

-- sql/350_flows/93_flow_snapshot_interfaces.sql

create table private.flow_snapshot_interfaces (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  inputs jsonb not null,
  outputs jsonb not null,
  uses_solana boolean not null,
  node_count integer not null
);
comment on table private.flow_snapshot_interfaces is
  'The inputs, outputs and a summary of each snapshot. The first read of a deployment computes and stores them, because a deploy that computes them would be too slow. After each deploy, the Edge Function named flow makes this first read.';
comment on column private.flow_snapshot_interfaces.nodes_version is
  'The version of the node definitions, from private.native_nodes, by which inputs and outputs were computed. If the present version is newer, they are computed again.';
comment on column private.flow_snapshot_interfaces.inputs is 'The inputs as in private.input_descriptions().';
comment on column private.flow_snapshot_interfaces.outputs is 'The outputs, {name, type} each.';
comment on column private.flow_snapshot_interfaces.uses_solana is 'True if the snapshot has Solana nodes.';
comment on column private.flow_snapshot_interfaces.node_count is
  'The number of nodes of the entry that a run executes: all but notes and mocks.';

create function private.uses_solana(data jsonb)
returns boolean
language sql stable security invoker
set search_path = ''
as $$
  select exists (
    select from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.data -> 'tags' ? 'solana' and d.node_id = any (array(
        select distinct n.node #>> '{data,node_id}'
        from (
          select uses_solana.data -> 'entry' as graph
          union all
          select f.value from jsonb_each(uses_solana.data -> 'flows') as f
        ) as g
        cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
        where n.node #>> '{data,type}' = 'native'
      ))
  );
$$;
comment on function private.uses_solana(jsonb) is
  'True if a graph of the snapshot has a native node whose published definition has the tag solana.';

create function private.snapshot_interface(hash bytea)
returns private.flow_snapshot_interfaces
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_interface private.flow_snapshot_interfaces;
begin
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- One transaction computes the interface, and the others wait for its result. If all transactions computed it in
  -- parallel, each would be slower, and perhaps none would finish within its time limit. The computation may already
  -- use node definitions that are added meanwhile. So the result may be newer than v_version, but never older.
  perform pg_advisory_xact_lock(hashtextextended(format('private.snapshot_interface %s', snapshot_interface.hash), 0));
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- The lock keeps the sweep from deleting the snapshot before the interface is stored.
  select s.hash, v_version, d.inputs, d.outputs, private.uses_solana(s.data), (
    select count(*) from jsonb_array_elements(s.data #> '{entry,nodes}') as n (node)
    where n.node #>> '{data,type}' <> 'mock' and n.node #>> '{data,node_id}' <> 'note'
  ) into v_interface
  from (
    select f.hash, f.data from private.flow_snapshots as f where f.hash = snapshot_interface.hash for key share
  ) as s
  cross join lateral private.describe_snapshot(s.data) as d;
  if found then
    insert into private.flow_snapshot_interfaces as i
      (snapshot_hash, nodes_version, inputs, outputs, uses_solana, node_count)
    values (
      v_interface.snapshot_hash, v_interface.nodes_version, v_interface.inputs, v_interface.outputs,
      v_interface.uses_solana, v_interface.node_count
    )
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, inputs = excluded.inputs, outputs = excluded.outputs,
      uses_solana = excluded.uses_solana, node_count = excluded.node_count;
  end if;
  return v_interface;
end;
$$;
comment on function private.snapshot_interface(bytea) is
  'The inputs and outputs of a snapshot, computed by the present node definitions. Null if the snapshot has been deleted. Callers must check the permission. Definer, because no API role may access snapshots.';

-- sql/400_deployments/10_setting_faults.sql

-- The functions named *_faults list the faults of a deployment's setting as [{path, message}]; [] for a valid setting.
-- Their messages are clearer than the error of a check constraint. CONTRIBUTING.md, "A new deployment setting", lists
-- all files to change for a new setting.

create function private.refuse_setting(name text, message text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.refuse_faults(refuse_setting.name || '_invalid', jsonb_build_array(
    jsonb_build_object('path', refuse_setting.name, 'message', refuse_setting.message)
  ));
end;
$$;
comment on function private.refuse_setting(text, text) is 'Refuses a deployment''s setting: 400 <name>_invalid.';

create function private.check_setting_json(name text, value jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure := private.measure_json(check_setting_json.value, private.limit_setting_bytes());
begin
  if v_measure.fault is not null then
    perform private.refuse_faults(check_setting_json.name || '_invalid', jsonb_build_array(
      jsonb_build_object('path', check_setting_json.name || v_measure.path, 'message', v_measure.message)
    ));
  end if;
end;
$$;
comment on function private.check_setting_json(text, jsonb) is
  'Refuses a setting whose JSON text is too long, is nested too deeply or contains a number with too many digits: 400 <name>_invalid. Runs before the *_faults functions.';

create function private.lamports(amount jsonb)
returns numeric
language plpgsql immutable strict security invoker
set search_path = ''
as $$
declare
  v_text text := lamports.amount #>> '{}';
  v_number numeric;
begin
  if jsonb_typeof(lamports.amount) = 'number' or jsonb_typeof(lamports.amount) = 'string'
    and v_text ~ '^[0-9]{1,20}$' then
    v_number := v_text::numeric;
  end if;
  -- trunc drops the zeros of a fraction: 1.0 becomes 1.
  return case when v_number = trunc(v_number) and v_number between 0 and 18446744073709551615 then trunc(v_number) end;
end;
$$;
comment on function private.lamports(jsonb) is
  'The integer from 0 to 2^64-1 in a JSON number or in a JSON string of digits; null for any other JSON.';

create function private.is_fees(value jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(is_fees.value) <> 'array' then false
    else not exists (
      select
      from jsonb_array_elements(is_fees.value) as fee
      where case
        when jsonb_typeof(fee) <> 'array' or jsonb_array_length(fee) <> 2 then true
        when jsonb_typeof(fee -> 0) <> 'string' or not private.is_public_key(fee ->> 0) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
end;
$$;
comment on function private.is_fees(jsonb) is
  'Whether the value is a list of [address, amount] pairs: a base58 public key and an integer of lamports from 0 to 2^64-1.';
grant execute on function private.is_fees(jsonb) to authenticated, service_role;

create function private.is_icon_url(value text)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  return length(is_icon_url.value) <= private.limit_url_characters()
    and is_icon_url.value ~ '^https://[^[:space:][:cntrl:]/?#@"<>\\^`{|}]+([/?#][^[:space:][:cntrl:]"<>\\^`{|}]*)?$';
end;
$$;
comment on function private.is_icon_url(text) is
  'Whether the text is an https address of at most limit_url_characters() characters, without a user name and without characters that need escaping.';
grant execute on function private.is_icon_url(text) to authenticated, service_role;

create function private.fees_faults(fees jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "must be a list of [address, amount] pairs"}]';
  end if;
  -- A transaction has 1,232 bytes. Its fixed part takes 168 bytes, and each transfer takes 17 bytes, so a transaction
  -- has room for 62 transfers.
  if jsonb_array_length(fees_faults.fees) > private.limit_fees() then
    return jsonb_build_array(jsonb_build_object('path', 'fees', 'message', format(
      'must have at most %s pairs: no transaction has room for more', private.limit_fees()
    )));
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path
      from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'must be a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'must be a pair [address, amount]');
      continue;
    end if;
    if jsonb_typeof(v_fee.pair -> 0) <> 'string' or not private.is_public_key(v_fee.pair ->> 0) then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[0]', 'message', 'must be an address, base58 of 32 bytes'
      );
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'must be lamports: an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$$;
comment on function private.fees_faults(jsonb) is 'The faults of a deployment''s fees.';

create function private.chain_network_faults(chain_network jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "must be an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(
      jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]'
    )
    from (
      select 'url', format('must be an http or https address of at most %s characters', private.limit_url_characters())
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'must be devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are url and cluster'
        from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
        where m.name not in ('url', 'cluster') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.chain_network_faults(jsonb) is
  'The faults of a deployment''s chain_network, by member.';

create function private.on_end_faults(on_end jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_events constant jsonb := '["succeeded", "failed", "stopped", "signature_request"]';
begin
  if jsonb_typeof(on_end_faults.on_end) is distinct from 'object' then
    return '[{"path": "on_end", "message": "must be an object {url, events}, or null"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'on_end.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', format('must be an http or https address of at most %s characters', private.limit_url_characters())
      where not coalesce(
        jsonb_typeof(on_end_faults.on_end -> 'url') = 'string'
          and length(on_end_faults.on_end ->> 'url') <= private.limit_url_characters()
          and on_end_faults.on_end ->> 'url' ~ '^https?://[^[:space:][:cntrl:]/?#"<>\\^`{|}]+([/?#][^[:space:][:cntrl:]"<>\\^`{|}]*)?$',
        false
      )
      union all
      select 'events',
        'must be a list of one or more of succeeded, failed, stopped and signature_request, each at most once'
      where case
        when jsonb_typeof(on_end_faults.on_end -> 'events') is distinct from 'array' then true
        when jsonb_array_length(on_end_faults.on_end -> 'events') not between 1 and 4 then true
        else not v_events @> (on_end_faults.on_end -> 'events')
          or (
            select count(distinct e.event) < count(*)
              from jsonb_array_elements(on_end_faults.on_end -> 'events') as e (event)
          )
      end
      union all
      (
        select private.shorten(m.name), 'there is no such member; the members are url and events'
        from jsonb_object_keys(on_end_faults.on_end) as m (name)
        where m.name not in ('url', 'events') limit private.limit_listed_faults()
      )
    ) as fault (member, message)
  );
end;
$$;
comment on function private.on_end_faults(jsonb) is
  'The faults of a deployment''s on_end, by member.';
grant execute on function private.on_end_faults(jsonb) to authenticated, service_role;

-- sql/400_deployments/20_flow_deployments.sql

-- Each setting of a deployment is a column of this table. CONTRIBUTING.md, "A new deployment setting", lists the other
-- files to change for a new setting.

create table public.flow_deployments (
  id uuid primary key,
  created_at timestamptz not null,
  user_id uuid not null references auth.users (id) on delete cascade,
  entrypoint integer not null,
  snapshot_hash bytea not null references private.flow_snapshots (hash),
  input_names text[] not null default '{}',
  name text not null default '',
  description text not null default '',
  icon_url text,
  start_permission text not null default 'Owner',
  output_instructions boolean not null default false,
  action_identity text,
  fees jsonb not null default '[]',
  chain_network jsonb not null,
  max_starts_per_minute integer,
  max_runs_in_flight integer,
  on_end jsonb,
  constraint flow_deployments_entrypoint_fkey foreign key (entrypoint, user_id) references public.flows (id, user_id)
    on delete cascade,
  constraint flow_deployments_id_entrypoint_user_id_key unique (id, entrypoint, user_id),
  constraint flow_deployments_name_length check (char_length(name) <= private.limit_name_characters()),
  constraint flow_deployments_description_length
    check (char_length(description) <= private.limit_description_characters()),
  constraint flow_deployments_icon_url_https check (private.is_icon_url(icon_url)),
  constraint flow_deployments_start_permission_known check (
    start_permission in ('Owner', 'Authenticated', 'Anonymous')
  ),
  constraint flow_deployments_action_identity_public_key check (private.is_public_key(action_identity)),
  constraint flow_deployments_fees_valid check (private.is_fees(fees)),
  constraint flow_deployments_chain_network_valid check (private.is_chain_network(chain_network)),
  constraint flow_deployments_max_starts_per_minute_natural check (max_starts_per_minute >= 0),
  constraint flow_deployments_max_runs_in_flight_natural check (max_runs_in_flight >= 0),
  constraint flow_deployments_on_end_valid check (on_end is null or private.on_end_faults(on_end) = '[]')
);
comment on table public.flow_deployments is
  'Frozen flows. id, created_at, user_id, entrypoint, snapshot_hash and input_names never change; the owner may change the other columns.';
comment on column public.flow_deployments.id is
  'UUID version 7. A newer deployment of a flow has a greater id than an older one.';
comment on column public.flow_deployments.created_at is 'The time contained in the id.';
comment on column public.flow_deployments.entrypoint is 'The flow that was deployed.';
comment on column public.flow_deployments.snapshot_hash is
  'The hash of the frozen graph. Deployments with the same hash run the same graph.';
comment on column public.flow_deployments.input_names is
  'The names of the frozen flow''s inputs. A start with any other input name is refused. The names are stored here, so that a start needs to read only this row and not the snapshot.';
comment on column public.flow_deployments.name is
  'The name shown to people who may start the deployment. Initially the flow''s name at the deploy.';
comment on column public.flow_deployments.description is
  'The description shown to people who may start the deployment. Initially the beginning of the flow''s description at the deploy.';
comment on column public.flow_deployments.icon_url is 'The https address of the deployment''s icon.';
comment on column public.flow_deployments.start_permission is
  'The callers who may start the deployment. Owner: its owner. Authenticated: every user who has signed up; an anonymous sign-in is not enough. Anonymous: anybody who sends a public key.';
comment on column public.flow_deployments.output_instructions is
  'Whether runs output the transaction instead of sending it.';
comment on column public.flow_deployments.action_identity is
  'The public key of the owner''s wallet that is the action identity: it signs a memo in each action transaction, so that the run can find this transaction. Null: no action identity.';
comment on column public.flow_deployments.fees is
  'List of [address, lamports] pairs. A run adds these transfers to each of its transactions, until a transaction with them is confirmed.';
comment on column public.flow_deployments.chain_network is
  'The Solana network of the deployment''s runs: {url, cluster}.';
comment on column public.flow_deployments.max_starts_per_minute is
  'The most starts in one calendar minute, counted over all callers except the owner. 0 allows no start; null stands for the default of private.start_limits. The owner is not limited.';
comment on column public.flow_deployments.max_runs_in_flight is
  'The most runs that may be under way at the same time, counted over all callers except the owner. 0 allows no run; null stands for the default of private.start_limits. The owner is not limited.';
comment on column public.flow_deployments.on_end is
  'The outgoing webhook of the runs, {url, events}; the events are succeeded, failed, stopped and signature_request. Null: no webhook. A run keeps the value that was set when it started.';

create index flow_deployments_entrypoint_id_idx on public.flow_deployments (entrypoint, user_id, id desc);
create index flow_deployments_user_id_idx on public.flow_deployments (user_id);
create index flow_deployments_snapshot_hash_idx on public.flow_deployments (snapshot_hash);

alter table public.flow_deployments enable row level security;
create policy flow_deployments_select_owner on public.flow_deployments for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_deployments_update_owner on public.flow_deployments for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_deployments_delete_owner on public.flow_deployments for delete to authenticated
  using (user_id = (select auth.uid()));

-- There is no grant to insert, because only private.deploy_flow() may insert deployments, after it has frozen the flow.
grant select, update, delete on public.flow_deployments to authenticated;
grant select, update, delete on public.flow_deployments to service_role;

create function private.tg_flow_deployments__before_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- With this lock, deploys of the same flow wait for each other. A start only reads the flow, so it does not wait for
  -- the lock.
  perform from public.flows as f where f.id = new.entrypoint for no key update;
  new.id := private.uuid_v7_after((
    select d.id from public.flow_deployments as d
    where d.entrypoint = new.entrypoint and d.user_id = new.user_id
    order by d.id desc limit 1
  ));
  new.created_at := private.uuid_v7_time(new.id);
  new.input_names := private.input_names(
    (select s.data #> '{entry,nodes}' from private.flow_snapshots as s where s.hash = new.snapshot_hash)
  );
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_insert() is
  'Locks the flow. Gives the deployment its input names, and an id that is greater than the ids of the flow''s other deployments. Definer, because it must see the snapshot and all deployments of the flow.';
create trigger _100_assign_id before insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_insert();

create trigger _800_check_quota after insert on public.flow_deployments
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('deployments', 'deployment_bytes');

create function private.tg_flow_deployments__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (new.id, new.created_at, new.user_id, new.entrypoint, new.snapshot_hash, new.input_names)
    is distinct from (old.id, old.created_at, old.user_id, old.entrypoint, old.snapshot_hash, old.input_names)
  then
    perform private.fail('column_read_only',
      'id, created_at, user_id, entrypoint, snapshot_hash and input_names of a deployment can''t be changed.',
      hint => 'Deploy the flow again for a new deployment.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_deployments__before_update() is
  'Refuses changes of a deployment''s read-only columns.';
create trigger _100_refuse_read_only before update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_update();

create function private.tg_flow_deployments__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
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

  if new.on_end is distinct from old.on_end and new.on_end is not null then
    perform private.refuse_faults('on_end_invalid', private.on_end_faults(new.on_end));
  end if;

  if tg_op = 'INSERT' then
    -- Keep only url and cluster: the chain_network of a flow may have more members.
    new.chain_network := jsonb_build_object(
      'url', new.chain_network -> 'url', 'cluster', new.chain_network -> 'cluster'
    );
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
$$;
comment on function private.tg_flow_deployments__before_write() is
  'Refuses invalid settings with an error that names the fault, and stores the amounts of fees as integers. Definer, so that it locks the owner''s wallet whatever rights the writer has.';
create trigger _200_check_settings before insert or update on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_write();

-- sql/400_deployments/22_flow_deployment_connections.sql

create table private.flow_deployment_connections (
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  name text,
  connection_id uuid not null references public.connections (id) on delete cascade,
  constraint flow_deployment_connections_pkey primary key (deployment_id, name)
);
comment on table private.flow_deployment_connections is
  'The connections that a deployment''s nodes name. They are not part of the snapshot, because different owners may share a snapshot. If a name has no row, the owner had no connection with this name at the deploy, or has deleted it since. Nodes that name it then fail.';
create index flow_deployment_connections_connection_id_idx
  on private.flow_deployment_connections (connection_id);

-- sql/400_deployments/25_start_limits.sql

create type private.limits_of_starts as (max_starts_per_minute integer, max_runs_in_flight integer);
comment on type private.limits_of_starts is 'The limits of a deployment''s starts. Neither field is null.';

create function private.start_limits(deployment public.flow_deployments)
returns private.limits_of_starts
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_open constant boolean := start_limits.deployment.start_permission = 'Anonymous';
begin
  return (
    coalesce(start_limits.deployment.max_starts_per_minute,
      case when v_is_open then private.limit_open_starts_per_minute() else private.limit_starts_per_minute() end),
    coalesce(start_limits.deployment.max_runs_in_flight,
      case when v_is_open then private.limit_open_runs_in_flight() else private.limit_runs_in_flight() end)
  );
end;
$$;
comment on function private.start_limits(public.flow_deployments) is
  'The limits of starts that apply to a deployment: the values that its owner has set, or the defaults for its start_permission. The defaults of an Anonymous deployment are low, because anybody may start it without an account.';

create function private.share_of_limit(share text, value integer)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case share_of_limit.share
    when 'all' then share_of_limit.value
    when 'guests' then (share_of_limit.value::bigint + 1) / 2
    else (share_of_limit.value::bigint + 9) / 10
  end;
end;
$$;
comment on function private.share_of_limit(text, integer) is
  'The part of a deployment''s limit that the callers in `share` may use. `all` is all callers together: the whole limit. `guests` is all callers who have not signed up: a half. Any other share is a single caller: a tenth. The result is rounded up, so that a limit above 0 gives at least 1.';

-- If anybody may start the deployment, returns the member `limits` of a deploy's answer: {limits:
-- {max_starts_per_minute, max_runs_in_flight, guests}}. `guests` has the two limits that apply to all callers together
-- who have not signed up. Returns {} for other deployments.
create function private.describe_start_limits(deployment public.flow_deployments)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_limits constant private.limits_of_starts := private.start_limits(describe_start_limits.deployment);
begin
  if describe_start_limits.deployment.start_permission <> 'Anonymous' then
    return '{}';
  end if;
  return jsonb_build_object('limits', to_jsonb(v_limits) || jsonb_build_object('guests', jsonb_build_object(
    'max_starts_per_minute', private.share_of_limit('guests', v_limits.max_starts_per_minute),
    'max_runs_in_flight', private.share_of_limit('guests', v_limits.max_runs_in_flight)
  )));
end;
$$;
comment on function private.describe_start_limits(public.flow_deployments) is
  'The limits that deploy_flow reports for a deployment that anybody may start, {limits: {max_starts_per_minute, max_runs_in_flight, guests}}; {} for others.';

-- sql/400_deployments/27_run_settings.sql

-- Only this function lists the settings that a run takes from its deployment. private.flow_run_jobs stores the result.
-- A runner that claims a run gets the whole result, a redrive on the same deployment copies it, and a called run uses
-- the result of its root run. So a new setting of runs needs only one more member here. start_flow passes a deployment
-- that is not stored and has null in most columns, so each member needs a default here.
create function private.run_settings(deployment public.flow_deployments)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
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
  );
end;
$$;
comment on function private.run_settings(public.flow_deployments) is
  'The settings of the runs of a deployment: {output_instructions, action_identity, fees, chain_network, on_end, connections}. chain_network contains the RPC address, which may contain a secret.';

-- sql/400_deployments/30_flow_deployments_tags.sql

create table public.flow_deployments_tags (
  user_id uuid not null default auth.uid(),
  entrypoint integer not null,
  tag text not null,
  deployment_id uuid not null,
  description text,
  primary key (entrypoint, tag),
  constraint flow_deployments_tags_entrypoint_fkey foreign key (entrypoint, user_id)
    references public.flows (id, user_id) on delete cascade,
  constraint flow_deployments_tags_deployment_id_fkey foreign key (deployment_id, entrypoint, user_id)
    references public.flow_deployments (id, entrypoint, user_id) on delete cascade,
  constraint flow_deployments_tags_tag_form check (private.check_tag(tag)),
  constraint flow_deployments_tags_description_length check (
    description is null or char_length(description) <= private.limit_description_characters()
    or private.refuse_column(
      'description', format('must have at most %s characters', private.limit_description_characters())
    )
  )
);
comment on table public.flow_deployments_tags is
  'Names for a flow''s deployments. Triggers keep latest on the newest deployment; the owner manages the other tags.';
comment on column public.flow_deployments_tags.entrypoint is
  'The flow. Each tag names exactly one deployment of its flow.';
comment on column public.flow_deployments_tags.description is
  'The owner''s description of the tag, for people to read. It is null until the owner writes one, also for the tag latest.';
comment on column public.flow_deployments_tags.tag is
  'Letters, digits, dots, underscores and hyphens; the first is a letter or digit.';

create index flow_deployments_tags_deployment_id_idx
  on public.flow_deployments_tags (deployment_id, entrypoint, user_id);
create index flow_deployments_tags_user_id_idx on public.flow_deployments_tags (user_id);
create index flow_deployments_tags_entrypoint_user_id_idx on public.flow_deployments_tags (entrypoint, user_id);

-- These policies let the flow's owner make, move, describe and delete tags. The tag latest is an exception: only
-- the triggers of 40_latest.sql move it.
alter table public.flow_deployments_tags enable row level security;
create policy flow_deployments_tags_select_owner on public.flow_deployments_tags for select to authenticated
  using (user_id = (select auth.uid()));
-- This policy checks the owner of the flow. Otherwise, violations of the primary key would reveal the tags of other
-- users' flows.
create policy flow_deployments_tags_insert_owner on public.flow_deployments_tags for insert to authenticated
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_update_owner on public.flow_deployments_tags for update to authenticated
  using (user_id = (select auth.uid()))
  with check (
    user_id = (select auth.uid())
    and exists (select from public.flows as f where f.id = entrypoint and f.user_id = (select auth.uid()))
  );
create policy flow_deployments_tags_delete_owner on public.flow_deployments_tags for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, insert, update, delete on public.flow_deployments_tags to authenticated;
grant select, insert, update, delete on public.flow_deployments_tags to service_role;

create trigger _800_check_quota after insert on public.flow_deployments_tags
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('tags');

-- sql/400_deployments/32_tagged_connections.sql

create function private.tg_flow_deployments_tags__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from private.flow_deployment_connections as m
  join public.connections as c on c.id = m.connection_id
  where m.deployment_id = new.deployment_id
  order by c.name
  for key share of c;
  return null;
end;
$$;
comment on function private.tg_flow_deployments_tags__after_write() is
  'Locks the connections of a deployment that gets a tag. If another transaction deletes one of these connections meanwhile, it waits for the lock, then finds the tag and is refused. Definer, because users may not lock connections.';
create trigger _900_lock_connections after insert or update of deployment_id on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__after_write();

-- sql/400_deployments/40_latest.sql

-- Moves the tag latest. A deploy moves the tag to the new deployment. If the newest deployment is deleted, the tag
-- moves back to the newest of the other deployments. Users can't move or delete the tag.

create function private.tg_flow_deployments__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.flow_deployments_tags as t (user_id, entrypoint, tag, deployment_id)
  values (new.user_id, new.entrypoint, 'latest', new.id)
  on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id
  where t.deployment_id < excluded.deployment_id;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_insert() is
  'Moves the tag latest to the new deployment and keeps the tag''s description. Definer, so that the tag moves whatever rights the writer has.';
create trigger _100_move_latest after insert on public.flow_deployments
  for each row execute function private.tg_flow_deployments__after_insert();

create function private.tg_flow_deployments__before_delete_statement()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform from auth.users as u where u.id = (select auth.uid()) for key share;
  return null;
end;
$$;
comment on function private.tg_flow_deployments__before_delete_statement() is
  'Locks the user who deletes deployments, so that nobody can delete this user before the transaction ends. Without this lock, the deletion of the user could lock the same deployments in another order and cause a deadlock. Definer, because no API role may lock rows of auth.users.';
create trigger _100_hold_user before delete on public.flow_deployments
  for each statement execute function private.tg_flow_deployments__before_delete_statement();

create function private.tg_flow_deployments__before_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_previous uuid;
begin
  -- If the flow is gone, its owner is being deleted: the cascade has deleted the flow and will delete the tags next.
  -- Moving a tag now would break the tag's foreign key.
  if not exists (select from public.flows as f where f.id = old.entrypoint and f.user_id = old.user_id) then
    return old;
  end if;
  -- This trigger must not lock the flow. A transaction that deletes the flow or its owner locks first the flow, then
  -- this deployment. The trigger has already locked the deployment, so a lock of the flow could cause a deadlock.
  -- Instead, deletions and deploys wait for each other at the lock of the tag's row. After the wait, a transaction sees
  -- to which deployment the other transaction has moved the tag. The trigger must run before the foreign key deletes
  -- the tags that still name this deployment, so it can't be an AFTER trigger.
  select d.id into v_previous
  from public.flow_deployments as d
  where d.entrypoint = old.entrypoint and d.user_id = old.user_id and d.id <> old.id
  order by d.id desc limit 1
  -- Skip a deployment that another transaction is deleting. That transaction may be waiting for this deployment or for
  -- the tag, so waiting for it could cause a deadlock.
  for key share skip locked;
  if v_previous is not null then
    update public.flow_deployments_tags as t set deployment_id = v_previous
    where t.entrypoint = old.entrypoint and t.tag = 'latest' and t.deployment_id = old.id;
  end if;
  return old;
end;
$$;
comment on function private.tg_flow_deployments__before_delete() is
  'Moves the tag latest to the newest other deployment of the flow, but skips deployments that other transactions are deleting. Definer, so that the tag moves whatever rights the writer has.';
create trigger _100_move_latest_back before delete on public.flow_deployments
  for each row execute function private.tg_flow_deployments__before_delete();

create function private.refuse_latest()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('tag_latest_protected',
    'The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.',
    hint => 'Use a tag of your own. You may change the description of latest.');
end;
$$;
comment on function private.refuse_latest() is 'Refuses a change of the tag latest: 409 tag_latest_protected.';
grant execute on function private.refuse_latest() to authenticated, service_role;

create function private.tg_flow_deployments_tags__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- At a trigger depth of 2 or more, the write comes from a trigger or a foreign key of deployments, not from a client.
  -- Such a write may move the tag latest.
  if pg_trigger_depth() > 1 then
    return coalesce(new, old);
  end if;
  case tg_op
    when 'INSERT' then
      -- A client may change the description of the tag latest by an upsert. Postgres runs this insert branch first for
      -- an upsert, so the branch accepts a row with the deployment that the tag already names.
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
$$;
comment on function private.tg_flow_deployments_tags__before_write() is
  'Refuses to set, move or delete the tag latest, also for the service role.';
create trigger _100_protect_latest before insert or update or delete on public.flow_deployments_tags
  for each row execute function private.tg_flow_deployments_tags__before_write();

-- sql/400_deployments/45_flow_deployment_canvases.sql

create table private.flow_deployment_canvases (
  deployment_id uuid primary key references public.flow_deployments (id) on delete cascade,
  canvas text not null,
  flow_hash bytea not null
);
comment on table private.flow_deployment_canvases is
  'The positions of the nodes in the editor when the flow was deployed, for all flows of a deployment. They are not part of the snapshot, so moving a node does not change the snapshot. They are stored as text, because a conversion to jsonb would make deploys too slow.';
comment on column private.flow_deployment_canvases.canvas is
  '{"<flow id>": positions}: the positions from private.canvas_text(), in the order of the nodes in the snapshot.';
comment on column private.flow_deployment_canvases.flow_hash is
  'private.flow_version_hash() of the deployed flow. The version of the flow with this hash is the deployed version.';

-- sql/400_deployments/48_read_flow_scripts.sql

-- The database can't parse scripts and JSON Schemas. So before the deploy route deploys a flow, it reads and parses the
-- flow's scripts and the schemas of its api_input nodes. If a flow changes meanwhile, the route reads its scripts
-- again.

create function private.flow_scripts(nodes jsonb, edges jsonb)
returns table (index integer, node_id text, language text, inputs jsonb, source text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- The nodes are not checked yet, so this query uses only operators that accept any JSON.
  return query
  with script as materialized (
    select (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data -> 'targets' as targets,
      case d.data ->> 'node_id' when 'javascript' then 'javascript' when 'api_input' then 'json_schema' else 'rhai' end
        as language,
      case
        when d.data ->> 'node_id' = 'api_input'
          then nullif(d.data #> '{targets_form,form_data,json_schema}', 'null')::text
        when jsonb_typeof(d.data #> '{targets_form,form_data,source}') = 'string'
          then d.data #>> '{targets_form,form_data,source}'
      end as source,
      case d.data ->> 'node_id'
        when 'api_input' then false
        when 'javascript' then jsonb_typeof(d.data #> '{targets_form,form_data,source}') is distinct from 'string'
        else d.data #> '{targets_form,form_data,source}' is null end as is_missing
    from jsonb_array_elements(flow_scripts.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' = 'native'
      and (private.is_script(d.data ->> 'node_id') or d.data ->> 'node_id' = 'api_input')
  ),
  fed as materialized (
    select s.index
    from script as s
    join jsonb_array_elements(flow_scripts.edges) as e (edge) on e.edge ->> 'target' = s.id
    -- A javascript node never takes its script from an input.
    where s.language <> 'javascript'
      and s.targets @> jsonb_build_array(jsonb_build_object('id', e.edge -> 'targetHandle',
        'name', case s.language when 'json_schema' then 'json_schema' else 'source' end))
  )
  select all_scripts.* from (
    select s.index, s.id, s.language,
      case s.language
        when 'javascript' then jsonb_path_query_array(s.targets, '$[*].name ? (@.type() == "string")')
        else '[]' end as inputs,
      s.source
    from script as s
    where (s.source is not null or s.is_missing) and s.index not in (select f.index from fed as f)
    union all
    -- For an expression, index is the index of the edge, and node_id is the target of the edge.
    select (e.position - 1)::integer, e.edge ->> 'target', 'jsonata', '[]', private.edge_expression(e.edge)
    from jsonb_array_elements(flow_scripts.edges) with ordinality as e (edge, position)
    where private.edge_expression(e.edge) is not null
  ) as all_scripts (index, node_id, language, inputs, source)
  order by all_scripts.language = 'jsonata', all_scripts.index;
end;
$$;
comment on function private.flow_scripts(jsonb, jsonb) is
  'First the scripts in the form data of a graph''s nodes, and the JSON Schemas of its api_input nodes (language json_schema), in the order of the nodes. Then the expressions of its edges (language jsonata), in the order of the edges. If a node has no script, source is null.';

create function private.read_flow_scripts(flow_id integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_max_flows constant integer := 1000;
  v_max_scripts constant integer := 500;
  v_max_characters constant integer := 262144;
  v_max_script_characters constant integer := 65536;
  v_user_id constant uuid := private.require_user();
  v_reached integer[] := array[read_flow_scripts.flow_id];
  v_position integer := 1;
  v_flow record;
  v_read record;
  v_as_of jsonb := '{}';
  v_scripts jsonb := '[]';
  v_characters bigint := 0;
  v_left_out bigint := 0;
begin
  while v_position <= least(cardinality(v_reached), v_max_flows) loop
    select f.id, f.nodes || '[]' as nodes, f.edges || '[]' as edges, f.updated_at into v_flow
    from public.flows as f where f.id = v_reached[v_position] and f.user_id = v_user_id;
    if found then
      v_as_of := v_as_of || jsonb_build_object(v_flow.id, v_flow.updated_at);
      select
        coalesce(jsonb_agg(jsonb_build_object('flow_id', v_flow.id, 'index', s.index, 'node_id', s.node_id, 'language',
          s.language, 'inputs', s.inputs, 'source', s.source) order by s.place)
          filter (where s.fits), '[]') as scripts,
        coalesce(sum(length(s.source)) filter (where s.fits), 0) as characters,
        count(*) filter (where not s.fits) as left_out
      into v_read
      from (
        select s.*, coalesce(length(s.source), 0) <= v_max_script_characters
          and v_characters + coalesce(sum(length(s.source)) over (order by s.place), 0) <= v_max_characters
          and jsonb_array_length(v_scripts) + s.place <= v_max_scripts as fits
        from private.flow_scripts(v_flow.nodes, v_flow.edges) with ordinality
          as s (index, node_id, language, inputs, source, place)
      ) as s;
      v_scripts := v_scripts || v_read.scripts;
      v_characters := v_characters + v_read.characters;
      v_left_out := v_left_out + v_read.left_out;
      v_reached := v_reached || array(
        select distinct r.id from private.interflow_references(v_flow.nodes) as r
          where r.id is not null and r.id <> all (v_reached)
      );
    elsif v_position = 1 then
      perform private.fail('flow_not_found', 'There is no such flow.');
    end if;
    v_position := v_position + 1;
  end loop;
  return jsonb_build_object(
    'as_of', v_as_of, 'scripts', v_scripts, 'scripts_left_out', v_left_out,
    'flows_left_out', greatest(cardinality(v_reached) - v_max_flows, 0)
  );
end;
$$;
comment on function private.read_flow_scripts(integer) is
  'Implements public.read_flow_scripts. Definer, because no API role may call private.require_user().';
grant execute on function private.read_flow_scripts(integer) to anon, authenticated, service_role;

-- Returns {as_of, scripts, scripts_left_out, flows_left_out} for a flow of the caller and the flows that it calls.
-- Reads at most 1,000 flows, and from these at most 500 scripts: at most 65,536 characters each, and 262,144 characters
-- in total. The other flows and scripts are only counted, in flows_left_out and scripts_left_out. as_of holds the time
-- of the last change of each flow; pass as_of to deploy_flow.
create function public.read_flow_scripts(flow_id integer)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.read_flow_scripts(flow_id);
end;
$$;
comment on function public.read_flow_scripts(integer) is
  'The scripts of the caller''s flow and of the flows that it calls, {as_of, scripts, scripts_left_out, flows_left_out}. Pass as_of, the times of the flows'' last changes, to deploy_flow. 401; 404 flow_not_found, also for another user''s flow.';
grant execute on function public.read_flow_scripts(integer) to anon, authenticated, service_role;

create function private.flows_are_as_of(user_id uuid, as_of jsonb)
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return not exists (
    select
    from jsonb_each(case jsonb_typeof(flows_are_as_of.as_of) when 'object' then flows_are_as_of.as_of end) as c
    left join public.flows as f on f.id = private.integer_or_null(c.key) and f.user_id = flows_are_as_of.user_id
    where to_jsonb(f.updated_at) is distinct from c.value
  );
end;
$$;
comment on function private.flows_are_as_of(uuid, jsonb) is
  '`as_of` is {"<flow id>": updated_at}. True if each of these flows of the user still has the given updated_at, or if as_of is null.';

-- sql/400_deployments/50_deploy_flow.sql

create function private.deploy_flow(flow_id integer, strict boolean, as_of jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_frozen record;
  v_warnings jsonb;
  v_hash bytea;
  v_deployment public.flow_deployments;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;

  v_frozen := private.freeze_flow(v_flow, true);
  -- Compare the times after freezing: a flow that is unchanged now was also unchanged when it was frozen.
  if not private.flows_are_as_of(v_user_id, deploy_flow.as_of) then
    perform private.fail('flow_changed', 'The flow, or a flow that it calls, was changed during the deploy.',
      hint => 'Deploy the flow again.');
  end if;
  v_warnings := private.snapshot_warnings(v_frozen.snapshot_hash, v_flow, deploy_flow.strict);
  insert into public.flow_deployments (
    user_id, entrypoint, snapshot_hash, name, description, start_permission, chain_network
  )
  values (
    v_user_id, v_flow.id, v_frozen.snapshot_hash, v_flow.name,
    left(v_flow.description, private.limit_description_characters()),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning * into v_deployment;
  v_hash := private.flow_version_hash(
    v_flow.nodes, v_flow.edges, v_flow.environment, v_flow.chain_network, v_flow.instructions_bundling
  );
  insert into private.flow_deployment_canvases (deployment_id, canvas, flow_hash)
  values (v_deployment.id, v_frozen.canvas, v_hash);
  perform private.store_deployed_version(v_flow.id, v_hash);
  insert into private.flow_deployment_connections (deployment_id, name, connection_id)
  select v_deployment.id, c.key, c.value::uuid
  from jsonb_each_text(private.snapshot_connections(v_frozen.snapshot_hash, v_user_id)) as c;
  return jsonb_build_object('deployment_id', v_deployment.id, 'warnings', v_warnings)
    || private.describe_start_limits(v_deployment);
end;
$$;
comment on function private.deploy_flow(integer, boolean, jsonb) is
  'Implements public.deploy_flow. Definer, because no API role may access snapshots or insert deployments.';
grant execute on function private.deploy_flow(integer, boolean, jsonb) to anon, authenticated, service_role;

-- Returns {deployment_id, warnings}, with at most 100 warnings. If anybody may start the deployment, the answer also
-- has limits. If strict is true, all warnings count as errors, except those that
-- private.snapshot_warnings() accepts. as_of is the value that read_flow_scripts returned. If a flow has changed since
-- then, the answer is 409 flow_changed. The error 422 flow_invalid lists the first 1,000 findings.
create function public.deploy_flow(flow_id integer, strict boolean default false, as_of jsonb default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deploy_flow(flow_id, strict, as_of);
end;
$$;
comment on function public.deploy_flow(integer, boolean, jsonb) is
  'Freezes the caller''s flow into a new deployment, {deployment_id, warnings, limits}. 401; 404 flow_not_found, also for another user''s flow; 409 quota_exceeded, flow_changed; 422 flow_invalid.';
grant execute on function public.deploy_flow(integer, boolean, jsonb) to anon, authenticated, service_role;

-- sql/400_deployments/60_deployment_graph.sql

create function private.placed_graph(graph jsonb, canvas jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return placed_graph.graph || jsonb_build_object('nodes', (
    select coalesce(jsonb_agg(
      n.node || jsonb_build_object('position', c.place) order by n.position
    ), '[]')
    from jsonb_array_elements(placed_graph.graph -> 'nodes') with ordinality as n (node, position)
    left join jsonb_array_elements(placed_graph.canvas) with ordinality as c (place, position)
      on c.position = n.position
  ));
end;
$$;
comment on function private.placed_graph(jsonb, jsonb) is
  'A snapshot''s graph, {nodes, edges, environment, instructions_bundling}. Each node also has its position from private.canvas_text(), or null if the position is unknown.';

create function private.deployment_graph(id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
  v_graphs jsonb;
begin
  select jsonb_build_object('deployment_id', d.id, 'flow_id', d.entrypoint, 'flows', (
    -- If the deployed flow calls itself, the snapshot contains its graph twice: as the entry, and as a called flow. Use
    -- only the entry.
    select jsonb_object_agg(g.flow_id, private.placed_graph(g.graph, c.canvas::jsonb -> g.flow_id))
    from (
      select f.key as flow_id, f.value as graph from jsonb_each(s.data -> 'flows') as f
        where f.key <> d.entrypoint::text
      union all
      select d.entrypoint::text, s.data -> 'entry'
    ) as g
  ))
  into v_graphs
  from public.flow_deployments as d
  join private.flow_snapshots as s on s.hash = d.snapshot_hash
  left join private.flow_deployment_canvases as c on c.deployment_id = d.id
  where d.id = deployment_graph.id and d.user_id = v_user_id;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return v_graphs;
end;
$$;
comment on function private.deployment_graph(uuid) is
  'Implements public.deployment_graph. Definer, because no API role may access snapshots.';
grant execute on function private.deployment_graph(uuid) to anon, authenticated, service_role;

-- Returns {deployment_id, flow_id, flows: {"<flow id>": {nodes, edges, environment, instructions_bundling}}} with the
-- deployed flow and the flows that it calls. A graph has all members that a snapshot keeps. Nodes also have the position
-- that they had in the editor at the deploy.
create function public.deployment_graph(id uuid)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deployment_graph(id);
end;
$$;
comment on function public.deployment_graph(uuid) is
  'The graphs that runs of the caller''s deployment execute, for drawing and comparing: {deployment_id, flow_id, flows: {"<flow id>": {nodes, edges, environment, instructions_bundling}}}. 401; 404 deployment_not_found, also for another user''s deployment.';
grant execute on function public.deployment_graph(uuid) to anon, authenticated, service_role;

-- sql/400_deployments/65_flow_has_changed.sql

create function private.graph_in_effect(graph jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select graph_in_effect.graph || jsonb_build_object('nodes', (
    select coalesce(jsonb_agg(n.node #- '{data,display_name}' order by n.position), '[]')
    from jsonb_array_elements(graph_in_effect.graph -> 'nodes') with ordinality as n (node, position)
    where n.node #>> '{data,node_id}' is distinct from 'note'
  ));
$$;
comment on function private.graph_in_effect(jsonb) is
  'The given graph without its notes and without the names of its nodes. Notes and names do not change what a run does; only the messages of the run contain names.';

create function private.is_graph_of_flow(graph jsonb, flow public.flows)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The lock lets each user compare only one large graph at a time. private.reduce_flow() uses the same lock.
  if pg_column_size(is_graph_of_flow.flow.nodes) > 1048576 then
    perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', is_graph_of_flow.flow.user_id), 0));
  end if;
  return private.graph_in_effect(is_graph_of_flow.graph) = private.graph_in_effect(format(
    '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
    private.reduce_edges(is_graph_of_flow.flow.edges), private.reduce_nodes(is_graph_of_flow.flow.nodes),
    is_graph_of_flow.flow.environment, to_jsonb(is_graph_of_flow.flow.instructions_bundling)
  )::jsonb);
exception
  -- The nodes or edges are malformed, so the flow has changed since it was frozen.
  when invalid_parameter_value or invalid_text_representation then
    return false;
end;
$$;
comment on function private.is_graph_of_flow(jsonb, public.flows) is
  'True if freezing the flow now would give `graph`, a graph of a snapshot. Differences in notes and in names of nodes do not count. Definer, because no API role may call private.reduce_nodes(). The calling functions check the owner.';

create function private.flow_has_changed(id uuid)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
  v_deployment record;
  v_frozen record;
begin
  select d.entrypoint, d.created_at, s.data into v_deployment
  from public.flow_deployments as d join private.flow_snapshots as s on s.hash = d.snapshot_hash
  where d.id = flow_has_changed.id and d.user_id = v_user_id;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  for v_frozen in
    select g.graph, f as flow
    from (
      select v_deployment.entrypoint as flow_id, v_deployment.data -> 'entry' as graph
      union all
      select e.key::integer, e.value from jsonb_each(v_deployment.data -> 'flows') as e
    ) as g
    left join public.flows as f on f.id = g.flow_id and f.user_id = v_user_id
    -- updated_at is the time when the transaction that changed the flow began, which may be before the deploy. So flows
    -- that changed up to a minute before the deploy are compared too. A minute is enough, because no request lasts
    -- longer.
    where f.id is null or f.updated_at > v_deployment.created_at - interval '1 minute'
  loop
    if (v_frozen.flow).id is null or not private.is_graph_of_flow(v_frozen.graph, v_frozen.flow) then
      return true;
    end if;
  end loop;
  return false;
end;
$$;
comment on function private.flow_has_changed(uuid) is
  'Implements public.flow_has_changed. Definer, because no API role may access snapshots.';
grant execute on function private.flow_has_changed(uuid) to anon, authenticated, service_role;

create function public.flow_has_changed(id uuid)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.flow_has_changed(id);
end;
$$;
comment on function public.flow_has_changed(uuid) is
  'Whether the flow of the caller''s deployment, or a flow that it calls, has changed since the deploy. Changed notes, positions and names of nodes do not count. 401; 404 deployment_not_found, also for another user''s deployment.';
grant execute on function public.flow_has_changed(uuid) to anon, authenticated, service_role;

-- sql/400_deployments/70_flow_history.sql

create function private.flow_history(flow_id integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_hash bytea;
begin
  select private.flow_version_hash(f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
  into v_hash
  from public.flows as f where f.id = flow_history.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return (
    with deployed as materialized (
      select c.flow_hash, (array_agg(d.id order by d.id desc))[1] as newest_id, array_agg(d.id) as ids
      from public.flow_deployments as d
      join private.flow_deployment_canvases as c on c.deployment_id = d.id
      where d.entrypoint = flow_history.flow_id
      group by c.flow_hash
    ),
    tagged as materialized (
      select d.flow_hash, array_agg(t.tag order by t.tag) as tags
      from public.flow_deployments_tags as t
      join deployed as d on t.deployment_id = any (d.ids)
      where t.entrypoint = flow_history.flow_id
      group by d.flow_hash
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', v.id, 'name', v.name, 'saved_at', v.saved_at, 'created_at', v.created_at, 'bytes', v.bytes,
      'is_current', v.hash = v_hash, 'deployment_id', d.newest_id, 'tags', coalesce(to_jsonb(t.tags), '[]')
    ) order by v.saved_at desc, v.id desc), '[]')
    from public.flow_versions as v
    left join deployed as d on d.flow_hash = v.hash
    left join tagged as t on t.flow_hash = v.hash
    where v.flow_id = flow_history.flow_id and v.user_id = v_user_id
  );
end;
$$;
comment on function private.flow_history(integer) is
  'Implements public.flow_history. Definer, because no API role may access private.flow_deployment_canvases.';
grant execute on function private.flow_history(integer) to anon, authenticated, service_role;

-- Lists the versions of the caller's flow, the newest contents first, without the contents: [{id, name, saved_at,
-- created_at, bytes, is_current, deployment_id, tags}]. is_current: whether the saved flow has these contents.
-- deployment_id: the newest deployment with these contents, or null. tags: the tags of all deployments with these
-- contents.
create function public.flow_history(flow_id integer)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_history(flow_id);
end;
$$;
comment on function public.flow_history(integer) is
  'The versions of the caller''s flow, without their contents: [{id, name, saved_at, created_at, bytes, is_current, deployment_id, tags}]. 401; 404 flow_not_found.';
grant execute on function public.flow_history(integer) to anon, authenticated, service_role;

-- sql/450_runs/10_flow_run.sql

create function private.error_code(error text)
returns text
language sql immutable strict security invoker
begin atomic
  -- The error of a node begins with the node's name and id. The message follows. It may begin with a code, but also
  -- with another word and a colon, such as the name of an input. So only the codes in private.run_error_codes() count.
  -- Errors may be long, so only the first 1,000 characters are searched.
  select substring(left(error_code.error, 1000) from
    '^(?:.* [0-9a-f-]{36}(?:#[0-9]+)?: )?(' || array_to_string(private.run_error_codes(), '|') || '): '
  );
end;
comment on function private.error_code(text) is 'The code in a line of flow_run.errors; null if the line has no code.';

create table public.flow_run (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null,
  flow_id integer not null,
  deployment_id uuid,
  schedule_id uuid,
  webhook_id uuid,
  status text not null default 'queued',
  started_by uuid,
  started_by_public_key text,
  started_by_run_id uuid,
  inputs jsonb not null,
  output jsonb,
  errors text[],
  -- The code is stored separately, so that queries over thousands of runs need not read `errors`, which may have 64
  -- KiB. The column is not a generated column: Postgres would plan its expression again for each statement, which would
  -- slow starts.
  error_code text,
  not_run uuid[],
  created_at timestamptz not null default clock_timestamp(),
  start_time timestamptz,
  end_time timestamptz,
  stopped_by text,
  parent_flow_run_id uuid references public.flow_run (id) on delete cascade,
  parent_node_id uuid,
  parent_times integer,
  redriven_from uuid references public.flow_run (id) on delete set null,
  output_instructions boolean not null default false,
  action_identity text,
  action_signer text,
  fees jsonb not null default '[]',
  chain_network jsonb not null
) with (fillfactor = 70);
comment on table public.flow_run is
  'Runs of flows. Only functions write them. The flow''s owner reads all its runs. The starter reads the started run. With the function called_flow_runs, the starter also reads the states of the runs that this run called. Settings are copied from the deployment, where they were checked.';
comment on column public.flow_run.user_id is
  'The owner of the flow. There is no foreign key, because it would slow every start. It is not needed: the deletion of the owner deletes the flow, and the deletion of the flow deletes its runs.';
comment on column public.flow_run.deployment_id is
  'The deployment that was started. Null for a run of a flow without a deployment, and for a called run. There is no foreign key, so that the id stays when the deployment is deleted.';
comment on column public.flow_run.schedule_id is
  'The schedule that started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the schedule is deleted.';
comment on column public.flow_run.webhook_id is
  'The incoming webhook that started the run. Null for all other runs, also redrives. There is no foreign key, so that the id stays when the webhook is deleted.';
comment on column public.flow_run.started_by is
  'The user who started the run; null if the starter sent only a public key, or has been deleted. No foreign key is needed: each start locks the user''s row, and a trigger sets this column to null when the user is deleted.';
comment on column public.flow_run.started_by_public_key is
  'The public key that an unauthenticated caller sent. Nothing proves that the caller owns the key.';
comment on column public.flow_run.started_by_run_id is
  'The run whose node started this run. Null for all other runs, also redrives and called runs. There is no foreign key, so that the id stays when that run is deleted.';
comment on column public.flow_run.inputs is 'One value, {"M": {…}}: the inputs of the start.';
comment on column public.flow_run.output is
  'One value, {"M": {…}}, whose members have the labels of the flow''s outputs; null until the run has ended.';
comment on column public.flow_run.errors is
  'One line for each failed node execution, "<name> <node id>: <message>"; null if no node failed. For a node that runs several times, # and the number of the execution, from 0, may follow the id. At most 100 lines, and 65,536 characters in total.';
comment on column public.flow_run.error_code is
  'The code in the first line of errors; null if there are no errors, or if that line has no code.';
comment on column public.flow_run.not_run is 'Ids of the nodes that never started; null until the run has ended.';
comment on column public.flow_run.created_at is 'The time that the id contains.';
comment on column public.flow_run.stopped_by is
  'owner or starter: the caller who first requested the stop of the run. The holder of the run token counts as the starter. Null if nobody has requested a stop.';
comment on column public.flow_run.parent_flow_run_id is
  'For a called run: the run whose node called it. parent_node_id and parent_times name the node execution that made the call.';
comment on column public.flow_run.redriven_from is
  'For a redrive: the run that it continues. The redrive takes over that run''s succeeded node executions. Null for all other runs, and if the continued run has been deleted.';
comment on column public.flow_run.action_signer is
  'For a deployment with an action identity: the public key of the wallet that signs and sends the run''s transactions.';
comment on column public.flow_run.chain_network is
  'The Solana network of this run, {cluster}; only the runner gets its address.';

create index flow_run_deployment_id_idx on public.flow_run (deployment_id, id desc);
create index flow_run_user_id_idx on public.flow_run (user_id, id desc);
create index flow_run_flow_id_idx on public.flow_run (flow_id, id desc);
create index flow_run_started_by_idx on public.flow_run (started_by, id desc) where started_by is not null;
create index flow_run_schedule_id_idx on public.flow_run (schedule_id, id desc) where schedule_id is not null;
create index flow_run_webhook_id_idx on public.flow_run (webhook_id, id desc) where webhook_id is not null;
create index flow_run_parent_flow_run_id_idx on public.flow_run (parent_flow_run_id)
  where parent_flow_run_id is not null;
-- Unique, because a second redrive of a run would repeat the effects of the first one.
create unique index flow_run_redriven_from_key on public.flow_run (redriven_from) where redriven_from is not null;
-- When a run is claimed or ends, no indexed column changes. Such an update needs no new index entries if the new
-- row fits into the same page (heap-only tuples). fillfactor leaves room for the new row.

create function private.tg_flow_run__after_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_is_consistent boolean;
begin
  case new.status
    when 'queued' then
      v_is_consistent := num_nonnulls(new.start_time, new.end_time, new.output, new.errors) = 0;
    when 'running', 'waiting' then
      v_is_consistent := new.start_time is not null and num_nonnulls(new.end_time, new.output, new.errors) = 0;
    when 'succeeded' then
      v_is_consistent := num_nonnulls(new.start_time, new.end_time) = 2 and new.errors is null;
    when 'failed' then
      v_is_consistent := new.end_time is not null and coalesce(cardinality(new.errors) > 0, false);
    when 'stopped' then
      v_is_consistent := new.end_time is not null and coalesce(cardinality(new.errors) > 0, true);
    else
      v_is_consistent := false;
  end case;
  if not v_is_consistent
    or num_nonnulls(new.parent_flow_run_id, new.parent_node_id, new.parent_times) not in (0, 3)
    or num_nonnulls(new.parent_flow_run_id, new.deployment_id) > 1
  then
    raise check_violation using
      message = format(
        'A run with the status %s can''t have this combination of times, output, errors and parent.', new.status
      ),
      schema = tg_table_schema, table = tg_table_name, constraint = tg_name;
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_run__after_write() is
  'Checks that times, output and errors of a run match its status, and that a called run has all parent columns and no deployment. It is not a check constraint: Postgres plans check constraints again for each statement, which would take more time at each start than all indexes of the table.';
-- A constraint trigger is a constraint, so its name follows the rule for constraints.
create constraint trigger flow_run_consistent after insert or update on public.flow_run
  for each row execute function private.tg_flow_run__after_write();

create function private.tg_flows__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A called run must stay as long as its parent run, even if the called flow is deleted. A foreign key would delete it
  -- with the called flow.
  delete from public.flow_run as r where r.flow_id = old.id and r.parent_flow_run_id is null;
  return null;
end;
$$;
comment on function private.tg_flows__after_delete() is
  'Deletes the runs of a deleted flow. Definer, because no role may delete runs directly.';
create trigger _100_delete_runs after delete on public.flows
  for each row execute function private.tg_flows__after_delete();

create function private.tg_users__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  loop
    update public.flow_run as r set started_by = null where r.started_by = old.id;
    -- While this update waited for the lock of a run, that run may have called other runs, and these have the same
    -- starter. So repeat the update until it finds no run.
    exit when not found;
  end loop;
  return null;
end;
$$;
comment on function private.tg_users__after_delete() is
  'Sets started_by to null in the runs of other users'' flows that a deleted user started. Definer, because roles that delete users may not write runs.';
create trigger _500_forget_starter after delete on auth.users
  for each row execute function private.tg_users__after_delete();

grant select on public.flow_run to anon, authenticated;
grant select on public.flow_run to service_role;

create function public.deployment(flow_run public.flow_run)
returns setof public.flow_deployments
rows 1
language sql stable security invoker
set search_path = ''
as $$
  select d.* from public.flow_deployments as d where d.id = deployment.flow_run.deployment_id;
$$;
comment on function public.deployment(public.flow_run) is
  'The deployment that a run was started from, for embedding: select=*,deployment(*). Empty if the deployment has been deleted.';
grant execute on function public.deployment(public.flow_run) to authenticated, service_role;

-- sql/450_runs/11_may_see_run.sql

create function private.may_see_run(run public.flow_run, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner of the flow.
    may_see_run.run.user_id = may_see_run.caller.user_id
    -- Only the owner sees a called run, because its inputs and output contain the owner's constants.
    or may_see_run.run.parent_flow_run_id is null and (
      -- The starter.
      may_see_run.run.started_by = may_see_run.caller.user_id
      -- The holder of the run's token.
      or may_see_run.run.id = may_see_run.caller.run_id
    ),
    false
  );
end;
comment on function private.may_see_run(public.flow_run, private.caller) is
  'True if the caller may see a run. The owner of the flow sees all its runs. The starter and the holder of the run''s token see the run only if no other run called it. The policies of flow_run repeat this rule in a form that can use an index; a test compares the two.';

alter table public.flow_run enable row level security;
-- This policy repeats the rule of private.may_see_run instead of calling the function. In a call, the caller would be a
-- sub-select. The function uses the caller more than once, so the planner would not inline the call. Without inlining,
-- no index can be used, and the query would read all runs.
create policy flow_run_select_owner_starter_token on public.flow_run for select to authenticated
  using (
    user_id = (select auth.uid())
    or parent_flow_run_id is null and (started_by = (select auth.uid()) or id = (select private.token_run_id()))
  );
create policy flow_run_select_token on public.flow_run for select to anon
  using (parent_flow_run_id is null and id = (select private.token_run_id()));

-- sql/450_runs/12_flow_run_jobs.sql

create table private.flow_run_jobs (
  flow_run_id uuid primary key,
  user_id uuid not null,
  snapshot_hash bytea not null,
  settings jsonb not null,
  message_id bigint,
  counted_deployment_id uuid,
  counted_shares text[],
  turn bigint not null default 0,
  claim_number integer not null default 0,
  is_held boolean not null default false,
  lost_claim_count integer not null default 0,
  work_ms bigint not null default 0,
  output_bytes bigint not null default 0,
  action_lookups smallint not null default 0,
  has_ended_inputs boolean not null default false,
  input_bytes bigint not null default 0,
  sleeps_until timestamptz,
  stop_requested_at timestamptz,
  stop_reason text,
  stop_timeout_millies integer,
  failed_at timestamptz,
  chain_depth smallint not null default 0,
  redriven_from uuid[],
  redrive_changes jsonb,
  is_complete boolean not null default false,
  constraint flow_run_jobs_held_while_pending check (message_id is not null or not is_held),
  constraint flow_run_jobs_asleep_while_nobody_holds_it
    check (sleeps_until is null or (message_id is not null and not is_held))
);
comment on table private.flow_run_jobs is
  'For each root run, the data that the runner needs and that readers of flow_run must not see. A job stays after its run has ended.';
comment on column private.flow_run_jobs.flow_run_id is
  'The run. There is no foreign key, because it would cost a look-up at every start. None is needed: enqueue_run always stores a run together with its job.';
comment on column private.flow_run_jobs.user_id is
  'The owner of the flow, copied from flow_run for the order of claims. No foreign key is needed: a job is deleted with its run, a run with its flow, and a flow with its owner.';
comment on column private.flow_run_jobs.snapshot_hash is
  'The snapshot that the run executes. There is no foreign key, because it would slow every start. The snapshot exists without a key, too: only sweep_runner deletes snapshots, and it keeps the snapshot of each run that has not ended or may be redriven.';
comment on column private.flow_run_jobs.settings is
  'private.run_settings() and the action_signer, as they were at the start. A redrive copies this value. Starters can read flow_run, but must not read the RPC address and on_end, so the settings are stored here.';
comment on column private.flow_run_jobs.message_id is 'The run''s message in the queue; null once the run has ended.';
comment on column private.flow_run_jobs.counted_deployment_id is
  'The deployment whose max_runs_in_flight counts this run until it ends; null if no deployment counts it.';
comment on column private.flow_run_jobs.counted_shares is
  'The two shares in private.deployment_usage that count this run: first the caller''s group (guests or others), then the caller.';
comment on column private.flow_run_jobs.turn is
  'The place of the run in the order in which its owner''s runs are claimed. A new run has its message_id as turn. When a worker releases the run, turn becomes the next number of the sequence that numbers messages. So runs that were queued in the meantime are claimed first.';
comment on column private.flow_run_jobs.claim_number is
  'The number of the newest claim; 0 before the first. A worker with an older claim can''t write to the run.';
comment on column private.flow_run_jobs.is_held is
  'True if a worker has claimed the run and has neither released nor finished it. If the run''s message becomes visible while is_held is true, the worker counts as lost.';
comment on column private.flow_run_jobs.lost_claim_count is
  'How many workers in a row were lost while they held the run. If a worker is lost, is_held stays true, and the next claim adds the lost worker to this number. The end of a node or a release of the run sets the number to 0.';
comment on column private.flow_run_jobs.work_ms is 'The milliseconds of work on the run that workers have reported.';
comment on column private.flow_run_jobs.output_bytes is
  'The bytes of JSON of all node outputs of the run and of the runs that it called, as workers have reported them. A worker needs this much memory to continue the run.';
comment on column private.flow_run_jobs.action_lookups is
  'How often somebody has looked up, on the chain, the transaction in the run''s output.';
comment on column private.flow_run_jobs.has_ended_inputs is
  'True if somebody submitted or cancelled an input that a node of the run waits for, and no worker has read the outcome yet.';
comment on column private.flow_run_jobs.input_bytes is 'The bytes of JSON that were submitted to inputs of the run.';
comment on column private.flow_run_jobs.sleeps_until is
  'The time from which a sleeping run may be claimed again; null if the run does not sleep. Claims read only jobs that do not sleep, so sleeping runs do not slow claims.';
comment on column private.flow_run_jobs.stop_requested_at is
  'The time of the first stop request. This request also set stop_reason and stop_timeout_millies.';
comment on column private.flow_run_jobs.failed_at is
  'The time at which the run failed; null if it did not. Metrics count failures by the index on this column, which has only failed runs. An index on end_time of flow_run would cost a write for every run.';
comment on column private.flow_run_jobs.chain_depth is
  'The number of runs before this one in its chain. A chain grows when a node of a run starts another run, or when the outgoing webhook of a run calls an incoming webhook. If the number exceeds a limit, the start is refused. So a loop of runs ends.';
-- The first entry is flow_run.redriven_from. If that run is itself a redrive that ended before it had taken over
-- everything, the entries of its own redriven_from follow. There is no foreign key: sweep_runner keeps these runs until
-- the redrive has ended.
comment on column private.flow_run_jobs.redriven_from is
  'For a redrive: the earlier runs whose node executions the redrive takes over, the newest run first. Null for all other runs.';
-- An object. The name of each member is the id of an earlier run, and its value is the result of
-- private.redrive_changes(). An earlier run that has the same snapshot as the redrive has no member.
comment on column private.flow_run_jobs.redrive_changes is
  'For each run in redriven_from that executed another snapshot than this run: the nodes that differ between the two snapshots. Null if all runs in redriven_from executed the same snapshot as this run.';
comment on column private.flow_run_jobs.is_complete is
  'True if a worker executed every node that could run. False until the run has ended. After the end, it stays false if the run was stopped, exceeded a limit or lost its workers.';

create index flow_run_jobs_failed_at_idx on private.flow_run_jobs (failed_at) where failed_at is not null;
create index flow_run_jobs_user_id_idx_pending on private.flow_run_jobs (user_id, turn)
  where message_id is not null and sleeps_until is null;
create index flow_run_jobs_snapshot_hash_idx_redrivable on private.flow_run_jobs (snapshot_hash)
  where failed_at is not null or stop_requested_at is not null;
create index flow_run_jobs_redriven_idx_pending on private.flow_run_jobs (flow_run_id)
  where redriven_from is not null and message_id is not null;
create index flow_run_jobs_sleeps_until_idx on private.flow_run_jobs (sleeps_until) where sleeps_until is not null;

create function private.tg_flow_run__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from private.flow_run_jobs as j where j.flow_run_id = old.id;
  return null;
end;
$$;
comment on function private.tg_flow_run__after_delete() is
  'Deletes the job of a deleted root run. Definer, because no API role may access jobs.';
create trigger _500_delete_job after delete on public.flow_run
  for each row when (old.parent_flow_run_id is null) execute function private.tg_flow_run__after_delete();

create function private.tg_flow_run_jobs__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pgmq.delete('flow_runs', old.message_id);
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_delete() is
  'Deletes the message of a deleted run from the queue. Definer, because users who delete flows have no rights on the queue.';
create trigger _500_delete_message after delete on private.flow_run_jobs
  for each row when (old.message_id is not null) execute function private.tg_flow_run_jobs__after_delete();

-- sql/450_runs/20_node_run.sql

create table public.node_run (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  attempt integer not null default 1,
  retry_at timestamptz,
  user_id uuid not null,
  start_time timestamptz not null,
  attempt_start_time timestamptz,
  end_time timestamptz,
  input jsonb not null,
  output jsonb,
  errors text[],
  error_handled boolean not null default false,
  is_taken_over boolean not null default false,
  is_pinned boolean not null default false,
  primary key (flow_run_id, node_id, times),
  constraint node_run_times_natural check (times >= 0),
  constraint node_run_attempt_positive check (attempt >= 1),
  constraint node_run_retry_at_before_end check (retry_at is null or end_time is null),
  constraint node_run_errors_not_empty check (cardinality(errors) > 0),
  constraint node_run_handled_has_errors check (not error_handled or (end_time is not null and errors is not null)),
  constraint node_run_taken_over_is_done
    check (not is_taken_over or (end_time is not null and (errors is null or error_handled)))
);
comment on table public.node_run is
  'Executions of nodes: one row for each run, node and iteration. Only the flow''s owner reads the rows, because they contain the flow''s constants.';
comment on column public.node_run.times is
  'The number of the execution: 0 for the node''s first execution in the run, and one more for each further execution in a loop.';
comment on column public.node_run.attempt is
  'For a node with data.retry: the number of its present or last attempt. 1 for every other node.';
comment on column public.node_run.retry_at is
  'The time at which the next attempt begins. Set only between a failed attempt and the next one.';
comment on column public.node_run.attempt_start_time is
  'The time at which the present attempt began. Null for the first attempt, which begins at start_time. data.timeout_ms limits the time since the attempt began.';
comment on column public.node_run.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join. user_id needs no foreign key: the flow is deleted with its owner, its runs with the flow, and these rows with their run.';
comment on column public.node_run.input is 'One value, {"M": {…}}: the inputs by name.';
comment on column public.node_run.output is
  'One value, {"M": {…}}: the outputs by name. Null if the node failed before it had an output.';
comment on column public.node_run.error_handled is
  'True if the node passed its errors to its output "error" (data.on_error), so the run does not fail because of them.';
comment on column public.node_run.is_taken_over is
  'True if this run is a redrive that did not execute the node. Instead, the redrive copied this row, with start_time and end_time, from an earlier run.';
comment on column public.node_run.is_pinned is
  'True if the node was not executed, because flow_pins had outputs for the node when the run was started.';

alter table public.node_run enable row level security;
create policy node_run_select_owner on public.node_run for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.node_run to authenticated;
grant select on public.node_run to service_role;

-- sql/450_runs/30_flow_run_logs.sql

create table public.flow_run_logs (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  log_index integer not null,
  user_id uuid not null,
  node_id uuid,
  times integer,
  time timestamptz not null,
  log_level text not null,
  module text,
  content text not null,
  primary key (flow_run_id, log_index),
  constraint flow_run_logs_log_index_natural check (log_index >= 0),
  constraint flow_run_logs_log_level_known check (log_level in ('Trace', 'Debug', 'Info', 'Warn', 'Error')),
  constraint flow_run_logs_node_complete check ((node_id is null) = (times is null))
);
comment on table public.flow_run_logs is
  'Log lines of a run and its nodes, in order. Only the flow''s owner reads the lines.';
comment on column public.flow_run_logs.log_index is 'The number of the line in its run, from 0.';
comment on column public.flow_run_logs.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join.';
comment on column public.flow_run_logs.node_id is
  'The node that wrote the line; times names its execution. Both are null for a line of the run itself.';

alter table public.flow_run_logs enable row level security;
create policy flow_run_logs_select_owner on public.flow_run_logs for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.flow_run_logs to authenticated;
grant select on public.flow_run_logs to service_role;

-- sql/450_runs/40_run_for_caller.sql

create function private.run_for_caller(flow_run_id uuid)
returns public.flow_run
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id and private.may_see_run(r, v_caller);
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.run_for_caller(uuid) is
  'Returns the run if private.may_see_run() lets the caller see it. Otherwise answers 404 flow_run_not_found, as for a run that does not exist. Definer, because private.may_see_run() decides instead of the policies.';

create function private.root_run_id(flow_run_id uuid)
returns uuid
language sql stable security definer
set search_path = ''
as $$
  with recursive ancestor as (
    select r.id, r.parent_flow_run_id from public.flow_run as r where r.id = root_run_id.flow_run_id
    union all
    select r.id, r.parent_flow_run_id from ancestor join public.flow_run as r on r.id = ancestor.parent_flow_run_id
  )
  select ancestor.id from ancestor where ancestor.parent_flow_run_id is null;
$$;
comment on function private.root_run_id(uuid) is
  'The root run of the tree to which a run belongs. A run that no interflow node called is its own root. Definer, because it reads runs that policies may hide. The functions that call this one check whether the user may see the root run.';

create function private.root_run_for_caller(flow_run_id uuid)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (private.run_for_caller(private.root_run_id(root_run_for_caller.flow_run_id))).id;
end;
$$;
comment on function private.root_run_for_caller(uuid) is
  'Returns the id of the root run of a run''s tree, if the caller may see the root run. A request about a tree may name any run of the tree. 401; 404 flow_run_not_found. Definer, because no API role may call private.run_for_caller().';

-- sql/450_runs/50_flow_run_result.sql

create function private.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.has_claimable_run(interval '2 seconds')
  );
end;
$$;
comment on function private.flow_run_result(uuid) is
  'Implements public.flow_run_result. Definer, because no API role may call private.run_for_caller().';
grant execute on function private.flow_run_result(uuid) to anon, authenticated, service_role;

create function public.flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_run_result(flow_run_id);
end;
$$;
comment on function public.flow_run_result(uuid) is
  'The state of a run, {status, output, errors, is_overdue}, for its owner, its starter and the holder of its token. is_overdue: the run has not ended, and this or another run has waited in the queue for 2 seconds. So the runner should be called. 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_result(uuid) to anon, authenticated, service_role;

create function private.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_result jsonb := private.flow_run_result(await_flow_run_result.flow_run_id);
  v_began timestamptz := clock_timestamp();
  v_waited double precision;
begin
  -- A caller that waits keeps one of PostgREST's connections, of which there are ten by default. Starts need
  -- connections, so only two callers may wait at a time.
  if v_result ->> 'output' is not null
    or not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 1)
    and not pg_try_advisory_xact_lock(hashtext('private.await_flow_run_result'), 2)
  then
    return v_result;
  end if;
  loop
    v_waited := date_part('epoch', clock_timestamp() - v_began);
    exit when v_waited >= 0.04;
    perform from public.flow_run as r where r.id = await_flow_run_result.flow_run_id and r.end_time is null;
    exit when not found;
    -- Each pause is a millisecond, or a tenth of the time waited so far if that is longer. So the answer is late by one
    -- pause at most.
    perform pg_sleep(greatest(v_waited / 10, 0.001));
  end loop;
  return private.flow_run_result(await_flow_run_result.flow_run_id);
end;
$$;
comment on function private.await_flow_run_result(uuid) is
  'Implements public.await_flow_run_result. private.flow_run_result() checks the caller first. Definer, so that the loop need not check the policies again.';
grant execute on function private.await_flow_run_result(uuid) to anon, authenticated, service_role;

create function public.await_flow_run_result(flow_run_id uuid)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.await_flow_run_result(flow_run_id);
end;
$$;
comment on function public.await_flow_run_result(uuid) is
  'Waits up to 40 milliseconds for the end of the run, then returns the same as flow_run_result. Does not wait if two other callers are waiting. Most runs of a few nodes end within 40 milliseconds. 401; 404 flow_run_not_found.';
grant execute on function public.await_flow_run_result(uuid) to anon, authenticated, service_role;

-- sql/450_runs/70_called_flow_runs.sql

create function private.called_flow_runs(flow_run_id uuid, after uuid)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform private.root_run_for_caller(called_flow_runs.flow_run_id);
  return query
  select c.id, c.status, c.created_at, c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times
  from (
    select r.* from public.flow_run as r where r.parent_flow_run_id = called_flow_runs.flow_run_id
    -- Without `offset 0`, the planner would read all runs in the order of their ids.
    offset 0
  ) as c
  where c.id > coalesce(called_flow_runs.after, '00000000-0000-0000-0000-000000000000')
  order by c.id
  limit 1000;
end;
$$;
comment on function private.called_flow_runs(uuid, uuid) is
  'Implements public.called_flow_runs. Definer, because the policies show called runs only to the owner.';
grant execute on function private.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;

create function public.called_flow_runs(flow_run_id uuid, after uuid default null)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.called_flow_runs(flow_run_id, after);
$$;
-- flow_run_id may itself be a called run. A page has at most 1,000 runs in the order of their ids. `after` is the last
-- id of the previous page. The inputs, outputs and errors of called runs are in flow_run, where only the owner can read
-- them.
comment on function public.called_flow_runs(uuid, uuid) is
  'The status and times of the runs that a run called, in pages of 1,000. `after` is the last id of the previous page. Allowed for the flow''s owner, the starter of the root run and the holder of the root run''s token. 401; 404 flow_run_not_found.';
grant execute on function public.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;

-- sql/450_runs/75_run_news.sql

-- Notifies sessions of news about runs. A session gets the news of the runs that it follows. If no session follows a
-- run, its news costs only one attempt to take a lock. The functions in this file never wait for a lock:
--
--   follow      A session that listens takes a shared lock of the run and the topic, then reads the run.
--   announce    A transaction with news tries to take the exclusive lock. If it succeeds, no session follows the run.
--               If it fails, the transaction notifies the sessions.
--
-- If a session followed the run before the transaction tried to take the lock, the try fails, and the session is
-- notified. If the try succeeds, the transaction keeps the lock until it has committed, and until then no session can
-- follow the run. A session that follows the run after the commit sees the news when it reads the run.

create type private.news_topic as enum ('ends', 'events');
comment on type private.news_topic is
  'The kind of news of a run. ends: the run has ended, or asks somebody outside for something. events: anything that happens in the run. Each topic has its own locks, so that progress does not notify sessions that only wait for the end.';

create function private.announce_run_news(flow_run_id uuid, topic private.news_topic)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if not pg_try_advisory_xact_lock(
    hashtext('private.announce_run_news/' || announce_run_news.topic), uuid_hash(announce_run_news.flow_run_id)
  ) then
    perform pg_notify('flow_run_news', announce_run_news.flow_run_id::text);
  end if;
end;
$$;
-- NOTIFY makes commits wait for each other, so this function notifies only if a session follows the run. The number of
-- a lock is a hash of the run's id. If a session follows another run with the same hash, the function notifies without
-- need.
comment on function private.announce_run_news(uuid, private.news_topic) is
  'When the transaction commits, notifies the sessions that follow the root run for this topic. The caller holds the lock of the run''s row.';

create function private.listen_for_run_news()
returns integer
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_place integer;
begin
  -- Each listener holds a connection and many locks, and would leave too few for other work. So all listeners together
  -- use at most an eighth of the connections and half of the lock table.
  for v_place in 1 .. greatest(current_setting('max_connections')::integer / 8, 1) loop
    if pg_try_advisory_lock(hashtext('private.listen_for_run_news'), v_place) then
      -- With these settings, the connection of a lost listener ends soon. The end of the connection releases the
      -- listener's locks.
      perform set_config('tcp_keepalives_idle', '20', false), set_config('tcp_keepalives_interval', '10', false),
        set_config('tcp_keepalives_count', '3', false), set_config('idle_session_timeout', '60s', false);
      listen flow_run_news;
      return current_setting('max_locks_per_transaction')::integer * 4;
    end if;
  end loop;
  return 0;
end;
$$;
comment on function private.listen_for_run_news() is
  'Makes this session listen for news of runs. Returns how many runs the session may follow: four times max_locks_per_transaction. Returns 0 if an eighth of all connections already listen. A listening session that is idle for a minute is ended.';
grant execute on function private.listen_for_run_news() to service_role;

create function private.follow_flow_runs(flow_run_ids uuid[], topic private.news_topic)
returns setof uuid
language plpgsql volatile security invoker
set search_path = ''
-- Without this setting, Postgres could make a plan with sequential scans while the table is empty, and reuse it when
-- the table is full.
set enable_seqscan = off
as $$
begin
  return query
  -- The CTE is materialized, so that only matching runs are locked.
  with root as materialized (
    select r.id from public.flow_run as r
      where r.id = any (follow_flow_runs.flow_run_ids) and r.parent_flow_run_id is null
    )
    select root.id from root
    where pg_try_advisory_lock_shared(
      hashtext('private.announce_run_news/' || follow_flow_runs.topic), uuid_hash(root.id)
    );
end;
$$;
-- Returns the runs that the session follows. Leaves out called runs. Also leaves out a run if a transaction with news
-- of the run holds the exclusive lock. Read the runs after this call, because earlier news is not announced again.
comment on function private.follow_flow_runs(uuid[], private.news_topic) is
  'Makes this session follow root runs for a topic. The session follows a run until the session ends, or has called unfollow_flow_runs for the run as often as follow_flow_runs. Returns the runs that the session follows; read these runs after the call.';
grant execute on function private.follow_flow_runs(uuid[], private.news_topic) to service_role;

create function private.unfollow_flow_runs(flow_run_ids uuid[], topic private.news_topic)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform pg_advisory_unlock_shared(hashtext('private.announce_run_news/' || unfollow_flow_runs.topic), uuid_hash(f.id))
  from unnest(unfollow_flow_runs.flow_run_ids) as f (id);
end;
$$;
comment on function private.unfollow_flow_runs(uuid[], private.news_topic) is
  'Undoes one call of follow_flow_runs for these runs and this topic. Name a run twice if the session has followed it twice.';
grant execute on function private.unfollow_flow_runs(uuid[], private.news_topic) to service_role;

-- sql/450_runs/80_flow_run_stats.sql

create function private.check_run_period(
  flow integer, deployment uuid, since timestamptz, until timestamptz default null
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if num_nonnulls(check_run_period.flow, check_run_period.deployment) <> 1 then
    perform private.fail('request_invalid', 'flow, deployment: give exactly one of the two.');
  end if;
  if check_run_period.since is null or not isfinite(check_run_period.since)
    or check_run_period.since < 'epoch' or check_run_period.since > now()
  then
    perform private.fail('request_invalid', 'since: must be a time between 1970 and now.');
  end if;
  if check_run_period.until < 'epoch' then
    perform private.fail('request_invalid', 'until: must be a time after 1970.');
  end if;
end;
$$;
comment on function private.check_run_period(integer, uuid, timestamptz, timestamptz) is
  'Refuses arguments that name both a flow and a deployment, or neither. Also refuses a begin before 1970 or in the future, and an end before 1970. 400 request_invalid.';

create function private.flow_run_stats(flow integer, deployment uuid, since timestamptz)
returns jsonb
language plpgsql stable security definer
set search_path = ''
-- The limit in the query stops the query after about 5,000 runs. The planner does not know the value of this limit.
-- Without these settings, the planner would choose to sort all runs.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
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
      (extract(epoch from r.end_time - r.start_time) * 1000)::double precision as duration_ms, r.error_code
    from (
      (
        select f.created_at, f.status, f.start_time, f.end_time, f.error_code from public.flow_run as f
        where f.flow_id = flow_run_stats.flow and f.id >= v_since_id
        order by f.id desc limit case when flow_run_stats.flow is null then 0 else v_max_runs + 1 end
      )
      union all
      (
        select d.created_at, d.status, d.start_time, d.end_time, d.error_code from public.flow_run as d
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
    )
  ) into v_stats;
  return v_stats;
end;
$$;
comment on function private.flow_run_stats(integer, uuid, timestamptz) is
  'Implements public.flow_run_stats. Definer, because the function checks the owner of the flow or deployment once. The policies would check each run.';
grant execute on function private.flow_run_stats(integer, uuid, timestamptz) to anon, authenticated, service_role;

create function public.flow_run_stats(
  flow integer default null, deployment uuid default null, since timestamptz default now() - interval '7 days'
)
returns jsonb
language sql stable security invoker
begin atomic
  select private.flow_run_stats(flow, deployment, since);
end;
-- Counts the newest 5,000 runs. If there are more, is_complete is false, and since is the time of the oldest counted
-- run. Durations are those of runs that have started and ended. failures counts the failed runs by the code of their
-- first error, and has the 20 most frequent codes. The code is null if the first error has none. For a flow or
-- deployment of another user, the answer is 404, as for an unknown one.
comment on function public.flow_run_stats(integer, uuid, timestamptz) is
  'Statistics of the runs of the caller''s flow, or of one deployment, since a time (default: 7 days ago): {since, is_complete, runs, by_status, duration_ms: {p50, p95}, failures: [{code, count}]}. 400 request_invalid; 401; 404 flow_not_found, deployment_not_found.';
grant execute on function public.flow_run_stats(integer, uuid, timestamptz) to anon, authenticated, service_role;

-- sql/450_runs/82_run_filter.sql

-- The filter that find_flow_runs and flow_run_overview take. The functions in this file turn a filter into the text of
-- one query, which has only the conditions that the filter gives. The query reads runs by one or two indexes, the
-- newest first, and stops after a fixed number of runs. So its time is bounded, however many runs there are.
create type private.run_filter as (
  search text, flow integer, deployment uuid, schedule uuid, webhook uuid, status text, starter text, since timestamptz,
  until timestamptz
);
comment on type private.run_filter is
  'Conditions for runs; a null member allows any run. search: a text in the errors, or the beginning of an id or of the starter''s public key. starter: schedule, webhook, flow, user or key. since and until: bounds of created_at; until is excluded.';

create function private.check_run_filter(filter private.run_filter)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
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
  if (check_run_filter.filter).starter not in ('schedule', 'webhook', 'flow', 'user', 'key') then
    perform private.fail('request_invalid', 'starter: must be schedule, webhook, flow, user or key.');
  end if;
  if (check_run_filter.filter).since not between 'epoch' and '2200-01-01'
    or (check_run_filter.filter).until not between 'epoch' and '2200-01-01'
  then
    perform private.fail('request_invalid', 'since, until: must be times between 1970 and 2200.');
  end if;
end;
$$;
comment on function private.check_run_filter(private.run_filter) is
  'Refuses a filter with an empty or too long search, an unknown status or starter, or a time that no run can have: 400 request_invalid.';

create function private.starter_kind(
  schedule_id uuid, webhook_id uuid, started_by_run_id uuid, started_by_public_key text
)
returns text
language sql immutable security invoker
begin atomic
  select case
    when starter_kind.schedule_id is not null then 'schedule'
    when starter_kind.webhook_id is not null then 'webhook'
    when starter_kind.started_by_run_id is not null then 'flow'
    when starter_kind.started_by_public_key is not null then 'key'
    else 'user'
  end;
end;
comment on function private.starter_kind(uuid, uuid, uuid, text) is
  'The kind of starter of a run: schedule, webhook, flow (a node of another run), key (a caller with a public key) or user.';

create function private.run_sources(filter private.run_filter)
returns text
language sql immutable security invoker
begin atomic
  select case
    when (run_sources.filter).deployment is not null then format(v.source, 's.deployment_id = ($1).deployment')
    when (run_sources.filter).schedule is not null then format(v.source, 's.schedule_id = ($1).schedule')
    when (run_sources.filter).webhook is not null then format(v.source, 's.webhook_id = ($1).webhook')
    when (run_sources.filter).flow is not null then format(v.source, 's.flow_id = ($1).flow')
    else replace(format(v.source, 's.user_id = $2'), 'false', 'true') || ' union all '
      || format(v.source, 's.started_by = $2')
  end
  -- Each of these conditions has an index whose second column is the id. A run that its owner started is in both the
  -- index of owners and the index of starters. is_by_owner marks the rows from the index of owners, so that
  -- private.run_query can count such a run only once.
  from (
    select '(select s.*, false as is_by_owner from public.flow_run as s where %s and s.id >= $3 and s.id < $4 '
      'order by s.id desc limit $5)'
  ) as v (source);
end;
comment on function private.run_sources(private.run_filter) is
  'The text of a query that reads the newest runs by the index that fits a filter best. The query takes the same parameters as the query of private.run_query().';

create function private.run_query(filter private.run_filter)
returns text
language sql immutable security invoker
begin atomic
  select concat_ws(' and ',
    -- Without `offset 0`, Postgres would check the conditions in each of the two sources, before it merges them. If few
    -- runs of a source matched, Postgres would read this whole source before it returned a run.
    format(
      'select r.* from (select u.* from (%s) as u order by u.id desc offset 0) as r '
      'where (r.user_id = $2 or r.started_by = $2)', private.run_sources(run_query.filter)
    ),
    'r.parent_flow_run_id is null',
    -- A run in both the index of owners and the index of starters counts once.
    case when num_nonnulls(
      (run_query.filter).deployment, (run_query.filter).schedule, (run_query.filter).webhook, (run_query.filter).flow
    ) = 0 then '(r.is_by_owner or r.user_id <> $2)' end,
    case when (run_query.filter).flow is not null then 'r.flow_id = ($1).flow' end,
    case when (run_query.filter).schedule is not null then 'r.schedule_id = ($1).schedule' end,
    case when (run_query.filter).webhook is not null then 'r.webhook_id = ($1).webhook' end,
    case when (run_query.filter).status is not null then 'r.status = ($1).status' end,
    case when (run_query.filter).starter is not null then
      'private.starter_kind(r.schedule_id, r.webhook_id, r.started_by_run_id, r.started_by_public_key) = ($1).starter'
    end,
    -- Unlike `like` and regular expressions, strpos and starts_with take `search` as plain text, and need only linear
    -- time.
    case when (run_query.filter).search is not null then
      '(strpos(lower(array_to_string(r.errors, chr(10))), lower(($1).search)) > 0'
        || ' or starts_with(r.started_by_public_key, ($1).search)'
        || case when (run_query.filter).search ~ '^[0-9A-Fa-f-]+$' then
          ' or starts_with(r.id::text, lower(($1).search))'
            || ' or starts_with(r.started_by::text, lower(($1).search))'
            || ' or starts_with(r.schedule_id::text, lower(($1).search))'
            || ' or starts_with(r.webhook_id::text, lower(($1).search))'
            || ' or starts_with(r.started_by_run_id::text, lower(($1).search))'
          else ''
        end || ')'
    end
  );
end;
comment on function private.run_query(private.run_filter) is
  'The text of a query for the root runs that match a filter and that a user owns or started. Its parameters: $1 the filter, $2 the user, $3 and $4 the bounds of the ids, $5 the most runs to read in each index. The caller''s values are only in the parameters, never in the text.';

-- sql/450_runs/84_find_flow_runs.sql

create function private.find_flow_runs(filter private.run_filter, skip integer, take integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- A plan that merges the index of owners and the index of starters can stop as soon as it has the wanted runs. Other
-- plans first read and sort all runs. The planner does not know how rare a searched text is, so without these settings
-- it might choose such a plan.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
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
      select q.id, q.flow_id, q.deployment_id, q.schedule_id, q.webhook_id, q.status, q.user_id, q.started_by,
        q.started_by_public_key, q.started_by_run_id, q.created_at, q.start_time, q.end_time,
        private.starter_kind(q.schedule_id, q.webhook_id, q.started_by_run_id, q.started_by_public_key) as starter,
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
$$;
comment on function private.find_flow_runs(private.run_filter, integer, integer) is
  'Implements public.find_flow_runs. Definer, because the query itself selects the user''s runs, by an index. The policies would slow the query.';
grant execute on function private.find_flow_runs(private.run_filter, integer, integer)
  to anon, authenticated, service_role;

-- Reads the newest 100,000 runs of the deployment, schedule, webhook or flow that the filter names. Without such a
-- filter, reads the newest 100,000 runs that the user owns, and the newest 100,000 that the user started. If the search
-- stopped at this limit, is_complete is false. In this case, call again with `until` to search older runs. first_error
-- has at most 1,000 characters.
create function public.find_flow_runs(
  search text default null, flow integer default null, deployment uuid default null, schedule uuid default null,
  webhook uuid default null, status text default null, starter text default null, since timestamptz default null,
  until timestamptz default null, skip integer default 0, take integer default 25
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.find_flow_runs(
    row(search, flow, deployment, schedule, webhook, status, starter, since, until)::private.run_filter, skip, take
  );
end;
comment on function public.find_flow_runs(
  text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz, integer, integer
) is
  'The root runs that the caller owns or started, the newest first, without inputs and output: {runs, is_complete}. search: text in the errors, or the beginning of the id of the run or its starter, or of the starter''s public key. starter: schedule, webhook, flow, user or key. 400 request_invalid; 401.';
grant execute on function public.find_flow_runs(
  text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz, integer, integer
) to anon, authenticated, service_role;

-- sql/450_runs/86_flow_run_overview.sql

create function private.error_parts(line text, out node_id uuid, out node text, out message text)
language sql immutable security invoker
begin atomic
  -- A line is "<name> <node id>[#times]: <message>"; errors of the run itself have no node.
  select
    left(p.place, 36)::uuid,
    left(l.line, strpos(l.line, ' ' || p.place || ': ') - 1),
    left(coalesce(
      substr(l.line, strpos(l.line, ' ' || p.place || ': ') + length(p.place) + 3),
      error_parts.line
    ), 300)
  from (select left(error_parts.line, 1000) as line) as l,
    lateral (
      select substring(
        l.line from ' ([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:#[0-9]+)?): '
      ) as place
    ) as p;
end;
comment on function private.error_parts(text) is
  'The parts of a line of flow_run.errors: the node and its name (null for errors of the run itself), and the beginning of the message.';

create function private.flow_run_overview(filter private.run_filter)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- private.find_flow_runs() has the same settings, and says why.
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_max_runs constant integer := private.limit_runs_counted();
  v_since constant timestamptz := coalesce(
    (flow_run_overview.filter).since, coalesce((flow_run_overview.filter).until, now()) - interval '1 day'
  );
  v_until constant timestamptz := coalesce((flow_run_overview.filter).until, now());
  v_from uuid;
  v_to uuid;
  v_overview jsonb;
begin
  perform private.check_run_filter(flow_run_overview.filter);
  if v_since >= v_until then
    perform private.fail('request_invalid', 'since: must be before until.');
  end if;
  v_from := private.first_uuid_v7(v_since);
  v_to := private.first_uuid_v7(v_until + interval '1 millisecond');
  execute format(
    'with found as materialized (
      select q.id, q.status, q.created_at, q.error_code, left(q.errors[1], 1000) as first_error,
        (extract(epoch from q.end_time - q.start_time) * 1000)::double precision as duration_ms,
        least(floor(extract(epoch from q.created_at - $7) / extract(epoch from $8 - $7) * 24), 23)::integer as part
      from (%s) as q order by q.id desc limit $6 + 1
    ), counted as (
      select f.* from found as f order by f.id desc limit $6
    )
    select jsonb_build_object(
      ''since'', $7, ''until'', $8,
      ''runs'', (select count(*) from counted), ''is_complete'', (select count(*) from found) <= $6,
      ''by_status'', (
        select coalesce(jsonb_object_agg(s.status, s.count), ''{}'')
        from (select c.status, count(*) as count from counted as c group by c.status) as s
      ),
      ''parts'', (
        select coalesce(
          jsonb_agg(jsonb_build_object(''part'', p.part, ''status'', p.status, ''count'', p.count)), ''[]''
        )
        from (select c.part, c.status, count(*) as count from counted as c group by c.part, c.status) as p
      ),
      ''durations'', (
        select coalesce(jsonb_agg(jsonb_build_object(
          ''id'', d.id, ''status'', d.status, ''created_at'', d.created_at, ''ms'', round(d.duration_ms)
        )), ''[]'')
        from (select c.* from counted as c where c.duration_ms is not null order by c.id desc limit 500) as d
      ),
      ''duration_ms'', (
        select jsonb_build_object(
          ''p50'', round(percentile_cont(0.5) within group (order by c.duration_ms)),
          ''p95'', round(percentile_cont(0.95) within group (order by c.duration_ms))
        ) from counted as c
      ),
      ''failures'', (
        select coalesce(jsonb_agg(to_jsonb(g) order by g.count desc, g.last_id desc), ''[]'')
        from (
          select p.node_id, max(p.node) as node, c.error_code as code, p.message, count(*) as count,
            max(c.id::text) as last_id
          from counted as c cross join lateral private.error_parts(c.first_error) as p
          where c.status = ''failed''
          group by p.node_id, c.error_code, p.message order by count(*) desc, max(c.id::text) desc limit 20
        ) as g
      )
    )', private.run_query(flow_run_overview.filter)
  ) into v_overview
  using flow_run_overview.filter, v_user_id, v_from, v_to, private.limit_runs_searched(), v_max_runs, v_since, v_until;
  return v_overview;
end;
$$;
comment on function private.flow_run_overview(private.run_filter) is
  'Implements public.flow_run_overview. Definer for the same reason as private.find_flow_runs().';
grant execute on function private.flow_run_overview(private.run_filter) to anon, authenticated, service_role;

-- `since` is by default a day before `until`, and `until` is by default the present time. Counts the newest 5,000 runs;
-- is_complete is false if there are more. parts: the counts by status in 24 equal parts of the period, numbered from 0.
-- durations: the newest 500 ended runs. failures: the 20 most frequent first errors of failed runs, grouped by node and
-- text.
create function public.flow_run_overview(
  search text default null, flow integer default null, deployment uuid default null, schedule uuid default null,
  webhook uuid default null, status text default null, starter text default null, since timestamptz default null,
  until timestamptz default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.flow_run_overview(
    row(search, flow, deployment, schedule, webhook, status, starter, since, until)::private.run_filter
  );
end;
-- The result: {since, until, runs, is_complete, by_status, parts: [{part, status, count}],
-- durations: [{id, status, created_at, ms}], duration_ms: {p50, p95},
-- failures: [{node_id, node, code, message, count, last_id}]}.
comment on function public.flow_run_overview(text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz) is
  'Counts the runs that find_flow_runs finds with the same filter, by status and by part of the period (default: one day). Counts the failures by node and text. Also lists durations. 400 request_invalid; 401.';
grant execute on function public.flow_run_overview(
  text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz
) to anon, authenticated, service_role;

-- sql/450_runs/90_run_events.sql

-- The events of a run, for the clients that watch it. Events are numbered without gaps, in the order in which they
-- were stored. A transaction that stores an event holds the lock of the root run. So the events of a tree of runs
-- are committed in the order of their numbers. A client that has seen number 7 has seen all events up to 7, and
-- continues with 8.
--
-- The table stores only numbers and keys, one row for each transaction. The contents of an event are read on request,
-- from the rows that the keys name. The start of the root run is number 1, and its end is the last number. The table
-- does not store these two events, because flow_run has the start time and the end time.
--
-- Most runs are short. A short run calls no flows, requests no inputs, and has at most 100 node runs and log lines. A
-- single transaction stores all of its events and ends it. Before this transaction, clients see none of these events.
-- After the transaction, the run gets no more events, so their numbers can be computed at any time. So the table has no
-- rows for a short run, and private.unnumbered_events computes the events on request.

create type private.run_event as (
  event text, flow_run_id uuid, node_id uuid, times integer, log_index integer, request_id bigint, input_id uuid
);
comment on type private.run_event is
  'The kind of an event, and the key of the row with its contents: a run (run_start, run_finish), a node execution (node_start, node_finish), a log line (log) or a request to somebody outside (signature_request, api_input).';

create table private.flow_run_events (
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  first_number integer not null,
  last_number integer not null,
  events private.run_event[] not null,
  primary key (root_flow_run_id, last_number),
  constraint flow_run_events_numbers check (first_number >= 2 and last_number - first_number + 1 = cardinality(events))
);
comment on table private.flow_run_events is
  'The keys of the events of root runs and their called runs, one row for each transaction that stored events. A short run has no rows, if the transaction that ended it stored all its events. Rows are deleted with their run.';
comment on column private.flow_run_events.root_flow_run_id is
  'The root run. Clients that watch the root run get the events of all runs in its tree.';
comment on column private.flow_run_events.first_number is
  'The number of the first event in `events`. Number 1 is the start of the root run.';

create type private.new_run_event as (
  root_flow_run_id uuid, position integer, "time" timestamptz, event private.run_event
);
comment on type private.new_run_event is
  'An event to add to a root run. Events that one claim stores together are ordered by position. Events without a position are ordered by time.';

create function private.add_run_events(events private.new_run_event[])
returns void
language plpgsql volatile security definer
set search_path = ''
-- With a generic plan, Postgres plans the statements once. Otherwise it would plan them again for the arrays of each
-- call, and planning takes longer than executing.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  if coalesce(cardinality(add_run_events.events), 0) = 0 then
    return;
  end if;
  insert into private.flow_run_events (root_flow_run_id, first_number, last_number, events)
  select n.root_flow_run_id, l.number + 1, l.number + cardinality(n.events), n.events
  from (
    select e.root_flow_run_id, array_agg(e.event order by e.position, e.time,
      array_position('{run_start,node_start,log,signature_request,api_input,node_finish,run_finish}', (e.event).event)
    ) as events
    from unnest(add_run_events.events) as e group by e.root_flow_run_id
  ) as n
  cross join lateral (
    select coalesce(max(s.last_number), 1) as number
    from private.flow_run_events as s where s.root_flow_run_id = n.root_flow_run_id
  ) as l;
  perform private.announce_run_news(r.id, 'events')
  from (select distinct e.root_flow_run_id from unnest(add_run_events.events) as e) as r (id);
end;
$$;
comment on function private.add_run_events(private.new_run_event[]) is
  'Adds events to their root runs, and notifies the watching sessions when the transaction commits. The caller has locked the root runs and stored the rows that the events name. Definer, because no API role may write events.';

create function private.unnumbered_events(root_flow_run_id uuid)
returns private.run_event[]
language sql stable security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with sequential scans while the tables are empty, and reuse it when
-- they are full.
set enable_seqscan = off
as $$
  select array_agg(
    (
      e.event, unnumbered_events.root_flow_run_id, e.node_id, e.times, e.log_index, null, null
    )::private.run_event order by
    e.time, array_position('{node_start,log,node_finish}', e.event), e.node_id, e.times, e.log_index
  )
  from (
    select t.event, n.node_id, n.times, null::integer as log_index, t.time
    from public.node_run as n
    cross join lateral (values ('node_start', n.start_time), ('node_finish', n.end_time)) as t (event, "time")
    where n.flow_run_id = unnumbered_events.root_flow_run_id and t.time is not null
    union all
    select 'log', l.node_id, l.times, l.log_index, l.time
    from public.flow_run_logs as l where l.flow_run_id = unnumbered_events.root_flow_run_id
  ) as e;
$$;
-- Call this for a root run that has ended and has no rows in flow_run_events. The transaction that ended the run stored
-- all rows of the run in node_run and flow_run_logs, at most a hundred. The worker gave these rows different times, in
-- the order of the events.
comment on function private.unnumbered_events(uuid) is
  'For an ended root run that has no rows in flow_run_events: its events from number 2 on, without the end of the run. Definer, because it reads the runs of any user. The calling functions check the user.';

create function private.event_value(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Test the stored size first, because it is known without reading the value. Stored values may be compressed, so a
  -- value with a small stored size may still have a long text.
  if pg_column_size(event_value.value) > private.limit_event_value_bytes()
    or octet_length(event_value.value::text) > private.limit_event_value_bytes()
  then
    return null;
  end if;
  return event_value.value;
end;
$$;
comment on function private.event_value(jsonb) is
  'The value to show in an event: the value itself, or null if it has more than limit_event_value_bytes() bytes.';

create function private.run_events(root public.flow_run, after integer, max_bytes integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
-- Without enable_seqscan = off, Postgres could make a plan with sequential scans while the tables are empty, and reuse
-- it when they are full.
set enable_seqscan = off
set jit = off
as $$
declare
  -- The maximum number of events in a page.
  v_max_events constant integer := 200;
  -- The number of the last event before the end of the root run.
  v_last integer;
  v_end integer;
  -- The events between the start and the end of the root run, if the run has ended and private.flow_run_events has no
  -- rows for it. Otherwise null.
  v_unnumbered private.run_event[];
  -- The number of the last event of the last transaction that this page reads.
  v_until integer;
  v_page jsonb;
begin
  select max(e.last_number) into v_last from private.flow_run_events as e where e.root_flow_run_id = root.id;
  if v_last is null and root.end_time is not null then
    v_unnumbered := private.unnumbered_events(root.id);
  end if;
  v_last := coalesce(v_last, 1 + cardinality(v_unnumbered), 1);
  v_end := case
    when root.end_time is not null then v_last + 1
    -- Until the run starts, pages are empty. Events that were stored before the start get greater numbers than the
    -- start event.
    when root.start_time is null then 0
    else v_last
  end;
  if run_events.after >= v_end then
    return jsonb_build_object(
      'events', '[]'::jsonb, 'last', run_events.after, 'newest', v_end, 'has_more', false, 'has_ended',
      root.end_time is not null
    );
  end if;

  select coalesce(min(e.last_number), v_last) into v_until from private.flow_run_events as e
  where e.root_flow_run_id = root.id and e.last_number >= run_events.after + v_max_events;

  with told as (
    select 1 as number, 'run_start' as event, root.id as flow_run_id, null::uuid as node_id, null::integer as times,
      null::integer as log_index, null::bigint as request_id, null::uuid as input_id
    where run_events.after < 1 and root.start_time is not null
    union all
    select e.first_number + k.position::integer - 1,
      k.event, k.flow_run_id, k.node_id, k.times, k.log_index, k.request_id, k.input_id
    from (
      select s.first_number, s.events from private.flow_run_events as s
      where s.root_flow_run_id = root.id and s.last_number > run_events.after and s.last_number <= v_until
      union all
      select 2, v_unnumbered
    ) as e
    cross join lateral unnest(e.events) with ordinality
      as k (event, flow_run_id, node_id, times, log_index, request_id, input_id, position)
    where e.first_number + k.position - 1 > run_events.after
      and e.first_number + k.position - 1 <= run_events.after + v_max_events
    union all
    select v_end, 'run_finish', root.id, null, null, null, null, null
    where root.end_time is not null and run_events.after < v_end and v_end <= run_events.after + v_max_events
  ), run as materialized (
    select r.*
    from (select distinct t.flow_run_id from told as t) as d
    cross join lateral (select f.* from public.flow_run as f where f.id = d.flow_run_id offset 0) as r
  ), graph as materialized (
    -- Read each flow only once, for the names of its nodes.
    select r.is_entry, r.flow_id, case
      when r.is_entry then s.data #> '{entry,nodes}' else s.data #> array['flows', r.flow_id::text, 'nodes']
    end as nodes
    from (select distinct run.id = root.id as is_entry, run.flow_id from run) as r
    join private.flow_run_jobs as j on j.flow_run_id = root.id
    join private.flow_snapshots as s on s.hash = j.snapshot_hash
  ), node as materialized (
    select g.is_entry, g.flow_id, (n.node ->> 'id')::uuid as id,
      coalesce(nullif(n.node #>> '{data,display_name}', ''), n.node #>> '{data,node_id}') as name
    from graph as g cross join lateral jsonb_array_elements(g.nodes) as n (node)
    where (n.node ->> 'id')::uuid = any (array(select t.node_id from told as t where t.node_id is not null))
  ), described as (
    select t.number,
      case when t.event = 'node_finish' and x.errors is not null then 'node_error' else t.event end as event,
      jsonb_build_object(
        'flow_run_id', t.flow_run_id,
        'called_by', case when run.parent_flow_run_id is not null then jsonb_build_object(
          'flow_run_id', run.parent_flow_run_id, 'node_id', run.parent_node_id, 'times', run.parent_times
        ) end,
        'time', case t.event
          when 'run_start' then run.start_time when 'run_finish' then run.end_time when 'node_start' then x.start_time
          when 'node_finish' then x.end_time when 'log' then l.time when 'signature_request' then s.created_at
          when 'api_input' then i.created_at
        end
      )
      || case when t.event in ('run_start', 'run_finish') then '{}' else jsonb_build_object(
        'node_id', t.node_id, 'times', t.times, 'name', node.name
      ) end
      || case when t.event in ('node_start', 'node_finish')
        then jsonb_build_object('attempt', x.attempt, 'is_taken_over', x.is_taken_over) else '{}'
      end
      || case when t.event = 'node_finish' and x.errors is not null
        then jsonb_build_object('error_handled', x.error_handled) else '{}'
      end
      || case t.event
        when 'run_finish' then jsonb_build_object('status', run.status)
        when 'signature_request' then jsonb_build_object(
          'id', s.id, 'kind', s.kind, 'pubkey', s.pubkey, 'expires_at', s.expires_at
        )
        -- The event may contain the URL, because every caller who gets the event may also read the URL in
        -- pending_inputs.
        when 'api_input' then jsonb_build_object('id', i.id, 'url', i.url, 'expires_at', i.expires_at)
        else '{}'
      end as data,
      case
        when t.event = 'node_start' then jsonb_build_object('input', private.event_value(x.input))
        when t.event = 'node_finish' then jsonb_build_object('output', private.event_value(x.output))
          || case when x.errors is null then '{}' else jsonb_build_object('errors', x.errors) end
        when t.event = 'run_start' then jsonb_build_object('inputs', private.event_value(run.inputs))
        when t.event = 'run_finish' then jsonb_build_object(
          'output', private.event_value(run.output), 'errors', private.event_value(to_jsonb(run.errors))
        )
        when t.event = 'log' then jsonb_build_object(
          'log_index', l.log_index, 'log_level', l.log_level, 'module', l.module, 'content', l.content
        )
        else '{}'
      end as owner_data
    from told as t
    join run on run.id = t.flow_run_id
    left join node on node.id = t.node_id and node.flow_id = run.flow_id and node.is_entry = (run.id = root.id)
    left join lateral (
      select n.attempt, n.is_taken_over, n.error_handled, n.start_time, n.end_time, n.input, n.output, n.errors
      from public.node_run as n
      where t.event in ('node_start', 'node_finish')
        and n.flow_run_id = t.flow_run_id and n.node_id = t.node_id and n.times = t.times
      offset 0
    ) as x on true
    left join lateral (
      select g.* from public.flow_run_logs as g
      where t.event = 'log' and g.flow_run_id = t.flow_run_id and g.log_index = t.log_index offset 0
    ) as l on true
    left join lateral (
      select q.id, q.kind, q.created_at, q.pubkey, q.expires_at from public.signature_requests as q
      where t.event = 'signature_request' and q.id = t.request_id offset 0
    ) as s on true
    left join lateral (
      select a.id, private.uuid_v7_time(a.id) as created_at, a.expires_at, p.url
      from private.api_inputs as a
      left join public.pending_inputs as p on p.id = a.id and p.expires_at > now()
      where t.event = 'api_input' and a.id = t.input_id offset 0
    ) as i on true
  ), measured as (
    select d.*, sum(octet_length(d.data::text) + octet_length(d.owner_data::text)) over (order by d.number) as bytes,
      row_number() over (order by d.number) as position
    from described as d
  )
  select jsonb_build_object(
    'events', coalesce(jsonb_agg(jsonb_build_object(
      'id', m.number, 'event', m.event, 'data', m.data, 'owner', m.owner_data
    ) order by m.number), '[]'),
    'last', coalesce(max(m.number), run_events.after)
  ) into v_page
  from measured as m where m.bytes <= run_events.max_bytes or m.position = 1;

  return v_page || jsonb_build_object(
    'newest', v_end,
    'has_more', (v_page ->> 'last')::integer < v_end,
    'has_ended', root.end_time is not null and (v_page ->> 'last')::integer >= v_end
  );
end;
$$;
-- A page has at most 200 events and at most max_bytes. If the next event alone has more than max_bytes, the page has
-- only this event. In each event, `owner` holds the members that are added to `data` only for the flow's owner. The
-- next page continues after `last`. `newest` is the greatest number so far. `has_ended` is true if no more events will
-- follow.
comment on function private.run_events(public.flow_run, integer, integer) is
  'A page of a root run''s events, those with numbers greater than `after`: {events: [{id, event, data, owner}], last, newest, has_more, has_ended}. Definer, because it reads the runs of any user. The calling functions check the user.';

create function private.flow_run_events(flow_run_id uuid, after integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_root public.flow_run := private.run_for_caller(private.root_run_id(flow_run_events.flow_run_id));
  v_caller private.caller := private.caller();
  v_is_owner boolean := v_root.user_id is not distinct from v_caller.user_id;
  v_page jsonb;
begin
  if (flow_run_events.after >= 0) is not true then
    perform private.fail('request_invalid',
      'after: must be an integer from 0 to 2147483647: the id of an event, or 0.');
  end if;
  v_page := private.run_events(v_root, flow_run_events.after, 32768);
  if flow_run_events.after > (v_page ->> 'newest')::integer then
    perform private.fail('request_invalid',
      'after: must be the id of an event of this run, but it is greater than the id of the newest event.');
  end if;
  return (v_page - 'newest') || jsonb_build_object(
    'flow_run_id', v_root.id, 'is_owner', v_is_owner, 'owner_id', v_root.user_id,
    'caller', coalesce(v_caller.user_id, v_caller.run_id),
    'is_guest', v_caller.user_id is null or v_caller.is_anonymous,
    'is_overdue', v_root.end_time is null and private.has_claimable_run(interval '2 seconds'),
    'events', (
      select coalesce(jsonb_agg(
        case when v_is_owner
          then e.event || jsonb_build_object('data', (e.event -> 'data') || (e.event -> 'owner')) else e.event
        end - 'owner'
        order by e.position
      ), '[]')
      from jsonb_array_elements(v_page -> 'events') with ordinality as e (event, position)
      where v_is_owner or e.event ->> 'event' <> 'log'
    )
  );
end;
$$;
comment on function private.flow_run_events(uuid, integer) is
  'Implements public.flow_run_events. Definer, because no API role may call private.run_for_caller().';
grant execute on function private.flow_run_events(uuid, integer) to anon, authenticated, service_role;

create function public.flow_run_events(flow_run_id uuid, after integer default 0)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_events(flow_run_id, after);
$$;
-- flow_run_id may itself be a called run; the events are those of the whole tree. Only the owner of the flow gets
-- values, errors and log lines. `after` is `last` of the previous page. has_ended: no more events will follow.
-- is_overdue: as in flow_run_result. GET /flow/events/{flow_run_id} sends events as they happen. 400
-- request_invalid; 401; 404 flow_run_not_found.
comment on function public.flow_run_events(uuid, integer) is
  'A page of the events of a run''s tree, for those who may see the root run: {events: [{id, event, data}], last, has_more, has_ended, flow_run_id, is_owner, owner_id, caller, is_guest, is_overdue}. after: `last` of the previous page. 400 request_invalid; 401; 404 flow_run_not_found.';
grant execute on function public.flow_run_events(uuid, integer) to anon, authenticated, service_role;

create function private.watched_run_events(flow_run_ids uuid[], after integer[])
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_agg(
      coalesce(p.page, '{"events": [], "has_more": false, "has_ended": true}')
        || jsonb_build_object('flow_run_id', w.id)
    ), '[]')
    from unnest(watched_run_events.flow_run_ids, watched_run_events.after) as w (id, after)
    left join lateral (
      -- All pages together have at most 4 MiB, except that each page may have one event of any size.
      select private.run_events(
        r, w.after, least(32768, 4194304 / greatest(cardinality(watched_run_events.flow_run_ids), 1))
      ) as page
      from public.flow_run as r where r.id = w.id offset 0
    ) as p on true
    where p.page is null or p.page -> 'events' <> '[]' or (p.page -> 'has_ended')::boolean
  );
end;
$$;
comment on function private.watched_run_events(uuid[], integer[]) is
  'Implements public.watched_run_events. Definer, because one call serves many clients, but policies apply to a single user. The Edge Functions have checked the clients.';
grant execute on function private.watched_run_events(uuid[], integer[]) to service_role;

create function public.watched_run_events(flow_run_ids uuid[], after integer[])
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.watched_run_events(flow_run_ids, after);
$$;
-- The Edge Functions watch on behalf of callers. `owner` has the members that the Edge Functions add to `data` only for
-- the owner of the flow. For a deleted run, the answer has no events, and has_ended is true.
comment on function public.watched_run_events(uuid[], integer[]) is
  'For the Edge Functions: the next events of these root runs, [{flow_run_id, events: [{id, event, data, owner}], last, has_more, has_ended}]. `after` has one number for each run; events with greater numbers are returned. Runs without new events are left out.';
grant execute on function public.watched_run_events(uuid[], integer[]) to service_role;

-- sql/500_pending_inputs/10_api_inputs.sql

-- How a run waits for an answer from outside, at a node `api_input`:
--
--   ask       With the progress of a run, the runner sends the inputs that nodes ask for, and store_api_inputs stores
--             them. Users can't read the table below; pending_inputs holds the columns that they may read. The run is
--             released, and sleeps until the input expires.
--   answer    submit_input and cancel_input find an open input by the token in its URL, end the input, and wake the
--             run.
--   take      take_api_inputs returns the outcomes of a run's inputs to the runner. If the time of an open input is
--             over, take_api_inputs sets the outcome to expired.
--
-- All three steps lock the root run first, so an input never gets a second outcome. When the run ends or is being
-- stopped, its open inputs are deleted from pending_inputs and can't be answered any more.
create table private.api_inputs (
  id uuid primary key default private.uuid_v7(),
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  token_hash bytea not null,
  expires_at timestamptz not null,
  outcome text,
  value jsonb,
  idempotency_key_hash bytea,
  constraint api_inputs_execution_key unique (flow_run_id, node_id, times),
  constraint api_inputs_token_hash_key unique (token_hash),
  constraint api_inputs_times_natural check (times >= 0),
  constraint api_inputs_token_hash_length check (octet_length(token_hash) = 32),
  constraint api_inputs_outcome_known check (outcome in ('submitted', 'cancelled', 'expired')),
  constraint api_inputs_value_matches_outcome check ((outcome is not distinct from 'submitted') = (value is not null)),
  constraint api_inputs_idempotency_key_hash_length check (octet_length(idempotency_key_hash) = 32),
  constraint api_inputs_idempotency_key_has_answer check (
    idempotency_key_hash is null or coalesce(outcome in ('submitted', 'cancelled'), false)
  )
);
comment on table private.api_inputs is
  'All inputs that nodes api_input asked for, open or ended, with their outcome. An input is kept as long as its run, so that submit_input and cancel_input can recognise a repeated answer.';
comment on column private.api_inputs.flow_run_id is
  'The run of the node execution that asks; node_id and times name the execution. root_flow_run_id is the root of the run''s tree.';
comment on column private.api_inputs.token_hash is
  'SHA-256 of the token in the URL. An answer finds its input by this hash.';
comment on column private.api_inputs.expires_at is 'The node fails if there is no answer by this time.';
comment on column private.api_inputs.outcome is
  'submitted, cancelled or expired. Null while the node waits. It stays null if the run ended first.';
comment on column private.api_inputs.value is
  'The submitted value as a tagged value, such as {"S": "text"}. Null if none was submitted.';
comment on column private.api_inputs.idempotency_key_hash is
  'SHA-256 of the Idempotency-Key of the answer; null if the answer had no key.';

create index api_inputs_root_flow_run_id_idx on private.api_inputs (root_flow_run_id);

-- sql/500_pending_inputs/20_pending_inputs.sql

create table public.pending_inputs (
  id uuid primary key references private.api_inputs (id) on delete cascade,
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null,
  owner_id uuid not null,
  started_by uuid,
  url text not null,
  expires_at timestamptz not null,
  title text,
  description text,
  json_schema jsonb,
  choices jsonb,
  constraint pending_inputs_url_length check (length(url) <= 2048),
  constraint pending_inputs_title_length check (char_length(title) <= private.limit_input_title_characters()),
  constraint pending_inputs_description_length
    check (char_length(description) <= private.limit_input_description_characters()),
  -- The runner checks the limit on the schema's JSON without spaces. The text of jsonb has a space after each comma and
  -- colon, so the check here allows twice as many bytes.
  constraint pending_inputs_json_schema_object check (
    jsonb_typeof(json_schema) = 'object' and octet_length(json_schema::text) <= 2 * private.limit_input_schema_bytes()
  ),
  constraint pending_inputs_choices_list check (
    jsonb_typeof(choices) = 'array'
      and jsonb_array_length(choices) between 1 and private.limit_input_choices()
      and octet_length(choices::text) <= 2 * private.limit_input_schema_bytes()
  ),
  constraint pending_inputs_one_form check (num_nonnulls(json_schema, choices) <= 1)
);
comment on table public.pending_inputs is
  'The open inputs of runs: one row for each waiting execution of a node api_input. Only functions write rows. The flow''s owner, the starter and the holder of the run token read them. A row is deleted when its input is answered or has expired, and when the run ends or is being stopped.';
comment on column public.pending_inputs.flow_run_id is
  'The run of the node execution that waits; node_id and times name the execution. root_flow_run_id is the root of the run''s tree: the started run, for which the run token is valid.';
comment on column public.pending_inputs.root_flow_run_id is
  'The started run. No foreign key is needed: the row is deleted with the row of private.api_inputs that has the same id, and there root_flow_run_id is a foreign key.';
comment on column public.pending_inputs.owner_id is
  'The owner of the flow. No foreign key is needed: the row is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.pending_inputs.started_by is
  'The user who started the run; null if the starter sent only a public key, or has been deleted. There is no foreign key: a trigger sets this column to null when the user is deleted.';
comment on column public.pending_inputs.url is
  'The URL for the answer: POST submits a value, DELETE cancels. It ends in a random token, which is the only credential. The URL is stored in two places: here, while the input is open, and in the message to webhook_url. Only the owner reads the message.';
comment on column public.pending_inputs.expires_at is 'The node fails if there is no answer by this time.';
comment on column public.pending_inputs.title is 'The question, for people; null if the node has none.';
comment on column public.pending_inputs.description is 'More about the question; null if the node has none.';
comment on column public.pending_inputs.json_schema is
  'The JSON Schema that the answer must fit. The Edge Function checks the answer as plain JSON, without type tags. Null if the answer may be any value.';
comment on column public.pending_inputs.choices is
  'The texts from which the answer must be chosen; null if the node lists none.';

create index pending_inputs_flow_run_id_idx on public.pending_inputs (flow_run_id);
create index pending_inputs_root_flow_run_id_idx on public.pending_inputs (root_flow_run_id, id);
create index pending_inputs_owner_id_idx on public.pending_inputs (owner_id, id);
create index pending_inputs_started_by_idx on public.pending_inputs (started_by, id) where started_by is not null;

alter table public.pending_inputs enable row level security;
-- An expired row stays until a worker has claimed its run. Until then, the policies hide the row, and its input can't
-- be answered.
create policy pending_inputs_select_party on public.pending_inputs for select to authenticated
  using (
    expires_at > (select now())
    and (
      owner_id = (select auth.uid()) or started_by = (select auth.uid())
        or root_flow_run_id = (select private.token_run_id())
    )
  );
create policy pending_inputs_select_token on public.pending_inputs for select to anon
  using (expires_at > (select now()) and root_flow_run_id = (select private.token_run_id()));

grant select on public.pending_inputs to anon, authenticated;
grant select on public.pending_inputs to service_role;

create function private.store_api_inputs(run public.flow_run, inputs jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
  v_news jsonb;
begin
  with given as (
    select i.*, sha256(convert_to(i.token, 'UTF8')) as token_hash
    from jsonb_to_recordset(store_api_inputs.inputs) as i (
      flow_run_id uuid, node_id uuid, times integer, token text, url text, timeout_ms bigint, position integer,
      webhook jsonb, question jsonb
    )
  ), asked as (
    insert into private.api_inputs (flow_run_id, node_id, times, root_flow_run_id, token_hash, expires_at)
    select g.flow_run_id, g.node_id, g.times, run.id, g.token_hash,
      clock_timestamp() + g.timeout_ms * interval '1 millisecond'
    from given as g
    on conflict on constraint api_inputs_execution_key do nothing
    returning *
  ), pending as (
    insert into public.pending_inputs (
      id, flow_run_id, node_id, times, root_flow_run_id, owner_id, started_by, url, expires_at, title, description,
      json_schema, choices
    )
    select a.id, a.flow_run_id, a.node_id, a.times, a.root_flow_run_id, run.user_id, run.started_by, g.url,
      a.expires_at, g.question ->> 'title', g.question ->> 'description', nullif(g.question -> 'json_schema', 'null'),
      nullif(g.question -> 'choices', 'null')
    from asked as a
    join given as g on g.token_hash = a.token_hash
    order by a.id
  )
  select
    array_agg((
      run.id, g.position, private.uuid_v7_time(a.id),
      ('api_input', a.flow_run_id, a.node_id, a.times, null, null, a.id)::private.run_event
    )::private.new_run_event),
    jsonb_agg(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'api_input', 'url', g.webhook ->> 'url', 'headers', g.webhook -> 'headers',
      'data', jsonb_build_object('api_input', jsonb_build_object(
        'id', a.id, 'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'url', g.url,
        'expires_at', a.expires_at, 'extra', g.webhook -> 'extra'
      ) || jsonb_strip_nulls(coalesce(g.question - 'json_schema', '{}')) || case
        when jsonb_typeof(g.question -> 'json_schema') = 'object'
          then jsonb_build_object('json_schema', g.question -> 'json_schema')
        else '{}'
      end)
    ) order by g.position) filter (where g.webhook ->> 'url' is not null)
  into v_events, v_news
  from asked as a
  join given as g on g.token_hash = a.token_hash;
  if v_news is not null then
    perform private.prepare_webhooks(run.user_id, run.flow_id);
    perform private.queue_webhook_deliveries(v_news);
  end if;
  if v_events is not null then
    perform private.announce_run_news(run.id, 'ends');
  end if;
  return v_events;
end;
$$;
comment on function private.store_api_inputs(public.flow_run, jsonb) is
  'Stores inputs that nodes in a root run''s tree ask for, [{flow_run_id, node_id, times, token, url, timeout_ms, position, webhook, question}], and messages to webhook.url. Returns the resulting events. A repeated call changes nothing. Definer, because no API role may write inputs.';

create function private.tg_users__after_delete_inputs()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.pending_inputs as p set started_by = null where p.started_by = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete_inputs() is
  'Sets started_by to null in the pending inputs of runs that a deleted user started. Definer, because roles that delete users may not write pending inputs.';
create trigger _600_forget_inputs after delete on auth.users
  for each row execute function private.tg_users__after_delete_inputs();

-- sql/500_pending_inputs/30_answer_input.sql

-- Lock the root run before the call.
create function private.end_open_input(root_flow_run_id uuid, answer private.api_inputs)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most constant bigint := private.limit_answers_bytes();
  v_bytes bigint := coalesce(octet_length((end_open_input.answer).value::text), 0);
  v_job private.flow_run_jobs;
begin
  select j.* into v_job from private.flow_run_jobs as j
    where j.flow_run_id = end_open_input.root_flow_run_id for no key update;
  -- A run that has ended or is being stopped accepts no answers.
  if v_job.message_id is null or v_job.stop_requested_at is not null then
    return false;
  end if;
  update private.api_inputs as a
  set outcome = answer.outcome, value = answer.value, idempotency_key_hash = answer.idempotency_key_hash
  where a.token_hash = answer.token_hash and a.outcome is null and a.expires_at > clock_timestamp();
  if not found then
    return false;
  end if;
  if v_job.input_bytes + v_bytes > v_most then
    perform private.fail('inputs_too_large',
      format('value: all answers to one run together must have at most %s of JSON.', private.size_text(v_most)));
  end if;
  delete from public.pending_inputs as p
  where p.id = (select a.id from private.api_inputs as a where a.token_hash = answer.token_hash);
  update private.flow_run_jobs as j
  set input_bytes = j.input_bytes + v_bytes, has_ended_inputs = true
  where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A worker that holds the run learns of the answer at its next heartbeat. If the worker releases the run first,
  -- another worker can claim it at once.
  perform private.wake_flow_run(end_open_input.root_flow_run_id);
  return true;
end;
$$;
comment on function private.end_open_input(uuid, private.api_inputs) is
  'Ends the open input that the token of an answer names. Stores the answer''s outcome, value and idempotency_key_hash, and wakes the run. Returns false if the input is not open. 413 inputs_too_large. Definer, because no API role may write inputs or access jobs.';

create function private.fail_for_unknown_input()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('pending_input_not_found', 'There is no such pending input.',
    hint => 'The URL of an input stops working when the input expires, or when its run ends or is stopped.');
end;
$$;
comment on function private.fail_for_unknown_input() is
  'Raises the same 404 pending_input_not_found for a token that is unknown or has expired, and for a token of a run that has ended or is being stopped.';

create function private.pending_input_owners(tokens text[])
returns uuid[]
language sql stable security definer
set search_path = ''
set enable_seqscan = off
as $$
  select array_agg(j.user_id order by t.place)
  from unnest(pending_input_owners.tokens) with ordinality as t (token, place)
  left join private.api_inputs as a on a.token_hash = sha256(convert_to(t.token, 'UTF8'))
  left join private.flow_run_jobs as j on j.flow_run_id = a.root_flow_run_id and (
    a.outcome in ('submitted', 'cancelled')
    or a.outcome is null and a.expires_at > clock_timestamp() and j.message_id is not null
      and j.stop_requested_at is null
  );
$$;
comment on function private.pending_input_owners(text[]) is
  'Implements public.pending_input_owners. Definer, because no API role may access inputs and jobs.';
grant execute on function private.pending_input_owners(text[]) to service_role;

create function public.pending_input_owners(tokens text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.pending_input_owners(tokens);
end;
comment on function public.pending_input_owners(text[]) is
  'For the Edge Function `flow`, which lets the owners of runs take turns. Returns one entry for each token of an input, in the order of the tokens: the owner of the run that asks for the input, or null if submit_input would refuse the token with 404.';
grant execute on function public.pending_input_owners(text[]) to service_role;

create function private.question_of_input(token text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select jsonb_build_object('json_schema', p.json_schema, 'choices', p.choices)
  from private.api_inputs as a
  join public.pending_inputs as p on p.id = a.id
  where a.token_hash = sha256(convert_to(question_of_input.token, 'UTF8'))
    and num_nonnulls(p.json_schema, p.choices) > 0;
$$;
comment on function private.question_of_input(text) is
  'The answers that the open input of a token accepts, {json_schema, choices}. Null if the input accepts any answer, or if the token has no open input. Definer, because no API role may access private.api_inputs.';

create function private.check_answer(token text, idempotency_key text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if length(check_answer.idempotency_key) not between 1 and private.limit_idempotency_key_characters() then
    perform private.fail('idempotency_key_invalid',
      format('Idempotency-Key must have 1 to %s characters.', private.limit_idempotency_key_characters()));
  end if;
  perform from private.api_inputs as a where a.token_hash = sha256(convert_to(check_answer.token, 'UTF8'));
  if not found then
    perform private.fail_for_unknown_input();
  end if;
end;
$$;
comment on function private.check_answer(text, text) is
  'Refuses an answer before its value is read: 400 idempotency_key_invalid; 404 pending_input_not_found for a token that never existed. The idempotency key may be short: it need not be secret, because the token is the credential. Definer, because no API role may access private.api_inputs.';

create function private.answer_input(token text, outcome text, value jsonb, idempotency_key text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_answer private.api_inputs;
  v_stored private.api_inputs;
begin
  v_answer.token_hash := sha256(convert_to(answer_input.token, 'UTF8'));
  v_answer.outcome := answer_input.outcome;
  v_answer.value := answer_input.value;
  v_answer.idempotency_key_hash := sha256(convert_to(answer_input.idempotency_key, 'UTF8'));
  -- Lock the run first, as claims, stops and ends of runs do. So if two answers arrive at once, the second sees the
  -- outcome of the first.
  perform from public.flow_run as r
  where r.id = (select a.root_flow_run_id from private.api_inputs as a where a.token_hash = v_answer.token_hash)
  for no key update;
  select a.* into v_stored from private.api_inputs as a where a.token_hash = v_answer.token_hash;

  if v_stored.outcome in ('submitted', 'cancelled') then
    if (v_stored.outcome, v_stored.value, v_stored.idempotency_key_hash) is not distinct from (v_answer.outcome,
      v_answer.value, v_answer.idempotency_key_hash)
      and answer_input.idempotency_key is not null
    then
      return;
    end if;
    perform private.fail('pending_input_answered',
      'This input was already submitted or cancelled: its URL works only once.',
      hint => 'Send requests with an Idempotency-Key: then you can repeat a request whose response was lost.');
  end if;
  if v_stored.id is null or not private.end_open_input(v_stored.root_flow_run_id, v_answer) then
    perform private.fail_for_unknown_input();
  end if;
end;
$$;
comment on function private.answer_input(text, text, jsonb, text) is
  'Ends the input of a token. A call that repeats an answer with its Idempotency-Key succeeds, but stores nothing. 404 pending_input_not_found; 409 pending_input_answered; 413 inputs_too_large. Definer, because no API role may write inputs. The token is the caller''s only credential.';

create function private.answer_value(value jsonb, "values" jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_value jsonb := answer_value.value;
begin
  if (answer_value.value is null) = (answer_value.values is null)
    or answer_value.values is not null and jsonb_array_length(answer_value.values) <> 1
  then
    perform private.fail(
      'inputs_invalid',
      'Send "value" with a tagged value, such as {"S": "text"}, or "values" with an array of one plain JSON value, '
      'but not both.'
    );
  end if;
  if answer_value.values is not null then
    perform private.check_plain_json(answer_value.values);
    if private.is_too_deep(answer_value.values -> 0) then
      perform private.fail(
        'inputs_invalid', format('values: is nested deeper than %s levels', private.limit_value_levels())
      );
    end if;
    v_value := private.value_of_json(answer_value.values -> 0);
  end if;
  -- The value becomes the only output of the node, so it must keep within the bounds of outputs. check_inputs has
  -- the same bounds.
  perform private.check_inputs(jsonb_build_object('value', v_value));
  return v_value;
end;
$$;
comment on function private.answer_value(jsonb, jsonb) is
  'The value that an answer submits: `value` unchanged, or the value converted from `values`, an array of one plain JSON value. 400 inputs_invalid; 413 inputs_too_large.';

create function private.submit_input(
  token text, value jsonb, "values" jsonb, idempotency_key text, is_checked boolean default false
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_question jsonb;
begin
  perform private.check_answer(submit_input.token, submit_input.idempotency_key);
  if submit_input.is_checked is not true then
    v_question := private.question_of_input(submit_input.token);
    if v_question is not null then
      return v_question;
    end if;
  end if;
  perform private.answer_input(
    submit_input.token, 'submitted', private.answer_value(submit_input.value, submit_input.values),
    submit_input.idempotency_key
  );
  return null;
end;
$$;
comment on function private.submit_input(text, jsonb, jsonb, text, boolean) is
  'Implements public.submit_input. Definer, because no API role may access private.api_inputs.';
grant execute on function private.submit_input(text, jsonb, jsonb, text, boolean) to service_role;

-- Takes either `value`, a tagged value, or `values`, an array of one plain JSON value. (Without the array, a plain null
-- would count as missing.) The Edge Function has checked the ranges of numbers. If the node accepts any value, one call
-- is enough to store it. If the node accepts only certain answers, the first call stores nothing and returns
-- {json_schema, choices}. The Edge Function then checks the answer, because SQL can't check a JSON Schema, and calls
-- again with is_checked. A token works once, but the same value with the same idempotency_key succeeds again. 400
-- inputs_invalid, idempotency_key_invalid; 404 pending_input_not_found for a token that is unknown or expired, or whose
-- run has ended or is being stopped; 409 pending_input_answered; 413 inputs_too_large.
create function public.submit_input(
  token text, value jsonb default null, "values" jsonb default null, idempotency_key text default null,
  is_checked boolean default false
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.submit_input(token, value, values, idempotency_key, is_checked);
$$;
comment on function public.submit_input(text, jsonb, jsonb, text, boolean) is
  'For the Edge Function flow: submits the value for a waiting api_input node, found by the token in its URL, and wakes the run. Returns null. If the answer must be checked first, stores nothing and returns {json_schema, choices}. Errors: 400, 404, 409, 413.';
grant execute on function public.submit_input(text, jsonb, jsonb, text, boolean) to service_role;

create function private.cancel_input(token text, idempotency_key text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.check_answer(cancel_input.token, cancel_input.idempotency_key);
  perform private.answer_input(cancel_input.token, 'cancelled', null, cancel_input.idempotency_key);
end;
$$;
comment on function private.cancel_input(text, text) is
  'Implements public.cancel_input. Definer, because no API role may access private.api_inputs.';
grant execute on function private.cancel_input(text, text) to service_role;

create function public.cancel_input(token text, idempotency_key text default null)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.cancel_input(token, idempotency_key);
$$;
comment on function public.cancel_input(text, text) is
  'For the Edge Function flow: cancels the input of a waiting node api_input, so that the node fails, and wakes the run. Errors as in submit_input.';
grant execute on function public.cancel_input(text, text) to service_role;

-- sql/500_pending_inputs/40_take_api_inputs.sql

create function private.take_api_inputs(flow_run_id uuid, claim_number integer, executions jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(take_api_inputs.flow_run_id, take_api_inputs.claim_number);
begin
  -- An answer sets has_ended_inputs under the lock of the run, which this transaction holds. So no answer can
  -- arrive between this reset and the query below.
  update private.flow_run_jobs as j set has_ended_inputs = false where j.flow_run_id = v_run.id and j.has_ended_inputs;
  -- Only this statement, under the same lock, stores that an input has expired. From then on, the input accepts no
  -- answer, even if the clock is set back.
  with expired as (
    update private.api_inputs as a
    set outcome = 'expired'
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    where (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times) and a.root_flow_run_id = v_run.id
      and a.outcome is null and a.expires_at <= clock_timestamp()
    returning a.id
  )
  delete from public.pending_inputs as p using expired where p.id = expired.id;
  return (
    select coalesce(json_agg(json_build_object(
      'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'outcome', a.outcome, 'value', a.value,
      'left_ms', greatest(ceil(extract(epoch from a.expires_at - clock_timestamp()) * 1000), 0)::bigint
    )), '[]')
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    join private.api_inputs as a on (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times)
    where a.root_flow_run_id = v_run.id
  );
end;
$$;
comment on function private.take_api_inputs(uuid, integer, jsonb) is
  'Implements public.take_api_inputs. Definer, because no API role may access inputs and jobs.';
grant execute on function private.take_api_inputs(uuid, integer, jsonb) to service_role;

-- Takes [{flow_run_id, node_id, times}] and returns [{flow_run_id, node_id, times, outcome, value, left_ms}]. outcome
-- is submitted, cancelled or expired; null while the input is open. If the time of an open input is over, this call
-- sets its outcome to expired.
create function public.take_api_inputs(flow_run_id uuid, claim_number integer, executions jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.take_api_inputs(flow_run_id, claim_number, executions);
$$;
comment on function public.take_api_inputs(uuid, integer, jsonb) is
  'For the runner: the outcomes of the inputs of these node executions in a claimed run''s tree. Inputs whose time is over become expired. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.take_api_inputs(uuid, integer, jsonb) to service_role;

-- sql/550_transactions/10_flow_run_transactions.sql

create table private.flow_run_transactions (
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  created_at timestamptz not null default clock_timestamp(),
  members jsonb not null,
  message text not null,
  wire text,
  memo text,
  has_fees boolean not null,
  slot bigint not null,
  last_valid_block_height bigint not null,
  outcome text,
  signature text,
  primary key (flow_run_id, node_id, times),
  constraint flow_run_transactions_times_natural check (times >= 0),
  constraint flow_run_transactions_key_is_first_member check (
    (members -> 0) @> jsonb_build_object('flow_run_id', flow_run_id, 'node_id', node_id, 'times', times) is true
  ),
  constraint flow_run_transactions_message_base64 check (private.is_base64(message)),
  constraint flow_run_transactions_wire_base64 check (private.is_base64(wire)),
  constraint flow_run_transactions_heights_natural check (slot >= 0 and last_valid_block_height >= 0),
  constraint flow_run_transactions_outcome_known check (outcome in ('confirmed', 'failed', 'unknown')),
  constraint flow_run_transactions_signature_valid check (private.is_base58(signature, 64)),
  constraint flow_run_transactions_signature_matches_outcome check (
    case when outcome is null then signature is null else outcome <> 'confirmed' or signature is not null end
  )
);
comment on table private.flow_run_transactions is
  'The transactions of runs. A transaction is stored before it is sent or shown to a signer, so that it is never built twice. A transaction may contain the instructions of several node executions; its key is the first of these executions.';
comment on column private.flow_run_transactions.root_flow_run_id is
  'The root run of the tree that contains flow_run_id.';
comment on column private.flow_run_transactions.members is
  'The node executions whose instructions the transaction contains, in order: [{flow_run_id, node_id, times, instruction_count}].';
comment on column private.flow_run_transactions.message is 'The compiled v0 message, base64.';
comment on column private.flow_run_transactions.wire is
  'The signed transaction, base64; null while signatures are missing. Once wire is set, the transaction may have been sent, so wire never changes.';
comment on column private.flow_run_transactions.memo is
  'The text of the memo that the action identity signs; null if the message has no such memo.';
comment on column private.flow_run_transactions.has_fees is 'True if the transaction pays the fees of the run.';
comment on column private.flow_run_transactions.slot is
  'The slot in which the blockhash of the transaction was read. No earlier slot can contain the transaction.';
comment on column private.flow_run_transactions.last_valid_block_height is
  'The last block height at which the blockhash of the transaction is valid.';
comment on column private.flow_run_transactions.outcome is
  'confirmed, failed or unknown; null while the transaction is under way. unknown: the runner no longer looks for the transaction, which may still be executed.';
comment on column private.flow_run_transactions.signature is
  'The first signature of the transaction, base58; null if the transaction was not sent, or is still under way.';

create index flow_run_transactions_root_flow_run_id_idx on private.flow_run_transactions (root_flow_run_id);

create function private.store_transaction(flow_run_id uuid, claim_number integer, transaction jsonb, requests jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_transaction.flow_run_id, store_transaction.claim_number);
  v_new private.flow_run_transactions := jsonb_populate_record(
    null::private.flow_run_transactions, store_transaction.transaction - '{created_at,outcome,signature}'::text[]
  );
  v_stored private.flow_run_transactions;
begin
  select t.* into v_stored
  from private.flow_run_transactions as t
  where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
  -- A failed transaction had no effect. So if its node is being tried again, the new transaction may replace the failed
  -- one.
  if v_stored.outcome = 'failed' and v_new.message <> v_stored.message and exists (
    select from public.node_run as n
    where (n.flow_run_id, n.node_id, n.times) = (v_new.flow_run_id, v_new.node_id, v_new.times)
      and n.end_time is null and n.attempt > 1
  ) then
    delete from private.flow_run_transactions as t
    where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
    v_stored := null;
  end if;
  if v_stored.wire is null and v_stored.outcome is null then
    insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, wire, memo,
      has_fees, slot, last_valid_block_height
    ) values (
      v_new.flow_run_id, v_new.node_id, v_new.times, v_run.id, v_new.members, v_new.message, v_new.wire, v_new.memo,
      v_new.has_fees, v_new.slot, v_new.last_valid_block_height
    )
    on conflict on constraint flow_run_transactions_pkey do update
    set
      members = excluded.members, message = excluded.message, wire = excluded.wire, memo = excluded.memo,
      has_fees = excluded.has_fees, slot = excluded.slot, last_valid_block_height = excluded.last_valid_block_height;
  elsif (v_new.message, v_new.wire) is distinct from (v_stored.message, v_stored.wire) then
    -- The stored transaction may have been sent, so a different transaction might pay a second time.
    perform private.fail('internal',
      'This transaction can''t change any more: it may have been sent, or its outcome is stored.');
  end if;
  perform private.store_signature_requests(v_run, v_new, store_transaction.requests);
  return private.transaction_signature_requests(v_new.flow_run_id, v_new.node_id, v_new.times);
end;
$$;
comment on function private.store_transaction(uuid, integer, jsonb, jsonb) is
  'Implements public.store_transaction. Definer, because no API role may write transactions.';
grant execute on function private.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

create function public.store_transaction(flow_run_id uuid, claim_number integer, transaction jsonb, requests jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_transaction(flow_run_id, claim_number, transaction, requests);
$$;
-- transaction is {flow_run_id, node_id, times, members, message, wire, memo, has_fees, slot, last_valid_block_height}.
-- requests is [{pubkey, msg, signatures, timeout_ms}]; one signature request is stored for each key. The result lists
-- all requests of the transaction: [{id, pubkey, signature, new_msg, expires_at}]. A called run must be stored before
-- its transactions. A transaction that is stored with its wire may have been sent. So a call with another message or
-- wire for this transaction raises 500 internal. There is one exception: the stored transaction has failed, and its
-- first member is tried again. In this case, the new transaction replaces the stored one, whose requests are deleted.
-- 409 claim_lost if a newer claim exists or the run has ended.
comment on function public.store_transaction(uuid, integer, jsonb, jsonb) is
  'For the runner: stores one transaction of the tree of a claimed run, with the signature requests of this transaction. Returns all signature requests of the transaction. 409 claim_lost; 500 internal for a change of a transaction that may have been sent.';
grant execute on function public.store_transaction(uuid, integer, jsonb, jsonb) to service_role;

-- sql/550_transactions/20_signature_requests.sql

-- user_id has no foreign key. With a foreign key, the deletion of a user would lock the request before its run. Answers
-- and workers lock the run first, so they could deadlock with the deletion.
create table public.signature_requests (
  id bigint primary key,
  created_at timestamptz not null default clock_timestamp(),
  kind text not null default 'transaction_message',
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  node_id uuid not null,
  times integer not null,
  root_flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  owner_id uuid not null,
  user_id uuid,
  pubkey text not null,
  msg text not null,
  signatures jsonb,
  signature text,
  new_msg text,
  expires_at timestamptz not null,
  constraint signature_requests_id_exact check (id between 0 and 9007199254740991),
  constraint signature_requests_kind_known check (kind in ('transaction_message', 'message')),
  constraint signature_requests_transaction_pubkey_key unique (flow_run_id, node_id, times, pubkey),
  constraint signature_requests_transaction_fkey foreign key (flow_run_id, node_id, times)
    references private.flow_run_transactions (flow_run_id, node_id, times) on delete cascade,
  constraint signature_requests_pubkey_valid check (private.is_public_key(pubkey)),
  constraint signature_requests_msg_base64 check (private.is_base64(msg)),
  constraint signature_requests_signatures_array check (jsonb_typeof(signatures) = 'array'),
  constraint signature_requests_signature_valid check (private.is_base58(signature, 64)),
  constraint signature_requests_new_msg_base64 check (private.is_base64(new_msg)),
  constraint signature_requests_new_msg_signed check (new_msg is null or signature is not null)
);
comment on table public.signature_requests is
  'Requests for the signatures that runs wait for. Only functions write the rows. The flow''s owner, the user whose key must sign and the holder of the run''s token read them.';
comment on column public.signature_requests.id is
  'A random number below 2^53. Knowing the number gives no right to answer: an answer also needs a signature by the requested key.';
comment on column public.signature_requests.kind is
  'transaction_message: msg is the message of a transaction. message: msg is any other message. No node makes a request of this kind yet.';
comment on column public.signature_requests.flow_run_id is
  'The run of the first node execution whose instructions are in the transaction; node_id and times name the execution. root_flow_run_id is the root of the run''s tree: the started run, for which the run token is valid.';
comment on column public.signature_requests.owner_id is
  'The owner of the flow. No foreign key is needed: the request is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.signature_requests.user_id is
  'The user whose key must sign: the owner if the key belongs to one of the owner''s wallets, otherwise the starter of the run. Null if the starter sent only a public key, or has been deleted. There is no foreign key: a trigger sets this column to null when the user is deleted.';
comment on column public.signature_requests.pubkey is 'The public key that has to sign, base58.';
comment on column public.signature_requests.msg is 'The message to sign, base64.';
comment on column public.signature_requests.signatures is
  'Signatures that the transaction already has, [{pubkey, signature}]; null if it has none.';
comment on column public.signature_requests.signature is
  'The signature in the answer, base58; null while there is no answer.';
comment on column public.signature_requests.new_msg is
  'The changed message that the wallet signed instead of msg, base64; null if the wallet changed nothing.';
comment on column public.signature_requests.expires_at is
  'The request fails if it has no answer by this time. If the transaction or the run ends earlier, this column is set to that time.';

create index signature_requests_root_flow_run_id_idx on public.signature_requests (root_flow_run_id, created_at, id);
create index signature_requests_owner_id_idx on public.signature_requests (owner_id);
create index signature_requests_user_id_idx on public.signature_requests (user_id);

alter table public.signature_requests enable row level security;
create policy signature_requests_select_party on public.signature_requests for select to authenticated
  using (
    owner_id = (select auth.uid()) or user_id = (select auth.uid())
      or root_flow_run_id = (select private.token_run_id())
  );
create policy signature_requests_select_token on public.signature_requests for select to anon
  using (root_flow_run_id = (select private.token_run_id()));

grant select on public.signature_requests to anon, authenticated;
grant select on public.signature_requests to service_role;

create function private.open_signature_requests(root_flow_run_id uuid)
returns setof public.signature_requests
language sql stable security definer
set search_path = ''
as $$
  select s.* from public.signature_requests as s
  where s.root_flow_run_id = open_signature_requests.root_flow_run_id
    and s.signature is null and s.expires_at > clock_timestamp()
  order by s.created_at, s.id;
$$;
comment on function private.open_signature_requests(uuid) is
  'The open signature requests in the tree of a root run, the oldest first. A request is open while it has no answer and has not expired. Definer, because it reads the requests of any user. The calling functions have checked the user.';

create function private.transaction_signature_requests(flow_run_id uuid, node_id uuid, times integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  select coalesce(json_agg(json_build_object(
    'id', s.id, 'pubkey', s.pubkey, 'signature', s.signature, 'new_msg', s.new_msg, 'expires_at', s.expires_at
  ) order by s.created_at, s.id), '[]')
  from public.signature_requests as s
  where s.flow_run_id = transaction_signature_requests.flow_run_id
    and s.node_id = transaction_signature_requests.node_id
    and s.times = transaction_signature_requests.times;
$$;
comment on function private.transaction_signature_requests(uuid, uuid, integer) is
  'The signature requests of a transaction as the runner reads them: [{id, pubkey, signature, new_msg, expires_at}]. Definer, because the runner may read all requests of the runs that it claims.';

create function private.store_signature_requests(
  run public.flow_run, transaction private.flow_run_transactions, requests jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_made_ids bigint[] := '{}';
begin
  loop
    with made as (
      insert into public.signature_requests as s (
        id, created_at, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id,
        pubkey, msg, signatures, expires_at
      )
      select
        -- created_at of each request is one microsecond later than that of the previous request, so that created_at
        -- keeps the order of the requests.
        private.random_id(), v_now + r.position * interval '1 microsecond',
        transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
        case
          when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = r.pubkey)
            then run.user_id
          else run.started_by
        end,
        r.pubkey, r.msg, r.signatures,
        v_now + r.position * interval '1 microsecond' + r.timeout_ms * interval '1 millisecond'
      from rows from (
        jsonb_to_recordset(store_signature_requests.requests)
          as (pubkey text, msg text, signatures jsonb, timeout_ms integer)
      ) with ordinality as r (pubkey, msg, signatures, timeout_ms, position)
      on conflict do nothing
      returning s.id
    )
    select v_made_ids || coalesce(array_agg(m.id), '{}') into v_made_ids from made as m;
    -- The insert skips each key that already has a request. It also skips a request whose random id is taken. The next
    -- round gives that request another id.
    exit when not exists (
      select from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text)
      where not exists (
        select from public.signature_requests as s
        where (s.flow_run_id, s.node_id, s.times, s.pubkey)
          = (transaction.flow_run_id, transaction.node_id, transaction.times, r.pubkey)
      )
    );
  end loop;
  if v_made_ids <> '{}' then
    perform private.queue_signature_webhooks(run, v_made_ids);
    perform private.add_run_events(array(
      select (
        run.id, null, s.created_at,
        ('signature_request', s.flow_run_id, s.node_id, s.times, null, s.id, null)::private.run_event
      )::private.new_run_event
      from public.signature_requests as s where s.id = any (v_made_ids)
    ));
    perform private.announce_run_news(run.id, 'ends');
  end if;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times)
    and s.msg <> r.msg;
  if found then
    perform private.fail('internal', 'A key was already asked to sign another message for this transaction.');
  end if;
end;
$$;
comment on function private.store_signature_requests(public.flow_run, private.flow_run_transactions, jsonb) is
  'Makes the signature requests of a transaction, [{pubkey, msg, signatures, timeout_ms}]. Each key gets only one request. Definer, because no API role may write signature requests.';

create function private.tg_users__after_delete_requests()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update public.signature_requests as s set user_id = null where s.user_id = old.id;
  return null;
end;
$$;
comment on function private.tg_users__after_delete_requests() is
  'Sets user_id to null in the signature requests whose user was deleted. Definer, because roles that delete users may not write signature requests.';
create trigger _600_forget_requests after delete on auth.users
  for each row execute function private.tg_users__after_delete_requests();

-- sql/550_transactions/30_pending_signature_request.sql

create function private.pending_signature_request(flow_run_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(pending_signature_request.flow_run_id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail('signature_request_not_found', 'The run has ended, so it asks for no signature.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'kind', s.kind, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey,
        'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures',
        s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.has_claimable_run(interval '2 seconds')
  );
end;
$$;
comment on function private.pending_signature_request(uuid) is
  'Implements public.pending_signature_request. Definer, because no API role may call private.root_run_for_caller().';
grant execute on function private.pending_signature_request(uuid) to anon, authenticated, service_role;

-- Returns {request, is_overdue} to the run's owner, its starter and the holder of its token. request is null if no
-- request is open. Otherwise it is {id, kind (transaction_message or message), time (milliseconds since 1970), pubkey,
-- message, timeout (seconds), flow_run_id, signatures}. is_overdue is as in flow_run_result.
create function public.pending_signature_request(flow_run_id uuid)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.pending_signature_request(flow_run_id);
$$;
comment on function public.pending_signature_request(uuid) is
  'The oldest open signature request in the tree of a run, {request, is_overdue}, for the run''s owner, its starter and the holder of its token. 401; 404 flow_run_not_found. 404 signature_request_not_found if the run has ended.';
grant execute on function public.pending_signature_request(uuid) to anon, authenticated, service_role;

create function private.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select asked.id
  from unnest(asking_flow_runs.flow_run_ids) as asked (id)
  cross join lateral private.root_run_id(asked.id) as root (id)
  where exists (select from private.open_signature_requests(root.id))
    -- A run that has ended or is deleted will never ask for a signature, so its callers need not wait.
    or not exists (select from public.flow_run as r where r.id = root.id and r.end_time is null);
$$;
comment on function private.asking_flow_runs(uuid[]) is
  'Implements public.asking_flow_runs. Definer, because one call serves many callers, but policies apply to a single user. The Edge Functions have checked the callers.';
grant execute on function private.asking_flow_runs(uuid[]) to service_role;

create function public.asking_flow_runs(flow_run_ids uuid[])
returns setof uuid
language sql stable security invoker
set search_path = ''
as $$
  select * from private.asking_flow_runs(flow_run_ids);
$$;
comment on function public.asking_flow_runs(uuid[]) is
  'For the Edge Functions, which wait on behalf of callers. Returns the runs for which waiting is over: a run in the tree asks for a signature now, or the root run has ended, so no run in the tree will ask again.';
grant execute on function public.asking_flow_runs(uuid[]) to service_role;

-- sql/550_transactions/40_answer_signature_request.sql

create function private.may_answer(request public.signature_requests, caller private.caller)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select coalesce(
    -- The owner of the flow.
    may_answer.request.owner_id = may_answer.caller.user_id
    -- The user whose key must sign.
    or may_answer.request.user_id = may_answer.caller.user_id
    -- The starter of the run.
    or exists (
      select from public.flow_run as r
      where r.id = may_answer.request.root_flow_run_id and r.started_by = may_answer.caller.user_id
    )
    -- The holder of the run's token.
    or may_answer.request.root_flow_run_id = may_answer.caller.run_id,
    false
  );
$$;
comment on function private.may_answer(public.signature_requests, private.caller) is
  'Whether the caller, a user or the holder of a run token, may answer a signature request. For every caller, the signature of the answer must be by the requested key. Definer, because it reads runs that the caller may not read.';

create function private.check_answerable(request public.signature_requests, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := (select r from public.flow_run as r where r.id = request.root_flow_run_id);
  v_state jsonb := jsonb_build_object(
    'signature', request.signature, 'new_msg', request.new_msg, 'expires_at', request.expires_at, 'run_status',
    v_run.status
  );
begin
  if request.signature is not null then
    perform private.fail('signature_request_answered', 'This signature request is already answered.', v_state,
      'If details.signature is the one that you sent, your answer was stored.');
  end if;
  if v_run.end_time is not null then
    perform private.fail('signature_request_expired', 'The run that asked for this signature has ended.', v_state);
  end if;
  if request.expires_at <= clock_timestamp() then
    perform private.fail('signature_request_expired', 'The time to answer this signature request is over.', v_state,
      'Start the run again, and sign before expires_at.');
  end if;
  if check_answerable.new_msg <> request.msg and request.kind = 'message' then
    perform private.fail('transaction_changed',
      'new_msg can''t be used here: only the message of a transaction may be changed.',
      hint => 'Sign the message as it is, and leave new_msg out.');
  end if;
  if check_answerable.new_msg <> request.msg and (
    jsonb_array_length(request.signatures) > 0
      or exists (
        select from public.signature_requests as other
        where (other.flow_run_id, other.node_id, other.times) = (request.flow_run_id, request.node_id, request.times)
          and other.id <> request.id
      )
  ) then
    perform private.fail('transaction_changed',
      'new_msg can''t be used here: others have signed or must sign this transaction as it is, '
      'and a change would make their signatures invalid.',
      hint => 'Sign the message as it is, and leave new_msg out.');
  end if;
end;
$$;
comment on function private.check_answerable(public.signature_requests, text) is
  'Refuses an answer that comes too late (409, with the state of the request). Refuses a changed message if the request is not for a transaction, or if the transaction has other signers (400). Definer, because it reads requests of any user. The calling functions check the user.';

create function private.signature_request_for_caller(id bigint, new_msg text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.require_caller();
  v_request public.signature_requests;
begin
  select s.* into v_request from public.signature_requests as s where s.id = signature_request_for_caller.id;
  if not private.may_answer(v_request, v_caller) then
    perform private.fail('signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, signature_request_for_caller.new_msg);
  return jsonb_build_object('id', v_request.id, 'pubkey', v_request.pubkey, 'msg', v_request.msg);
end;
$$;
comment on function private.signature_request_for_caller(bigint, text) is
  'Implements public.signature_request_for_caller. Definer, because private.may_answer() decides instead of the policies.';
grant execute on function private.signature_request_for_caller(bigint, text) to anon, authenticated, service_role;

-- Returns {id, pubkey, msg} to the flow's owner, the user whose key must sign, the starter of the run and the
-- holder of its token. new_msg is a changed message that the wallet signs instead of msg. 400 transaction_changed;
-- 401; 404 signature_request_not_found, also for a request that the caller may not answer; 409
-- signature_request_answered, signature_request_expired.
create function public.signature_request_for_caller(id bigint, new_msg text default null)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.signature_request_for_caller(id, new_msg);
$$;
comment on function public.signature_request_for_caller(bigint, text) is
  'A signature request that the caller may answer, {id, pubkey, msg}; answer it with POST /signature/submit. 400 transaction_changed; 401; 404 signature_request_not_found; 409 signature_request_answered, signature_request_expired.';
grant execute on function public.signature_request_for_caller(bigint, text) to anon, authenticated, service_role;

create function private.answer_signature_request(id bigint, signature text, new_msg text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := (
    select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id
  );
  v_request public.signature_requests;
begin
  -- Lock the run first, as claims, stops and suspensions do. So if two answers arrive at once, the second sees the
  -- first. If a worker suspends the run at the same time, either the suspension sees this answer, or this answer wakes
  -- the run.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail('signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.wake_flow_run(v_run_id);
  end if;
end;
$$;
comment on function private.answer_signature_request(bigint, text, text) is
  'Implements public.answer_signature_request. Definer, because no API role may write signature requests or access the queue.';
grant execute on function private.answer_signature_request(bigint, text, text) to service_role;

create function public.answer_signature_request(id bigint, signature text, new_msg text default null)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.answer_signature_request(id, signature, new_msg);
$$;
comment on function public.answer_signature_request(bigint, text, text) is
  'For the Edge Function `signature`, which first verifies the signature in the answer, because SQL can''t. Stores the answer to a signature request. Wakes the run if no other request is open. A new_msg that equals the request''s msg counts as no change. Errors as in signature_request_for_caller.';
grant execute on function public.answer_signature_request(bigint, text, text) to service_role;

-- sql/550_transactions/50_begin_action_lookup.sql

create function private.begin_action_lookup()
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_deployment public.flow_deployments;
  v_chain_url text;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = private.token_run_id() and r.deployment_id is not null and r.output_instructions
    and r.status = 'succeeded' and r.output #>> '{M,transaction,S}' is not null;
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  update private.flow_run_jobs as j set action_lookups = j.action_lookups + 1
  where j.flow_run_id = v_run.id and j.action_lookups < private.limit_action_lookups()
  returning j.settings -> 'chain_network' ->> 'url' into v_chain_url;
  if not found then
    perform private.fail('action_lookups_limit',
      format('The transaction of this run has been looked up %s times.', private.limit_action_lookups()),
      hint => 'Look at its signature with a wallet or an explorer.');
  end if;
  select d.* into v_deployment from public.flow_deployments as d where d.id = v_run.deployment_id;
  return jsonb_build_object(
    'owner_id', v_run.user_id, 'caller', coalesce(v_run.started_by::text, v_run.started_by_public_key, v_run.id::text),
    'chain_url', v_chain_url, 'cluster', v_run.chain_network -> 'cluster',
    'transaction', v_run.output #> '{M,transaction,S}', 'name', v_deployment.name, 'icon_url', v_deployment.icon_url
  );
end;
$$;
comment on function private.begin_action_lookup() is
  'Implements public.begin_action_lookup. Definer, because no API role may access jobs.';
grant execute on function private.begin_action_lookup() to service_role;

create function public.begin_action_lookup()
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.begin_action_lookup();
$$;
-- name and icon_url are null if the deployment has been deleted. The look-ups are counted, because each of them calls
-- the owner's RPC server. 404 flow_run_not_found without the run's token, and for a run without a transaction in its
-- output. 429 action_lookups_limit for more than 20 look-ups.
comment on function public.begin_action_lookup() is
  'For the Edge Function `action`, which sends the run''s token: returns what `action` needs to find, on the chain, the transaction in the run''s output: {owner_id, caller, chain_url, cluster, transaction, name, icon_url}. 404 flow_run_not_found; 429 action_lookups_limit.';
grant execute on function public.begin_action_lookup() to service_role;

-- sql/600_queue/10_awake_jobs.sql

-- The steps of a run in the queue. Files are named after the main function of each step:
--
--   start       enqueue_run stores the run, its job (private.flow_run_jobs) and its message (pgmq). A run can be
--               claimed while its message is visible.
--   claim       claim_flow_runs claims the next runs. next_owners decides which owners have their turn, and
--               lock_next_flow_runs takes the runs of each owner in the order of the column `turn`. A claim gets a
--               claim_number, and hides the message until the lease ends.
--   heartbeat   heartbeat_flow_runs hides the message for another lease. If a worker is lost, the messages of its runs
--               become visible while their jobs are still held. The next claim of such a run counts the lost worker.
--               A run that lost two workers in a row is a suspect, and is claimed alone. The view awake_jobs computes
--               lost workers and suspects.
--   checkpoint  checkpoint_flow_run stores progress (store_progress) and keeps the claim.
--   release     release_flow_run stores progress and ends the claim (end_claim). The run then comes after the other
--               runs of its owner, and can be claimed at once. If a node waits for a time, the run sleeps until that
--               time, and can be claimed only then.
--   suspend     suspend_flow_run releases the run until its signatures arrive (answer_signature_request) or a request
--               expires. A run that waits for an answer to an input (sql/500_pending_inputs/) sleeps until the input
--               is answered or expires.
--   finish      finish_flow_runs stores the last progress of runs and ends the runs (end_flow_runs). The end of a run
--               deletes its message.
--
-- A worker may write only with the newest claim of a run. lock_claimed_run refuses older claims, and finish_flow_runs
-- skips their results.
create view private.awake_jobs with (security_invoker = true) as
select
  j.flow_run_id, j.user_id, j.message_id, j.turn,
  -- If the message is visible although the job is held, the worker that held the job is lost. So a held job counts
  -- one more lost worker.
  j.lost_claim_count + j.is_held::integer as lost_claims,
  j.lost_claim_count + j.is_held::integer >= 2 as is_suspect
from private.flow_run_jobs as j
where j.message_id is not null and j.sleeps_until is null;
comment on view private.awake_jobs is
  'The jobs of runs that have not ended and do not sleep. Claims read only these jobs. lost_claims and is_suspect are valid only if the job''s message is visible.';
comment on column private.awake_jobs.lost_claims is 'How many workers in a row were lost while they held the run.';
comment on column private.awake_jobs.is_suspect is
  'True if the run has lost two workers in a row. The run may have crashed the workers, so it is claimed alone.';

-- sql/600_queue/20_queue_length.sql

create table private.queue_settings (
  id boolean primary key default true,
  max_length integer not null,
  constraint queue_settings_single check (id),
  constraint queue_settings_max_length_natural check (max_length >= 0)
);
comment on table private.queue_settings is
  'One row with the queue settings that an operator has changed. Without the row, private.max_queue_length() returns the default.';
comment on column private.queue_settings.max_length is
  'The queue is full when at least this many runs wait to be claimed.';

-- The three values below are in sequences, not in a table. A sequence keeps the value that a start sets, even if the
-- start is then refused and rolled back. And starts that set a value do not wait for each other.
create sequence private.queue_check_message minvalue 0;
comment on sequence private.queue_check_message is
  'The id of a message. Starts whose messages have lower ids assume that the queue has room. The next start whose message has this id or a higher one counts the runs in the queue.';
create sequence private.queue_full_until minvalue 0;
comment on sequence private.queue_full_until is
  'A time in milliseconds since 1970; 0 while the queue has room. Until this time, starts assume that the queue is full, because a count found it full. After this time, a start counts the runs again.';
create sequence private.queue_refused_owner minvalue 0;
comment on sequence private.queue_refused_owner is
  'A hash of the owner of the deployment whose start was last refused because of the full queue; 0 for no owner. Valid until queue_full_until. set_max_queue_length sets the value to 0, and so does each count that finds the queue full.';

create function private.max_queue_length()
returns integer
language sql stable security definer
set search_path = ''
as $$
  select coalesce((select s.max_length from private.queue_settings as s), private.limit_queue_length());
$$;
comment on function private.max_queue_length() is
  'Implements public.max_queue_length. Definer, because no API role may access the settings.';
grant execute on function private.max_queue_length() to service_role;

create function private.lock_queue_check(wait boolean default true)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_key bigint := hashtextextended('private.check_queue_length', 0);
begin
  if lock_queue_check.wait then
    perform pg_advisory_xact_lock(v_key);
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_key);
end;
$$;
comment on function private.lock_queue_check(boolean) is
  'Takes the lock that protects the count and the limit of the queue, until the transaction ends. If `wait` is true, waits for the lock. Returns true if the caller has the lock.';

create function private.await_queue_check()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- Take a shared lock, because several transactions can hold it at once. An exclusive lock lasts until the end of the
  -- transaction, so with it, the waiting transactions would wait for each other.
  perform pg_advisory_xact_lock_shared(hashtextextended('private.check_queue_length', 0));
end;
$$;
comment on function private.await_queue_check() is
  'Waits until no transaction holds the lock of private.lock_queue_check.';

create function private.queue_clock()
returns bigint
language sql volatile security invoker
set search_path = ''
as $$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$$;
comment on function private.queue_clock() is 'The present time in milliseconds since 1970, as in private.queue_full_until.';

create function private.is_queue_count_due(message_id bigint)
returns boolean
language sql volatile security invoker
begin atomic
  select (is_queue_count_due.message_id < pg_sequence_last_value('private.queue_check_message'::regclass)) is not true;
end;
comment on function private.is_queue_count_due(bigint) is
  'True if the start with this message must count the queue. Most starts need no count, because the next count is due only after many new messages.';

create function private.refuse_if_owner_fills_queue(owner_id uuid, max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with sequential scans while the queue is empty, and reuse it when
-- the queue is full.
set enable_seqscan = off
as $$
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
    -- Counts at most v_share runs, by the index on user_id and turn.
    select count(*) into v_count
    from (
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.message_id is not null and j.sleeps_until is null
      order by j.turn limit v_share
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
$$;
-- If an owner has fewer runs than a tenth of the limit, starts of the owner's deployments succeed, however many runs of
-- other owners are in the queue. Until queue_full_until, starts for the last refused owner are refused without counting
-- the runs again. Retry-After is 10 seconds. In this time, workers can't empty a queue of the default length. But if
-- the queue has only just reached its limit, they make room.
comment on function private.refuse_if_owner_fills_queue(uuid, integer) is
  'Called when the queue is full. Raises 429 queue_full if the runs of this owner, waiting or under way, are at least a tenth of the limit. Definer, because no API role may access the queue.';

create function private.check_queue_length(owner_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_message_id bigint;
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
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- The transaction that held the lock did not count, so this start still treats the queue as full. The next start
  -- counts the queue.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is in a sub-select, so that Postgres uses the index and does not read messages that are due later.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- The higher the limit, the longer a count takes, so counts are rarer. While the queue has room, the next count comes
  -- after v_max_length / 100 messages. While the queue is full, the next count comes after v_max_length / 100
  -- milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0),
      setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0),
      setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
  end if;
end;
$$;
-- This check prevents the starts of one owner's deployments from filling the whole queue. The queue is full when
-- max_queue_length runs wait to be claimed. A count stops at the limit. While the queue has room, its runs are counted
-- only once every max_queue_length / 100 messages. So this many runs may be queued beyond the limit.
comment on function private.check_queue_length(uuid) is
  'Refuses a start of this owner''s deployment if the queue is full and the owner''s runs are at least a tenth of the limit: 429 queue_full. Called for starts by nodes, and by callers other than the owner. Definer, because no API role may access the queue.';

create function private.set_max_queue_length(max_length integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail('request_invalid', 'max_length must be an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- After the commit, the next start counts the queue again, and other starts wait for its result.
  perform setval('private.queue_refused_owner', 0), setval('private.queue_check_message', 0),
    setval('private.queue_full_until', 1);
end;
$$;
comment on function private.set_max_queue_length(integer) is
  'Implements public.set_max_queue_length. Definer, because no API role may access the settings.';
grant execute on function private.set_max_queue_length(integer) to service_role;

create function public.set_max_queue_length(max_length integer)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_max_queue_length(max_length);
$$;
-- The queue is full when at least max_length runs wait to be claimed. If the queue is full, and an owner has at least
-- max_length / 10 runs that wait or are under way, only this owner may start the owner's deployments. Nodes and other
-- callers get 429 queue_full. If max_length is 0, only owners may start deployments. The runs are counted only once
-- every max_length / 100 messages, so this many runs may be queued beyond max_length. 400 request_invalid.
comment on function public.set_max_queue_length(integer) is
  'For operators: sets max_length. The queue is full when at least this many runs wait to be claimed. If max_length is 0, only owners may start deployments. 400 request_invalid.';
grant execute on function public.set_max_queue_length(integer) to service_role;

create function public.max_queue_length()
returns integer
language sql stable security invoker
set search_path = ''
as $$
  select private.max_queue_length();
$$;
comment on function public.max_queue_length() is
  'For operators: the value that set_max_queue_length has set, or the default. The queue is full when at least this many runs wait to be claimed.';
grant execute on function public.max_queue_length() to service_role;

-- sql/600_queue/30_wake_flow_runs.sql

create function private.has_claimable_run(min_age interval default '0')
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1)
      <= clock_timestamp() - has_claimable_run.min_age,
    false
  );
end;
$$;
comment on function private.has_claimable_run(interval) is
  'True if a claimable run has waited for at least min_age. Reads one entry of the queue''s index.';

create function private.announce_claimable_run()
returns boolean
language sql volatile security invoker
begin atomic
  -- NOTIFY makes commits wait for each other, so this function notifies only if a worker waits for runs. A waiting
  -- worker holds an exclusive advisory lock, or waits for this lock (await_claimable_runs). If no worker waits, this
  -- transaction gets the lock in shared mode and keeps it until its end. If a worker begins to wait meanwhile, it gets
  -- the exclusive lock only after this transaction has ended. Then the worker reads the queue and finds the run. Both
  -- calls are in one expression, so that the planner can inline this function.
  select pg_try_advisory_xact_lock_shared(hashtext('private.announce_claimable_run'), 0)
    or pg_notify('flow_runs', '') is null;
end;
comment on function private.announce_claimable_run() is
  'Every transaction that makes a run claimable calls this function. When the transaction commits, a worker that waits is notified and reads the queue. Returns false if a worker was notified.';

create function private.await_claimable_runs()
returns void
language sql volatile security invoker
begin atomic
  select pg_advisory_lock(hashtext('private.announce_claimable_run'), 0);
end;
-- From this call until the session ends or unlocks, transactions that make a run claimable notify the channel
-- flow_runs. The call returns when all transactions that made a run claimable without a notification have ended. So if
-- the session reads the queue after this call, it misses no run. Only one session at a time has the lock; other
-- sessions wait for it.
comment on function private.await_claimable_runs() is
  'For a worker that listens to the channel flow_runs. From this call on, transactions that make a run claimable notify the channel. The call returns when all transactions without a notification have ended, so the worker''s next read of the queue misses no run. One session at a time.';
grant execute on function private.await_claimable_runs() to service_role;

create function private.set_visible_after(message_ids bigint[], seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_told boolean;
begin
  if set_visible_after.seconds = 0 then
    v_is_told := private.announce_claimable_run();
  end if;
  -- pgmq.set_vt would change only one message. It plans dynamic SQL at each call, which costs five times as much as
  -- this update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => set_visible_after.seconds)
  where m.msg_id = any (set_visible_after.message_ids);
end;
$$;
comment on function private.set_visible_after(bigint[], integer) is
  'Hides messages for this many seconds from now. Until then, no claim takes their runs. If seconds is 0, the runs may be claimed at once. Definer, because no API role may access the queue.';

create function private.wake_flow_run(flow_run_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
begin
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = wake_flow_run.flow_run_id and j.message_id is not null and not j.is_held
  returning j.message_id into v_message_id;
  perform private.set_visible_after(array[v_message_id], 0);
end;
$$;
comment on function private.wake_flow_run(uuid) is
  'If no worker holds the run, makes the run claimable at once, even if it sleeps or waits for signatures. The caller has locked the run''s row in flow_run. Definer, because no API role may access queue and jobs.';

create function private.wake_due_flow_runs()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Skip locked jobs: the transaction that holds the lock, or the next claim, wakes the run.
  update private.flow_run_jobs as j set sleeps_until = null
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.sleeps_until <= (select clock_timestamp())
    order by due.sleeps_until limit 1000
    for no key update skip locked
  ));
end;
$$;
comment on function private.wake_due_flow_runs() is
  'Ends the sleep of at most a thousand runs whose time has come, so that claims read them. The caller holds the lock of claim_flow_runs. Definer, because no API role may access jobs.';

-- sql/600_queue/40_next_owners.sql

create table private.last_claim (
  id boolean primary key default true,
  user_id uuid not null,
  suspect_id uuid,
  constraint last_claim_single check (id)
);
comment on table private.last_claim is
  'One row that says which owner had the last turn; no row before the first claim. Owners take turns in the order of their ids. The next claim begins with the owner after user_id. After the last owner, claims continue with the first. Only one claim at a time writes the row.';
comment on column private.last_claim.user_id is
  'The owner whose run was claimed last. The user may have been deleted since.';
comment on column private.last_claim.suspect_id is
  'A suspect (a run that lost two workers in a row) that the last claim skipped, because suspects are claimed alone. The next claim takes this run first, if it is still claimable.';

create function private.next_owners(after_owner uuid, max_owners integer, owners_with_slots uuid[])
returns table (user_id uuid, turn bigint, suspect_id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  c_last_turn constant bigint := 9223372036854775807;
  v_after_id uuid := coalesce(next_owners.after_owner, c_first_id);
  v_after_turn bigint := case when next_owners.after_owner is null then 0 else c_last_turn end;
  v_until_id uuid := c_last_id;
  v_is_second_lap boolean := next_owners.after_owner is null;
  v_count integer := 0;
begin
  while v_count < next_owners.max_owners loop
    select j.user_id, j.turn, case when j.is_suspect then j.flow_run_id end
    into user_id, turn, suspect_id
    from private.awake_jobs as j
    -- `offset 0` forces one search of the index for each job. Without it, Postgres could keep a plan that reads the
    -- whole queue for each job.
    cross join lateral (
      select from pgmq.q_flow_runs as m where m.msg_id = j.message_id and m.vt <= clock_timestamp() offset 0
    ) as m
    where (j.user_id, j.turn) > (v_after_id, v_after_turn) and j.user_id <= v_until_id
    order by j.user_id, j.turn
    limit 1;
    if found then
      if (user_id = any (next_owners.owners_with_slots)) is not true then
        return next;
        v_count := v_count + 1;
      end if;
      -- Continue with the next owner.
      v_after_id := user_id;
      v_after_turn := c_last_turn;
    else
      -- After the last owner, continue with the first owners, up to after_owner, where the search began.
      exit when v_is_second_lap;
      v_is_second_lap := true;
      v_after_id := c_first_id;
      v_after_turn := 0;
      v_until_id := next_owners.after_owner;
    end if;
  end loop;
end;
$$;
-- Returns the owners in the order of ids, beginning after after_owner. After the last owner, continues with the first,
-- and ends with after_owner. If after_owner is null, begins with the first owner. Each row has the turn of the owner's
-- first claimable run, and the id of that run if it is a suspect.
comment on function private.next_owners(uuid, integer, uuid[]) is
  'The owners who have a claimable run, in the order of ids, beginning after after_owner. After the last owner, the first follows; after_owner comes last. Leaves out owners_with_slots. Definer, because no API role may access queue and jobs.';

-- sql/600_queue/41_next_flow_runs.sql

create function private.lock_queued_run(flow_run_id uuid, out user_id uuid, out lost_claims integer)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  select j.user_id, j.lost_claims into lock_queued_run.user_id, lock_queued_run.lost_claims
  from private.awake_jobs as j
  cross join lateral (
    select from pgmq.q_flow_runs as m
    where m.msg_id = j.message_id and m.vt <= clock_timestamp()
    for no key update skip locked
  ) as m
  join public.flow_run as r on r.id = j.flow_run_id
  where j.flow_run_id = lock_queued_run.flow_run_id
  for no key update of j, r skip locked;
end;
$$;
comment on function private.lock_queued_run(uuid) is
  'Locks one run in the same way as lock_next_flow_runs. Returns its owner and its number of lost workers. Returns nulls if the run is not claimable, or if another transaction has locked it. Definer, because no API role may access queue and jobs.';

create function private.lock_next_flow_runs(
  max_runs integer, owners_with_slots uuid[], only_run_id uuid,
  out run_ids uuid[], out lost_claims integer[], out last_user_id uuid, out suspect_id uuid
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_last private.last_claim;
  v_max_owners integer := lock_next_flow_runs.max_runs;
  v_owner_ids uuid[];
  v_turns bigint[];
  v_suspect_ids uuid[];
  v_tried_ids uuid[];
  v_tried_id uuid;
  v_tried record;
  v_postponed_id uuid;
  v_runs_per_owner integer;
  v_rounds integer;
  v_owner_count integer;
begin
  select l.* into v_last from private.last_claim as l where l.id;
  -- If only one run in the queue is visible, choose this run, whichever owner has the turn.
  if lock_next_flow_runs.only_run_id is not null and lock_next_flow_runs.max_runs > 0 then
    v_tried := private.lock_queued_run(lock_next_flow_runs.only_run_id);
    if v_tried.user_id is not null
      and (v_tried.user_id = any (lock_next_flow_runs.owners_with_slots)) is not true
    then
      run_ids := array[lock_next_flow_runs.only_run_id];
      lost_claims := array[v_tried.lost_claims];
      last_user_id := case
        when lock_next_flow_runs.only_run_id = v_last.suspect_id then v_last.user_id else v_tried.user_id
      end;
      return;
    end if;
  end if;

  perform private.wake_due_flow_runs();
  loop
    select array_agg(o.user_id), array_agg(o.turn), array_agg(o.suspect_id) into v_owner_ids, v_turns, v_suspect_ids
    from private.next_owners(v_last.user_id, v_max_owners, lock_next_flow_runs.owners_with_slots) as o;
    if v_tried_ids is null and v_owner_ids is not null then
      -- If a suspect crashes its worker, all runs that were claimed with the suspect lose the worker. So a suspect is
      -- claimed alone. A suspect that an earlier claim skipped comes before all owners, and does not change whose turn
      -- it is. Any other suspect is claimed if it is the first run of the first owner.
      v_tried_ids := array_remove(array[v_last.suspect_id, v_suspect_ids[1]], null);
      foreach v_tried_id in array v_tried_ids loop
        v_tried := private.lock_queued_run(v_tried_id);
        -- A run that has made progress meanwhile is no longer a suspect.
        continue when (v_tried.lost_claims >= 2) is not true;
        if v_tried.user_id = any (lock_next_flow_runs.owners_with_slots) then
          -- This claim excludes the suspect's owner, so keep the suspect for the next claim.
          v_postponed_id := v_tried_id;
        else
          suspect_id := v_postponed_id;
          run_ids := array[v_tried_id];
          lost_claims := array[v_tried.lost_claims];
          last_user_id := case when v_tried_id = v_last.suspect_id then v_last.user_id else v_tried.user_id end;
          return;
        end if;
      end loop;
    end if;

    v_runs_per_owner := case
      when lock_next_flow_runs.owners_with_slots is null
        then ceil(v_max_owners::double precision / cardinality(v_owner_ids))
      -- A claim for reserved slots gives each owner only one run, so that slots are left for other owners.
      else 1
    end;
    -- Take the runs in rounds: the first run of each owner in the order of owners, then the second run of each, and
    -- so on.
    select array_agg(chosen.flow_run_id order by chosen.round, chosen.owner_position),
      array_agg(chosen.lost_claims order by chosen.round, chosen.owner_position),
      (array_agg(chosen.user_id order by chosen.round desc, chosen.owner_position desc))[1],
      max(chosen.round), max(chosen.owner_position)
    into run_ids, lost_claims, last_user_id, v_rounds, v_owner_count
    from (
      select own.*, o.user_id, o.owner_position
      from unnest(v_owner_ids, v_turns) with ordinality as o (user_id, turn, owner_position)
      cross join lateral (
        select free.flow_run_id, free.lost_claims, row_number() over (order by free.turn) as round
        from (
          select j.flow_run_id, j.turn, j.lost_claims
          from private.awake_jobs as j
          -- Lock the message, the job and the run. If a claim, a stop or a heartbeat has just changed one of these rows
          -- and committed, Postgres reads the row again. If another transaction still has a lock on one of them, the
          -- run is skipped.
          cross join lateral (
            select from pgmq.q_flow_runs as m
            where m.msg_id = j.message_id and m.vt <= clock_timestamp()
            for no key update skip locked
          ) as m
          join public.flow_run as r on r.id = j.flow_run_id
          where j.user_id = o.user_id and j.turn >= o.turn and not j.is_suspect
          order by j.turn
          limit v_runs_per_owner
          for no key update of j, r skip locked
        ) as free
      ) as own
      order by own.round, o.owner_position
      limit lock_next_flow_runs.max_runs
    ) as chosen;
    -- The search may find too few runs, because some owners have few runs, or because runs are locked or are suspects.
    -- More runs may be claimable if an owner has given v_runs_per_owner runs, or if there may be further owners. In
    -- these two cases, double v_max_owners and search again.
    exit when (
      coalesce(cardinality(run_ids), 0) < lock_next_flow_runs.max_runs
      and (
        (lock_next_flow_runs.owners_with_slots is null and v_rounds = v_runs_per_owner)
        or cardinality(v_owner_ids) = v_max_owners
      )
    ) is not true;
    v_max_owners := 2 * v_max_owners;
  end loop;
  -- Remember the first suspect that this claim skips. The next claim takes it alone.
  suspect_id := coalesce(v_postponed_id, (
    select s.id from unnest(v_suspect_ids) with ordinality as s (id, owner_position)
    where s.owner_position <= v_owner_count and s.id is not null and s.id <> all (v_tried_ids)
    order by s.owner_position limit 1
  ));
end;
$$;
-- Owners take turns. The runs of one owner are taken in the order of `turn`. A suspect is taken alone. If
-- owners_with_slots is given, these owners get no run, and each other owner gets at most one. only_run_id is the id
-- of the only visible run; null if more runs are visible. last_user_id and suspect_id are the new values of
-- private.last_claim. The caller holds the lock of claim_flow_runs.
comment on function private.lock_next_flow_runs(integer, uuid[], uuid) is
  'Chooses at most max_runs runs to claim next, locks them, and returns them in the order in which they are claimed. Definer, because no API role may access queue and jobs.';

-- sql/600_queue/42_claim_flow_runs.sql

create function private.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[], max_lost_claims integer, wait_ms integer,
  owners_with_slots uuid[] default null
)
returns table (
  flow_run_id uuid, claim_number integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text,
  inputs jsonb, settings jsonb, snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint,
  earlier_output_bytes bigint
)
language plpgsql volatile security definer
set search_path = ''
-- Planning would take longer than the claim itself, so force_generic_plan lets Postgres keep the first plan. Postgres
-- may make this plan while the queue is empty, but the plan must also suit a full queue. So the enable_ settings leave
-- only plans with indexes. These settings raise the estimated costs, and at high costs Postgres would use JIT, so JIT
-- is off.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_bitmapscan = off
set enable_sort = off
set jit = off
as $$
declare
  v_began timestamptz := clock_timestamp();
  v_waited_seconds double precision;
  v_visible_ids uuid[];
  v_next record;
  v_run_ids uuid[];
begin
  -- Wait until a message is visible. Each pass reads only the first two messages of the index, and locks no row.
  loop
    select array_agg((m.message ->> 'flow_run_id')::uuid) into v_visible_ids
    from (select q.vt, q.message from pgmq.q_flow_runs as q order by q.vt limit 2) as m
    where m.vt <= clock_timestamp();
    exit when v_visible_ids is not null;
    v_waited_seconds := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited_seconds * 1000 < claim_flow_runs.wait_ms) is not true
      -- Only one claim waits at a time, because a waiting claim holds a connection that starts could use.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited_seconds / 20, 0.001));
  end loop;
  -- Claims run one at a time, so that each claim sees the result of the previous claim. If two claims ran at once, the
  -- second would skip all runs that the first has locked, and could return no run although some are claimable.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  loop
    v_next := private.lock_next_flow_runs(
      claim_flow_runs.max_runs, claim_flow_runs.owners_with_slots,
      case when cardinality(v_visible_ids) = 1 then v_visible_ids[1] end
    );
    exit when (claim_flow_runs.max_lost_claims < any (v_next.lost_claims)) is not true;
    perform private.end_flow_run(n.run_id, 'failed', errors => array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', n.lost_claims
    )])
    from unnest(v_next.run_ids, v_next.lost_claims) as n (run_id, lost_claims)
    where n.lost_claims > claim_flow_runs.max_lost_claims;
  end loop;
  v_run_ids := v_next.run_ids;
  if v_run_ids is null then
    return;
  end if;

  insert into private.last_claim as l (user_id, suspect_id) values (v_next.last_user_id, v_next.suspect_id)
  on conflict (id) do update set user_id = excluded.user_id, suspect_id = excluded.suspect_id
  where (l.user_id, l.suspect_id) is distinct from (excluded.user_id, excluded.suspect_id);
  return query
  with started as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    where r.id = any (v_run_ids) and r.status <> 'running'
    returning private.announce_run_news(r.id, 'events')
  ), claimed as (
    update private.flow_run_jobs as j
    set claim_number = j.claim_number + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.*
  ), hidden as (
    update pgmq.q_flow_runs as m
    set vt = clock_timestamp() + make_interval(secs => claim_flow_runs.lease_seconds)
    from claimed as j
    where m.msg_id = j.message_id
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
  from claimed as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  order by array_position(v_run_ids, r.id);
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'Implements public.claim_flow_runs. Definer, because no API role may access queue, jobs and snapshots.';
grant execute on function private.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

create function public.claim_flow_runs(
  max_runs integer, lease_seconds integer, known_snapshots text[] default '{}', max_lost_claims integer default 5,
  wait_ms integer default 0, owners_with_slots uuid[] default null
)
returns table (
  flow_run_id uuid, claim_number integer, lost_claim_count integer, flow_id integer, user_id uuid, started_by text,
  inputs jsonb, settings jsonb, snapshot_hash text, snapshot text, work_ms bigint, stop jsonb, output_bytes bigint,
  earlier_output_bytes bigint, has_due_webhook boolean
)
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return query
  select c.*, false from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots,
    claim_flow_runs.max_lost_claims, claim_flow_runs.wait_ms, claim_flow_runs.owners_with_slots
  ) as c;
  -- A claim that returns runs does not report due webhooks. A later claim that returns no run reports them.
  if not found and private.has_due_webhook() then
    has_due_webhook := true;
    return next;
  end if;
end;
$$;
-- Claims queued runs, and runs whose lease is over. Owners take turns. A run that lost two workers in a row is claimed
-- alone. If no run is claimable, the call waits up to wait_ms for one. Only one caller waits at a time; others return
-- at once. If no run is claimed, but webhooks are due (claim_webhook_deliveries), the result is one row in which only
-- has_due_webhook is not null.
--
--   max_lost_claims       a run that lost more workers than this in a row fails; if null, no run fails
--   owners_with_slots     the owners who have a run in the worker: they get no run, and each other owner gets at most
--                         one. Given for the slots that a worker reserves for other owners.
--   snapshot              JSON text; null if its hash (hex) is in known_snapshots
--   output_bytes          the approximate size of the node outputs that flow_run_history and flow_run_history_page
--                         return
--   earlier_output_bytes  an approximate upper bound of the bytes that earlier_flow_runs returns; null if the run is
--                         neither a redrive nor partial
comment on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) is
  'For the runner: claims up to max_runs runs for lease_seconds. A run is claimable if it is queued, or if its lease is over. Owners take turns. If no run is claimable, the call waits up to wait_ms. A row without a run says that webhooks are due.';
grant execute on function public.claim_flow_runs(integer, integer, text[], integer, integer, uuid[]) to service_role;

-- sql/600_queue/43_heartbeat_flow_runs.sql

create function private.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb, has_ended_inputs boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Lock the jobs, so that a heartbeat does not hide a run that is being released. Skip jobs that another transaction
  -- has locked, because they need no heartbeat: a checkpoint, release or claim sets the time of the message itself, and
  -- the end of a run deletes the message.
  perform private.set_visible_after(
    array(
      select j.message_id
      from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
      join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.claim_number = c.claim_number
      where j.is_held
      for no key update of j skip locked
    ),
    heartbeat_flow_runs.lease_seconds
  );

  return query
  select c.flow_run_id, j.claim_number is distinct from c.claim_number or j.message_id is null,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    coalesce(j.has_ended_inputs, false)
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.claim_number is distinct from c.claim_number or j.message_id is null
    or j.stop_requested_at is not null or j.has_ended_inputs;
end;
$$;
comment on function private.heartbeat_flow_runs(jsonb, integer) is
  'Implements public.heartbeat_flow_runs. Definer, because no API role may access queue and jobs.';
grant execute on function private.heartbeat_flow_runs(jsonb, integer) to service_role;

create function public.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb, has_ended_inputs boolean)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.heartbeat_flow_runs(claims, lease_seconds);
$$;
comment on function public.heartbeat_flow_runs(jsonb, integer) is
  'For the runner: extends the leases of its claims, [{flow_run_id, claim_number}], to lease_seconds from now. Returns the lost claims, the runs that must stop, and the runs whose inputs were answered (take_api_inputs).';
grant execute on function public.heartbeat_flow_runs(jsonb, integer) to service_role;

-- sql/600_queue/44_flow_run_history.sql

-- If node_ids is null, all nodes of the runs are read. Otherwise node_ids has one element for each run in run_ids: the
-- node whose rows are read, or null for all nodes of the run. The rows of input_nodes have their inputs; if input_nodes
-- is null, all rows have them.
create function private.node_runs_page(
  run_ids uuid[], after jsonb, max_bytes integer, node_ids uuid[] default null, input_nodes uuid[] default '{}',
  out node_runs text, out next json
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_run_id uuid;
  v_first_id uuid;
  v_last_id uuid;
  v_last_run_id uuid := node_runs_page.after ->> 'flow_run_id';
  v_node_id uuid := node_runs_page.after ->> 'node_id';
  v_times integer := node_runs_page.after ->> 'times';
  v_row record;
  v_input_node_id uuid;
  v_has_input boolean;
  v_text text;
  v_rows text[] := '{}';
  v_bytes bigint := 0;
begin
  <<pages>>
  for v_run_id, v_first_id, v_last_id in
    select r.id, coalesce(r.node_id, c_first_id), coalesce(r.node_id, c_last_id)
    from unnest(node_runs_page.run_ids, node_runs_page.node_ids) as r (id, node_id)
    where v_last_run_id is null or (r.id, coalesce(r.node_id, c_last_id)) >= (v_last_run_id, v_node_id)
    order by r.id, r.node_id
  loop
    if v_run_id is distinct from v_last_run_id or v_first_id > v_node_id then
      v_node_id := v_first_id;
      v_times := -1;
    end if;
    -- Postgres reads a large value only when this loop reaches the row of the value, so only the values of this page
    -- are in memory.
    for v_row in
      select n.node_id, n.times, n.attempt, n.retry_at, n.start_time, n.attempt_start_time, n.end_time,
        n.output, n.errors, n.error_handled, n.input
      from public.node_run as n
      where n.flow_run_id = v_run_id and (n.node_id, n.times) > (v_node_id, v_times) and n.node_id <= v_last_id
      order by n.node_id, n.times
    loop
      v_text := json_build_object(
        'flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times, 'attempt', v_row.attempt,
        'retry_at', v_row.retry_at, 'start_time', v_row.start_time, 'attempt_start_time', v_row.attempt_start_time,
        'end_time', v_row.end_time,
        'output', v_row.output, 'errors', v_row.errors, 'error_handled', v_row.error_handled
      )::text;
      if v_row.node_id is distinct from v_input_node_id then
        v_input_node_id := v_row.node_id;
        v_has_input := coalesce(v_row.node_id = any (node_runs_page.input_nodes), true);
      end if;
      if v_has_input then
        v_text := left(v_text, -1) || format(', "input": %s}', v_row.input);
      end if;
      v_rows := array_append(v_rows, v_text);
      v_bytes := v_bytes + octet_length(v_text);
      if v_bytes >= node_runs_page.max_bytes then
        next := json_build_object('flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times);
        exit pages;
      end if;
    end loop;
  end loop;
  node_runs := format('[%s]', array_to_string(v_rows, ','));
end;
$$;
comment on function private.node_runs_page(uuid[], jsonb, integer, uuid[], uuid[]) is
  'A page of the node runs of these runs, as JSON in the order of their keys. node_ids may select one node of each run. The page begins after the key `after`, and ends at max_bytes. next: the `after` of the next page, or null. Definer, because it reads runs of any user. Its callers check the user.';

create function private.flow_run_history_page(flow_run_id uuid, after jsonb, max_bytes integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id from public.flow_run as r where r.id = flow_run_history_page.flow_run_id and r.end_time is null
    union all
    select c.id
    from tree
    cross join lateral (
      select r.id from public.flow_run as r where r.parent_flow_run_id = tree.id and r.end_time is null offset 0
    ) as c
  )
  select format('{"node_runs": %s, "next": %s}', p.node_runs, coalesce(p.next::text, 'null'))::json
  from private.node_runs_page(
    array(select tree.id from tree), flow_run_history_page.after, flow_run_history_page.max_bytes
  ) as p;
$$;
comment on function private.flow_run_history_page(uuid, jsonb, integer) is
  'Implements public.flow_run_history_page. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.flow_run_history_page(uuid, jsonb, integer) to service_role;

create function private.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r
    where r.id = flow_run_history.flow_run_id
    union all
    -- `offset 0`, here and below, forces one search of an index for each run of the tree. Without `offset 0`, the
    -- planner would read whole tables, because it expects too many called runs: it assumes that every run calls other
    -- runs.
    select r.id, r.parent_flow_run_id, r.end_time
    from tree
    cross join lateral (
      select c.id, c.parent_flow_run_id, c.end_time from public.flow_run as c
      where c.parent_flow_run_id = tree.id offset 0
    ) as r
  ),
  page as materialized (
    select private.flow_run_history_page(flow_run_history.flow_run_id, null, flow_run_history.max_bytes) as content
    where flow_run_history.max_bytes is not null
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id,
        'parent_node_id', r.parent_node_id, 'parent_times', r.parent_times,
        'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        -- If the history is read in pages (max_bytes), leave out the inputs of called runs. The interflow node that
        -- called the run computes the inputs again.
        'inputs', case when flow_run_history.max_bytes is null then r.inputs else '{"M": {}}' end,
        'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
        -- Leave out a called run if the run and the interflow node that called it have both ended. Then nobody reads
        -- the run's result any more.
        and (r.end_time is null or not exists (
          select from public.node_run as e
          where e.flow_run_id = r.parent_flow_run_id and e.node_id = r.parent_node_id
            and e.times = r.parent_times and e.end_time is not null
        ))
    ),
    'node_runs', case
      when flow_run_history.max_bytes is not null then (select page.content -> 'node_runs' from page)
    else (
      -- If a called run has ended, only its result is needed, so leave out its node runs.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input,is_taken_over,is_pinned}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ) end,
    'next', (select page.content -> 'next' from page),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message',
        t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- The numbers are text, because JavaScript would read a JSON number as a float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_signature_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- `node_runs` does not list the executions of ended runs, but they count towards the limit of executions of the
      -- tree. Each attempt counts as one execution.
      select coalesce(sum(n.attempt), 0)
      from tree
      cross join lateral (select e.attempt from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$$;
comment on function private.flow_run_history(uuid, integer) is
  'Implements public.flow_run_history. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history(flow_run_id, max_bytes);
$$;
--   node_runs     the node runs, without inputs, of runs that have not ended; with max_bytes, only the first page of
--                 flow_run_history_page
--   next          with max_bytes: the key for the next page
--   children      the called runs, without those whose result is no longer needed
--   transactions  all transactions with their signature requests
--
-- If a history is too long, only its own run fails, because this function is separate from claim_flow_runs. The result
-- is json, because jsonb is limited to 256 MB.
comment on function public.flow_run_history(uuid, integer) is
  'For the runner: the stored progress of a root run and of the runs that it called, {children, node_runs, transactions, ended_executions, log_counts, next}.';
grant execute on function public.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history_page(
  flow_run_id uuid, after jsonb default null, max_bytes integer default 4194304
)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history_page(flow_run_id, after, max_bytes);
$$;
-- A page begins after the key `after`, {flow_run_id, node_id, times}, or at the beginning if `after` is null. The page
-- ends with the node run at which its size reaches max_bytes. next is the `after` of the next page; null on the last
-- page.
comment on function public.flow_run_history_page(uuid, jsonb, integer) is
  'For the runner: the node_runs of flow_run_history in pages of about max_bytes, {node_runs, next}. next is the `after` of the next page; null on the last page.';
grant execute on function public.flow_run_history_page(uuid, jsonb, integer) to service_role;

-- sql/600_queue/45_earlier_flow_runs.sql

create function private.earlier_run_tree(run_ids uuid[])
returns table (id uuid, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer)
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select u.id, null::uuid as parent_flow_run_id, null::uuid as parent_node_id, null::integer as parent_times
    from unnest(earlier_run_tree.run_ids) as u (id)
    union all
    -- `offset 0` forces one search of an index for each run, as in flow_run_history.
    select c.id, c.parent_flow_run_id, c.parent_node_id, c.parent_times
    from tree
    cross join lateral (select r.* from public.flow_run as r where r.parent_flow_run_id = tree.id offset 0) as c
    -- If an interflow node succeeded, only its outputs are needed, so leave out the run that it called. A node whose
    -- failure was handled counts as succeeded.
    where not exists (
      select from public.node_run as e
      where e.flow_run_id = c.parent_flow_run_id and e.node_id = c.parent_node_id and e.times = c.parent_times
        and e.end_time is not null and (e.errors is null or e.error_handled)
    )
  )
  select tree.id, tree.parent_flow_run_id, tree.parent_node_id, tree.parent_times from tree;
$$;
comment on function private.earlier_run_tree(uuid[]) is
  'The given root runs and the runs that they called. A called run is left out if the interflow node that called it succeeded, because a redrive takes over the node''s outputs. Definer, because it reads runs of any user. Its callers check the user.';

create function private.earlier_flow_runs(flow_run_id uuid, after jsonb, max_bytes integer)
returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_roots uuid[];
  v_named jsonb;
  v_changes jsonb;
  v_repeat_effects jsonb;
  v_input_nodes uuid[];
  v_tree_ids uuid[];
  v_is_first boolean := earlier_flow_runs.after ->> 'flow_run_id' is null;
  v_page record;
begin
  select coalesce(j.redriven_from, '{}'), coalesce(j.settings #> '{partial_config,runs}', '{}'), j.redrive_changes,
    j.settings -> 'repeat_effects',
    -- If the graph has changed, all executions are found by their inputs. Otherwise only those with effects are.
    case when j.redrive_changes is null then array(
      select a.node_id from private.acting_nodes_of(s.data) as a where j.redriven_from is not null
    ) end
  into v_roots, v_named, v_changes, v_repeat_effects, v_input_nodes
  from private.flow_run_jobs as j join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = earlier_flow_runs.flow_run_id;
  v_tree_ids := array(select t.id from private.earlier_run_tree(v_roots) as t);
  -- Read all nodes of the runs in the tree. If partial_config takes the outputs of some nodes from another run, read
  -- only these nodes of the other run.
  select p.* into v_page
  from (
    select array_agg(r.run_id) as run_ids, array_agg(r.node_id) as node_ids
    from (
      select t.id as run_id, null::uuid as node_id from unnest(v_tree_ids) as t (id)
      union all
      select n.run_id::uuid, n.node_id::uuid from jsonb_each_text(v_named) as n (node_id, run_id)
    ) as r
  ) as rows
  cross join lateral private.node_runs_page(
    rows.run_ids, earlier_flow_runs.after, earlier_flow_runs.max_bytes, rows.node_ids,
    v_input_nodes
  ) as p;
  return json_build_object(
    'roots', case when v_is_first then to_json(v_roots) else '[]' end,
    'children', case when v_is_first then (
      select coalesce(json_agg(t), '[]')
      from private.earlier_run_tree(v_roots) as t where t.parent_flow_run_id is not null
    ) else '[]' end,
    'changes', case when v_is_first then v_changes end,
    'repeat_effects', case when v_is_first then v_repeat_effects end,
    'node_runs', v_page.node_runs::json,
    'next', v_page.next
  );
end;
$$;
comment on function private.earlier_flow_runs(uuid, jsonb, integer) is
  'Implements public.earlier_flow_runs. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.earlier_flow_runs(uuid, jsonb, integer) to service_role;

create function public.earlier_flow_runs(flow_run_id uuid, after jsonb default null, max_bytes integer default 4194304)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.earlier_flow_runs(flow_run_id, after, max_bytes);
$$;
-- The first page has `roots`: the runs that this run was redriven from, the newest first. It also has `children`: the
-- runs that the roots called. Each page has node runs of roots and children, in the form of flow_run_history_page. If
-- the interflow node that called a run succeeded, the called run is not in `children` and `node_runs`, because the
-- redrive takes over the node's outputs. For a partial run, node_runs also has the executions whose outputs feed the
-- nodes of the run. Node runs of nodes with effects have their inputs. If some roots executed another snapshot than this
-- run, the first page has `changes` (the value of private.flow_run_jobs.redrive_changes), and on every page, each node
-- run has its input. The first page also has `repeat_effects` of the redrive, as private.repeat_effects() makes it.
comment on function public.earlier_flow_runs(uuid, jsonb, integer) is
  'For the runner: pages of the executions that a redrive may take over, and of those whose outputs a partial run uses: {roots, children, changes, repeat_effects, node_runs, next}. next is the `after` of the next page; null on the last page.';
grant execute on function public.earlier_flow_runs(uuid, jsonb, integer) to service_role;

-- sql/600_queue/50_lock_claimed_run.sql

create function private.refuse_lost_claim()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('claim_lost',
    'This claim of the run is over: the run has ended, was deleted, or was claimed again.');
end;
$$;
comment on function private.refuse_lost_claim() is
  'Refuses a claim of a run that has ended, was deleted or was claimed again: 409 claim_lost.';

create function private.lock_claimed_run(flow_run_id uuid, claim_number integer)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_claim_number integer;
begin
  -- Lock the run before reading its job, in the same order as claims and stops.
  select r.* into v_run
  from public.flow_run as r
  where r.id = lock_claimed_run.flow_run_id and r.end_time is null
  for no key update;
  select j.claim_number into v_claim_number
  from private.flow_run_jobs as j where j.flow_run_id = lock_claimed_run.flow_run_id;
  if v_run.id is null or v_claim_number is distinct from lock_claimed_run.claim_number then
    perform private.refuse_lost_claim();
  end if;
  return v_run;
end;
$$;
comment on function private.lock_claimed_run(uuid, integer) is
  'Locks and returns a run if the claim is the newest claim of the run and the run has not ended. Otherwise 409 claim_lost. Each write of a worker begins with this call. Definer, because no API role may access jobs.';

-- sql/600_queue/51_store_progress.sql

create function private.store_called_runs(run public.flow_run, children jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
begin
  with stored as (
    insert into public.flow_run as r (
      id, created_at, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, error_code,
      not_run, start_time, end_time, parent_flow_run_id, parent_node_id, parent_times, chain_network
    )
    select
      c.id, private.uuid_v7_time(c.id), run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key,
      c.inputs, c.output, c.errors, private.error_code(c.errors[1]), c.not_run, c.start_time, c.end_time,
      c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
    from jsonb_to_recordset(store_called_runs.children) as c (
      id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[],
      start_time timestamptz, end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
    )
    on conflict on constraint flow_run_pkey do update
    set status = excluded.status, output = excluded.output, errors = excluded.errors,
      error_code = excluded.error_code, not_run = excluded.not_run, end_time = excluded.end_time
    -- A late request must not change a run that has ended.
    where r.end_time is null
    returning r.id, r.start_time, r.end_time, r.xmax = 0 as is_new
  )
  select array_agg((
    run.id, e.position, e.time, (e.event, s.id, null, null, null, null, null)::private.run_event
  )::private.new_run_event) into v_events
  from stored as s
  join jsonb_to_recordset(store_called_runs.children)
    as c (id uuid, start_position integer, end_position integer) on c.id = s.id
  cross join lateral (
    values ('run_start', s.is_new, c.start_position, s.start_time),
      ('run_finish', s.end_time is not null, c.end_position, s.end_time)
  ) as e (event, is_stored, position, "time")
  where e.is_stored;
  return v_events;
end;
$$;
comment on function private.store_called_runs(public.flow_run, jsonb) is
  'Stores the called runs of a run''s tree, with the owner, starter and network of the root run. Returns the resulting events. Definer, because no API role may write runs.';

create function private.store_transaction_outcomes(transactions jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_transactions as t
  set outcome = p.outcome, signature = p.signature
  from jsonb_to_recordset(store_transaction_outcomes.transactions) as p (
    flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
  )
  where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
  -- End the open requests of these transactions, because their signatures are not needed any more. For example, the
  -- signer of an action may have sent the transaction. If the requests stayed open, pending_signature_request would
  -- return them before the requests of the next transaction, and the run would wait for their answers.
  update public.signature_requests as s
  set expires_at = clock_timestamp()
  from jsonb_to_recordset(store_transaction_outcomes.transactions) as p (flow_run_id uuid, node_id uuid, times integer)
  where s.flow_run_id = p.flow_run_id and s.node_id = p.node_id and s.times = p.times
    and s.signature is null and s.expires_at > clock_timestamp();
end;
$$;
comment on function private.store_transaction_outcomes(jsonb) is
  'Stores the outcomes of transactions in a run''s tree, and ends their open signature requests. Definer, because no API role may write these tables.';

create function private.store_taken_over(run_id uuid, user_id uuid, executions jsonb)
returns private.new_run_event[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_events private.new_run_event[];
begin
  with stored as (
    -- The worker sends only the keys of the executions. So copy the values from the rows of the earlier runs.
    insert into public.node_run as n (
      flow_run_id, node_id, times, user_id, attempt, start_time, end_time, input, output, errors, error_handled,
      is_pinned, is_taken_over
    )
    select
      t.flow_run_id, t.node_id, t.times, e.user_id, e.attempt, e.start_time, e.end_time, e.input, e.output, e.errors,
      e.error_handled, e.is_pinned, true
    from jsonb_to_recordset(store_taken_over.executions) as t (
      flow_run_id uuid, node_id uuid, times integer, from_flow_run_id uuid, from_times integer
    )
    cross join lateral (
      select o.* from public.node_run as o
      where o.flow_run_id = t.from_flow_run_id and o.node_id = t.node_id and o.times = t.from_times
      offset 0
    ) as e
    where e.user_id = store_taken_over.user_id
    on conflict on constraint node_run_pkey do nothing
    returning n.flow_run_id, n.node_id, n.times, n.start_time, n.end_time
  )
  select array_agg((
    store_taken_over.run_id, e.position, e.time,
    (e.event, s.flow_run_id, s.node_id, s.times, null, null, null)::private.run_event
  )::private.new_run_event) into v_events
  from stored as s
  join jsonb_to_recordset(store_taken_over.executions) as t (
    flow_run_id uuid, node_id uuid, times integer, start_position integer, end_position integer
  ) on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  cross join lateral (
    values ('node_start', t.start_position, s.start_time), ('node_finish', t.end_position, s.end_time)
  ) as e (event, position, "time");
  return v_events;
end;
$$;
-- executions: [{flow_run_id, node_id, times, from_flow_run_id, from_times, start_position, end_position}].
-- Executions of other owners' runs are skipped.
comment on function private.store_taken_over(uuid, uuid, jsonb) is
  'Copies the node executions that a redrive takes over, and returns the resulting events. Definer, because no API role may write runs.';

create function private.store_progress_of(run_ids uuid[], user_ids uuid[], progresses jsonb[], numbers_events boolean[])
returns void
language plpgsql volatile security definer
set search_path = ''
-- Force generic plans. Otherwise Postgres would plan the statements again for the arrays of each call, and planning
-- takes longer than executing.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
-- Some callers turn hash joins off. Without hash joins, Postgres would join the rows of a large progress by nested
-- loops, which would take longer than storing the rows.
set enable_hashjoin = on
as $$
declare
  v_has_children boolean;
  v_has_taken_over boolean;
  v_has_transactions boolean;
  v_has_inputs boolean;
  v_has_logs boolean;
  v_called_events private.new_run_event[];
  v_node_events private.new_run_event[];
  v_taken_over_events private.new_run_event[];
  v_input_events private.new_run_event[];
  v_log_events private.new_run_event[];
begin
  select
    bool_or(p.progress -> 'children' <> '[]'), bool_or(p.progress -> 'taken_over' <> '[]'),
    bool_or(p.progress -> 'transactions' <> '[]'),
    bool_or(p.progress -> 'inputs' <> '[]'), bool_or(p.progress -> 'logs' <> '[]')
  into v_has_children, v_has_taken_over, v_has_transactions, v_has_inputs, v_has_logs
  from unnest(store_progress_of.progresses) as p (progress);

  if v_has_children then
    select array_agg(e) into v_called_events
    from unnest(store_progress_of.run_ids, store_progress_of.progresses) as p (run_id, progress)
    cross join lateral (select run.* from public.flow_run as run where run.id = p.run_id offset 0) as r
    cross join lateral unnest(private.store_called_runs(r, p.progress -> 'children')) as e
    where p.progress -> 'children' <> '[]';
  end if;

  with stored as (
    insert into public.node_run as n (
      flow_run_id, node_id, times, user_id, attempt, retry_at, start_time, attempt_start_time, end_time, input,
      output, errors, error_handled, is_pinned
    )
    select
      e.flow_run_id, e.node_id, e.times, p.user_id, coalesce(e.attempt, 1), e.retry_at, e.start_time,
      e.attempt_start_time, e.end_time, e.input, e.output, e.errors, coalesce(e.error_handled, false),
      coalesce(e.is_pinned, false)
    from unnest(store_progress_of.user_ids, store_progress_of.progresses) as p (user_id, progress)
    cross join lateral jsonb_to_recordset(p.progress -> 'node_runs') as e (
      flow_run_id uuid, node_id uuid, times integer, attempt integer, retry_at timestamptz, start_time timestamptz,
      attempt_start_time timestamptz, end_time timestamptz, input jsonb, output jsonb,
      errors text[], error_handled boolean, is_pinned boolean
    )
    on conflict on constraint node_run_pkey do update
    set
      attempt = excluded.attempt, retry_at = excluded.retry_at, attempt_start_time = excluded.attempt_start_time,
      end_time = excluded.end_time, output = excluded.output,
      errors = excluded.errors, error_handled = excluded.error_handled
    -- A late request must not change a node run that has ended, and must not set a node run back to an earlier attempt.
    -- A report that a node has begun changes no stored row, because the row may already have output values.
    where n.end_time is null and (
      excluded.end_time is not null
      or (excluded.attempt, excluded.retry_at is not null) > (n.attempt, n.retry_at is not null)
      or (excluded.attempt, excluded.retry_at is not null) = (n.attempt, n.retry_at is not null)
        and excluded.output is not null
    )
    -- xmax is 0 only for a new row. If the row existed, this statement has locked it for the update, and the lock has
    -- set xmax.
    returning n.flow_run_id, n.node_id, n.times, n.start_time, n.end_time, n.xmax = 0 as is_new
  )
  select array_agg((
    g.run_id, e.position, e.time, (e.event, s.flow_run_id, s.node_id, s.times, null, null, null)::private.run_event
  )::private.new_run_event) into v_node_events
  from stored as s
  join (
    select p.run_id, k.*
    from unnest(store_progress_of.run_ids, store_progress_of.progresses, store_progress_of.numbers_events)
      as p (run_id, progress, numbers_events)
    cross join lateral jsonb_to_recordset(p.progress -> 'node_runs') as k (
      flow_run_id uuid, node_id uuid, times integer, start_position integer, end_position integer
    )
    where p.numbers_events
  ) as g on (g.flow_run_id, g.node_id, g.times) = (s.flow_run_id, s.node_id, s.times)
  cross join lateral (
    values ('node_start', s.is_new, g.start_position, s.start_time),
      ('node_finish', s.end_time is not null, g.end_position, s.end_time)
  ) as e (event, is_stored, position, "time")
  where e.is_stored;

  if v_has_taken_over then
    select array_agg(e) into v_taken_over_events
    from unnest(store_progress_of.run_ids, store_progress_of.user_ids, store_progress_of.progresses)
      as p (run_id, user_id, progress)
    cross join lateral unnest(private.store_taken_over(p.run_id, p.user_id, p.progress -> 'taken_over')) as e
    where p.progress -> 'taken_over' <> '[]';
  end if;

  if v_has_transactions then
    perform private.store_transaction_outcomes(p.progress -> 'transactions')
    from unnest(store_progress_of.progresses) as p (progress);
  end if;

  if v_has_inputs then
    select array_agg(e) into v_input_events
    from unnest(store_progress_of.run_ids, store_progress_of.progresses) as p (run_id, progress)
    cross join lateral (select run.* from public.flow_run as run where run.id = p.run_id offset 0) as r
    cross join lateral unnest(private.store_api_inputs(r, p.progress -> 'inputs')) as e
    where p.progress -> 'inputs' <> '[]';
  end if;

  if v_has_logs then
    with stored as (
      insert into public.flow_run_logs as l (
        flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content
      )
      select g.flow_run_id, g.log_index, p.user_id, g.node_id, g.times, g.time, g.log_level, g.module, g.content
      from unnest(store_progress_of.user_ids, store_progress_of.progresses) as p (user_id, progress)
      cross join lateral jsonb_to_recordset(p.progress -> 'logs') as g (
        flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text,
        module text, content text
      )
      on conflict on constraint flow_run_logs_pkey do nothing
      returning l.flow_run_id, l.log_index, l.node_id, l.times, l.time
    )
    select array_agg((
      g.run_id, g.position, s.time,
      ('log', s.flow_run_id, s.node_id, s.times, s.log_index, null, null)::private.run_event
    )::private.new_run_event) into v_log_events
    from stored as s
    join (
      select p.run_id, k.*
      from unnest(store_progress_of.run_ids, store_progress_of.progresses, store_progress_of.numbers_events)
        as p (run_id, progress, numbers_events)
      cross join lateral jsonb_to_recordset(p.progress -> 'logs')
        as k (flow_run_id uuid, log_index integer, position integer)
      where p.numbers_events
    ) as g on (g.flow_run_id, g.log_index) = (s.flow_run_id, s.log_index);
  end if;

  perform private.add_run_events(
    v_called_events || v_node_events || v_taken_over_events || v_input_events || v_log_events
  );
end;
$$;
-- The progress of each run is {children, node_runs, taken_over, transactions, inputs, logs}. user_ids are the owners of
-- the runs. numbers_events is false if the run ends with this report and its events need not be stored, because
-- private.unnumbered_events can compute them. Storing the same progress twice changes nothing.
comment on function private.store_progress_of(uuid[], uuid[], jsonb[], boolean[]) is
  'Stores the progress of runs that the caller has locked. Definer, because no API role may write these tables.';

create function private.store_progress(flow_run_id uuid, claim_number integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_progress.flow_run_id, store_progress.claim_number);
begin
  perform private.store_progress_of(array[v_run.id], array[v_run.user_id], array[store_progress.progress], array[true]);
end;
$$;
comment on function private.store_progress(uuid, integer, jsonb) is
  'Stores the progress of a claimed run, {children, node_runs, taken_over, transactions, inputs, logs}. Storing the same progress twice changes nothing. 409 claim_lost if a newer claim exists or the run has ended. Definer, because no API role may write these tables.';

create function private.store_job_progress(flow_run_id uuid, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    -- If a node has ended, the run makes progress, so the count of lost workers begins again.
    lost_claim_count = case
      when jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0
      else j.lost_claim_count
    end
  where j.flow_run_id = store_job_progress.flow_run_id;
end;
$$;
comment on function private.store_job_progress(uuid, jsonb) is
  'Stores the part {work_ms, output_bytes} of the progress in the job of a run that continues. Resets the count of lost workers if a node has ended. Definer, because no API role may access jobs.';

-- sql/600_queue/52_release_flow_run.sql

create function private.end_claim(flow_run_id uuid, delay_seconds integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
  v_has_news boolean;
begin
  -- Change only a job that is held, so that a repeated release changes nothing.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- If the run must stop, or if one of its inputs was answered, the run must not sleep now. The stop or the answer
    -- arrived while the worker held the run, so it did not wake the run.
    sleeps_until = case
      when end_claim.delay_seconds > 0 and j.stop_requested_at is null and not j.has_ended_inputs
        then clock_timestamp() + make_interval(secs => end_claim.delay_seconds)
    end,
    -- This worker was not lost, so the count of lost workers begins again. Perhaps another run crashed the earlier
    -- workers. Without the reset, this run would stay a suspect, and would be executed alone after every release.
    lost_claim_count = 0,
    -- The next turn of this run comes after the other runs of its owner, including new runs. In this way, a long run
    -- takes turns with new runs.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = end_claim.flow_run_id and j.is_held
  returning j.message_id, j.stop_requested_at is not null or j.has_ended_inputs into v_message_id, v_has_news;
  perform private.set_visible_after(
    array[v_message_id], case when v_has_news then 0 else coalesce(end_claim.delay_seconds, 0) end
  );
  return v_message_id is not null;
end;
$$;
comment on function private.end_claim(uuid, integer) is
  'Ends a claim of a run that has not ended. The run may be claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. Returns false if the claim was already released. The caller has locked the run. Definer, because no API role may access queue and jobs.';

create function private.release_flow_run(flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    release_flow_run.flow_run_id, release_flow_run.claim_number, release_flow_run.progress
  );
  perform private.store_job_progress(release_flow_run.flow_run_id, release_flow_run.progress);
  if private.end_claim(release_flow_run.flow_run_id, release_flow_run.delay_seconds)
    and release_flow_run.delay_seconds > 0
  then
    update public.flow_run as r set status = 'waiting'
    where r.id = release_flow_run.flow_run_id
      and exists (select from public.pending_inputs as p where p.root_flow_run_id = release_flow_run.flow_run_id);
  end if;
end;
$$;
comment on function private.release_flow_run(uuid, integer, jsonb, integer) is
  'Implements public.release_flow_run. Definer, because no API role may access queue and jobs.';
grant execute on function private.release_flow_run(uuid, integer, jsonb, integer) to service_role;

create function public.release_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default 0
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.release_flow_run(flow_run_id, claim_number, progress, delay_seconds);
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}. The run may be
-- claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. While the run
-- waits for an input, its status is waiting.
comment on function public.release_flow_run(uuid, integer, jsonb, integer) is
  'For the runner: stores the progress of a claimed run and ends the claim. The run may be claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.release_flow_run(uuid, integer, jsonb, integer) to service_role;

-- sql/600_queue/53_checkpoint_flow_run.sql

create function private.checkpoint_flow_run(
  flow_run_id uuid, claim_number integer, lease_seconds integer, progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.claim_number, checkpoint_flow_run.progress
  );
  perform private.store_job_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress);
  perform private.set_visible_after(
    -- Hide the message only if the run is held, because a checkpoint may arrive after the release.
    array(
      select j.message_id from private.flow_run_jobs as j
      where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held
    ),
    checkpoint_flow_run.lease_seconds
  );
end;
$$;
comment on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'Implements public.checkpoint_flow_run. Definer, because no API role may access queue and jobs.';
grant execute on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;

create function public.checkpoint_flow_run(
  flow_run_id uuid, claim_number integer, lease_seconds integer, progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.checkpoint_flow_run(flow_run_id, claim_number, lease_seconds, progress);
end;
$$;
comment on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'For the runner: stores the progress of a claimed run, {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}, and keeps the claim for lease_seconds from now. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;

-- sql/600_queue/54_suspend_flow_run.sql

create function private.suspend_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default null
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds integer;
begin
  perform private.store_progress(
    suspend_flow_run.flow_run_id, suspend_flow_run.claim_number, suspend_flow_run.progress
  );
  perform private.store_job_progress(suspend_flow_run.flow_run_id, suspend_flow_run.progress);
  -- store_progress has locked the run. So this query sees all earlier answers, and end_claim sees an earlier stop. A
  -- later answer or stop waits for the lock, finds that no worker holds the run, and wakes the run. If no request is
  -- unanswered, the delay is 0. If some requests are open, the delay ends when the first of them expires. If all
  -- unanswered requests have expired, the delay is a second: with a delay of 0, a worker with a slow clock would
  -- suspend the run again at once.
  select case when count(*) = 0 then 0 else coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), 1
  ) end into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  v_seconds := least(v_seconds, suspend_flow_run.delay_seconds);
  if private.end_claim(suspend_flow_run.flow_run_id, greatest(v_seconds, 0)) then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
end;
$$;
comment on function private.suspend_flow_run(uuid, integer, jsonb, integer) is
  'Implements public.suspend_flow_run. Definer, because no API role may access queue and jobs.';
grant execute on function private.suspend_flow_run(uuid, integer, jsonb, integer) to service_role;

create function public.suspend_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default null
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.suspend_flow_run(flow_run_id, claim_number, progress, delay_seconds);
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}. If all signature
-- requests are answered, the run may be claimed again at once. If all unanswered requests have expired, the run may be
-- claimed in a second. Otherwise it may be claimed when all requests are answered, when the first request expires, or
-- when the run must stop. After delay_seconds, the run may be claimed in any case. The worker gives delay_seconds if
-- the time limit of an attempt ends then.
comment on function public.suspend_flow_run(uuid, integer, jsonb, integer) is
  'For the runner: stores the progress of a claimed run, and releases the run until its signature requests are answered, the first request expires, or the run must stop. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.suspend_flow_run(uuid, integer, jsonb, integer) to service_role;

-- sql/600_queue/60_end_flow_run.sql

create function private.end_called_runs(root_flow_run_id uuid, status text)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with a sequential scan while the table is empty, and reuse it when
-- the table is full.
set enable_seqscan = off
as $$
declare
  v_events private.new_run_event[];
begin
  -- `offset 0` forces one search of an index for the children of each run. Without `offset 0`, the planner would read
  -- all called runs, because it expects too many children: it assumes that every run has children.
  with recursive descendant as (
    select child.id, child.end_time from public.flow_run as child
    where child.parent_flow_run_id = end_called_runs.root_flow_run_id
    union all
    select child.id, child.end_time
    from descendant
    cross join lateral (
      select c.id, c.end_time from public.flow_run as c where c.parent_flow_run_id = descendant.id offset 0
    ) as child
  ), ended as (
    update public.flow_run as r
    set
      status = case end_called_runs.status when 'stopped' then 'stopped' else 'failed' end,
      errors = case end_called_runs.status
        when 'stopped' then null else array['the run that called this flow has ended']
      end,
      output = '{"M": {}}', not_run = private.nodes_not_run(r, end_called_runs.root_flow_run_id),
      end_time = clock_timestamp()
    where r.id = any (array(select descendant.id from descendant where descendant.end_time is null))
    returning r.id, r.end_time
  )
  select array_agg((
    end_called_runs.root_flow_run_id, null, e.end_time,
    ('run_finish', e.id, null, null, null, null, null)::private.run_event
  )::private.new_run_event) into v_events from ended as e;
  perform private.add_run_events(v_events);
end;
$$;
comment on function private.end_called_runs(uuid, text) is
  'Ends all called runs in a root run''s tree that have not ended yet. They end as stopped if the root run was stopped, otherwise as failed. Definer, because no API role may write runs.';

create function private.end_flow_runs(run_ids uuid[], message_ids bigint[], results jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Planning takes a third of the time that the end of one run takes, so force_generic_plan lets Postgres keep the first
-- plan. Without the other settings, that plan could have sequential scans, because the tables may be empty when it is
-- made.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_has_called_runs boolean;
  v_has_requests boolean;
  v_told_ids uuid[];
  v_has_inputs boolean;
begin
  -- Runs end in the order of run_ids. At the commit, the ended runs are subtracted from the usage of their
  -- deployments in the same order.
  with result as materialized (
    select f.*
    from jsonb_to_recordset(end_flow_runs.results) as f (
      flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    where f.flow_run_id = any (end_flow_runs.run_ids)
    order by array_position(end_flow_runs.run_ids, f.flow_run_id)
  ), ended_run as (
    update public.flow_run as r
    set
      status = f.status, output = coalesce(f.output, '{"M": {}}'), errors = f.errors,
      error_code = private.error_code(f.errors[1]), not_run = coalesce(f.not_run, private.nodes_not_run(r, r.id)),
      end_time = clock_timestamp()
    from result as f
    where r.id = f.flow_run_id and r.id = any (end_flow_runs.run_ids) and r.end_time is null
  ), ended_job as (
    update private.flow_run_jobs as j
    set
      message_id = null, is_held = false, sleeps_until = null,
      work_ms = greatest(j.work_ms, (f.progress ->> 'work_ms')::bigint),
      failed_at = case f.status when 'failed' then clock_timestamp() end,
      is_complete = coalesce((f.progress ->> 'is_complete')::boolean, false)
    from result as f
    where j.flow_run_id = f.flow_run_id and j.flow_run_id = any (end_flow_runs.run_ids)
    returning j.flow_run_id, jsonb_typeof(j.settings -> 'on_end') = 'object' as has_on_end
  ), ended_message as (
    delete from pgmq.q_flow_runs as m where m.msg_id = any (end_flow_runs.message_ids)
  )
  select array_agg(j.flow_run_id) filter (where j.has_on_end) into v_told_ids from ended_job as j;

  select
    exists (select from public.flow_run as r where r.parent_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.signature_requests as s where s.root_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids))
  into v_has_called_runs, v_has_requests, v_has_inputs;
  -- Called runs must end with the root run at the latest. Some called runs may not have ended yet, because no worker
  -- continued them before the end of the root run.
  if v_has_called_runs then
    perform private.end_called_runs(f.flow_run_id, f.status)
    from jsonb_to_recordset(end_flow_runs.results) as f (flow_run_id uuid, status text)
    where f.flow_run_id = any (end_flow_runs.run_ids);
  end if;
  -- Let the open requests expire, so that their readers see that no answer is needed any more.
  if v_has_requests then
    update public.signature_requests as s set expires_at = clock_timestamp()
    where s.root_flow_run_id = any (end_flow_runs.run_ids) and s.signature is null and s.expires_at > clock_timestamp();
  end if;
  if v_has_inputs then
    delete from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids);
  end if;
  if v_told_ids is not null then
    perform private.queue_end_webhooks(v_told_ids);
  end if;
  perform private.announce_run_news(u.id, 'ends'), private.announce_run_news(u.id, 'events')
  from unnest(end_flow_runs.run_ids) as u (id);
end;
$$;
-- Stores the results, and queues the messages to the addresses in on_end. Ends the called runs, the open signature
-- requests and the pending inputs of the trees. Deletes the messages from the queue. results: [{flow_run_id, status,
-- output, errors, not_run, progress: {work_ms, is_complete}}]. If not_run is null, it is set to all nodes without a
-- node run. The caller has locked the runs and then the jobs; message_ids are those of the jobs.
comment on function private.end_flow_runs(uuid[], bigint[], jsonb) is
  'Ends root runs that the caller has locked. Definer, because no API role may write runs.';

create function private.end_flow_run(
  flow_run_id uuid, status text, output jsonb default null, errors text[] default null, not_run uuid[] default null
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
begin
  -- Lock the job before its message, in the same order as heartbeats.
  select j.message_id into v_message_id
  from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id for no key update;
  perform private.end_flow_runs(
    array[end_flow_run.flow_run_id], array[v_message_id],
    jsonb_build_array(jsonb_build_object(
      'flow_run_id', end_flow_run.flow_run_id, 'status', end_flow_run.status, 'output', end_flow_run.output,
      'errors', end_flow_run.errors, 'not_run', end_flow_run.not_run
    ))
  );
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[]) is
  'Ends a run for which no worker reports a result. The caller has locked the run. Definer, because no API role may write runs.';

create function private.nodes_not_run(run public.flow_run, root_run_id uuid)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  with selected as materialized (
    select o.node_id
    from private.flow_run_jobs as j
    cross join lateral jsonb_array_elements_text(j.settings #> '{partial_config,only_nodes}') as o (node_id)
    where j.flow_run_id = nodes_not_run.root_run_id and nodes_not_run.run.id = nodes_not_run.root_run_id
  )
  select coalesce(array_agg((n.node ->> 'id')::uuid order by n.position), '{}')
  from private.flow_run_jobs as j
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  cross join lateral jsonb_array_elements(
    case
      when nodes_not_run.run.id = nodes_not_run.root_run_id then s.data #> '{entry,nodes}'
      else s.data #> array['flows', nodes_not_run.run.flow_id::text, 'nodes']
    end
  ) with ordinality as n (node, position)
  where j.flow_run_id = nodes_not_run.root_run_id and n.node #>> '{data,type}' <> 'mock'
    and (not exists (select from selected) or n.node ->> 'id' in (select s.node_id from selected as s))
    and not exists (
      select from public.node_run as r
      where r.flow_run_id = nodes_not_run.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$$;
comment on function private.nodes_not_run(public.flow_run, uuid) is
  'The nodes of a run''s flow that have no node run, in the order of the flow. If the run is partial, only the nodes that it selects count. root_run_id is the root of the run''s tree; the job of the root names the snapshot. Definer, because no API role may access jobs and snapshots.';

-- sql/600_queue/61_finish_flow_run.sql

create function private.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
-- Without these settings, Postgres could make a plan with sequential scans while the tables are empty, and reuse it
-- when they are full.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_run_ids uuid[];
  v_user_ids uuid[];
  v_message_ids bigint[];
  v_progresses jsonb[];
  v_positions bigint[];
  v_numbers_events boolean[];
  v_results jsonb := finish_flow_runs.results;
begin
  select array_agg(held.id), array_agg(held.user_id), array_agg(held.message_id), array_agg(held.progress),
    array_agg(held.position), array_agg(held.numbers_events)
  into v_run_ids, v_user_ids, v_message_ids, v_progresses, v_positions, v_numbers_events
  from (
    select r.id, r.user_id, j.message_id, f.progress, f.position,
      -- False if the run's events need not be stored, because private.unnumbered_events can compute them later. This is
      -- so if this result has all events of the run in their order, and the run is short and has no called runs,
      -- executions of earlier runs, or inputs.
      (
        (f.progress -> 'is_in_order')::boolean is not true
        or jsonb_array_length(f.progress -> 'node_runs') + jsonb_array_length(f.progress -> 'logs') > 100
        or f.progress -> 'children' <> '[]' or f.progress -> 'taken_over' <> '[]' or f.progress -> 'inputs' <> '[]'
        -- If this were an `exists`, Postgres could keep a plan that it made while the table was empty, and read the
        -- whole table.
        or coalesce((select true from private.flow_run_events as e where e.root_flow_run_id = r.id limit 1), false)
      ) is not false as numbers_events
    from rows from (
      jsonb_to_recordset(finish_flow_runs.results) as (flow_run_id uuid, claim_number integer, progress jsonb)
    ) with ordinality as f (flow_run_id, claim_number, progress, position)
    -- This lateral query searches an index for each result. For a plain join, Postgres could keep a plan that reads all
    -- runs to find the few that have not ended. Skip runs that other transactions have locked. If this transaction
    -- waited for a run while it holds locks on other runs, it could cause a deadlock.
    cross join lateral (
      select run.id, run.user_id from public.flow_run as run
      where run.id = f.flow_run_id and run.end_time is null
      for no key update skip locked
    ) as r
    -- Lock the job after its run. Waiting for the job causes no deadlock: a transaction that locks a job without its
    -- run, such as a heartbeat, does not wait for a lock of this transaction. If such a transaction has changed the
    -- job, Postgres reads the job again, so this query sees the newest claim.
    cross join lateral (
      select job.message_id, job.counted_deployment_id, job.counted_shares from private.flow_run_jobs as job
      where job.flow_run_id = r.id and job.claim_number = f.claim_number
      for no key update
    ) as j
    -- At the commit, a trigger subtracts each ended run from its deployment's usage, in the order of these rows. To
    -- prevent deadlocks, all transactions use the same order.
    order by j.counted_deployment_id, j.counted_shares
  ) as held;
  if v_run_ids is not null then
    -- Keep only the results that are stored here, by their positions. Run ids are not enough: a worker whose lease has
    -- ended may claim its own run again, and report both claims in one call.
    if cardinality(v_run_ids) < jsonb_array_length(v_results) then
      -- Build the list as text, because jsonb_agg takes quadratic time for an object with many members, such as an
      -- output.
      v_results := (
        select json_agg(v_results -> (p.position - 1)::integer)::jsonb from unnest(v_positions) as p (position)
      );
    end if;
    perform private.store_progress_of(v_run_ids, v_user_ids, v_progresses, v_numbers_events);
    perform private.end_flow_runs(v_run_ids, v_message_ids, v_results);
  end if;
  return coalesce(v_run_ids, '{}');
end;
$$;
comment on function private.finish_flow_runs(jsonb) is
  'Implements public.finish_flow_runs. Definer, because no API role may write runs or access the queue.';
grant execute on function private.finish_flow_runs(jsonb) to service_role;

create function private.finish_flow_run(
  flow_run_id uuid, claim_number integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.lock_claimed_run(finish_flow_run.flow_run_id, finish_flow_run.claim_number);
  perform private.finish_flow_runs(jsonb_build_array(jsonb_build_object(
    'flow_run_id', finish_flow_run.flow_run_id, 'claim_number', finish_flow_run.claim_number,
    'status', finish_flow_run.status, 'output', finish_flow_run.output, 'errors', finish_flow_run.errors,
    'not_run', finish_flow_run.not_run, 'progress', finish_flow_run.progress
  )));
end;
$$;
comment on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'Implements public.finish_flow_run. Definer, because no API role may write runs or access the queue.';
grant execute on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, claim_number integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.finish_flow_run(flow_run_id, claim_number, status, output, errors, not_run, progress);
end;
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, is_in_order, work_ms, is_complete}. If
-- not_run is null, it is set to all nodes without a node run.
comment on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'For the runner: stores the last progress of a claimed run and ends the run with its result, in one transaction. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.finish_flow_runs(results);
end;
$$;
-- results: [{flow_run_id, claim_number, status, output, errors, not_run, progress}]. Skips results of older claims, and
-- results of runs that another transaction has locked. If one result can't be stored, raises the error and finishes no
-- run at all.
comment on function public.finish_flow_runs(jsonb) is
  'For the runner: finishes several runs in one transaction, each as finish_flow_run does. Returns the ids of the finished runs. Skips results of older claims and of locked runs.';
grant execute on function public.finish_flow_runs(jsonb) to service_role;

-- sql/600_queue/70_stop_flow_run.sql

create function private.stop_flow_run(flow_run_id uuid, reason text, timeout_millies integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(stop_flow_run.flow_run_id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and private.limit_stop_timeout_ms() then
    perform private.fail('request_invalid',
      format('timeout_millies must be an integer from 0 to %s.', private.limit_stop_timeout_ms()));
  end if;
  if char_length(stop_flow_run.reason) > private.limit_stop_reason_characters() then
    perform private.fail('request_invalid',
      format('reason must have at most %s characters.', private.limit_stop_reason_characters()));
  end if;
  -- Lock the run first, as claims do, so that no claim begins before the commit. If the run was never claimed, it can
  -- then end here. Otherwise its worker will read the stop request.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id;
  if v_job.message_id is null then
    return;
  end if;
  update private.flow_run_jobs as j
  set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason,
    stop_timeout_millies = stop_flow_run.timeout_millies
  where j.flow_run_id = v_run_id and j.stop_requested_at is null;
  if found then
    update public.flow_run as r
    set stopped_by = case when r.user_id = (private.caller()).user_id then 'owner' else 'starter' end
    where r.id = v_run_id;
  end if;
  if v_job.claim_number = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
    return;
  end if;
  -- Delete the inputs, so that nobody can answer them any more.
  delete from public.pending_inputs as p where p.root_flow_run_id = v_run_id;
  if not v_job.is_held then
    -- The run may sleep until a later time, so wake it now.
    perform private.wake_flow_run(v_run_id);
  end if;
end;
$$;
comment on function private.stop_flow_run(uuid, text, integer) is
  'Implements public.stop_flow_run. Definer, because no API role may access jobs or update runs.';
grant execute on function private.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;

create function public.stop_flow_run(flow_run_id uuid, reason text default null, timeout_millies integer default 0)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.stop_flow_run(flow_run_id, reason, timeout_millies);
$$;
-- Only the first request counts. No new node starts. Running nodes get a signal, and their results are stored if they
-- end within timeout_millies. A run that has ended is not changed. If flow_run_id is a called run, the whole tree
-- stops.
comment on function public.stop_flow_run(uuid, text, integer) is
  'Asks a run and its whole tree to stop. Only the first request counts. Nodes have timeout_millies to end. 400 request_invalid; 401; 404 flow_run_not_found.';
grant execute on function public.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;

-- sql/600_queue/80_claim_tokens.sql

create function private.claim_token(flow_run_id uuid, claim_number integer, expires_at timestamptz, secret bytea)
returns text
language sql stable security invoker
begin atomic
  -- The signature of a run token covers 16 bytes, and that of a claim token covers a longer text. So a signature of one
  -- kind of token is never valid in the other kind.
  select s.text || '_' || encode(extensions.hmac(convert_to(s.text, 'UTF8'), claim_token.secret, 'sha256'), 'hex')
  from (
    select format(
      'fc_%s_%s_%s', encode(uuid_send(claim_token.flow_run_id), 'hex'), claim_token.claim_number,
      floor(extract(epoch from claim_token.expires_at))::bigint
    ) as text
  ) as s;
end;
comment on function private.claim_token(uuid, integer, timestamptz, bytea) is
  'The token of a claim. Its parts are joined by _: fc, the run id, the claim number, the expiry in seconds since 1970, and the HMAC-SHA256, in hex, of the parts before it.';

create function private.make_claim_token(flow_run_id uuid, claim_number integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds constant integer := private.limit_claim_token_seconds();
begin
  perform from private.flow_run_jobs as j
  where j.flow_run_id = make_claim_token.flow_run_id and j.claim_number = make_claim_token.claim_number and j.is_held;
  if not found then
    perform private.refuse_lost_claim();
  end if;
  return jsonb_build_object(
    'token', private.claim_token(
      make_claim_token.flow_run_id, make_claim_token.claim_number, clock_timestamp() + make_interval(secs => v_seconds),
      private.run_token_secret()
    ),
    'seconds', v_seconds
  );
end;
$$;
comment on function private.make_claim_token(uuid, integer) is
  'Implements public.make_claim_token. Definer, because no API role may access jobs and the secret.';
grant execute on function private.make_claim_token(uuid, integer) to service_role;

create function public.make_claim_token(flow_run_id uuid, claim_number integer)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.make_claim_token(flow_run_id, claim_number);
$$;
comment on function public.make_claim_token(uuid, integer) is
  'For the runner: a token with which the nodes of a held claim call the project''s REST API as the flow''s owner. Returns {token, seconds}: the token, and the seconds for which it is valid. 409 claim_lost.';
grant execute on function public.make_claim_token(uuid, integer) to service_role;

create function private.claim_token_claims(token text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_signature constant text := right(claim_token_claims.token, 64);
  v_signed constant text := left(claim_token_claims.token, -65);
  v_parts constant text[] := string_to_array(v_signed, '_');
  v_run_id uuid;
  v_claims jsonb;
begin
  if claim_token_claims.token !~ '^fc_[0-9a-f]{32}_[0-9]{1,10}_[0-9]{1,12}_[0-9a-f]{64}$' then
    perform private.fail('token_invalid', 'The claim token is malformed.');
  end if;
  if not private.is_signed(convert_to(v_signed, 'UTF8'), decode(v_signature, 'hex')) then
    perform private.fail('token_invalid', 'The claim token is not valid: it was changed, or is of another project.');
  end if;
  if to_timestamp(v_parts[4]::bigint) <= clock_timestamp() then
    perform private.fail('token_invalid', 'The claim token has expired.');
  end if;
  v_run_id := v_parts[2];
  -- If the owner of the run is banned, the token is refused. In the same way, Auth issues no access tokens to a banned
  -- user.
  select jsonb_build_object(
    'sub', u.id, 'role', 'authenticated', 'aud', 'authenticated', 'is_anonymous', u.is_anonymous,
    'claimed_run_id', v_run_id, 'chain_depth', j.chain_depth + 1
  ) into v_claims
  from private.flow_run_jobs as j
  join auth.users as u on u.id = j.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where j.flow_run_id = v_run_id and j.claim_number = v_parts[3]::integer and j.is_held;
  if v_claims is null then
    perform private.fail('token_invalid',
      'The claim of this token is over: the run has ended, was released or claimed again, '
        'or its owner has been deleted or banned.'
    );
  end if;
  return v_claims;
end;
$$;
comment on function private.claim_token_claims(text) is
  'The claims of a caller with this claim token, who acts as the owner of the run. 401 token_invalid if the token is malformed, forged or expired, or if the claim is over. Definer, because no API role may access jobs and the secret.';
grant execute on function private.claim_token_claims(text) to anon;

-- sql/600_queue/85_primary_key_columns.sql

create function public.primary_key_columns(table_name text, schema_name text)
returns text[]
language sql stable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(a.attname::text order by k.position), '{}')
  from pg_catalog.pg_index as i
  join pg_catalog.pg_class as c on c.oid = i.indrelid
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  cross join unnest(i.indkey::smallint[]) with ordinality as k (number, position)
  join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum = k.number
  where n.nspname = primary_key_columns.schema_name and c.relname = primary_key_columns.table_name
    and i.indisprimary and k.position <= i.indnkeyatts;
$$;
comment on function public.primary_key_columns(text, text) is
  'For the runner: the columns of a table''s primary key, in the key''s order. Empty for a view and for a table without a primary key. The node postgrest_execute_query reads the pages of a large result in this order.';
grant execute on function public.primary_key_columns(text, text) to service_role;

-- sql/650_starts/10_may_start.sql

create function private.may_start(deployment public.flow_deployments, caller private.caller)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(
    -- The owner may always start the deployment.
    may_start.deployment.user_id = may_start.caller.user_id
    -- Authenticated: every user who has signed up.
    or may_start.deployment.start_permission = 'Authenticated' and may_start.caller.user_id is not null
      and not may_start.caller.is_anonymous
    -- Anonymous: everybody.
    or may_start.deployment.start_permission = 'Anonymous',
    -- A null deployment fails every comparison.
    false
  );
end;
comment on function private.may_start(public.flow_deployments, private.caller) is
  'Whether the caller may start a deployment: the owner always, every user who has signed up if start_permission is Authenticated, and everybody if it is Anonymous. False if the deployment is null, so that a missing deployment gives the same 404 as a deployment that the caller may not start.';

-- sql/650_starts/15_startable_deployment.sql

-- A caller who may start a deployment may also read its inputs and outputs. start_deployment and read_deployment both
-- call startable_deployment, so they refuse the same callers, with the same errors.

create function private.refuse_start_target(id uuid, flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (refuse_start_target.id is null) = (refuse_start_target.flow is null) then
    perform private.fail('start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  perform private.fail('start_target_ambiguous', 'A tag names a deployment of a flow: send it with flow, not with id.');
end;
$$;
comment on function private.refuse_start_target(uuid, integer, text) is
  'Refuses a request that does not name exactly one deployment: 400 start_target_ambiguous.';

create function private.refuse_public_key(public_key text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_public_key.public_key is null then
    perform private.unauthenticated();
  end if;
  perform private.fail('public_key_invalid', '`public_key` must be a public key: base58 of 32 bytes.');
end;
$$;
comment on function private.refuse_public_key(text) is
  'Refuses a caller who is not a user and sends no valid public key: 401 unauthenticated without a key, 400 public_key_invalid for an invalid key.';

-- Returns the deployment named by id, or by flow and tag (default latest), if the caller may start it; otherwise 404
-- deployment_not_found. A caller who is not a user needs a public key: 401 unauthenticated if it is missing, 400
-- public_key_invalid if it is invalid. If is_locked is true, the deployment and its snapshot can't be deleted until the
-- transaction ends. Deploys, updates and other starts do not wait for this lock.
create function private.startable_deployment(
  id uuid, flow integer, tag text, caller private.caller, public_key text, is_locked boolean
)
returns public.flow_deployments
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_id uuid := startable_deployment.id;
  v_deployment public.flow_deployments;
begin
  if startable_deployment.caller.user_id is null
    and private.is_public_key(startable_deployment.public_key) is not true then
    perform private.refuse_public_key(startable_deployment.public_key);
  end if;
  loop
    if startable_deployment.flow is not null then
      v_id := (
        select t.deployment_id from public.flow_deployments_tags as t
        where t.entrypoint = startable_deployment.flow and t.tag = coalesce(startable_deployment.tag, 'latest')
      );
    end if;
    -- Select the row as one column. If the columns were selected one by one, every start would prepare all columns
    -- again.
    if startable_deployment.is_locked then
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id for key share);
    else
      v_deployment := (select d from public.flow_deployments as d where d.id = v_id);
    end if;
    -- If the deployment was deleted while this statement waited for its lock, the tag may now name another deployment.
    -- For example, the deletion moves the tag latest. So look the tag up again.
    exit when v_deployment.id is not null or startable_deployment.flow is null or v_id is null;
  end loop;
  if not private.may_start(v_deployment, startable_deployment.caller) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return v_deployment;
end;
$$;
comment on function private.startable_deployment(uuid, integer, text, private.caller, text, boolean) is
  'The deployment named by id, or by flow and tag, if the caller may start it; otherwise 404 deployment_not_found. If is_locked is true, the deployment can''t be deleted until the transaction ends. Definer, because it reads other users'' deployments.';

create function private.check_own_target(user_id uuid, flow integer, deployment_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if check_own_target.flow is not null and not exists (
    select from public.flows as f where f.id = check_own_target.flow and f.user_id = check_own_target.user_id
  ) then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  if check_own_target.deployment_id is not null and not exists (
    select from public.flow_deployments as d
      where d.id = check_own_target.deployment_id and d.user_id = check_own_target.user_id
  ) then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
end;
$$;
comment on function private.check_own_target(uuid, integer, uuid) is
  'Refuses a flow or deployment of another user as if it did not exist: 404 flow_not_found, deployment_not_found. Definer, so that the result does not depend on the rights of the calling role.';

create function private.refuse_missing_tag(flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('deployment_not_found',
    format('Flow %s has no deployment with the tag %s.', refuse_missing_tag.flow, refuse_missing_tag.tag),
    hint => 'Deploy the flow, or give one of its deployments this tag.');
end;
$$;
comment on function private.refuse_missing_tag(integer, text) is
  'Refuses a start whose flow has no deployment with this tag: 404 deployment_not_found. Call it only for the flow''s owner, because the message names the flow.';

-- Finds the deployment by its id if deployment_id is given, otherwise by flow and tag. Does not check the owner;
-- call private.check_own_target() first.
create function private.own_deployment(flow integer, tag text, deployment_id uuid)
returns public.flow_deployments
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
begin
  select d.* into v_deployment from public.flow_deployments as d
  where d.id = coalesce(own_deployment.deployment_id, (
    select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = own_deployment.flow and t.tag = own_deployment.tag
  ));
  if not found then
    perform private.refuse_missing_tag(own_deployment.flow, own_deployment.tag);
  end if;
  return v_deployment;
end;
$$;
comment on function private.own_deployment(integer, text, uuid) is
  'The deployment that a schedule or webhook starts; 404 deployment_not_found if no deployment of the flow has the tag. Does not check ownership; call private.check_own_target() first. Definer, so that the result does not depend on the rights of the calling role.';

-- sql/650_starts/20_start_limits.sql

-- Counts the use of each deployment by callers other than the owner. Each start counts for two shares: for the group of
-- the caller (guests or others), and for the caller. The use of a share is the sum over its slots; the use of all
-- callers is the sum over both groups. The process id of a database connection selects the slot that the connection
-- writes, so that starts do not wait for each other. There is no foreign key. Instead, a deferred trigger deletes the
-- rows when the deletion of the deployment commits.
create table private.deployment_usage (
  deployment_id uuid not null,
  share text collate "C" not null,
  slot integer not null,
  minute timestamptz not null default '-infinity',
  starts integer not null default 0,
  in_flight integer not null default 0,
  constraint deployment_usage_pkey primary key (deployment_id, share, slot)
) with (fillfactor = 50);
comment on table private.deployment_usage is
  'The use of each deployment by callers other than the owner, for its limits of starts. Each share has several slots. Starts at the same time write different slots, so they do not wait for each other. The use of a share is the sum over its slots.';
comment on column private.deployment_usage.share is
  'The group or the caller whose use is counted. Groups: ''guests'' (callers who have not signed up) and ''others''. Callers: ''user:<id>'', ''key:<public key>'', ''webhook:<id>''. Each start counts for its group and for its caller; private.start_shares() returns both.';
comment on column private.deployment_usage.slot is
  'pg_backend_pid() % 32 for the start of a run, and -1 - pg_backend_pid() % 32 for its end. Starts write slots from 0 up, and ends write negative slots, so an end never waits for a start.';
comment on column private.deployment_usage.minute is 'The minute of the counted starts.';
comment on column private.deployment_usage.starts is 'The number of runs started in that minute.';
comment on column private.deployment_usage.in_flight is
  'The runs started in this slot minus the runs ended in this slot, which may be negative. Only the sum over all slots is the number of runs in flight.';

create function private.tg_flow_deployments__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The end of a run locks several of these rows in another order, so waiting for locks here could cause a
  -- deadlock. Skip locked rows; the next sweep deletes them.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and (u.share, u.slot) in (
    select free.share, free.slot from private.deployment_usage as free
      where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_delete() is
  'Deletes the usage of a deleted deployment. Definer, because no API role may access the usage.';
-- The trigger is deferred to the commit, to avoid a deadlock. At the commit, this transaction needs no other lock. So
-- while it holds these rows, it waits for no other transaction.
create constraint trigger flow_deployments_delete_usage after delete on public.flow_deployments
  deferrable initially deferred
  for each row execute function private.tg_flow_deployments__after_delete();

-- Returns the two shares for which a start counts in private.deployment_usage: first the caller's group, then the
-- caller. Each caller belongs to one of two groups, and all callers together may use the whole limit. Guests are
-- callers who have not signed up. With made-up public keys or anonymous sign-ins, anybody can be many guests. So all
-- guests together may use only a part of the limit, which leaves room for users. Each webhook counts as one caller,
-- because anybody who has its URL may use it.
create function private.start_shares(caller private.caller)
returns text[]
language sql immutable security invoker
begin atomic
  select case
    when start_shares.caller.webhook_id is not null
      then array['others', 'webhook:' || start_shares.caller.webhook_id::text]
    when start_shares.caller.user_id is null then array['guests', 'key:' || start_shares.caller.public_key]
    when start_shares.caller.is_anonymous then array['guests', 'user:' || start_shares.caller.user_id::text]
    else array['others', 'user:' || start_shares.caller.user_id::text]
  end;
end;
comment on function private.start_shares(private.caller) is
  'The shares of private.deployment_usage for which a start counts: the caller''s group, ''guests'' or ''others'', and then the caller.';

create function private.refuse_start(limit_name text, share text, value bigint, retry_after_seconds integer)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    'start_limit_reached',
    format(
      case refuse_start.share
        when 'all' then 'This deployment has reached its %s: %s.'
        when 'guests'
          then 'Callers who have not signed up have used up their share of this deployment''s %s. The share is %s.'
        else 'You have used up your share of this deployment''s %s. The share is %s.'
      end,
      refuse_start.limit_name, refuse_start.value
    ),
    jsonb_build_object(
      'limit', refuse_start.limit_name, 'value', refuse_start.value,
      'of', case when refuse_start.share in ('all', 'guests') then refuse_start.share else 'caller' end
    ),
    'Try again after as many seconds as Retry-After says.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text)
  );
end;
$$;
comment on function private.refuse_start(text, text, bigint, integer) is
  'Refuses a start: 429 start_limit_reached with the limit, the share that is used up, and the size of the share.';

create function private.check_share(deployment public.flow_deployments, share text, minute timestamptz)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limits constant private.limits_of_starts := private.start_limits(check_share.deployment);
  v_max_starts constant bigint := private.share_of_limit(check_share.share, v_limits.max_starts_per_minute);
  v_max_runs constant bigint := private.share_of_limit(check_share.share, v_limits.max_runs_in_flight);
  v_starts bigint;
  v_runs bigint;
begin
  select sum(u.starts) filter (where u.minute = check_share.minute), sum(u.in_flight) into v_starts, v_runs
  from private.deployment_usage as u
  where u.deployment_id = check_share.deployment.id
    and u.share = any (
      case check_share.share when 'all' then array['guests', 'others'] else array[check_share.share] end
    );

  if v_starts > v_max_starts then
    perform private.refuse_start('max_starts_per_minute', check_share.share, v_max_starts,
      greatest(ceil(extract(epoch from check_share.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs > v_max_runs then
    perform private.refuse_start('max_runs_in_flight', check_share.share, v_max_runs, 5);
  end if;
end;
$$;
comment on function private.check_share(public.flow_deployments, text, timestamptz) is
  'Refuses a start that is already counted, if its share now has too many starts in this minute or too many runs in flight: 429 start_limit_reached. Definer, because no API role may access the usage.';

-- Concurrent starts do not see each other's counts, so together they may exceed a limit. No start is refused before the
-- limit is reached.
create function private.count_start(deployment public.flow_deployments, shares text[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
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
  select count_start.deployment.id, s.share, pg_backend_pid() % 32, v_minute, 1, 1
  from unnest(count_start.shares) as s (share)
  on conflict on constraint deployment_usage_pkey do update
  set
    minute = greatest(u.minute, excluded.minute),
    starts = case when u.minute >= excluded.minute then u.starts else 0 end + 1,
    in_flight = u.in_flight + 1;

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
$$;
comment on function private.count_start(public.flow_deployments, text[]) is
  'Counts a start against the limits of the deployment, for the groups and the caller in `shares` (see private.start_shares). Called for starts by webhooks, and by callers other than the owner. 429 start_limit_reached if the start exceeds a limit. Definer, because no API role may access the usage.';

create function private.tg_flow_run_jobs__after_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.deployment_usage as u (deployment_id, share, slot, in_flight)
  select old.counted_deployment_id, s.share, -1 - pg_backend_pid() % 32, -1
  from unnest(old.counted_shares) as s (share)
  -- For a deleted deployment, count nothing. If the deployment is just being deleted, the next sweep removes the
  -- row that this statement writes.
  where exists (select from public.flow_deployments as d where d.id = old.counted_deployment_id)
  on conflict on constraint deployment_usage_pkey do update set in_flight = u.in_flight - 1;
  return null;
end;
$$;
comment on function private.tg_flow_run_jobs__after_end() is
  'Subtracts an ended or deleted run from the runs in flight of its deployment. Definer, because no API role may access the usage.';

-- The triggers are deferred to the commit, because the transaction takes no further locks then. While it holds these
-- rows, it never waits for a transaction that waits for them, so a deadlock is impossible. A constraint trigger is a
-- constraint, so its name follows the rule for constraints.
create constraint trigger flow_run_jobs_count_end after update of message_id on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null and new.message_id is null)
  execute function private.tg_flow_run_jobs__after_end();
create constraint trigger flow_run_jobs_count_delete after delete on private.flow_run_jobs
  deferrable initially deferred
  for each row when (old.counted_deployment_id is not null and old.message_id is not null)
  execute function private.tg_flow_run_jobs__after_end();

create function private.delete_idle_usage(max_shares integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_idle bigint;
begin
  with idle as (
    select u.deployment_id, u.share
    from private.deployment_usage as u
    where u.share not in ('guests', 'others')
    group by u.deployment_id, u.share
    having sum(u.in_flight) = 0 and max(u.minute) < now() - interval '1 minute'
    limit delete_idle_usage.max_shares
  ), locked as (
    select u.deployment_id, u.share, u.slot, u.in_flight, u.minute
    from private.deployment_usage as u join idle as i on (i.deployment_id, i.share) = (u.deployment_id, u.share)
    for update of u skip locked
  ), forgotten as (
    -- Check the locked rows again with their present values. Other rows of the share may be locked or new, and stay.
    -- Rows whose in_flight adds up to 0 may still be deleted, because the sum of the share does not change.
    delete from private.deployment_usage as u
    where (u.deployment_id, u.share, u.slot) in (
      select l.deployment_id, l.share, l.slot
      from locked as l join (
        select l.deployment_id, l.share from locked as l group by l.deployment_id, l.share
        having sum(l.in_flight) = 0 and max(l.minute) < now() - interval '1 minute'
      ) as unused on (unused.deployment_id, unused.share) = (l.deployment_id, l.share)
    )
  )
  select count(*) into v_idle from idle;
  return v_idle;
end;
$$;
comment on function private.delete_idle_usage(integer) is
  'Deletes the usage of at most max_shares callers who have no run in flight and no start within the last minute. Returns the number of such callers that it found. Definer, because no API role may access the usage.';

create function private.delete_usage_of_deleted_deployments(max_rows integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Such rows remain if a run ends while its deployment is being deleted. The end of the run may write a row after the
  -- deletion has read the rows, or lock a row, which the deletion then skips.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.share, u.slot) in (
    select old.deployment_id, old.share, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit delete_usage_of_deleted_deployments.max_rows
    for update skip locked
  );
end;
$$;
comment on function private.delete_usage_of_deleted_deployments(integer) is
  'Deletes at most max_rows usage rows of deleted deployments. Definer, because no API role may access the usage.';

-- sql/650_starts/30_idempotency_keys.sql

create table private.idempotency_keys (
  key_hash bytea primary key,
  request_hash bytea not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade deferrable initially deferred,
  created_at timestamptz not null default now(),
  constraint idempotency_keys_key_hash_length check (octet_length(key_hash) = 32),
  constraint idempotency_keys_request_hash_length check (octet_length(request_hash) = 32)
);
comment on table private.idempotency_keys is
  'Starts that carried an Idempotency-Key. For limit_idempotency_hours() hours, the same request of the same caller with the same key returns the same run.';
comment on column private.idempotency_keys.key_hash is
  'SHA-256 of caller and key. The key itself is not stored. If a caller has only a public key, the idempotency key may be the caller''s only secret, and prove who the caller is.';
comment on column private.idempotency_keys.request_hash is 'SHA-256 of the request as it was sent.';

create index idempotency_keys_flow_run_id_idx on private.idempotency_keys (flow_run_id);
create index idempotency_keys_created_at_idx on private.idempotency_keys (created_at);

-- Returns the run of an earlier start by the same caller with the same key and request within 24 hours. If there is
-- no such run, returns null and stores the key for the given new run.
create function private.claim_idempotency_key(caller private.caller, key text, request jsonb, flow_run_id uuid)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller text := coalesce(
    'webhook:' || claim_idempotency_key.caller.webhook_id, 'user:' || claim_idempotency_key.caller.user_id,
    'key:' || claim_idempotency_key.caller.public_key
  );
  v_key_hash bytea := sha256(convert_to(jsonb_build_array(v_caller, claim_idempotency_key.key)::text, 'UTF8'));
  v_request_hash bytea := sha256(convert_to(claim_idempotency_key.request::text, 'UTF8'));
  v_stored private.idempotency_keys;
begin
  if length(claim_idempotency_key.key) not between (
    case when claim_idempotency_key.caller.user_id is null
      then private.limit_min_guest_idempotency_key_characters() else 1 end
  ) and private.limit_idempotency_key_characters() then
    perform private.fail('idempotency_key_invalid',
      format(
        'Idempotency-Key must have 1 to %s characters, and at least %s from a caller '
        'with only a public key: use a random UUID.',
        private.limit_idempotency_key_characters(), private.limit_min_guest_idempotency_key_characters()
      ));
  end if;
  -- This insert waits for a concurrent start with the same key, and replaces a key that is too old.
  insert into private.idempotency_keys as k (key_hash, request_hash, flow_run_id)
  values (v_key_hash, v_request_hash, claim_idempotency_key.flow_run_id)
  on conflict (key_hash) do update
  set request_hash = excluded.request_hash, flow_run_id = excluded.flow_run_id, created_at = excluded.created_at
  where k.created_at < now() - make_interval(hours => private.limit_idempotency_hours());
  if found then
    return null;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail('idempotency_key_reused',
      format(
        'This Idempotency-Key was used for another request within the last %s hours.', private.limit_idempotency_hours()
      ),
      hint => 'Use a new key for a new request. To repeat a request, send it unchanged.');
  end if;
  return v_stored.flow_run_id;
end;
$$;
comment on function private.claim_idempotency_key(private.caller, text, jsonb, uuid) is
  'The run that this caller started with this key and request in the last 24 hours. If there is no such run, returns null, and stores the key for the given new run. 400 idempotency_key_invalid; 409 idempotency_key_reused. Definer, because no API role may access the keys.';

-- sql/650_starts/35_plain_values.sql

-- Converts the readable JSON of a start into values, by the types of the inputs. The conversion is in the database, and
-- not in an Edge Function, because the transaction of the start must also look up the deployment and compare the
-- Idempotency-Key. types/values/json/ defines two forms of JSON. To convert readable JSON, the types of the input must
-- be known. Wire JSON is converted without types. Within a start, these parts are wire JSON: the elements of arrays,
-- the members of objects, and the whole value of an input that accepts any value.

create function private.float_text(number numeric)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- If a number is closer to 0 than the smallest float, Postgres refuses to convert it.
  v_text text := case when abs(float_text.number) < 2.5e-324 then '0'
    else float_text.number::double precision::text end;
  v_exact numeric := v_text::numeric;
begin
  if v_exact <> 0 and (abs(v_exact) >= 1e16 or abs(v_exact) < 1e-5) then
    return replace(replace(v_text, 'e+', 'e'), 'e-0', 'e-');
  end if;
  return case when scale(trim_scale(v_exact)) = 0 then trunc(v_exact)::text || '.0' else trim_scale(v_exact)::text end;
end;
$$;
comment on function private.float_text(numeric) is
  'The payload of the tag F for the float nearest to a number, as types/values writes it: 5.0, 1e16, 1e-7. The number must be within the range of floats.';

create function private.is_decimal(number numeric)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_scale integer := case when scale(is_decimal.number) > 28 then scale(trim_scale(is_decimal.number))
    else scale(is_decimal.number) end;
begin
  return v_scale <= 28 and abs(is_decimal.number) * 10::numeric ^ v_scale < 79228162514264337593543950336;
end;
$$;
comment on function private.is_decimal(numeric) is
  'Whether the tag D can hold the number: 96 bits and at most 28 decimal places.';

create function private.decimal_text(number numeric)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when scale(decimal_text.number) > 28 then trim_scale(decimal_text.number)
    else decimal_text.number end::text;
end;
$$;
comment on function private.decimal_text(numeric) is
  'The payload of the tag D for a number that D can hold. It keeps trailing zeros.';

create function private.integer_value(number numeric)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when integer_value.number between 0 and 18446744073709551615
      then jsonb_build_object('U', integer_value.number::text)
    when integer_value.number between -9223372036854775808 and -1
      then jsonb_build_object('I', integer_value.number::text)
    when integer_value.number between 0 and 340282366920938463463374607431768211455
      then jsonb_build_object('U1', integer_value.number::text)
    when integer_value.number between -170141183460469231731687303715884105728 and -1
      then jsonb_build_object('I1', integer_value.number::text)
  end;
end;
$$;
comment on function private.integer_value(numeric) is
  'An integer as a value of the smallest tag that can hold it; null if it needs more than 128 bits.';

create function private.value_text(plain jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_text text;
  v_number numeric;
begin
  case jsonb_typeof(value_text.plain)
    when 'string' then
      return '{"S": ' || value_text.plain::text || '}';
    when 'number' then
      v_text := value_text.plain::text;
      -- Most numbers are short integers.
      if length(v_text) < 19 and v_text !~ '[^0-9]' then
        return '{"U": "' || v_text || '"}';
      end if;
      v_number := value_text.plain::numeric;
      return coalesce(
        case when scale(v_number) = 0 then private.integer_value(v_number)
          when private.is_decimal(v_number) then jsonb_build_object('D', private.decimal_text(v_number)) end,
        jsonb_build_object('F', private.float_text(v_number))
      )::text;
    when 'boolean' then
      return '{"B": ' || value_text.plain::text || '}';
    when 'array' then
      return (
        select '{"A": [' || coalesce(string_agg(private.value_text(e.element), ', ' order by e.position), '') || ']}'
        from jsonb_array_elements(value_text.plain) with ordinality as e (element, position)
      );
    when 'object' then
      return (
        select '{"M": {' || coalesce(string_agg(to_json(m.key)::text || ': ' || private.value_text(m.value), ', '), '')
          || '}}'
        from jsonb_each(value_text.plain) as m
      );
    else
      return '{"N": 0}';
  end case;
end;
$$;
comment on function private.value_text(jsonb) is
  'Builds the result of private.value_of_json() as text. If the result were built as jsonb, each value would be copied once for every object or array around it.';

create function private.value_of_json(plain jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return private.value_text(value_of_json.plain)::jsonb;
end;
$$;
comment on function private.value_of_json(jsonb) is
  'Converts wire JSON to a value, as fromWireJson of types/values/json does. Integers of at most 64 bits become U or I, longer ones U1 or I1; other numbers become D, or F if D can''t hold them. Objects become M, and arrays A; a text stays a text.';

create function private.value_of_number(number numeric, types text[])
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_integer constant boolean := value_of_number.number = trunc(value_of_number.number);
  v_number constant numeric := case when v_is_integer then trunc(value_of_number.number)
    else value_of_number.number end;
  v_type text;
  v_bits integer;
begin
  foreach v_type in array value_of_number.types loop
    if v_type in ('u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128') and v_is_integer then
      v_bits := substr(v_type, 2)::integer;
      if v_type like 'u%' and v_number between 0 and 2::numeric ^ v_bits - 1 then
        return private.integer_value(v_number);
      elsif v_type like 'i%' and v_number between -(2::numeric ^ (v_bits - 1)) and 2::numeric ^ (v_bits - 1) - 1 then
        return jsonb_build_object(
          case when v_number between -9223372036854775808 and 9223372036854775807 then 'I' else 'I1' end, v_number::text
        );
      end if;
    elsif v_type = 'decimal' and private.is_decimal(value_of_number.number) then
      return jsonb_build_object('D', private.decimal_text(value_of_number.number));
    elsif v_type = 'f64' or v_type = 'f32' and abs(value_of_number.number) < 3.4028236e38 then
      return jsonb_build_object('F', private.float_text(value_of_number.number));
    end if;
  end loop;
  return null;
end;
$$;
comment on function private.value_of_number(numeric, text[]) is
  'Converts a number to a value of the first of these types that can hold the number; null if none can.';

create function private.value_of_text(plain text, types text[])
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Test keys first, so that base58 of 32 bytes is read as a key even if the input also accepts other texts.
  if value_of_text.types && '{pubkey,keypair,address}' and private.is_public_key(value_of_text.plain) then
    return case
      when 'pubkey' = any (value_of_text.types) then jsonb_build_object('B3', value_of_text.plain)
      -- This is a wallet without a stored key pair: the run asks the holder of the key to sign.
      when 'keypair' = any (value_of_text.types)
        then jsonb_build_object('M', jsonb_build_object('public_key', jsonb_build_object('B3', value_of_text.plain)))
      else jsonb_build_object('S', value_of_text.plain)
    end;
  elsif value_of_text.types && '{keypair,signature}' and private.is_base58(value_of_text.plain, 64) then
    return jsonb_build_object('B6', value_of_text.plain);
  elsif 'string' = any (value_of_text.types) then
    return jsonb_build_object('S', value_of_text.plain);
  elsif 'bytes' = any (value_of_text.types) and length(value_of_text.plain) % 4 = 0
    and value_of_text.plain ~ '^[A-Za-z0-9+/]*={0,2}$' then
    return jsonb_build_object('BY', value_of_text.plain);
  elsif length(value_of_text.plain) <= 70 and value_of_text.plain ~ '^-?[0-9]{1,39}([.][0-9]{1,28})?$' then
    -- Do not read a number in a text as a float: callers write numbers as texts only for types that hold more digits
    -- than a float.
    return private.value_of_number(
      value_of_text.plain::numeric, array_remove(array_remove(value_of_text.types, 'f32'), 'f64')
    );
  end if;
  return null;
end;
$$;
comment on function private.value_of_text(text, text[]) is
  'Converts a text to a value of one of these types: a key or signature in base58, a wallet''s address, a text, a number in digits, or bytes in base64. Null if the text fits no type.';

create function private.value_of_input(plain jsonb, types text[], is_required boolean)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if value_of_input.types && '{free,json}' then
    return private.value_of_json(value_of_input.plain);
  end if;
  return case jsonb_typeof(value_of_input.plain)
    when 'null' then case when not value_of_input.is_required then '{"N": 0}'::jsonb end
    when 'boolean' then case
      when 'bool' = any (value_of_input.types) then jsonb_build_object('B', value_of_input.plain) end
    when 'number' then private.value_of_number(value_of_input.plain::numeric, value_of_input.types)
    when 'string' then private.value_of_text(value_of_input.plain #>> '{}', value_of_input.types)
    else case
      when jsonb_typeof(value_of_input.plain) = any (value_of_input.types)
        then private.value_of_json(value_of_input.plain) end
  end;
end;
$$;
comment on function private.value_of_input(jsonb, text[], boolean) is
  'Converts readable JSON to a value for an input of these types, as fromReadableJson of types/values/json does. Null if the JSON fits none of the types. An optional input accepts null.';

create function private.check_plain_json(plain jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
begin
  -- Two quick tests come first, because measuring takes much longer. The first test compares the stored size: jsonb
  -- takes at most six times the bytes of its text. The second test counts the values, with jsonb_path_query_array,
  -- because jsonb_path_query would take quadratic time.
  if pg_column_size(check_plain_json.plain) > 6 * private.limit_inputs_bytes()
    or jsonb_array_length(jsonb_path_query_array(check_plain_json.plain, 'strict $.**.type()'))
      > private.limit_plain_values()
  then
    v_measure.fault := 'size';
  else
    -- Allow four times the limit of inputs here, because a number may have more digits as jsonb text than in the
    -- resulting value. For example, 1e300 has 301 digits as jsonb text, but becomes the value {"F": "1e300"}.
    v_measure := private.measure_json(check_plain_json.plain, 4 * private.limit_inputs_bytes());
  end if;
  if v_measure.fault = 'number' then
    perform private.fail('inputs_invalid', format('values%s: %s.', v_measure.path, v_measure.message));
  elsif v_measure.fault = 'size' then
    perform private.fail('inputs_too_large',
      format('values: larger than %s', private.size_text(private.limit_inputs_bytes())));
  end if;
  if v_measure.fault is null
    and jsonb_path_exists(
      check_plain_json.plain, 'strict $.** ? (@ >= 179769313486231580793e288 || @ <= -179769313486231580793e288)'
    )
  then
    perform private.fail('inputs_invalid', 'values: each number must be within the range of a 64-bit float.');
  end if;
end;
$$;
comment on function private.check_plain_json(jsonb) is
  'Refuses plain JSON that is too large for a value, or that has numbers beyond the range of floats or with too many digits: 400 inputs_invalid, 413 inputs_too_large. The calling function refuses JSON that is too deep.';

create function private.check_values(plain jsonb, inputs jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The most faults that an error lists.
  v_most constant integer := 100;
  v_faults jsonb;
begin
  if jsonb_typeof(check_values.plain) <> 'object' then
    perform private.fail('inputs_invalid', 'values: must be an object of plain JSON, such as {"amount": 1.5}.');
  end if;
  perform private.check_plain_json(check_values.plain);
  select jsonb_agg(
    jsonb_build_object('path', 'values.' || private.shorten(f.key), 'message', f.message) order by f.key
  ) into v_faults
  from (
    select v.key,
      case when check_values.inputs ? v.key then 'is also in inputs: give it only once'
        else format('is nested deeper than %s levels', private.limit_value_levels()) end as message
    from jsonb_each(check_values.plain) as v
    where check_values.inputs ? v.key or private.is_too_deep(v.value)
    order by v.key limit v_most
  ) as f;
  perform private.refuse_faults('inputs_invalid', coalesce(v_faults, '[]'));
end;
$$;
comment on function private.check_values(jsonb, jsonb) is
  'Refuses the plain values of a start if they are not an object, are too large or too deep, or repeat a name of inputs. Call this function before reading the flow''s inputs. 400 inputs_invalid, 413 inputs_too_large.';

create function private.inputs_of_values(plain jsonb, interface private.flow_snapshot_interfaces)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't estimate the number of names, and a nested loop could take quadratic time.
set enable_nestloop = off
as $$
declare
  v_most constant integer := 100;
  v_inputs jsonb;
  v_faults jsonb;
  v_names text[];
begin
  with given as materialized (
    select v.key as name, i.input is not null as is_known,
      array(select jsonb_array_elements_text(i.input -> 'type_bounds')) as types,
      private.value_of_input(
        v.value, array(select jsonb_array_elements_text(i.input -> 'type_bounds')),
        coalesce((i.input ->> 'required')::boolean, false)
      ) as value
    from jsonb_each(inputs_of_values.plain) as v
    left join jsonb_array_elements((inputs_of_values.interface).inputs) as i (input) on i.input ->> 'name' = v.key
  )
  select
    -- Build the object as text, because jsonb_object_agg takes quadratic time for values that are objects with many
    -- members.
    (select json_object_agg(g.name, g.value)::jsonb from given as g where g.value is not null),
    (
      select jsonb_agg(jsonb_build_object('path', 'values.' || private.shorten(f.name), 'message', case
        when f.is_known then 'must be ' || array_to_string(f.types, ' or ') else 'the flow has no such input' end)
          order by f.name)
      from (select g.* from given as g where g.value is null or not g.is_known order by g.name limit v_most) as f
    )
  into v_inputs, v_faults;
  if v_faults is not null then
    v_names := array(
      select i.input ->> 'name'
        from jsonb_array_elements((inputs_of_values.interface).inputs) with ordinality as i (input, position)
      order by i.position
    );
    perform private.refuse_faults('inputs_invalid', v_faults, format(
      'The flow has these inputs: %s. GET /deployment/read returns the json_schema of each.',
      private.quote_input_names(v_names)
    ));
  end if;
  return coalesce(v_inputs, '{}');
end;
$$;
comment on function private.inputs_of_values(jsonb, private.flow_snapshot_interfaces) is
  'Converts the plain values of a start to inputs, by the types of the flow''s inputs. 400 inputs_invalid lists the first 100 values that do not fit their input or that belong to no input, and the names of the flow''s inputs.';

create function private.inputs_of_start(deployment public.flow_deployments, inputs jsonb, plain jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_inputs jsonb := inputs_of_start.inputs;
begin
  if inputs_of_start.plain is not null then
    v_inputs := v_inputs
      || private.inputs_of_values(
        inputs_of_start.plain, private.snapshot_interface((inputs_of_start.deployment).snapshot_hash)
      );
    perform private.check_inputs(v_inputs);
  end if;
  perform private.check_input_names(v_inputs, (inputs_of_start.deployment).input_names);
  return v_inputs;
end;
$$;
comment on function private.inputs_of_start(public.flow_deployments, jsonb, jsonb) is
  'The inputs of a start: its tagged inputs, and its plain values converted by the flow''s input types. 400 inputs_invalid, 413 inputs_too_large. Definer, because no API role may access snapshots.';

-- sql/650_starts/40_enqueue_run.sql

create function private.chain_depth_of_node()
returns integer
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_depth constant integer := auth.jwt() ->> 'chain_depth';
begin
  if v_depth > private.limit_chain_depth() then
    perform private.fail('start_loop',
      format('%s runs have started one another: it seems to be a loop.', v_depth),
      hint => 'Remove the loop: a flow must not start itself, directly or by other flows.');
  end if;
  return v_depth;
end;
$$;
comment on function private.chain_depth_of_node() is
  'The number of runs that started one another up to this request, including the run of the node that makes it with a claim token. Null if no node makes the request. 409 start_loop if the number exceeds the limit.';

create function private.admit_start(
  deployment public.flow_deployments, caller private.caller, is_by_node boolean, message_id bigint
)
returns text[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_shares text[];
begin
  -- A start by a webhook has the owner's user id, but anybody with the webhook's URL may make it. So starts by webhooks
  -- are counted.
  if admit_start.deployment.user_id is distinct from admit_start.caller.user_id
    or admit_start.caller.webhook_id is not null then
    v_shares := private.start_shares(admit_start.caller);
  end if;
  if (v_shares is not null or admit_start.is_by_node) and private.is_queue_count_due(admit_start.message_id) then
    perform private.check_queue_length(admit_start.deployment.user_id);
  end if;
  if v_shares is not null then
    perform private.count_start(admit_start.deployment, v_shares);
  end if;
  return v_shares;
end;
$$;
comment on function private.admit_start(public.flow_deployments, private.caller, boolean, bigint) is
  'Counts a start for the limits, and returns the shares for which it counts. Returns null for the owner, whose starts are not counted. 429 queue_full, start_limit_reached. Definer, because no API role may access usage and queue.';

-- Stores and queues a run of the deployment, and returns {flow_run_id, token}. If the idempotency key was used for
-- the same request, returns the earlier run instead.
--
--   inputs       tagged values
--   plain        plain JSON, which is converted by the types of the flow's inputs
--   schedule_id  the schedule that starts the run
--   settings     for a redrive: the settings of the run that it continues
--   flow         for start_flow: the flow. From it and the request, private.flow_start_settings makes the settings.
--                start_flow passes a deployment without an id, which is not a stored row.
--
-- For all other starts, private.run_settings makes the settings. If a node of a run makes the request with a claim
-- token, the chain_depth of the new run is one higher than the chain_depth of the node's run. A start by a webhook, or
-- by a caller other than the owner, counts for the limits: 429 queue_full, start_limit_reached. While the queue is
-- full, a start by a node may also be refused. Otherwise a flow that starts itself several times could fill the queue.
-- Other errors: 400 action_signer_invalid, inputs_invalid, idempotency_key_invalid; 409 idempotency_key_reused,
-- start_loop; 413 inputs_too_large.
create function private.enqueue_run(
  deployment public.flow_deployments, caller private.caller, inputs jsonb, plain jsonb, action_signer text,
  idempotency_key text,
  request jsonb, schedule_id uuid default null, settings jsonb default null, flow public.flows default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_message_id bigint;
  v_is_announced boolean;
  v_shares text[];
  v_started jsonb;
  v_inputs jsonb := enqueue_run.inputs;
  -- Null if no node makes the request.
  v_node_depth constant integer := private.chain_depth_of_node();
  v_settings jsonb := enqueue_run.settings;
begin
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
    v_settings := private.run_settings(enqueue_run.deployment)
      || jsonb_build_object('action_signer', enqueue_run.action_signer);
  end if;

  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  v_shares := private.admit_start(enqueue_run.deployment, enqueue_run.caller, v_node_depth is not null, v_message_id);
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, started_by, started_by_public_key,
    started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (auth.jwt() ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  -- Insert the message without pgmq.send, which plans its statement at each call, and costs five times as much.
  insert into pgmq.q_flow_runs (msg_id, vt, message) overriding system value
  values (v_message_id, v_now, jsonb_build_object('flow_run_id', v_run_id));
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, message_id, counted_deployment_id, counted_shares, turn,
    chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    v_message_id, case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_message_id,
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
$$;
comment on function private.enqueue_run(
  public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows
) is
  'Stores and queues a run of the deployment: {flow_run_id, token}. Does not check permission; callers must. Definer, because no API role may insert runs.';

-- sql/650_starts/50_start_deployment.sql

create function private.start_deployment(
  id uuid, flow integer, tag text, inputs jsonb, action_signer text, public_key text, idempotency_key text,
  "values" jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
    ) || case when start_deployment."values" is null then '{}'
      else jsonb_build_object('values', start_deployment."values") end;
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_deployment.inputs, '{}'), start_deployment."values",
    start_deployment.action_signer,
    start_deployment.idempotency_key, v_request
  );
end;
$$;
comment on function private.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb) is
  'Implements public.start_deployment. Definer, because it reads other users'' deployments, as their start_permission allows, and inserts the run.';
grant execute on function private.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb)
  to anon, authenticated, service_role;

-- Starts the deployment named by id, or by flow and tag (default latest), and returns {flow_run_id, token}. inputs are
-- tagged values. values are plain JSON, which is converted by the types that read_deployment reports. An input may be
-- in inputs or in values, but not in both. A caller who is not a user must send a public_key. With an idempotency_key,
-- the same request within 24 hours returns the same run. 400 start_target_ambiguous, inputs_invalid,
-- action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, also for a
-- deployment that the caller may not start; 409 idempotency_key_reused, start_loop; 413 inputs_too_large; 429
-- queue_full, start_limit_reached. A start by the owner gets no 429, with one exception: a start by a node, which acts
-- as the owner, may get queue_full.
create function public.start_deployment(
  id uuid default null, flow integer default null, tag text default null, inputs jsonb default null,
  action_signer text default null, public_key text default null, idempotency_key text default null,
  "values" jsonb default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_deployment(id, flow, tag, inputs, action_signer, public_key, idempotency_key, "values");
end;
comment on function public.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb) is
  'Starts the deployment named by id, or by flow and tag (default latest): {flow_run_id, token}. inputs are tagged values, values are plain JSON. 400; 401; 404 deployment_not_found, also for a deployment that the caller may not start; 409; 413; 429.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb)
  to anon, authenticated, service_role;

-- sql/650_starts/55_partial_config.sql

-- A partial run executes only some nodes of its flow. For the other nodes, the run uses outputs of earlier runs, or
-- values from the request.

create function private.partial_config_fault(path text, message text)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    'partial_config_invalid', format('partial_config%s: %s.', partial_config_fault.path, partial_config_fault.message),
    jsonb_build_array(jsonb_build_object(
      'path', 'partial_config' || partial_config_fault.path, 'message', partial_config_fault.message
    ))
  );
end;
$$;
comment on function private.partial_config_fault(text, text) is
  'Refuses the partial_config of a start: 400 partial_config_invalid.';

create function private.check_partial_shape(config jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_values constant jsonb := coalesce(check_partial_shape.config -> 'values_config', '{}');
  v_measure constant private.json_measure := private.measure_json(
    check_partial_shape.config, private.limit_inputs_bytes()
  );
  v_fault record;
begin
  if v_measure.fault = 'size' then
    perform private.fail('inputs_too_large', format(
      'partial_config: must be at most %s of JSON', private.size_text(private.limit_inputs_bytes())
    ));
  elsif v_measure.fault is not null then
    perform private.partial_config_fault(v_measure.path, v_measure.message);
  end if;
  select f.* into v_fault
  from (values
    (
      '', 'must be {only_nodes, values_config}',
      case when jsonb_typeof(check_partial_shape.config) = 'object'
        then check_partial_shape.config - '{only_nodes,values_config}'::text[] = '{}' end
    ),
    (
      '.only_nodes', 'must be a list of node ids',
      jsonb_typeof(check_partial_shape.config -> 'only_nodes') = 'array'
      and not coalesce(jsonb_path_exists(
        check_partial_shape.config, 'strict $.only_nodes[*] ? (@.type() != "string")', silent => true
      ), false)
    ),
    (
      '.values_config', 'must be {nodes, default_run_id, inline}',
      case when jsonb_typeof(v_values) = 'object'
        then v_values - '{nodes,default_run_id,inline}'::text[] = '{}' end
    ),
    (
      '.values_config.nodes', 'must be an object {node id: run id}',
      jsonb_typeof(coalesce(v_values -> 'nodes', '{}')) = 'object'
        and not coalesce(
          jsonb_path_exists(v_values, 'strict $.nodes.* ? (@.type() != "string")', silent => true), false
        )
    ),
    (
      '.values_config.default_run_id', 'must be the id of a run',
      jsonb_typeof(coalesce(v_values -> 'default_run_id', 'null')) in ('null', 'string')
    ),
    (
      '.values_config.inline', 'must be an object {node id: {port: value}}',
      jsonb_typeof(coalesce(v_values -> 'inline', '{}')) = 'object'
    )
  ) as f (path, message, is_valid)
  where not coalesce(f.is_valid, false)
  limit 1;
  if found then
    perform private.partial_config_fault(v_fault.path, v_fault.message);
  end if;
  -- Check the values in `inline` like inputs, so that they have the same bounds and errors.
  perform private.check_inputs(coalesce((
    select jsonb_object_agg(i.node_id, jsonb_build_object('M', i.ports))
    from jsonb_each(v_values -> 'inline') as i (node_id, ports)
  ), '{}'), 'partial_config.values_config.inline');
end;
$$;
comment on function private.check_partial_shape(jsonb) is
  'Refuses a partial_config whose JSON has the wrong shape, or contains a value that is not tagged: 400 partial_config_invalid, inputs_invalid; 413 inputs_too_large.';

create function private.check_partial_nodes(nodes jsonb, only_nodes text[], values_config jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_known constant text[] := array(
    select n.node ->> 'id' from jsonb_array_elements(check_partial_nodes.nodes) as n (node)
  );
  v_fault record;
begin
  -- Use `except` and `intersect`, which hash or sort both sides. Comparing each id with every other id takes
  -- quadratic time.
  select f.* into v_fault
  from (
    (select u.id, '.only_nodes' as path, 'the flow has no node' as message
    from unnest(check_partial_nodes.only_nodes) as u (id)
    except select k.id, '.only_nodes', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.nodes', 'the flow has no node'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'nodes') as k (id)
    except select k.id, '.values_config.nodes', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.inline', 'the flow has no node'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'inline') as k (id)
    except select k.id, '.values_config.inline', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.nodes', 'no run may be named for a node of only_nodes, such as'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'nodes') as k (id)
    intersect select u.id, '.values_config.nodes', 'no run may be named for a node of only_nodes, such as'
    from unnest(check_partial_nodes.only_nodes) as u (id))
  ) as f
  limit 1;
  if found then
    perform private.partial_config_fault(v_fault.path, format('%s %s', v_fault.message, private.shorten(v_fault.id)));
  end if;
end;
$$;
comment on function private.check_partial_nodes(jsonb, text[], jsonb) is
  'Refuses a partial_config that names a node which the flow does not have, or that names a run for a node in only_nodes: 400 partial_config_invalid.';

create function private.check_named_runs(run_ids text[], flow public.flows)
returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_named_runs();
  v_found_count integer;
  v_all_ended boolean;
begin
  if cardinality(check_named_runs.run_ids) > v_most then
    perform private.partial_config_fault('.values_config', format('names more than %s runs', v_most));
  end if;
  select count(*), coalesce(bool_and(r.end_time is not null), true) into v_found_count, v_all_ended
  from public.flow_run as r
  where r.id = any (array(
    select u.id::uuid from unnest(check_named_runs.run_ids) as u (id) where pg_input_is_valid(u.id, 'uuid')
  )) and r.flow_id = (check_named_runs.flow).id and r.user_id = (check_named_runs.flow).user_id
    and r.parent_flow_run_id is null;
  if v_found_count < cardinality(check_named_runs.run_ids) then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  -- If a run has not ended, its outputs may change while the partial run reads them.
  if not v_all_ended then
    perform private.fail('run_not_ended', 'A run that `partial_config` names has not ended.',
      hint => 'Wait for its end, or stop it.');
  end if;
end;
$$;
comment on function private.check_named_runs(text[], public.flows) is
  'Refuses runs that have not ended, are not root runs, or belong to another flow or owner: 404 flow_run_not_found, 409 run_not_ended. Definer, because the query itself checks the owner, so it needs no policy.';

-- Returns the partial_config for the settings of the run: {only_nodes, runs, inline}. `runs` is {node id: run id}: for
-- nodes outside only_nodes that have an edge into it, the earlier run that provides the node's outputs. `inline` has
-- the values from the request. It also has the pinned outputs of nodes outside only_nodes, unless values_config.nodes
-- names a run for the node. Null if only_nodes is empty, because then the whole flow runs.
create function private.partial_setting(flow public.flows, partial_config jsonb, pins jsonb)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_values jsonb;
  v_only text[];
  v_inline jsonb;
  v_runs jsonb;
begin
  perform private.check_partial_shape(partial_setting.partial_config);
  if partial_setting.partial_config -> 'only_nodes' = '[]' then
    return null;
  end if;
  v_values := '{"nodes": {}, "inline": {}}'
    || jsonb_strip_nulls(coalesce(partial_setting.partial_config -> 'values_config', '{}'));
  v_only := array(
    select distinct e.id from jsonb_array_elements_text(partial_setting.partial_config -> 'only_nodes') as e (id)
  );
  perform private.check_partial_nodes((partial_setting.flow).nodes, v_only, v_values);
  perform private.check_named_runs(array(
    select lower(n.run_id) from jsonb_each_text(v_values -> 'nodes') as n (node_id, run_id)
    union select lower(v_values ->> 'default_run_id') where v_values ? 'default_run_id'
  ), partial_setting.flow);
  v_inline := partial_setting.pins - v_only - array(select jsonb_object_keys(v_values -> 'nodes'))
    || (v_values -> 'inline');
  -- check_named_runs has accepted the ids. The cast to uuid changes each id into the spelling that the runner compares.
  select jsonb_object_agg(
    s.node_id, coalesce(v_values -> 'nodes' ->> s.node_id, v_values ->> 'default_run_id')::uuid
  )
  into v_runs
  from (
    select e.edge ->> 'source' as node_id
    from jsonb_array_elements((partial_setting.flow).edges) as e (edge)
    where e.edge ->> 'target' in (select o.id from unnest(v_only) as o (id))
    except select o.id from unnest(v_only) as o (id)
    except select k.id from jsonb_object_keys(v_inline) as k (id)
  ) as s
  where v_values ? 'default_run_id' or v_values -> 'nodes' ? s.node_id;
  return jsonb_build_object('only_nodes', v_only, 'runs', coalesce(v_runs, '{}'), 'inline', v_inline);
end;
$$;
comment on function private.partial_setting(public.flows, jsonb, jsonb) is
  'The checked partial_config of a start, in the form that the runner needs: {only_nodes, runs, inline}; null if only_nodes is empty. 400 partial_config_invalid, inputs_invalid; 404 flow_run_not_found; 409 run_not_ended; 413 inputs_too_large. Definer, because it reads runs of the flow''s owner.';

-- sql/650_starts/57_flow_start_settings.sql

create function private.check_start_environment(environment jsonb, owner_id uuid)
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb;
begin
  if (private.measure_json(
    check_start_environment.environment, private.limit_environment_bytes()
  )).fault is not null or not private.is_string_map(check_start_environment.environment) then
    v_findings := jsonb_build_array(jsonb_build_object('path', 'environment', 'message', format(
      'must be an object whose members are all strings, with at most %s',
      private.size_text(private.limit_environment_bytes())
    )));
  else
    v_findings := private.environment_findings(check_start_environment.environment, check_start_environment.owner_id);
  end if;
  if v_findings <> '[]' then
    perform private.fail('environment_invalid',
      format('%s: %s.', v_findings #>> '{0,path}', v_findings #>> '{0,message}'), v_findings);
  end if;
end;
$$;
comment on function private.check_start_environment(jsonb, uuid) is
  'Refuses the environment of a start if a flow of this owner could not have this environment: 400 environment_invalid, with the findings.';

-- environment and partial_config come from the request. Each is null if the request has none.
create function private.flow_start_settings(
  deployment public.flow_deployments, flow public.flows, action_signer text, environment jsonb, partial_config jsonb
)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_settings jsonb := private.run_settings(flow_start_settings.deployment)
    || jsonb_build_object('action_signer', flow_start_settings.action_signer);
  v_pins constant jsonb := private.pins_of_flow(flow_start_settings.flow);
  v_partial jsonb;
begin
  if flow_start_settings.environment is not null then
    perform private.check_start_environment(
      flow_start_settings.environment, (flow_start_settings.flow).user_id
    );
    v_settings := v_settings || jsonb_build_object('environment',
      flow_start_settings.environment - array(select jsonb_object_keys((flow_start_settings.flow).environment)));
  end if;
  if flow_start_settings.partial_config is not null then
    v_partial := private.partial_setting(flow_start_settings.flow, flow_start_settings.partial_config, v_pins);
  end if;
  if v_partial is not null then
    v_settings := v_settings || jsonb_build_object('partial_config', v_partial);
  elsif v_pins <> '{}' then
    v_settings := v_settings || jsonb_build_object('pins', v_pins);
  end if;
  return v_settings;
end;
$$;
comment on function private.flow_start_settings(
  public.flow_deployments, public.flows, text, jsonb, jsonb
) is
  'The settings of a run that start_flow starts: private.run_settings(), action_signer, environment, and partial_config or else the pins. Variables that the flow also defines are left out. 400 environment_invalid; errors of private.partial_setting. Definer, for the same reason as run_settings.';

-- sql/650_starts/60_start_flow.sql

create function private.start_flow(
  flow_id integer, inputs jsonb, action_signer text, idempotency_key text, strict boolean, "values" jsonb,
  partial_config jsonb, environment jsonb, output_instructions boolean
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
        ('environment', start_flow.environment), ('output_instructions', to_jsonb(start_flow.output_instructions))
      ) as o (name, value)
      where o.value is not null
    ),
    flow => v_flow
  ) || jsonb_build_object('warnings', v_warnings);
end;
$$;
comment on function private.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean) is
  'Implements public.start_flow. Definer, because no API role may insert snapshots or runs.';
grant execute on function private.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean)
  to anon, authenticated, service_role;

create function public.start_flow(
  flow_id integer, inputs jsonb default null, action_signer text default null, idempotency_key text default null,
  strict boolean default false, "values" jsonb default null, partial_config jsonb default null,
  environment jsonb default null, output_instructions boolean default null
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.start_flow(
    flow_id, inputs, action_signer, idempotency_key, strict, "values", partial_config, environment, output_instructions
  );
end;
$$;
comment on function public.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean) is
  'Starts the caller''s flow as it is now, without a deployment: {flow_run_id, token, warnings}. inputs and values are as in start_deployment, warnings and strict as in deploy_flow. 400 environment_invalid; 404 flow_not_found; 422 flow_invalid; others as in start_deployment and private.partial_setting.';
grant execute on function public.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean)
  to anon, authenticated, service_role;

-- sql/650_starts/70_read_deployment.sql

create function private.read_deployment(id uuid, flow integer, tag text, public_key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
  v_interface private.flow_snapshot_interfaces;
begin
  if num_nonnulls(read_deployment.id, read_deployment.flow) <> 1
    or num_nonnulls(read_deployment.id, read_deployment.tag) > 1 then
    perform private.refuse_start_target(read_deployment.id, read_deployment.flow, read_deployment.tag);
  end if;
  v_deployment := private.startable_deployment(
    read_deployment.id, read_deployment.flow, read_deployment.tag, private.caller(), read_deployment.public_key, false
  );
  v_interface := private.snapshot_interface(v_deployment.snapshot_hash);
  if v_interface.snapshot_hash is null then
    -- The deployment and its snapshot were deleted after this call had found the deployment.
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return jsonb_build_object(
    'deployment_id', v_deployment.id, 'flow_id', v_deployment.entrypoint, 'name', v_deployment.name,
    'description', v_deployment.description, 'icon_url', v_deployment.icon_url, 'created_at', v_deployment.created_at,
    'start_permission', v_deployment.start_permission, 'output_instructions', v_deployment.output_instructions,
    'action_identity', v_deployment.action_identity, 'fees', v_deployment.fees,
    'cluster', v_deployment.chain_network -> 'cluster',
    'uses_solana', v_interface.uses_solana or v_deployment.output_instructions
      or v_deployment.action_identity is not null or v_deployment.fees <> '[]',
    'node_count', v_interface.node_count, 'inputs', v_interface.inputs, 'outputs', v_interface.outputs
  );
end;
$$;
comment on function private.read_deployment(uuid, integer, text, text) is
  'Implements public.read_deployment. Definer, because it reads snapshots, and other users'' deployments as their start_permission allows.';
grant execute on function private.read_deployment(uuid, integer, text, text) to anon, authenticated, service_role;

-- Returns {deployment_id, flow_id, name, description, icon_url, created_at, start_permission, output_instructions,
-- action_identity, fees, cluster, uses_solana, node_count, inputs: [{name, description, type_bounds, required,
-- default, json_schema}], outputs: [{name, type}]}. The caller names the deployment and sends credentials as for
-- start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a
-- deployment that the caller may not start.
create function public.read_deployment(
  id uuid default null, flow integer default null, tag text default null, public_key text default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.read_deployment(id, flow, tag, public_key);
end;
comment on function public.read_deployment(uuid, integer, text, text) is
  'The inputs, outputs and settings of a deployment, for callers who may start it. Name the deployment as in start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start.';
grant execute on function public.read_deployment(uuid, integer, text, text) to anon, authenticated, service_role;

-- sql/650_starts/76_redrive_changes.sql

-- If a redrive executes another deployment, it takes an execution over only if the node is the same in the snapshots of
-- the old and the new deployment. These functions find the nodes that differ. The result is stored with the job, and
-- runner/engine/redrive.ts uses it.

create function private.changed_nodes(old jsonb, new jsonb)
returns table (node_id uuid, change text)
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph, and nested loops could take quadratic time.
set enable_nestloop = off
as $$
begin
  return query
  with old_node as materialized (
    select (n.node ->> 'id')::uuid as id, n.node -> 'data' as data
    from jsonb_array_elements(private.graph_in_effect(changed_nodes.old) -> 'nodes') as n (node)
  ),
  new_node as materialized (
    select (n.node ->> 'id')::uuid as id, n.node -> 'data' as data
    from jsonb_array_elements(private.graph_in_effect(changed_nodes.new) -> 'nodes') as n (node)
  ),
  -- Compare the edges in order: if several edges lead into one input, the last of them wins.
  old_edges as materialized (
    select e.edge ->> 'target' as target, jsonb_agg(e.edge order by e.place) as edges
    from jsonb_array_elements(changed_nodes.old -> 'edges') with ordinality as e (edge, place) group by 1
  ),
  new_edges as materialized (
    select e.edge ->> 'target' as target, jsonb_agg(e.edge order by e.place) as edges
    from jsonb_array_elements(changed_nodes.new -> 'edges') with ordinality as e (edge, place) group by 1
  )
  select o.id, case when n.id is null then 'removed' when n.data <> o.data then 'data' else 'edges' end
  from old_node as o
  left join new_node as n on n.id = o.id
  left join old_edges as oe on oe.target = o.id::text
  left join new_edges as ne on ne.target = o.id::text
  where n.id is null or n.data <> o.data or oe.edges is distinct from ne.edges;
end;
$$;
comment on function private.changed_nodes(jsonb, jsonb) is
  'The nodes of the graph `old` that differ in the graph `new`. change is removed if `new` lacks the node, otherwise data or edges, for its data or its incoming edges. Changed notes and names of nodes do not count. The graphs come from snapshots; `new` may be null.';

create function private.changed_flows(old jsonb, new jsonb)
returns integer[]
language sql immutable security invoker
set search_path = ''
as $$
  with recursive call as materialized (
    select f.key::integer as caller, r.id as called
    from jsonb_each(changed_flows.old -> 'flows') as f
    cross join lateral private.interflow_references(f.value -> 'nodes') as r
  ),
  changed (id) as (
    select f.key::integer from jsonb_each(changed_flows.old -> 'flows') as f
    where private.graph_in_effect(f.value)
      is distinct from private.graph_in_effect(changed_flows.new -> 'flows' -> f.key)
    union
    select call.caller from changed join call on call.called = changed.id
  )
  select coalesce(array_agg(changed.id), '{}') from changed;
$$;
comment on function private.changed_flows(jsonb, jsonb) is
  'The ids of the called flows of an old snapshot that differ in a new snapshot. A flow that calls a differing flow, directly or through other flows, also counts.';

create function private.redrive_changes(old jsonb, new jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with graph as materialized (
    select 'entry' as key, redrive_changes.old -> 'entry' as old_graph, redrive_changes.new -> 'entry' as new_graph
    union all
    select f.key, f.value, redrive_changes.new -> 'flows' -> f.key
    from jsonb_each(redrive_changes.old -> 'flows') as f
  )
  select jsonb_object_agg(g.key, jsonb_build_object(
    'nodes', (
      select coalesce(jsonb_object_agg(c.node_id, c.change), '{}')
      from private.changed_nodes(g.old_graph, g.new_graph) as c
    ),
    'calls', (
      select coalesce(jsonb_agg(g.old_graph -> 'nodes' -> r.node_index -> 'id'), '[]')
      from private.interflow_references(g.old_graph -> 'nodes') as r
      where r.id = any (private.changed_flows(redrive_changes.old, redrive_changes.new))
    )
  ))
  from graph as g;
$$;
comment on function private.redrive_changes(jsonb, jsonb) is
  'The changes from an old snapshot to a new one: {"entry" | "<flow id>": {nodes, calls}}. nodes: the result of private.changed_nodes() as {id: change}. calls: the nodes whose called flow differs.';

-- The callers check that the user may redrive the run.
create function private.changed_effects(root_run_id uuid, old jsonb, changes jsonb)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select changed_effects.root_run_id as id, 'entry' as key, null::text as change
    union all
    select c.id, c.flow_id::text,
      case when tree.change is not null or changed_effects.changes -> tree.key -> 'nodes' ? c.parent_node_id::text
        then 'caller' end
    from tree
    cross join lateral (select r.* from public.flow_run as r where r.parent_flow_run_id = tree.id offset 0) as c
    -- If an interflow node succeeded, its own execution is checked below, so leave out the run that it called.
    where not exists (
      select from public.node_run as e
      where e.flow_run_id = c.parent_flow_run_id and e.node_id = c.parent_node_id and e.times = c.parent_times
        and e.end_time is not null and (e.errors is null or e.error_handled)
    )
  ),
  acting as materialized (
    select a.flow as key, a.node_id from private.acting_nodes_of(changed_effects.old) as a
  ),
  changed as (
    select tree.id, a.node_id, coalesce(
      tree.change, changed_effects.changes -> tree.key -> 'nodes' ->> a.node_id::text,
      case when changed_effects.changes -> tree.key -> 'calls' ? a.node_id::text then 'called_flow' end
    ) as change
    from tree join acting as a on a.key = tree.key
  )
  select coalesce(jsonb_agg(
    jsonb_build_object('flow_run_id', f.id, 'node_id', f.node_id, 'change', f.change) order by f.id, f.node_id
  ), '[]')
  from (
    select c.* from changed as c
    where c.change is not null and exists (
      select from public.node_run as e
      where e.flow_run_id = c.id and e.node_id = c.node_id and e.end_time is not null
        and (e.errors is null or e.error_handled)
    )
    order by c.id, c.node_id limit 100
  ) as f;
$$;
comment on function private.changed_effects(uuid, jsonb, jsonb) is
  'The first 100 nodes with effects that a redrive of the run can''t take over, [{flow_run_id, node_id, change}]. change: as in changed_nodes(); called_flow if the called flow differs; caller if the node that called the run differs. Definer, because it reads runs of any user.';

create function private.changes_since(run_ids uuid[], snapshot_hash bytea)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_new jsonb;
  v_run record;
  v_changes jsonb;
  v_effects jsonb := '[]';
  v_result jsonb := '{}';
begin
  for v_run in
    select j.flow_run_id, s.data
    from private.flow_run_jobs as j left join private.flow_snapshots as s on s.hash = j.snapshot_hash
    where j.flow_run_id = any (changes_since.run_ids) and j.snapshot_hash <> changes_since.snapshot_hash
  loop
    if v_run.data is null then
      perform private.fail('run_not_redrivable', 'The graph of this run is no longer stored.',
        jsonb_build_object('reason', 'snapshot_deleted'), 'Start a new run.');
    end if;
    if v_new is null then
      select s.data into v_new from private.flow_snapshots as s where s.hash = changes_since.snapshot_hash;
    end if;
    v_changes := private.redrive_changes(v_run.data, v_new);
    v_effects := v_effects || private.changed_effects(v_run.flow_run_id, v_run.data, v_changes);
    v_result := v_result || jsonb_build_object(v_run.flow_run_id::text, v_changes);
  end loop;
  if v_effects <> '[]' then
    perform private.fail('redrive_graph_changed',
      format(
        'Node %s has had its effects in this run and differs in the deployment, so a redrive would repeat the effects.',
        v_effects -> 0 ->> 'node_id'
      ),
      private.first_elements(v_effects, 100),
      'Change the nodes in details and their incoming edges back to what they were in the run, then deploy the flow. Or start a new run.');
  end if;
  return nullif(v_result, '{}');
end;
$$;
comment on function private.changes_since(uuid[], bytea) is
  'The changes from the snapshots of these root runs to a new snapshot, {"<run id>": private.redrive_changes()}; null if all runs have the new snapshot. 409 redrive_graph_changed if a node with effects differs; 409 run_not_redrivable. Definer, because no API role may access snapshots and jobs.';

-- sql/650_starts/80_redrive_flow_run.sql

create function private.executions_of_unknown_outcome(root_run public.flow_run)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with tree as materialized (
    select t.id from private.earlier_run_tree(array[(executions_of_unknown_outcome.root_run).id]) as t
  ), unknown as (
    -- Select executions that lost their worker or exceeded their time limit, because the node may have had effects. The
    -- second pattern matches the message in runner/engine/attempt_timeout.ts.
    select n.flow_run_id, n.node_id, n.times
    from tree cross join lateral (
      select e.flow_run_id, e.node_id, e.times, e.retry_at, e.end_time, e.output is not null as has_output, e.errors
      -- Leave out failures that the flow handled: a redrive takes them over and does not repeat their nodes.
      from public.node_run as e where e.flow_run_id = tree.id and not e.error_handled offset 0
    ) as n
    where n.errors[1] like 'outcome\_unknown:%'
      or n.errors[1] like 'node\_timeout:%what it does outside may have happened'
      -- Also select executions that began but never ended, because the run ended without a worker. Three kinds of such
      -- executions are left out. An execution with an output has only returned instructions. An execution that waited
      -- for its next attempt or for an input has had no effect. If an execution called a flow, the executions of the
      -- called run are checked instead.
      or n.end_time is null and not n.has_output and n.retry_at is null and not exists (
        select from public.flow_run as c
        where c.parent_flow_run_id = n.flow_run_id and c.parent_node_id = n.node_id and c.parent_times = n.times
      ) and not exists (
        select from private.api_inputs as i
          where (i.flow_run_id, i.node_id, i.times) = (n.flow_run_id, n.node_id, n.times)
      )
    union
    -- Also select transactions of unknown outcome. A transaction without an outcome is selected if it is signed, or if
    -- the action signer has received it. All these transactions may have been executed, or may be executed later.
    select (m.member ->> 'flow_run_id')::uuid, (m.member ->> 'node_id')::uuid, (m.member ->> 'times')::integer
    from private.flow_run_transactions as t
    cross join lateral jsonb_array_elements(t.members) as m (member)
    where t.root_flow_run_id = (executions_of_unknown_outcome.root_run).id
      and (t.outcome = 'unknown' or t.outcome is null and (t.wire is not null or exists (
        select from public.signature_requests as s
        where (s.flow_run_id, s.node_id, s.times) = (t.flow_run_id, t.node_id, t.times)
          and s.pubkey = (executions_of_unknown_outcome.root_run).action_signer
      ))
      -- Also select a transaction if an unanswered signature request contains the signatures of the other signers: the
      -- asked signer may have added the missing signature and sent the transaction. Leave out runs with an action
      -- signer: only the action signer could have sent the transaction, and the outcome says whether this happened.
      or t.outcome is distinct from 'confirmed' and t.wire is null
        and (executions_of_unknown_outcome.root_run).action_signer is null
        and exists (
          select from public.signature_requests as s
          where (s.flow_run_id, s.node_id, s.times) = (t.flow_run_id, t.node_id, t.times) and s.signature is null
            and s.signatures is not null
        ))
  )
  select coalesce(jsonb_agg(to_jsonb(u) order by u.flow_run_id, u.node_id, u.times), '[]')
  from (select n.* from unknown as n order by n.flow_run_id, n.node_id, n.times limit 100) as u;
$$;
comment on function private.executions_of_unknown_outcome(public.flow_run) is
  'The node executions in a root run''s tree that may have had effects outside the system, [{flow_run_id, node_id, times}], at most 100. Definer, because it reads runs of any user. Its callers check the user.';

create function private.lock_run_to_redrive(flow_run_id uuid, owner_id uuid)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = private.root_run_id(lock_run_to_redrive.flow_run_id) and r.user_id = lock_run_to_redrive.owner_id;
  -- Lock the user first, then the flow, then the run. Deletions lock in the same order, so there is no deadlock.
  perform from auth.users as u where u.id = v_run.started_by for key share;
  perform from public.flows as f where f.id = v_run.flow_id for key share;
  -- While this lock is held, no other transaction can redrive the run, and no sweep deletes it. Read the run again,
  -- because it may have changed before the lock.
  select r.* into v_run from public.flow_run as r where r.id = v_run.id for no key update;
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$$;
comment on function private.lock_run_to_redrive(uuid, uuid) is
  'Locks and returns the root run of this run''s tree, if it belongs to this owner. Until the transaction ends, no other transaction can redrive or delete the run, or delete its flow or its starter. 404 flow_run_not_found. Definer, because the query itself checks the owner, so it needs no policy.';

-- Returns the runs from which a redrive of `run` takes executions over, the newest first. The first element is `run`.
-- If `run` is itself a redrive, and ended before it had taken over all earlier results, the runs in its redriven_from
-- follow.
create function private.runs_to_take_over(run public.flow_run)
returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  -- A worker needs memory for the outputs of each of these runs, so their number is limited.
  c_max_runs constant integer := 4;
  v_run_ids uuid[];
begin
  select runs_to_take_over.run.id || case when not j.is_complete then j.redriven_from end into v_run_ids
  from private.flow_run_jobs as j where j.flow_run_id = runs_to_take_over.run.id;
  if cardinality(v_run_ids) > c_max_runs then
    perform private.fail('run_not_redrivable',
      format('%s redrives in a row ended before they had taken over all earlier results.', c_max_runs),
      jsonb_build_object('reason', 'cut_short'), 'Start a new run.');
  end if;
  if (select count(*) from public.flow_run as r where r.id = any (v_run_ids)) < cardinality(v_run_ids) then
    perform private.fail('run_not_redrivable',
      'This run continued an earlier run, which has been deleted with its results.',
      jsonb_build_object('reason', 'deleted'), 'Start a new run.');
  end if;
  return v_run_ids;
end;
$$;
comment on function private.runs_to_take_over(public.flow_run) is
  'The runs from which a redrive of this run takes executions over, the newest first. 409 run_not_redrivable. Definer, because it reads runs of any user.';

create function private.check_redrivable(run public.flow_run, accept_unknown boolean)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_unknown jsonb;
begin
  if check_redrivable.run.end_time is null then
    perform private.fail('run_not_ended', 'This run has not ended.', hint => 'Wait for its end, or stop it.');
  end if;
  if check_redrivable.run.status = 'succeeded' then
    perform private.fail(
      'run_succeeded', 'This run has succeeded, so there is nothing to continue.', hint => 'Start a new run.'
    );
  end if;
  if not check_redrivable.accept_unknown then
    v_unknown := private.executions_of_unknown_outcome(check_redrivable.run);
    if v_unknown <> '[]' then
      perform private.fail('outcome_unknown',
        format(
          'Node %s may have had effects before it failed, and a redrive may repeat them.', v_unknown -> 0 ->> 'node_id'
        ),
        v_unknown,
        'Find out whether the effects happened. If they did not, or if it does no harm to repeat them, '
          'redrive with accept_unknown=true.');
    end if;
  end if;
end;
$$;
comment on function private.check_redrivable(public.flow_run, boolean) is
  'Refuses to redrive a run that has not ended or that succeeded: 409 run_not_ended, run_succeeded. If accept_unknown is false, also refuses a run with executions of unknown outcome: 409 outcome_unknown. Definer, because no API role may read transactions.';

create function private.deployment_to_redrive_on(id uuid, run public.flow_run, settings jsonb)
returns public.flow_deployments
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
begin
  -- The lock keeps the deployment and its snapshot from being deleted until the transaction ends.
  select d.* into v_deployment from public.flow_deployments as d
  where d.id = deployment_to_redrive_on.id and d.user_id = deployment_to_redrive_on.run.user_id
    and d.entrypoint = deployment_to_redrive_on.run.flow_id
  for key share;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  if deployment_to_redrive_on.settings ?| '{partial_config,pins}' then
    perform private.fail('run_not_redrivable',
      'This run executed only some nodes of the flow, or used pinned outputs. Such a run can''t be redriven on a deployment.',
      jsonb_build_object('reason', 'partial'), 'Redrive the run without a deployment, or start a new run.');
  end if;
  return v_deployment;
end;
$$;
comment on function private.deployment_to_redrive_on(uuid, public.flow_run, jsonb) is
  'Locks and returns the deployment with this id, if it belongs to the run''s flow and owner. `settings` has the settings of the run. 404 deployment_not_found; 409 run_not_redrivable. Definer, because the query itself checks the owner, so it needs no policy.';

create function private.check_repeat_effects(nodes jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_position bigint;
begin
  if check_repeat_effects.nodes is null then
    return;
  end if;
  if jsonb_typeof(check_repeat_effects.nodes) <> 'array'
    or jsonb_array_length(check_repeat_effects.nodes) > private.limit_repeated_nodes()
  then
    perform private.fail('request_invalid', format(
      'repeat_effects: must be a list of at most %s nodes, [{flow_id, node_id}].', private.limit_repeated_nodes()
    ));
  end if;
  select n.position - 1 into v_position
  from jsonb_array_elements(check_repeat_effects.nodes) with ordinality as n (node, position)
  where jsonb_typeof(n.node) <> 'object' or private.integer_or_null(n.node ->> 'flow_id') is null
    or not pg_input_is_valid(n.node ->> 'node_id', 'uuid') or n.node - '{flow_id,node_id}'::text[] <> '{}'
  order by n.position limit 1;
  if found then
    perform private.fail('request_invalid', format('repeat_effects[%s]: must be {flow_id, node_id}.', v_position));
  end if;
end;
$$;
comment on function private.check_repeat_effects(jsonb) is
  'Refuses repeat_effects of a redrive in another form than [{flow_id, node_id}]: 400 request_invalid. Null is none.';

create function private.repeat_effects(nodes jsonb, flow_id integer, snapshot jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_node jsonb;
  v_id jsonb;
  v_keys text[];
  v_key text;
  v_result jsonb := '{}';
begin
  for v_node in select n.node from jsonb_array_elements(repeat_effects.nodes) as n (node) loop
    v_id := to_jsonb((v_node ->> 'node_id')::uuid);
    v_keys := array(
      select k.key
      from (values
        ('entry', repeat_effects.flow_id, repeat_effects.snapshot -> 'entry'),
        (v_node ->> 'flow_id', (v_node ->> 'flow_id')::integer, repeat_effects.snapshot -> 'flows' -> (v_node ->> 'flow_id'))
      ) as k (key, flow_id, graph)
      where k.flow_id = (v_node ->> 'flow_id')::integer
        and k.graph -> 'nodes' @> jsonb_build_array(jsonb_build_object('id', v_id))
    );
    if v_keys = '{}' then
      perform private.fail('request_invalid', format(
        'repeat_effects: the graph of the run has no flow %s with a node %s.', v_node ->> 'flow_id', v_id #>> '{}'
      ));
    end if;
    foreach v_key in array v_keys loop
      v_result := v_result || jsonb_build_object(v_key, coalesce(v_result -> v_key, '[]') || v_id);
    end loop;
  end loop;
  return v_result;
end;
$$;
comment on function private.repeat_effects(jsonb, integer, jsonb) is
  'The nodes that a redrive allows to repeat their effects, by flow: {"entry" | "<flow id>": [node id]}. `nodes` is what the caller sent, [{flow_id, node_id}]; flow_id is the flow of the root run. 400 request_invalid for a node that the snapshot does not have.';

create function private.redrive_flow_run(
  flow_run_id uuid, accept_unknown boolean, idempotency_key text, deployment uuid, repeat_effects jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
  v_started := private.enqueue_run(
    v_as_started, v_caller, v_run.inputs -> 'M', null, v_run.action_signer, redrive_flow_run.idempotency_key, v_request,
    settings => v_job.settings
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
$$;
comment on function private.redrive_flow_run(uuid, boolean, text, uuid, jsonb) is
  'Implements public.redrive_flow_run. Definer, because no API role may insert runs.';
grant execute on function private.redrive_flow_run(uuid, boolean, text, uuid, jsonb) to anon, authenticated, service_role;

-- Continues a failed or stopped run of the caller's flow as a new run, and returns {flow_run_id, token}. The new run
-- has the same graph, inputs, settings and starter. If `deployment` names another deployment of the same flow, the new
-- run has the graph and the settings of that deployment.
--
-- The new run takes over each successful node execution and its outputs, if the node would get the same inputs again.
-- It executes all other nodes. A run can be redriven only once; if the new run fails, redrive the new run. If
-- flow_run_id names a called run, the root run of its tree is redriven.
--
-- A node with effects that succeeded is not executed again, even if its inputs are others now: it fails with
-- effect_already_done. `repeat_effects` lists the nodes that may be executed again, [{flow_id, node_id}].
--
-- If a node or a transaction may already have had its effect, the redrive is refused. With accept_unknown=true, the
-- caller accepts that the effect may happen again. With an idempotency_key, the same request within 24 hours returns
-- the same run.
--
-- 400 idempotency_key_invalid, request_invalid; 401; 404 flow_run_not_found, also for callers who see the run but do not own it; 409
-- run_not_ended, run_succeeded, run_redriven, outcome_unknown, run_not_redrivable, idempotency_key_reused. With
-- `deployment` also 400 inputs_invalid if the deployment lacks an input of the run, 404 deployment_not_found, 409
-- redrive_graph_changed.
create function public.redrive_flow_run(
  flow_run_id uuid, accept_unknown boolean default false, idempotency_key text default null,
  deployment uuid default null, repeat_effects jsonb default null
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.redrive_flow_run(flow_run_id, accept_unknown, idempotency_key, deployment, repeat_effects);
end;
$$;
comment on function public.redrive_flow_run(uuid, boolean, text, uuid, jsonb) is
  'Continues a failed or stopped run of the caller''s flow as a new run, {flow_run_id, token}. The new run takes over successful node executions, and executes the other nodes. With `deployment`, the new run has the graph and the settings of this deployment of the flow.';
grant execute on function public.redrive_flow_run(uuid, boolean, text, uuid, jsonb) to anon, authenticated, service_role;

-- sql/650_starts/81_redrive_flow_runs.sql

create function private.failed_runs(
  user_id uuid, flow integer, deployment uuid, since timestamptz, until timestamptz, error_code text, max_runs integer
)
returns uuid[]
language plpgsql stable security definer
set search_path = ''
-- Because of its limit, the query reads only a few runs. The planner does not know the limit, so it would sort all
-- runs.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  -- The same limit as in flow_run_stats, so that without `until` both functions search the same runs.
  c_looked_at constant integer := 5000;
  -- The id of a run begins with the time at which the run was made.
  v_since_id uuid := private.first_uuid_v7(failed_runs.since);
  -- The first id of the millisecond after the one that contains `until`.
  v_end_id uuid := private.first_uuid_v7(least(failed_runs.until, '2200-01-01') + interval '1 millisecond');
begin
  return array(
    select l.id
    from (
      select r.id, r.user_id, r.status, r.parent_flow_run_id, r.created_at, r.error_code
      from (
        (
          select f.* from public.flow_run as f
          where f.flow_id = failed_runs.flow and f.id >= v_since_id and f.id < v_end_id
          order by f.id desc limit case when failed_runs.flow is null then 0 else c_looked_at end
        )
        union all
        (
          select d.* from public.flow_run as d
          where d.deployment_id = failed_runs.deployment and d.id >= v_since_id and d.id < v_end_id
          order by d.id desc limit case when failed_runs.deployment is null then 0 else c_looked_at end
        )
      ) as r
    ) as l
    where l.user_id = failed_runs.user_id and l.status = 'failed' and l.parent_flow_run_id is null
      and l.created_at < failed_runs.until
      and (failed_runs.error_code is null or l.error_code = failed_runs.error_code)
      and not exists (select from public.flow_run as b where b.redriven_from = l.id)
    order by l.id limit failed_runs.max_runs
  );
end;
$$;
comment on function private.failed_runs(uuid, integer, uuid, timestamptz, timestamptz, text, integer) is
  'Failed runs of this owner that have no redrive, the oldest first. Searches only the newest 5,000 runs that the flow or deployment has in this period. Definer, because it reads runs of any user. Its callers check the user.';

create function private.redrive_flow_runs(
  flow integer, deployment uuid, since timestamptz, until timestamptz, error_code text, accept_unknown boolean,
  max_runs integer, on_deployment uuid
)
returns table (flow_run_id uuid, redriven_as uuid, error jsonb)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
begin
  perform private.check_run_period(
    redrive_flow_runs.flow, redrive_flow_runs.deployment, redrive_flow_runs.since, redrive_flow_runs.until
  );
  if redrive_flow_runs.max_runs is null or redrive_flow_runs.max_runs not between 1 and 100 then
    perform private.fail('request_invalid', 'max_runs: must be an integer from 1 to 100.');
  end if;
  perform private.check_own_target(v_user_id, redrive_flow_runs.flow, redrive_flow_runs.deployment);
  foreach flow_run_id in array private.failed_runs(
    v_user_id, redrive_flow_runs.flow, redrive_flow_runs.deployment, redrive_flow_runs.since,
    coalesce(redrive_flow_runs.until, 'infinity'),
    redrive_flow_runs.error_code, redrive_flow_runs.max_runs
  ) loop
    redriven_as := null;
    error := null;
    begin
      redriven_as := private.redrive_flow_run(
        flow_run_id, redrive_flow_runs.accept_unknown, null, redrive_flow_runs.on_deployment, null
      ) ->> 'flow_run_id';
    exception
      -- If a run can't be redriven, return its error, and continue with the next run.
      when sqlstate 'PGRST' then
        error := sqlerrm::jsonb;
    end;
    return next;
  end loop;
end;
$$;
comment on function private.redrive_flow_runs(integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid) is
  'Implements public.redrive_flow_runs. Definer, because no API role may insert runs. It checks the owner of the flow or deployment only once.';
grant execute on function private.redrive_flow_runs(
  integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid
) to anon, authenticated, service_role;

-- Redrives failed runs of the caller's flow, or of one deployment, that have no redrive yet. Selects runs that were
-- made between `since` (default: 7 days ago) and `until`. Searches only the newest 5,000 runs of this period, and
-- redrives at most max_runs of them (1 to 100), the oldest first. error_code selects runs whose first error has this
-- code, as in flow_run_stats. Returns a row for each selected run, {flow_run_id, redriven_as, error}. redriven_as is
-- the new run; error is the error that redrive_flow_run would answer. Call again until there are no rows, or only rows
-- with errors. With on_deployment, the new runs execute this deployment, as in redrive_flow_run. 400 request_invalid;
-- 401; 404 flow_not_found, deployment_not_found, also for flows and deployments of other users.
create function public.redrive_flow_runs(
  flow integer default null, deployment uuid default null, since timestamptz default now() - interval '7 days',
  until timestamptz default null, error_code text default null, accept_unknown boolean default false,
  max_runs integer default 100, on_deployment uuid default null
)
returns table (flow_run_id uuid, redriven_as uuid, error jsonb)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.redrive_flow_runs(
    flow, deployment, since, until, error_code, accept_unknown, max_runs, on_deployment
  );
$$;
comment on function public.redrive_flow_runs(integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid) is
  'Redrives failed runs of the caller''s flow or deployment in a period, the oldest first. Returns rows of {flow_run_id, redriven_as, error}. Call again until only rows with errors remain. 400 request_invalid; 401; 404 flow_not_found, deployment_not_found.';
grant execute on function public.redrive_flow_runs(
  integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid
) to anon, authenticated, service_role;

-- sql/650_starts/90_turn_owners.sql

create function private.turn_owner(shown text)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_kind text := substr(turn_owner.shown, 1, 3);
  v_id text := split_part(turn_owner.shown, ' ', 2);
begin
  -- Return an owner only for flows and deployments that everybody may start. For all others return null, as if they did
  -- not exist. Otherwise a caller could learn from the order of the answers that they exist.
  if v_kind = 'fk_' then
    return (private.valid_api_key(turn_owner.shown)).user_id;
  elsif v_kind = 'fr_' then
    return (select r.user_id from public.flow_run as r where r.id = private.run_id_of_token(turn_owner.shown));
  elsif turn_owner.shown like 'deployment %' and pg_input_is_valid(v_id, 'uuid') then
    return (
      select d.user_id from public.flow_deployments as d where d.id = v_id::uuid and d.start_permission = 'Anonymous'
    );
  elsif turn_owner.shown like 'flow %' and pg_input_is_valid(v_id, 'integer') then
    return (
      select d.user_id from public.flow_deployments as d
      where d.entrypoint = v_id::integer and d.start_permission = 'Anonymous'
      limit 1
    );
  end if;
  return null;
end;
$$;
comment on function private.turn_owner(text) is
  'Returns the user who owns an API key, a run (`shown` is its token), `deployment <id>` or `flow <id>`. Null if `shown` is unknown, or if only some callers may start the deployment or flow. public.turn_owners calls this function for each element. Definer, because callers may not read these rows.';

create function private.turn_owners(shown text[])
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select array_agg(private.turn_owner(s.shown) order by s.place)
    from unnest(turn_owners.shown) with ordinality as s (shown, place);
$$;
comment on function private.turn_owners(text[]) is
  'Implements public.turn_owners. Definer, because API roles may not call private.turn_owner().';
grant execute on function private.turn_owners(text[]) to service_role;

-- Returns null for an invalid or unknown element, and for a flow or deployment that only some callers may start. The
-- Edge Functions call this function, because they let requests of different owners take turns.
create function public.turn_owners(shown text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.turn_owners(shown);
end;
comment on function public.turn_owners(text[]) is
  'Returns the owner for each element of `shown`, in the same order. An element is an API key, a run token, `deployment <id>` or `flow <id>`. The owner is null if the element is unknown, or if it names a flow or deployment that only some callers may start.';
grant execute on function public.turn_owners(text[]) to service_role;

-- sql/700_schedules/10_cron.sql

-- Parses the five fields of a cron expression. No Postgres extension computes the next due time of a cron
-- expression, so this project does. Fields have the meaning that crontab(5) of Vixie cron describes. In addition,
-- lists and ranges may contain names.

create type private.cron as (
  minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[],
    is_either_day boolean, is_fixed boolean
);
comment on type private.cron is
  'A parsed cron expression: the values of each field in ascending order; weekday 0 is Sunday. is_either_day: a day is due if its day of the month or its weekday matches. is_fixed: the expression names one time of day, so it is due once on each of its days, even if clocks change.';

create function private.cron_value(value text, low integer, high integer, names text[])
returns integer
language sql immutable security invoker
begin atomic
  select case
    when cron_value.value ~ '^[0-9]{1,2}$' then
      case when cron_value.value::integer between cron_value.low and cron_value.high then cron_value.value::integer end
    -- The first name means the lowest value.
    else array_position(cron_value.names, upper(cron_value.value)) - 1 + cron_value.low
  end;
end;
comment on function private.cron_value(text, integer, integer, text[]) is
  'The number that a value of a cron field stands for: the number 7 for the text 7, and 1 for the name JAN. Null if the number is not from low to high.';

create function private.cron_field(
  field text, low integer, high integer, names text[], out numbers integer[], out message text
)
returns record
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_part text;
  v_range text;
  v_step_text text;
  v_from integer;
  v_to integer;
  v_step integer;
begin
  numbers := '{}';
  foreach v_part in array string_to_array(cron_field.field, ',') loop
    v_range := split_part(v_part, '/', 1);
    v_step_text := case when strpos(v_part, '/') > 0 then substr(v_part, length(v_range) + 2) end;
    if v_range = '*' then
      v_from := cron_field.low;
      -- Weekdays 0 and 7 are both Sunday, so * ends at 6.
      v_to := least(cron_field.high, case when cron_field.high = 7 then 6 else cron_field.high end);
    elsif strpos(v_range, '-') > 0 then
      v_from := private.cron_value(split_part(v_range, '-', 1), cron_field.low, cron_field.high, cron_field.names);
      v_to := private.cron_value(
        substr(v_range, strpos(v_range, '-') + 1), cron_field.low, cron_field.high, cron_field.names
      );
      -- SUN is 0. But at the end of a range, such as FRI-SUN, it must be 7, so that the range does not end before it
      -- begins.
      if cron_field.high = 7 and upper(v_range) like '%-SUN' then
        v_to := 7;
      end if;
    else
      v_from := private.cron_value(v_range, cron_field.low, cron_field.high, cron_field.names);
      v_to := v_from;
    end if;
    v_step := coalesce(
      case when v_step_text ~ '^[0-9]{1,2}$' then v_step_text::integer end, case when v_step_text is null then 1 end, 0
    );
    message := case
      when v_from is null or v_to is null then
        format('has %s, where a number from %s to %s%s, a range or * is needed', to_jsonb(private.shorten(v_range, 30)),
          cron_field.low, cron_field.high,
            case when cron_field.names is null then '' else ', one of ' || array_to_string(cron_field.names, ' ') end)
      when v_from > v_to then
        format('has the range %s, which ends before it begins', to_jsonb(v_range))
      when v_step_text is not null and strpos(v_range, '-') = 0 and v_range <> '*' then
        format('has a step after the number %s: a step must follow * or a range, such as %s-%s/%s', to_jsonb(v_range),
          v_from, cron_field.high, private.shorten(v_step_text, 30))
      when v_step not between 1 and cron_field.high then
        format('has the step %s, which must be a number from 1 to %s',
          to_jsonb(private.shorten(v_step_text, 30)), cron_field.high)
    end;
    if message is not null then
      return;
    end if;
    numbers := numbers || array(
      select case when cron_field.high = 7 then n % 7 else n end from generate_series(v_from, v_to, v_step) as n
    );
  end loop;
  numbers := array(select distinct n from unnest(numbers) as n order by n);
end;
$$;
comment on function private.cron_field(text, integer, integer, text[]) is
  'The values of one field of a cron expression in ascending order. If the field is invalid, message describes its first invalid part.';

create function private.read_cron(cron text, out read private.cron, out faults jsonb)
returns record
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_fields text[];
  v_field record;
  v_names constant text[] := '{minute,hour,day_of_month,month,day_of_week}';
  v_lows constant integer[] := '{0,0,1,1,0}';
  v_highs constant integer[] := '{59,23,31,12,7}';
  v_day_names constant text[] := '{SUN,MON,TUE,WED,THU,FRI,SAT}';
  v_month_names constant text[] := '{JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC}';
begin
  faults := '[]';
  if length(read_cron.cron) > private.limit_cron_characters() then
    faults := jsonb_build_array(jsonb_build_object(
      'path', 'cron', 'message', format('must have at most %s characters', private.limit_cron_characters())
    ));
    return;
  end if;
  v_fields := array_remove(string_to_array(translate(read_cron.cron, E'\t', ' '), ' '), '');
  if cardinality(v_fields) <> 5 then
    faults := jsonb_build_array(jsonb_build_object('path', 'cron', 'message', format(
      'must have five fields (minute, hour, day of month, month, day of week), such as 30 6 * * MON-FRI, but it has %s',
      cardinality(v_fields)
    )));
    return;
  end if;
  for v_place in 1..5 loop
    v_field := private.cron_field(v_fields[v_place], v_lows[v_place], v_highs[v_place],
      case v_place when 4 then v_month_names when 5 then v_day_names end);
    if v_field.message is not null then
      faults := faults || jsonb_build_object('path', 'cron.' || v_names[v_place], 'message', v_field.message);
    end if;
    case v_place
      when 1 then read.minutes := v_field.numbers;
      when 2 then read.hours := v_field.numbers;
      when 3 then read.days := v_field.numbers;
      when 4 then read.months := v_field.numbers;
      else read.weekdays := v_field.numbers;
    end case;
  end loop;
  if faults <> '[]' then
    return;
  end if;
  read.is_either_day := v_fields[3] not like '*%' and v_fields[5] not like '*%';
  read.is_fixed := cardinality(read.minutes) = 1 and cardinality(read.hours) = 1
    and (v_fields[1] || v_fields[2]) !~ '[*/]';
  -- Refuse days that none of the named months has, such as 30 February. Let February have 29 days.
  if not read.is_either_day and not exists (
    select from unnest(read.months) as m
    where read.days[1] <= (array[31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[m]
  ) then
    faults :=
      '[{"path": "cron.day_of_month", "message": "none of the named months has any of these days, so the expression would never be due"}]';
  end if;
end;
$$;
comment on function private.read_cron(text) is
  'Parses a cron expression, in linear time. faults lists the faults of the expression, [{path, message}]; [] if it is valid.';

create function private.is_time_zone(name text)
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  -- Check the spelling first, because Postgres also accepts texts that are not names of zones: abbreviations, which
  -- have a fixed offset, and POSIX rules. It also accepts names in two folders of copies: `posix` has a copy of every
  -- zone, and `right` has copies with leap seconds.
  if is_time_zone.name !~ '^(UTC|GMT|Etc/GMT[+-][0-9]{1,2}|[A-Za-z_]+(/[A-Za-z_-]+){1,2})$'
    or is_time_zone.name ~* '^(posix|right)/' or length(is_time_zone.name) > 64
  then
    return false;
  end if;
  perform now() at time zone is_time_zone.name;
  return true;
exception when invalid_parameter_value then
  return false;
end;
$$;
comment on function private.is_time_zone(text) is
  'True if the text names a time zone of the IANA database by area and place, or is UTC or GMT.';

-- sql/700_schedules/20_next_cron_time.sql

-- Computes the next due time of a cron expression, even if clocks are set forward or back. The rules are those of
-- the package croner; a test compares the results. An expression that names one time of day is due once on each of
-- its days. If clocks show this time twice, the expression is due the first time. If clocks skip this time, the
-- expression is due at the end of the gap. Any other expression is due whenever the clocks show one of its times.
-- So it is due twice if clocks show the time twice, and not due if clocks skip the time. For example, a nightly
-- report runs each night, and a schedule for every ten minutes runs every ten minutes.

create function private.offset_at(at timestamp, time_zone text)
returns interval
language sql stable security invoker
begin atomic
  select (offset_at.at at time zone 'UTC') at time zone offset_at.time_zone - offset_at.at;
end;
comment on function private.offset_at(timestamp, text) is
  'The offset of a time zone''s clocks from UTC, at a time that is given in UTC.';

create function private.is_cron_day(cron private.cron, day date)
returns boolean
language sql immutable security invoker
begin atomic
  select date_part('month', is_cron_day.day)::integer = any (is_cron_day.cron.months) and case
    when is_cron_day.cron.is_either_day then
      date_part('day', is_cron_day.day)::integer = any (is_cron_day.cron.days)
        or date_part('dow', is_cron_day.day)::integer = any (is_cron_day.cron.weekdays)
    else date_part('day', is_cron_day.day)::integer = any (is_cron_day.cron.days)
      and date_part('dow', is_cron_day.day)::integer = any (is_cron_day.cron.weekdays)
  end;
end;
comment on function private.is_cron_day(private.cron, date) is
  'True if a cron expression is due on a day. As in Vixie cron, both day fields must match. But if neither of them begins with *, one match is enough.';

create function private.cron_time_of_day(cron private.cron, after interval)
returns interval
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_hour integer;
  v_minute integer;
begin
  foreach v_hour in array cron_time_of_day.cron.hours loop
    continue when make_interval(hours => v_hour, mins => 59) <= cron_time_of_day.after;
    foreach v_minute in array cron_time_of_day.cron.minutes loop
      if make_interval(hours => v_hour, mins => v_minute) > cron_time_of_day.after then
        return make_interval(hours => v_hour, mins => v_minute);
      end if;
    end loop;
  end loop;
  return null;
end;
$$;
comment on function private.cron_time_of_day(private.cron, interval) is
  'The first time of day after a given time of day at which a cron expression is due; null if it is not due again on that day.';

create function private.end_of_gap(day date, before timestamptz, after timestamptz, time_zone text)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_offset constant interval := private.offset_at(end_of_gap.before at time zone 'UTC', end_of_gap.time_zone);
  v_low timestamptz := end_of_gap.before;
  v_high timestamptz := end_of_gap.after;
  v_middle timestamptz;
begin
  -- Stop when the interval is one minute, because clocks change at whole minutes.
  while v_high - v_low > interval '1 minute' loop
    v_middle := date_bin('1 minute', v_low + (v_high - v_low) / 2, v_low);
    if private.offset_at(v_middle at time zone 'UTC', end_of_gap.time_zone) = v_offset then
      v_low := v_middle;
    else
      v_high := v_middle;
    end if;
  end loop;
  return case when (v_high at time zone end_of_gap.time_zone)::date = end_of_gap.day then v_high end;
end;
$$;
comment on function private.end_of_gap(date, timestamptz, timestamptz, text) is
  'The moment between `before` and `after` at which clocks are set forward. The two times are less than a day apart. Null if the clocks show a day other than `day` at that moment.';

create function private.cron_time_of_changing_day(
  cron private.cron, time_zone text, day date, offset_before interval, offset_after interval, after timestamptz
)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_local timestamp;
  v_times timestamptz[];
begin
  if not cron_time_of_changing_day.cron.is_fixed then
    return (
      select min(c.at)
      from unnest(cron_time_of_changing_day.cron.hours) as h
      cross join unnest(cron_time_of_changing_day.cron.minutes) as m
      cross join unnest(array[cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after]) as o
      cross join lateral (
        select (cron_time_of_changing_day.day + make_interval(hours => h, mins => m) - o) at time zone 'UTC' as at
      ) as c
      where c.at > cron_time_of_changing_day.after
        and c.at at time zone cron_time_of_changing_day.time_zone
            = cron_time_of_changing_day.day + make_interval(hours => h, mins => m)
    );
  end if;
  v_local := cron_time_of_changing_day.day + private.cron_time_of_day(cron_time_of_changing_day.cron, '-1 minute');
  v_times := array[
    (v_local - greatest(cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after))
      at time zone 'UTC',
    (v_local - least(cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after))
      at time zone 'UTC'
  ];
  return (
    select first.at from (
      select coalesce(
        (select min(t) from unnest(v_times) as t where t at time zone cron_time_of_changing_day.time_zone = v_local),
        private.end_of_gap(cron_time_of_changing_day.day, v_times[1], v_times[2], cron_time_of_changing_day.time_zone)
      ) as at
    ) as first
    where first.at > cron_time_of_changing_day.after
  );
end;
$$;
comment on function private.cron_time_of_changing_day(private.cron, text, date, interval, interval, timestamptz) is
  'The first due time of a cron expression on a day, after a given time; null if there is none. The result is right even if clocks change from one offset to another around this day.';

create function private.cron_time_of_date(cron private.cron, time_zone text, day date, after timestamptz)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- In every time zone, the whole date lies between the times of these two offsets: a date begins at most 14 hours
  -- before its midnight in UTC, and ends at most 36 hours after that midnight.
  v_before constant interval :=
    private.offset_at(cron_time_of_date.day - interval '1 day', cron_time_of_date.time_zone);
  v_after constant interval :=
    private.offset_at(cron_time_of_date.day + interval '2 days', cron_time_of_date.time_zone);
begin
  if v_before <> v_after then
    return (
      -- Search the next day too: if clocks are set back after midnight, the next day has begun before they show the end
      -- of this day again.
      select min(private.cron_time_of_changing_day(
        cron_time_of_date.cron, cron_time_of_date.time_zone, d.day::date, v_before, v_after, cron_time_of_date.after
      ))
      from unnest(array[cron_time_of_date.day, cron_time_of_date.day + 1]) as d (day)
      where private.is_cron_day(cron_time_of_date.cron, d.day)
    );
  end if;
  return (cron_time_of_date.day + private.cron_time_of_day(
    cron_time_of_date.cron,
    greatest((cron_time_of_date.after at time zone 'UTC') + v_before - cron_time_of_date.day, interval '-1 minute')
  ) - v_before) at time zone 'UTC';
end;
$$;
comment on function private.cron_time_of_date(private.cron, text, date, timestamptz) is
  'The first due time of a cron expression on one of its days, after a given time; null if there is none. If clocks change around this day, the next day is searched, too.';

create function private.next_time_of_cron(cron private.cron, time_zone text, after timestamptz)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- Begin with the previous day, because clocks that are set back after midnight show the end of that day again.
  v_day date := (next_time_of_cron.after at time zone next_time_of_cron.time_zone)::date - 1;
  -- Search 41 years: 29 February falls on each weekday within 28 years, or within 40 years around a year such as 2100,
  -- which is not a leap year.
  v_last_day constant date := v_day + 41 * 366;
  v_time timestamptz;
begin
  while v_day < v_last_day loop
    if date_part('month', v_day)::integer <> all (next_time_of_cron.cron.months) then
      -- Skip the rest of this month, but no day of the next month. Continue with the last day of this month. If this is
      -- the last day, continue with the first day of the next month.
      v_day := greatest(v_day + 1, (date_trunc('month', v_day::timestamp) + interval '1 month - 1 day')::date);
    end if;
    if private.is_cron_day(next_time_of_cron.cron, v_day) then
      v_time := private.cron_time_of_date(
        next_time_of_cron.cron, next_time_of_cron.time_zone, v_day, next_time_of_cron.after
      );
      if v_time is not null then
        return v_time;
      end if;
    end if;
    v_day := v_day + 1;
  end loop;
  return null;
end;
$$;
comment on function private.next_time_of_cron(private.cron, text, timestamptz) is
  'The next due time of a parsed cron expression after a given time, by the clocks of a time zone. Searches day by day, and skips months that the expression does not name. Null if the expression is never due; read_cron refuses such expressions.';

create function private.next_cron_time(cron text, time_zone text, after timestamptz)
returns timestamptz
language sql stable security invoker
begin atomic
  select private.next_time_of_cron(
    (private.read_cron(next_cron_time.cron)).read, next_cron_time.time_zone, next_cron_time.after
  );
end;
comment on function private.next_cron_time(text, text, timestamptz) is
  'The next due time of a cron expression after a given time, by the clocks of a time zone. Parsing takes most of the time. So to compute several due times, parse the expression once and call next_time_of_cron.';

-- sql/700_schedules/30_flow_schedules.sql

create table public.flow_schedules (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null default auth.uid() references auth.users (id) on delete cascade,
  flow integer,
  tag text,
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  cron text not null,
  time_zone text not null default 'UTC',
  inputs jsonb not null default '{}',
  "values" jsonb not null default '{}',
  policy text not null default 'catch_up_one',
  is_active boolean not null default true,
  next_start_at timestamptz,
  last_start_at timestamptz,
  last_flow_run_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flow_schedules_flow_fkey
    foreign key (flow, user_id) references public.flows (id, user_id) on delete cascade,
  constraint flow_schedules_target check (
    num_nonnulls(flow, deployment_id) = 1 and (flow is null) = (tag is null)
    or private.refuse_column('flow', 'give either flow, with an optional tag, or deployment_id')
  ),
  constraint flow_schedules_tag_form check (private.check_tag(tag)),
  constraint flow_schedules_cron_length check (char_length(cron) <= private.limit_cron_characters()),
  constraint flow_schedules_time_zone_length check (char_length(time_zone) <= 64),
  -- Limit inputs and values, because each run of the schedule stores a copy of them.
  constraint flow_schedules_inputs_length check (
    octet_length(inputs::text) + octet_length("values"::text) <= private.limit_schedule_bytes()
    or private.refuse_column('inputs', format(
      'inputs and values together must be at most %s of JSON', private.size_text(private.limit_schedule_bytes())
    ))
  ),
  constraint flow_schedules_policy_known check (
    policy in ('skip', 'catch_up_one') or private.refuse_column('policy', 'must be skip or catch_up_one')
  ),
  constraint flow_schedules_next_start_at_while_active check ((next_start_at is not null) = is_active),
  constraint flow_schedules_last_error_length check (char_length(last_error) <= 2200)
);
comment on table public.flow_schedules is
  'Schedules start deployments at planned times, as their owner. A schedule is deleted with its user, and with the flow or deployment that it starts.';
comment on column public.flow_schedules.flow is 'The flow whose deployment is started; tag selects the deployment.';
comment on column public.flow_schedules.tag is
  'The tag that selects one of the flow''s deployments, looked up at each start; latest by default.';
comment on column public.flow_schedules.deployment_id is 'The deployment that is started, if flow and tag are null.';
comment on column public.flow_schedules.cron is
  'Minute, hour, day of month, month and day of week: numbers, ranges, lists, steps, names such as MON and JAN, and *. A day must match both day fields. But if neither of these fields begins with *, one match is enough.';
comment on column public.flow_schedules.time_zone is
  'The IANA time zone whose clocks decide when the schedule is due, such as Europe/Berlin.';
comment on column public.flow_schedules.inputs is 'The inputs of each start, an object of one-tag values.';
comment on column public.flow_schedules."values" is
  'Further inputs of each start, an object of plain JSON. Each start converts them to the types that the deployment has for its inputs.';
comment on column public.flow_schedules.policy is
  'How to treat planned times that were missed because the database or the driver of schedules was down. catch_up_one: one late start for all missed times. skip: no start if the planned time is more than a minute ago.';
comment on column public.flow_schedules.next_start_at is
  'The next planned time; null while the schedule is not active. Only the system writes this column.';
comment on column public.flow_schedules.last_start_at is
  'The time at which the schedule last started a run. Only the system writes this column.';
comment on column public.flow_schedules.last_flow_run_id is
  'The run that the schedule started last. There is no foreign key, so that the id stays when the run is deleted. Only the system writes this column.';
comment on column public.flow_schedules.last_error is
  'The error of the last planned time, "<code>: <message>"; null if the schedule started a run then. Only the system writes this column.';

create index flow_schedules_user_id_idx on public.flow_schedules (user_id);
create index flow_schedules_flow_idx on public.flow_schedules (flow, user_id) where flow is not null;
create index flow_schedules_deployment_id_idx on public.flow_schedules (deployment_id) where deployment_id is not null;
-- The index includes all columns that private.due_schedules reads, so the function can choose a thousand due schedules
-- without reading their rows.
create index flow_schedules_next_start_at_idx on public.flow_schedules (next_start_at, user_id, id) where is_active;

alter table public.flow_schedules enable row level security;
create policy flow_schedules_select_owner on public.flow_schedules for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_schedules_insert_owner on public.flow_schedules for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy flow_schedules_update_owner on public.flow_schedules for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_schedules_delete_owner on public.flow_schedules for delete to authenticated
  using (user_id = (select auth.uid()));

-- The default of the column id calls this function when a client omits the id.
grant execute on function private.uuid_v7(timestamptz) to authenticated, service_role;
grant select, insert, update, delete on public.flow_schedules to authenticated;
grant select, insert, update, delete on public.flow_schedules to service_role;

create function private.tg_flow_schedules__before_write_read_only()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    if num_nonnulls(new.next_start_at, new.last_start_at, new.last_flow_run_id, new.last_error) > 0 then
      perform private.fail('column_read_only',
        'next_start_at, last_start_at, last_flow_run_id and last_error of a schedule are kept by the system.',
        hint => 'Leave them out.');
    end if;
    new.created_at := now();
    new.updated_at := now();
  elsif (new.id, new.user_id, new.created_at,
      new.next_start_at, new.last_start_at, new.last_flow_run_id, new.last_error)
    is distinct from (old.id, old.user_id, old.created_at,
      old.next_start_at, old.last_start_at, old.last_flow_run_id, old.last_error)
  then
    perform private.fail('column_read_only',
      'id, user_id, created_at, next_start_at, last_start_at, last_flow_run_id and '
      'last_error of a schedule can''t be changed.',
      hint => 'Leave them out. next_start_at follows from cron, time_zone and is_active.');
  else
    new.updated_at := now();
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_schedules__before_write_read_only() is
  'Refuses writes of clients to columns that only the system writes. The trigger does not apply to private.start_due_schedules, which writes as the owner of the schema.';
create trigger _100_refuse_read_only before insert or update on public.flow_schedules
  for each row when (current_user in ('authenticated', 'service_role'))
  execute function private.tg_flow_schedules__before_write_read_only();

create function private.check_schedule_times(cron text, time_zone text)
returns void
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := (private.read_cron(check_schedule_times.cron)).faults;
begin
  if not private.is_time_zone(check_schedule_times.time_zone) then
    v_faults := v_faults || jsonb_build_object('path', 'time_zone', 'message', format(
      'must be UTC or an IANA time zone with an area and a place, such as Europe/Berlin, but it is %s',
      to_jsonb(private.shorten(check_schedule_times.time_zone, 64))
    ));
  end if;
  perform private.refuse_faults('column_invalid', v_faults);
end;
$$;
comment on function private.check_schedule_times(text, text) is
  'Refuses an invalid cron expression or time zone. The error has the fault and its path: 400 column_invalid.';

create function private.tg_flow_schedules__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.flow is not null then
    new.tag := coalesce(new.tag, 'latest');
  end if;
  if num_nulls(new.cron, new.time_zone, new.inputs, new."values", new.is_active) > 0 then
    perform private.refuse_column(
      case when new.cron is null then 'cron' when new.time_zone is null then 'time_zone'
        when new.inputs is null then 'inputs' when new."values" is null then 'values' else 'is_active' end,
      'must not be null'
    );
  end if;
  if (new.flow, new.deployment_id) is distinct from (old.flow, old.deployment_id) then
    perform private.check_own_target(new.user_id, new.flow, new.deployment_id);
  end if;
  if new.inputs is distinct from old.inputs then
    perform private.check_inputs(new.inputs);
  end if;
  if (new.inputs, new."values") is distinct from (old.inputs, old."values") then
    perform private.check_values(new."values", new.inputs);
  end if;
  if (new.cron, new.time_zone) is distinct from (old.cron, old.time_zone) then
    perform private.check_schedule_times(new.cron, new.time_zone);
  end if;
  if (new.cron, new.time_zone, new.is_active) is distinct from (old.cron, old.time_zone, old.is_active) then
    new.next_start_at := case
      when new.is_active then private.next_cron_time(new.cron, new.time_zone, clock_timestamp())
    end;
  end if;
  return new;
end;
$$;
-- Refuses an invalid schedule. The error has the fault and its path: 400 column_invalid, inputs_invalid; 413
-- inputs_too_large; 404 flow_not_found, deployment_not_found. Computes the next planned time if cron, time_zone or
-- is_active change.
comment on function private.tg_flow_schedules__before_write() is
  'Refuses an invalid schedule, and computes its next planned time. Definer, so that it finds the deployment whichever role writes the row.';
-- A policy refuses rows whose user_id is another user. The trigger skips such rows, because an error of its look-ups
-- could reveal which deployments that user has.
create trigger _200_check
  before insert or update of user_id, flow, tag, deployment_id, cron, time_zone, inputs, "values", is_active
  on public.flow_schedules
  for each row when (current_user <> 'authenticated' or new.user_id = auth.uid())
  execute function private.tg_flow_schedules__before_write();

create function private.tg_flow_schedules__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.flow, new.tag, new.deployment_id, new.inputs, new."values")
    is distinct from (old.flow, old.tag, old.deployment_id, old.inputs, old."values")
  then
    perform private.inputs_of_start(
      private.own_deployment(new.flow, new.tag, new.deployment_id), new.inputs, nullif(new."values", '{}')
    );
  end if;
  -- Check the quota only if the stored size grows. So an owner who exceeds the quota can still make a row smaller.
  if tg_op = 'UPDATE'
    and pg_column_size(new.inputs) + pg_column_size(new."values")
      > pg_column_size(old.inputs) + pg_column_size(old."values")
  then
    perform private.check_quota('schedule_bytes', new.user_id);
  end if;
  return null;
end;
$$;
-- Refuses a schedule whose start would fail now: 404 deployment_not_found if no deployment has the tag, 400
-- inputs_invalid if the present deployment does not accept the inputs. Failures caused by later deploys appear in
-- last_error. Refuses inputs that grow beyond their owner's quota: 409 quota_exceeded. The trigger runs after the
-- policies have checked the write. So a user who may not write the row learns nothing about the objects that the row
-- names.
comment on function private.tg_flow_schedules__after_write() is
  'Refuses a schedule whose start would fail now, or that exceeds a quota. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _300_check_start
  after insert or update of flow, tag, deployment_id, inputs, "values" on public.flow_schedules
  for each row execute function private.tg_flow_schedules__after_write();

create trigger _800_check_quota after insert on public.flow_schedules
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('schedules', 'schedule_bytes');

create function private.next_cron_times(cron text, time_zone text)
returns timestamptz[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_time timestamptz := clock_timestamp();
  v_times timestamptz[] := '{}';
  v_cron private.cron;
begin
  perform private.require_user();
  if num_nulls(next_cron_times.cron, next_cron_times.time_zone) > 0 then
    perform private.refuse_column(
      case when next_cron_times.cron is null then 'cron' else 'time_zone' end, 'must not be null'
    );
  end if;
  perform private.check_schedule_times(next_cron_times.cron, next_cron_times.time_zone);
  v_cron := (private.read_cron(next_cron_times.cron)).read;
  for v_place in 1..3 loop
    v_time := private.next_time_of_cron(v_cron, next_cron_times.time_zone, v_time);
    v_times := v_times || v_time;
  end loop;
  return v_times;
end;
$$;
comment on function private.next_cron_times(text, text) is
  'Implements public.next_cron_times. Definer, because API roles may not call the functions that parse cron expressions.';
grant execute on function private.next_cron_times(text, text) to anon, authenticated, service_role;

create function public.next_cron_times(cron text, time_zone text default 'UTC')
returns timestamptz[]
language sql volatile security invoker
begin atomic
  select private.next_cron_times(cron, time_zone);
end;
comment on function public.next_cron_times(text, text) is
  'The next three due times of a schedule with this cron expression and time zone, for users who write a schedule. 400 column_invalid; 401.';
grant execute on function public.next_cron_times(text, text) to anon, authenticated, service_role;

-- sql/700_schedules/40_start_due_schedules.sql

-- Starts due schedules. Each planned time causes only one start, even if several callers start schedules at the same
-- time. A caller locks the schedule's row. The transaction that stores the run also sets the next planned time. A call
-- never waits for a lock, so it can't deadlock with a deletion of schedules. It skips rows that other transactions have
-- locked. The next call, within 5 seconds, finds these rows again.

create function private.due_schedules(max_schedules integer)
returns uuid[]
language sql stable security definer
set search_path = ''
set enable_seqscan = off
as $$
  select array(
    select due.id
    from (
      select d.id, d.next_start_at, row_number() over (partition by d.user_id order by d.next_start_at, d.id) as turn
      from (
        select s.id, s.user_id, s.next_start_at from public.flow_schedules as s
        -- In a sub-select the time is computed only once, so Postgres can search the index for it.
        where s.is_active and s.next_start_at <= (select clock_timestamp())
        order by s.next_start_at limit 10000
      ) as d
    ) as due
    order by due.turn, due.next_start_at, due.id
    limit due_schedules.max_schedules
  );
$$;
comment on function private.due_schedules(integer) is
  'The ids of the schedules to start next. Owners take turns, and the most overdue schedule of each owner is first. Reads only the 10,000 most overdue schedules. Definer, because it reads schedules of all users.';

create function private.schedule_deployment(
  schedule public.flow_schedules, out is_busy boolean, out deployment public.flow_deployments
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user auth.users;
  v_id uuid := schedule_deployment.schedule.deployment_id;
begin
  is_busy := false;
  -- A transaction that deletes the user has locked the user's row, and will delete this schedule too. So skip a locked
  -- row, and return is_busy. The row of the deployment is read in the same way below.
  select u.* into v_user from auth.users as u where u.id = schedule_deployment.schedule.user_id
  for key share skip locked;
  if not found then
    is_busy := true;
    return;
  end if;
  if v_user.deleted_at is not null or coalesce(v_user.banned_until > now(), false) then
    perform private.fail('token_invalid', 'The user of this schedule has been deleted or banned.');
  end if;
  if v_id is null then
    v_id := (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = schedule_deployment.schedule.flow and t.tag = schedule_deployment.schedule.tag
    );
  end if;
  select d.* into deployment from public.flow_deployments as d
  where d.id = v_id and d.user_id = schedule_deployment.schedule.user_id
  for key share skip locked;
  if not found then
    is_busy := exists (select from public.flow_deployments as d where d.id = v_id);
    if not is_busy then
      perform private.refuse_missing_tag(schedule_deployment.schedule.flow, schedule_deployment.schedule.tag);
    end if;
  end if;
end;
$$;
-- Returns the deployment that a schedule starts, and locks it against deletion until the transaction ends. is_busy
-- is true if another transaction has locked the deployment or the user. 404 deployment_not_found; 401 token_invalid
-- for a user who is deleted or banned.
comment on function private.schedule_deployment(public.flow_schedules) is
  'Finds and locks the deployment that a schedule starts. Definer, because it reads schedules of all users.';

create function private.start_schedule(schedule public.flow_schedules)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_is_skipped boolean := start_schedule.schedule.policy = 'skip'
    and start_schedule.schedule.next_start_at < v_now - interval '1 minute';
  v_target record;
  v_caller private.caller;
  v_run_id uuid;
  v_error text;
begin
  if v_is_skipped then
    v_error := format('schedule_skipped: The start planned for %s was more than a minute late.',
      to_char(start_schedule.schedule.next_start_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'));
  else
    begin
      v_target := private.schedule_deployment(start_schedule.schedule);
      if v_target.is_busy then
        return 'busy';
      end if;
      v_caller.user_id := start_schedule.schedule.user_id;
      v_run_id := private.enqueue_run(
        v_target.deployment, v_caller, start_schedule.schedule.inputs,
        nullif(start_schedule.schedule."values", '{}'), null, null, null,
        start_schedule.schedule.id
      ) ->> 'flow_run_id';
    exception
      when sqlstate 'PGRST' then
        v_error := concat(sqlerrm::jsonb ->> 'code', ': ', sqlerrm::jsonb ->> 'message');
      when others then
        v_error := concat('internal: ', sqlstate, ' ', private.shorten(sqlerrm, 2000));
    end;
  end if;
  update public.flow_schedules as s
  set
    next_start_at = private.next_cron_time(s.cron, s.time_zone, v_now),
    last_start_at = case when v_run_id is null then s.last_start_at else v_now end,
    last_flow_run_id = coalesce(v_run_id, s.last_flow_run_id),
    last_error = v_error
  where s.id = start_schedule.schedule.id;
  return case when v_run_id is not null then 'started' when v_is_skipped then 'skipped' else 'refused' end;
end;
$$;
-- Starts a due schedule as its owner. The caller has locked the schedule's row. Sets the next planned time to a
-- time after now, so all planned times that have passed cause only one start. If the start is refused, last_error
-- records the error, and the next attempt is at the next planned time.
comment on function private.start_schedule(public.flow_schedules) is
  'Starts a due, locked schedule as its owner. Returns started, skipped, refused or busy. Definer, because no API role may insert runs.';

create function private.start_due_schedules(max_schedules integer default 100)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with a sequential scan while the table is empty, and reuse it when
-- the table is full.
set enable_seqscan = off
as $$
declare
  -- A constant is needed, because an index can't be searched for the result of a volatile function.
  v_now constant timestamptz := clock_timestamp();
  v_ids uuid[];
  v_id uuid;
  v_schedule public.flow_schedules;
  v_outcome text;
  v_started integer := 0;
  v_skipped integer := 0;
  v_refused integer := 0;
begin
  if start_due_schedules.max_schedules is null or start_due_schedules.max_schedules not between 1 and 1000 then
    perform private.fail('request_invalid', 'max_schedules: must be an integer from 1 to 1000.');
  end if;
  -- In most calls no schedule is due. Then this one search of the index is all the work.
  if exists (select from public.flow_schedules as s where s.is_active and s.next_start_at <= v_now) then
    v_ids := private.due_schedules(start_due_schedules.max_schedules);
    foreach v_id in array v_ids loop
      -- Check again under the lock, because another call may have started the schedule meanwhile.
      select s.* into v_schedule from public.flow_schedules as s
      where s.id = v_id and s.is_active and s.next_start_at <= v_now
      for no key update skip locked;
      continue when not found;
      v_outcome := private.start_schedule(v_schedule);
      v_started := v_started + (v_outcome = 'started')::integer;
      v_skipped := v_skipped + (v_outcome = 'skipped')::integer;
      v_refused := v_refused + (v_outcome = 'refused')::integer;
    end loop;
  end if;
  return jsonb_build_object(
    'started', v_started, 'skipped', v_skipped, 'refused', v_refused,
    -- If other transactions have locked all due schedules, has_more is false: another call could not start these
    -- schedules either.
    'has_more', coalesce(cardinality(v_ids), 0) = start_due_schedules.max_schedules
      and v_started + v_skipped + v_refused > 0
  );
end;
$$;
comment on function private.start_due_schedules(integer) is
  'Implements public.start_due_schedules. Definer, because it starts runs in the name of all users.';
grant execute on function private.start_due_schedules(integer) to service_role;

create function public.start_due_schedules(max_schedules integer default 100)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_due_schedules(max_schedules);
end;
-- For the driver of schedules (pg_cron, the local stack): starts at most max_schedules due schedules, each in the name
-- of its owner. Each planned time causes only one start, even if there are several callers. Call again while has_more
-- is true, then call private.poke_runner(). 400 request_invalid.
comment on function public.start_due_schedules(integer) is
  'Starts due schedules in the name of their owners, once for each planned time. Returns {started, skipped, refused, has_more}; call again while has_more is true.';
grant execute on function public.start_due_schedules(integer) to service_role;

create function private.drive_schedules()
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_started integer := 0;
  v_result jsonb;
begin
  -- The number of calls is bounded, because they all run in one transaction.
  for v_call in 1..5 loop
    v_result := private.start_due_schedules();
    v_started := v_started + (v_result ->> 'started')::integer;
    exit when not (v_result ->> 'has_more')::boolean;
  end loop;
  return case
    when v_started = 0 then 'nothing is due' else format('%s started; %s', v_started, private.poke_runner())
  end;
end;
$$;
comment on function private.drive_schedules() is
  'For pg_cron: starts up to 500 due schedules, and calls private.poke_runner() if it started any. Returns a text that says how many schedules it started.';

-- sql/750_webhooks/10_webhook_signatures.sql

-- Checks that a request to a webhook comes from the webhook's sender. The check runs in the database and not in an Edge
-- Function. So the secret never leaves the database, and requests that call the RPC directly are checked too. Texts are
-- compared by their digests, so that the time of a comparison does not reveal how much of a forged text is right. The
-- entry point is private.is_webhook_verified, at the end.

create function private.is_same_text(given text, expected text)
returns boolean
language sql immutable security invoker
set search_path = ''
as $$
  select sha256(convert_to(is_same_text.given, 'UTF8')) = sha256(convert_to(is_same_text.expected, 'UTF8'));
$$;
comment on function private.is_same_text(text, text) is
  'Whether two texts are equal, in a time that does not reveal where they differ; null if one of them is null.';

create function private.is_recent_timestamp(seconds text)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return case
    when is_recent_timestamp.seconds ~ '^[0-9]{1,12}$'
      then abs(extract(epoch from clock_timestamp()) - is_recent_timestamp.seconds::bigint) <= 300
    else false
  end;
end;
$$;
comment on function private.is_recent_timestamp(text) is
  'Whether a text of Unix seconds is within 5 minutes of now. Standard Webhooks and Stripe use the same tolerance. Older requests may be replays.';

create function private.webhook_secret_bytes(verification text, secret text)
returns bytea
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_key text := substr(
    webhook_secret_bytes.secret, case when starts_with(webhook_secret_bytes.secret, 'whsec_') then 7 else 1 end
  );
  v_bytes bytea;
begin
  if webhook_secret_bytes.secret is null then
    return null;
  end if;
  if webhook_secret_bytes.verification is null then
    perform private.fail('request_invalid', 'secret: must be null if verification is null.');
  end if;
  case webhook_secret_bytes.verification
    when 'standard_webhooks' then
      if length(v_key) <= 100 and private.is_base64(v_key) then
        v_bytes := decode(v_key, 'base64');
      end if;
      if coalesce(octet_length(v_bytes) not between 24 and 64, true) then
        perform private.fail('request_invalid', 'secret: must be whsec_ and the base64 of 24 to 64 bytes.');
      end if;
      return v_bytes;
    when 'authorization' then
      if length(webhook_secret_bytes.secret) not between 8 and 1000
        or webhook_secret_bytes.secret !~ '^[!-~][ -~]*[!-~]$' then
        perform private.fail(
          'request_invalid',
          'secret: must be the whole value of the Authorization header: 8 to 1000 characters of ASCII.'
        );
      end if;
      -- The database only compares this secret and signs nothing with it, so its digest suffices.
      return sha256(convert_to(webhook_secret_bytes.secret, 'UTF8'));
    else
      if length(webhook_secret_bytes.secret) not between 8 and 1000 then
        perform private.fail('request_invalid', 'secret: must have 8 to 1000 characters.');
      end if;
      return convert_to(webhook_secret_bytes.secret, 'UTF8');
  end case;
end;
$$;
comment on function private.webhook_secret_bytes(text, text) is
  'The stored form of a webhook''s secret: the key of its signatures, or the digest of the expected header. Null if the webhook has no secret. 400 request_invalid for a malformed secret.';

create function private.standard_webhook_headers(headers jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when standard_webhook_headers.headers ? 'svix-signature'
      and not standard_webhook_headers.headers ? 'webhook-signature'
      then standard_webhook_headers.headers || jsonb_build_object(
        'webhook-id', standard_webhook_headers.headers ->> 'svix-id',
        'webhook-timestamp', standard_webhook_headers.headers ->> 'svix-timestamp',
        'webhook-signature', standard_webhook_headers.headers ->> 'svix-signature'
      )
    else standard_webhook_headers.headers
  end;
$$;
comment on function private.standard_webhook_headers(jsonb) is
  'The headers with the names of Standard Webhooks. Svix, which sends for Clerk, Resend and others, signs the same text but calls the headers svix-id, svix-timestamp and svix-signature. If a request has both signatures, only the standard one counts.';

create function private.is_signed_by_standard_webhooks(secret bytea, body bytea, headers jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_prefix text := (is_signed_by_standard_webhooks.headers ->> 'webhook-id') || '.'
    || (is_signed_by_standard_webhooks.headers ->> 'webhook-timestamp') || '.';
  v_signature bytea := extensions.hmac(
    convert_to(v_prefix, 'UTF8') || is_signed_by_standard_webhooks.body, is_signed_by_standard_webhooks.secret, 'sha256'
  );
begin
  -- Refuse an id with a dot. Dots separate the id, the time and the body in the signed text, so an attacker could
  -- divide the same signed text into a longer id and a shorter body.
  if strpos(is_signed_by_standard_webhooks.headers ->> 'webhook-id', '.') > 0 then
    perform private.fail('request_invalid',
      'webhook-id: must not contain a dot, because dots separate the id, the time and the body in the signed text.');
  end if;
  return is_signed_by_standard_webhooks.headers ->> 'webhook-id' <> '' and exists (
    select from string_to_table(is_signed_by_standard_webhooks.headers ->> 'webhook-signature', ' ') as s (signature)
    where private.is_same_text(s.signature, 'v1,' || encode(v_signature, 'base64'))
  );
end;
$$;
comment on function private.is_signed_by_standard_webhooks(bytea, bytea, jsonb) is
  'Whether a signature in webhook-signature is valid for webhook-id, webhook-timestamp and body. 400 request_invalid for an id with a dot. Source: Standard Webhooks specification, "Symmetric".';

create function private.is_signed_by_stripe(secret bytea, body bytea, seconds text, signature text)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_signature bytea := extensions.hmac(
    convert_to(is_signed_by_stripe.seconds || '.', 'UTF8') || is_signed_by_stripe.body, is_signed_by_stripe.secret,
    'sha256'
  );
begin
  return exists (
    select from string_to_table(is_signed_by_stripe.signature, ',') as p (part)
    where private.is_same_text(p.part, 'v1=' || encode(v_signature, 'hex'))
  );
end;
$$;
comment on function private.is_signed_by_stripe(bytea, bytea, text, text) is
  'Whether a v1 signature in Stripe-Signature is valid for its time t, in seconds, and the body. Source: Stripe documentation, "Verify webhook signatures manually".';

create function private.webhook_hmac(hmac jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when jsonb_typeof(webhook_hmac.hmac) = 'object' then
    '{"algorithm": "sha256", "encoding": "hex", "prefix": "", "id_header": null}' || webhook_hmac.hmac
      || jsonb_build_object(
      'header', lower(webhook_hmac.hmac ->> 'header'), 'id_header', lower(webhook_hmac.hmac ->> 'id_header')
    )
  else webhook_hmac.hmac end;
end;
$$;
comment on function private.webhook_hmac(jsonb) is
  'The stored form of `hmac`, which describes how a sender signs. Adds defaults, and changes header names to lower case. Returns any value other than an object unchanged.';

create function private.is_webhook_hmac(hmac jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    jsonb_typeof(is_webhook_hmac.hmac) = 'object'
      and is_webhook_hmac.hmac - '{header,algorithm,encoding,prefix,id_header}'::text[] = '{}'
      and private.is_string_map(jsonb_strip_nulls(is_webhook_hmac.hmac))
      and is_webhook_hmac.hmac ->> 'header' ~ '^[a-z0-9_-]{1,64}$'
      and is_webhook_hmac.hmac ->> 'algorithm' in ('sha256', 'sha1')
      and is_webhook_hmac.hmac ->> 'encoding' in ('hex', 'base64')
      and is_webhook_hmac.hmac ->> 'prefix' ~ '^[ -~]{0,64}$'
      and coalesce(is_webhook_hmac.hmac ->> 'id_header', 'none') ~ '^[a-z0-9_-]{1,64}$',
    false
  );
end;
$$;
comment on function private.is_webhook_hmac(jsonb) is
  'Whether the value describes how a sender signs: {header, algorithm, encoding, prefix, id_header}. Allows sha1, because some senders, such as Vercel, offer nothing else. SHA-1 in an HMAC is not broken.';
grant execute on function private.is_webhook_hmac(jsonb) to authenticated, service_role;

create function private.is_signed_by_hmac(secret bytea, body bytea, headers jsonb, hmac jsonb)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_signature bytea := extensions.hmac(
    is_signed_by_hmac.body, is_signed_by_hmac.secret, is_signed_by_hmac.hmac ->> 'algorithm'
  );
begin
  return private.is_same_text(
    is_signed_by_hmac.headers ->> (is_signed_by_hmac.hmac ->> 'header'),
    concat(is_signed_by_hmac.hmac ->> 'prefix', encode(v_signature, is_signed_by_hmac.hmac ->> 'encoding'))
  );
end;
$$;
comment on function private.is_signed_by_hmac(bytea, bytea, jsonb, jsonb) is
  'Whether the header that `hmac` names contains the body''s signature, in the form that `hmac` describes.';

-- `verification` selects the check. standard_webhooks and stripe: a recent signature. github: a signature. hmac: a
-- signature in the header that the argument `hmac` names. authorization: a fixed Authorization header, as Helius
-- sends it. Header names are in lower case.
create function private.is_webhook_verified(verification text, secret bytea, body text, headers jsonb, hmac jsonb)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_headers jsonb := case is_webhook_verified.verification
    when 'standard_webhooks' then private.standard_webhook_headers(is_webhook_verified.headers)
    else is_webhook_verified.headers
  end;
  v_body bytea := convert_to(is_webhook_verified.body, 'UTF8');
  v_stripe text := v_headers ->> 'stripe-signature';
  v_seconds text := case is_webhook_verified.verification
    when 'standard_webhooks' then v_headers ->> 'webhook-timestamp'
    when 'stripe' then (
      select substr(p.part, 3) from string_to_table(v_stripe, ',') as p (part) where p.part like 't=%' limit 1
    )
  end;
begin
  -- If there is no secret or no header, the comparison is null, and the request is not verified.
  return coalesce(
    case is_webhook_verified.verification
      when 'standard_webhooks' then
        private.is_recent_timestamp(v_seconds)
          and private.is_signed_by_standard_webhooks(is_webhook_verified.secret, v_body, v_headers)
      when 'stripe' then
        private.is_recent_timestamp(v_seconds)
          and private.is_signed_by_stripe(is_webhook_verified.secret, v_body, v_seconds, v_stripe)
      -- Source: GitHub documentation, "Validating webhook deliveries".
      when 'github' then private.is_signed_by_hmac(
        is_webhook_verified.secret, v_body, v_headers,
        '{"header": "x-hub-signature-256", "algorithm": "sha256", "encoding": "hex", "prefix": "sha256="}'
      )
      when 'hmac'
        then private.is_signed_by_hmac(is_webhook_verified.secret, v_body, v_headers, is_webhook_verified.hmac)
      when 'authorization' then sha256(convert_to(v_headers ->> 'authorization', 'UTF8')) = is_webhook_verified.secret
    end,
    false
  );
end;
$$;
comment on function private.is_webhook_verified(text, bytea, text, jsonb, jsonb) is
  'Whether a request carries the signature or the Authorization header that its webhook requires.';

-- sql/750_webhooks/20_flow_webhooks.sql

create function private.are_forwardable_headers(names text[])
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return coalesce(
    cardinality(are_forwardable_headers.names) <= private.limit_forwarded_headers()
      -- These headers become part of an input. Inputs are stored and shown, so the headers must not contain
      -- credentials.
      and not are_forwardable_headers.names && '{authorization,proxy-authorization,cookie,apikey,x-api-key}'
      and not exists (
        select from unnest(are_forwardable_headers.names) as n (name) where (n.name ~ '^[a-z0-9_-]{1,64}$') is not true
      )
      and cardinality(are_forwardable_headers.names) = (
        select count(distinct n.name) from unnest(are_forwardable_headers.names) as n (name)
      ),
    false
  );
end;
$$;
comment on function private.are_forwardable_headers(text[]) is
  'Whether the list has at most limit_forwarded_headers() header names, all different and in lower case, and no header that carries a credential.';
grant execute on function private.are_forwardable_headers(text[]) to authenticated, service_role;

create table public.flow_webhooks (
  id uuid primary key default private.uuid_v7(),
  user_id uuid not null references auth.users (id) on delete cascade,
  prefix text not null,
  flow integer,
  tag text,
  deployment_id uuid references public.flow_deployments (id) on delete cascade,
  input text not null,
  headers text[] not null default '{}',
  verification text,
  hmac jsonb,
  is_active boolean not null default true,
  last_start_at timestamptz,
  last_flow_run_id uuid,
  last_error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint flow_webhooks_flow_fkey foreign key (flow, user_id) references public.flows (id, user_id)
    on delete cascade,
  constraint flow_webhooks_target check (
    num_nonnulls(flow, deployment_id) = 1 and (flow is null) = (tag is null)
    or private.refuse_column('flow', 'give either flow, with an optional tag, or deployment_id')
  ),
  constraint flow_webhooks_tag_form check (private.check_tag(tag)),
  constraint flow_webhooks_prefix_form check (prefix ~ '^fh_[A-Za-z0-9_-]{7}$'),
  constraint flow_webhooks_input_length check (
    char_length(input) <= private.limit_port_name_characters() or private.refuse_column('input', format(
      'must be the name of an input, at most %s characters', private.limit_port_name_characters()
    ))
  ),
  constraint flow_webhooks_headers_valid check (
    private.are_forwardable_headers(headers)
    or private.refuse_column('headers', format(
      'must be at most %s different header names of letters, digits, _ and -, and no header with credentials',
      private.limit_forwarded_headers()
    ))
  ),
  constraint flow_webhooks_verification_known check (
    verification is null or verification in ('standard_webhooks', 'github', 'stripe', 'hmac', 'authorization')
    or private.refuse_column('verification', 'must be standard_webhooks, github, stripe, hmac, authorization or null')
  ),
  constraint flow_webhooks_hmac_valid check (
    case when verification is not distinct from 'hmac' then private.is_webhook_hmac(hmac) else hmac is null end
    or private.refuse_column(
      'hmac', 'must be {header, algorithm: sha256 or sha1, encoding: hex or base64, '
      'prefix, id_header} if verification is hmac, otherwise null'
    )
  ),
  constraint flow_webhooks_last_error_length check (char_length(last_error) <= 2200)
-- Each request may update the columns last_*, which no index contains. The fillfactor leaves room in each page for the
-- updated row, so that the update changes no index.
) with (fillfactor = 70);
comment on table public.flow_webhooks is
  'Incoming webhooks: URLs by which others start deployments as the webhook''s owner. create_webhook makes a webhook and shows its token once. A webhook is deleted with its user, and with the flow or deployment that it starts.';
comment on column public.flow_webhooks.prefix is
  'The first characters of the token in the URL, by which the owner recognises the webhook.';
comment on column public.flow_webhooks.flow is 'The flow whose deployment is started; tag selects the deployment.';
comment on column public.flow_webhooks.tag is
  'The tag that selects one of the flow''s deployments, looked up at each request; latest by default.';
comment on column public.flow_webhooks.deployment_id is 'The deployment that is started, if flow and tag are null.';
comment on column public.flow_webhooks.input is
  'The flow''s input that gets each request as JSON, converted to the input''s types. The JSON is the body, or {body, headers} if the column headers names any.';
comment on column public.flow_webhooks.headers is
  'The lower-case names of the request headers that the input also gets.';
comment on column public.flow_webhooks.verification is
  'The proof that requests must carry. standard_webhooks, github, stripe, hmac: a signature of the body. authorization: a header with a fixed value. Null: no proof except the URL. set_webhook_verification sets this column.';
comment on column public.flow_webhooks.hmac is
  'If verification is hmac, how the sender signs: {header, algorithm (sha256, sha1), encoding (hex, base64), prefix of the signature, id_header}; otherwise null. id_header names the header with the id of a delivery, or is null.';
comment on column public.flow_webhooks.is_active is
  'If false, requests to the URL get the same 404 as for an unknown webhook.';
comment on column public.flow_webhooks.last_start_at is
  'The time at which the webhook last started a run. Only the system writes this column.';
comment on column public.flow_webhooks.last_flow_run_id is
  'The run that the webhook started last. There is no foreign key, so that the id stays when the run is deleted. Only the system writes this column.';
comment on column public.flow_webhooks.last_error is
  'The error of the last request, "<code>: <message>"; null if that request started a run. Only the system writes this column.';

create index flow_webhooks_user_id_idx on public.flow_webhooks (user_id);
create index flow_webhooks_flow_idx on public.flow_webhooks (flow, user_id) where flow is not null;
create index flow_webhooks_deployment_id_idx on public.flow_webhooks (deployment_id) where deployment_id is not null;

alter table public.flow_webhooks enable row level security;
create policy flow_webhooks_select_owner on public.flow_webhooks for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_webhooks_update_owner on public.flow_webhooks for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_webhooks_delete_owner on public.flow_webhooks for delete to authenticated
  using (user_id = (select auth.uid()));

-- There is no grant to insert: create_webhook makes the rows.
grant select, update, delete on public.flow_webhooks to authenticated;
grant select, update, delete on public.flow_webhooks to service_role;

create function private.tg_flow_webhooks__before_update_read_only()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (
    new.id, new.user_id, new.prefix, new.verification, new.hmac, new.created_at, new.last_start_at,
    new.last_flow_run_id, new.last_error
  )
    is distinct from (
      old.id, old.user_id, old.prefix, old.verification, old.hmac, old.created_at, old.last_start_at,
      old.last_flow_run_id, old.last_error
    )
  then
    perform private.fail('column_read_only',
      'id, user_id, prefix, verification, hmac, created_at, last_start_at, '
      'last_flow_run_id and last_error of a webhook can''t be changed.',
      hint => 'Leave them out. rpc(''set_webhook_verification'') changes verification and hmac.');
  end if;
  new.updated_at := now();
  return new;
end;
$$;
comment on function private.tg_flow_webhooks__before_update_read_only() is
  'Refuses writes of clients to columns that only the system writes. The trigger does not apply to the system''s functions, which write as the owner of the schema.';
create trigger _100_refuse_read_only before update on public.flow_webhooks
  for each row when (current_user in ('authenticated', 'service_role'))
  execute function private.tg_flow_webhooks__before_update_read_only();

create function private.tg_flow_webhooks__before_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if new.flow is not null then
    new.tag := coalesce(new.tag, 'latest');
  end if;
  if new.input is null or new.headers is null or new.is_active is null then
    perform private.refuse_column(
      case when new.input is null then 'input' when new.headers is null then 'headers' else 'is_active' end,
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
$$;
comment on function private.tg_flow_webhooks__before_write() is
  'Sets defaults, and refuses a webhook that has no input, or that names another user''s flow or deployment: 400 column_invalid; 404 flow_not_found, deployment_not_found. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _200_check before insert or update of user_id, flow, tag, deployment_id, input, headers, hmac,
  is_active on public.flow_webhooks
  for each row execute function private.tg_flow_webhooks__before_write();

create function private.tg_flow_webhooks__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (new.flow, new.tag, new.deployment_id, new.input) is distinct from (old.flow, old.tag, old.deployment_id,
    old.input) then
    perform private.check_input_names(
      jsonb_build_object(new.input, null), (private.own_deployment(new.flow, new.tag, new.deployment_id)).input_names
    );
  end if;
  return null;
end;
$$;
comment on function private.tg_flow_webhooks__after_write() is
  'Refuses a webhook that could not start a run now, because no deployment has its tag or the deployment lacks its input: 404 deployment_not_found, 400 inputs_invalid. Later failures appear in last_error. Definer, so that it finds the deployment whichever role writes the row.';
create trigger _300_check_start after insert or update of flow, tag, deployment_id, input on public.flow_webhooks
  for each row execute function private.tg_flow_webhooks__after_write();

create trigger _800_check_quota after insert on public.flow_webhooks
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('webhooks');

-- sql/750_webhooks/30_create_webhook.sql

create table private.flow_webhook_secrets (
  webhook_id uuid primary key references public.flow_webhooks (id) on delete cascade,
  token_hash bytea not null,
  verification_secret bytea,
  constraint flow_webhook_secrets_token_hash_key unique (token_hash),
  constraint flow_webhook_secrets_token_hash_length check (octet_length(token_hash) = 32),
  constraint flow_webhook_secrets_verification_secret_length check (octet_length(verification_secret) <= 4000)
);
comment on table private.flow_webhook_secrets is
  'The digest of each webhook''s token, and the secret that verifies its requests.';
comment on column private.flow_webhook_secrets.token_hash is
  'SHA-256 of the token in the webhook''s URL. A token has 256 random bits, so its hash can''t be reversed by trying tokens.';
comment on column private.flow_webhook_secrets.verification_secret is
  'The key of the signatures, or the digest of the Authorization header. If the secret is null but verification is set, the webhook refuses all requests.';

create function private.project_url()
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_host text := coalesce(private.request_header('x-forwarded-host'), private.request_header('host'));
  v_scheme text := coalesce(
    private.request_header('x-forwarded-proto'),
    case when v_host ~ '^(127\.0\.0\.1|localhost)(:|$)' then 'http' else 'https' end
  );
begin
  return coalesce(
    rtrim(private.vault_secret('project_url'), '/'),
    case when v_host ~ '^[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?$'
      and v_scheme in ('http', 'https') then v_scheme || '://' || v_host end
  );
end;
$$;
comment on function private.project_url() is
  'The address of this project: project_url in Vault, or else the address to which the request was sent. Null if neither is known.';

create function private.webhook_for_owner(webhook public.flow_webhooks)
returns jsonb
language sql stable security invoker
begin atomic
  select to_jsonb(webhook_for_owner.webhook) - 'user_id';
end;
comment on function private.webhook_for_owner(public.flow_webhooks) is
  'A webhook as JSON for its owner: all columns except user_id.';

create function private.create_webhook(
  input text, flow integer, tag text, deployment_id uuid, headers text[], verification text, secret text, hmac jsonb
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_token text;
  v_webhook public.flow_webhooks;
begin
  v_token := private.new_token('fh_');
  insert into public.flow_webhooks as w (user_id, prefix, flow, tag, deployment_id, input, headers, verification, hmac)
  values (
    v_user_id, substr(v_token, 1, 10), create_webhook.flow, create_webhook.tag, create_webhook.deployment_id,
    create_webhook.input, coalesce(create_webhook.headers, '{}'), create_webhook.verification, create_webhook.hmac
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
$$;
comment on function private.create_webhook(text, integer, text, uuid, text[], text, text, jsonb) is
  'Implements public.create_webhook. Definer, because no API role may insert webhooks.';
grant execute on function private.create_webhook(text, integer, text, uuid, text[], text, text, jsonb)
  to anon, authenticated, service_role;

-- Makes an incoming webhook. Returns its row with `url`, which is shown only this once. A POST to the URL starts a
-- deployment in the name of its owner. flow and tag (default latest), or deployment_id, select the deployment. The
-- input named by `input` gets the JSON of the request. `headers` names request headers that this input also gets. If
-- verification is standard_webhooks, github, stripe or hmac, each request must be signed with the secret. If
-- verification is authorization, the Authorization header must equal the secret. `hmac`, {header, algorithm, encoding,
-- prefix, id_header}, describes how the sender signs; the default is sha256 in hex. If verification is set without a
-- secret, all requests are refused until set_webhook_verification sets a secret.
create function public.create_webhook(
  input text, flow integer default null, tag text default null, deployment_id uuid default null,
  headers text[] default '{}',
  verification text default null, secret text default null, hmac jsonb default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_webhook(input, flow, tag, deployment_id, headers, verification, secret, hmac);
$$;
comment on function public.create_webhook(text, integer, text, uuid, text[], text, text, jsonb) is
  'Makes an incoming webhook of the calling user. Returns its row with url, shown only this once. POST to the URL starts the deployment as its owner. 400 column_invalid, inputs_invalid, request_invalid; 401; 404 flow_not_found, deployment_not_found; 409 quota_exceeded.';
grant execute on function public.create_webhook(text, integer, text, uuid, text[], text, text, jsonb)
  to anon, authenticated, service_role;

create function private.set_webhook_verification(webhook_id uuid, verification text, secret text, hmac jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_webhook public.flow_webhooks;
begin
  update public.flow_webhooks as w
  set verification = set_webhook_verification.verification, hmac = set_webhook_verification.hmac, updated_at = now()
  where w.id = set_webhook_verification.webhook_id and w.user_id = v_user_id
  returning w.* into v_webhook;
  if not found then
    perform private.refuse_webhook();
  end if;
  update private.flow_webhook_secrets as s
  set verification_secret = private.webhook_secret_bytes(
    set_webhook_verification.verification, set_webhook_verification.secret
  )
  where s.webhook_id = set_webhook_verification.webhook_id;
  return private.webhook_for_owner(v_webhook);
end;
$$;
comment on function private.set_webhook_verification(uuid, text, text, jsonb) is
  'Implements public.set_webhook_verification. Definer, because no API role may access the secrets.';
grant execute on function private.set_webhook_verification(uuid, text, text, jsonb)
  to anon, authenticated, service_role;

create function public.set_webhook_verification(
  webhook_id uuid, verification text default null, secret text default null, hmac jsonb default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.set_webhook_verification(webhook_id, verification, secret, hmac);
$$;
comment on function public.set_webhook_verification(uuid, text, text, jsonb) is
  'Sets how requests to a webhook of the calling user prove their sender. secret and hmac work as in create_webhook. If verification is null, no proof is needed. Returns the webhook''s row. 400 column_invalid, request_invalid; 401; 404 webhook_not_found.';
grant execute on function public.set_webhook_verification(uuid, text, text, jsonb) to anon, authenticated, service_role;

-- sql/750_webhooks/40_receive_webhook.sql

create function private.refuse_webhook()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('webhook_not_found', 'There is no such webhook.');
end;
$$;
comment on function private.refuse_webhook() is
  'Raises the same 404 webhook_not_found for a webhook that does not exist, was deleted, is not active or belongs to another user.';

create view private.reachable_webhooks with (security_invoker = true) as
select s.token_hash, w.id, w.user_id
from private.flow_webhook_secrets as s
join public.flow_webhooks as w on w.id = s.webhook_id and w.is_active
join auth.users as u on u.id = w.user_id and u.deleted_at is null and u.banned_until > now() is not true;
comment on view private.reachable_webhooks is
  'The webhooks that accept requests: they are active, and their user is neither deleted nor banned.';
comment on column private.reachable_webhooks.token_hash is 'SHA-256 of the token in the URL.';
comment on column private.reachable_webhooks.id is 'The id in public.flow_webhooks.';
comment on column private.reachable_webhooks.user_id is 'The owner.';

create function private.webhook_of_token(token text)
returns public.flow_webhooks
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_webhook public.flow_webhooks;
begin
  select w.* into v_webhook
  from private.reachable_webhooks as r
  join public.flow_webhooks as w on w.id = r.id
  where r.token_hash = sha256(convert_to(webhook_of_token.token, 'UTF8'));
  if not found then
    perform private.refuse_webhook();
  end if;
  return v_webhook;
end;
$$;
comment on function private.webhook_of_token(text) is
  'The reachable webhook with this token; 404 webhook_not_found. Definer, because no API role may access the hashes.';

create function private.webhook_owners(tokens text[])
returns uuid[]
language sql stable security definer
set search_path = ''
set enable_seqscan = off
as $$
  -- With `offset 0`, each token is one search of the index. Without it, Postgres 18 could make a plan for empty tables
  -- that joins all webhooks, and reuse this plan when the tables are full.
  select array_agg(r.user_id order by t.place)
  from unnest(webhook_owners.tokens) with ordinality as t (token, place)
  left join lateral (
    select w.user_id from private.reachable_webhooks as w
    where w.token_hash = sha256(convert_to(t.token, 'UTF8')) offset 0
  ) as r on true;
$$;
comment on function private.webhook_owners(text[]) is
  'Implements public.webhook_owners. Definer, because no API role may access the hashes.';
grant execute on function private.webhook_owners(text[]) to service_role;

create function public.webhook_owners(tokens text[])
returns uuid[]
language sql stable security invoker
begin atomic
  select private.webhook_owners(tokens);
end;
comment on function public.webhook_owners(text[]) is
  'For the Edge Function `deployment`, which lets requests of different owners take turns. Returns the owners of the webhooks with these tokens, in the order of the tokens. Null for a token that receive_webhook answers with 404.';
grant execute on function public.webhook_owners(text[]) to service_role;

create function private.form_text(encoded text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_text text := translate(form_text.encoded, '+', ' ');
begin
  if strpos(v_text, '%') = 0 then
    return v_text;
  end if;
  return convert_from((
    select string_agg(
      case
        when p.place = 1 then convert_to(p.piece, 'UTF8')
        when p.piece ~ '^[0-9A-Fa-f]{2}' then decode(left(p.piece, 2), 'hex') || convert_to(substr(p.piece, 3), 'UTF8')
        else convert_to('%' || p.piece, 'UTF8')
      end,
      '' order by p.place
    )
    from string_to_table(v_text, '%') with ordinality as p (piece, place)
  ), 'UTF8');
end;
$$;
comment on function private.form_text(text) is
  'A decoded name or value of a form: + becomes a space, and %XX becomes a byte of UTF-8. Any other % stays unchanged. Source: WHATWG URL standard, "application/x-www-form-urlencoded parsing".';

create function private.webhook_form(body text)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form jsonb;
  v_fields bigint;
begin
  if length(webhook_form.body) - length(replace(webhook_form.body, '&', '')) >= private.limit_form_fields() then
    perform private.fail('request_invalid', format('The form has more than %s fields.', private.limit_form_fields()));
  end if;
  select coalesce(jsonb_object_agg(n.name, private.form_text(substr(f.field, strpos(f.field || '=', '=') + 1))), '{}'),
    count(*)
  into v_form, v_fields
  from string_to_table(webhook_form.body, '&') as f (field)
  cross join private.form_text(split_part(f.field, '=', 1)) as n (name)
  where f.field <> '';
  if v_fields > (select count(*) from jsonb_object_keys(v_form)) then
    perform private.fail('request_invalid', 'The form has two fields with the same name.');
  end if;
  return v_form;
exception when character_not_in_repertoire then
  perform private.fail('request_invalid', case
    when strpos(webhook_form.body, '%00') > 0 then 'The form holds NUL (%00), which can''t be stored.'
    else 'The form is not UTF-8.'
  end);
end;
$$;
comment on function private.webhook_form(text) is
  'The fields of a form as an object of strings; {} for an empty form. 400 request_invalid if two fields have the same name, if there are more than 1000 fields, or if a text is not UTF-8.';

create function private.webhook_media_type(verification text, body text, content_type text)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_type text := lower(
    btrim(split_part(coalesce(webhook_media_type.content_type, 'application/json'), ';', 1), E' \t')
  );
  v_form constant text := 'application/x-www-form-urlencoded';
  v_taken boolean := case
    when webhook_media_type.verification is null or webhook_media_type.verification = 'authorization' then true
    when v_type ~ '^application/([a-z0-9_!#$&^.-]+[+])?json$' then true
    when v_type <> v_form then false
    when webhook_media_type.verification = 'github' then starts_with(webhook_media_type.body, 'payload=')
    when webhook_media_type.verification = 'hmac' then webhook_media_type.body is not json
    else false
  end;
begin
  if not v_taken then
    perform private.fail('media_type_unsupported', case
      when webhook_media_type.verification = 'github'
        then 'The signed body must be application/json, or a form whose first field is payload.'
      when webhook_media_type.verification = 'hmac'
        then 'The signed body must be application/json, or a form whose text is not JSON.'
      else 'The signed body must be application/json.'
    end, hint => 'Configure the sender to send JSON.');
  end if;
  return case when v_type = v_form then 'form' else 'json' end;
end;
$$;
comment on function private.webhook_media_type(text, text, text) is
  'Returns form or json: how to read a body. Signatures do not cover the content type, so an attacker could change it. Therefore a signed body is accepted only as a form or only as JSON. 415 media_type_unsupported for types that senders of the scheme do not use.';

create function private.json_fault(body text)
returns text
language sql stable security invoker
set search_path = ''
as $$
  select case
    when json_fault.body is not json then 'The body must be JSON.'
    when e.sql_error_code = '22P05' then 'A text in the body holds NUL (\u0000), which can''t be stored.'
    when e.sql_error_code = '22003' then 'A number in the body has more digits than can be stored.'
    when e.sql_error_code is not null
      then 'A text in the body holds half a surrogate pair, such as \ud83d alone, which can''t be stored.'
    when json_fault.body is not json with unique keys then 'An object in the body has two members of the same name.'
  end
  from pg_catalog.pg_input_error_info(json_fault.body, 'jsonb') as e;
$$;
comment on function private.json_fault(text) is
  'The reason why a text can''t be stored as JSON, as a sentence; null if it can. JSON allows escapes that Postgres refuses: NUL, and halves of surrogate pairs.';

create function private.webhook_body(verification text, body text, headers jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_type text;
  v_fault text;
begin
  if octet_length(webhook_body.body) > private.limit_body_bytes() then
    perform private.fail('body_too_large', format('The body is larger than %s bytes.', private.limit_body_bytes()));
  end if;
  if starts_with(webhook_body.body, U&'\FEFF') then
    perform private.fail('request_invalid', 'The body must not begin with a byte-order mark.');
  end if;
  v_type := private.webhook_media_type(
    webhook_body.verification, webhook_body.body, webhook_body.headers ->> 'content-type'
  );
  if v_type = 'form' then
    return private.webhook_form(webhook_body.body);
  end if;
  v_fault := private.json_fault(webhook_body.body);
  if v_fault is not null then
    perform private.fail('request_invalid', v_fault);
  end if;
  return webhook_body.body::jsonb;
exception when statement_too_complex then
  perform private.fail('request_invalid', 'The body is nested too deeply.');
end;
$$;
comment on function private.webhook_body(text, text, jsonb) is
  'The content of a request to a webhook: a form if its content type says so, otherwise JSON. 400 request_invalid, 413 body_too_large, 415 media_type_unsupported.';

create function private.webhook_delivery_id(webhook public.flow_webhooks, body jsonb, headers jsonb)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select nullif(case
    when webhook_delivery_id.webhook.verification = 'standard_webhooks'
      then private.standard_webhook_headers(webhook_delivery_id.headers) ->> 'webhook-id'
    when webhook_delivery_id.webhook.verification = 'github' then webhook_delivery_id.headers ->> 'x-github-delivery'
    -- Use the id of the event, which is in the signed body. Use it only if it is a string, because a short number such
    -- as 1e100000 would become a text of a hundred thousand digits.
    when webhook_delivery_id.webhook.verification = 'stripe' then
      case when jsonb_typeof(webhook_delivery_id.body -> 'id') = 'string' then webhook_delivery_id.body ->> 'id' end
    else coalesce(
      nullif(webhook_delivery_id.headers ->> (webhook_delivery_id.webhook.hmac ->> 'id_header'), ''),
      nullif(webhook_delivery_id.headers ->> 'webhook-id', ''),
      nullif(webhook_delivery_id.headers ->> 'svix-id', ''),
      nullif(webhook_delivery_id.headers ->> 'idempotency-key', ''),
      webhook_delivery_id.headers ->> 'x-github-delivery'
    )
  end, '');
$$;
comment on function private.webhook_delivery_id(public.flow_webhooks, jsonb, jsonb) is
  'The id by which repetitions of a request are recognised; null if the request has none. If the sender''s scheme has an id, only this id counts, so that an added header can''t give a delivery a second id.';

create function private.chain_depth(headers jsonb)
returns integer
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- AWS Lambda has the same limit.
  v_most constant integer := private.limit_chain_depth();
  v_depth integer;
  v_header constant text := chain_depth.headers ->> 'flow-chain-depth';
  v_separators constant text := translate(v_header, '0123456789', '');
begin
  -- If a header is repeated, proxies join its values into one text. So treat every character other than a digit as a
  -- separator of numbers.
  select coalesce(max(case when length(n.digits) > 6 then 999999 else n.digits::integer end), 0) into v_depth
  from string_to_table(translate(v_header, v_separators, repeat(' ', length(v_separators))), ' ') as s (part)
  cross join lateral (select '0' || ltrim(s.part, '0')) as n (digits);
  if v_depth > v_most then
    perform private.fail('webhook_loop',
      format('%s runs have started one another by webhooks: it seems to be a loop.', v_depth),
      hint => 'Remove the loop: on_end of a deployment must not lead to a webhook that starts this deployment again.');
  end if;
  return v_depth;
end;
$$;
comment on function private.chain_depth(jsonb) is
  'The length of the chain of runs whose outgoing webhooks led to a request: the greatest number in Flow-Chain-Depth, or 0 without the header. 409 webhook_loop beyond the limit. If a sender forges a lower number, the limits of starts still apply.';

create function private.start_webhook(webhook public.flow_webhooks, body text, headers jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_deployment public.flow_deployments;
  v_body jsonb;
  v_value jsonb;
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

  v_value := v_body;
  if cardinality(start_webhook.webhook.headers) > 0 then
    v_value := jsonb_build_object('body', v_body, 'headers', (
      select coalesce(jsonb_object_agg(h.name, h.value), '{}') from jsonb_each(start_webhook.headers) as h (name, value)
      where h.name = any (start_webhook.webhook.headers)
    ));
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, '{}', jsonb_build_object(start_webhook.webhook.input, v_value), null,
    private.webhook_delivery_id(start_webhook.webhook, v_body, start_webhook.headers),
    -- Pass an empty request, so that enqueue_run compares only the ids. If it got the real requests, it would refuse a
    -- second one that has the same id but another content. But two attempts of one delivery may differ: Stripe changes
    -- a member of an event at each attempt.
    '{}'
  ) ->> 'flow_run_id';
end;
$$;
comment on function private.start_webhook(public.flow_webhooks, text, jsonb) is
  'If the request is verified, starts the deployment of a webhook as its owner, and returns the run. If an earlier request within 24 hours had the same id, returns the run of that request. Definer, because no API role may insert runs.';

create function private.note_webhook(webhook_id uuid, flow_run_id uuid, error text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- This update does not wait for a lock, and does not write values that are already stored. For a repeated request,
  -- flow_run_id may be an older run than last_flow_run_id. Its id is then smaller, and last_flow_run_id stays.
  update public.flow_webhooks as w
  set
    last_start_at = case when w.last_flow_run_id >= note_webhook.flow_run_id or note_webhook.flow_run_id is null
      then w.last_start_at else clock_timestamp() end,
    last_flow_run_id = greatest(w.last_flow_run_id, note_webhook.flow_run_id),
    last_error = note_webhook.error
  where w.id = (
    select free.id from public.flow_webhooks as free
      where free.id = note_webhook.webhook_id for no key update skip locked
  )
    and (
      w.last_error is distinct from note_webhook.error
      or greatest(w.last_flow_run_id, note_webhook.flow_run_id) is distinct from w.last_flow_run_id
    );
end;
$$;
comment on function private.note_webhook(uuid, uuid, text) is
  'Stores the result of a request in the row of its webhook, unless another transaction has locked the row. Definer, because the owner may not write these columns.';

create function private.receive_webhook(token text, body text, headers jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
  begin
    v_run_id := private.start_webhook(v_webhook, receive_webhook.body, receive_webhook.headers);
  exception when sqlstate 'PGRST' then
    get stacked diagnostics v_error := message_text, v_answer := pg_exception_detail;
  end;
  perform private.note_webhook(v_webhook.id, v_run_id, (v_error ->> 'code') || ': ' || (v_error ->> 'message'));
  if v_error is null then
    return jsonb_build_object('flow_run_id', v_run_id);
  end if;
  -- Return the error as the response. If it were raised, Postgres would roll back the result that note_webhook stored.
  perform set_config('response.status', v_answer::jsonb ->> 'status', true);
  perform set_config('response.headers', jsonb_agg(jsonb_build_object(h.name, h.value))::text, true)
  from jsonb_each(v_answer::jsonb -> 'headers') as h (name, value) having count(*) > 0;
  return v_error;
end;
$$;
comment on function private.receive_webhook(text, text, jsonb) is
  'Implements public.receive_webhook. Definer, because it reads webhooks of other users.';
grant execute on function private.receive_webhook(text, text, jsonb) to anon;

-- `body` is the unchanged body of the request. `headers` has its headers, with lower-case names. The body is a form if
-- the content type says so, otherwise JSON. If several requests within 24 hours have the same id, only the first starts
-- a run. 400 request_invalid, inputs_invalid, idempotency_key_invalid; 401 webhook_signature_invalid; 404
-- webhook_not_found, deployment_not_found; 409 webhook_loop; 413 body_too_large, inputs_too_large; 415
-- media_type_unsupported; 429 queue_full, start_limit_reached.
create function public.receive_webhook(token text, body text, headers jsonb default '{}')
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.receive_webhook(token, body, headers);
$$;
comment on function public.receive_webhook(text, text, jsonb) is
  'For POST /deployment/hook/{token}: verifies a request to a webhook, starts its deployment and returns {flow_run_id}. 400; 401 webhook_signature_invalid; 404 webhook_not_found, deployment_not_found; 409 webhook_loop; 413; 415; 429.';
grant execute on function public.receive_webhook(text, text, jsonb) to anon;

-- sql/800_webhook_deliveries/10_on_end_secrets.sql

create table private.on_end_secrets (
  flow_id integer primary key references public.flows (id) on delete cascade,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  previous_until timestamptz,
  constraint on_end_secrets_secret_length check (octet_length(secret) = 32),
  constraint on_end_secrets_previous_complete check ((previous_secret is null) = (previous_until is null))
);
comment on table private.on_end_secrets is
  'The secrets that sign outgoing webhooks. All deployments of a flow share one secret, so a deploy does not change it. A secret leaves the database only once, when it is made.';
comment on column private.on_end_secrets.previous_secret is
  'The secret before the last rotation. Messages are also signed with it until previous_until.';

create table private.webhook_turns (
  user_id uuid primary key references auth.users (id) on delete cascade,
  is_started_by_owner boolean not null default false,
  turn_id uuid not null default '00000000-0000-0000-0000-000000000000'
);
comment on table private.webhook_turns is
  'The owners who have had outgoing webhooks. Each row has the turn of the owner''s last claimed delivery. The next claim continues after that turn, so that the owner''s deployments take turns.';
comment on column private.webhook_turns.turn_id is
  'The deployment of the delivery, or one constant for all runs without a deployment, as in webhook_deliveries.';
comment on column private.webhook_turns.is_started_by_owner is
  'True if the owner had started the run of the last claimed delivery. A deployment has one turn for runs that the owner started, and another turn for runs that others started.';

create function private.prepare_webhooks(user_id uuid, flow_id integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.on_end_secrets (flow_id) values (prepare_webhooks.flow_id) on conflict do nothing;
  insert into private.webhook_turns (user_id) values (prepare_webhooks.user_id) on conflict do nothing;
end;
$$;
comment on function private.prepare_webhooks(uuid, integer) is
  'Makes the secret that signs a flow''s outgoing webhooks, and the owner''s row in webhook_turns, if they do not exist. Definer, because no API role may access these tables.';

create function private.tg_flow_deployments__after_on_end()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.prepare_webhooks(new.user_id, new.entrypoint);
  return null;
end;
$$;
comment on function private.tg_flow_deployments__after_on_end() is
  'Prepares the outgoing webhooks of a deployment that gets on_end. Definer, for the same reason as private.prepare_webhooks.';
create trigger _500_make_on_end_secret after insert or update of on_end on public.flow_deployments
  for each row when (new.on_end is not null) execute function private.tg_flow_deployments__after_on_end();

create function private.rotate_on_end_secret(flow_id integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_secret bytea;
begin
  perform from public.flows as f where f.id = rotate_on_end_secret.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  insert into private.on_end_secrets as s (flow_id) values (rotate_on_end_secret.flow_id)
  on conflict on constraint on_end_secrets_pkey do update
  set secret = excluded.secret, previous_secret = s.secret, previous_until = clock_timestamp() + interval '24 hours'
  returning s.secret into v_secret;
  return jsonb_build_object('secret', 'whsec_' || encode(v_secret, 'base64'));
end;
$$;
comment on function private.rotate_on_end_secret(integer) is
  'Implements public.rotate_on_end_secret. Definer, because no API role may access the secrets.';
grant execute on function private.rotate_on_end_secret(integer) to anon, authenticated, service_role;

create function public.rotate_on_end_secret(flow_id integer)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.rotate_on_end_secret(flow_id);
end;
comment on function public.rotate_on_end_secret(integer) is
  'Makes a new secret for the outgoing webhooks of the caller''s flow: {secret}, whsec_ followed by base64 of 32 bytes. Only this answer shows the secret. For 24 hours, messages are also signed with the previous secret. 401; 404 flow_not_found, also for another user''s flow.';
grant execute on function public.rotate_on_end_secret(integer) to anon, authenticated, service_role;

create function private.webhook_signature(content text, flow_id integer)
returns text
language sql stable security definer
set search_path = ''
begin atomic
  select concat_ws(' ',
    'v1,' || encode(extensions.hmac(convert_to(webhook_signature.content, 'UTF8'), s.secret, 'sha256'), 'base64'),
    case when s.previous_until > clock_timestamp() then
      'v1,' || encode(
        extensions.hmac(convert_to(webhook_signature.content, 'UTF8'), s.previous_secret, 'sha256'), 'base64'
      )
    end
  )
  from private.on_end_secrets as s where s.flow_id = webhook_signature.flow_id;
end;
comment on function private.webhook_signature(text, integer) is
  'The header webhook-signature for the signed text <webhook-id>.<webhook-timestamp>.<body>: v1,<base64 of HMAC-SHA256> for each valid secret. Source: Standard Webhooks 1.0.0. Definer, because no API role may access the secrets.';

-- sql/800_webhook_deliveries/20_webhook_deliveries.sql

-- This table is an outbox. The transaction that ends a run, or asks for signatures or for an input, also inserts the
-- message as a row. Later, the row records how the message was delivered.
create table public.webhook_deliveries (
  id uuid primary key default private.uuid_v7(),
  created_at timestamptz not null generated always as (private.uuid_v7_time(id)) stored,
  user_id uuid not null,
  flow_run_id uuid not null references public.flow_run (id) on delete cascade,
  deployment_id uuid,
  turn_id uuid not null generated always as
    (coalesce(deployment_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff')) stored,
  is_started_by_owner boolean not null default true,
  event text not null,
  url text not null,
  headers jsonb not null default '{}',
  payload jsonb not null,
  status text not null default 'pending',
  attempts integer not null default 0,
  max_attempts integer not null default 8,
  next_attempt_at timestamptz default clock_timestamp(),
  is_held boolean not null default false,
  last_attempt_at timestamptz,
  last_http_status integer,
  last_response text,
  last_error text,
  constraint webhook_deliveries_event_known check (
    event in ('succeeded', 'failed', 'stopped', 'signature_request', 'api_input')
  ),
  constraint webhook_deliveries_status_known check (status in ('pending', 'delivered', 'failed')),
  constraint webhook_deliveries_next_attempt_at_while_pending check ((next_attempt_at is not null) = (status = 'pending')),
  constraint webhook_deliveries_held_while_pending check (status = 'pending' or not is_held),
  constraint webhook_deliveries_last_response_length check (char_length(last_response) <= 1000),
  constraint webhook_deliveries_last_error_length check (char_length(last_error) <= 1000)
);
comment on table public.webhook_deliveries is
  'Outgoing webhooks: messages about runs, and the state of their delivery. The setting on_end of a deployment, or a node api_input, requests a message. Only functions write rows; the owner reads them. A row is deleted with its run.';
comment on column public.webhook_deliveries.id is 'The webhook-id of the message, the same in each attempt.';
comment on column public.webhook_deliveries.user_id is
  'The owner of the flow, copied from flow_run so that the policy needs no join. No foreign key is needed, because the row is deleted with its run, the run with its flow, and the flow with its owner.';
comment on column public.webhook_deliveries.deployment_id is
  'The deployment of the run; null if start_flow started the run without a deployment. There is no foreign key, so that the id stays when the deployment is deleted.';
comment on column public.webhook_deliveries.turn_id is
  'The deployment, or one constant for all runs without a deployment. An owner''s deliveries with different turn_ids take turns. Deliveries with the same turn_id share a part of the owner''s quota.';
comment on column public.webhook_deliveries.is_started_by_owner is
  'True if the flow''s owner started the run, by hand or by a schedule. Messages about other runs may use only a part of the owner''s concurrent posts and of the quota.';
comment on column public.webhook_deliveries.event is
  'succeeded, failed or stopped: the end of the run. signature_request: the run asks for signatures. api_input: the run waits for a value.';
comment on column public.webhook_deliveries.headers is
  'Headers that the flow adds to those of Standard Webhooks: webhook_headers of a node api_input, with lower-case names.';
comment on column public.webhook_deliveries.payload is 'The posted JSON, {type, timestamp, data}.';
comment on column public.webhook_deliveries.status is
  'pending; delivered: the address answered with a status from 200 to 299; failed: there are no more attempts, and last_error says why.';
comment on column public.webhook_deliveries.attempts is
  'The number of attempts so far, which is also the number of the newest attempt. A report about an older attempt changes nothing.';
comment on column public.webhook_deliveries.max_attempts is
  'The number of failed attempts after which delivery ends. redeliver_webhook grants eight more attempts.';
comment on column public.webhook_deliveries.next_attempt_at is
  'The time of the next attempt; null unless pending. While is_held is true: the time from which another worker may claim the delivery if no result has been reported.';
comment on column public.webhook_deliveries.is_held is
  'True if a worker has claimed the delivery and has not reported the result.';
comment on column public.webhook_deliveries.last_http_status is
  'The status of the newest answer; null if the newest attempt got no answer.';
comment on column public.webhook_deliveries.last_response is 'The first 1,000 characters of the newest answer.';
comment on column public.webhook_deliveries.last_error is
  'The reason why the newest attempt failed; null if it did not fail.';

create index webhook_deliveries_flow_run_id_idx on public.webhook_deliveries (flow_run_id);
create index webhook_deliveries_user_id_idx on public.webhook_deliveries (user_id, id desc);
-- The console lists the deliveries of a deployment every few seconds. Without this index, each list would read all
-- deliveries of the owner.
create index webhook_deliveries_deployment_id_idx on public.webhook_deliveries (deployment_id, id desc);
-- Claims search this index every second and mostly find nothing. It has only pending deliveries, so that it stays
-- small.
create index webhook_deliveries_next_attempt_at_idx on public.webhook_deliveries (next_attempt_at)
  where status = 'pending';
create index webhook_deliveries_user_id_idx_pending on public.webhook_deliveries (user_id, next_attempt_at, id)
  where status = 'pending';
-- This index is sorted by deployment, because deployments take turns. It separates new deliveries from those that were
-- tried, because only new deliveries wait for room in the quota.
create index webhook_deliveries_user_id_idx_turns on public.webhook_deliveries
  (user_id, least(attempts, 1), is_started_by_owner, turn_id, next_attempt_at, id) where status = 'pending';
create index webhook_deliveries_user_id_idx_held on public.webhook_deliveries (user_id, next_attempt_at) where is_held;

alter table public.webhook_deliveries enable row level security;
create policy webhook_deliveries_select_owner on public.webhook_deliveries for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.webhook_deliveries to authenticated;
grant select on public.webhook_deliveries to service_role;

-- sql/800_webhook_deliveries/30_queue_webhook_deliveries.sql

-- The transaction that ends a run, or asks for signatures or for an input, also stores the message about this event.
-- Three functions call queue_webhook_deliveries: private.end_flow_runs (which ends all root runs),
-- private.store_signature_requests and private.store_api_inputs.

-- Stores every message, even if the owner's quota is used up. Claims check the quota later, so that a run never waits
-- for its messages.
create function private.queue_webhook_deliveries(news jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Without these settings, Postgres could make a plan with sequential scans while the tables are empty, and reuse it
-- when they are full.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  insert into public.webhook_deliveries (
    user_id, flow_run_id, deployment_id, is_started_by_owner, event, url, headers, payload
  )
  select
    r.user_id, r.id, r.deployment_id, r.started_by is not distinct from r.user_id and r.webhook_id is null, n.event,
    coalesce(n.url, j.settings -> 'on_end' ->> 'url'), coalesce(n.headers, '{}'),
    jsonb_build_object(
      'type', 'flow_run.' || n.event,
      'timestamp', to_jsonb(clock_timestamp()),
      'data', jsonb_build_object(
        'flow_run_id', r.id, 'deployment_id', r.deployment_id, 'flow_id', r.flow_id, 'schedule_id', r.schedule_id,
        'status', r.status,
        'created_at', r.created_at, 'start_time', r.start_time, 'end_time', r.end_time
      ) || n.data
    )
  from jsonb_to_recordset(queue_webhook_deliveries.news) as n (
    flow_run_id uuid, event text, data jsonb, url text, headers jsonb
  )
  join private.flow_run_jobs as j on j.flow_run_id = n.flow_run_id
  join public.flow_run as r on r.id = n.flow_run_id
  where n.url is not null or j.settings -> 'on_end' -> 'events' ? n.event;
end;
$$;
comment on function private.queue_webhook_deliveries(jsonb) is
  'Stores a message for each item of `news`, [{flow_run_id, event, data, url, headers}]. flow_run_id is a root run. If an item has no url, its message goes to the address in on_end, provided that on_end names the event. Definer, because no API role may write deliveries or access jobs.';

create function private.queue_end_webhooks(run_ids uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform private.queue_webhook_deliveries((
    select jsonb_agg(jsonb_build_object(
      'flow_run_id', r.id, 'event', r.status, 'data', jsonb_build_object('error_code', r.error_code)
    ))
    from public.flow_run as r where r.id = any (queue_end_webhooks.run_ids)
  ));
end;
$$;
comment on function private.queue_end_webhooks(uuid[]) is
  'Stores the messages about the ends of these root runs. A message contains neither outputs nor error texts; authorised receivers can read both from the run. Definer, because no API role may write deliveries.';

create function private.queue_signature_webhooks(run public.flow_run, request_ids bigint[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (
    select from private.flow_run_jobs as j
    where j.flow_run_id = run.id and jsonb_typeof(j.settings -> 'on_end') = 'object'
  ) then
    perform private.queue_webhook_deliveries(jsonb_build_array(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'signature_request', 'data', jsonb_build_object('signature_requests', (
        select jsonb_agg(
          jsonb_build_object('id', s.id, 'kind', s.kind, 'pubkey', s.pubkey, 'expires_at', s.expires_at)
            order by s.created_at, s.id
        )
        from public.signature_requests as s where s.id = any (queue_signature_webhooks.request_ids)
      ))
    )));
  end if;
end;
$$;
comment on function private.queue_signature_webhooks(public.flow_run, bigint[]) is
  'Stores one message about all signatures that a transaction of a root run lacks. Definer, because no API role may write deliveries.';

-- sql/800_webhook_deliveries/35_due_webhooks.sql

-- These functions select the deliveries of an owner that are claimed next. Deployments take turns. Each deployment has
-- separate turns for runs that the owner started and for runs that others started. So strangers who often start a
-- public deployment do not delay the messages about other runs.

create function private.tried_webhooks(user_id uuid, is_started_by_owner boolean, turn_id uuid, enough bigint)
returns bigint
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
-- Plan anew at each call, because the best plan depends on the arguments: if one is null, the query does not restrict
-- the column of that name.
set plan_cache_mode = force_custom_plan
as $$
begin
  return (select count(*) from (
    select from public.webhook_deliveries as d
    where d.user_id = tried_webhooks.user_id and d.status = 'pending' and least(d.attempts, 1) = 1
      and (tried_webhooks.is_started_by_owner is null or d.is_started_by_owner = tried_webhooks.is_started_by_owner)
      and (tried_webhooks.turn_id is null or d.turn_id = tried_webhooks.turn_id)
    limit tried_webhooks.enough
  ) as tried);
end;
$$;
comment on function private.tried_webhooks(uuid, boolean, uuid, bigint) is
  'Counts the pending deliveries of an owner that have had an attempt, up to `enough`. If turn_id or is_started_by_owner is not null, counts only deliveries with this value. Definer, because it reads deliveries of all users.';

-- The quota pending_webhooks limits the number of an owner's pending deliveries that have had an attempt. Each
-- deployment may use at most a tenth of the quota. Deliveries about runs that others started may use at most half of
-- the quota, and at most half of each deployment's tenth. `picked` is the number of deliveries with the same turn_id
-- and is_started_by_owner that this claim has already selected.
create function private.has_webhook_room(user_id uuid, is_started_by_owner boolean, turn_id uuid, picked bigint)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_quota constant bigint := private.quota('pending_webhooks');
  v_share constant bigint := (v_quota + 9) / 10;
  v_of_others bigint;
begin
  if not has_webhook_room.is_started_by_owner then
    v_of_others := private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.turn_id, v_share);
    if v_of_others + has_webhook_room.picked >= (v_share + 1) / 2
      or private.tried_webhooks(has_webhook_room.user_id, false, null, v_quota)
        + has_webhook_room.picked >= (v_quota + 1) / 2 then
      return false;
    end if;
  end if;
  return private.tried_webhooks(has_webhook_room.user_id, true, has_webhook_room.turn_id, v_share)
      + coalesce(
        v_of_others, private.tried_webhooks(has_webhook_room.user_id, false, has_webhook_room.turn_id, v_share)
      )
      + has_webhook_room.picked < v_share
    and private.tried_webhooks(has_webhook_room.user_id, null, null, v_quota) + has_webhook_room.picked < v_quota;
end;
$$;
comment on function private.has_webhook_room(uuid, boolean, uuid, bigint) is
  'Whether the owner''s quota of pending deliveries has room for the first attempt of a further delivery of this deployment. Definer, because no API role may access the quotas.';

create function private.due_webhook_of(
  user_id uuid, is_started_by_owner boolean, turn_id uuid, at timestamptz, picked uuid[]
)
returns uuid
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_tried public.webhook_deliveries;
  v_new public.webhook_deliveries;
begin
  select d.* into v_tried from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 1
    and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.turn_id = due_webhook_of.turn_id and d.status = 'pending'
      and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  select d.* into v_new from public.webhook_deliveries as d
  where d.user_id = due_webhook_of.user_id and least(d.attempts, 1) = 0
    and d.is_started_by_owner = due_webhook_of.is_started_by_owner
    and d.turn_id = due_webhook_of.turn_id and d.status = 'pending'
      and d.next_attempt_at <= due_webhook_of.at
    and d.id <> all (due_webhook_of.picked)
  order by d.next_attempt_at, d.id limit 1;
  if v_new.id is not null and not private.has_webhook_room(
    due_webhook_of.user_id, due_webhook_of.is_started_by_owner, due_webhook_of.turn_id, (
      select count(*) from public.webhook_deliveries as p
      where p.id = any (due_webhook_of.picked) and p.turn_id = due_webhook_of.turn_id
        and p.is_started_by_owner = due_webhook_of.is_started_by_owner
    )
  ) then
    v_new := null;
  end if;
  return (
    select d.id from public.webhook_deliveries as d
    where d.id = case when v_new.next_attempt_at < v_tried.next_attempt_at or v_tried.id is null then v_new.id
      else v_tried.id end
      and d.status = 'pending'
    for no key update skip locked
  );
end;
$$;
comment on function private.due_webhook_of(uuid, boolean, uuid, timestamptz, uuid[]) is
  'Locks the most overdue delivery with this turn_id and is_started_by_owner that is not in `picked`, and returns its id. A delivery without an attempt counts only if the quota has room. Null if none is due, or if another transaction has locked it. Definer, because it reads deliveries of all users.';

create function private.next_webhook_turn(turn private.webhook_turns)
returns private.webhook_turns
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $$
declare
  v_turn private.webhook_turns := next_webhook_turn.turn;
begin
  -- The index is searched twice: for new deliveries, and for deliveries that were tried.
  select n.is_started_by_owner, n.turn_id into v_turn.is_started_by_owner, v_turn.turn_id
  from unnest('{0,1}'::integer[]) as t (tried)
  cross join lateral (
    select d.is_started_by_owner, d.turn_id from public.webhook_deliveries as d
    where d.user_id = v_turn.user_id and d.status = 'pending' and least(d.attempts, 1) = t.tried
      and (d.is_started_by_owner, d.turn_id) > (v_turn.is_started_by_owner, v_turn.turn_id)
    order by d.is_started_by_owner, d.turn_id limit 1
  ) as n
  order by n.is_started_by_owner, n.turn_id limit 1;
  return v_turn;
end;
$$;
comment on function private.next_webhook_turn(private.webhook_turns) is
  'The turn that follows this turn among the owner''s deployments with pending deliveries. turn_id is null after the last turn. Definer, because it reads deliveries of all users.';

create function private.due_webhooks_of(user_id uuid, max_deliveries integer, at timestamptz)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_none constant uuid := '00000000-0000-0000-0000-000000000000';
  -- An owner has at most four concurrent posts, counted over all workers. So an address that never answers can't occupy
  -- more than four posts. One of the four is reserved for messages about runs that the owner started.
  v_places bigint;
  v_places_of_others bigint;
  v_turn private.webhook_turns;
  v_is_round_empty boolean := false;
  v_id uuid;
  v_ids uuid[] := '{}';
begin
  select 4 - count(*), 3 - count(*) filter (where not d.is_started_by_owner) into v_places, v_places_of_others
  from public.webhook_deliveries as d
  where d.user_id = due_webhooks_of.user_id and d.is_held and d.next_attempt_at > due_webhooks_of.at;
  v_places := least(v_places, due_webhooks_of.max_deliveries);
  select t.* into v_turn from private.webhook_turns as t
    where t.user_id = due_webhooks_of.user_id for no key update skip locked;
  v_turn := (
    due_webhooks_of.user_id, coalesce(v_turn.is_started_by_owner, false), coalesce(v_turn.turn_id, v_none)
  );

  -- Search at most 200 turns in one claim. The next claim continues after the last of these turns.
  for v_step in 1..200 loop
    exit when cardinality(v_ids) >= v_places;
    v_turn := private.next_webhook_turn(v_turn);
    if v_turn.turn_id is null then
      exit when v_is_round_empty;
      v_is_round_empty := true;
      v_turn := (due_webhooks_of.user_id, false, v_none);
    elsif v_turn.is_started_by_owner or v_places_of_others > 0 then
      v_id := private.due_webhook_of(
        v_turn.user_id, v_turn.is_started_by_owner, v_turn.turn_id, due_webhooks_of.at, v_ids
      );
      if v_id is not null then
        v_is_round_empty := false;
        v_places_of_others := v_places_of_others - (not v_turn.is_started_by_owner)::integer;
        v_ids := v_ids || v_id;
      end if;
    end if;
  end loop;
  update private.webhook_turns as t
  set is_started_by_owner = coalesce(v_turn.is_started_by_owner, false),
    turn_id = coalesce(v_turn.turn_id, v_none)
  where t.user_id = (
    select free.user_id from private.webhook_turns as free
      where free.user_id = v_turn.user_id for no key update skip locked
  )
    and (t.is_started_by_owner, t.turn_id) is distinct from (v_turn.is_started_by_owner, v_turn.turn_id);
  return v_ids;
end;
$$;
comment on function private.due_webhooks_of(uuid, integer, timestamptz) is
  'Locks and returns the due deliveries of an owner, within the owner''s limit of concurrent posts. Deployments take turns. Runs that the owner started and runs that others started have separate turns. Definer, because it reads deliveries of all users.';

-- sql/800_webhook_deliveries/40_claim_webhook_deliveries.sql

create table private.last_webhook_claim (
  id boolean primary key default true,
  user_id uuid not null,
  constraint last_webhook_claim_single check (id)
);
comment on table private.last_webhook_claim is
  'One row: the last owner whose deliveries a claim searched. The next claim begins with the owner after this one, so that owners take turns.';

create function private.has_due_webhook()
returns boolean
language plpgsql stable security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- A constant is needed, because an index can't be searched for the result of a volatile function.
  v_now constant timestamptz := clock_timestamp();
begin
  return exists (select from public.webhook_deliveries as d where d.status = 'pending' and d.next_attempt_at <= v_now);
end;
$$;
comment on function private.has_due_webhook() is
  'Whether any delivery is due. Definer, because it reads deliveries of all users.';
grant execute on function private.has_due_webhook() to service_role;

create function private.claim_webhook_deliveries(max_deliveries integer, lease_seconds integer)
returns table (id uuid, attempt integer, url text, headers jsonb, body text)
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_no_user_id constant uuid := '00000000-0000-0000-0000-000000000000';
  v_last_user_id uuid;
  v_user_id uuid;
  v_next_user_id uuid;
  v_next_at timestamptz;
  v_is_second_round boolean := false;
  v_ids uuid[] := '{}';
begin
  -- In most calls no delivery is due. Then this search of the index is all the work.
  if not private.has_due_webhook() then
    return;
  end if;
  -- Run only one claim at a time, so that each claim counts the posts that earlier claims began.
  perform pg_advisory_xact_lock(hashtext('private.claim_webhook_deliveries'));
  v_last_user_id := coalesce((select l.user_id from private.last_webhook_claim as l), v_no_user_id);
  v_user_id := v_last_user_id;
  -- Search at most a thousand owners, and skip owners whose pending deliveries are not due.
  for v_step in 1..1000 loop
    -- Search in the order of one index, so that the search reads one row for each owner.
    select d.user_id, d.next_attempt_at into v_next_user_id, v_next_at
    from public.webhook_deliveries as d where d.status = 'pending' and d.user_id > v_user_id
    order by d.user_id, d.next_attempt_at, d.id limit 1;
    if v_next_user_id is null and not v_is_second_round then
      v_is_second_round := true;
      v_user_id := v_no_user_id;
      continue;
    end if;
    exit when v_next_user_id is null or v_is_second_round and v_next_user_id > v_last_user_id;
    v_user_id := v_next_user_id;
    continue when v_next_at > v_now;
    v_ids := v_ids
      || private.due_webhooks_of(v_user_id, claim_webhook_deliveries.max_deliveries - cardinality(v_ids), v_now);
    exit when cardinality(v_ids) >= claim_webhook_deliveries.max_deliveries;
  end loop;
  insert into private.last_webhook_claim as l (user_id) values (v_user_id)
  on conflict on constraint last_webhook_claim_pkey do update set user_id = excluded.user_id;

  -- An attempt counts even if no worker has reported its result. So a delivery that crashes its workers is claimed only
  -- a limited number of times.
  update public.webhook_deliveries as d
  set status = 'failed', next_attempt_at = null, is_held = false,
    last_error = 'worker_lost: the workers that sent this message were lost'
  where d.id = any (v_ids) and d.attempts >= d.max_attempts + 8;
  return query
  with claimed as (
    update public.webhook_deliveries as d
    set
      attempts = d.attempts + 1, is_held = true, last_attempt_at = v_now,
      next_attempt_at = v_now + make_interval(secs => claim_webhook_deliveries.lease_seconds)
    where d.id = any (v_ids) and d.status = 'pending'
    returning d.*
  ), message as (
    select c.id, c.attempts, c.url, c.headers, c.payload::text as body,
      floor(extract(epoch from v_now))::bigint::text as sent_at,
      (c.payload #>> '{data,flow_id}')::integer as flow_id, j.chain_depth + 1 as chain_depth
    from claimed as c join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  )
  select m.id, m.attempts, m.url, m.headers || jsonb_build_object(
    'webhook-id', m.id, 'webhook-timestamp', m.sent_at,
    'webhook-signature', private.webhook_signature(concat_ws('.', m.id, m.sent_at, m.body), m.flow_id),
    'flow-chain-depth', m.chain_depth::text
  ), m.body
  from message as m
  order by array_position(v_ids, m.id);
end;
$$;
comment on function private.claim_webhook_deliveries(integer, integer) is
  'Implements public.claim_webhook_deliveries. Definer, because it reads deliveries of all users and private secrets.';
grant execute on function private.claim_webhook_deliveries(integer, integer) to service_role;

-- Claims up to max_deliveries due deliveries for lease_seconds. Owners take turns, and so do the deployments of an
-- owner. An owner has at most four posts under way, and at most three of them are about runs that others started.
-- `headers` has the delivery's own headers, the headers of Standard Webhooks, and Flow-Chain-Depth, by which
-- incoming webhooks detect loops. The signature is made for this attempt. Report the result to
-- store_webhook_attempt. If there is no report by the end of the lease, the delivery can be claimed again.
create function public.claim_webhook_deliveries(max_deliveries integer, lease_seconds integer)
returns table (id uuid, attempt integer, url text, headers jsonb, body text)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.claim_webhook_deliveries(max_deliveries, lease_seconds);
$$;
comment on function public.claim_webhook_deliveries(integer, integer) is
  'For the runner: claims up to max_deliveries due outgoing webhooks for lease_seconds, with the signed headers of this attempt. Owners and their deployments take turns. Report the result to store_webhook_attempt.';
grant execute on function public.claim_webhook_deliveries(integer, integer) to service_role;

-- sql/800_webhook_deliveries/50_store_webhook_attempt.sql

create function private.webhook_retry_delay(failures integer, retry_after_seconds integer)
returns interval
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_delays constant interval[] := '{5 seconds,5 minutes,30 minutes,2 hours,5 hours,10 hours,14 hours}';
  v_delay interval := v_delays[webhook_retry_delay.failures];
begin
  return greatest(
    -- Vary the delay by up to a tenth, so that deliveries that failed together are not tried again together.
    v_delay * (0.9 + 0.2 * random()),
    case when webhook_retry_delay.retry_after_seconds > 0
      then make_interval(secs => least(webhook_retry_delay.retry_after_seconds, 86400)) end
  );
end;
$$;
comment on function private.webhook_retry_delay(integer, integer) is
  'The delay after this number of failed attempts. If Retry-After asks for a longer delay, that delay applies, up to one day. The delays are the first seven in the example schedule of Standard Webhooks 1.0.0. Together they take about 32 hours.';

create function private.disable_gone_webhook(user_id uuid, url text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Skip rows that other transactions have locked: two answers with 410 may come at the same time, and must not wait
  -- for each other. The next 410 from this address finds the skipped rows.
  update public.flow_deployments as d set on_end = null
  where d.id = any (array(
    select g.id from public.flow_deployments as g
    where g.user_id = disable_gone_webhook.user_id and g.on_end ->> 'url' = disable_gone_webhook.url
    for no key update skip locked
  ));
  update public.webhook_deliveries as d
  set status = 'failed', next_attempt_at = null, last_error = 'The address has answered another message with 410 Gone.'
  where d.id = any (array(
    select g.id from public.webhook_deliveries as g
    where g.user_id = disable_gone_webhook.user_id and g.status = 'pending' and not g.is_held
      and g.url = disable_gone_webhook.url
    for no key update skip locked
  ));
end;
$$;
comment on function private.disable_gone_webhook(uuid, text) is
  'Stops the outgoing webhooks of an owner to an address that answered 410 Gone. Removes on_end of the deployments that name the address, and marks the pending deliveries to this address as failed. Definer, because no API role may write deliveries.';

create function private.store_webhook_attempt(
  id uuid, attempt integer, http_status integer, response text, error text, retry_after_seconds integer
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_delivery public.webhook_deliveries;
  v_status text;
begin
  select d.* into v_delivery from public.webhook_deliveries as d
  where d.id = store_webhook_attempt.id and d.attempts = store_webhook_attempt.attempt and d.is_held
  for no key update;
  if not found then
    -- Another worker has claimed the delivery, or its run was deleted.
    return;
  end if;
  v_status := case
    when store_webhook_attempt.http_status between 200 and 299 then 'delivered'
    when store_webhook_attempt.http_status = 410 or v_delivery.attempts >= v_delivery.max_attempts then 'failed'
    else 'pending'
  end;
  update public.webhook_deliveries as d
  set
    status = v_status, is_held = false,
    next_attempt_at = case when v_status = 'pending'
      then clock_timestamp()
        + private.webhook_retry_delay(8 - d.max_attempts + d.attempts, store_webhook_attempt.retry_after_seconds)
    end,
    last_http_status = store_webhook_attempt.http_status, last_response = left(store_webhook_attempt.response, 1000),
    last_error = case when v_status <> 'delivered' then left(coalesce(
      store_webhook_attempt.error,
      case when store_webhook_attempt.http_status = 410 and v_delivery.event <> 'api_input'
        then 'The address answered with 410 Gone, so on_end was removed from the deployments that name this address.'
      end,
      format(
        'The address answered with the status %s, but a status from 200 to 299 is needed.', store_webhook_attempt.http_status
      )
    ), 1000) end
  where d.id = v_delivery.id;
  -- The address of an api_input may come from an input of the run, so the starter of the run may have chosen it. A
  -- 410 from this address must not disable the owner's webhooks.
  if store_webhook_attempt.http_status = 410 and v_delivery.event <> 'api_input' then
    perform private.disable_gone_webhook(v_delivery.user_id, v_delivery.url);
  end if;
end;
$$;
comment on function private.store_webhook_attempt(uuid, integer, integer, text, text, integer) is
  'Implements public.store_webhook_attempt. Definer, because no API role may write deliveries.';
grant execute on function private.store_webhook_attempt(uuid, integer, integer, text, text, integer) to service_role;

-- An answer with a status from 200 to 299 means that the message is delivered. A 410 ends the delivery. If on_end named
-- the address, a 410 also removes on_end of all deployments of the owner that name it. After any other result, the
-- delivery is tried again, but not before Retry-After. There are at most eight attempts, in about 32 hours. A report
-- about an older claim changes nothing.
create function public.store_webhook_attempt(
  id uuid, attempt integer, http_status integer default null, response text default null, error text default null,
  retry_after_seconds integer default null
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_webhook_attempt(id, attempt, http_status, response, error, retry_after_seconds);
$$;
comment on function public.store_webhook_attempt(uuid, integer, integer, text, text, integer) is
  'For the runner: reports the result of a claimed delivery: the status and the beginning of the answer, or an error.';
grant execute on function public.store_webhook_attempt(uuid, integer, integer, text, text, integer) to service_role;

-- sql/800_webhook_deliveries/60_redeliver_webhook.sql

create function private.redeliver_webhook(id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
begin
  update public.webhook_deliveries as d
  set
    -- Use the address that on_end of the deployment has now, because the owner may have corrected it. A message of the
    -- event api_input has an address of its own, and keeps it.
    url = coalesce((
      select f.on_end ->> 'url' from public.flow_deployments as f
      where f.id = d.deployment_id and d.event <> 'api_input'
    ), d.url),
    status = 'pending', max_attempts = d.attempts + 8, next_attempt_at = clock_timestamp(), is_held = false
  where d.id = redeliver_webhook.id and d.user_id = v_user_id
    and not (d.is_held and d.next_attempt_at > clock_timestamp());
  if found then
    perform private.check_quota('pending_webhooks', v_user_id);
  elsif not exists (
    select from public.webhook_deliveries as d where d.id = redeliver_webhook.id and d.user_id = v_user_id
  ) then
    perform private.fail('webhook_delivery_not_found', 'There is no such delivery.');
  end if;
end;
$$;
comment on function private.redeliver_webhook(uuid) is
  'Implements public.redeliver_webhook. Definer, because no API role may write deliveries.';
grant execute on function private.redeliver_webhook(uuid) to anon, authenticated, service_role;

-- Posts to the address that on_end of the deployment has now, or to the old address if on_end is null. A message of the
-- event api_input has an address of its own, and goes there again. The delivery gets as many attempts as a new one. If
-- a worker is making an attempt now, this call changes nothing.
create function public.redeliver_webhook(id uuid)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.redeliver_webhook(id);
$$;
comment on function public.redeliver_webhook(uuid) is
  'Posts an outgoing webhook of the caller''s run again, with the same webhook-id, even if it was delivered or has failed. 401; 404 webhook_delivery_not_found, also for another user''s delivery; 409 quota_exceeded.';
grant execute on function public.redeliver_webhook(uuid) to anon, authenticated, service_role;

-- sql/850_kv/10_kv_usage.sql

create table private.kv_usage (
  user_id uuid primary key references auth.users (id) on delete cascade,
  store_count integer not null default 0,
  item_bytes bigint not null default 0,
  constraint kv_usage_natural check (store_count >= 0 and item_bytes >= 0)
);
comment on table private.kv_usage is
  'The total usage of each user''s key-value stores. Triggers of kv_stores and kv_items maintain these totals, so that a limit check need not add up all items. Each writer locks the user''s row of this table, so writers for the same user wait for each other.';
comment on column private.kv_usage.item_bytes is 'The sum of size_bytes of the user''s items.';

create function private.add_kv_usage(user_id uuid, stores bigint, bytes bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_usage private.kv_usage;
begin
  if add_kv_usage.stores <= 0 and add_kv_usage.bytes <= 0 then
    -- The row may be missing: when a user is deleted, the cascade may delete this row first, and the user's items
    -- later.
    update private.kv_usage as u
    set store_count = u.store_count + add_kv_usage.stores, item_bytes = u.item_bytes + add_kv_usage.bytes
    where u.user_id = add_kv_usage.user_id;
    return;
  end if;
  insert into private.kv_usage as u (user_id, store_count, item_bytes)
  values (add_kv_usage.user_id, add_kv_usage.stores, add_kv_usage.bytes)
  on conflict on constraint kv_usage_pkey do update
  set store_count = u.store_count + excluded.store_count, item_bytes = u.item_bytes + excluded.item_bytes
  returning u.* into v_usage;
  if add_kv_usage.stores > 0 and v_usage.store_count > private.limit_kv_stores() then
    perform private.fail(
      'kv_stores_limit', format('A user can have %s key-value stores at most.', private.limit_kv_stores()),
      hint => 'Delete a store that is not needed any more.'
    );
  end if;
  if add_kv_usage.bytes > 0 and v_usage.item_bytes > private.limit_kv_bytes() then
    perform private.fail('kv_size_limit',
      format('The key-value stores of a user can hold %s at most, counting keys and values as text.',
        private.size_text(private.limit_kv_bytes())),
      jsonb_build_object('size_bytes', v_usage.item_bytes),
      'Delete a store that is not needed any more, or write smaller values.');
  end if;
end;
$$;
comment on function private.add_kv_usage(uuid, bigint, bigint) is
  'Adds numbers of stores and bytes to a user''s usage; negative numbers reduce it. Refuses usage beyond the limits: 409 kv_stores_limit, 413 kv_size_limit. Definer, because no API role may access the usage.';

-- sql/850_kv/20_kv_effects.sql

-- An effect is a change that a node makes in the database, such as writing an item. An effect has the key of the node
-- run that makes the change: {flow_run_id, node_id, times}, where times is the number of the execution of the node. The
-- transaction of the change also stores the node's output in the node run. A worker may repeat its request, or execute
-- the node again after another worker was lost. In both cases the database finds the stored output by the key, makes no
-- second change, and returns this output.

create function private.lock_claimed_run_and_owner(claim jsonb)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id constant uuid := lock_claimed_run_and_owner.claim ->> 'flow_run_id';
begin
  -- Lock the owner before the run, because the deletion of a user also locks the user before the runs. A different
  -- order could cause a deadlock.
  perform from auth.users as u join public.flow_run as r on r.user_id = u.id where r.id = v_run_id for key share of u;
  return (private.lock_claimed_run(v_run_id, (lock_claimed_run_and_owner.claim ->> 'claim_number')::integer)).user_id;
end;
$$;
comment on function private.lock_claimed_run_and_owner(jsonb) is
  'Locks the owner of a claimed run, and then the run, before a change of the owner''s data. claim is {flow_run_id, claim_number}. Returns the owner; 409 claim_lost if a newer claim exists or the run has ended. Definer, because API roles have no rights on auth.users.';

create function private.earlier_effect_output(effect jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_output jsonb;
begin
  select n.output into v_output
  from public.node_run as n
  where n.flow_run_id = (earlier_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (earlier_effect_output.effect ->> 'node_id')::uuid
    and n.times = (earlier_effect_output.effect ->> 'times')::integer and n.user_id = earlier_effect_output.user_id
  for no key update;
  if not found then
    perform private.fail('internal', 'The node run that makes this change is not stored.');
  end if;
  return v_output;
end;
$$;
comment on function private.earlier_effect_output(jsonb, uuid) is
  'Locks the node run of an effect, and returns the output that was stored with the change; null if the change was not made yet. Definer, because the lock needs the right to write node runs, which no API role has.';

create function private.store_effect_output(effect jsonb, output jsonb)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.node_run as n
  set output = store_effect_output.output
  where n.flow_run_id = (store_effect_output.effect ->> 'flow_run_id')::uuid
    and n.node_id = (store_effect_output.effect ->> 'node_id')::uuid
    and n.times = (store_effect_output.effect ->> 'times')::integer;
$$;
comment on function private.store_effect_output(jsonb, jsonb) is
  'Marks the change of an effect as made, and stores its output, {"M": {…}}, with the node run. Later calls of earlier_effect_output return this output. Definer, because no API role may write node runs.';

-- sql/850_kv/30_kv_stores.sql

create table public.kv_stores (
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, name),
  constraint kv_stores_name_form check (
    name ~ '^[A-Za-z][A-Za-z0-9_-]*$' and length(name) <= private.limit_kv_store_name_characters()
  )
);
comment on table public.kv_stores is
  'Key-value stores. The user and the nodes of the user''s flows share these stores. Only functions write stores.';
comment on column public.kv_stores.name is 'Letters, digits, _ and -, beginning with a letter.';

alter table public.kv_stores enable row level security;
create policy kv_stores_select_owner on public.kv_stores for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_stores to authenticated;
grant select on public.kv_stores to service_role;

create function private.tg_kv_stores__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, count(*), 0) from inserted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_insert() is
  'Counts new stores, and refuses stores beyond the limit. Definer, because no API role may access the usage.';
create trigger _100_count_inserted after insert on public.kv_stores
  referencing new table as inserted
  for each statement execute function private.tg_kv_stores__after_insert();

create function private.tg_kv_stores__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, -count(*), 0) from deleted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_delete() is
  'Counts deleted stores. Definer, because no API role may access the usage.';
create trigger _100_count_deleted after delete on public.kv_stores
  referencing old table as deleted
  for each statement execute function private.tg_kv_stores__after_delete();

create function private.add_kv_store(user_id uuid, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  begin
    insert into public.kv_stores (user_id, name) values (add_kv_store.user_id, add_kv_store.store)
      on conflict do nothing;
  exception when check_violation or not_null_violation then
    perform private.fail('kv_store_name_invalid',
      format('The name of a store must be 1 to %s letters, digits, _ and -, beginning with a letter.',
        private.limit_kv_store_name_characters()));
  end;
  if not found then
    perform private.fail('kv_store_exists',
      format('The store %s already exists.',
        to_jsonb(private.shorten(add_kv_store.store, private.limit_kv_store_name_characters()))));
  end if;
end;
$$;
comment on function private.add_kv_store(uuid, text) is
  'Creates a store. The caller must have locked the user. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit. Definer, because no API role may write stores.';

create function private.refuse_missing_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.fail(
    'kv_store_not_found', format('There is no store %s.',
      to_jsonb(private.shorten(refuse_missing_kv_store.store, private.limit_kv_store_name_characters())))
  );
$$;
comment on function private.refuse_missing_kv_store(text) is
  'Raises 404 kv_store_not_found, with the name of the store that does not exist.';

create function private.remove_kv_store(user_id uuid, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Without this lock, two writers for the same user could lock rows in different orders, and wait for each other.
  perform from private.kv_usage as u where u.user_id = remove_kv_store.user_id for no key update;
  delete from public.kv_stores as s where s.user_id = remove_kv_store.user_id and s.name = remove_kv_store.store;
  if not found then
    perform private.refuse_missing_kv_store(remove_kv_store.store);
  end if;
end;
$$;
comment on function private.remove_kv_store(uuid, text) is
  'Deletes a store with its items. The caller must have locked the user. 404 kv_store_not_found. Definer, because no API role may write stores.';

create function private.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_create_store.claim);
begin
  if private.earlier_effect_output(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  perform private.add_kv_store(v_user_id, kv_create_store.store);
  perform private.store_effect_output(kv_create_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_create_store(jsonb, jsonb, text) is
  'Implements public.kv_create_store. Definer, because no API role may write stores.';
grant execute on function private.kv_create_store(jsonb, jsonb, text) to service_role;

create function public.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_create_store(claim, effect, store);
$$;
comment on function public.kv_create_store(jsonb, jsonb, text) is
  'For the runner: creates a store for the run''s owner. A repeated call with the same effect changes nothing. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit, claim_lost.';
grant execute on function public.kv_create_store(jsonb, jsonb, text) to service_role;

create function private.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_delete_store.claim);
begin
  if private.earlier_effect_output(kv_delete_store.effect, v_user_id) is not null then
    return;
  end if;
  perform private.remove_kv_store(v_user_id, kv_delete_store.store);
  perform private.store_effect_output(kv_delete_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_delete_store(jsonb, jsonb, text) is
  'Implements public.kv_delete_store. Definer, because no API role may write stores.';
grant execute on function private.kv_delete_store(jsonb, jsonb, text) to service_role;

create function public.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_delete_store(claim, effect, store);
$$;
comment on function public.kv_delete_store(jsonb, jsonb, text) is
  'For the runner: deletes a store of the run''s owner, and its items. A repeated call with the same effect changes nothing. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_delete_store(jsonb, jsonb, text) to service_role;

-- sql/850_kv/40_kv_items.sql

create table public.kv_items (
  user_id uuid not null,
  store text not null,
  key text not null,
  value jsonb not null,
  size_bytes integer not null generated always as (octet_length(key) + octet_length(value::text)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, store, key),
  constraint kv_items_store_fkey foreign key (user_id, store) references public.kv_stores (user_id, name)
    on delete cascade,
  constraint kv_items_key_length check (octet_length(key) between 1 and private.limit_kv_key_bytes())
);
comment on table public.kv_items is
  'The items of the key-value stores. Only functions write items, for the user and for the nodes of the user''s flows.';
comment on column public.kv_items.value is 'One value with its tag, such as {"S": "text"}.';
comment on column public.kv_items.size_bytes is
  'The number of bytes of the item''s key and of its value as text. This number counts towards the user''s limit.';

alter table public.kv_items enable row level security;
create policy kv_items_select_owner on public.kv_items for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_items to authenticated;
grant select on public.kv_items to service_role;

create trigger _200_touch before update on public.kv_items
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_kv_items__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
    from inserted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_insert() is
  'Counts the bytes of new items, and refuses items beyond the limit. Definer, because no API role may access the usage.';
create trigger _100_count_inserted after insert on public.kv_items
  referencing new table as inserted
  for each statement execute function private.tg_kv_items__after_insert();

create function private.tg_kv_items__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
  from (
    select u.user_id, u.size_bytes from updated as u
    union all
    select f.user_id, -f.size_bytes from former as f
  ) as i
  group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_update() is
  'Adds the growth of changed items to the usage, and refuses growth beyond the limit. If items shrink, the growth is negative. Definer, because no API role may access the usage.';
create trigger _100_count_updated after update on public.kv_items
  referencing old table as former new table as updated
  for each statement execute function private.tg_kv_items__after_update();

create function private.tg_kv_items__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, -sum(i.size_bytes))
    from deleted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_delete() is
  'Counts the bytes of deleted items. Definer, because no API role may access the usage.';
create trigger _100_count_deleted after delete on public.kv_items
  referencing old table as deleted
  for each statement execute function private.tg_kv_items__after_delete();

create function private.put_kv_item(user_id uuid, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- This measure is used only to refuse numbers with too many digits. If the value is too large, add_kv_usage refuses
  -- it later: 413 kv_size_limit.
  v_measure constant private.json_measure := private.measure_json(put_kv_item.value, private.limit_kv_bytes());
  v_bad constant text := case
    when v_measure.fault = 'number' then format('%s: %s', v_measure.path, v_measure.message)
    else private.bad_value(put_kv_item.value, private.limit_value_levels())
  end;
  v_old_value jsonb;
begin
  if v_bad is not null then
    perform private.fail('kv_value_invalid', 'value' || v_bad);
  end if;
  -- With this lock, only one writer at a time changes the items of a user. So the old value that is read below is the
  -- one that the insert replaces.
  perform from private.kv_usage as u where u.user_id = put_kv_item.user_id for no key update;
  v_old_value := private.find_kv_item(put_kv_item.user_id, put_kv_item.store, put_kv_item.key);
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (put_kv_item.user_id, put_kv_item.store, put_kv_item.key, put_kv_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation or not_null_violation then
    perform private.fail('kv_key_invalid', format('A key must have 1 to %s bytes.', private.limit_kv_key_bytes()));
  end;
  return v_old_value;
end;
$$;
comment on function private.put_kv_item(uuid, text, text, jsonb) is
  'Stores a value under a key, and returns the value that it replaces, or null. The caller must have locked the user. Definer, because no API role may write items.';

create function private.find_kv_item(user_id uuid, store text, key text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.kv_stores as s where s.user_id = find_kv_item.user_id and s.name = find_kv_item.store
  ) then
    perform private.refuse_missing_kv_store(find_kv_item.store);
  end if;
  return (
    select i.value from public.kv_items as i
    where i.user_id = find_kv_item.user_id and i.store = find_kv_item.store and i.key = find_kv_item.key
  );
end;
$$;
comment on function private.find_kv_item(uuid, text, text) is
  'The value under a key in a store of a user; null if the key has no value. 404 kv_store_not_found. Definer, because it reads items of any user; the functions that call it check the user.';

create function private.remove_kv_item(user_id uuid, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb;
begin
  perform from private.kv_usage as u where u.user_id = remove_kv_item.user_id for no key update;
  v_old_value := private.find_kv_item(remove_kv_item.user_id, remove_kv_item.store, remove_kv_item.key);
  delete from public.kv_items as i
  where i.user_id = remove_kv_item.user_id and i.store = remove_kv_item.store and i.key = remove_kv_item.key;
  return v_old_value;
end;
$$;
comment on function private.remove_kv_item(uuid, text, text) is
  'Deletes an item and returns its value; null if the item does not exist. The caller must have locked the user. Definer, because no API role may write items.';

create function private.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.earlier_effect_output(kv_write_item.effect, v_user_id);
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_old_value := private.put_kv_item(v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value);
  perform private.store_effect_output(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$$;
comment on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'Implements public.kv_write_item. Definer, because no API role may write items.';
grant execute on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function public.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_write_item(claim, effect, store, key, value);
$$;
comment on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'For the runner: stores a value under a key in a store of the run''s owner. Returns the replaced value, or null. A repeated call with the same effect changes nothing, and returns the same value. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';
grant execute on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function private.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := (private.lock_claimed_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'claim_number')::integer
  )).user_id;
begin
  return private.find_kv_item(v_user_id, kv_read_item.store, kv_read_item.key);
end;
$$;
comment on function private.kv_read_item(jsonb, text, text) is
  'Implements public.kv_read_item. Definer, because no API role may access jobs, which private.lock_claimed_run reads.';
grant execute on function private.kv_read_item(jsonb, text, text) to service_role;

create function public.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_read_item(claim, store, key);
$$;
comment on function public.kv_read_item(jsonb, text, text) is
  'For the runner: the value under a key in a store of the run''s owner; null if the key has no value. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_read_item(jsonb, text, text) to service_role;

-- sql/850_kv/50_own_kv_stores.sql

-- With these functions, a program uses the stores of the calling user. Nodes of the user's flows use the same stores.

create function private.create_kv_store(store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.lock_caller();
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  if v_caller.is_anonymous then
    perform private.fail('token_required',
      'Only a user who has signed up can create stores: if an anonymous session is lost, its stores are lost too.');
  end if;
  perform private.add_kv_store(v_caller.user_id, create_kv_store.store);
end;
$$;
comment on function private.create_kv_store(text) is
  'Implements public.create_kv_store. Definer, because no API role may write stores.';
grant execute on function private.create_kv_store(text) to anon, authenticated, service_role;

create function public.create_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_kv_store(store);
$$;
comment on function public.create_kv_store(text) is
  'Creates a key-value store of the calling user. 400 kv_store_name_invalid; 401; 403 token_required for anonymous users; 409 kv_store_exists, kv_stores_limit.';
grant execute on function public.create_kv_store(text) to anon, authenticated, service_role;

create function private.delete_kv_store(store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.remove_kv_store(private.lock_user(), delete_kv_store.store);
end;
$$;
comment on function private.delete_kv_store(text) is
  'Implements public.delete_kv_store. Definer, because no API role may write stores.';
grant execute on function private.delete_kv_store(text) to anon, authenticated, service_role;

create function public.delete_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_kv_store(store);
$$;
comment on function public.delete_kv_store(text) is
  'Deletes a key-value store of the calling user with its items. 401; 404 kv_store_not_found.';
grant execute on function public.delete_kv_store(text) to anon, authenticated, service_role;

create function private.write_kv_item(store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb := private.put_kv_item(
    private.lock_user(), write_kv_item.store, write_kv_item.key, write_kv_item.value
  );
begin
  return case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end;
end;
$$;
comment on function private.write_kv_item(text, text, jsonb) is
  'Implements public.write_kv_item. Definer, because no API role may write items.';
grant execute on function private.write_kv_item(text, text, jsonb) to anon, authenticated, service_role;

create function public.write_kv_item(store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.write_kv_item(store, key, value);
$$;
comment on function public.write_kv_item(text, text, jsonb) is
  'Stores a tagged value, such as {"S": "text"}, under a key in a store of the calling user. Returns {old_value}, or {} if the key had no value. 400 kv_key_invalid, kv_value_invalid; 401; 404 kv_store_not_found; 413 kv_size_limit.';
grant execute on function public.write_kv_item(text, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_missing_kv_item()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('kv_item_not_found', 'There is no item with this key in the store.');
end;
$$;
comment on function private.refuse_missing_kv_item() is 'Raises 404 kv_item_not_found for a key without an item.';

create function private.read_kv_item(store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_value jsonb := private.find_kv_item(private.require_user(), read_kv_item.store, read_kv_item.key);
begin
  if v_value is null then
    perform private.refuse_missing_kv_item();
  end if;
  return jsonb_build_object('value', v_value);
end;
$$;
comment on function private.read_kv_item(text, text) is
  'Implements public.read_kv_item. Definer, because no API role may call private.find_kv_item.';
grant execute on function private.read_kv_item(text, text) to anon, authenticated, service_role;

create function public.read_kv_item(store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.read_kv_item(store, key);
$$;
comment on function public.read_kv_item(text, text) is
  'Returns {value}, the value under a key in a store of the calling user. 401; 404 kv_store_not_found, kv_item_not_found.';
grant execute on function public.read_kv_item(text, text) to anon, authenticated, service_role;

create function private.delete_kv_item(store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb := private.remove_kv_item(private.lock_user(), delete_kv_item.store, delete_kv_item.key);
begin
  if v_old_value is null then
    perform private.refuse_missing_kv_item();
  end if;
  return jsonb_build_object('old_value', v_old_value);
end;
$$;
comment on function private.delete_kv_item(text, text) is
  'Implements public.delete_kv_item. Definer, because no API role may write items.';
grant execute on function private.delete_kv_item(text, text) to anon, authenticated, service_role;

create function public.delete_kv_item(store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_kv_item(store, key);
$$;
comment on function public.delete_kv_item(text, text) is
  'Deletes the item under a key in a store of the calling user. Returns {old_value}. 401; 404 kv_store_not_found, kv_item_not_found.';
grant execute on function public.delete_kv_item(text, text) to anon, authenticated, service_role;

-- sql/900_operation/10_runner_metrics.sql

create function private.runner_metrics()
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  -- clock_timestamp() is in sub-selects, because a volatile function in a condition prevents the use of an index.
  -- Runs that sleep and runs that do not sleep have different indexes, so they are read separately.
  with job as not materialized (
    select j.* from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union all
    select j.* from private.flow_run_jobs as j where j.sleeps_until is not null
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join job as j on j.message_id = m.msg_id
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      -- The sub-select searches an index for each run that has not ended. A join could read all runs.
      select count(*) from job as j
      where (select r.status from public.flow_run as r where r.id = j.flow_run_id) = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    ),
    'pending_webhooks', (select count(*) from public.webhook_deliveries as d where d.status = 'pending')
  )
  from queue cross join hidden;
$$;
comment on function private.runner_metrics() is
  'Implements public.runner_metrics. Definer, because no API role may access the queue.';
grant execute on function private.runner_metrics() to service_role;

create function public.runner_metrics()
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.runner_metrics();
$$;
--   queue_length           the runs that may be claimed now, including those of lost workers
--   oldest_queued_seconds  how long the oldest of these runs has waited; null if no run may be claimed now
--   delayed                the runs that no worker may claim before a later time
--   running                the runs that a worker holds
--   waiting                the runs that wait for a signature or an input
--   failed_last_hour       the runs that failed in the last hour
--   pending_webhooks       the deliveries that have not been made yet
comment on function public.runner_metrics() is
  'For operators: {queue_length, oldest_queued_seconds, delayed, running, waiting, failed_last_hour, pending_webhooks}. Only root runs are counted. pending_webhooks counts the deliveries that have not been made yet.';
grant execute on function public.runner_metrics() to service_role;

-- sql/900_operation/20_sweep_steps.sql

-- The steps of sweep_runner. Each step skips rows that other transactions have locked; the next sweep deletes these
-- rows. So a sweep never holds its locks while it waits for another lock. `offset 0` keeps the planner from making a
-- join of a `not exists`: a join would read the whole table, but a `not exists` searches an index for each row. The
-- settings of sweep_runner also apply to the plans of the steps.

create function private.runs_being_redriven()
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select unnest(j.redriven_from) from private.flow_run_jobs as j
  where j.redriven_from is not null and j.message_id is not null;
$$;
comment on function private.runs_being_redriven() is
  'The ids of the runs whose executions an unfinished redrive takes over. Definer, because no API role may access the jobs.';

create function private.delete_old_runs(max_age interval, max_runs integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_run_ids uuid[];
begin
  v_run_ids := array(
    select old.id from public.flow_run as old
    -- The id of a run contains the time at which the run was started. A run that ended long ago was also started long
    -- ago, so the search can use the ids. An index on end_time would slow every start.
    where old.id < (select private.uuid_v7(greatest(now() - delete_old_runs.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - delete_old_runs.max_age
      -- An unfinished redrive still reads the old run.
      and old.id <> all (array(select u.id from private.runs_being_redriven() as u (id)))
    order by old.id limit delete_old_runs.max_runs
    for update skip locked
  );
  -- While these runs are locked, they can't be redriven. This second query finds redrives that were committed
  -- before the lock.
  delete from public.flow_run as r
  where r.id = any (v_run_ids) and r.id <> all (array(select u.id from private.runs_being_redriven() as u (id)));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_runs(interval, integer) is
  'Deletes root runs that ended longer than max_age ago, and everything that belongs to them. Returns the number of deleted root runs. Definer, because no API role may write runs.';

create function private.delete_old_idempotency_keys(max_keys integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
begin
  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - make_interval(hours => private.limit_idempotency_hours())
    order by old.created_at limit delete_old_idempotency_keys.max_keys
    for update skip locked
  ));
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_old_idempotency_keys(integer) is
  'Deletes idempotency keys older than limit_idempotency_hours() hours, and returns how many. Definer, because no API role may access the keys.';

create function private.delete_stray_messages(max_messages integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  return (
    select count(*)
    from unnest(array(
      select m.msg_id from pgmq.q_flow_runs as m
      where not exists (
          select from private.flow_run_jobs as j
          where j.message_id = m.msg_id and j.message_id is not null and j.sleeps_until is null
        )
        and not exists (
          select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.sleeps_until is not null
        )
      limit delete_stray_messages.max_messages
      for update skip locked
    )) as stray (id)
    where pgmq.delete('flow_runs', stray.id)
  );
end;
$$;
comment on function private.delete_stray_messages(integer) is
  'Deletes messages without a run, and returns how many. Definer, because no API role may access queue and jobs.';

-- sql/900_operation/30_sweep_snapshots.sql

create function private.snapshots_of_pending_runs()
returns bytea[]
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.message_id is not null and j.sleeps_until is null
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.sleeps_until is not null
  );
end;
$$;
comment on function private.snapshots_of_pending_runs() is
  'The snapshot hashes of the runs that have not ended. Definer, because no API role may access the jobs.';

create function private.is_snapshot_redrivable(hash bytea)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  select exists (
    select from private.flow_run_jobs as j
    where j.snapshot_hash = is_snapshot_redrivable.hash and (j.failed_at is not null or j.stop_requested_at is not null)
  );
$$;
comment on function private.is_snapshot_redrivable(bytea) is
  'True if a run with this snapshot failed or was stopped. A redrive of such a run needs the snapshot. Definer, because no API role may access the jobs.';

create function private.delete_unused_snapshots(max_snapshots integer)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_count bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  v_used_hashes := private.snapshots_of_pending_runs();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
      and not private.is_snapshot_redrivable(s.hash)
    limit delete_unused_snapshots.max_snapshots
    for update skip locked
  );
  -- While these snapshots are locked, no new deployment or run can use them. The queries below find uses that began
  -- before the lock. The first query finds uses by deployments, the second query uses by runs. The first query does not
  -- see a deployment that was deleted meanwhile. But all starts from such a deployment are committed, so the second
  -- query sees their runs.
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
      -- A run that had not ended before the lock may have failed since then. Its redrive would need the snapshot.
      and not private.is_snapshot_redrivable(u.hash)
  );
  v_used_hashes := private.snapshots_of_pending_runs();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;
comment on function private.delete_unused_snapshots(integer) is
  'Deletes the snapshots that no deployment and no run needs, and returns how many. A run needs its snapshot until it ends, and after that as long as it may be redriven. Definer, because no API role may access snapshots and jobs.';

-- sql/900_operation/40_sweep_runner.sql

create function private.check_sweep_arguments(max_age interval, max_runs integer)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if check_sweep_arguments.max_age < make_interval(hours => private.limit_idempotency_hours()) then
    perform private.fail('request_invalid',
      format(
        'max_age: must be at least %s hours, '
        'because for that time a repeated start finds its run by the idempotency key.',
        private.limit_idempotency_hours()));
  end if;
  if check_sweep_arguments.max_runs is null or check_sweep_arguments.max_runs not between 1 and 10000 then
    perform private.fail('request_invalid', 'max_runs: must be an integer from 1 to 10000.');
  end if;
end;
$$;
comment on function private.check_sweep_arguments(interval, integer) is
  'Refuses arguments out of their range: 400 request_invalid.';

create function private.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- The sweep uses `not exists` to find messages and snapshots to which no row of another table refers. Rows refer to
-- most messages and snapshots, so the planner expects that a sequential scan soon finds such a row. But for each
-- message or snapshot that the sweep deletes, the scan would read the whole table.
set enable_seqscan = off
as $$
declare
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_idle_shares bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_messages := private.delete_stray_messages(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- This step comes last, because a start that needs one of these snapshots waits until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots, v_idle_shares)
  );
end;
$$;
comment on function private.sweep_runner(interval, integer) is
  'Implements public.sweep_runner. Definer, because no API role may delete runs or access the other tables.';
grant execute on function private.sweep_runner(interval, integer) to service_role;

create function public.sweep_runner(max_age interval default '30 days', max_runs integer default 1000)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.sweep_runner(max_age, max_runs);
$$;
-- Deletes runs that ended longer than max_age ago, with everything that belongs to them. If max_age is null, deletes no
-- runs. Also deletes idempotency keys older than 24 hours, messages without a run, the usage of idle callers and of
-- deleted deployments, and snapshots that nothing needs. Deployments, runs that have not ended, and runs that may be
-- redriven need their snapshots. Deletes at most max_runs rows of each kind. 400 request_invalid.
comment on function public.sweep_runner(interval, integer) is
  'For operators: deletes runs that ended longer than max_age ago, and other rows that are no longer needed, at most max_runs of each kind. Returns the counts, {runs, idempotency_keys, messages, snapshots, has_more}; call again if has_more is true. 400 request_invalid.';
grant execute on function public.sweep_runner(interval, integer) to service_role;

-- sql/900_operation/50_poke_runner.sql

-- Only hosted Supabase has pg_net and Vault, so this file calls them in dynamic SQL.
create function private.vault_secret(name text)
returns text
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select s.decrypted_secret from vault.decrypted_secrets as s where s.name = $1'
    into v_secret using vault_secret.name;
  end if;
  return nullif(v_secret, '');
end;
$$;
comment on function private.vault_secret(text) is
  'The secret with this name in Vault; null if the secret or Vault does not exist. For administrators only.';

create function private.poke_runner()
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_url text;
  v_key text;
  v_request_id bigint;
begin
  -- While nothing is due, no request is sent.
  if not private.has_claimable_run() and not private.has_due_webhook() then
    return 'nothing is queued';
  end if;
  if to_regproc('net.http_post') is null then
    return 'pg_net is not installed';
  end if;
  v_url := private.vault_secret('project_url');
  v_key := private.vault_secret('runner_key');
  if v_url is null or v_key is null then
    return 'Vault lacks the secret project_url or runner_key';
  end if;
  execute 'select net.http_post(url => $1, headers => $2, timeout_milliseconds => 5000)'
  into v_request_id
  using rtrim(v_url, '/') || '/functions/v1/runner', jsonb_build_object('apikey', v_key);
  return format('request %s is sent', v_request_id);
end;
$$;
-- project_url and runner_key in Vault are the project's address and secret key. pg_net stores the answer to request
-- N in row N of net._http_response.
comment on function private.poke_runner() is
  'For pg_cron: if a run or a webhook delivery waits for a worker, sends POST functions/v1/runner with pg_net, using project_url and runner_key in Vault. Returns a text that says what the call did, or why it did nothing.';

-- sql/900_operation/60_schedule_runner.sql

-- Only hosted Supabase has pg_cron, so this file calls it in dynamic SQL.
create function private.runner_cron_jobs(max_age interval)
returns table (name text, schedule text, command text)
language sql stable security invoker
set search_path = ''
as $$
  values
    ('flow_runner_poke', '10 seconds', 'select private.poke_runner()'),
    ('flow_runner_schedules', '5 seconds', 'select private.drive_schedules()'),
    -- Each execution of this job is one transaction, so its work is bounded: deleting 10,000 runs takes about half a
    -- second. One execution a minute deletes as many runs as 166 starts a second make.
    ('flow_runner_sweep', '* * * * *', format(
      'select private.sweep_runner(max_age => %L::interval, max_runs => 10000)', runner_cron_jobs.max_age
    )),
    -- pg_cron never deletes its own history.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_schedules'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$$;
comment on function private.runner_cron_jobs(interval) is
  'The jobs for pg_cron: poke the runner, start due schedules, delete runs that ended longer than max_age ago, and trim the history of the jobs.';

create function private.check_runner_schedule()
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_has_cron boolean := to_regprocedure('cron.schedule(text,text,text)') is not null;
  v_name text;
  v_waited numeric := private.runner_metrics() ->> 'oldest_queued_seconds';
begin
  return query values
    ('extension pg_cron', v_has_cron, 'runs the jobs; create extension pg_cron'),
    ('extension pg_net', to_regproc('net.http_post') is not null, 'sends the pokes; create extension pg_net'),
    ('secret project_url', private.vault_secret('project_url') is not null,
      'the project''s address; select vault.create_secret(''https://….supabase.co'', ''project_url'')'),
    ('secret runner_key', private.vault_secret('runner_key') is not null,
      'the project''s secret key; select vault.create_secret(''sb_secret_…'', ''runner_key'')');

  for v_name in select j.name from private.runner_cron_jobs(null) as j loop
    item := 'job ' || v_name;
    is_ok := null;
    if v_has_cron then
      execute $query$
        select j.active and r.status is distinct from 'failed',
          format('%s: %s; last run: %s', j.schedule, j.command,
            coalesce(nullif(concat_ws(', ', r.start_time, r.status, r.return_message), ''), 'none'))
        from cron.job as j
        left join lateral (
          select d.start_time, d.status, d.return_message from cron.job_run_details as d
          where d.jobid = j.jobid order by d.runid desc limit 1
        ) as r on true
        where j.jobname = $1
      $query$ into is_ok, note using v_name;
    end if;
    if is_ok is null then
      is_ok := false;
      note := 'is not scheduled; select * from private.schedule_runner()';
    end if;
    return next;
  end loop;

  return query select 'queue', coalesce(v_waited < 60, true),
    case
      when v_waited is null then 'no run waits for a worker'
      else format(
        'a run has waited %s s for a worker; answers to pokes: select * from net._http_response order by id desc',
        v_waited
      )
    end;
end;
$$;
comment on function private.check_runner_schedule() is
  'Checks everything that private.schedule_runner needs and creates. Returns one row for each item, with its fault and the remedy. The row "queue" says how long the oldest run has waited for a worker. A long time may mean that the requests of private.poke_runner fail. For administrators only.';

create function private.schedule_runner(max_age interval default '30 days')
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_job record;
begin
  perform private.check_sweep_arguments(schedule_runner.max_age, 1);
  if to_regprocedure('cron.schedule(text,text,text)') is not null then
    for v_job in select * from private.runner_cron_jobs(schedule_runner.max_age) loop
      execute 'select cron.schedule($1, $2, $3)' using v_job.name, v_job.schedule, v_job.command;
    end loop;
  end if;
  return query select c.* from private.check_runner_schedule() as c;
end;
$$;
comment on function private.schedule_runner(interval) is
  'Schedules the jobs of private.runner_cron_jobs with pg_cron. One of these jobs deletes runs max_age after their end; if max_age is null, it deletes no runs. A second call replaces the jobs. Returns the result of private.check_runner_schedule. 400 request_invalid. For administrators only.';

-- sql/900_operation/70_grant_runner.sql

create function private.grant_runner(worker regrole)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
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
      'end_token_refresh', 'expire_connection_token'
    )
  loop
    execute format('grant execute on function %s to %s', v_function, grant_runner.worker);
  end loop;
end;
$$;
comment on function private.grant_runner(regrole) is
  'For operators: grants a role the right to call the functions that a worker needs. The role can then execute runs, and do nothing else. Call it again after an upgrade that has replaced such functions. Invoker, so that only a caller who owns the functions can grant them.';

-- sql/950_files/10_user_buckets.sql

create function private.check_file_quota(user_id uuid, bucket text, name text, bytes bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_limit constant bigint := private.quota('file_bytes');
  v_replaced bigint;
begin
  perform private.lock_quota('file_bytes', check_file_quota.user_id);
  select private.counted_file_bytes(o.metadata) into v_replaced
  from storage.objects as o where o.bucket_id = check_file_quota.bucket and o.name = check_file_quota.name;
  if private.quota_use('file_bytes', check_file_quota.user_id) - coalesce(v_replaced, 0)
    + greatest(check_file_quota.bytes, private.limit_storage_counted_bytes()) > v_limit
  then
    perform private.refuse_use('file_bytes', v_limit);
  end if;
end;
$$;
comment on function private.check_file_quota(uuid, text, text, bigint) is
  'Implements public.check_file_quota. Definer, because no API role may read the files of others.';
grant execute on function private.check_file_quota(uuid, text, text, bigint) to service_role;

create function public.check_file_quota(user_id uuid, bucket text, name text, bytes bigint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.check_file_quota(user_id, bucket, name, bytes);
$$;
comment on function public.check_file_quota(uuid, text, text, bigint) is
  'For runners, to which the policies of Storage do not apply: refuses a file of the user that would exceed the quota file_bytes: 409 quota_exceeded. The name is the whole name in the bucket, with the user''s folder.';
grant execute on function public.check_file_quota(uuid, text, text, bigint) to service_role;

create function private.has_room_for_file(bucket text, name text, metadata jsonb)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.check_file_quota(
    auth.uid(), has_room_for_file.bucket, has_room_for_file.name, (has_room_for_file.metadata ->> 'size')::bigint
  );
  return true;
end;
$$;
comment on function private.has_room_for_file(text, text, jsonb) is
  'For the policies of storage.objects: true, or the error of private.check_file_quota for the calling user. Definer, because users may not check the quota of others.';
grant execute on function private.has_room_for_file(text, text, jsonb) to authenticated;

-- The buckets in which the nodes storage_* keep files. In a database without Supabase Storage, no buckets are made, and
-- these nodes fail.
do $$
begin
  if to_regclass('storage.buckets') is null then
    return;
  end if;

  insert into storage.buckets as b (id, name, public, file_size_limit)
  values
    ('user-storages', 'user-storages', false, private.limit_storage_file_bytes()),
    ('user-public-storages', 'user-public-storages', true, private.limit_storage_file_bytes())
  on conflict (id) do update set file_size_limit = coalesce(b.file_size_limit, excluded.file_size_limit);

  -- With their access tokens, users reach only their own files. This policy does not apply to flows; runner/storage/
  -- checks the paths that flows use, and asks for the quota. Hosted Storage makes the row as the user before it has the
  -- file, with no size, and stores it as another role.
  create policy "Users use their own folders" on storage.objects to authenticated
    using (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
    )
    with check (
      bucket_id in ('user-storages', 'user-public-storages')
      and (storage.foldername(name))[1] = (select auth.uid()::text)
      and private.has_room_for_file(bucket_id, name, metadata)
    );
end;
$$;
