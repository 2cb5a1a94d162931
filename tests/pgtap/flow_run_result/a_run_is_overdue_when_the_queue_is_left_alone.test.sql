select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();

create function pg_temp.is_overdue() returns jsonb language plpgsql as $$
declare
  v_is_overdue jsonb;
begin
  perform test.sign_in(test.user_id('owner'));
  v_is_overdue := public.flow_run_result(test.kept('run')::uuid) -> 'is_overdue';
  perform test.sign_out();
  return v_is_overdue;
end;
$$;
create function pg_temp.queue_since(age interval) returns void language sql as $$
  update private.flow_run_jobs set turn = clock_timestamp() - age where true;
$$;

select is(pg_temp.is_overdue(), 'false', 'a new run is not overdue');
select pg_temp.queue_since('1 second');
select is(pg_temp.is_overdue(), 'false', 'a run for which a poke may be under way is not overdue');
select pg_temp.queue_since('2 seconds');
select is(pg_temp.is_overdue(), 'true', 'a run that has waited for two seconds is overdue');
select public.claim_flow_runs(1, 60);
select is(pg_temp.is_overdue(), 'false', 'a run that a worker holds is not overdue');
update private.flow_run_jobs set due_at = clock_timestamp() - interval '1 minute' where true;
select is(pg_temp.is_overdue(), 'true', 'the run of a lost worker is overdue');
select test.end_run(test.kept('run')::uuid);
select is(pg_temp.is_overdue(), 'false', 'a run that has ended is not overdue');

select * from finish();
