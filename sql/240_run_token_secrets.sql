create table private.run_token_secrets (
  generation integer primary key,
  secret bytea not null default extensions.gen_random_bytes(32),
  created_at timestamptz not null default now(),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'Keys of the run tokens, the greatest generation being the current one. The first is made when the first token is.';

create function private.run_token(flow_run_id uuid)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s order by s.generation desc limit 1;
    exit when found;
    insert into private.run_token_secrets (generation) values (1) on conflict do nothing;
  end loop;
  -- 48 bytes: their base64 is one line without padding.
  return 'fr_' || translate(
    encode(uuid_send(run_token.flow_run_id) || extensions.hmac(uuid_send(run_token.flow_run_id), v_secret, 'sha256'), 'base64'),
    '+/', '-_'
  );
end;
$$;
comment on function private.run_token(uuid) is
  'The token that shows one run to its holder: fr_ and the base64url of run id and HMAC-SHA256(secret, run id). The same run gives the same token. Definer: the secret is private.';
