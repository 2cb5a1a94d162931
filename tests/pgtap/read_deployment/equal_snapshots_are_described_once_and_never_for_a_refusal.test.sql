select plan(5);

create function pg_temp.described() returns bigint language sql security definer as $$
  select count(*) from private.flow_snapshot_interfaces;
$$;
grant execute on function pg_temp.described() to public;

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('in', 'flow_input', '{out}', '{}', '{"label": "a"}'))));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));

select test.sign_in(test.user_id('other'));
select is(test.error_code($$ select public.read_deployment(id => test.kept('deployment')::uuid) $$), 'deployment_not_found', 'a stranger is refused');
select test.sign_in_as_role('anon');
select is(
  test.error_code($$ select public.read_deployment(id => test.kept('deployment')::uuid, public_key => '11111111111111111111111111111111') $$),
  'deployment_not_found', 'a public key that may not start the deployment is refused'
);
select is(pg_temp.described(), 0::bigint, 'a refusal computes no description, so that its time reveals nothing');
select test.sign_in(test.user_id('owner'));
select isnt(public.read_deployment(id => test.kept('deployment')::uuid), null, 'the owner can read the deployment');
select test.keep('again', test.deploy(test.kept('flow')::integer));
select public.read_deployment(id => test.kept('again')::uuid);
select is(pg_temp.described(), 1::bigint, 'deployments with the same snapshot share one description');

select * from finish();
