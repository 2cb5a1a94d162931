select plan(22);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{run,held}'::text[]) as name;
select test.sign_out();
select test.ask_input(test.kept('run')::uuid, node) from unnest('{a,b}'::text[]) as node;
select test.ask_input(test.kept('run')::uuid, 'late', timeout_ms => -1);
select test.ask_input(test.kept('held')::uuid, 'c');
select private.release_flow_run(test.kept('run')::uuid, 1, test.progress(test.kept('run')::uuid), 600);

create function pg_temp.submit(token text, value jsonb, key text default null) returns text language sql as $$
  select test.error_code(format('select public.submit_input(%L, value => %L, idempotency_key => %L)', token, value, key));
$$;
create function pg_temp.cancel(token text, key text default null) returns text language sql as $$
  select test.error_code(format('select public.cancel_input(%L, %L)', token, key));
$$;
grant execute on function pg_temp.submit(text, jsonb, text), pg_temp.cancel(text, text) to public;

-- Returns for each token whether the owner is found. For a token that submit_input answers with 404, no owner may be
-- found.
create function pg_temp.are_owned(tokens text[]) returns boolean[] language sql as $$
  select array_agg(o.owner = test.user_id('owner') order by o.place) from unnest(public.pending_input_owners(tokens)) with ordinality as o (owner, place);
$$;
grant execute on function pg_temp.are_owned(text[]) to public;

select test.sign_in_as_role('anon');
select is(test.error_code($$ select public.pending_input_owners('{a}') $$), '42501', 'users may not ask for the owner of an input');
select test.sign_in_as_role('service_role');
select is(pg_temp.are_owned('{a,nothing,late,c,NULL,b}'), '{t,NULL,NULL,t,NULL,t}', 'the Edge Function finds the owners of open inputs');
select is(pg_temp.submit('a', '{"S": "yes"}', 'key'), null, 'an answer is stored');
select test.sign_out();
select is(test.due_in(test.kept('run')::uuid), 0, 'the answer wakes the run, while another input is still open');
select is(array_agg(split_part(url, '/', 6)), '{b,late}', 'the answered input is not pending any more')
from public.pending_inputs where flow_run_id = test.kept('run')::uuid;
select is(test.take_input(test.kept('run')::uuid), '{"value": {"S": "yes"}, "outcome": "submitted"}', 'the worker takes the answer');
select is(test.take_input(test.kept('run')::uuid), '{"value": {"S": "yes"}, "outcome": "submitted"}', 'a repeated call returns the same answer');

select is(pg_temp.submit('a', '{"S": "yes"}', 'key'), null, 'the same answer with the same key succeeds again');
select is(pg_temp.submit('a', '{"S": "no"}', 'key'), 'pending_input_answered', 'another value with the same key is refused');
select is(pg_temp.submit('a', '{"S": "yes"}', 'other'), 'pending_input_answered', 'the same value with another key is refused');
select is(pg_temp.submit('a', '{"S": "yes"}'), 'pending_input_answered', 'the same value without a key is refused');
select is(pg_temp.cancel('a', 'key'), 'pending_input_answered', 'a cancel of an answered input is refused');
select is(pg_temp.cancel('b', 'key'), null, 'another input can be cancelled');
select is(pg_temp.cancel('b', 'key'), null, 'the cancellation can be repeated with the same key');
select is(pg_temp.submit('b', '{"S": "yes"}', 'key'), 'pending_input_answered', 'a cancelled input can not be answered');
select is(pg_temp.are_owned('{a,b}'), '{t,t}', 'the owners of answered inputs are found');
select is(pg_temp.submit('late', '{"S": "yes"}'), 'pending_input_not_found', 'an expired input is not found');
select is(pg_temp.submit('nothing', '{"S": "yes"}'), 'pending_input_not_found', 'a token that never existed is not found');

select pg_temp.submit('c', '{"S": "yes"}');
select is(
  (select h.has_ended_inputs from public.heartbeat_flow_runs(
    jsonb_build_array(jsonb_build_object('flow_run_id', test.kept('held'), 'claim_number', 1)), 60
  ) as h), true, 'the worker that holds the run learns of the answer at its heartbeat'
);
select private.release_flow_run(test.kept('held')::uuid, 1, test.progress(test.kept('held')::uuid), 600);
select is(test.due_in(test.kept('held')::uuid), 0, 'a run that is released before its worker has read the answer does not sleep');


select private.stop_flow_run(test.kept('held')::uuid, null, null) from test.sign_in(test.user_id('owner'));
select test.sign_in_as_role('service_role');
select is(pg_temp.are_owned('{c}'), '{t}', 'the owner of an input is found even if the run must stop');
select test.sign_out();
select test.ask_input(test.kept('run')::uuid, 'd');
update private.flow_run_jobs set stop_requested_at = now() where flow_run_id = test.kept('run')::uuid;
select is(pg_temp.are_owned('{d}'), '{NULL}', 'the input of a run that must stop is not found');

select * from finish();
