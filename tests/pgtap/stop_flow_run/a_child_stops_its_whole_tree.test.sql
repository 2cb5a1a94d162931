select plan(6);

select test.create_user('owner');
select test.create_user('starter');
select test.create_user('stranger');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select public.claim_flow_runs(10, 60);
select test.keep(name, gen_random_uuid()) from unnest('{child,grandchild}'::text[]) as name;
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, children => jsonb_build_array(
  test.child(test.kept('child')::uuid, test.kept('run')::uuid, 1, 'succeeded'),
  test.child(test.kept('grandchild')::uuid, test.kept('child')::uuid, 1)
)));

select test.sign_in(test.user_id('stranger'));
select is(
  test.error_code(format('select public.stop_flow_run(%L)', test.kept(name))), 'flow_run_not_found', name || ': for strangers the run does not exist'
)
from unnest('{run,grandchild}'::text[]) as name;
select test.sign_in(test.user_id('starter'));
select public.stop_flow_run(test.kept('grandchild')::uuid, 'by the starter');
select test.sign_out();
select results_eq(
  'select stop_reason from private.flow_run_jobs', $$ values ('by the starter') $$, 'a stop of a called run stops its root, whoever of the permitted callers asks'
);
select results_eq(
  $$ select count(*) from public.flow_run where status = 'running' $$, 'values (2::bigint)', 'the tree keeps running until its worker stops it'
);
select public.finish_flow_run(test.kept('run')::uuid, 1, 'stopped', null, null, null, '{}');
select results_eq(
  $$ select status from public.flow_run where id = test.kept('grandchild')::uuid $$, $$ values ('stopped') $$, 'when the worker stops the tree, the called run is stopped'
);
select test.sign_in(test.user_id('owner'));
select is(test.error_code(format('select public.stop_flow_run(%L)', test.kept('child'))), null, 'a repeated stop succeeds');

select * from finish();
