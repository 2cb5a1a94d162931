create table private.kv_usage (
  user_id uuid primary key references auth.users (id) on delete cascade,
  store_count integer not null default 0,
  item_bytes bigint not null default 0,
  constraint kv_usage_natural check (store_count >= 0 and item_bytes >= 0)
);
comment on table private.kv_usage is
  'The total usage of each user''s key-value stores. Triggers of kv_stores and kv_items maintain these totals, so that a limit check need not add up all items. Each writer locks the user''s row of this table, so writers for the same user wait for each other.';
comment on column private.kv_usage.item_bytes is 'The sum of size_bytes of the user''s items.';

create function private.add_kv_usage(user_id uuid, stores bigint, bytes bigint)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_usage private.kv_usage;
begin
  if add_kv_usage.stores <= 0 and add_kv_usage.bytes <= 0 then
    -- The row may be missing: when a user is deleted, the cascade may delete this row first, and the user's items
    -- later.
    update private.kv_usage as u
    set store_count = u.store_count + add_kv_usage.stores, item_bytes = u.item_bytes + add_kv_usage.bytes
    where u.user_id = add_kv_usage.user_id;
    return;
  end if;
  insert into private.kv_usage as u (user_id, store_count, item_bytes)
  values (add_kv_usage.user_id, add_kv_usage.stores, add_kv_usage.bytes)
  on conflict on constraint kv_usage_pkey do update
  set store_count = u.store_count + excluded.store_count, item_bytes = u.item_bytes + excluded.item_bytes
  returning u.* into v_usage;
  if add_kv_usage.stores > 0 and v_usage.store_count > private.limit_kv_stores() then
    perform private.fail(
      'kv_stores_limit', format('A user can have %s key-value stores at most.', private.limit_kv_stores()),
      hint => 'Delete a store that is not needed any more.'
    );
  end if;
  if add_kv_usage.bytes > 0 and v_usage.item_bytes > private.limit_kv_bytes() then
    perform private.fail('kv_size_limit',
      format('The key-value stores of a user can hold %s at most, counting keys and values as text.',
        private.size_text(private.limit_kv_bytes())),
      jsonb_build_object('size_bytes', v_usage.item_bytes),
      'Delete a store that is not needed any more, or write smaller values.');
  end if;
end;
$$;
comment on function private.add_kv_usage(uuid, bigint, bigint) is
  'Adds numbers of stores and bytes to a user''s usage; negative numbers reduce it. Refuses usage beyond the limits: 409 kv_stores_limit, 413 kv_size_limit. Definer, because no API role may access the usage.';
