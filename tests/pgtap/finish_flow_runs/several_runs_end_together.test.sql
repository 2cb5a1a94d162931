select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{first,second,taken_over,ended}'::text[]) as name;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);

create function pg_temp.result(name text, claim_number integer default 1, errors text[] default null) returns jsonb language sql as $$
  select jsonb_build_object(
    'flow_run_id', test.kept(name), 'claim_number', claim_number, 'status', case when errors is null then 'succeeded' else 'failed' end,
    'output', jsonb_build_object('M', jsonb_build_object('of', name)), 'errors', errors, 'not_run', '{}'::text[],
    'progress', test.progress(test.kept(name)::uuid, jsonb_build_array(test.node_run(name)), work_ms => 12)
  );
$$;
grant execute on function pg_temp.result(text, integer, text[]) to public;

select test.sign_out();
select public.finish_flow_run(test.kept('ended')::uuid, 1, 'succeeded', null, null, null, test.progress(test.kept('ended')::uuid));
select test.sign_in_as_role('service_role');

select set_eq(
  $$ select unnest(public.finish_flow_runs(jsonb_build_array(
    pg_temp.result('first'), pg_temp.result('second', errors => '{a failed}'), pg_temp.result('taken_over', claim_number => 0), pg_temp.result('ended')
  ))) $$,
  $$ select test.kept(name)::uuid from unnest('{first,second}'::text[]) as name $$,
  'the call returns the runs that it has finished, without runs of older claims and runs that had ended'
);
select results_eq(
  $$ select status, output, errors from public.flow_run where id in (test.kept('first')::uuid, test.kept('second')::uuid) order by id $$,
  $$ values ('succeeded', '{"M": {"of": "first"}}'::jsonb, null::text[]), ('failed', '{"M": {"of": "second"}}', '{a failed}') $$,
  'each run has its own result'
);
select results_eq(
  'select node_id from public.node_run order by flow_run_id', $$ values (test.node_id('first')), (test.node_id('second')) $$,
  'each run has its own node runs'
);
select results_eq(
  $$ select status from public.flow_run where id = test.kept('taken_over')::uuid $$, $$ values ('running') $$, 'a run that another worker holds has not ended'
);
select test.sign_out();
select results_eq(
  $$ select flow_run_id from private.flow_run_jobs where state <> 'ended' $$, $$ values (test.kept('taken_over')::uuid) $$, 'only the run that another worker holds is still in the queue'
);
select results_eq(
  $$ select work_ms, failed_at is null from private.flow_run_jobs where state = 'ended' order by flow_run_id $$,
  'values (12::bigint, true), (12, false), (0, true)', 'the jobs have the milliseconds of work and the time of a failure'
);

-- The result of `bad` contradicts itself, so no run of the group ends.
select test.sign_in(test.user_id('owner'));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{good,bad}'::text[]) as name;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);
select is(
  test.error($$ select public.finish_flow_runs(jsonb_build_array(pg_temp.result('good'), pg_temp.result('bad', errors => '{}'))) $$) ->> 'constraint',
  'flow_run_consistent', 'with a result that can''t be stored'
);
select results_eq(
  $$ select status from public.flow_run where id in (test.kept('good')::uuid, test.kept('bad')::uuid) $$, $$ values ('running'), ('running') $$,
  'the call finishes no run'
);

select * from finish();
