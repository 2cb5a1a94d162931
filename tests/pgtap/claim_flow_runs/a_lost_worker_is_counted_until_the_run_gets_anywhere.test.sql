select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
create function pg_temp.claimed() returns integer[] language sql volatile as $$
  select array[claim_number, lost_claim_count] from public.claim_flow_runs(10, 60);
$$;
create function pg_temp.checkpoint(claim_number integer, node_runs jsonb) returns void language sql as $$
  select public.checkpoint_flow_run(test.kept('run')::uuid, claim_number, 60, test.progress(test.kept('run')::uuid, node_runs));
$$;
create temporary view lost as select lost_claim_count as count from private.flow_run_jobs;

select is(pg_temp.claimed(), '{1,0}', 'a first claim comes after nobody');
select test.lose_workers();
select is(pg_temp.claimed(), '{2,1}', 'a run that is held and free all the same has lost its worker');
select test.release_all();
select is(pg_temp.claimed(), '{3,0}', 'one that was released has a worker that lived: the row is over');
select test.lose_workers();
select pg_temp.claimed();

select pg_temp.checkpoint(4, '[]');
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('a', is_ended => false)));
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('a', is_ended => false) || '{"end_time": null}'));
select results_eq('select count from lost', 'values (1)', 'that a node has begun changes nothing: it may be what ends the workers');
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('b', is_ended => false), test.node_run('a')));
select results_eq('select count from lost', 'values (0)', 'a node that has ended is progress');

select test.lose_workers();
select is(pg_temp.claimed(), '{5,1}', 'so that the count begins anew');
select test.lose_workers();
select is(
  test.error_code($$ select public.checkpoint_flow_run(test.kept('run')::uuid, 5, 60, '{}') $$), null, 'a worker that was slow may come back'
);
select is(pg_temp.claimed(), null, 'as long as nobody has claimed the run');
select results_eq('select count from lost', 'values (1)', 'and then it is not lost');

select * from finish();
