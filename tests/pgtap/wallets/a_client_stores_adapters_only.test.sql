select plan(11);

select test.create_user('owner');
select test.keep('insertion', format(
  $$ insert into public.wallets (user_id, type, public_key) values (%L, 'HARDCODED', '11111111111111111111111111111111') $$,
  test.user_id('owner')
));

select test.sign_in(test.user_id('owner'));
select is(
  test.error(test.kept('insertion')),
  '{
    "code": "wallet_keypair_required", "status": 400, "message": "A HARDCODED wallet needs its key pair.", "details": null,
    "hint": "Send keypair, base58 of 64 bytes, to POST /wallets/upsert."
  }',
  'the owner can''t insert a HARDCODED wallet, which would have no secret'
);
select is(test.error(replace(test.kept('insertion'), 'HARDCODED', 'ADAPTER')), null, 'an ADAPTER wallet needs no secret');
select is(
  test.error_code($$ update public.wallets set type = 'HARDCODED' where true $$), 'column_read_only', 'an ADAPTER wallet can not be made HARDCODED by an update'
);
select is(
  test.error_code(test.kept('insertion') || ' on conflict (user_id, public_key) do update set type = excluded.type'),
  'wallet_keypair_required', 'an ADAPTER wallet can not be made HARDCODED by an upsert'
);
select is(
  test.error_code(replace(test.kept('insertion'), 'HARDCODED', 'ADAPTER')
    || $$ on conflict (user_id, public_key) do update set type = excluded.type, name = 'upserted' $$), null,
  'an upsert of an ADAPTER wallet is accepted'
);

select test.sign_in_as_role('service_role');
select is(test.error_code(test.kept('insertion')), 'wallet_keypair_required', 'the service role can''t insert a HARDCODED wallet, either');
select is(test.error_code($$ update public.wallets set type = 'HARDCODED' where true $$), 'column_read_only', 'the service role can not make a wallet HARDCODED');
select results_eq('select type, name from public.wallets', $$ values ('ADAPTER', 'upserted') $$, 'the wallet is still an ADAPTER');

select test.sign_out();
select is(
  test.error_code(replace(test.kept('insertion'), '11111111111111111111111111111111', 'So11111111111111111111111111111111111111112')),
  'wallet_keypair_required', 'the owner of the tables can not insert a HARDCODED wallet, either'
);
select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111');
select results_eq('select type from public.wallets', $$ values ('HARDCODED') $$, 'store_wallet can make a HARDCODED wallet, with a secret');
select is(
  test.error_code($$ update public.wallets set type = 'ADAPTER' where true $$), 'column_read_only', 'an update can not make a HARDCODED wallet an ADAPTER'
);

select * from finish();
