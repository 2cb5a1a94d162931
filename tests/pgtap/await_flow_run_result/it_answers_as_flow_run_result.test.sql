select plan(7);

select test.create_user('owner');
select test.create_user('stranger');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep('run', test.kept('deployment')::uuid);

create function pg_temp.awaited() returns jsonb language sql as $$
  select public.await_flow_run_result(test.kept('run')::uuid);
$$;

select is(pg_temp.awaited(), '{"status": "queued", "output": null, "errors": null, "is_overdue": false}', 'a queued run is reported as queued');
select test.sign_out();
update private.flow_run_jobs set turn = clock_timestamp() - interval '2 seconds' where true;
select test.sign_in(test.user_id('owner'));
select is(pg_temp.awaited() -> 'is_overdue', 'true', 'an overdue run is reported as overdue');
select test.end_run(test.kept('run')::uuid);
select is(pg_temp.awaited() ->> 'status', 'succeeded', 'an ended run is reported with its status');
select is(pg_temp.awaited(), public.flow_run_result(test.kept('run')::uuid), 'the answer equals that of flow_run_result');

select test.sign_in(test.user_id('stranger'));
select is(test.error_code('select pg_temp.awaited()'), 'flow_run_not_found', 'for other users the run does not exist');
select is(test.error_code('select public.await_flow_run_result(gen_random_uuid())'), 'flow_run_not_found', 'a missing run gets the same error');
select test.sign_in_as_role('anon');
select is(test.error_code('select pg_temp.awaited()'), 'unauthenticated', 'a caller without a credential is refused');

select * from finish();
