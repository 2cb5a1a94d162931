create table private.run_token_secrets (
  generation integer primary key,
  secret bytea not null default extensions.gen_random_bytes(32),
  created_at timestamptz not null default now(),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'Keys of the run tokens: the current one, the greatest generation, and the one before it. The first is made when the first token is.';
