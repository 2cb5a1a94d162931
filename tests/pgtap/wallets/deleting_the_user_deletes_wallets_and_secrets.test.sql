select plan(5);

select test.create_user('owner');
select test.create_user('other');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111', 'ADAPTER');
select test.keep('foreign', test.create_wallet(test.user_id('other'), 'So11111111111111111111111111111111111111112'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
update public.flow_deployments set action_identity = 'So11111111111111111111111111111111111111112' where true;
select is(test.error_code('delete from public.wallets where true'), 'wallet_in_use', 'a wallet is in use');

select test.sign_out();
select is(
  test.row_count($$ delete from auth.users where id = test.user_id('owner') $$), 1::bigint, 'a user whose wallet is an action identity can be deleted'
);
select results_eq('select id from public.wallets', $$ values (test.kept('foreign')::integer) $$, 'the wallets of the user are deleted');
select results_eq('select wallet_id from private.wallet_secrets', $$ values (test.kept('foreign')::integer) $$, 'the secrets of these wallets are deleted');
select is_empty('select * from public.flow_deployments', 'the deployment is deleted');

select * from finish();
