select plan(7);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
-- A row that the constraints of the table accept.
select test.keep('insertion', format(
  $$ insert into public.flow_deployments (id, created_at, user_id, entrypoint, snapshot_hash, chain_network)
  values (gen_random_uuid(), now(), %L, %s, %L, '{"url": "https://rpc.example.com", "cluster": "devnet"}') $$,
  test.user_id('owner'), test.kept('flow'), test.take_snapshot(test.kept('flow')::integer)
));

select test.sign_in(test.user_id('owner'));
select is(test.error_code(test.kept('insertion')), '42501', 'the owner of the flow may not insert a deployment');

select test.sign_in(test.user_id('other'));
select is(test.error_code(test.kept('insertion')), '42501', 'another user may not insert a deployment');

select test.sign_in_as_role('anon');
select is(test.error_code(test.kept('insertion')), '42501', 'anon may not insert a deployment');

select test.sign_in_as_role('service_role');
select is(test.error_code(test.kept('insertion')), '42501', 'the service role may not insert a deployment');
select is_empty('select * from public.flow_deployments', 'no deployment was inserted');

select test.sign_in(test.user_id('owner'));
select isnt(test.deploy(test.kept('flow')::integer), null, 'deploy_flow inserts a deployment');

select test.sign_out();
select is(test.error_code(test.kept('insertion')), null, 'the same insert succeeds with the privilege');

select * from finish();
