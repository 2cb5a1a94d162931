select plan(10);
create function pg_temp.start(name text) returns void language sql as $$
  select test.keep(name, public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');
$$;
create function pg_temp.job(name text) returns private.flow_run_jobs language sql stable security definer as $$
  select j from private.flow_run_jobs as j where j.flow_run_id = test.kept(name)::uuid;
$$;
grant execute on function pg_temp.start(text), pg_temp.job(text) to public;

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set max_starts_per_key = 3, key_period_seconds = 60, max_running_per_key = 1 where true;
select pg_temp.start('a'), pg_temp.start('b'), pg_temp.start('c');
select test.sign_out();
select is(array[(pg_temp.job('a')).state, (pg_temp.job('b')).state, (pg_temp.job('c')).state]::text[], '{ready,sleeping,sleeping}', 'further runs sleep');
select is(date_trunc('second', (pg_temp.job('c')).due_at - (pg_temp.job('b')).due_at), interval '20 s', 'they begin 20 seconds apart');
select ok((pg_temp.job('b')).due_at - now() between interval '19 s' and interval '21 s', 'the second one in 20 seconds');
select is((select k.pending || ' ' || k.running from private.queue_keys as k), '3 1', 'a run that has not begun has no place');

select test.claim_all();
update private.flow_run_jobs set due_at = clock_timestamp() where state = 'sleeping';
select test.sign_in_as_role('service_role');
select is((select count(*) from public.claim_flow_runs(10, 60)), 0::bigint, 'when its time has come, it needs a place');
select test.sign_out();
select is((pg_temp.job('b')).state::text, 'blocked', 'so it is blocked');
select private.end_flow_run(test.kept('a')::uuid, 'stopped');
set constraints all immediate;
set constraints all deferred;
select test.sign_in_as_role('service_role');
select is((select array_agg(c.flow_run_id) from public.claim_flow_runs(10, 60) as c), array[test.kept('b')::uuid], 'with the place, the first one is claimed');
select test.sign_out();

select private.end_flow_run(j.flow_run_id, 'stopped') from private.flow_run_jobs as j where j.state <> 'ended';
set constraints all immediate;
set constraints all deferred;
select is((select k.pending || ' ' || k.running from private.queue_keys as k), '0 0', 'the key stays until its next run may begin');
select is((private.sweep_runner()) ->> 'has_more', 'false', 'the sweep runs');
update private.queue_keys set next_start_at = now() - interval '1 s';
select private.sweep_runner();
select is((select count(*) from private.queue_keys), 0::bigint, 'then the sweep deletes it');
select * from finish();
