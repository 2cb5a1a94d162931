select plan(5);

select test.create_user('owner');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'an empty queue has none');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();

select is_empty('select * from public.claim_flow_runs(0, 60)', 'a claim of no runs gets none');
select is(test.error_code('select * from public.claim_flow_runs(-1, 60)'), '2201W', 'fewer can not be claimed');
select results_eq('select claim_number, is_held from private.flow_run_jobs', 'values (0, false)', 'the run is left as it was');
select is(count(*), 1::bigint, 'a claim of more runs than are queued gets all queued runs') from public.claim_flow_runs(10000, 60);

select * from finish();
