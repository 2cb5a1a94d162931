select plan(17);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('id', public.create_webhook('push', test.kept('flow')::integer) ->> 'id');
select public.create_webhook('push', deployment_id => test.kept('deployment')::uuid);
select is(count(*), 2::bigint, 'the owner sees the webhooks') from public.flow_webhooks;

select test.sign_in(test.user_id('other'));
select is_empty('select from public.flow_webhooks', 'other users see no webhooks');
select is(test.row_count('update public.flow_webhooks set is_active = false where true'), 0::bigint, 'other users change no webhooks');
select is(test.row_count('delete from public.flow_webhooks where true'), 0::bigint, 'other users delete no webhooks');
select is(
  test.error(format('select public.set_webhook_verification(%L)', test.kept('id'))),
  test.error(format('select public.set_webhook_verification(%L)', gen_random_uuid())), 'other users can not set the verification'
);
select is(
  test.error(format('select public.create_webhook(%L, deployment_id => %L)', 'push', test.kept('deployment'))) ->> 'code', 'deployment_not_found',
  'a deployment of another user counts as missing'
);
select is(test.error_code('insert into public.flow_webhooks (user_id, prefix, flow, input) values (auth.uid(), ''fh_aaaaaaa'', 1, ''a'')'), '42501',
  'only create_webhook makes webhooks');
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_webhooks'), '42501', 'anon may not read webhooks');
select test.sign_in_as_role('service_role');
select is(test.error_code('select from private.flow_webhook_secrets'), '42501', 'the service role can not read the secrets');
select is(test.error_code('select public.receive_webhook(''fh_'', ''{}'')'), '42501', 'callers of the API may not call receive_webhook');
select test.sign_out();

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments where true;
select is(count(*), 1::bigint, 'a webhook is deleted with its deployment') from public.flow_webhooks;
select lives_ok(format('delete from public.flows where id = %s', test.kept('flow')), 'a flow with webhooks can be deleted');
select is_empty('select from public.flow_webhooks', 'webhooks are deleted with their user');

select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('push')));
select test.deploy(test.kept('flow')::integer);
select public.create_webhook('push', test.kept('flow')::integer);
select test.sign_out();
select is(count(*), 1::bigint, 'secrets are deleted with their webhooks') from private.flow_webhook_secrets;
select private.set_quota('webhooks', 1);
select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select public.create_webhook(''push'', %s)', test.kept('flow'))) -> 'details', '{"limit": 1, "of": "webhooks"}',
  'the number of webhooks of a user is limited'
);
select test.sign_out();
delete from auth.users where id = test.user_id('owner');
select is_empty('select from public.flow_webhooks', 'webhooks are deleted with their user');
select is_empty('select from private.flow_webhook_secrets', 'no secret is left');

select * from finish();
