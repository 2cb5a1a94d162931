select plan(14);

select test.create_user('owner');
select test.create_user('other');
select test.keep('used', test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112'));
select test.keep('unused', test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111'));
select test.keep('foreign', test.create_wallet(test.user_id('other'), 'So11111111111111111111111111111111111111112'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
select test.keep('second', test.deploy(test.kept('flow')::integer));

create function pg_temp.delete_wallet(name text) returns text language sql as $$
  select format('delete from public.wallets where id = %s', test.kept(name));
$$;

savepoint unused;
select is(test.row_count(pg_temp.delete_wallet('used')), 1::bigint, 'a HARDCODED wallet that no deployment names can be deleted');
select test.sign_out();
select is(count(*), 2::bigint, 'the secret of a deleted wallet is deleted') from private.wallet_secrets;
rollback to unused;

update public.flow_deployments set action_identity = 'So11111111111111111111111111111111111111112' where true;
select is(
  test.error(pg_temp.delete_wallet('used')),
  jsonb_build_object(
    'code', 'wallet_in_use', 'status', 409, 'message', format('The wallet is the action identity of deployment %s.', test.kept('second')),
    'details', jsonb_build_object('deployment_id', test.kept('second')),
    'hint', 'First change the action_identity of all deployments that name this wallet.'
  ),
  'a wallet that deployments name can not be deleted, and the error names the newest deployment'
);
select is(test.row_count(pg_temp.delete_wallet('unused')), 1::bigint, 'another wallet of the owner can be deleted');

select test.sign_in(test.user_id('other'));
select is(test.row_count(pg_temp.delete_wallet('foreign')), 1::bigint, 'another user''s wallet with the same key can be deleted');

select test.sign_in_as_role('service_role');
select is(test.error_code(pg_temp.delete_wallet('used')), 'wallet_in_use', 'the service role can''t delete the named wallet either');
select is(
  test.error_code($$ select public.store_wallet(test.user_id('owner'), 'ADAPTER', 'gone', 'So11111111111111111111111111111111111111112') $$),
  'wallet_in_use', 'the wallet can not be made an ADAPTER, which could not sign'
);
select results_eq(
  'select type, name from public.wallets where user_id = test.user_id(''owner'')', $$ values ('HARDCODED', 'wallet') $$,
  'a refused change changes nothing'
);
select is(
  test.error_code($$ select public.store_wallet(test.user_id('owner'), 'HARDCODED', 'renamed', 'So11111111111111111111111111111111111111112') $$),
  null, 'the wallet can be renamed'
);

select test.sign_in(test.user_id('owner'));
update public.flow_deployments set action_identity = null where id = test.kept('second')::uuid;
select is(
  test.error(pg_temp.delete_wallet('used')) -> 'details' ->> 'deployment_id', test.kept('first'), 'a single deployment that names the wallet prevents the deletion'
);
savepoint changed;
delete from public.flow_deployments where id = test.kept('first')::uuid;
select is(test.row_count(pg_temp.delete_wallet('used')), 1::bigint, 'when the last deployment is deleted, the wallet can be deleted');
rollback to changed;
update public.flow_deployments set action_identity = null where true;
select is(test.row_count(pg_temp.delete_wallet('used')), 1::bigint, 'when no deployment names the wallet any more, it can be deleted');

select test.sign_out();
select is_empty('select * from public.wallets', 'no wallet is left');
select is_empty('select * from private.wallet_secrets', 'no secret is left');

select * from finish();
