select plan(12);

select test.create_user('owner');
select test.keep('user_id', test.user_id('owner'));
select test.sign_in_as_role('service_role');

create function pg_temp.storing(key_id text, nonce_length integer, length integer) returns text language sql as $$
  select format(
    $sql$ select public.store_wallet(%L, 'HARDCODED', '', 'So11111111111111111111111111111111111111112', %L, %L, %L) $sql$,
    test.kept('user_id'), key_id, '\x' || repeat('00', nonce_length), '\x' || repeat('00', length)
  );
$$;

select is(test.error(pg_temp.storing(key_id, 12, 48)), null, key_id || ' is a key id')
from unnest(array['a', 'local', 'K_2026.11-b', repeat('a', 64)]) as key_id;
select is(
  test.error(pg_temp.storing(key_id, nonce_length, length)) ->> 'constraint', rule,
  format('%s, %s and %s bytes are refused', left(key_id, 20), nonce_length, length)
)
from (values
  ('', 12, 48, 'wallet_secrets_key_id_form'),
  ('1', 12, 48, 'wallet_secrets_key_id_form'),
  (repeat('a', 65), 12, 48, 'wallet_secrets_key_id_form'),
  ('a', 11, 48, 'wallet_secrets_nonce_length'),
  ('a', 13, 48, 'wallet_secrets_nonce_length'),
  -- These lengths are those of a secret key and of a key pair, so such a text may be unencrypted.
  ('a', 12, 32, 'wallet_secrets_ciphertext_length'),
  ('a', 12, 64, 'wallet_secrets_ciphertext_length')
) as bad (key_id, nonce_length, length, rule);
select is(
  test.error_code($$ select public.store_wallet(test.kept('user_id')::uuid, 'HARDCODED', '', 'So11111111111111111111111111111111111111112',
    ciphertext => decode(repeat('00', 48), 'hex')) $$), '23502', 'key id and nonce belong to it'
);

select * from finish();
