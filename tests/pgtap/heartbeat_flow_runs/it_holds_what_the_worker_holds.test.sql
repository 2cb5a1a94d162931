select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{held,slow,released,taken_over,ended,queued,deleted}'::text[]) as name;
select test.sign_out();
update private.flow_run_jobs set state = 'sleeping', due_at = clock_timestamp() + interval '10 seconds' where flow_run_id = test.kept('queued')::uuid;
select public.claim_flow_runs(10, 10);
select public.release_flow_run(test.kept('released')::uuid, 1, '{}', 10);
select public.finish_flow_run(test.kept('ended')::uuid, 1, 'succeeded', null, null, null, '{}');
delete from public.flow_run where id = test.kept('deleted')::uuid;
update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = test.kept('taken_over')::uuid;
select public.claim_flow_runs(10, 10);
update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = test.kept('slow')::uuid;
select private.make_due_jobs_ready();
select is(state, 'lost', 'the lease of a slow worker has ended') from private.flow_run_jobs where flow_run_id = test.kept('slow')::uuid;

select test.sign_in_as_role('service_role');
create temporary table news as select * from public.heartbeat_flow_runs((
  select jsonb_agg(jsonb_build_object('flow_run_id', test.kept(name), 'claim_number', 1))
  from unnest('{held,slow,released,taken_over,ended,queued,deleted}'::text[]) as name
), 300);

select set_eq(
  'select flow_run_id from news where is_lost',
  array[test.kept('taken_over'), test.kept('ended'), test.kept('queued'), test.kept('deleted')]::uuid[],
  'a claim is lost if another worker has claimed the run, if the claim was never made, or if the run has ended or is deleted'
);
select is_empty('select * from news where not is_lost', 'the heartbeat returns no other news');
select test.sign_out();
create temporary view holding as
  select r.name, round(extract(epoch from j.due_at - clock_timestamp()))::integer as seconds
  from unnest('{held,slow,released,taken_over,queued}'::text[]) as r (name)
  join private.flow_run_jobs as j on j.flow_run_id = test.kept(r.name)::uuid;
select set_eq('select name from holding where seconds > 290', '{held,slow}'::text[], 'held runs are held for another lease, even if the worker is late');
select set_eq(
  'select name from holding where seconds <= 10', '{released,taken_over,queued}'::text[], 'leases of runs that are not held do not change'
);

select is_empty($$ select * from public.heartbeat_flow_runs('[]', 60) $$, 'a worker that holds no run gets no news');
select test.sign_in(test.user_id('owner'));
select is(test.error_code($$ select public.heartbeat_flow_runs('[]', 60) $$), '42501', 'users may not call heartbeat_flow_runs');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select private.heartbeat_flow_runs('[]', 60) $$), '42501', 'anon may not call the private function');

select * from finish();
