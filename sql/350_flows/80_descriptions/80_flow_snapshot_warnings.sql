create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null,
  connections jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'The warnings about each snapshot. They are stored because a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is
  'The version of the node definitions, from private.native_nodes, by which the warnings were computed. If that version has changed since, the warnings are computed again.';
comment on column private.flow_snapshot_warnings.warnings is
  'The warnings of private.flow_warnings(). Warnings about called flows have a flow_id. Warnings about the flow itself have no flow_id, because equal flows share a snapshot.';
comment on column private.flow_snapshot_warnings.connections is
  '{"<name>": {path} or {flow_id, path}}: the connections that nodes name, each with the place of its first use.';

create function private.warnings_of_data(data jsonb, out warnings jsonb, out connections jsonb)
returns record
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- Merging with an empty object decompresses the data once for all parts below, without changing it.
  v_data constant jsonb := warnings_of_data.data || '{}';
  v_acting_flows constant jsonb := private.acting_flows(v_data) || private.data_flows(v_data);
begin
  with graph as materialized (
    select null::integer as flow_id, v_data -> 'entry' as graph
    union all
    -- If a flow calls itself, the data contains its graph twice: as the entry, and as a called flow. Use only the
    -- entry.
    select f.key::integer, f.value
    from jsonb_each(v_data -> 'flows') as f
    where f.value <> v_data -> 'entry'
  ),
  use as (
    select distinct on (u.name) u.name, g.flow_id, u.node_index, u.field
    from graph as g cross join lateral private.connection_uses(g.graph -> 'nodes') as u
    order by u.name, g.flow_id nulls first, u.node_index, u.field
  )
  select
    (
      select coalesce(jsonb_agg(warning.warning order by warning.flow_id nulls first, warning.position), '[]')
      from (
        select g.flow_id, w.position, w.warning || case when g.flow_id is null then '{}'
          else jsonb_build_object('flow_id', g.flow_id) end as warning
        from graph as g
        cross join lateral jsonb_array_elements(
          private.flow_warnings(g.graph -> 'nodes', g.graph -> 'edges', v_acting_flows, v_data -> 'definitions')
        ) with ordinality as w (warning, position)
      ) as warning
    ),
    (
      select coalesce(jsonb_object_agg(u.name, jsonb_strip_nulls(jsonb_build_object(
        'flow_id', u.flow_id, 'path', format('nodes[%s].data.targets_form.form_data.%s', u.node_index, u.field)
      ))), '{}')
      from use as u
    )
  into warnings_of_data.warnings, warnings_of_data.connections;
  warnings := private.first_elements(warnings_of_data.warnings, private.limit_listed_warnings());
end;
$$;
comment on function private.warnings_of_data(jsonb) is
  'The first warnings about the data of a snapshot, and the connections that the snapshot names, each with the place of its first use. Warnings about called flows have a flow_id.';

create function private.current_snapshot_warnings(hash bytea)
returns private.flow_snapshot_warnings
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_stored private.flow_snapshot_warnings;
begin
  select w.* into v_stored
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = current_snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    v_stored.snapshot_hash := current_snapshot_warnings.hash;
    v_stored.nodes_version := v_version;
    select w.warnings, w.connections into v_stored.warnings, v_stored.connections
    from private.flow_snapshots as s cross join lateral private.warnings_of_data(s.data) as w
    where s.hash = current_snapshot_warnings.hash;
    v_stored.warnings := (
      select coalesce(jsonb_agg(w.warning - 'port' order by w.position), '[]')
      from jsonb_array_elements(v_stored.warnings) with ordinality as w (warning, position)
    );
    -- Concurrent calls compute the same warnings, so it does not matter which call stores them last.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings, connections)
    values (v_stored.snapshot_hash, v_stored.nodes_version, v_stored.warnings, v_stored.connections)
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, warnings = excluded.warnings, connections = excluded.connections;
  end if;
  return v_stored;
