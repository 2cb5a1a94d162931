select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);

select test.keep('checkpoint', format(
  $$ select public.checkpoint_flow_run(%L, 1, 60, %L) $$, test.kept('run'),
  test.progress(
    test.kept('run')::uuid, jsonb_build_array(test.node_run('a'), test.node_run('b', is_ended => false)),
    '[{"log_index": 0, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "a"},
      {"log_index": 1, "time": "2026-01-01T00:00:00Z", "log_level": "Info", "content": "b"}]',
    jsonb_build_array(test.child(test.node_id('child'), test.kept('run')::uuid, 1)), 1000
  )
));
select is(test.error(test.kept('checkpoint')), null, 'a checkpoint is accepted');
select test.sign_out();
create temporary view stored as
  select jsonb_build_array(
    (select jsonb_agg(to_jsonb(n) order by n.node_id) from public.node_run as n),
    (select jsonb_agg(to_jsonb(l) order by l.log_index) from public.flow_run_logs as l),
    (select jsonb_agg(to_jsonb(r) order by r.id) from public.flow_run as r), (select to_jsonb(j) - 'due_at' from private.flow_run_jobs as j)
  ) as everything;
select test.keep('stored', everything) from stored;
select is(
  array(select jsonb_array_length(test.kept('stored')::jsonb -> list) from generate_series(0, 2) as list), '{2,2,2}', 'the checkpoint is stored'
);

-- The answer to the checkpoint was lost, so the runner sends the checkpoint again.
select test.sign_in_as_role('service_role');
select is(test.error(test.kept('checkpoint')), null, 'the same checkpoint is accepted again');
select test.sign_out();
select is(everything, test.kept('stored')::jsonb, 'a repeated checkpoint changes nothing but the end of the lease') from stored;

select * from finish();
