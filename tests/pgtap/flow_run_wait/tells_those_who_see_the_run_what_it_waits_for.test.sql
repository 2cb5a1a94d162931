select plan(11);
create function pg_temp.start(name text) returns void language sql as $$
  select test.keep(name, s ->> 'flow_run_id'), test.keep(name || '_token', s ->> 'token')
  from public.start_deployment(id => test.kept('deployment')::uuid) as s;
$$;
create function pg_temp.wait(name text) returns jsonb language sql as $$
  select public.flow_run_wait(test.kept(name)::uuid);
$$;
grant execute on all functions in schema pg_temp to public;
select test.create_user('owner'), test.create_user('starter'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set max_running_per_key = 1, queue_key = 'caller', start_permission = 'Authenticated' where true;

select test.sign_in(test.user_id('starter'));
select pg_temp.start('first'), pg_temp.start('second');
select is(pg_temp.wait('first'), null, 'a run that has a place does not wait for one');
select is(pg_temp.wait('second'), '{"state": "blocked", "due_at": null, "queue_key": "caller"}', 'the starter learns that a run waits for a place');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.wait('second') ->> 'state', 'blocked', 'so does the owner');
select test.sign_in_as_role('anon');
select set_config('request.headers', json_build_object('x-flow-run-token', test.kept('second_token'))::text, true);
select is(pg_temp.wait('second') ->> 'state', 'blocked', 'so does the holder of the token');
select is(test.error_code('select pg_temp.wait(''first'')'), 'flow_run_not_found', 'but not about another run');
select set_config('request.headers', '{}', true);
select is(test.error_code('select pg_temp.wait(''second'')'), 'unauthenticated', 'without a credential nobody learns anything');
select test.sign_in(test.user_id('other'));
select is(test.error_code('select pg_temp.wait(''second'')'), 'flow_run_not_found', 'for strangers the run does not exist');

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set debounce_seconds = 60, queue_key = null where true;
select pg_temp.start('debounced');
select is(pg_temp.wait('debounced') - 'due_at', '{"state": "sleeping", "queue_key": null}', 'a debounced run sleeps');
select ok((pg_temp.wait('debounced') ->> 'due_at')::timestamptz > now(), 'until a time');
select test.sign_out();
select test.let_time_pass(), test.claim_all(), test.release_all(60);
select test.sign_in(test.user_id('owner'));
select is(pg_temp.wait('debounced'), null, 'a run that has begun and sleeps does not wait for its key');
select public.stop_flow_run(test.kept('second')::uuid);
select is(pg_temp.wait('second'), null, 'a run that has ended waits for nothing');
select * from finish();
