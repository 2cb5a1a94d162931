select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('d' || n, test.deploy(test.kept('flow')::integer)) from generate_series(1, 5) as n;
update public.flow_deployments_tags set description = 'What runs now' where tag = 'latest';

select is(
  test.row_count($$ delete from public.flow_deployments where id = test.kept('d5')::uuid $$), 1::bigint, 'the newest deployment is deleted'
);
select results_eq(
  'select tag, deployment_id, description from public.flow_deployments_tags',
  $$ values ('latest', test.kept('d4')::uuid, 'What runs now') $$,
  'latest moves back to the previous deployment and keeps its description'
);

delete from public.flow_deployments where id = test.kept('d3')::uuid;
delete from public.flow_deployments where id = test.kept('d4')::uuid;
select results_eq(
  'select deployment_id from public.flow_deployments_tags', $$ values (test.kept('d2')::uuid) $$,
  'latest moves to the greatest id that is left, even over a gap'
);

select test.keep('d6', test.deploy(test.kept('flow')::integer));
select results_eq(
  'select deployment_id, description from public.flow_deployments_tags', $$ values (test.kept('d6')::uuid, 'What runs now') $$,
  'a deploy moves latest to the new deployment again'
);

delete from public.flow_deployments where id in (test.kept('d6')::uuid, test.kept('d2')::uuid);
select results_eq(
  'select deployment_id, description from public.flow_deployments_tags', $$ values (test.kept('d1')::uuid, 'What runs now') $$,
  'one statement that deletes several deployments moves latest to the newest one that is left'
);

select test.keep('d7', test.deploy(test.kept('flow')::integer));
select test.sign_in_as_role('service_role');
delete from public.flow_deployments where id = test.kept('d7')::uuid;
select results_eq(
  'select deployment_id, description from public.flow_deployments_tags', $$ values (test.kept('d1')::uuid, 'What runs now') $$,
  'latest also moves back when the service role deletes'
);

select * from finish();
