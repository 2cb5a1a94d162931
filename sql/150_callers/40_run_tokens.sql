create table private.run_token_secrets (
  id boolean primary key default true,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  constraint run_token_secrets_single check (id),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'The secrets that sign run tokens and claim tokens, in one row. The row is inserted when the first token is made.';
comment on column private.run_token_secrets.secret is 'Signs new tokens.';
comment on column private.run_token_secrets.previous_secret is
  'The secret that the last rotation replaced. Tokens signed with this secret are still valid.';

create function private.run_token(flow_run_id uuid, secret bytea)
returns text
language sql immutable security invoker
begin atomic
  -- The base64 of 48 bytes is one line without padding.
  select 'fr_' || translate(
    encode(
      uuid_send(run_token.flow_run_id)
        || extensions.hmac(uuid_send(run_token.flow_run_id), run_token.secret, 'sha256'), 'base64'
    ),
    '+/', '-_'
  );
end;
comment on function private.run_token(uuid, bytea) is
  'The token of a run, signed with `secret`: fr_, and then 48 bytes in base64url. The bytes are the run id and HMAC-SHA256(secret, run id).';

create function private.run_token_secret()
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s;
    exit when found;
    insert into private.run_token_secrets default values on conflict do nothing;
  end loop;
  return v_secret;
end;
$$;
comment on function private.run_token_secret() is
  'The secret that signs new tokens. The first call makes the secret. Definer, because no API role may access the secret.';

create function private.run_token(flow_run_id uuid)
returns text
language sql volatile security definer
set search_path = ''
as $$
  select private.run_token(run_token.flow_run_id, private.run_token_secret());
$$;
comment on function private.run_token(uuid) is
  'The token that gives its holder access to one run. A run has the same token until the project''s secret is rotated. The first call makes the secret. Definer, because no API role may access the secret.';

create function private.is_signed(signed bytea, signature bytea)
returns boolean
language sql stable security definer
set search_path = ''
as $$
  -- The query compares digests, so the time of the comparison does not reveal how many bytes of a forged token are
  -- right.
  select exists (
    select from private.run_token_secrets as s
    cross join lateral (values (s.secret), (s.previous_secret)) as valid (secret)
    where sha256(extensions.hmac(is_signed.signed, valid.secret, 'sha256')) = sha256(is_signed.signature)
  );
$$;
comment on function private.is_signed(bytea, bytea) is
  'Whether `signature` signs the bytes `signed` with the present or the previous secret. Definer, because no API role may access the secrets.';

create function private.run_id_of_token(token text)
returns uuid
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_bytes bytea;
begin
  if run_id_of_token.token is null or run_id_of_token.token !~ '^fr_[A-Za-z0-9_-]{64}$' then
    return null;
  end if;
  v_bytes := decode(translate(substr(run_id_of_token.token, 4), '-_', '+/'), 'base64');
  if not private.is_signed(substring(v_bytes for 16), substring(v_bytes from 17)) then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$$;
comment on function private.run_id_of_token(text) is
  'The id of the run with this token; null if the token is not valid. Definer, because no API role may access the secrets.';

create function private.token_run_id()
returns uuid
language sql stable security definer
set search_path = ''
as $$
  select private.run_id_of_token(private.request_header('x-flow-run-token'));
$$;
comment on function private.token_run_id() is
  'The id of the run whose token the request carries in x-flow-run-token; null without a valid token. Definer, because no API role may call private.run_id_of_token().';
grant execute on function private.token_run_id() to anon, authenticated, service_role;

create function private.rotate_run_token_secret()
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into private.run_token_secrets as s default values
  on conflict (id) do update set secret = excluded.secret, previous_secret = s.secret;
end;
$$;
comment on function private.rotate_run_token_secret() is
  'Implements public.rotate_run_token_secret. Definer, because no API role may access the secrets.';
grant execute on function private.rotate_run_token_secret() to service_role;

create function public.rotate_run_token_secret()
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.rotate_run_token_secret();
$$;
comment on function public.rotate_run_token_secret() is
  'For the service role: replaces the secret that signs new run tokens. Tokens signed with the replaced secret stay valid until the next rotation. Tokens signed with an older secret become invalid.';
grant execute on function public.rotate_run_token_secret() to service_role;
