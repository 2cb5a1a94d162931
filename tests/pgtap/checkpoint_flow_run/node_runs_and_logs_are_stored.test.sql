select plan(7);

select test.create_user('owner');
select test.create_user('starter');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Authenticated' where true;
select test.sign_in(test.user_id('starter'));
select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');

select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);
create function pg_temp.checkpoint(node_runs jsonb, logs jsonb) returns void language sql as $$
  select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, node_runs, logs));
$$;
grant execute on function pg_temp.checkpoint(jsonb, jsonb) to public;
select test.sign_in_as_role('service_role');

-- A node begins.
select pg_temp.checkpoint(
  jsonb_build_array(jsonb_build_object(
    'node_id', test.node_id('a'), 'times', 0, 'start_time', '2026-01-01T00:00:01Z', 'input', '{"M": {}}'::jsonb
  )),
  '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Warn", "content": "An edge was dropped"}]'
);
select results_eq(
  'select flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors from public.node_run',
  $$ values (
    test.kept('run')::uuid, test.node_id('a'), 0, test.user_id('owner'), timestamptz '2026-01-01T00:00:01Z', null::timestamptz,
    jsonb '{"M": {}}', null::jsonb, null::text[]
  ) $$,
  'a node that has begun is stored as the flow owner''s'
);
select results_eq(
  'select flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content from public.flow_run_logs',
  $$ values (
    test.kept('run')::uuid, 0, test.user_id('owner'), null::uuid, null::integer, timestamptz '2026-01-01T00:00:00Z', 'Warn', null::text,
    'An edge was dropped'
  ) $$,
  'a log line is stored'
);

-- The node ends, another node fails, and a third node begins.
select pg_temp.checkpoint(
  jsonb_build_array(
    jsonb_build_object(
      'node_id', test.node_id('a'), 'times', 0, 'start_time', '2026-01-01T00:00:01Z', 'end_time', '2026-01-01T00:00:02Z',
      'input', '{"M": {}}'::jsonb, 'output', '{"M": {"x": {"N": 0}}}'::jsonb
    ),
    jsonb_build_object(
      'node_id', test.node_id('a'), 'times', 1, 'start_time', '2026-01-01T00:00:03Z', 'end_time', '2026-01-01T00:00:04Z',
      'input', '{"M": {}}'::jsonb, 'errors', '["it failed", "badly"]'::jsonb
    ),
    jsonb_build_object('node_id', test.node_id('b'), 'times', 0, 'start_time', '2026-01-01T00:00:05Z', 'input', '{"M": {}}'::jsonb)
  ),
  jsonb_build_array(jsonb_build_object(
    'log_index', 1, 'node_id', test.node_id('a'), 'times', 1, 'time', '2026-01-01T00:00:04Z', 'log_level', 'Error', 'module', 'm',
    'content', 'c'
  ))
);
select results_eq(
  'select node_id, times, end_time, output, errors from public.node_run order by start_time',
  $$ values
    (test.node_id('a'), 0, timestamptz '2026-01-01T00:00:02Z', jsonb '{"M": {"x": {"N": 0}}}', null::text[]),
    (test.node_id('a'), 1, '2026-01-01T00:00:04Z', null, '{"it failed",badly}'),
    (test.node_id('b'), 0, null, null, null) $$,
  'nodes that ended are completed, and nodes that began are added'
);
select results_eq(
  'select node_id, times, log_level, module, content from public.flow_run_logs order by log_index',
  $$ values (null::uuid, null::integer, 'Warn', null::text, 'An edge was dropped'), (test.node_id('a'), 1, 'Error', 'm', 'c') $$,
  'new log lines are added'
);
select results_eq('select status, end_time from public.flow_run', $$ values ('running', null::timestamptz) $$, 'the run has not ended');

select test.sign_in(test.user_id('owner'));
select is(
  test.row_count('select from public.node_run') + test.row_count('select from public.flow_run_logs'), 5::bigint, 'the owner sees all node runs and log lines'
);
select test.sign_in(test.user_id('starter'));
select is(
  test.row_count('select from public.node_run') + test.row_count('select from public.flow_run_logs'), 0::bigint, 'the starter sees no node runs or log lines'
);

select * from finish();
