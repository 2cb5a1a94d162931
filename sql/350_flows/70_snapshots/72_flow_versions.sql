-- The history of a flow. A version has the parts of a flow that a run reads, as they were saved. It does not contain
-- the flow's name, its description or the columns that make it public. So restoring an old version never makes a flow
-- public.

create table public.flow_versions (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  flow_id integer not null references public.flows on delete cascade,
  hash bytea not null,
  name text,
  nodes jsonb not null,
  edges jsonb not null,
  environment jsonb not null,
  chain_network jsonb not null,
  instructions_bundling text not null,
  bytes integer not null,
  saved_at timestamptz not null,
  created_at timestamptz not null default now(),
  constraint flow_versions_flow_id_hash_key unique (flow_id, hash),
  constraint flow_versions_hash_length check (octet_length(hash) = 32),
  constraint flow_versions_name_length check (
    name is null or char_length(name) between 1 and private.limit_name_characters()
    or private.refuse_column('name', format('must have 1 to %s characters', private.limit_name_characters()))
  )
);
comment on table public.flow_versions is
  'Earlier contents of flows, for the owner. If a flow is saved several times with equal contents, it has one version with these contents. Functions insert the rows; users can change only the name.';
comment on column public.flow_versions.user_id is 'The owner of the flow.';
comment on column public.flow_versions.hash is 'SHA-256 of the contents: private.flow_version_hash().';
comment on column public.flow_versions.name is
  'The name that the owner gave to the version. Null for an automatic version. When the flow has too many versions, the oldest automatic version is deleted.';
comment on column public.flow_versions.environment is 'The flow''s settings, which may hold secrets.';
comment on column public.flow_versions.bytes is
  'The stored size of nodes, edges and environment. It counts towards the quota flow_bytes.';
comment on column public.flow_versions.saved_at is 'The time when the flow was saved with these contents.';
comment on column public.flow_versions.created_at is
  'The time when the version was made, which may be much later than saved_at.';

create index flow_versions_flow_id_idx on public.flow_versions (flow_id, created_at);
-- The index includes bytes, so that the bytes of a user's versions can be added up from the index alone.
create index flow_versions_user_id_idx on public.flow_versions (user_id) include (bytes);

alter table public.flow_versions enable row level security;
create policy flow_versions_select_owner on public.flow_versions for select to authenticated
  using (user_id = (select auth.uid()));
create policy flow_versions_update_owner on public.flow_versions for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy flow_versions_delete_owner on public.flow_versions for delete to authenticated
  using (user_id = (select auth.uid()));

grant select, update, delete on public.flow_versions to authenticated;
grant select, update, delete on public.flow_versions to service_role;

create function private.tg_flow_versions__before_update()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  old.name := new.name;
  if new is distinct from old then
    perform private.fail('column_read_only', 'Only name of a version can be changed.');
  end if;
  return new;
end;
$$;
comment on function private.tg_flow_versions__before_update() is
  'Refuses changes to a version''s read-only columns: all columns except name.';
create trigger _100_refuse_read_only before update on public.flow_versions
  for each row execute function private.tg_flow_versions__before_update();

create function private.flow_version_hash(
  nodes jsonb, edges jsonb, environment jsonb, chain_network jsonb, instructions_bundling text
)
returns bytea
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return sha256(convert_to(
    format('[%s, %s, %s, %s, "%s"]', nodes, edges, environment, chain_network, instructions_bundling), 'UTF8'
  ));
end;
$$;
comment on function private.flow_version_hash(jsonb, jsonb, jsonb, jsonb, text) is
  'The SHA-256 of the contents of a version. The contents are hashed as the text of a JSON array.';

create function private.make_room_for_version(flow_id integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if (
    select count(*) from public.flow_versions as v where v.flow_id = make_room_for_version.flow_id
  ) < private.limit_flow_versions() then
    return true;
  end if;
  delete from public.flow_versions as v
  where v.id = (
    select u.id from public.flow_versions as u
    where u.flow_id = make_room_for_version.flow_id and u.name is null
    order by u.created_at, u.id limit 1
  );
  return found;
end;
$$;
comment on function private.make_room_for_version(integer) is
  'If a flow has as many versions as allowed, deletes its oldest version without a name. Returns false if all versions have names. Definer, because it also deletes versions that policies hide.';
