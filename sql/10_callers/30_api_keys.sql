create table public.api_keys (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  name text not null,
  prefix text not null,
  created_at timestamptz not null default now(),
  constraint api_keys_name_length check (char_length(name) between 1 and 100),
  constraint api_keys_prefix_form check (prefix ~ '^fk_[A-Za-z0-9_-]{7}$')
);
comment on table public.api_keys is
  'The API keys of a user, without the keys: create_api_key makes one and shows it once; deleting the row revokes it.';
comment on column public.api_keys.prefix is 'The first characters of the key, by which its owner recognises it.';

create index api_keys_user_id_idx on public.api_keys (user_id);

alter table public.api_keys enable row level security;
create policy api_keys_select_owner on public.api_keys for select to authenticated
  using (user_id = (select auth.uid()));
create policy api_keys_delete_owner on public.api_keys for delete to authenticated
  using (user_id = (select auth.uid()));

-- No insert, no update: create_api_key makes the rows, and they never change.
grant select, delete on public.api_keys to authenticated;
grant select, delete on public.api_keys to service_role;

create trigger _800_check_quota after insert on public.api_keys
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('api_keys');
