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
  if coalesce((auth.jwt() ->> 'is_anonymous')::boolean, false) or auth.jwt() ? 'api_key_id' then
    perform private.fail(403, 'token_required', 'This needs the access token of a user who has signed up: API keys and anonymous users can''t make API keys.');
  end if;
  if char_length(create_api_key.name) not between 1 and 100 or create_api_key.name is null then
    perform private.fail(400, 'request_invalid', 'name: takes 1 to 100 characters.');
  end if;

  -- 32 bytes: their base64 has one = at its end.
  v_key := 'fk_' || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) - 'user_id' || jsonb_build_object('key', v_key);
end;
$$;
comment on function private.create_api_key(text) is 'Does what public.create_api_key says. Definer: nobody else makes keys.';
grant execute on function private.create_api_key(text) to anon, authenticated, service_role;

create function public.create_api_key(name text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_api_key(create_api_key.name);
$$;
comment on function public.create_api_key(text) is
  'Makes an API key of the calling user and returns {id, name, prefix, created_at, key}; the key is shown this once. 403 token_required for anonymous users and callers with an API key; 409 quota_exceeded.';
grant execute on function public.create_api_key(text) to anon, authenticated, service_role;
