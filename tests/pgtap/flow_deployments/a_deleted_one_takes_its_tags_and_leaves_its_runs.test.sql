select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('kept', test.deploy(test.kept('flow')::integer));
select test.keep('deleted', test.deploy(test.kept('flow')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id) values
  (test.kept('flow')::integer, 'stable', test.kept('kept')::uuid),
  (test.kept('flow')::integer, 'v1', test.kept('deleted')::uuid),
  (test.kept('flow')::integer, 'v1.0', test.kept('deleted')::uuid);
select test.keep('run', public.start_deployment(id => test.kept('deleted')::uuid) ->> 'flow_run_id');

select is(
  test.row_count($$ delete from public.flow_deployments where id = test.kept('deleted')::uuid $$), 1::bigint,
  'a deployment with tags and runs can be deleted'
);
select results_eq(
  'select tag, deployment_id from public.flow_deployments_tags order by tag',
  $$ values ('latest', test.kept('kept')::uuid), ('stable', test.kept('kept')::uuid) $$,
  'the tags of the deployment are deleted, and other tags stay'
);
select results_eq(
  'select id, deployment_id, status from public.flow_run',
  $$ values (test.kept('run')::uuid, test.kept('deleted')::uuid, 'queued') $$,
  'the run of the deployment stays and keeps its deployment_id'
);

select test.sign_in_as_role('service_role');
select results_eq(
  'select flow_run_id, snapshot is not null from public.claim_flow_runs(1, 60)', $$ values (test.kept('run')::uuid, true) $$,
  'a run that waits in the queue can still be claimed'
);

select test.sign_in(test.user_id('owner'));
select is(
  test.error_code($$ select public.start_deployment(flow => test.kept('flow')::integer, tag => 'v1') $$), 'deployment_not_found',
  'the deleted tag can not be used for a start any more'
);

select * from finish();
