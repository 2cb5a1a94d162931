create table private.connection_secrets (
  connection_id uuid primary key references public.connections (id) on delete cascade,
  key_id text not null,
  nonce bytea not null,
  ciphertext bytea not null,
  created_at timestamptz not null default now(),
  constraint connection_secrets_key_id_form check (key_id ~ '^[A-Za-z][A-Za-z0-9._-]{0,63}$'),
  constraint connection_secrets_nonce_length check (octet_length(nonce) = 12),
  constraint connection_secrets_ciphertext_length
    check (octet_length(ciphertext) between 17 and private.limit_connection_secret_bytes() + 16)
);
comment on table private.connection_secrets is
  'The secrets of connections, encrypted. Only the environment of the Edge Functions holds the keys that decrypt them.';
comment on column private.connection_secrets.key_id is 'The id of the encryption key in WALLET_KEYS.';
comment on column private.connection_secrets.ciphertext is
  'AES-256-GCM of the secret as JSON, with a tag of 16 bytes. The connection''s id, owner, kind, hosts, header and parameter are the associated data, so the secret can''t be decrypted after one of them is changed.';
comment on column private.connection_secrets.created_at is 'When this ciphertext was stored.';

create function private.connection_id_to_store(user_id uuid, name text)
returns uuid
language sql volatile security definer
set search_path = ''
as $$
  select coalesce((
    select c.id from public.connections as c
    where c.user_id = connection_id_to_store.user_id and c.name = connection_id_to_store.name
  ), private.uuid_v7());
$$;
comment on function private.connection_id_to_store(uuid, text) is
  'Implements public.connection_id_to_store. Definer, because it reads the connections of any user.';
grant execute on function private.connection_id_to_store(uuid, text) to service_role;

create function public.connection_id_to_store(user_id uuid, name text)
returns uuid
language sql volatile security invoker
set search_path = ''
as $$
  select private.connection_id_to_store(user_id, name);
$$;
comment on function public.connection_id_to_store(uuid, text) is
  'For the Edge Function connections: the id of the user''s connection with this name, or a new id. The Edge Function needs the id before it calls store_connection, because the id is associated data of the encrypted secret.';
grant execute on function public.connection_id_to_store(uuid, text) to service_role;

create function private.store_connection(connection jsonb, secret jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_given constant public.connections := jsonb_populate_record(null::public.connections, store_connection.connection);
  v_stored public.connections;
begin
  perform private.hold_user(v_given.user_id);
  insert into public.connections as c (id, user_id, name, kind, hosts, header, parameter)
  values (
    v_given.id, v_given.user_id, v_given.name, v_given.kind, v_given.hosts, v_given.header, v_given.parameter
  )
  on conflict on constraint connections_user_id_name_key do update
  set kind = excluded.kind, hosts = excluded.hosts, header = excluded.header, parameter = excluded.parameter,
    updated_at = now(), last_tested_at = null, last_test_status = null
  where c.id = excluded.id
  returning c.* into v_stored;
  if v_stored.id is null then
    perform private.fail('connection_changed', 'The connection was stored by another request at the same time.',
      hint => 'Send the request again if its secret is the right one.');
  end if;
  insert into private.connection_secrets as s (connection_id, key_id, nonce, ciphertext)
  values (
    v_stored.id, store_connection.secret ->> 'key_id', (store_connection.secret ->> 'nonce')::bytea,
    (store_connection.secret ->> 'ciphertext')::bytea
  )
  on conflict (connection_id) do update
  set key_id = excluded.key_id, nonce = excluded.nonce, ciphertext = excluded.ciphertext,
    created_at = excluded.created_at;
  -- The stored access token belongs to the previous secret.
  delete from private.connection_tokens as t where t.connection_id = v_stored.id;
  return to_jsonb(v_stored);
end;
$$;
comment on function private.store_connection(jsonb, jsonb) is
  'Implements public.store_connection. Definer, because no API role may access the secrets or write connections.';
grant execute on function private.store_connection(jsonb, jsonb) to service_role;

-- Each call stores a connection together with its secret. So only a user who knows the secret can change the hosts.
create function public.store_connection(connection jsonb, secret jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_connection(connection, secret);
$$;
comment on function public.store_connection(jsonb, jsonb) is
  'For the Edge Function connections: stores {id, user_id, name, kind, hosts, header, parameter} and its secret {key_id, nonce, ciphertext}, and returns the row. 401 token_invalid for a deleted user; 409 connection_changed, quota_exceeded.';
grant execute on function public.store_connection(jsonb, jsonb) to service_role;

create function private.store_connection_test(connection_id uuid, nonce bytea, status smallint)
returns void
language sql volatile security definer
set search_path = ''
as $$
  update public.connections as c set last_tested_at = now(), last_test_status = store_connection_test.status
  where c.id = store_connection_test.connection_id and exists (
    select from private.connection_secrets as s
    where s.connection_id = c.id and s.nonce = store_connection_test.nonce
  );
$$;
comment on function private.store_connection_test(uuid, bytea, smallint) is
  'Implements public.store_connection_test. Definer, because no API role may access the secrets or update connections.';
grant execute on function private.store_connection_test(uuid, bytea, smallint) to service_role;

create function public.store_connection_test(connection_id uuid, nonce bytea, status smallint)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_connection_test(connection_id, nonce, status);
$$;
comment on function public.store_connection_test(uuid, bytea, smallint) is
  'For the Edge Function connections: stores the time and the HTTP status of a test; a null status means that there was no answer. Does nothing if the secret with this nonce has been replaced.';
grant execute on function public.store_connection_test(uuid, bytea, smallint) to service_role;
