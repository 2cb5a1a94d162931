select plan(2);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('error', test.error(format('update public.flow_deployments set chain_network = %L where id = %L',
  (select jsonb_object_agg(n || repeat('x', 5000), 1) from generate_series(1, 1000) as n), test.kept('deployment'))));
select is(test.kept('error')::jsonb ->> 'code', 'chain_network_invalid', 'a network with unknown members is refused');
select ok(octet_length(test.kept('error')) < 8000, 'the error names only the first unknown members, shortened');

select * from finish();
