select plan(3);

-- now() does not change within a transaction, so the test sets an old time on the wallet.
select test.create_user('owner');
insert into public.wallets (user_id, type, public_key, created_at, updated_at)
values (test.user_id('owner'), 'ADAPTER', '11111111111111111111111111111111', '2020-01-01Z', '2020-01-01Z');

select test.sign_in(test.user_id('owner'));
update public.wallets set updated_at = '2030-01-01Z' where true;
select results_eq(
  'select updated_at, created_at from public.wallets', $$ values (now(), timestamptz '2020-01-01Z') $$, 'an update sets updated_at to the time of the update'
);

select test.sign_out();
alter table public.wallets disable trigger user;
update public.wallets set updated_at = '2020-01-01Z' where true;
alter table public.wallets enable trigger user;
select results_eq('select updated_at from public.wallets', $$ values (timestamptz '2020-01-01Z') $$, 'with disabled triggers, updated_at can be set to an old time');
select test.create_wallet(test.user_id('owner'), '11111111111111111111111111111111');
select results_eq('select updated_at from public.wallets', 'select now()', 'store_wallet sets updated_at');

select * from finish();
