select plan(5);

select test.create_user('owner');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'a claim of an empty queue gets no runs');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();

select is_empty('select * from public.claim_flow_runs(0, 60)', 'a claim with max_runs = 0 gets no runs');
select is(test.error_code('select * from public.claim_flow_runs(-1, 60)'), '2201W', 'a negative max_runs is refused');
select results_eq('select claim_number, state from private.flow_run_jobs', $$ values (0, 'ready'::private.job_state) $$, 'these claims do not change the run');
select is(count(*), 1::bigint, 'a claim of more runs than are queued gets all queued runs') from public.claim_flow_runs(10000, 60);

select * from finish();
