select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
create temporary table started as
  select n as number,
  (public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id')::uuid as id from generate_series(1, 3) as n;
grant select on started to public;

select test.sign_in_as_role('service_role');
select set_eq(
  'select flow_run_id from public.claim_flow_runs(2, 60)', 'select id from started where number in (1, 2)',
  'the oldest runs are claimed, as many as asked for'
);
select set_eq('select flow_run_id from public.claim_flow_runs(2, 60)', 'select id from started where number = 3', 'the next claim gets the other runs');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'a further claim gets no runs');
select test.sign_out();
select set_eq(
  $$ select j.flow_run_id from private.flow_run_jobs as j
    where j.state = 'held' and j.due_at between clock_timestamp() + interval '50 seconds' and clock_timestamp() + interval '60 seconds' $$,
  'select id from started', 'each run is held until its lease ends'
);

-- The lease of the second run has ended.
update private.flow_run_jobs as j set due_at = clock_timestamp() from started as s where s.number = 2 and j.flow_run_id = s.id;
select test.sign_in_as_role('service_role');
select results_eq(
  'select flow_run_id, claim_number from public.claim_flow_runs(10, 60)', 'select id, 2 from started where number = 2',
  'a run whose lease has ended is claimed again'
);
select is_empty('select * from public.claim_flow_runs(10, 60)', 'a run whose lease has ended is claimed only once');

select * from finish();
