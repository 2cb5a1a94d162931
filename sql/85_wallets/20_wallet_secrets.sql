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
  'The secret keys of HARDCODED wallets, as ciphertext: the keys that open them are in the environment of the Edge Functions only.';
comment on column private.wallet_secrets.key_id is 'Which of WALLET_KEYS it is encrypted with.';
comment on column private.wallet_secrets.ciphertext is
  'AES-256-GCM of the 32 bytes of the secret key with its tag of 16 bytes, bound to user_id and public_key as associated data.';
comment on column private.wallet_secrets.created_at is 'When this ciphertext was stored.';
