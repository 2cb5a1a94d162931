select plan(17);
create function pg_temp.start(name text, customer text) returns void language sql as $$
  select test.keep(name, public.start_deployment(
    id => test.kept('deployment')::uuid, inputs => jsonb_build_object('customer', jsonb_build_object('S', customer))
  ) ->> 'flow_run_id');
$$;
create function pg_temp.state(name text) returns text language sql stable security definer as $$
  select j.state::text from private.flow_run_jobs as j where j.flow_run_id = test.kept(name)::uuid;
$$;
-- The counts of pending and running of all keys.
create function pg_temp.counts() returns text language plpgsql security definer as $$
begin
  set constraints all immediate;
  set constraints all deferred;
  return (select string_agg(k.pending || ' ' || k.running, ', ' order by k.id) from private.queue_keys as k);
end;
$$;
grant execute on function pg_temp.start(text, text), pg_temp.state(text), pg_temp.counts() to public;

select test.create_user('owner'), test.create_user('starter');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('customer'))));
update public.flow_deployments set queue_key = 'customer', max_running_per_key = 1, start_permission = 'Authenticated' where true;

select pg_temp.start('a1', 'a'), pg_temp.start('a2', 'a'), pg_temp.start('a3', 'a'), pg_temp.start('b1', 'b');
select is(array[pg_temp.state('a1'), pg_temp.state('a2'), pg_temp.state('b1')], '{ready,blocked,ready}', 'the second run of a key is blocked; another key has places of its own');
select is(pg_temp.counts(), '3 1, 1 1', 'the keys count their runs');
select is((select r.status from public.flow_run as r where r.id = test.kept('a2')::uuid), 'queued', 'a blocked run is queued');

select test.sign_in(test.user_id('starter'));
select pg_temp.start('stranger', 'a');
select is(pg_temp.state('stranger'), 'ready', 'the input of another caller is another key');
select test.sign_in(test.user_id('owner'));

select test.claim_all();
select test.sign_in_as_role('service_role');
select is(public.claim_flow_runs(10, 60)::text, null, 'no blocked run is claimed');
select test.sign_in(test.user_id('owner'));
select test.end_run(test.kept('a1')::uuid);
select is(pg_temp.counts(), '2 1, 1 1, 1 1', 'the end of a run frees its place');
select is(array[pg_temp.state('a2'), pg_temp.state('a3')], '{ready,blocked}', 'and the run that has waited longest gets it');

select public.stop_flow_run(test.kept('a3')::uuid);
select is(pg_temp.counts(), '1 1, 1 1, 1 1', 'a blocked run that is stopped frees no place');
select pg_temp.start('a4', 'a');
select public.stop_flow_run(test.kept('a2')::uuid);
select pg_temp.counts();
select is(pg_temp.state('a4'), 'ready', 'a run that is stopped before its first claim frees its place');

-- Its workers are lost, until it fails.
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);
select test.sign_in(test.user_id('owner'));
select pg_temp.start('a5', 'a');
select test.lose_workers();
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60, max_lost_claims => 0);
select test.sign_in(test.user_id('owner'));
select pg_temp.counts();
select is(pg_temp.state('a4'), 'ended', 'a run whose workers were lost has failed');
select is(pg_temp.state('a5'), 'ready', 'and its place is free');

-- A run keeps its place while it sleeps or waits.
select pg_temp.start('a6', 'a');
select test.claim_all();
select test.release_all(60);
select pg_temp.counts();
select is(array[pg_temp.state('a5'), pg_temp.state('a6')], '{sleeping,blocked}', 'a run that sleeps keeps its place');

-- Higher limits apply at the next claim.
update public.flow_deployments set max_running_per_key = 2 where true;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(0, 60);
select test.sign_in(test.user_id('owner'));
select is(pg_temp.state('a6'), 'ready', 'a higher limit gives places to blocked runs');
update public.flow_deployments set max_running_per_key = null where true;
select pg_temp.start('a7', 'a');
select test.sign_out();
select is((select j.queue_key_id from private.flow_run_jobs as j where j.flow_run_id = test.kept('a7')::uuid), null, 'without limits, a run has no key');

-- The runs of a deleted deployment keep their limit.
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set max_running_per_key = 2 where true;
select pg_temp.start('a8', 'a');
delete from public.flow_deployments where true;
select test.end_run(test.kept('a5')::uuid);
select pg_temp.counts();
select is(pg_temp.state('a8'), 'ready', 'an end gives its place to a run of the deleted deployment');

select test.sign_out();
select private.end_flow_run(j.flow_run_id, 'stopped') from private.flow_run_jobs as j where j.state <> 'ended';
select is(pg_temp.counts(), null, 'when all runs have ended, there is no key');
select is((select count(*) from private.queue_key_notes), 0::bigint, 'and no note');

-- A deleted flow takes its runs along.
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('customer'))));
update public.flow_deployments set max_running_per_key = 1 where true;
select pg_temp.start('c1', 'c'), pg_temp.start('c2', 'c');
delete from public.flow_deployments where true;
delete from public.flows where true;
select is(pg_temp.counts(), null, 'a deletion of the flow deletes the key');
select * from finish();
