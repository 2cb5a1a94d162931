select plan(15);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));

create function pg_temp.insertion(type text, name text, public_key text) returns text language sql as $$
  select format('insert into public.wallets (type, name, public_key) values (%L, %L, %L)', type, name, public_key);
$$;

select is(test.error(pg_temp.insertion('ADAPTER', name, public_key)), null, format('"%s" of %s is accepted', left(name, 20), public_key))
from (values
  ('', '11111111111111111111111111111111'),
  (repeat('ä', 200), 'So11111111111111111111111111111111111111112'),
  ('mine', 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFG')
) as good (name, public_key);

select is(
  test.error(pg_temp.insertion(type, name, public_key)) ->> 'message', rule,
  format('%s "%s" of %s is refused', type, left(name, 20), left(public_key, 50))
)
from (values
  ('ADAPTER', repeat('ä', 201), '1111111111111111111111111111111Q', 'name: must have at most 200 characters.'),
  ('adapter', '', '1111111111111111111111111111111Q', 'type: must be HARDCODED or ADAPTER.'),
  ('', '', '1111111111111111111111111111111Q', 'type: must be HARDCODED or ADAPTER.'),
  ('ADAPTER', '', '', 'public_key: must be a public key: base58 of 32 bytes.'),
  -- Base58 texts of 31 bytes, of 33 bytes, and of a number greater than 2^256-1; then a text that is not base58.
  ('ADAPTER', '', '1111111111111111111111111111111', 'public_key: must be a public key: base58 of 32 bytes.'),
  ('ADAPTER', '', '111111111111111111111111111111111', 'public_key: must be a public key: base58 of 32 bytes.'),
  ('ADAPTER', '', 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH', 'public_key: must be a public key: base58 of 32 bytes.'),
  ('ADAPTER', '', 'So1111111111111111111111111111111111111111O', 'public_key: must be a public key: base58 of 32 bytes.'),
  ('ADAPTER', '', repeat('1', 100000), 'public_key: must be a public key: base58 of 32 bytes.'),
  ('ADAPTER', 'twice', 'So11111111111111111111111111111111111111112', 'duplicate key value violates unique constraint "wallets_user_id_public_key_key"')
) as bad (type, name, public_key, rule);

select is(test.error_code('insert into public.wallets (type) values (''ADAPTER'')'), '23502', 'a wallet without a key is refused');
select is(
  test.error_code($$ insert into public.wallets (public_key) values ('1111111111111111111111111111111Q') $$), '23502', 'a wallet without a type is refused'
);

select * from finish();
