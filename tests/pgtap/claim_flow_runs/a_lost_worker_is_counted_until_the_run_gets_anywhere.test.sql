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

select is(pg_temp.claimed(), '{1,0}', 'at the first claim no worker was lost');
select test.lose_workers();
select is(pg_temp.claimed(), '{2,1}', 'a run whose lease has ended has lost its worker');
select test.release_all();
select is(pg_temp.claimed(), '{3,0}', 'after a release the count of lost workers is 0 again');
select test.lose_workers();
select pg_temp.claimed();

select pg_temp.checkpoint(4, '[]');
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('a', is_ended => false)));
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('a', is_ended => false) || '{"end_time": null}'));
select results_eq('select count from lost', 'values (1)', 'a node that has begun does not reset the count, because it may be the one that crashes workers');
select pg_temp.checkpoint(4, jsonb_build_array(test.node_run('b', is_ended => false), test.node_run('a')));
select results_eq('select count from lost', 'values (0)', 'a node that has ended resets the count');

select test.lose_workers();
select is(pg_temp.claimed(), '{5,1}', 'after a reset the count begins with one lost worker');
select test.lose_workers();
select is(
  test.error_code($$ select public.checkpoint_flow_run(test.kept('run')::uuid, 5, 60, '{}') $$), null, 'a worker that was only slow may continue'
);
select is(pg_temp.claimed(), null, 'no other claim gets the run while this worker holds it');
select results_eq('select count from lost', 'values (1)', 'a checkpoint without an ended node does not reset the count');

select * from finish();
