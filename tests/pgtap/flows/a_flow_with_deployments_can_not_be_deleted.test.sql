select plan(8);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('undeployed', test.create_flow(test.user_id('owner')));

select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
select test.keep('second', test.deploy(test.kept('flow')::integer));

select is(
  test.row_count($$ delete from public.flows where id = test.kept('undeployed')::integer $$), 1::bigint,
  'a flow without deployments can be deleted, even if other flows have deployments'
);
select is(
  test.error($$ delete from public.flows where id = test.kept('flow')::integer $$),
  jsonb_build_object(
    'code', 'flow_has_deployments', 'status', 409, 'details', null, 'hint', 'Delete its deployments first.',
    'message', format('Flow %s has deployments, so it can''t be deleted.', test.kept('flow'))
  ),
  'a flow with deployments can not be deleted, and the error gives the reason'
);

select test.sign_in_as_role('service_role');
select is(
  test.error_code($$ delete from public.flows where id = test.kept('flow')::integer $$), 'flow_has_deployments',
  'the service role can not delete a flow with deployments, either'
);

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments where id = test.kept('second')::uuid;
select is(test.error_code('delete from public.flows'), 'flow_has_deployments', 'a single deployment prevents the deletion');
select is(test.row_count('select from public.flow_deployments'), 1::bigint, 'the refused deletion has deleted no deployment');

delete from public.flow_deployments where id = test.kept('first')::uuid;
select is(test.row_count('delete from public.flows'), 1::bigint, 'a flow can be deleted when all its deployments are deleted');
select is(test.row_count('select from public.flows'), 0::bigint, 'the flow is deleted');
select is(test.row_count('select from public.flow_deployments_tags'), 0::bigint, 'the tags of the flow are deleted');

select * from finish();
