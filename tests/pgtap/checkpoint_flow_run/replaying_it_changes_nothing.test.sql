select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select test.keep('message', message_id) from public.claim_flow_runs(1, 60);

select test.keep('checkpoint', format(
  $$ select public.checkpoint_flow_run(%L, %s, 1, 60, %L, %L) $$, test.kept('run'), test.kept('message'),
  jsonb_build_array(
    jsonb_build_object(
      'node_id', test.node_id('a'), 'times', 0, 'start_time', '2026-01-01T00:00:01Z', 'end_time', '2026-01-01T00:00:02Z',
      'input', '{"M": {}}'::jsonb, 'output', '{"M": {}}'::jsonb
    ),
    jsonb_build_object('node_id', test.node_id('b'), 'times', 0, 'start_time', '2026-01-01T00:00:03Z', 'input', '{"M": {}}'::jsonb)
  ),
  '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "a"},
    {"log_index": 1, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "b"}]'
));
select is(test.error(test.kept('checkpoint')), null, 'a checkpoint is taken');
select test.sign_out();
create temporary view stored as
  select jsonb_build_array(
    (select jsonb_agg(to_jsonb(n) order by n.start_time) from public.node_run as n),
    (select jsonb_agg(to_jsonb(l) order by l.log_index) from public.flow_run_logs as l),
    (select to_jsonb(r) from public.flow_run as r), (select to_jsonb(j) from private.flow_run_jobs as j)
  ) as everything;
select test.keep('stored', everything) from stored;
select is(
  array[jsonb_array_length(test.kept('stored')::jsonb -> 0), jsonb_array_length(test.kept('stored')::jsonb -> 1)], '{2,2}', 'and stored'
);

-- The answer was lost, so the runner sends it again.
select test.sign_in_as_role('service_role');
select is(test.error(test.kept('checkpoint')), null, 'the same checkpoint is taken again');
select test.sign_out();
select is(everything, test.kept('stored')::jsonb, 'and everything is as it was') from stored;

select * from finish();
