select plan(42);
create function pg_temp.start(name text, customer text, value text, key text default null) returns void language plpgsql as $$
declare
  v_started jsonb := public.start_deployment(
    id => test.kept('deployment')::uuid, inputs => jsonb_build_object(
      'customer', jsonb_build_object('S', customer), 'value', jsonb_build_object('S', value)
    ), idempotency_key => key
  );
begin
  perform test.keep(name, v_started ->> 'flow_run_id'), test.keep(name || '_token', v_started ->> 'token');
end;
$$;
create function pg_temp.start_as_guest(name text, public_key text, token text default null) returns void language plpgsql as $$
declare
  v_started jsonb;
begin
  perform test.sign_in_as_role('anon'),
    set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
  v_started := public.start_deployment(id => test.kept('deployment')::uuid, public_key => start_as_guest.public_key);
  perform set_config('request.headers', '{}', true), test.sign_out();
  perform test.keep(name, v_started ->> 'flow_run_id'), test.keep(name || '_token', v_started ->> 'token');
end;
$$;
create function pg_temp.job(name text) returns private.flow_run_jobs language sql stable security definer as $$
  select j from private.flow_run_jobs as j where j.flow_run_id = test.kept(name)::uuid;
$$;
create function pg_temp.value(name text) returns text language sql stable security definer as $$
  select r.inputs #>> '{M,value,S}' from public.flow_run as r where r.id = test.kept(name)::uuid;
$$;
-- The counts of pending and running of all keys.
create function pg_temp.counts() returns text language plpgsql security definer as $$
begin
  set constraints all immediate;
  set constraints all deferred;
  return (select string_agg(k.pending || ' ' || k.running, ', ' order by k.id) from private.queue_keys as k);
end;
$$;
create function pg_temp.claim() returns text language sql volatile security definer as $$
  select string_agg(c.inputs #>> '{M,value,S}', ' ') from private.claim_flow_runs(10, 60, '{}', null, 0) as c;
$$;
create function pg_temp.end_all() returns void language sql volatile security definer as $$
  select private.end_flow_run(j.flow_run_id, 'stopped') from private.flow_run_jobs as j where j.state <> 'ended';
$$;
grant execute on all functions in schema pg_temp to public;

select test.create_user('owner'), test.create_user('starter'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('customer', 'value'))::text);
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set queue_key = 'customer', debounce_seconds = 60, debounce_max_seconds = 90, start_permission = 'Anonymous' where true;

select pg_temp.start('first', 'a', 'one', 'k1');
select is(pg_temp.claim(), null, 'a run waits for further starts');
select ok((pg_temp.job('first')).due_at - now() between interval '60 s' and interval '61 s', 'for debounce_seconds');
-- Half a minute passes.
select test.sign_out();
update private.flow_run_jobs set due_at = due_at - interval '30 s' where true;
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set output_instructions = true, name = 'unused' where true;
select pg_temp.start('second', 'a', 'two', 'k2');
select is(test.kept('second'), test.kept('first'), 'the next start returns the same run');
select is(test.kept('second_token'), test.kept('first_token'), 'and its token');
select is(pg_temp.value('first'), 'two', 'the run has the new inputs');
select is((select r.output_instructions from public.flow_run as r), true, 'and the settings of the newest start');
select is((pg_temp.job('first')).settings -> 'output_instructions', 'true', 'also for the runner');
select ok((pg_temp.job('first')).due_at - now() between interval '60 s' and interval '61 s', 'it is postponed');
select is(pg_temp.counts(), '1 0', 'the key counts it once');
select is(public.flow_run_result(test.kept('first')::uuid) -> 'is_overdue', 'false', 'it is not overdue');

-- The end of the wait is counted from the first start.
update public.flow_deployments set debounce_max_seconds = 60 where true;
select pg_temp.start('third', 'a', 'three');
select test.sign_out();
select ok(
  (pg_temp.job('first')).due_at = private.uuid_v7_time(test.kept('first')::uuid) + interval '60 s',
  'but not beyond debounce_max_seconds after its first start'
);
select test.sign_in(test.user_id('owner'));

-- A repeated request changes nothing.
select pg_temp.start('again', 'a', 'one', 'k1');
select is(test.kept('again'), test.kept('first'), 'a repeated first start finds the run');
select pg_temp.start('again', 'a', 'two', 'k2');
select is(test.kept('again'), test.kept('first'), 'and a repeated later one');
select is(pg_temp.value('first'), 'three', 'the inputs stay');
select is(
  test.error_code($$ select pg_temp.start('again', 'a', 'three', 'k2') $$), 'idempotency_key_reused', 'a key is for one request'
);

select pg_temp.start('b', 'b', 'b1');
select isnt(test.kept('b'), test.kept('first'), 'another key is another run');

