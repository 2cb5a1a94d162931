select plan(27);

select test.create_user('owner');
select test.create_user('other');
select test.keep('hardcoded', test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112'));
-- Several users may have a wallet with the same key.
select test.keep('foreign', test.create_wallet(test.user_id('other'), 'So11111111111111111111111111111111111111112', 'ADAPTER'));
select test.keep('insertion', format(
  $$ insert into public.wallets (user_id, type, name, public_key) values (%L, 'ADAPTER', 'mine', '11111111111111111111111111111111') $$,
  test.user_id('owner')
));

select test.sign_in(test.user_id('owner'));
select results_eq(
  'select id, type from public.wallets', $$ values (test.kept('hardcoded')::integer, 'HARDCODED') $$, 'the owner sees only their own wallets'
);
select is(test.row_count(test.kept('insertion')), 1::bigint, 'the owner inserts a wallet');
select is(test.row_count($$ update public.wallets set name = 'owner' where true $$), 2::bigint, 'the owner updates their wallets');
select is(test.row_count($$ delete from public.wallets where type = 'ADAPTER' $$), 1::bigint, 'the owner can delete a wallet');
select is(
  test.error_code($$ insert into public.wallets (type, public_key) values ('ADAPTER', '11111111111111111111111111111111') $$), null,
  'a user can insert a wallet without user_id'
);

select test.sign_in(test.user_id('other'));
select results_eq(
  'select id from public.wallets', $$ values (test.kept('foreign')::integer) $$, 'another user sees no wallet of the owner'
);
select is(test.error_code(test.kept('insertion')), '42501', 'another user can not insert a wallet for the owner');
select is(
  test.row_count($$ update public.wallets set name = 'other' where user_id = test.user_id('owner') $$), 0::bigint, 'another user updates no wallet of the owner'
);
select is(test.row_count($$ delete from public.wallets where user_id = test.user_id('owner') $$), 0::bigint, 'another user deletes no wallet of the owner');

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(
  test.row_count($$ select from public.wallets where user_id = test.user_id('owner') $$), 0::bigint, 'an anonymous sign-in sees no wallet of the owner'
);
select is(test.error_code(test.kept('insertion')), '42501', 'an anonymous sign-in can not insert a wallet for the owner');
select is(
  test.row_count($$ update public.wallets set name = 'other' where user_id = test.user_id('owner') $$), 0::bigint, 'an anonymous sign-in updates no wallet of the owner'
);
select is(test.row_count($$ delete from public.wallets where user_id = test.user_id('owner') $$), 0::bigint, 'an anonymous sign-in deletes no wallet of the owner');

select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', 'anon may not ' || trim(statement))
from (values
  ('select from public.wallets'),
  ('insert into public.wallets default values'),
  ('update public.wallets set name = name where true'),
  ('delete from public.wallets where true'),
  ('truncate public.wallets cascade')
) as attempt (statement);

select test.sign_in_as_role('authenticated');
select is(test.row_count('select from public.wallets'), 0::bigint, 'a token without a user sees nothing');
select is(
  test.error_code($$ insert into public.wallets (type, public_key) values ('ADAPTER', '11111111111111111111111111111111') $$), '42501',
  'a token without a user inserts no wallet'
);

select test.sign_in_as_role('service_role');
select results_eq(
  'select user_id, type, name from public.wallets order by id',
  $$ values
    (test.user_id('owner'), 'HARDCODED', 'owner'), (test.user_id('other'), 'ADAPTER', 'wallet'), (test.user_id('owner'), 'ADAPTER', '') $$,
  'the service role sees all wallets, unchanged by others'
);
select is(test.error_code('truncate public.wallets cascade'), '42501', 'the service role may not truncate the table');
select is(
  test.error_code($$ insert into public.wallets (type, public_key) values ('ADAPTER', 'So11111111111111111111111111111111111111112') $$), '23502',
  'the service role must give a user_id'
);
select is(
  test.row_count(replace(test.kept('insertion'), '11111111111111111111111111111111', 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')),
  1::bigint, 'the service role can insert a wallet'
);
select is(test.row_count($$ update public.wallets set name = 'service' where true $$), 4::bigint, 'the service role updates wallets');
select is(test.row_count('delete from public.wallets where true'), 4::bigint, 'the service role can delete wallets');
select is_empty('select * from public.wallets', 'no wallet is left');

select * from finish();
