-- Access tokens of connections of the kinds oauth2_*. A worker that needs a new token takes the lease, asks the
-- token server, and stores the answer. While the lease lasts, all other workers wait, because some servers revoke a
-- refresh token that is used twice. No transaction stays open while a worker waits for the token server.
create table private.connection_tokens (
  connection_id uuid primary key references public.connections (id) on delete cascade,
  key_id text,
  nonce bytea,
  ciphertext bytea,
  expires_at timestamptz,
  lease uuid,
  leased_until timestamptz,
  failure jsonb,
  failed_until timestamptz,
  constraint connection_tokens_token_complete
    check (num_nulls(key_id, nonce, ciphertext, expires_at) in (0, 4)),
  constraint connection_tokens_nonce_length check (octet_length(nonce) = 12),
  constraint connection_tokens_ciphertext_length
    check (octet_length(ciphertext) between 17 and private.limit_connection_token_bytes() + 16),
  constraint connection_tokens_failure_size check (pg_column_size(failure) <= 2048)
);
comment on table private.connection_tokens is
  'The access tokens of connections of the kinds oauth2_*, encrypted, and the leases for getting new ones. A row is deleted when its connection is stored again.';
comment on column private.connection_tokens.ciphertext is
  'AES-256-GCM of {access_token, refresh_token}, with a tag of 16 bytes. The connection''s id and owner are the associated data.';
comment on column private.connection_tokens.expires_at is
  'The time from which the access token counts as expired. From then on, a worker must get a new token.';
comment on column private.connection_tokens.lease is
  'The lease of the worker that is getting a new token. Only this worker may store a new token.';
comment on column private.connection_tokens.leased_until is
  'The time at which the lease ends. From then on, its worker counts as lost, and another worker may take the lease.';
comment on column private.connection_tokens.failure is
  'The last failure, {message, is_transient}. No worker asks the token server again before failed_until.';

create function private.begin_token_refresh(connection_id uuid, secret_nonce text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz;
  v_token private.connection_tokens;
  v_lease constant uuid := gen_random_uuid();
begin
  -- The lock prevents a change of the secret until the transaction ends. If no secret has this nonce, the connection
  -- was stored again or deleted after the worker read its secret. The worker then gets no lease, because it could store
  -- a token of the former secret for the new hosts.
  perform from private.connection_secrets as s
  where s.connection_id = begin_token_refresh.connection_id and s.nonce = begin_token_refresh.secret_nonce::bytea
  for share;
  if not found then
    return '{"state": "gone"}';
  end if;
  insert into private.connection_tokens as t (connection_id) values (begin_token_refresh.connection_id)
  on conflict do nothing;
  select t.* into v_token from private.connection_tokens as t
  where t.connection_id = begin_token_refresh.connection_id
  for no key update;
  -- Read the time after the lock is taken, because this call may have waited for the lock.
  v_now := clock_timestamp();
  case
    when v_token.expires_at > v_now then
      return '{"state": "ready"}';
    when v_token.failed_until > v_now then
      return jsonb_build_object('state', 'failed') || v_token.failure;
    when v_token.leased_until > v_now then
      return '{"state": "wait"}';
    else
      update private.connection_tokens as t
      set lease = v_lease, leased_until = v_now + make_interval(secs => private.limit_connection_lease_seconds())
      where t.connection_id = begin_token_refresh.connection_id;
      return jsonb_build_object('state', 'leased', 'lease', v_lease, 'token', case
        when v_token.ciphertext is not null then private.sealed_row(v_token.key_id, v_token.nonce, v_token.ciphertext)
      end);
  end case;
end;
$$;
comment on function private.begin_token_refresh(uuid, text) is
  'Implements public.begin_token_refresh. Definer, because no API role may access the tokens.';
grant execute on function private.begin_token_refresh(uuid, text) to service_role;

create function public.begin_token_refresh(connection_id uuid, secret_nonce text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.begin_token_refresh(connection_id, secret_nonce);
$$;
comment on function public.begin_token_refresh(uuid, text) is
  'For the runner: begins to get a new token. Returns {state}. ready: a valid token is stored. wait: another worker asks the token server. leased: this worker must ask; adds `lease` and the expired `token` or null. failed: adds the stored message and is_transient. gone: no secret has this nonce.';
grant execute on function public.begin_token_refresh(uuid, text) to service_role;

create function private.end_token_refresh(
  connection_id uuid, lease uuid, token jsonb, valid_seconds integer, failure jsonb
)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.connection_tokens as t
  set lease = null, leased_until = null, failure = end_token_refresh.failure,
    failed_until = case when end_token_refresh.failure is not null
      then clock_timestamp() + make_interval(secs => private.limit_connection_failure_seconds()) end,
    key_id = coalesce(end_token_refresh.token ->> 'key_id', t.key_id),
    nonce = coalesce((end_token_refresh.token ->> 'nonce')::bytea, t.nonce),
    ciphertext = coalesce((end_token_refresh.token ->> 'ciphertext')::bytea, t.ciphertext),
    expires_at = coalesce(
      clock_timestamp() + make_interval(secs => end_token_refresh.valid_seconds), t.expires_at
    )
  where t.connection_id = end_token_refresh.connection_id and t.lease = end_token_refresh.lease;
  return found;
end;
$$;
comment on function private.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) is
  'Implements public.end_token_refresh. Definer, because no API role may access the tokens.';
grant execute on function private.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) to service_role;

create function public.end_token_refresh(
  connection_id uuid, lease uuid, token jsonb default null, valid_seconds integer default null,
  failure jsonb default null
)
returns boolean
language sql volatile security invoker
set search_path = ''
as $$
  select private.end_token_refresh(connection_id, lease, token, valid_seconds, failure);
$$;
comment on function public.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) is
  'For the runner: ends the lease, and stores the new token {key_id, nonce, ciphertext}, valid for valid_seconds, or the failure {message, is_transient}. If another worker has the lease, or if the connection was stored again, stores nothing and returns false.';
grant execute on function public.end_token_refresh(uuid, uuid, jsonb, integer, jsonb) to service_role;

create function private.expire_connection_token(connection_id uuid, nonce text)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update private.connection_tokens as t set expires_at = clock_timestamp()
  where t.connection_id = expire_connection_token.connection_id
    and t.nonce = (expire_connection_token.nonce)::bytea and t.expires_at > clock_timestamp();
$$;
comment on function private.expire_connection_token(uuid, text) is
  'Implements public.expire_connection_token. Definer, because no API role may access the tokens.';
grant execute on function private.expire_connection_token(uuid, text) to service_role;

create function public.expire_connection_token(connection_id uuid, nonce text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.expire_connection_token(connection_id, nonce);
$$;
comment on function public.expire_connection_token(uuid, text) is
  'For the runner: marks the access token with this nonce as expired, because a server has refused it (401). The next request gets a new token. Does nothing if another token is stored by now.';
grant execute on function public.expire_connection_token(uuid, text) to service_role;
