select plan(4);

select test.create_user('owner');
select test.sign_in_as_role('service_role');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'if no run and no webhook is due, the claim is empty');

select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.queue_webhooks(test.user_id('owner'), 1);
select test.sign_in_as_role('service_role');
select results_eq(
  'select flow_run_id, has_due_webhook from public.claim_flow_runs(10, 60)', $$ values (test.kept('run')::uuid, false) $$,
  'a claim that finds runs reports no webhooks'
);
select results_eq(
  'select flow_run_id, has_due_webhook from public.claim_flow_runs(10, 60)', 'values (null::uuid, true)',
  'a claim that finds no run reports the due webhook'
);
select public.claim_webhook_deliveries(10, 60);
select is_empty('select * from public.claim_flow_runs(10, 60)', 'a claimed webhook is not reported');

select * from finish();
