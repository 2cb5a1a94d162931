select plan(9);

select test.create_user('owner');
select test.create_user('other');
select test.keep('called', test.create_flow(test.user_id('owner')));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('b', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
)));
create function pg_temp.error_of(as_of jsonb) returns text language sql as $$
  select test.error_code(format('select public.deploy_flow(%s, as_of => %L)', test.kept('flow'), as_of));
$$;

grant execute on function pg_temp.error_of(jsonb) to authenticated;

select test.sign_in(test.user_id('owner'));
select test.keep('as_of', public.read_flow_scripts(test.kept('flow')::integer) -> 'as_of');
select is(pg_temp.error_of(test.kept('as_of')::jsonb), null, 'a flow that has not changed is deployed');
select is(pg_temp.error_of(null), null, 'without as_of, a flow is deployed even if it has changed');

-- now() does not change within a transaction. So the test pretends that the called flow was read a microsecond earlier.
select test.keep('before', test.kept('as_of')::jsonb || jsonb_build_object(test.kept('called'), now() - interval '1 microsecond'));
select is(
  test.error(format('select public.deploy_flow(%s, as_of => %L)', test.kept('flow'), test.kept('before'))),
  '{"code": "flow_changed", "status": 409, "message": "The flow, or a flow that it calls, was changed during the deploy.", "details": null, "hint": "Deploy the flow again."}',
  'a flow that calls a changed flow is refused'
);
select is(
  pg_temp.error_of(public.read_flow_scripts(test.kept('flow')::integer) -> 'as_of'), null, 'after another reading, the flow is deployed'
);
select is(pg_temp.error_of(as_of), 'flow_changed', format('as_of %s does not match the flow', as_of))
from (values (jsonb '{"x": 1}'), ('{"99999999999": "2026-01-01"}')) as bad (as_of);
select is(pg_temp.error_of('[]'), null, 'a list as as_of names no flow, so the flow is deployed');
select is(test.row_count('select from public.flow_deployments'), 4::bigint, 'a refused deploy makes no deployment');

select test.sign_in(test.user_id('other'));
select is(
  test.error_code(format('select public.read_flow_scripts(%s)', test.kept('flow'))), 'flow_not_found', 'another user can not read the scripts'
);

select * from finish();
