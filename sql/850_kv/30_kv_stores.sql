create table public.kv_stores (
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, name),
  constraint kv_stores_name_form check (
    name ~ '^[A-Za-z][A-Za-z0-9_-]*$' and length(name) <= private.limit_kv_store_name_characters()
  )
);
comment on table public.kv_stores is
  'Key-value stores. The user and the nodes of the user''s flows share these stores. Only functions write stores.';
comment on column public.kv_stores.name is 'Letters, digits, _ and -, beginning with a letter.';

alter table public.kv_stores enable row level security;
create policy kv_stores_select_owner on public.kv_stores for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_stores to authenticated;
grant select on public.kv_stores to service_role;

create function private.tg_kv_stores__after_change()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, tg_argv[0]::integer * count(*), 0)
    from changed as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_change() is
  'Counts new stores (argument 1) or deleted stores (-1), and refuses stores beyond the limit. Definer, because no API role may access the usage.';
create trigger _100_count_inserted after insert on public.kv_stores
  referencing new table as changed
  for each statement execute function private.tg_kv_stores__after_change('1');
create trigger _100_count_deleted after delete on public.kv_stores
  referencing old table as changed
  for each statement execute function private.tg_kv_stores__after_change('-1');

create function private.add_kv_store(user_id uuid, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  begin
    insert into public.kv_stores (user_id, name) values (add_kv_store.user_id, add_kv_store.store)
      on conflict do nothing;
  exception when check_violation or not_null_violation then
    perform private.fail('kv_store_name_invalid',
      format('The name of a store must be 1 to %s letters, digits, _ and -, beginning with a letter.',
        private.limit_kv_store_name_characters()));
  end;
  if not found then
    perform private.fail('kv_store_exists',
      format('The store %s already exists.',
        to_jsonb(private.shorten(add_kv_store.store, private.limit_kv_store_name_characters()))));
  end if;
end;
$$;
comment on function private.add_kv_store(uuid, text) is
  'Creates a store. The caller must have locked the user. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit. Definer, because no API role may write stores.';

create function private.refuse_missing_kv_store(store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.fail(
    'kv_store_not_found', format('There is no store %s.',
      to_jsonb(private.shorten(refuse_missing_kv_store.store, private.limit_kv_store_name_characters())))
  );
$$;
comment on function private.refuse_missing_kv_store(text) is
  'Raises 404 kv_store_not_found, with the name of the store that does not exist.';

create function private.remove_kv_store(user_id uuid, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Without this lock, two writers for the same user could lock rows in different orders, and wait for each other.
  perform from private.kv_usage as u where u.user_id = remove_kv_store.user_id for no key update;
  delete from public.kv_stores as s where s.user_id = remove_kv_store.user_id and s.name = remove_kv_store.store;
  if not found then
    perform private.refuse_missing_kv_store(remove_kv_store.store);
  end if;
end;
$$;
comment on function private.remove_kv_store(uuid, text) is
  'Deletes a store with its items. The caller must have locked the user. 404 kv_store_not_found. Definer, because no API role may write stores.';

create function private.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_create_store.claim);
begin
  if private.earlier_effect_output(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  perform private.add_kv_store(v_user_id, kv_create_store.store);
  perform private.store_effect_output(kv_create_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_create_store(jsonb, jsonb, text) is
  'Implements public.kv_create_store. Definer, because no API role may write stores.';
grant execute on function private.kv_create_store(jsonb, jsonb, text) to service_role;

create function public.kv_create_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_create_store(claim, effect, store);
$$;
comment on function public.kv_create_store(jsonb, jsonb, text) is
  'For the runner: creates a store for the run''s owner. A repeated call with the same effect changes nothing. 400 kv_store_name_invalid; 409 kv_store_exists, kv_stores_limit, claim_lost.';
grant execute on function public.kv_create_store(jsonb, jsonb, text) to service_role;

create function private.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_claimed_run_and_owner(kv_delete_store.claim);
begin
  if private.earlier_effect_output(kv_delete_store.effect, v_user_id) is not null then
    return;
  end if;
  perform private.remove_kv_store(v_user_id, kv_delete_store.store);
  perform private.store_effect_output(kv_delete_store.effect, '{"M": {}}');
end;
$$;
comment on function private.kv_delete_store(jsonb, jsonb, text) is
  'Implements public.kv_delete_store. Definer, because no API role may write stores.';
grant execute on function private.kv_delete_store(jsonb, jsonb, text) to service_role;

create function public.kv_delete_store(claim jsonb, effect jsonb, store text)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.kv_delete_store(claim, effect, store);
$$;
comment on function public.kv_delete_store(jsonb, jsonb, text) is
  'For the runner: deletes a store of the run''s owner, and its items. A repeated call with the same effect changes nothing. 404 kv_store_not_found; 409 claim_lost.';
grant execute on function public.kv_delete_store(jsonb, jsonb, text) to service_role;
