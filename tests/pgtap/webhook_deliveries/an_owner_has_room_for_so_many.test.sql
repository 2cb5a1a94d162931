select plan(4);

select public.set_quota('pending_webhooks', 2);
select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy_telling());
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{a,b,c}'::text[]) as name;
select test.sign_in(test.user_id('other'));
select test.start_and_keep('d', test.deploy_telling());
select test.sign_out();
select private.end_flow_run(test.kept(name)::uuid, 'stopped') from unnest('{a,b,c,d}'::text[]) as name;

select results_eq(
  $$ select status, next_attempt_at is null, last_error from public.webhook_deliveries where flow_run_id = test.kept('c')::uuid $$,
  $$ values ('failed', true, 'quota_exceeded: as many webhooks as a user may have are pending') $$, 'what is beyond it is stored as failed'
);
select is((select r.status from public.flow_run as r where r.id = test.kept('c')::uuid), 'stopped', 'the run ends all the same');
select is((select count(*) from public.webhook_deliveries where status = 'pending'), 3::bigint, 'others have room of their own');
select test.sign_in(test.user_id('owner'));
select is(
  test.error_code(format('select public.redeliver_webhook(%L)', (select d.id from public.webhook_deliveries as d where d.status = 'failed'))),
  'quota_exceeded', 'it holds for what is delivered again'
);

select * from finish();
