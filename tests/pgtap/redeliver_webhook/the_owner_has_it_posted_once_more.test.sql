select plan(10);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy_telling());
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select private.end_flow_run(test.kept('run')::uuid, 'stopped');
select test.keep('id', id) from public.webhook_deliveries;
create function pg_temp.redeliver(id text default test.kept('id')) returns text
language sql volatile
as $$ select test.error_code(format('select public.redeliver_webhook(%L)', redeliver.id)) $$;
grant execute on function pg_temp.redeliver(text) to public;

select public.store_webhook_attempt(id, attempt, 200) from public.claim_webhook_deliveries(1, 60);
select test.sign_in(test.user_id('owner'));
select is(pg_temp.redeliver(), null, 'a delivered message can be posted again');
select results_eq('select status, attempts, max_attempts, next_attempt_at <= clock_timestamp() from public.webhook_deliveries', $$ values ('pending', 1, 9, true) $$, 'the message is due again, for eight attempts');
select test.sign_out();
select is((select c.id::text from public.claim_webhook_deliveries(1, 60) as c), test.kept('id'), 'the repeated delivery has the same id');
select test.sign_in(test.user_id('owner'));
select is(pg_temp.redeliver(), null, 'a delivery under way is not changed');
select results_eq('select is_held, attempts from public.webhook_deliveries', $$ values (true, 2) $$, 'a worker still holds the delivery');
select test.sign_out();
select public.store_webhook_attempt(test.kept('id')::uuid, 1, 200);
select is((select status from public.webhook_deliveries), 'pending', 'the result of the first delivery does not apply to the second one');
select public.store_webhook_attempt(test.kept('id')::uuid, 2, 500);
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set on_end = '{"url": "https://example.com/new", "events": ["failed"]}' where true;
select pg_temp.redeliver();
select is((select url from public.webhook_deliveries), 'https://example.com/new', 'the message goes to the present address of the deployment');
select is(pg_temp.redeliver('00000000-0000-7000-8000-000000000000'), 'webhook_delivery_not_found', 'a missing delivery is answered with 404');
select test.sign_in(test.user_id('other'));
select is(pg_temp.redeliver(), 'webhook_delivery_not_found', 'a delivery of another user is not found');
select test.sign_in_as_role('anon');
select is(pg_temp.redeliver(), 'unauthenticated', 'a caller who is not signed in is refused');

select * from finish();
