create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  constraint api_keys_name_length check (char_length(name) between 1 and private.limit_api_key_name_characters()),
  constraint api_keys_prefix_form check (prefix ~ '^fk_[A-Za-z0-9_-]{7}$')
);
comment on table public.api_keys is
  'A user''s API keys, without the secret keys. create_api_key makes a key and returns it once. Deleting a row revokes its key.';
comment on column public.api_keys.prefix is
  'The first 10 characters of the key, so that the owner can recognise the key.';

create index api_keys_user_id_idx on public.api_keys (user_id);

alter table public.api_keys enable row level security;
create policy api_keys_select_owner on public.api_keys for select to authenticated
  using (user_id = (select auth.uid()));
create policy api_keys_delete_owner on public.api_keys for delete to authenticated
  using (user_id = (select auth.uid()));

-- There are no grants to insert and update: create_api_key makes the rows, and they never change.
grant select, delete on public.api_keys to authenticated;
grant select, delete on public.api_keys to service_role;

create trigger _800_check_quota after insert on public.api_keys
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('api_keys');

create table private.api_key_hashes (
  hash bytea primary key,
  api_key_id uuid not null references public.api_keys (id) on delete cascade,
  constraint api_key_hashes_hash_length check (octet_length(hash) = 32),
  constraint api_key_hashes_api_key_id_key unique (api_key_id)
);
comment on table private.api_key_hashes is
  'SHA-256 of each API key. A key has 256 random bits, so this hash can''t be reversed by trying keys.';

create function private.new_token(prefix text)
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  -- The base64 of 32 bytes ends in one =. translate() removes it.
  return new_token.prefix || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
end;
$$;
comment on function private.new_token(text) is
  'A new secret token: `prefix`, which names the kind of token, and then 256 random bits as 43 characters of base64url.';

create function private.create_api_key(name text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_key text;
  v_row public.api_keys;
begin
  if coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false) or auth.jwt() ?| '{api_key_id,claimed_run_id}' then
    perform private.fail(
      'token_required',
      'Only a user who has signed up can make API keys, with an access token. An API key, a flow or an anonymous user can''t.'
    );
  end if;
  if char_length(create_api_key.name) not between 1 and private.limit_api_key_name_characters()
    or create_api_key.name is null
  then
    perform private.fail('request_invalid',
      format('name must have 1 to %s characters.', private.limit_api_key_name_characters()));
  end if;

  v_key := private.new_token('fk_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) || jsonb_build_object('key', v_key);
end;
$$;
comment on function private.create_api_key(text) is
  'Implements public.create_api_key. Definer, because no API role may insert keys.';
grant execute on function private.create_api_key(text) to anon, authenticated, service_role;

create function public.create_api_key(name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_api_key(name);
$$;
comment on function public.create_api_key(text) is
  'Makes an API key of the calling user: {id, user_id, name, prefix, created_at, key}. The key can''t be read again. 403 token_required for anonymous users, and for callers with an API key or a claim token; 409 quota_exceeded.';
grant execute on function public.create_api_key(text) to anon, authenticated, service_role;

create function private.delete_api_key(id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
begin
  delete from public.api_keys as k where k.id = delete_api_key.id and k.user_id = v_user_id;
  if not found then
    perform private.fail('api_key_not_found', 'There is no such API key.');
  end if;
end;
$$;
comment on function private.delete_api_key(uuid) is
  'Implements public.delete_api_key. Definer, because no API role may call private.require_user().';
grant execute on function private.delete_api_key(uuid) to anon, authenticated, service_role;

create function public.delete_api_key(id uuid)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_api_key(id);
$$;
comment on function public.delete_api_key(uuid) is
  'Revokes an API key of the calling user. 401 unauthenticated or token_invalid; 404 api_key_not_found if the key does not exist or belongs to another user.';
grant execute on function public.delete_api_key(uuid) to anon, authenticated, service_role;

create function private.valid_api_key(key text)
returns public.api_keys
language sql stable security definer
set search_path = ''
as $$
  select k.*
  from private.api_key_hashes as h
  join public.api_keys as k on k.id = h.api_key_id
  -- A banned user's API keys are not valid. In the same way, Auth issues no access tokens to a banned user.
  join auth.users as u on u.id = k.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where h.hash = sha256(convert_to(valid_api_key.key, 'UTF8'));
$$;
comment on function private.valid_api_key(text) is
  'The API key with this text; null if it is unknown, or if its user is banned or deleted. Definer, because no API role may access the hashes, and the policies hide the keys of other users.';

create function private.api_key_claims(key text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_key public.api_keys;
begin
  if api_key_claims.key !~ '^fk_[A-Za-z0-9_-]{43}$' then
    perform private.fail('api_key_invalid',
      format(
        'The API key is malformed: it must be fk_ and 43 letters, digits, - or _, but it has %s characters.',
        length(api_key_claims.key)
      ),
      hint => 'Send the whole key that create_api_key returned.');
  end if;
  v_key := private.valid_api_key(api_key_claims.key);
  if v_key.id is null then
    perform private.fail(
      'api_key_invalid',
      'The API key is not valid: it was never made, it has been deleted, or its user has been deleted or banned.'
    );
  end if;
  return jsonb_build_object(
    'sub', v_key.user_id, 'role', 'authenticated', 'aud', 'authenticated', 'api_key_id', v_key.id
  );
end;
$$;
comment on function private.api_key_claims(text) is
  'The claims that let the sender of this API key act as the owner of the key. 401 api_key_invalid if the key is malformed or unknown, or if the owner is banned or deleted. Definer, because guests may not read keys.';
grant execute on function private.api_key_claims(text) to anon;
