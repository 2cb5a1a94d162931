-- Stores the contents of a saved flow as a version. The caller must have locked the flow's row, so that no other
-- transaction adds a version of this flow.
create function private.store_flow_version(flow_id integer, hash bytea, name text)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_flow_versions();
  v_version record;
begin
  update public.flow_versions as v set name = coalesce(store_flow_version.name, v.name)
  where v.flow_id = store_flow_version.flow_id and v.hash = store_flow_version.hash
  returning v.id into v_version;
  if found then
    return v_version.id;
  end if;
  if not private.make_room_for_version(store_flow_version.flow_id) then
    perform private.fail('quota_exceeded',
      format('A flow may have %s versions at most, and all versions of this flow have names.', v_most),
      jsonb_build_object('limit', v_most, 'of', 'flow_versions'), 'Delete a version, or remove its name.');
  end if;
  -- Copy the values within one statement, so that they stay compressed.
  insert into public.flow_versions as v (
    user_id, flow_id, hash, name, nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at
  )
  select f.user_id, f.id, store_flow_version.hash, store_flow_version.name, f.nodes, f.edges, f.environment,
    f.chain_network, f.instructions_bundling,
    pg_column_size(f.nodes) + pg_column_size(f.edges) + pg_column_size(f.environment), f.updated_at
  from public.flows as f where f.id = store_flow_version.flow_id
  returning v.id, v.user_id into v_version;
  perform private.check_quota('flow_bytes', v_version.user_id);
  return v_version.id;
end;
$$;
comment on function private.store_flow_version(integer, bytea, text) is
  'Makes a version of the saved flow, or returns the existing version with the same contents. If `name` is null, an existing version keeps its name. 409 quota_exceeded. Callers must check the permission. Definer, because no API role may insert versions.';

create function private.store_deployed_version(flow_id integer, hash bytea)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_flow_version(store_deployed_version.flow_id, store_deployed_version.hash, null);
exception when sqlstate 'PGRST' then
  -- There is no room for a version, so the deploy goes on without one.
  return;
end;
$$;
comment on function private.store_deployed_version(integer, bytea) is
  'Makes a version of a flow that is being deployed, if the flow has room for one. Definer, because no API role may insert versions.';

create function private.tg_flows__after_update_keep()
returns trigger
language plpgsql volatile security definer
set search_path = ''
-- Sequential scans are off for the same reason as in private.tg_flows__after_update().
set enable_seqscan = off
as $$
declare
  v_since constant timestamptz := now() - make_interval(mins => private.limit_flow_version_minutes());
  v_old record;
  v_hash bytea;
  v_user_id uuid;
  v_room bigint;
  v_bytes bigint := 0;
begin
  for v_old in
    select o.id, o.user_id, o.nodes, o.edges, o.environment, o.chain_network, o.instructions_bundling, o.updated_at,
      pg_column_size(o.nodes) + pg_column_size(o.edges) + pg_column_size(o.environment) as bytes
    from former as o
    -- Most updated flows already have a recent version. For such a flow, the trigger only does this index lookup.
    where not exists (
      select from public.flow_versions as v
      where v.flow_id = o.id and v.created_at > v_since
    )
    order by o.user_id, o.id
  loop
    -- One statement may change many flows. The versions that this trigger stores for it may have as many bytes in total
    -- as a request may write.
    v_bytes := v_bytes + v_old.bytes;
    exit when v_bytes > private.limit_written_flow_bytes();
    continue when exists (
      select from public.flows as f
      where f.id = v_old.id and (f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
        is not distinct from
          (v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network, v_old.instructions_bundling)
    );
    v_hash := private.flow_version_hash(
      v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network, v_old.instructions_bundling
    );
    continue when exists (select from public.flow_versions as v where v.flow_id = v_old.id and v.hash = v_hash);
    if v_user_id is distinct from v_old.user_id then
      v_user_id := v_old.user_id;
      perform private.lock_quota('flow_bytes', v_user_id);
      v_room := private.quota('flow_bytes') - private.quota_use('flow_bytes', v_user_id);
    end if;
    -- If there is no room for a version, the flow is saved without keeping one.
    continue when v_room < v_old.bytes or not private.make_room_for_version(v_old.id);
    insert into public.flow_versions (
      user_id, flow_id, hash, nodes, edges, environment, chain_network, instructions_bundling, bytes, saved_at
    )
    values (
      v_old.user_id, v_old.id, v_hash, v_old.nodes, v_old.edges, v_old.environment, v_old.chain_network,
      v_old.instructions_bundling, v_old.bytes, v_old.updated_at
    );
    v_room := v_room - v_old.bytes;
  end loop;
  return null;
end;
$$;
comment on function private.tg_flows__after_update_keep() is
  'Stores the contents that updated flows had before the update as versions. A flow gets no such version if another version of it was made within the last limit_flow_version_minutes() minutes. Definer, because no API role may insert versions.';
-- Triggers run in the order of their names, so this trigger runs after _800_check_growth, which refuses a flow beyond
-- the quota.
create trigger _900_keep_version after update on public.flows
  referencing old table as former
  for each statement execute function private.tg_flows__after_update_keep();

create function private.keep_flow_version(flow_id integer, name text)
returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_user();
  v_hash bytea;
begin
  perform from public.flows as f where f.id = keep_flow_version.flow_id and f.user_id = v_user_id for no key update;
  select private.flow_version_hash(f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
  into v_hash
  from public.flows as f where f.id = keep_flow_version.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return private.store_flow_version(keep_flow_version.flow_id, v_hash, keep_flow_version.name);
end;
$$;
comment on function private.keep_flow_version(integer, text) is
  'Implements public.keep_flow_version. Definer, because no API role may insert versions.';
grant execute on function private.keep_flow_version(integer, text) to anon, authenticated, service_role;

-- Makes a version of the saved contents of the caller's flow, and returns the version's id. If a version already has
-- these contents, gives that version the name and returns its id. When the flow has too many versions, the oldest
-- version without a name is deleted.
create function public.keep_flow_version(flow_id integer, name text default null)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.keep_flow_version(flow_id, name);
end;
$$;
comment on function public.keep_flow_version(integer, text) is
  'Makes a version of the saved contents of the caller''s flow, and returns the version''s id. 400 column_invalid for a name that is empty or too long; 401; 404 flow_not_found; 409 quota_exceeded.';
grant execute on function public.keep_flow_version(integer, text) to anon, authenticated, service_role;
