select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select is_empty('select * from public.flow_deployments_tags', 'before its first deployment a flow has no tag');

select test.keep('first', test.deploy(test.kept('flow')::integer));
select results_eq(
  'select user_id, entrypoint, tag, deployment_id, description from public.flow_deployments_tags',
  $$ values (test.user_id('owner'), test.kept('flow')::integer, 'latest', test.kept('first')::uuid, null::text) $$,
  'the first deployment is latest, without a description'
);

update public.flow_deployments_tags set description = 'What runs now' where tag = 'latest';
select test.keep('second', test.deploy(test.kept('flow')::integer));
select results_eq(
  'select tag, deployment_id, description from public.flow_deployments_tags',
  $$ values ('latest', test.kept('second')::uuid, 'What runs now') $$,
  'latest moves to the second deployment and keeps its description'
);

insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('first')::uuid);
select test.keep('third', test.deploy(test.kept('flow')::integer));
select results_eq(
  $$ select tag, deployment_id from public.flow_deployments_tags order by tag $$,
  $$ values ('latest', test.kept('third')::uuid), ('stable', test.kept('first')::uuid) $$,
  'a deploy moves only latest'
);

select test.keep('other', test.deploy(test.kept('neighbour')::integer));
select results_eq(
  $$ select entrypoint, deployment_id from public.flow_deployments_tags where tag = 'latest' order by entrypoint $$,
  $$ values (test.kept('flow')::integer, test.kept('third')::uuid), (test.kept('neighbour')::integer, test.kept('other')::uuid) $$,
  'each flow has its own tag latest'
);
select results_eq(
  $$ select t.deployment_id from public.flow_deployments_tags as t where tag = 'latest' order by 1 $$,
  $$ select max(d.id::text)::uuid from public.flow_deployments as d group by entrypoint order by 1 $$,
  'latest names the deployment with the greatest id of the flow'
);

select * from finish();
