select plan(7);

select test.create_user('owner');
select test.create_user('starter');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('other', test.deploy(test.kept('flow')::integer));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select test.sign_in(test.user_id('starter'));
select public.start_deployment(id => test.kept('deployment')::uuid);
select test.sign_out();
select test.create_run(test.kept('flow')::integer);

-- The query that PostgREST makes to embed a deployment.
select test.keep('embedding', $$
  select r.deployment_id, d.id from public.flow_run as r left join lateral public.deployment(r) as d on true order by r.id
$$::text);

select test.sign_in(test.user_id('owner'));
select results_eq(
  test.kept('embedding'), $$ values (test.kept('deployment')::uuid, test.kept('deployment')::uuid), (null, null) $$,
  'the owner gets the deployment of the run, and none for a run without deployment'
);
select results_eq(
  'select r.deployment_id from public.flow_run as r where r.deployment_id is not null and exists (select from public.deployment(r))',
  $$ values (test.kept('deployment')::uuid) $$, 'exactly one deployment is returned'
);

select test.sign_in(test.user_id('starter'));
select results_eq(
  test.kept('embedding'), $$ values (test.kept('deployment')::uuid, null::uuid) $$,
  'the starter sees the run, but not the deployment, because the address of its network may be a secret'
);

select test.sign_in_as_role('anon');
select is(test.error_code('select public.deployment(null)'), '42501', 'anon may not read the deployment of a run');

select test.sign_in_as_role('service_role');
select results_eq(
  test.kept('embedding'), $$ values (test.kept('deployment')::uuid, test.kept('deployment')::uuid), (null, null) $$,
  'the service role gets the deployment'
);

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments where id = test.kept('deployment')::uuid;
select results_eq(
  test.kept('embedding'), $$ values (test.kept('deployment')::uuid, null::uuid), (null, null) $$, 'for a deleted deployment only the id is left'
);
select is(
  test.row_count('select from public.flow_run as r join public.flow_deployments as d on d.id = r.deployment_id'), 0::bigint,
  'nothing else is returned'
);

select * from finish();
