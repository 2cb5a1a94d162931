create table private.wallet_secrets (
  wallet_id integer primary key references public.wallets (id) on delete cascade,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  constraint wallet_secrets_key_id_form check (key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'),
  constraint wallet_secrets_nonce_length check (octet_length(nonce) = 12),
  constraint wallet_secrets_ciphertext_length check (octet_length(ciphertext) = 48)
);
comment on table private.wallet_secrets is
  'The secret keys of HARDCODED wallets, encrypted. Only the environment of the Edge Functions holds the keys that decrypt them.';
comment on column private.wallet_secrets.key_id is 'The id of the encryption key in WALLET_KEYS.';
comment on column private.wallet_secrets.ciphertext is
  'AES-256-GCM of the secret key: 32 bytes, and a tag of 16 bytes. user_id and public_key are the associated data, so the secret decrypts only for this wallet.';
comment on column private.wallet_secrets.created_at is 'When this ciphertext was stored.';

create function private.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text, nonce bytea, ciphertext bytea
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_wallet public.wallets;
begin
  if coalesce(store_wallet.type not in ('HARDCODED', 'ADAPTER'), true)
    or store_wallet.type = 'ADAPTER' and store_wallet.ciphertext is not null
  then
    perform private.fail('request_invalid', 'type: must be HARDCODED or ADAPTER; an ADAPTER wallet has no key pair.');
  end if;
  perform private.hold_user(store_wallet.user_id);
  -- The upsert locks the wallet's row until the transaction ends. So no deployment can name the wallet as action
  -- identity between the check by refuse_wallet_in_use and the change of the type.
  insert into public.wallets as w (user_id, type, name, public_key)
  values (store_wallet.user_id, 'ADAPTER', store_wallet.name, store_wallet.public_key)
  on conflict on constraint wallets_user_id_public_key_key do update set name = excluded.name
  returning w.* into v_wallet;

  if store_wallet.type = 'ADAPTER' and v_wallet.type = 'HARDCODED' then
    perform private.refuse_wallet_in_use(v_wallet);
    delete from private.wallet_secrets as s where s.wallet_id = v_wallet.id;
  elsif store_wallet.type = 'HARDCODED' and store_wallet.ciphertext is not null then
    insert into private.wallet_secrets as s (wallet_id, key_id, nonce, ciphertext)
    values (v_wallet.id, store_wallet.key_id, store_wallet.nonce, store_wallet.ciphertext)
    on conflict (wallet_id) do update
    set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
      created_at = excluded.created_at;
  elsif store_wallet.type = 'HARDCODED' and v_wallet.type = 'ADAPTER' then
    perform private.refuse_missing_keypair();
  end if;

  if v_wallet.type <> store_wallet.type then
    update public.wallets as w set type = store_wallet.type where w.id = v_wallet.id returning w.* into v_wallet;
  end if;
  return to_jsonb(v_wallet);
end;
$$;
comment on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'Implements public.store_wallet. Definer, because no API role may access the secrets.';
grant execute on function private.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

-- The Edge Function has checked and encrypted the key pair. If no ciphertext is given, a HARDCODED wallet keeps its
-- stored ciphertext. If a wallet becomes an ADAPTER wallet, its stored ciphertext is deleted.
create function public.store_wallet(
  user_id uuid, type text, name text, public_key text, key_id text default null, nonce bytea default null,
  ciphertext bytea default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_wallet(user_id, type, name, public_key, key_id, nonce, ciphertext);
$$;
comment on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) is
  'For the Edge Function wallets: stores the user''s wallet with this public key, and returns its row without secrets. 400 request_invalid, wallet_keypair_required; 401 token_invalid for a deleted user; 409 wallet_in_use, quota_exceeded.';
grant execute on function public.store_wallet(uuid, text, text, text, text, bytea, bytea) to service_role;

create function private.sealed_row(key_id text, nonce bytea, ciphertext bytea)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'key_id', sealed_row.key_id, 'nonce', '\x' || encode(sealed_row.nonce, 'hex'),
    'ciphertext', '\x' || encode(sealed_row.ciphertext, 'hex')
  );
$$;
comment on function private.sealed_row(text, bytea, bytea) is
  'An encrypted secret in the form that the Edge Functions and the runner read: {key_id, nonce, ciphertext}. nonce and ciphertext are texts: \x, then hex digits.';

create function private.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  select private.sealed_row(s.key_id, s.nonce, s.ciphertext)
  from public.wallets as w
  join private.wallet_secrets as s on s.wallet_id = w.id
  where w.user_id = read_wallet_secret.user_id and w.public_key = read_wallet_secret.public_key;
$$;
comment on function private.read_wallet_secret(uuid, text) is
  'Implements public.read_wallet_secret. Definer, because no API role may access the secrets.';
grant execute on function private.read_wallet_secret(uuid, text) to service_role;

create function public.read_wallet_secret(user_id uuid, public_key text)
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  select private.read_wallet_secret(user_id, public_key);
$$;
comment on function public.read_wallet_secret(uuid, text) is
  'For the runner: the encrypted secret key of a HARDCODED wallet, {key_id, nonce, ciphertext}. nonce and ciphertext are texts: \x, then hex digits. Null if the user has no such wallet.';
grant execute on function public.read_wallet_secret(uuid, text) to service_role;
