create table private.run_token_secrets (
  id boolean primary key default true,
  secret bytea not null default extensions.gen_random_bytes(32),
  previous_secret bytea,
  constraint run_token_secrets_single check (id),
  constraint run_token_secrets_secret_length check (octet_length(secret) = 32)
);
comment on table private.run_token_secrets is
  'The secrets with which run tokens are made, in one row. It is stored when the first token is made, and read by every start.';
comment on column private.run_token_secrets.secret is 'New tokens are made with it.';
comment on column private.run_token_secrets.previous_secret is 'Tokens that were made with it before the last rotation are still valid.';

create function private.run_token(flow_run_id uuid, secret bytea)
returns text
language sql immutable security invoker
begin atomic
  -- 48 bytes: their base64 is one line without padding.
  select 'fr_' || translate(
    encode(uuid_send(run_token.flow_run_id) || extensions.hmac(uuid_send(run_token.flow_run_id), run_token.secret, 'sha256'), 'base64'),
    '+/', '-_'
  );
end;
comment on function private.run_token(uuid, bytea) is
  'The token of a run, made with this secret: fr_ and the base64url of run id and HMAC-SHA256(secret, run id).';

create function private.run_token(flow_run_id uuid)
returns text
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
  return private.run_token(run_token.flow_run_id, v_secret);
end;
$$;
comment on function private.run_token(uuid) is
  'The token that shows one run to its holder, made with the secret of this project, which the first token makes. The same run gives the same token as long as the secret is the same. Definer: the secret is private.';

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
  -- Digests are compared, so that the time it takes does not tell how much of a forged token is right.
  perform from private.run_token_secrets as s cross join lateral (values (s.secret), (s.previous_secret)) as valid (secret)
  where sha256(extensions.hmac(substring(v_bytes for 16), valid.secret, 'sha256')) = sha256(substring(v_bytes from 17));
  if not found then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$$;
comment on function private.run_id_of_token(text) is 'The run with this token; null for a token that is not valid. Definer: the secrets are private.';

create function private.token_run_id()
returns uuid
language sql stable security definer
set search_path = ''
as $$
  select private.run_id_of_token(private.request_header('x-flow-run-token'));
$$;
comment on function private.token_run_id() is
  'The run whose token the request carries in x-flow-run-token; null if it carries none, or one that is not valid. Definer: it calls what nobody else may.';
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
comment on function private.rotate_run_token_secret() is 'Does what public.rotate_run_token_secret says. Definer: the secrets are private.';
grant execute on function private.rotate_run_token_secret() to service_role;

create function public.rotate_run_token_secret()
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.rotate_run_token_secret();
$$;
comment on function public.rotate_run_token_secret() is
  'For the service role: from now on run tokens are made with a new secret. Tokens made with the previous secret stay valid until the next rotation; older ones are no longer valid.';
grant execute on function public.rotate_run_token_secret() to service_role;
