select plan(10);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);

create function pg_temp.checkpoint(node text) returns text language sql as $$
  select test.error_code(format(
    'select public.checkpoint_flow_run(%L, 1, 60, %L)', test.kept('run'),
    test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run(node)))
  ));
$$;
create function pg_temp.release(node text, delay_seconds integer) returns text language sql as $$
  select test.error_code(format(
    'select public.release_flow_run(%L, 1, %L, %L)', test.kept('run'),
    test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run(node))), delay_seconds
  ));
$$;
grant execute on function pg_temp.checkpoint(text), pg_temp.release(text, integer) to public;
select test.sign_out();
create temporary view claim as
  select j.state::text, j.claim_number, round(extract(epoch from j.due_at - clock_timestamp()))::integer as seconds
  from private.flow_run_jobs as j;

select is(pg_temp.release('a', 300), null, 'a run can be released for a later time');
select results_eq('select * from claim', $$ values ('sleeping', 1, 300) $$, 'the released run is not held, and can not be claimed before its time');
select results_eq('select node_id from public.node_run', $$ values (test.node_id('a')) $$, 'the progress of the release is stored');
select is_empty('select * from public.claim_flow_runs(1, 60)', 'a claim before this time finds no run');

-- Further requests of the worker arrive after the release: they were delayed, or the worker repeats them because it got
-- no answer.
select is(array[pg_temp.checkpoint('b'), pg_temp.release('a', 10)], '{null,null}', 'further requests of the worker are accepted');
select results_eq('select * from claim', $$ values ('sleeping', 1, 300) $$, 'further requests do not hold the run, and do not change its time');
select set_eq('select node_id from public.node_run', array[test.node_id('a'), test.node_id('b')], 'further requests store their progress only');

select test.let_time_pass();
select results_eq('select claim_number, lost_claim_count from public.claim_flow_runs(1, 60)', 'values (2, 0)', 'when the time has come, the next worker claims the run');
select is(
  array[pg_temp.checkpoint('c'), pg_temp.release('c', 0)], '{claim_lost,claim_lost}', 'after the next claim, the former claim is refused'
);
select results_eq('select * from claim', $$ values ('held', 2, 60) $$, 'a refused claim changes nothing');

select * from finish();
