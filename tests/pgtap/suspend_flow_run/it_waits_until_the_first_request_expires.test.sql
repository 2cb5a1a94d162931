select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();

select test.ask(test.kept('run')::uuid, jsonb_build_array(
  test.request(timeout_ms => 100500), test.request('So11111111111111111111111111111111111111112', 90500),
  test.request('SysvarC1ock11111111111111111111111111111111', -1000), test.request('11111111111111111111111111111111', 30000)
));
update public.signature_requests as s set signature = repeat('1', 64) where s.pubkey = '11111111111111111111111111111111';
select test.keep('before', turn) from private.flow_run_jobs;
select test.sign_in_as_role('service_role');
select public.suspend_flow_run(
  test.kept('run')::uuid, 1, test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run('a')), work_ms => 7)
);
select test.sign_out();
select results_eq(
  'select status, end_time, errors from public.flow_run', $$ values ('waiting', null::timestamptz, null::text[]) $$, 'the run waits'
);
select results_eq('select node_id from public.node_run', array[test.node_id('a')], 'the progress is stored');
select results_eq('select state, claim_number, work_ms from private.flow_run_jobs', $$ values ('waiting'::private.job_state, 1, 7::bigint) $$, 'no worker holds the run');
select ok(turn > test.kept('before')::timestamptz, 'runs that arrived meanwhile are claimed before this run') from private.flow_run_jobs;
select ok(
  j.due_at >= s.expires_at and j.due_at < s.expires_at + interval '1.2 seconds',
  'the run can be claimed when the first open request has expired; answered and expired requests do not count'
)
from private.flow_run_jobs as j cross join public.signature_requests as s where s.pubkey like 'So1%';
select is(public.runner_metrics() -> 'waiting', '1', 'the metrics count the run as waiting');
select is(public.runner_metrics() -> 'delayed', '0', 'the metrics do not count the run as delayed');

-- The worker repeats its writes after the suspension. The suspended run stays as it is.
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 5, test.progress(test.kept('run')::uuid));
select private.heartbeat_flow_runs(jsonb_build_array(jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1)), 5);
select test.suspend(test.kept('run')::uuid);
select results_eq(
  'select r.status, j.state from public.flow_run as r join private.flow_run_jobs as j on j.flow_run_id = r.id',
  $$ values ('waiting', 'waiting'::private.job_state) $$, 'the run still waits'
);
select ok(test.due_in(test.kept('run')::uuid) > 85, 'the run still waits as long as before');

-- The run continues.
select test.let_time_pass();
select results_eq(
  'select flow_run_id, claim_number, lost_claim_count from public.claim_flow_runs(10, 60)', $$ values (test.kept('run')::uuid, 2, 0) $$,
  'the next claim gets the run, and no worker counts as lost'
);
select results_eq('select status from public.flow_run', $$ values ('running') $$, 'the run is running again');

select * from finish();
