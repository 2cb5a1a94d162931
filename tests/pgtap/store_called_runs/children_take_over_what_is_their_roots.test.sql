select plan(5);

select test.create_user('owner');
select test.create_user('starter');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments
set start_permission = 'Anonymous', output_instructions = true, chain_network = '{"url": "https://rpc.example.com", "cluster": "testnet"}'
where true;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_in_as_role('anon');
select test.keep('by_key', public.start_deployment(
  id => test.kept('deployment')::uuid, public_key => '11111111111111111111111111111111', action_signer => '11111111111111111111111111111111'
) ->> 'flow_run_id');

select test.sign_out();
select public.claim_flow_runs(10, 60);
select test.keep(name, gen_random_uuid()) from unnest('{child,grandchild,child_by_key}'::text[]) as name;
-- The report lists `grandchild` before `child`, which called it. The report also names another owner for `child`.
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, children => jsonb_build_array(
  test.child(test.kept('grandchild')::uuid, test.kept('child')::uuid, 2),
  test.child(test.kept('child')::uuid, test.kept('run')::uuid, 1)
    || jsonb_build_object('user_id', test.user_id('starter'), 'deployment_id', test.kept('deployment'), 'fees', '[1]'::jsonb)
)));
select public.checkpoint_flow_run(test.kept('by_key')::uuid, 1, 60, test.progress(test.kept('by_key')::uuid, children => jsonb_build_array(
  test.child(test.kept('child_by_key')::uuid, test.kept('by_key')::uuid, 1)
)));

select results_eq(
  $$ select user_id, started_by, started_by_public_key, chain_network, flow_id, status, inputs from public.flow_run
    where id in (test.kept('child')::uuid, test.kept('grandchild')::uuid) order by flow_id $$,
  $$ select test.user_id('owner'), test.user_id('starter'), null::text, jsonb '{"cluster": "testnet"}', flow_id, 'running', jsonb '{"M": {"i": {"U": "1"}}}'
    from generate_series(1, 2) as flow_id $$,
  'owner, starter and network are the root''s, at every depth'
);
select results_eq(
  $$ select started_by, started_by_public_key from public.flow_run where id = test.kept('child_by_key')::uuid $$,
  $$ values (null::uuid, '11111111111111111111111111111111') $$, 'a starter may be a key'
);
select results_eq(
  $$ select deployment_id, output_instructions, action_identity, action_signer, fees from public.flow_run where parent_flow_run_id is not null group by 1, 2, 3, 4, 5 $$,
  $$ values (null::uuid, false, null::text, null::text, jsonb '[]') $$, 'the settings of a deployment are the root''s alone'
);
select is(count(*), 2::bigint, 'children have no job of their own') from private.flow_run_jobs;

select test.sign_in(test.user_id('starter'));
select is(
  test.row_count('select from public.flow_run'), 1::bigint, 'the starter reads the run that was started, and none of those that it called'
);

select * from finish();
