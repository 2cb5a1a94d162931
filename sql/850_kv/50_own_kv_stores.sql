-- With these functions, a program uses the stores of the calling user. Nodes of the user's flows use the same stores.

create function private.create_kv_store(store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller := private.lock_caller();
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  if v_caller.is_anonymous then
    perform private.fail('token_required',
      'Only a user who has signed up can create stores: if an anonymous session is lost, its stores are lost too.');
  end if;
  perform private.add_kv_store(v_caller.user_id, create_kv_store.store);
end;
$$;
comment on function private.create_kv_store(text) is
  'Implements public.create_kv_store. Definer, because no API role may write stores.';
grant execute on function private.create_kv_store(text) to anon, authenticated, service_role;

create function public.create_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.create_kv_store(store);
$$;
comment on function public.create_kv_store(text) is
  'Creates a key-value store of the calling user. 400 kv_store_name_invalid; 401; 403 token_required for anonymous users; 409 kv_store_exists, kv_stores_limit.';
grant execute on function public.create_kv_store(text) to anon, authenticated, service_role;

create function private.delete_kv_store(store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.remove_kv_store(private.lock_user(), delete_kv_store.store);
end;
$$;
comment on function private.delete_kv_store(text) is
  'Implements public.delete_kv_store. Definer, because no API role may write stores.';
grant execute on function private.delete_kv_store(text) to anon, authenticated, service_role;

create function public.delete_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_kv_store(store);
$$;
comment on function public.delete_kv_store(text) is
  'Deletes a key-value store of the calling user with its items. 401; 404 kv_store_not_found.';
grant execute on function public.delete_kv_store(text) to anon, authenticated, service_role;

create function private.write_kv_item(store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb := private.put_kv_item(
    private.lock_user(), write_kv_item.store, write_kv_item.key, write_kv_item.value
  );
begin
  return case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end;
end;
$$;
comment on function private.write_kv_item(text, text, jsonb) is
  'Implements public.write_kv_item. Definer, because no API role may write items.';
grant execute on function private.write_kv_item(text, text, jsonb) to anon, authenticated, service_role;

create function public.write_kv_item(store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.write_kv_item(store, key, value);
$$;
comment on function public.write_kv_item(text, text, jsonb) is
  'Stores a tagged value, such as {"S": "text"}, under a key in a store of the calling user. Returns {old_value}, or {} if the key had no value. 400 kv_key_invalid, kv_value_invalid; 401; 404 kv_store_not_found; 413 kv_size_limit.';
grant execute on function public.write_kv_item(text, text, jsonb) to anon, authenticated, service_role;

create function private.refuse_missing_kv_item()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('kv_item_not_found', 'There is no item with this key in the store.');
end;
$$;
comment on function private.refuse_missing_kv_item() is 'Raises 404 kv_item_not_found for a key without an item.';

create function private.read_kv_item(store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_value jsonb := private.find_kv_item(private.require_user(), read_kv_item.store, read_kv_item.key);
begin
  if v_value is null then
    perform private.refuse_missing_kv_item();
  end if;
  return jsonb_build_object('value', v_value);
end;
$$;
comment on function private.read_kv_item(text, text) is
  'Implements public.read_kv_item. Definer, because no API role may call private.find_kv_item.';
grant execute on function private.read_kv_item(text, text) to anon, authenticated, service_role;

create function public.read_kv_item(store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.read_kv_item(store, key);
$$;
comment on function public.read_kv_item(text, text) is
  'Returns {value}, the value under a key in a store of the calling user. 401; 404 kv_store_not_found, kv_item_not_found.';
grant execute on function public.read_kv_item(text, text) to anon, authenticated, service_role;

create function private.delete_kv_item(store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb := private.remove_kv_item(private.lock_user(), delete_kv_item.store, delete_kv_item.key);
begin
  if v_old_value is null then
    perform private.refuse_missing_kv_item();
  end if;
  return jsonb_build_object('old_value', v_old_value);
end;
$$;
comment on function private.delete_kv_item(text, text) is
  'Implements public.delete_kv_item. Definer, because no API role may write items.';
grant execute on function private.delete_kv_item(text, text) to anon, authenticated, service_role;

create function public.delete_kv_item(store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.delete_kv_item(store, key);
$$;
comment on function public.delete_kv_item(text, text) is
  'Deletes the item under a key in a store of the calling user. Returns {old_value}. 401; 404 kv_store_not_found, kv_item_not_found.';
grant execute on function public.delete_kv_item(text, text) to anon, authenticated, service_role;
