select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
-- Even if a flow is as open as possible, only the owner sees its deployments, because their network address may contain
-- a secret.
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;

select test.sign_in(test.user_id('other'));
select test.keep('foreign', test.deploy(test.create_flow(test.user_id('other'))));

select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select results_eq(
  'select id, start_permission from public.flow_deployments', $$ values (test.kept('deployment')::uuid, 'Anonymous') $$,
  'the owner sees only their own deployments'
);
select is(
  test.row_count($$ select id, created_at, user_id, entrypoint, snapshot_hash, chain_network from public.flow_deployments $$), 1::bigint,
  'the owner can read every column'
);

select test.sign_in(test.user_id('other'));
select is(test.row_count('select from public.public_flows'), 1::bigint, 'another user sees the public flow');
select results_eq(
  'select id from public.flow_deployments', $$ values (test.kept('foreign')::uuid) $$, 'another user sees only their own deployments'
);

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(
  test.row_count($$ select from public.flow_deployments where id = test.kept('deployment')::uuid $$), 0::bigint,
  'an anonymous sign-in sees no deployments'
);

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_deployments'), '42501', 'anon may not read the table');

select test.sign_in_as_role('authenticated');
select is(test.row_count('select from public.flow_deployments'), 0::bigint, 'a token without a user sees nothing');

select test.sign_in_as_role('service_role');
select is(test.row_count('select from public.flow_deployments'), 2::bigint, 'the service role sees all deployments');

select * from finish();
