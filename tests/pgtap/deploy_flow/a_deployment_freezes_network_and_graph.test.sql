select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), nodes => jsonb_build_array(test.node('a', 'x'))));
update public.flows set chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}' where true;
select test.sign_in(test.user_id('owner'));

select test.keep('answer', public.deploy_flow(test.kept('flow')::integer));
select results_eq(
  $$ select test.kept('answer')::jsonb $$, $$ select jsonb_build_object('deployment_id', id, 'warnings', '[]'::jsonb) from public.flow_deployments $$,
  'deploy_flow returns the id of the new deployment'
);
select test.keep('deployed', to_jsonb(d)) from public.flow_deployments as d;
select is(
  test.kept('deployed')::jsonb - '{id,created_at,snapshot_hash}'::text[],
  jsonb_build_object(
    'user_id', test.user_id('owner'), 'entrypoint', test.kept('flow')::integer, 'start_permission', 'Owner', 'output_instructions', false,
    'action_identity', null, 'name', '', 'description', '', 'icon_url', null, 'fees', '[]'::jsonb,
    'chain_network', '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}'::jsonb,
    'input_names', '[]'::jsonb, 'typed_inputs', null, 'max_starts_per_minute', null, 'max_runs_in_flight', null, 'queue_key', null, 'queue_key_shared', false, 'max_running_per_key', null,
    'max_starts_per_key', null, 'key_period_seconds', null, 'debounce_seconds', null, 'debounce_max_seconds', null, 'on_end', null, 'model_limits', null
  ),
  'the deployment has the network of the flow and default settings'
);

update public.flows set nodes = '[]', chain_network = '{"url": "http://127.0.0.1:8899", "cluster": "devnet"}' where true;
select is(to_jsonb(d), test.kept('deployed')::jsonb, 'later edits of the flow do not change the deployment') from public.flow_deployments as d;

select test.deploy(test.kept('flow')::integer);
select results_eq(
  $$ select chain_network ->> 'cluster' from public.flow_deployments order by id $$, $$ values ('mainnet-beta'), ('devnet') $$,
  'the next deployment has the flow as it is then'
);
select results_eq(
  'select count(distinct snapshot_hash) from public.flow_deployments', 'values (2::bigint)', 'the next deployment has the new graph'
);

select * from finish();
