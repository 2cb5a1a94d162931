create table public.nodes (
  id uuid not null default gen_random_uuid(),
  user_id uuid references auth.users (id) on delete cascade,
  is_public boolean not null default false,
  owner_key uuid not null default '00000000-0000-0000-0000-000000000000',
  node_id text not null default '',
  version text not null default '',
  type text not null,
  data jsonb not null,
  sources jsonb not null,
  targets jsonb not null,
  "targets_form.json_schema" jsonb,
  "targets_form.ui_schema" jsonb,
  "targets_form.extra" jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (owner_key, node_id, version),
  constraint nodes_id_key unique (id),
  constraint nodes_owner_key_is_user_id check (owner_key = coalesce(user_id, '00000000-0000-0000-0000-000000000000')),
  constraint nodes_node_id_in_data check (node_id = data ->> 'node_id'),
  constraint nodes_version_in_data check (version = data ->> 'version'),
  constraint nodes_without_user_public check (user_id is not null or is_public),
  constraint nodes_json_schema_with_ui_schema check (
    "targets_form.json_schema" is null or "targets_form.ui_schema" is not null
  )
);
comment on table public.nodes is
  'Node definitions, from which front-ends draw nodes. Everybody may read public definitions. Users may also read their own definitions. The database sets id, user_id, is_public, owner_key, node_id, version, created_at and updated_at, and ignores a client''s values for them.';
comment on column public.nodes.user_id is 'The user who posted the definition; null if the service role posted it.';
comment on column public.nodes.is_public is
  'True if the service role or a user in private.node_publishers posted the definition.';
comment on column public.nodes.owner_key is
  'user_id, or a UUID of zeros if user_id is null. An upsert finds its row by the primary key. The primary key contains owner_key instead of user_id, because a column of a primary key can''t be null.';
comment on column public.nodes.node_id is 'data.node_id.';
comment on column public.nodes.version is 'data.version.';
comment on column public.nodes.type is 'native, or the name of another kind of node.';
comment on column public.nodes.data is 'The node_id, version, display_name and other properties of the node.';
comment on column public.nodes.sources is 'The outputs of the node: an array of {name, type, …}.';
comment on column public.nodes.targets is 'The inputs of the node: an array of {name, type_bounds, …}.';
comment on column public.nodes."targets_form.json_schema" is
  'The form for the settings of the node. A json_schema needs a ui_schema.';

create unique index nodes_node_id_version_public_idx on public.nodes (node_id, version) where is_public;
create index nodes_user_id_idx on public.nodes (user_id);

alter table public.nodes enable row level security;
create policy nodes_select_public on public.nodes for select to anon
  using (is_public);
create policy nodes_select_owner_or_public on public.nodes for select to authenticated
  using (user_id = (select auth.uid()) or is_public);
create policy nodes_insert_owner on public.nodes for insert to authenticated
  with check (user_id = (select auth.uid()));
create policy nodes_update_owner on public.nodes for update to authenticated
  using (user_id = (select auth.uid())) with check (user_id = (select auth.uid()));
create policy nodes_delete_owner on public.nodes for delete to authenticated
  using (user_id = (select auth.uid()));

grant select on public.nodes to anon;
grant select, insert, update, delete on public.nodes to authenticated;
grant select, insert, update, delete on public.nodes to service_role;

create function private.node_definition(node public.nodes)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'type', node_definition.node.type, 'data', node_definition.node.data,
    'sources', node_definition.node.sources, 'targets', node_definition.node.targets,
    'targets_form.json_schema', node_definition.node."targets_form.json_schema",
    'targets_form.ui_schema', node_definition.node."targets_form.ui_schema",
    'targets_form.extra', node_definition.node."targets_form.extra"
  );
$$;
comment on function private.node_definition(public.nodes) is
  'The node definition in a row, without the columns that the database sets.';
grant execute on function private.node_definition(public.nodes) to authenticated, service_role;

create function private.tg_nodes__before_write()
returns trigger
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_poster record;
begin
  perform private.check_node_definition(private.node_definition(new));
  new.node_id := new.data ->> 'node_id';
  new.version := new.data ->> 'version';

  if tg_op = 'INSERT' then
    -- The id is always new, because a copied definition may contain the id of the original row. An upsert runs this
    -- branch first, even if it then updates a row.
    new.id := gen_random_uuid();
    new.created_at := now();
    new.user_id := null;
    new.is_public := true;
  else
    new.id := old.id;
    new.created_at := old.created_at;
    new.user_id := old.user_id;
    new.is_public := old.is_public;
  end if;
  -- Row level security applies only to users. It does not apply to the service role and to administrators.
  if row_security_active('public.nodes') then
    v_poster := private.node_poster();
    new.is_public := v_poster.is_publisher;
    if tg_op = 'INSERT' then
      new.user_id := v_poster.user_id;
    end if;
  end if;
  new.owner_key := coalesce(new.user_id, '00000000-0000-0000-0000-000000000000');

  if tg_op = 'UPDATE' and private.node_definition(new) = private.node_definition(old)
    and new.is_public = old.is_public then
    new.updated_at := old.updated_at;
  else
    new.updated_at := now();
  end if;
  return new;
end;
$$;
comment on function private.tg_nodes__before_write() is
  'Refuses an invalid node definition, and sets the columns that clients can''t set. A definition belongs to the user who posted it. It is public if that user is a publisher, or if the service role posted it.';
create trigger _100_check_and_keep before insert or update on public.nodes
  for each row execute function private.tg_nodes__before_write();
create trigger _800_check_quota after insert on public.nodes
  referencing new table as inserted
  for each statement execute function private.tg_any__after_insert_check_quota('nodes', 'node_bytes');

create function private.tg_nodes__after_growth()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- A plan that was made while the table was empty could scan the whole table.
set enable_seqscan = off
as $$
declare
  v_user_id uuid;
begin
  -- Compare stored sizes. The statement's new rows are not compressed yet, so read the rows from the table.
  for v_user_id in
    select distinct n.user_id
    from former as o
    join public.nodes as n on n.id = o.id
    where not n.is_public
      and pg_column_size(n.data) + pg_column_size(n.sources) + pg_column_size(n.targets)
        + coalesce(pg_column_size(n."targets_form.json_schema"), 0)
        + coalesce(pg_column_size(n."targets_form.ui_schema"), 0)
        + coalesce(pg_column_size(n."targets_form.extra"), 0)
        > pg_column_size(o.data) + pg_column_size(o.sources) + pg_column_size(o.targets)
        + coalesce(pg_column_size(o."targets_form.json_schema"), 0)
        + coalesce(pg_column_size(o."targets_form.ui_schema"), 0)
        + coalesce(pg_column_size(o."targets_form.extra"), 0)
    order by n.user_id
  loop
    perform private.check_quota('node_bytes', v_user_id);
  end loop;
  return null;
end;
$$;
comment on function private.tg_nodes__after_growth() is
  'Checks once per statement that updated definitions did not grow beyond their owner''s quota. Definer, because users may not call private.check_quota().';
create trigger _800_check_growth after update on public.nodes
  referencing old table as former
  for each statement execute function private.tg_nodes__after_growth();
