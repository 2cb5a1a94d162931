create table private.native_nodes (
  id boolean primary key default true,
  version bigint not null default 0,
  constraint native_nodes_single check (id)
);
comment on table private.native_nodes is
  'One row that counts changes of the service role''s node definitions; the first change inserts the row. Warnings and interfaces of flow snapshots are stored with this count, and are computed again when the count has grown.';

create function private.tg_nodes__after_write()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (select from changed as c where c.user_id is null) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_write() is
  'Counts new and deleted definitions of the service role. Definer, because no API role may access the count.';

create function private.tg_nodes__after_update()
returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Each start of the stack writes all definitions again. Count only definitions that changed.
  if exists (
    select from former as f join changed as c on c.id = f.id
    where c.user_id is null and private.node_definition(c) <> private.node_definition(f)
  ) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$$;
comment on function private.tg_nodes__after_update() is
  'Counts changes of the service role''s definitions. Definer, because no API role may access the count.';
create trigger _100_count_inserted after insert on public.nodes
  referencing new table as changed
  for each statement execute function private.tg_nodes__after_write();
create trigger _110_count_updated after update on public.nodes
  referencing old table as former new table as changed
  for each statement execute function private.tg_nodes__after_update();
create trigger _120_count_deleted after delete on public.nodes
  referencing old table as changed
  for each statement execute function private.tg_nodes__after_write();
