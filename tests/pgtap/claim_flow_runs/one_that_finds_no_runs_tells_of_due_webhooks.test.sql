select plan(4);

select test.create_user('owner');
select test.sign_in_as_role('service_role');
select is_empty('select * from public.claim_flow_runs(10, 60)', 'there is nothing to tell of');

select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.queue_webhooks(test.user_id('owner'), 1);
select test.sign_in_as_role('service_role');
select results_eq(
  'select flow_run_id, has_due_webhook from public.claim_flow_runs(10, 60)', $$ values (test.kept('run')::uuid, false) $$,
  'a claim of runs tells of nothing else'
);
select results_eq(
  'select flow_run_id, has_due_webhook from public.claim_flow_runs(10, 60)', 'values (null::uuid, true)',
  'one that finds none tells of the webhook that is due'
);
select public.claim_webhook_deliveries(10, 60);
select is_empty('select * from public.claim_flow_runs(10, 60)', 'until it is claimed');

select * from finish();
