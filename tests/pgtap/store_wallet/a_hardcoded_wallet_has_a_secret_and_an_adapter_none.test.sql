select plan(17);

select test.create_user('owner');
select test.keep('user_id', test.user_id('owner'));
select test.sign_in_as_role('service_role');

create function pg_temp.store(type text, byte text default null, name text default 'mine') returns jsonb language sql as $$
  select public.store_wallet(
    test.kept('user_id')::uuid, type, name, 'So11111111111111111111111111111111111111112',
    case when byte is not null then 'key-' || byte end, decode(repeat(byte, 12), 'hex'), decode(repeat(byte, 48), 'hex')
  );
$$;
create function pg_temp.secret() returns text language sql as $$
  select public.read_wallet_secret(test.kept('user_id')::uuid, 'So11111111111111111111111111111111111111112') ->> 'key_id';
$$;

select is(
  test.error_code($$ select pg_temp.store('HARDCODED') $$), 'wallet_keypair_required', 'a HARDCODED wallet without a secret is refused'
);
select is_empty('select * from public.wallets', 'the refused wallet is not stored');

select is(pg_temp.store('ADAPTER') - '{id,created_at,updated_at}'::text[], jsonb_build_object(
  'user_id', test.kept('user_id'), 'type', 'ADAPTER', 'name', 'mine', 'public_key', 'So11111111111111111111111111111111111111112'
), 'an ADAPTER wallet needs no secret');
select test.keep('id', id) from public.wallets;
select is(pg_temp.secret(), null, 'the ADAPTER wallet has no secret');
select is(test.error_code($$ select pg_temp.store('HARDCODED') $$), 'wallet_keypair_required', 'a wallet becomes HARDCODED only with a secret');
select is(
  test.error($$ select pg_temp.store('ADAPTER', '0a') $$) - 'hint',
  '{"code": "request_invalid", "status": 400, "message": "type: must be HARDCODED or ADAPTER; an ADAPTER wallet has no key pair.", "details": null}',
  'an ADAPTER wallet accepts no secret'
);
select is(test.error_code('select pg_temp.store(null)'), 'request_invalid', 'a wallet has a type');
select is(test.error_code('select pg_temp.store(''OTHER'')'), 'request_invalid', 'any other type is refused');

select is(pg_temp.store('HARDCODED', '0a', 'hard') ->> 'type', 'HARDCODED', 'with a secret the wallet becomes HARDCODED');
select is(pg_temp.secret(), 'key-0a', 'the secret is stored');
select is(pg_temp.store('HARDCODED', null, 'renamed') ->> 'name', 'renamed', 'a HARDCODED wallet can be renamed without its secret');
select is(pg_temp.secret(), 'key-0a', 'a renamed wallet keeps its secret');
select pg_temp.store('HARDCODED', '0b');
select is(pg_temp.secret(), 'key-0b', 'another secret replaces the stored one');
select is(pg_temp.store('ADAPTER') ->> 'type', 'ADAPTER', 'the wallet becomes an ADAPTER again');
select is(pg_temp.secret(), null, 'the secret of an ADAPTER wallet is deleted');
select is(test.error_code($$ select pg_temp.store('HARDCODED') $$), 'wallet_keypair_required', 'the deleted secret does not come back');

select results_eq(
  'select id, type, name from public.wallets', $$ values (test.kept('id')::integer, 'ADAPTER', 'mine') $$, 'the wallet has kept its id'
);

select * from finish();
