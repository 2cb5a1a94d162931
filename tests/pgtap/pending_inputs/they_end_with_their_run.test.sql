select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{done,stopped,asleep,other}'::text[]) as name;
select test.sign_out();
select test.ask_input(test.kept(name)::uuid, name) from unnest('{done,stopped,asleep,other}'::text[]) as name;

create function pg_temp.open() returns text[] language sql as $$
  select array_agg(split_part(p.url, '/', 6) order by p.id) from public.pending_inputs as p;
$$;
create function pg_temp.submit(token text) returns text language sql as $$
  select test.error_code(format('select private.submit_input(%L, %L, null, null, true, null)', token, '{"S": "a"}'));
$$;

select public.finish_flow_run(test.kept('done')::uuid, 1, 'succeeded', '{"M": {}}', null, '{}', test.progress(test.kept('done')::uuid));
select is(pg_temp.open(), '{stopped,asleep,other}', 'the end of a run deletes its pending inputs');
select is(pg_temp.submit('done'), 'pending_input_not_found', 'after the end of the run, its input can not be answered');

select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('stopped')::uuid);
select test.sign_out();
select is(pg_temp.open(), '{asleep,other}', 'a stop deletes the pending inputs, even before a worker has learnt of the stop');
select is(pg_temp.submit('stopped'), 'pending_input_not_found', 'after the stop, the input can not be answered');
select is(test.take_input(test.kept('stopped')::uuid, 'stopped') ->> 'outcome', null, 'the worker of a stopped run gets no answer');

select private.release_flow_run(test.kept('asleep')::uuid, 1, test.progress(test.kept('asleep')::uuid), 600);
select is(status, 'waiting', 'a run that sleeps while an input is open is waiting') from public.flow_run where id = test.kept('asleep')::uuid;
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('asleep')::uuid);
select test.sign_out();
select is(pg_temp.open(), '{other}', 'a stop ends the inputs of a run that sleeps');
select is(test.due_in(test.kept('asleep')::uuid), 0, 'a stop wakes a sleeping run');
select test.ask_input(test.kept('other')::uuid, 'again');
select test.ask_input(test.kept('other')::uuid, 'again');
select is(pg_temp.open(), '{other,again}', 'an input that is stored twice is pending once');
select is(count(*), 2::bigint, 'an input that is stored twice makes one event')
from private.flow_run_events as e cross join lateral unnest(e.events) as k where e.root_flow_run_id = test.kept('other')::uuid and k.event = 'api_input';
select private.release_flow_run(test.kept('other')::uuid, 1, test.progress(test.kept('other')::uuid), 0);
select is(status, 'running', 'a run that is released without a delay is not waiting') from public.flow_run where id = test.kept('other')::uuid;

select * from finish();
