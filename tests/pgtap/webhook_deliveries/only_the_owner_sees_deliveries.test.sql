select plan(8);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy_telling());
update public.flow_deployments set start_permission = 'Anonymous' where true;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
select private.end_flow_run(test.kept('run')::uuid, 'stopped');

select test.sign_in(test.user_id('owner'));
select is((select count(*) from public.webhook_deliveries), 1::bigint, 'the owner reads the delivery');
select is(test.error_code(statement), '42501', 'the owner may not write deliveries')
from unnest('{delete from public.webhook_deliveries,update public.webhook_deliveries set status = status,insert into public.webhook_deliveries default values}'::text[]) as statement;
select test.sign_in(test.user_id('starter'));
select is((select count(*) from public.webhook_deliveries), 0::bigint, 'the starter of the run sees no deliveries');
select is(private.read_deployment(test.kept('deployment')::uuid, null, null, null)::text ~ 'on_end|example.com', false, 'the starter does not learn that the deployment has a webhook');
select test.sign_in(test.user_id('other'));
select is((select count(*) from public.webhook_deliveries), 0::bigint, 'other users see no deliveries');
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.webhook_deliveries'), '42501', 'a caller who is not signed in may not read deliveries');

select * from finish();
