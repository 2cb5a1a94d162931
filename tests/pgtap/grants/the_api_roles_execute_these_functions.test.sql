-- The view below lists all rights that the API roles have, also through the role public and through membership in other
-- roles. To grant a new right, first add it to the list in this test.
select plan(5);

create temporary view held as
  select p.pronamespace::regnamespace::text as schema, p.proname::text as name, string_agg(r.role, ', ' order by r.role) as roles
  from pg_proc as p cross join unnest('{anon,authenticated,service_role}'::text[]) as r (role)
  where p.pronamespace in ('public'::regnamespace, 'private'::regnamespace) and has_function_privilege(r.role, p.oid, 'execute')
  group by p.oid;

select set_eq(
  $$ select name, roles from held where schema = 'public' $$,
  $$ values
    ('answer_signature_request', 'service_role'),
    ('asking_flow_runs', 'service_role'),
    ('await_flow_run_result', 'anon, authenticated, service_role'),
    ('begin_action_lookup', 'service_role'),
    ('called_flow_runs', 'anon, authenticated, service_role'),
    ('cancel_input', 'service_role'),
    ('check_file_quota', 'service_role'),
    ('check_flow', 'anon, authenticated, service_role'),
    ('checkpoint_flow_run', 'service_role'),
    ('claim_flow_runs', 'service_role'),
    ('claim_webhook_deliveries', 'service_role'),
    ('create_api_key', 'anon, authenticated, service_role'),
    ('delete_api_key', 'anon, authenticated, service_role'),
    ('create_kv_store', 'anon, authenticated, service_role'), ('delete_kv_store', 'anon, authenticated, service_role'),
    ('write_kv_item', 'anon, authenticated, service_role'), ('read_kv_item', 'anon, authenticated, service_role'),
    ('delete_kv_item', 'anon, authenticated, service_role'),
    ('create_webhook', 'anon, authenticated, service_role'),
    ('compare_deploy_settings', 'anon, authenticated, service_role'),
    ('deploy_flow', 'anon, authenticated, service_role'),
    ('deployment', 'authenticated, service_role'), ('started_by_email', 'authenticated, service_role'),
    ('deployment_graph', 'anon, authenticated, service_role'),
    ('flow_has_changed', 'anon, authenticated, service_role'),
    ('finish_flow_run', 'service_role'),
    ('finish_flow_runs', 'service_role'),
    ('flow_run_events', 'anon, authenticated, service_role'),
    ('flow_run_result', 'anon, authenticated, service_role'), ('flow_run_wait', 'anon, authenticated, service_role'),
    ('find_flow_runs', 'anon, authenticated, service_role'), ('flow_run_overview', 'anon, authenticated, service_role'),
    ('flow_run_stats', 'anon, authenticated, service_role'),
    ('flow_run_history', 'service_role'),
    ('flow_run_history_page', 'service_role'), ('earlier_flow_runs', 'service_role'),
    ('flow_history', 'anon, authenticated, service_role'), ('keep_flow_version', 'anon, authenticated, service_role'),
    ('restore_flow_version', 'anon, authenticated, service_role'),
    ('heartbeat_flow_runs', 'service_role'),
    ('input_answerer', 'anon, authenticated, service_role'), ('may_answer', 'anon, authenticated'),
    ('kv_create_store', 'service_role'),
    ('kv_delete_store', 'service_role'),
    ('kv_read_item', 'service_role'),
    ('kv_write_item', 'service_role'),
    ('make_claim_token', 'service_role'),
    ('primary_key_columns', 'service_role'),
    ('max_queue_length', 'service_role'),
    ('next_cron_times', 'anon, authenticated, service_role'),
    ('pending_input_owners', 'service_role'),
    ('pending_signature_request', 'anon, authenticated, service_role'),
    ('quotas', 'service_role'),
    ('read_deployment', 'anon, authenticated, service_role'), ('list_tools', 'anon, authenticated, service_role'),
    ('tool_run', 'anon, authenticated, service_role'),
    ('read_flow_scripts', 'anon, authenticated, service_role'),
    ('read_wallet_secret', 'service_role'),
    ('connection_id_to_store', 'service_role'), ('read_connection_secret', 'service_role'),
    ('begin_token_refresh', 'service_role'), ('end_token_refresh', 'service_role'), ('expire_connection_token', 'service_role'), ('store_connection', 'service_role'), ('store_connection_test', 'service_role'), ('read_claimed_connection', 'service_role'),
    ('begin_model_call', 'service_role'), ('store_model_usage', 'service_role'),
    ('redeliver_webhook', 'anon, authenticated, service_role'),
    ('receive_webhook', 'anon'),
    ('release_flow_run', 'service_role'),
    ('rotate_on_end_secret', 'anon, authenticated, service_role'),
    ('rotate_run_token_secret', 'service_role'),
    ('runner_metrics', 'service_role'),
    ('set_max_queue_length', 'service_role'),
    ('set_quota', 'service_role'),
    ('set_webhook_verification', 'anon, authenticated, service_role'),
    ('signature_request_for_caller', 'anon, authenticated, service_role'),
    ('start_due_schedules', 'service_role'),
    ('start_deployment', 'anon, authenticated, service_role'),
    ('start_flow', 'anon, authenticated, service_role'),
    ('redrive_flow_run', 'anon, authenticated, service_role'), ('redrive_flow_runs', 'anon, authenticated, service_role'),
    ('stop_flow_run', 'anon, authenticated, service_role'),
    ('store_transaction', 'service_role'),
    ('store_webhook_attempt', 'service_role'),
    ('store_wallet', 'service_role'),
    ('submit_input', 'service_role'),
    ('suspend_flow_run', 'service_role'),
    ('sweep_runner', 'service_role'),
    ('take_api_inputs', 'service_role'),
    ('turn_owners', 'service_role'),
    ('watched_run_events', 'service_role'),
    ('webhook_owners', 'service_role'),
    ('whoami', 'anon, authenticated, service_role')
  $$,
  'these functions are the API; functions that everybody may call check the caller themselves'
);
select set_eq(
  $$ select distinct case when name like 'limit\_%' then 'limit_*' else name end, roles
  from held as h where schema = 'private' and not exists (
    select from held as twin where twin.schema = 'public' and twin.name = h.name and twin.roles = h.roles
  ) $$,
  $$ values
    -- Functions that each request calls.
    ('api_key_claims', 'anon'), ('claim_token_claims', 'anon'), ('guest_time_limit', 'anon'),
    ('credential_claims', 'anon, authenticated, service_role'),
    ('error_status', 'anon, authenticated, service_role'),
    ('fail', 'anon, authenticated, service_role'),
    ('pre_request', 'anon, authenticated, service_role'),
    ('request_header', 'anon, authenticated, service_role'),
    ('shorten', 'anon, authenticated, service_role'),
    ('token_run_id', 'anon, authenticated, service_role'),
    ('inputs_asked_of_caller', 'authenticated'),
    -- Functions that a worker calls over its own database connection, in a session of the service role.
    ('await_claimable_runs', 'service_role'),
    -- Called by a claim that finds no runs.
    ('has_due_webhook', 'service_role'),
    -- Functions that the Edge Function flow calls over its own database connection, in a session of the service role.
    ('listen_for_run_news', 'service_role'),
    -- Functions that the checks and triggers of tables call when these roles write the tables.
    ('has_room_for_file', 'authenticated'),
    ('check_node_definition', 'authenticated, service_role'),
    ('check_tag', 'authenticated, service_role'),
    ('decode_base58', 'authenticated, service_role'),
    ('are_forwardable_headers', 'authenticated, service_role'),
    ('check_graph_column', 'authenticated, service_role'), ('check_json_column', 'authenticated, service_role'),
    ('first_elements', 'authenticated, service_role'),
    ('implementation_fault', 'authenticated, service_role'),
    ('is_chain_network', 'authenticated, service_role'),
    ('is_described', 'authenticated, service_role'),
    ('is_fees', 'authenticated, service_role'),
    ('is_icon_url', 'authenticated, service_role'),
    ('is_public_key', 'authenticated, service_role'),
    ('is_string_map', 'authenticated, service_role'),
    ('is_webhook_hmac', 'authenticated, service_role'),
    ('json_bytes', 'authenticated, service_role'),
    ('json_digits', 'authenticated, service_role'),
    ('json_faults', 'authenticated, service_role'),
    ('limit_*', 'authenticated, service_role'),
    ('long_number_path', 'authenticated, service_role'),
    ('measure_json', 'authenticated, service_role'),
    ('node_definition', 'authenticated, service_role'),
    ('node_definition_faults', 'authenticated, service_role'),
    ('node_definition_shape', 'authenticated, service_role'),
    ('node_poster', 'authenticated'),
    ('on_end_faults', 'authenticated, service_role'),
    ('model_limits_faults', 'authenticated, service_role'),
    ('refuse_column', 'authenticated, service_role'),
    ('refuse_latest', 'authenticated, service_role'),
    ('refuse_missing_keypair', 'authenticated, service_role'),
    ('shape_faults', 'authenticated, service_role'),
    ('size_text', 'authenticated, service_role'),
    ('uuid_v7', 'authenticated, service_role')
  $$,
  'in schema private, the API roles may execute the implementations of these functions, and functions that requests and checks call'
);
select is_empty(
  $$ select name from held group by schema, name having count(*) > 1 $$, 'no name stands for two functions, which PostgREST could mix up'
);

grant execute on function private.take_snapshot(public.flows) to public;
select results_eq(
  $$ select roles from held where name = 'take_snapshot' $$, $$ values ('anon, authenticated, service_role') $$,
  'a grant to public is found'
);
create function public.canary() returns integer language sql as 'select 1';
grant execute on function public.canary() to anon;
select results_eq($$ select schema, roles from held where name = 'canary' $$, $$ values ('public', 'anon') $$, 'a new function is found');

select * from finish();
