create table public.kv_stores (
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  created_at timestamptz not null default now(),
  primary key (user_id, name),
  constraint kv_stores_name_form check (name ~ '^[A-Za-z][A-Za-z0-9_-]{0,119}$')
);
comment on table public.kv_stores is
  'The key-value stores of a user, 100 at most: made and deleted by the nodes of that user''s flows, read by the user.';
comment on column public.kv_stores.name is '1 to 120 letters, digits, _ and -, a letter first.';

alter table public.kv_stores enable row level security;
create policy kv_stores_select_owner on public.kv_stores for select to authenticated
  using (user_id = (select auth.uid()));

grant select on public.kv_stores to authenticated;
grant select on public.kv_stores to service_role;

create function private.tg_kv_stores__after_insert()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, count(*), 0) from inserted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_insert() is 'Counts new stores, and refuses one too many. Definer: the usage is private.';
create trigger _100_count_inserted after insert on public.kv_stores
  referencing new table as inserted
  for each statement execute function private.tg_kv_stores__after_insert();

create function private.tg_kv_stores__after_delete()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.add_kv_usage(s.user_id, -count(*), 0) from deleted as s group by s.user_id order by s.user_id;
  return null;
end;
$$;
comment on function private.tg_kv_stores__after_delete() is 'Counts deleted stores. Definer: the usage is private.';
create trigger _100_count_deleted after delete on public.kv_stores
  referencing old table as deleted
  for each statement execute function private.tg_kv_stores__after_delete();
