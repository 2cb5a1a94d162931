select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select test.create_pg_net(), test.create_vault();
select vault.create_secret('https://project.supabase.co/', 'project_url'), vault.create_secret('sb_secret_key', 'runner_key'),
  vault.create_secret('other', 'other');

select is(private.poke_runner(), 'nothing is queued', 'if no run is queued, no request is sent');

select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select is(private.poke_runner(), 'request 1 is sent', 'a queued run causes a poke');
select results_eq(
  'select url, headers, timeout_milliseconds from net.request',
  $$ values ('https://project.supabase.co/functions/v1/runner', '{"apikey": "sb_secret_key"}'::jsonb, 5000) $$,
  'the request goes to the runner, with the key in Vault'
);

select public.claim_flow_runs(1, 60);
select is(private.poke_runner(), 'nothing is queued', 'a run that a worker holds is not queued');
select is(count(*), 1::bigint, 'only one request was sent') from net.request;

select test.queue_webhooks(test.user_id('owner'), 1);
select is(private.poke_runner(), 'request 2 is sent', 'a due webhook causes a poke');
update public.webhook_deliveries set next_attempt_at = clock_timestamp() + interval '1 minute' where true;
select is(private.poke_runner(), 'nothing is queued', 'a webhook that waits for its next attempt causes no poke');

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), '42501', statement || ' is for administrators only')
from unnest('{select private.poke_runner(),select private.vault_secret(''runner_key'')}'::text[]) as statement;

select * from finish();
