select plan(7);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{other,run}'::text[]) as name;

select test.sign_in_as_role('service_role');
create temporary table claims as select 1 as number, c.* from public.claim_flow_runs(10, 60) as c;
select results_eq('select work_ms from claims', $$ values (0::bigint), (0) $$, 'at the first claim no work was reported');

select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, jsonb_build_array(test.node_run('a'), test.node_run('b', 1, is_ended => false)),
  '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "a"}]', work_ms => 700
));
select test.release_all();

insert into claims select 2, c.* from public.claim_flow_runs(10, 60) as c;
create temporary view second as
select work_ms, public.flow_run_history(flow_run_id)::jsonb as history from claims where number = 2 and flow_run_id = test.kept('run')::uuid;
select set_eq(
  $$ select n ->> 'node_id' as id, n ->> 'end_time' is not null as is_ended from second cross join jsonb_array_elements(history -> 'node_runs') as n $$,
  $$ values (test.node_id('a')::text, true), (test.node_id('b')::text, false) $$, 'the next worker gets the node runs, ended or not'
);
select is(history -> 'log_counts', jsonb_build_object(test.kept('run'), 1), 'the next worker gets the number of log lines') from second;
select is(work_ms, 700::bigint, 'the next worker gets the milliseconds of work') from second;
select is(
  public.flow_run_history(test.kept('other')::uuid)::jsonb, '{"children": [], "node_runs": [], "transactions": [], "next": null, "log_counts": {}, "ended_executions": 0}',
  'the history of a run without progress is empty'
);
select is_empty(
  'select from claims where snapshot is null', 'each claim returns the graph, because another worker may have made it'
);

-- Repeat an old checkpoint. It reports less work (600 ms) than the database has stored.
select public.checkpoint_flow_run(test.kept('run')::uuid, 2, 60, test.progress(test.kept('run')::uuid, work_ms => 600));
select test.release_all();
select is(work_ms, 700::bigint, 'the reported milliseconds of work never decrease') from public.claim_flow_runs(10, 60) where flow_run_id = test.kept('run')::uuid;

select * from finish();
