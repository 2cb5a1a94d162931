select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.queued_claim(test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select test.ask(test.kept('run')::uuid, jsonb_build_array(test.request(timeout_ms => 90000)));
create function pg_temp.due(delay integer) returns numeric language plpgsql as $$
begin
  update private.flow_run_jobs set state = 'held', due_at = clock_timestamp();
  perform private.suspend_flow_run(test.kept('run')::uuid, 1, test.progress(test.kept('run')::uuid), due.delay);
  return test.due_in(test.kept('run')::uuid);
end;
$$;

select ok(pg_temp.due(20) between 15 and 20.5, 'the run can be claimed when the time of an attempt is over');
select ok(pg_temp.due(500) between 80 and 91, 'the run can be claimed when the request expires, if that is sooner');
select ok(pg_temp.due(null) between 80 and 91, 'without such a time, only the request counts');

select * from finish();
