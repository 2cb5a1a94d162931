create table public.kv_items (
  user_id uuid not null,
  store text not null,
  key text not null,
  value jsonb not null,
  size_bytes integer not null generated always as (octet_length(key) + octet_length(value::text)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, store, key),
  constraint kv_items_store_fkey foreign key (user_id, store) references public.kv_stores (user_id, name)
    on delete cascade,
  constraint kv_items_key_length check (octet_length(key) between 1 and private.limit_kv_key_bytes())
);
comment on table public.kv_items is
  'The items of the key-value stores. Only functions write items, for the user and for the nodes of the user''s flows.';
comment on column public.kv_items.value is 'One value with its tag, such as {"S": "text"}.';
comment on column public.kv_items.size_bytes is
  'The number of bytes of the item''s key and of its value as text. This number counts towards the user''s limit.';

alter table public.kv_items enable row level security;
create policy kv_items_select_owner on public.kv_items for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_items to authenticated;
grant select on public.kv_items to service_role;

create trigger _200_touch before update on public.kv_items
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_kv_items__after_change()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, tg_argv[0]::integer * sum(i.size_bytes))
    from changed as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_change() is
  'Counts the bytes of new items (argument 1) or deleted items (-1), and refuses items beyond the limit. Definer, because no API role may access the usage.';
create trigger _100_count_inserted after insert on public.kv_items
  referencing new table as changed
  for each statement execute function private.tg_kv_items__after_change('1');
create trigger _100_count_deleted after delete on public.kv_items
  referencing old table as changed
  for each statement execute function private.tg_kv_items__after_change('-1');

create function private.tg_kv_items__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes))
  from (
    select u.user_id, u.size_bytes from updated as u
    union all
    select f.user_id, -f.size_bytes from former as f
  ) as i
  group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_update() is
  'Adds the growth of changed items to the usage, and refuses growth beyond the limit. If items shrink, the growth is negative. Definer, because no API role may access the usage.';
create trigger _100_count_updated after update on public.kv_items
  referencing old table as former new table as updated
  for each statement execute function private.tg_kv_items__after_update();

create function private.put_kv_item(user_id uuid, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- This measure is used only to refuse numbers with too many digits. If the value is too large, add_kv_usage refuses
  -- it later: 413 kv_size_limit.
  v_measure constant private.json_measure := private.measure_json(put_kv_item.value, private.limit_kv_bytes());
  v_bad constant text := case
    when v_measure.fault = 'number' then format('%s: %s', v_measure.path, v_measure.message)
    else private.bad_value(put_kv_item.value, private.limit_value_levels())
  end;
  v_old_value jsonb;
begin
  if v_bad is not null then
    perform private.fail('kv_value_invalid', 'value' || v_bad);
  end if;
  -- With this lock, only one writer at a time changes the items of a user. So the old value that is read below is the
  -- one that the insert replaces.
  perform from private.kv_usage as u where u.user_id = put_kv_item.user_id for no key update;
  v_old_value := private.find_kv_item(put_kv_item.user_id, put_kv_item.store, put_kv_item.key);
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (put_kv_item.user_id, put_kv_item.store, put_kv_item.key, put_kv_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation or not_null_violation then
    perform private.fail('kv_key_invalid', format('A key must have 1 to %s bytes.', private.limit_kv_key_bytes()));
  end;
  return v_old_value;
end;
$$;
comment on function private.put_kv_item(uuid, text, text, jsonb) is
  'Stores a value under a key, and returns the value that it replaces, or null. The caller must have locked the user. Definer, because no API role may write items.';

create function private.find_kv_item(user_id uuid, store text, key text)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not exists (
    select from public.kv_stores as s where s.user_id = find_kv_item.user_id and s.name = find_kv_item.store
  ) then
    perform private.refuse_missing_kv_store(find_kv_item.store);
  end if;
  return (
    select i.value from public.kv_items as i
    where i.user_id = find_kv_item.user_id and i.store = find_kv_item.store and i.key = find_kv_item.key
  );
end;
$$;
comment on function private.find_kv_item(uuid, text, text) is
  'The value under a key in a store of a user; null if the key has no value. 404 kv_store_not_found. Definer, because it reads items of any user; the functions that call it check the user.';

create function private.remove_kv_item(user_id uuid, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_old_value jsonb;
begin
  perform from private.kv_usage as u where u.user_id = remove_kv_item.user_id for no key update;
  v_old_value := private.find_kv_item(remove_kv_item.user_id, remove_kv_item.store, remove_kv_item.key);
  delete from public.kv_items as i
  where i.user_id = remove_kv_item.user_id and i.store = remove_kv_item.store and i.key = remove_kv_item.key;
  return v_old_value;
end;
$$;
comment on function private.remove_kv_item(uuid, text, text) is
  'Deletes an item and returns its value; null if the item does not exist. The caller must have locked the user. Definer, because no API role may write items.';

create function private.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.earlier_effect_output(kv_write_item.effect, v_user_id);
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_old_value := private.put_kv_item(v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value);
  perform private.store_effect_output(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$$;
comment on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'Implements public.kv_write_item. Definer, because no API role may write items.';
grant execute on function private.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function public.kv_write_item(claim jsonb, effect jsonb, store text, key text, value jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_write_item(claim, effect, store, key, value);
$$;
comment on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) is
  'For the runner: stores a value under a key in a store of the run''s owner. Returns the replaced value, or null. A repeated call with the same effect changes nothing, and returns the same value. 400 kv_key_invalid, kv_value_invalid; 404 kv_store_not_found; 409 claim_lost; 413 kv_size_limit.';
grant execute on function public.kv_write_item(jsonb, jsonb, text, text, jsonb) to service_role;

create function private.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := (private.lock_claimed_run(
    (kv_read_item.claim ->> 'flow_run_id')::uuid, (kv_read_item.claim ->> 'claim_number')::integer
  )).user_id;
begin
  return private.find_kv_item(v_user_id, kv_read_item.store, kv_read_item.key);
end;
$$;
comment on function private.kv_read_item(jsonb, text, text) is
  'Implements public.kv_read_item. Definer, because no API role may access jobs, which private.lock_claimed_run reads.';
grant execute on function private.kv_read_item(jsonb, text, text) to service_role;

create function public.kv_read_item(claim jsonb, store text, key text)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_read_item(claim, store, key);
$$;
comment on function public.kv_read_item(jsonb, text, text) is
  'For the runner: the value under a key in a store of the run''s owner; null if the key has no value. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_read_item(jsonb, text, text) to service_role;
