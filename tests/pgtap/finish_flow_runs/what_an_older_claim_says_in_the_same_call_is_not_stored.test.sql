-- If a worker misses the end of its lease, it may claim its own run again. Then one group may report the ends of both
-- claims.
select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{older_first,older_last}'::text[]) as name;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);
select test.sign_out();
select test.lose_workers();
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);

create function pg_temp.result(name text, claim_number integer) returns jsonb language sql as $$
  select jsonb_build_object(
    'flow_run_id', test.kept(name), 'claim_number', claim_number, 'status', case claim_number when 1 then 'failed' else 'succeeded' end,
    'output', jsonb_build_object('M', jsonb_build_object('claim', claim_number)), 'errors', case claim_number when 1 then array['old'] end,
    'not_run', '{}'::text[], 'progress', test.progress(test.kept(name)::uuid, '[]', work_ms => claim_number * -10 + 30)
  );
$$;
grant execute on function pg_temp.result(text, integer) to public;

select set_eq(
  $$ select unnest(public.finish_flow_runs(jsonb_build_array(
    pg_temp.result('older_first', 1), pg_temp.result('older_first', 2), pg_temp.result('older_last', 2), pg_temp.result('older_last', 1)
  ))) $$,
  $$ select test.kept(name)::uuid from unnest('{older_first,older_last}'::text[]) as name $$,
  'both runs are finished'
);
select results_eq(
  $$ select output #>> '{M,claim}', status, errors from public.flow_run where id = test.kept('older_first')::uuid $$,
  $$ values ('2', 'succeeded', null::text[]) $$, 'the newest claim counts if the older one comes first'
);
select results_eq(
  $$ select output #>> '{M,claim}', status, errors from public.flow_run where id = test.kept('older_last')::uuid $$,
  $$ values ('2', 'succeeded', null::text[]) $$, 'the newest claim counts if the older one comes last'
);
select test.sign_out();
select results_eq(
  $$ select work_ms, failed_at is null from private.flow_run_jobs $$, 'values (10::bigint, true), (10, true)', 'the jobs have the values of the newest claim'
);
