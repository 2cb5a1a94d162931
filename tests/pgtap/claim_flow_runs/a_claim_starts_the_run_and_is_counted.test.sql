select plan(9);

select test.create_user('owner');
select test.create_user('starter');
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('a')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select test.sign_in(test.user_id('starter'));
select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid, inputs => '{"a": {"N": 0}}') ->> 'flow_run_id');

select test.sign_in_as_role('service_role');
select results_eq(
  'select status, start_time from public.flow_run', $$ values ('queued', null::timestamptz) $$, 'before the claim, the run is queued'
);
create temporary table claims as select 1 as number, c.* from public.claim_flow_runs(10, 60) as c;
select results_eq(
  'select flow_run_id, claim_number, flow_id, user_id, started_by, inputs, work_ms, stop from claims',
  $$ values (
    test.kept('run')::uuid, 1, test.kept('flow')::integer, test.user_id('owner'), test.user_id('starter')::text, jsonb '{"M": {"a": {"N": 0}}}',
    0::bigint, null::jsonb
  ) $$,
  'a first claim has claim_number 1, and returns the owner, starter and inputs of the run'
);
select results_eq(
  'select status, start_time between clock_timestamp() - interval ''1 minute'' and clock_timestamp(), end_time from public.flow_run',
  $$ values ('running', true, null::timestamptz) $$, 'the run is running, and its start_time is now'
);
select test.keep('start_time', start_time) from public.flow_run;

select test.release_all();
insert into claims select 2, c.* from public.claim_flow_runs(10, 60) as c;
select test.release_all();
insert into claims select 3, c.* from public.claim_flow_runs(10, 60) as c;
select results_eq('select claim_number from claims order by number', 'values (1), (2), (3)', 'each claim has the next number');
select is(count(distinct (flow_run_id, snapshot_hash, snapshot, inputs, settings)), 1::bigint, 'each claim returns the same run and settings')
from claims;
select is(start_time, test.kept('start_time')::timestamptz, 'the run has started when it was claimed first') from public.flow_run;

select test.sign_out();
select results_eq('select claim_number from private.flow_run_jobs', 'values (3)', 'the job has the number of the newest claim');
select results_eq('select state from private.flow_run_jobs', $$ values ('held'::private.job_state) $$, 'a worker holds the run');

-- A waiting run continues when it is claimed.
select test.release_all();
update public.flow_run set status = 'waiting' where true;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);
select results_eq('select status from public.flow_run', $$ values ('running') $$, 'a waiting run that is claimed is running again');

select * from finish();
