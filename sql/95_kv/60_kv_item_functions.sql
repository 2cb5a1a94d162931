create function private.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.lock_effect(kv_write_item.effect, v_user_id);
  v_bad text;
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_bad := private.bad_value(kv_write_item.value, 64);
  if v_bad is not null then
    perform private.fail(400, 'kv_value_invalid', 'value' || v_bad);
  end if;

  -- Writers of one user take turns: what is read here is what is replaced.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_write_item.store) then
    perform private.kv_store_missing(kv_write_item.store);
  end if;
  select i.value into v_old_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_write_item.store and i.key = kv_write_item.key;
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation then
    perform private.fail(400, 'kv_key_invalid', 'A key takes 1 to 1024 bytes.');
  end;

  perform private.keep_effect(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$$;
comment on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'Does what public.kv_write_item says. Definer: only claimed runs write items.';
grant execute on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function public.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_write_item(
    kv_write_item.claim, kv_write_item.effect, kv_write_item.store, kv_write_item.key, kv_write_item.value
  );
$$;
comment on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'For the runner: stores a value under a key in a store of the run''s owner, once for each effect, and gives the value that it replaces, or null. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';
grant execute on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function private.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := (private.hold_flow_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'attempt')::integer
  )).user_id;
  v_value jsonb;
begin
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_read_item.store) then
    perform private.kv_store_missing(kv_read_item.store);
  end if;
  select i.value into v_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_read_item.store and i.key = kv_read_item.key;
  return v_value;
end;
$$;
comment on function private.kv_read_item(jsonb, text, text) is 'Does what public.kv_read_item says. Definer, as private.hold_flow_run is.';
grant execute on function private.kv_read_item(jsonb, text, text) to service_role;

create function public.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_read_item(kv_read_item.claim, kv_read_item.store, kv_read_item.key);
$$;
comment on function public.kv_read_item(jsonb, text, text) is
  'For the runner: the value under a key in a store of the run''s owner, or null. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_read_item(jsonb, text, text) to service_role;
