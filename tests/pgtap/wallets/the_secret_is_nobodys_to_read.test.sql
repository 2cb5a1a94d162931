select plan(19);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.keep('user_id', test.user_id('owner'));

create function pg_temp.sign_in_as(who text) returns void language plpgsql as $$
begin
  if who = 'owner' then perform test.sign_in(test.kept('user_id')::uuid); else perform test.sign_in_as_role(who); end if;
end;
$$;
grant execute on function pg_temp.sign_in_as(text) to public;
create temporary view attempts as
  select * from (values
    ('select from private.wallet_secrets'),
    ('update private.wallet_secrets set key_id = key_id where true'),
    ('delete from private.wallet_secrets where true'),
    ('insert into private.wallet_secrets default values'),
    ('truncate private.wallet_secrets')
  ) as attempt (statement);
grant select on attempts to public;
create temporary view calls as
  select * from (values
    ($$ select public.read_wallet_secret(test.kept('user_id')::uuid, 'So11111111111111111111111111111111111111112') $$),
    ($$ select public.store_wallet(test.kept('user_id')::uuid, 'HARDCODED', '', 'So11111111111111111111111111111111111111112') $$)
  ) as call (statement);
grant select on calls to public;

select pg_temp.sign_in_as('owner');
select is(test.error_code(statement), '42501', 'the owner may not ' || statement) from attempts;
select is(test.error_code(statement), '42501', 'the owner may not' || left(statement, 35)) from calls;

select pg_temp.sign_in_as('anon');
select is(test.error_code(statement), '42501', 'anon may not' || left(statement, 35)) from calls;
select is(test.error_code('select from private.wallet_secrets'), '42501', 'anon may not read the table');

select pg_temp.sign_in_as('service_role');
select is(test.error_code(statement), '42501', 'the service role may not ' || statement) from attempts;
select is(
  public.read_wallet_secret(test.kept('user_id')::uuid, 'So11111111111111111111111111111111111111112'),
  jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('01', 12), 'ciphertext', '\x' || repeat('02', 48)),
  'the service role gets the ciphertext, for the runner'
);
select is(
  public.read_wallet_secret(gen_random_uuid(), 'So11111111111111111111111111111111111111112'), null, 'the secret is returned only for the owner of the wallet'
);
select is(public.read_wallet_secret(test.kept('user_id')::uuid, '11111111111111111111111111111111'), null, 'the secret is returned only for this wallet');
select is(
  public.store_wallet(test.kept('user_id')::uuid, 'HARDCODED', '', 'So11111111111111111111111111111111111111112')
    - '{id,user_id,type,name,public_key,created_at,updated_at}'::text[], '{}', 'store_wallet does not return the secret'
);

select * from finish();
