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

create function private.limit_row_start_rows()
returns integer
language sql immutable security invoker
return 10000;
comment on function private.limit_row_start_rows() is
  'Limit in rows: rows that a statement changes, if they start flows.';

create function private.limit_chain_depth()
returns integer
language sql immutable security invoker
return 16;
comment on function private.limit_chain_depth() is
  'Limit in runs: runs that have led to a start, each by a webhook or by a node that starts a flow or writes a row.';

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
  'Limit in bytes: headers of a request to an incoming webhook; also its query.';

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

create function private.limit_tool_name_characters()
returns integer
language sql immutable security invoker
return 64;
comment on function private.limit_tool_name_characters() is
  'Limit in characters: `tool_name` of a flow: letters, digits, `_`, `-`.';

create function private.limit_tool_description_characters()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_tool_description_characters() is
  'Limit in characters: `tool_description` of a flow.';

create function private.limit_tools_page_bytes()
returns integer
language sql immutable security invoker
return 1048576;
comment on function private.limit_tools_page_bytes() is
  'Limit in bytes: a page of `tools/list`, as stored; a single tool may have more.';

create function private.limit_tools_page()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_tools_page() is
  'Limit in flows: an answer to `tools/list`.';

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

create function private.limit_key_period_seconds()
returns integer
language sql immutable security invoker
return 86400;
comment on function private.limit_key_period_seconds() is
  'Limit in s: `key_period_seconds`, `debounce_seconds` and `debounce_max_seconds` of a deployment.';

create function private.limit_priority_seconds()
returns integer
language sql immutable security invoker
return 3600;
comment on function private.limit_priority_seconds() is
  'Limit in s: `priority` of a start, which may also be negative.';

create function private.limit_queue_key_characters()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_queue_key_characters() is
  'Limit in characters: the JSON of the input that `queue_key` names.';

create function private.limit_queue_keys()
returns integer
language sql immutable security invoker
return 10000;
comment on function private.limit_queue_keys() is
  'Limit in keys: keys of one deployment, approximately: those of runs that have not ended, and of starts in the last period.';

create function private.limit_queue_length()
returns integer
language sql immutable security invoker
return 100000;
comment on function private.limit_queue_length() is
  'Limit in runs: runs of the project that are claimable, or wait because of a limit by key, by default.';

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

create function private.limit_flow_input_title_characters()
returns integer
language sql immutable security invoker
return 200;
comment on function private.limit_flow_input_title_characters() is
  'Limit in characters: `title` of `flow_input`, and one of its `choices`.';

create function private.limit_flow_input_help_characters()
returns integer
language sql immutable security invoker
return 1000;
comment on function private.limit_flow_input_help_characters() is
  'Limit in characters: `help` of `flow_input`.';

create function private.limit_flow_input_choices()
returns integer
language sql immutable security invoker
return 100;
comment on function private.limit_flow_input_choices() is
  'Limit in choices: `choices` of `flow_input`.';

create function private.limit_flow_input_default_bytes()
returns integer
language sql immutable security invoker
return 4096;
comment on function private.limit_flow_input_default_bytes() is
  'Limit in bytes: the default of a `flow_input` with a type, as JSON.';

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

create function private.limit_input_answerers()
returns integer
language sql immutable security invoker
return 50;
comment on function private.limit_input_answerers() is
  'Limit in addresses: e-mail addresses in `answered_by` of `api_input`.';

create function private.limit_input_shown_bytes()
returns integer
language sql immutable security invoker
return 4096;
comment on function private.limit_input_shown_bytes() is
  'Limit in bytes: an input of the run that `api_input` shows, as JSON.';

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

create function private.limit_implementation_bytes()
returns integer
language sql immutable security invoker
return 131072;
comment on function private.limit_implementation_bytes() is
  'Limit in bytes: `data.implementation` of a described node, counted like the definition.';

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
  private.limit_row_start_rows(),
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
  private.limit_tool_name_characters(),
  private.limit_tool_description_characters(),
  private.limit_tools_page_bytes(),
  private.limit_tools_page(),
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
  private.limit_key_period_seconds(),
  private.limit_priority_seconds(),
  private.limit_queue_key_characters(),
  private.limit_queue_keys(),
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
  private.limit_flow_input_title_characters(),
  private.limit_flow_input_help_characters(),
  private.limit_flow_input_choices(),
  private.limit_flow_input_default_bytes(),
  private.limit_input_title_characters(),
  private.limit_input_description_characters(),
  private.limit_input_schema_bytes(),
  private.limit_input_choices(),
  private.limit_input_answerers(),
  private.limit_input_shown_bytes(),
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
  private.limit_implementation_bytes(),
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
    ('nodes', 5000, 'private node definitions'),
    ('node_bytes', 67108864, 'bytes of private node definitions'),
    ('schedules', 1000, 'schedules'),
    ('schedule_bytes', 4194304, 'bytes of inputs and values in schedules'),
    ('pending_webhooks', 10000, 'outgoing webhooks that were tried and are pending'),
    ('file_bytes', 1073741824, 'bytes of files in user-storages and user-public-storages, each file counted as 4096 bytes or more'),
    ('webhooks', 1000, 'incoming webhooks');
end;
$$;
comment on function private.known_quotas() is
  'The quotas with their defaults for each user. Bytes are counted as stored, after compression.';
