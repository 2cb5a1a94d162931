select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep('other', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');
select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');

select test.sign_in_as_role('service_role');
create temporary table claims as select 1 as number, c.* from public.claim_flow_runs(10, 0) as c;
select results_eq(
  'select node_runs, log_count from claims', $$ values (jsonb '[]', 0), ('[]', 0) $$, 'a first claim brings no node runs and no log lines'
);

select test.keep('node_runs', jsonb_build_array(
  jsonb_build_object(
    'node_id', test.node_id('a'), 'times', 0, 'start_time', '2026-01-01T00:00:01+00:00', 'end_time', '2026-01-01T00:00:02+00:00',
    'input', '{"M": {}}'::jsonb, 'output', '{"M": {"x": {"U": "1"}}}'::jsonb, 'errors', null
  ),
  jsonb_build_object(
    'node_id', test.node_id('b'), 'times', 0, 'start_time', '2026-01-01T00:00:03+00:00', 'end_time', '2026-01-01T00:00:04+00:00',
    'input', '{"M": {}}'::jsonb, 'output', null, 'errors', '["it failed"]'::jsonb
  ),
  jsonb_build_object(
    'node_id', test.node_id('b'), 'times', 1, 'start_time', '2026-01-01T00:00:05+00:00', 'end_time', null,
    'input', '{"M": {"i": {"U": "1"}}}'::jsonb, 'output', null, 'errors', null
  )
));
select public.checkpoint_flow_run(
  flow_run_id, message_id, attempt, 0, test.kept('node_runs')::jsonb,
  '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "a"},
    {"log_index": 1, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "b"}]'
)
from claims where flow_run_id = test.kept('run')::uuid;

insert into claims select 2, c.* from public.claim_flow_runs(10, 0) as c;
select is(
  node_runs, test.kept('node_runs')::jsonb, 'the next claim brings the node runs, finished or not, in the order in which they began'
)
from claims where number = 2 and flow_run_id = test.kept('run')::uuid;
select is(log_count, 2, 'and tells how many log lines there are') from claims where number = 2 and flow_run_id = test.kept('run')::uuid;
select results_eq(
  $$ select node_runs, log_count, attempt from claims where number = 2 and flow_run_id = test.kept('other')::uuid $$,
  $$ values (jsonb '[]', 0, 2) $$, 'another run has none of them'
);
select is_empty(
  'select from claims where snapshot is null', 'the graph comes with each claim, since the next runner may be another one'
);

select * from finish();
