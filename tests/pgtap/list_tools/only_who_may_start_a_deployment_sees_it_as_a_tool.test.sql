select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set name = 'secret name', description = 'secret text' where id = test.kept('flow')::integer;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set name = 'Shop', description = '' where id = test.kept('deployment')::uuid;

create function pg_temp.refusal(public_key text default null) returns text language sql as $$
  select test.error_code(format(
    'select public.list_tools(id => %L, public_key => %L)', test.kept('deployment'), refusal.public_key
  ));
$$;

grant execute on function pg_temp.refusal(text) to public;

select is(pg_temp.refusal(), null, 'the owner sees the tool');
select test.sign_in(test.user_id('other'));
select is(pg_temp.refusal(), 'deployment_not_found', 'another user does not');
select test.sign_in_as_role('anon');
select is(pg_temp.refusal('11111111111111111111111111111111'), 'deployment_not_found', 'a guest does not');
select is(pg_temp.refusal(), 'unauthenticated', 'a caller without any credential is refused');
select is(test.error_code('select public.list_tools()'), 'unauthenticated', 'only users have tools');
select is(
  test.error_code('select public.list_tools(id => test.kept(''deployment'')::uuid, flow => 1)'),
  'start_target_ambiguous', 'one deployment is named in one way'
);

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set start_permission = 'Anonymous' where id = test.kept('deployment')::uuid;
select test.sign_in_as_role('anon');
select is(pg_temp.refusal('11111111111111111111111111111111'), null, 'a guest sees what anybody may start');
select is(
  (public.list_tools(id => test.kept('deployment')::uuid, public_key => '11111111111111111111111111111111') #> '{tools,0}')
    - '{inputs,outputs,deployment_id}'::text[],
  jsonb_build_object('name', 'flow_' || test.kept('flow'), 'description', 'Shop', 'has_effects', false),
  'others learn the texts of the deployment, and not those of the flow'
);

select * from finish();
