select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{run,other}'::text[]) as name;
select test.sign_out();
select test.keep(name, gen_random_uuid()) from unnest('{open,ended,grandchild}'::text[]) as name;
select public.claim_flow_runs(10, 60);

create function pg_temp.in_run(name text, row_of jsonb) returns jsonb language sql as $$
  select row_of || jsonb_build_object('flow_run_id', test.kept(name));
$$;
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid,
  jsonb_build_array(
    test.node_run('a', output => '{"M": {"x": {"U": "1"}}}'), test.node_run('caller', is_ended => false),
    pg_temp.in_run('open', test.node_run('inner', 3)), pg_temp.in_run('ended', test.node_run('hidden')),
    pg_temp.in_run('grandchild', test.node_run('deep', is_ended => false))
  ),
  jsonb_build_array(
    '{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "a"}'::jsonb,
    '{"log_index": 1, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "b"}'::jsonb,
    pg_temp.in_run('ended', '{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "c"}')
  ),
  jsonb_build_array(
    test.child(test.kept('open')::uuid, test.kept('run')::uuid, 7), test.child(test.kept('ended')::uuid, test.kept('run')::uuid, 8, 'failed', 'b'),
    test.child(test.kept('grandchild')::uuid, test.kept('open')::uuid, 9)
  )
));
select test.keep('history', private.flow_run_history(test.kept('run')::uuid)::text);
create temporary view child as select c from jsonb_array_elements(test.kept('history')::jsonb -> 'children') as c;
create temporary view node_run as select n from jsonb_array_elements(test.kept('history')::jsonb -> 'node_runs') as n;

select set_eq(
  $$ select c ->> 'id', c ->> 'parent_flow_run_id' as parent, c ->> 'status' as status from child $$,
  $$ values
    (test.kept('open'), test.kept('run'), 'running'), (test.kept('ended'), test.kept('run'), 'failed'),
    (test.kept('grandchild'), test.kept('open'), 'running') $$,
  '`children` has all runs below the root'
);
select is(
  c - '{start_time,end_time}'::text[],
  jsonb_build_object(
    'id', test.kept('ended'), 'flow_id', 8, 'parent_flow_run_id', test.kept('run'), 'parent_node_id', test.node_id('b'), 'parent_times', 0,
    'status', 'failed', 'inputs', '{"M": {"i": {"U": "1"}}}'::jsonb, 'output', '{"M": {"o": {"U": "2"}}}'::jsonb,
    'errors', '["a failed"]'::jsonb, 'not_run', '[]'::jsonb
  ),
  'a called run that has ended has its result'
)
from child where c ->> 'id' = test.kept('ended');
select set_eq(
  $$ select n ->> 'node_id' from node_run $$, array[test.node_id('a'), test.node_id('caller'), test.node_id('inner'), test.node_id('deep')]::text[],
  'only runs that have not ended have node runs, because the result of an ended run is enough'
);
select is(
  n,
  jsonb_build_object(
    'flow_run_id', test.kept('run'), 'node_id', test.node_id('a'), 'times', 0, 'attempt', 1, 'retry_at', null, 'start_time', timestamptz '2026-01-01T00:00:01Z',
    'end_time', timestamptz '2026-01-01T00:00:02Z', 'output', '{"M": {"x": {"U": "1"}}}'::jsonb, 'errors', null, 'error_handled', false, 'attempt_start_time', null
  ),
  'a node run has its output but not its input, which the runner can compute'
)
from node_run where n ->> 'node_id' = test.node_id('a')::text;
select is(
  test.kept('history')::jsonb -> 'log_counts', jsonb_build_object(test.kept('run'), 2, test.kept('ended'), 1),
  'log lines are counted for each run that has any'
);
select is(
  (test.kept('history')::jsonb ->> 'ended_executions')::integer,
  (select count(*)::integer from public.node_run where flow_run_id = test.kept('ended')::uuid),
  'executions of an ended called run are counted'
);
select isnt(test.kept('history')::jsonb ->> 'ended_executions', '0', 'at least one ended execution is counted');
select is(
  private.flow_run_history(test.kept('other')::uuid)::jsonb, '{"children": [], "node_runs": [], "transactions": [], "next": null, "log_counts": {}, "ended_executions": 0}', 'the history of another tree is empty'
);
select is(
  private.flow_run_history(gen_random_uuid())::jsonb, '{"children": [], "node_runs": [], "transactions": [], "next": null, "log_counts": {}, "ended_executions": 0}', 'a deleted run has no history'
);

select * from finish();
