select plan(7);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('a')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set
  start_permission = 'Authenticated', output_instructions = true, action_identity = 'So11111111111111111111111111111111111111112',
  fees = '[["11111111111111111111111111111111", 18446744073709551615]]',
  chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}'
where true;

select test.sign_in(test.user_id('other'));
select test.keep('run', public.start_deployment(
  id => test.kept('deployment')::uuid, inputs => '{"a": {"S": "text"}}', action_signer => '11111111111111111111111111111111'
) ->> 'flow_run_id');

select test.sign_out();
select test.keep('started', to_jsonb(r)) from public.flow_run as r;
select is(
  test.kept('started')::jsonb - 'created_at',
  jsonb_build_object(
    'id', test.kept('run'), 'user_id', test.user_id('owner'), 'flow_id', test.kept('flow')::integer, 'deployment_id',
    test.kept('deployment'),
    'status', 'queued', 'started_by', test.user_id('other'), 'started_by_public_key', null, 'inputs', '{"M": {"a": {"S": "text"}}}'::jsonb,
    'output', null, 'errors', null, 'error_code', null, 'not_run', null, 'start_time', null, 'end_time', null,
    'schedule_id', null, 'webhook_id', null, 'row_start_id', null, 'redriven_from', null, 'started_by_run_id', null, 'stopped_by', null, 'parent_flow_run_id', null, 'parent_node_id', null,
    'parent_times', null,
    'output_instructions', true, 'action_identity', 'So11111111111111111111111111111111111111112',
    'action_signer', '11111111111111111111111111111111', 'fees', '[["11111111111111111111111111111111", 18446744073709551615]]'::jsonb,
    'chain_network', '{"cluster": "mainnet-beta"}'::jsonb, 'usage', '{}'::jsonb
  ),
  'a run is the flow owner''s, knows its starter and takes the deployment''s settings'
);
select results_eq(
  'select settings #>> ''{chain_network,url}'', snapshot_hash, claim_number from private.flow_run_jobs',
  'select ''https://rpc.example.com/?key=secret'', snapshot_hash, 0 from public.flow_deployments',
  'the address of the network, which may be a secret, is in the job'
);
select results_eq(
  'select created_at from public.flow_run', 'select private.uuid_v7_time(id) from public.flow_run', 'created_at is the time in the id'
);
select ok(created_at between clock_timestamp() - interval '1 minute' and clock_timestamp(), 'created_at is now') from public.flow_run;

-- The deployment is changed, and then deleted.
select test.sign_in(test.user_id('owner'));
update public.flow_deployments
set
  start_permission = 'Owner', output_instructions = false, action_identity = null, fees = '[]',
  chain_network = '{"url": "http://127.0.0.1:8899", "cluster": "devnet"}'
where true;
select test.sign_out();
select is(to_jsonb(r), test.kept('started')::jsonb, 'a later change of the deployment doesn''t change the run') from public.flow_run as r;
select is(settings #>> '{chain_network,url}', 'https://rpc.example.com/?key=secret', 'a changed deployment does not change the job') from private.flow_run_jobs;

delete from public.flow_deployments where true;
select is(to_jsonb(r), test.kept('started')::jsonb, 'a deleted deployment does not change the run') from public.flow_run as r;

select * from finish();