end;
$$;
comment on function private.current_snapshot_warnings(bytea) is
  'The warnings about a snapshot, computed by the present node definitions, and the connections that the snapshot names. If they are not stored yet, the function computes and stores them. Definer, because no API role may access snapshots.';

create function private.snapshot_connections(hash bytea, user_id uuid)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_named constant jsonb := (
    select w.connections from private.flow_snapshot_warnings as w where w.snapshot_hash = snapshot_connections.hash
  );
begin
  if v_named = '{}' then
    return v_named;
  end if;
  return (
    select coalesce(jsonb_object_agg(c.name, c.id), '{}')
    from (
      select c.name, c.id from public.connections as c
      where c.user_id = snapshot_connections.user_id and c.name = any (array(select jsonb_object_keys(v_named)))
      order by c.name limit private.limit_flow_connections()
    ) as c
  );
end;
$$;
comment on function private.snapshot_connections(bytea, uuid) is
  'The user''s connections that nodes of a snapshot name, {"<name>": "<id>"}, at most 100. Call private.snapshot_warnings() first, because it stores the names that this function reads. Definer, because no API role may access snapshots.';

create function private.connection_warnings(named jsonb, user_id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_names constant text[] := array(select jsonb_object_keys(connection_warnings.named));
  v_found text[];
begin
  if v_names = '{}' then
    return '[]';
  end if;
  -- The lock prevents the deletion of the connections until the deployment or the run refers to them.
  v_found := array(
    select c.name from public.connections as c
    where c.user_id = connection_warnings.user_id and c.name = any (v_names)
    order by c.name limit private.limit_flow_connections()
    for key share
  );
  return (
    select coalesce(jsonb_agg(jsonb_build_object('code', 'connection_missing', 'message', format(
      'you have no connection %s, so the run fails at the node', to_jsonb(private.shorten(n.key))
    )) || n.value order by n.key), '[]')
    from (
      select n.key, n.value from jsonb_each(connection_warnings.named) as n
      where n.key <> all (v_found) order by n.key limit private.limit_listed_warnings()
    ) as n
  );
end;
$$;
comment on function private.connection_warnings(jsonb, uuid) is
  '`named` is {"<name>": place}. Returns a warning connection_missing for each name for which the user has no connection. Locks the connections that the user has. Definer, because it reads the connections of any user.';

create function private.snapshot_warnings(hash bytea, flow public.flows, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_stored constant private.flow_snapshot_warnings := private.current_snapshot_warnings(snapshot_warnings.hash);
  v_warnings jsonb := private.first_elements(
    private.connection_warnings(v_stored.connections, snapshot_warnings.flow.user_id) || v_stored.warnings,
    private.limit_listed_warnings()
  );
  v_refused jsonb;
begin
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow.id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    -- Most authors want missing values to act as these warnings say, and know which data their own flow sends, so `strict`
    -- accepts these warnings.
    v_refused := jsonb_path_query_array(
      v_warnings,
      '$[*] ? (@.code != "effect_may_be_skipped" && @.code != "effect_skipped_by_branch"
        && @.code != "effect_may_lack_value" && @.code != "acts_on_owner_data")'
    );
    if v_refused <> '[]' then
      perform private.fail(
        'flow_invalid', format('The flow has warnings, which strict doesn''t allow: %s.', v_refused #>> '{0,message}'),
        v_refused
      );
    end if;
  end if;
  return v_warnings;
end;
$$;
comment on function private.snapshot_warnings(bytea, public.flows, boolean) is
  'The first 100 warnings about the snapshot of a flow, [{flow_id, code, path, message}]. If `strict` is true and there are warnings other than effect_may_be_skipped, effect_skipped_by_branch, effect_may_lack_value and acts_on_owner_data, raises 422 flow_invalid with these warnings. Callers must check the permission. Definer, because no API role may access snapshots.';
