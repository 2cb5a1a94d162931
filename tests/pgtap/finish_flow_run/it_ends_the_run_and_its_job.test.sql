select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep(name, public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id')
from unnest('{succeeded,failed,stopped,other}'::text[]) as name;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);

select public.finish_flow_run(
  test.kept('succeeded')::uuid, 1, 'succeeded', '{"M": {"c": {"D": "3"}}}', null, '{}', test.progress(
    test.kept('succeeded')::uuid, jsonb_build_array(test.node_run('a')),
    '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "done"}]', work_ms => 1234
  )
);
select results_eq(
  $$ select status, output, errors, not_run from public.flow_run where id = test.kept('succeeded')::uuid $$,
  $$ values ('succeeded', jsonb '{"M": {"c": {"D": "3"}}}', null::text[], '{}'::uuid[]) $$, 'a run succeeds with its output'
);
select results_eq(
  'select n.node_id, l.content from public.node_run as n cross join public.flow_run_logs as l', $$ values (test.node_id('a'), 'done') $$,
  'the last node runs and log lines are stored'
);
select ok(
  start_time <= end_time and end_time between clock_timestamp() - interval '1 minute' and clock_timestamp(), 'the end time of the run is now'
)
from public.flow_run where id = test.kept('succeeded')::uuid;

select public.finish_flow_run(
  test.kept('failed')::uuid, 1, 'failed', '{"M": {}}', '{a failed}', array[test.node_id('b')], test.progress(test.kept('failed')::uuid)
);
select results_eq(
  $$ select status, output, errors, not_run from public.flow_run where id = test.kept('failed')::uuid $$,
  $$ values ('failed', jsonb '{"M": {}}', '{a failed}'::text[], array[test.node_id('b')]) $$,
  'a failed run has its errors and the nodes that it has not run'
);

select public.finish_flow_run(test.kept('stopped')::uuid, 1, 'stopped', null, null, null, test.progress(test.kept('stopped')::uuid));
select results_eq(
  $$ select status, output, errors, not_run from public.flow_run where id = test.kept('stopped')::uuid $$,
  $$ values ('stopped', jsonb '{"M": {}}', null::text[], '{}'::uuid[]) $$, 'a stopped run has an output, which may be empty'
);

select results_eq(
  $$ select status, end_time from public.flow_run where id = test.kept('other')::uuid $$, $$ values ('running', null::timestamptz) $$,
  'another run has not ended'
);
select test.sign_out();
select results_eq(
  $$ select flow_run_id from private.flow_run_jobs where state = 'held' $$, $$ values (test.kept('other')::uuid) $$,
  'a worker holds only the other run'
);
select results_eq(
  $$ select count(*), max(work_ms) from private.flow_run_jobs where state = 'ended' and due_at is null $$, 'values (3::bigint, 1234::bigint)',
  'the jobs of the other runs have ended'
);

select * from finish();
