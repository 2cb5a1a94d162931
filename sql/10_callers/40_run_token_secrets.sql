create table private.run_token_secrets (
  id boolean primary key default true,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  constraint run_token_secrets_single check (id),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'Keys of the run tokens, in one row, which every start reads: it is made when the first token is.';
comment on column private.run_token_secrets.secret is 'Tokens are made with it.';
comment on column private.run_token_secrets.previous_secret is 'Tokens that were made with it before the last rotation are still valid.';