-- When its time has come, a run is no longer joined.
select test.sign_out();
select test.let_time_pass();
select is(pg_temp.claim(), 'three b1', 'the runs are claimed with the newest inputs');
select test.sign_in(test.user_id('owner'));
select pg_temp.start('after', 'a', 'four');
select isnt(test.kept('after'), test.kept('first'), 'the next start makes a new run');
select is(pg_temp.value('first'), 'three', 'and leaves the inputs of the claimed one');
select is((pg_temp.job('after')).state::text, 'sleeping', 'the new run waits');
-- A claimed run that sleeps is not joined either.
select test.sign_out();
update private.queue_keys set debounced_run_id = test.kept('first')::uuid where debounced_run_id = test.kept('after')::uuid;
select test.release_all(60);
select test.sign_in(test.user_id('owner'));
select pg_temp.start('beside', 'a', 'five');
select isnt(test.kept('beside'), test.kept('first'), 'a run that has begun and sleeps is not joined');
select is(pg_temp.value('first'), 'three', 'its inputs stay');
select public.stop_flow_run(test.kept('beside')::uuid);
select pg_temp.start('unstopped', 'a', 'six');
select isnt(test.kept('unstopped'), test.kept('beside'), 'nor a run that was stopped');
select test.sign_out();
select pg_temp.end_all();
select is(pg_temp.counts(), null, 'when all runs have ended, there is no key');

-- Each caller has keys of its own.
select test.sign_in(test.user_id('starter'));
select pg_temp.start('starter', 'a', 's1');
select test.sign_in(test.user_id('other'));
select pg_temp.start('other', 'a', 'o1');
select isnt(test.kept('other'), test.kept('starter'), 'another caller does not get the run, nor its token');
select test.sign_in(test.user_id('starter'));
select pg_temp.start('starter_again', 'a', 's2');
select is(test.kept('starter_again'), test.kept('starter'), 'the same caller does');
select is((select r.inputs #>> '{M,value,S}' from public.flow_run as r where r.id = test.kept('starter')::uuid), 's2', 'and reads the new inputs');
select test.sign_out();
select is(
  (select array_agg(distinct u.starts || ' ' || u.in_flight) from private.deployment_usage as u where u.share = 'user:' || test.user_id('starter')),
  '{"2 1"}', 'both starts count, and one run'
);
update public.flow_deployments set max_runs_in_flight = 20 where true;
select test.sign_in(test.user_id('starter'));
select pg_temp.start('more', 'b', 's');
select is(test.error_code($$ select pg_temp.start('refused', 'new', 's') $$), 'start_limit_reached', 'over the limit of runs, a new run is refused');
select is(test.error_code($$ select pg_temp.start('joined', 'a', 's3') $$), null, 'but not a start that joins a run');
select test.sign_out();
update public.flow_deployments set queue_key = null, max_runs_in_flight = null where true;
select test.sign_in(test.user_id('starter'));
select pg_temp.start('starter', 'a', 's1');
select test.sign_in(test.user_id('other'));
select pg_temp.start('other', 'a', 'o1');
select isnt(test.kept('other'), test.kept('starter'), 'without queue_key, too');
select test.sign_out();

-- A public key proves nothing.
select pg_temp.start_as_guest('guest', 'So11111111111111111111111111111111111111112');
select pg_temp.start_as_guest('stranger', 'So11111111111111111111111111111111111111112');
select isnt(test.kept('stranger'), test.kept('guest'), 'a guest without the token of the run gets another run');
select pg_temp.start_as_guest('known', 'So11111111111111111111111111111111111111112', test.kept('guest_token'));
select is(test.kept('known'), test.kept('guest'), 'with the token, the guest gets the run');
select pg_temp.start_as_guest('imitator', 'Stake11111111111111111111111111111111111111', test.kept('guest_token'));
select isnt(test.kept('imitator'), test.kept('guest'), 'but not with another public key');
select pg_temp.end_all();

-- A redrive begins at once, with the key of the first run.
select test.sign_in(test.user_id('owner'));
select pg_temp.start('failed', 'a', 'f1');
select test.sign_out();
select test.let_time_pass(), pg_temp.claim();
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select pg_temp.start('sleeping', 'a', 'f2');
select test.keep('redrive', public.redrive_flow_run(test.kept('failed')::uuid) ->> 'flow_run_id');
select isnt(test.kept('redrive'), test.kept('sleeping'), 'a redrive joins no run');
select test.sign_out();
select is(pg_temp.claim(), 'f1', 'and begins at once');
select is((pg_temp.job('redrive')).queue_key_id, (pg_temp.job('sleeping')).queue_key_id, 'it has the key of the first run');
select is(pg_temp.value('sleeping'), 'f2', 'it replaces no inputs');
select pg_temp.end_all();

-- A due run needs a place.
update public.flow_deployments set max_running_per_key = 1 where true;
select test.sign_in(test.user_id('owner'));
select pg_temp.start('one', 'a', '1');
select test.sign_out();
select test.let_time_pass(), pg_temp.claim();
select test.sign_in(test.user_id('owner'));
select pg_temp.start('two', 'a', '2');
select test.sign_out();
update private.flow_run_jobs set due_at = clock_timestamp() where state = 'sleeping';
select is(pg_temp.claim(), null, 'a run whose time has come waits for a place');
select test.sign_in(test.user_id('owner'));
select pg_temp.start('three', 'a', '3');
select test.sign_out();
select isnt(test.kept('three'), test.kept('two'), 'a blocked run is not joined');
select private.end_flow_run(test.kept('one')::uuid, 'stopped');
set constraints all immediate;
set constraints all deferred;
select is(pg_temp.claim(), '2', 'with the place, it is claimed');
select pg_temp.end_all();
select is(pg_temp.counts(), null, 'nothing is left');
select * from finish();
