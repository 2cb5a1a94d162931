select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'x'), test.node('b', 'x')))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{run,other}'::text[]) as name;

select public.stop_flow_run(test.kept('run')::uuid, 'no more', 1000);
select results_eq(
  $$ select status, start_time, end_time is not null, output, errors, not_run from public.flow_run where id = test.kept('run')::uuid $$,
  $$ values ('stopped', null::timestamptz, true, jsonb '{"M": {}}', null::text[], array[test.node_id('a'), test.node_id('b')]) $$,
  'a run that was never claimed is stopped at once'
);
select test.keep('stopped', to_jsonb(r)) from public.flow_run as r where id = test.kept('run')::uuid;
select public.stop_flow_run(test.kept('run')::uuid);
select is(to_jsonb(r), test.kept('stopped')::jsonb, 'a second stop changes nothing') from public.flow_run as r where id = test.kept('run')::uuid;

select is((select r.stopped_by from public.flow_run as r where r.id = test.kept('run')::uuid), 'owner', 'stopped_by names the owner');

select test.sign_out();
select results_eq('select flow_run_id from private.flow_run_jobs where state <> ''ended''', $$ values (test.kept('other')::uuid) $$, 'the run leaves the queue');
select results_eq('select flow_run_id from public.claim_flow_runs(10, 60)', $$ values (test.kept('other')::uuid) $$, 'the stopped run can not be claimed');
select is(
  test.error_code($$ select public.finish_flow_run(test.kept('run')::uuid, 0, 'succeeded', null, null, null, '{}') $$), 'claim_lost',
  'no worker can finish the stopped run'
);

select * from finish();
