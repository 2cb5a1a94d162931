create table public.kv_items (
  user_id uuid not null,
  store text not null,
  key text not null,
  value jsonb not null,
  size_bytes integer not null generated always as (octet_length(key) + octet_length(value::text)) stored,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (user_id, store, key),
  constraint kv_items_store_fkey foreign key (user_id, store) references public.kv_stores (user_id, name) on delete cascade,
  constraint kv_items_key_length check (octet_length(key) between 1 and 1024)
);
comment on table public.kv_items is
  'What the key-value stores hold: written by the nodes of the owner''s flows, read by the owner. 100 MiB a user at most.';
comment on column public.kv_items.value is 'One value with its tag, such as {"S": "text"}.';
comment on column public.kv_items.size_bytes is 'What the item counts against the user''s limit: the bytes of its key and of its value as text.';

alter table public.kv_items enable row level security;
create policy kv_items_select_owner on public.kv_items for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_items to authenticated;
grant select on public.kv_items to service_role;

create trigger _200_touch before update on public.kv_items
  for each row execute function private.tg_any__before_update_touch();

create function private.tg_kv_items__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, sum(i.size_bytes)) from inserted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_insert() is
  'Counts the bytes of new items, and refuses those that are too many. Definer: the usage is private.';
create trigger _100_count_inserted after insert on public.kv_items
  referencing new table as inserted
  for each statement execute function private.tg_kv_items__after_insert();

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
  'Counts what changed items grew or shrank, and refuses those that grew too much. Definer: the usage is private.';
create trigger _100_count_updated after update on public.kv_items
  referencing old table as former new table as updated
  for each statement execute function private.tg_kv_items__after_update();

create function private.tg_kv_items__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(i.user_id, 0, -sum(i.size_bytes)) from deleted as i group by i.user_id order by i.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_items__after_delete() is 'Counts the bytes of deleted items. Definer: the usage is private.';
create trigger _100_count_deleted after delete on public.kv_items
  referencing old table as deleted
  for each statement execute function private.tg_kv_items__after_delete();
