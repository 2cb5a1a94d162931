select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy_telling());
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select private.end_flow_run(test.kept('run')::uuid, 'stopped');

create temporary table claimed on commit drop as select * from public.claim_webhook_deliveries(10, 60);
select results_eq(
  $$ select c.id, c.attempt, c.url, c.body::jsonb from claimed as c $$, $$ select d.id, 1, d.url, d.payload from public.webhook_deliveries as d $$, 'the claim returns the delivery as it is stored'
);
select is(c.headers ->> 'webhook-id', c.id::text, 'the id is the delivery''s') from claimed as c;
select is(abs((c.headers ->> 'webhook-timestamp')::bigint - extract(epoch from now())) < 60, true, 'the timestamp is the attempt''s') from claimed as c;
select is(
  c.headers ->> 'webhook-signature',
  'v1,' || encode(extensions.hmac(convert_to(concat_ws('.', c.id, c.headers ->> 'webhook-timestamp', c.body), 'UTF8'), s.secret, 'sha256'), 'base64'),
  'the signature covers id, timestamp and body'
) from claimed as c cross join private.on_end_secrets as s;
select is_empty('select * from public.claim_webhook_deliveries(10, 60)', 'while the lease lasts, no other worker claims the webhook');

update public.webhook_deliveries set next_attempt_at = clock_timestamp() where true;
select results_eq('select id, attempt from public.claim_webhook_deliveries(10, 60)', 'select id, 2 from claimed', 'when the lease is over, another worker claims the webhook, with the same id');
select public.store_webhook_attempt(id, 1, 200) from claimed;
select is((select status from public.webhook_deliveries), 'pending', 'a report about an older claim changes nothing');

update public.webhook_deliveries set next_attempt_at = clock_timestamp(), attempts = 16 where true;
select public.claim_webhook_deliveries(10, 60);
select results_eq(
  'select status, attempts, is_held, last_error from public.webhook_deliveries',
  $$ values ('failed', 16, false, 'worker_lost: the workers that sent this message were lost') $$, 'a delivery that has lost eight more workers than it has attempts fails'
);

select * from finish();
