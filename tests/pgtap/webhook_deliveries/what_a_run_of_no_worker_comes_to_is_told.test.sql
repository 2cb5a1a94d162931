select plan(1);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy_telling('{failed}'));
select test.sign_out();
-- Each claim of the run loses its worker.
select public.claim_flow_runs(1, 60, max_lost_claims => 1);
select test.lose_workers();
select public.claim_flow_runs(1, 60, max_lost_claims => 1);
select test.lose_workers();
select public.claim_flow_runs(1, 60, max_lost_claims => 1);

select results_eq(
  $$ select d.flow_run_id, d.payload #>> '{data,error_code}' from public.webhook_deliveries as d $$,
  $$ values (test.kept('run')::uuid, 'worker_lost') $$, 'a run whose workers were lost makes a message'
);

select * from finish();
