select plan(3);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');
select test.keep('other', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(2, 10);

select test.sign_out();
create temporary view leases as
  select r.name, round(extract(epoch from j.due_at - clock_timestamp()))::integer as seconds
  from private.flow_run_jobs as j join (values ('run'), ('other')) as r (name) on test.kept(r.name)::uuid = j.flow_run_id
  order by r.name desc;
select results_eq('select * from leases', $$ values ('run', 10), ('other', 10) $$, 'a claim lasts as long as its lease');

select test.sign_in_as_role('service_role');
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 300, '{}');
select test.sign_out();
select results_eq('select * from leases', $$ values ('run', 300), ('other', 10) $$, 'a checkpoint extends the lease of its own run only');

select test.sign_in_as_role('service_role');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'while the lease lasts, no other worker claims the run');

select * from finish();
