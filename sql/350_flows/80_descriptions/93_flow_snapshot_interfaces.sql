create table private.flow_snapshot_interfaces (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  inputs jsonb not null,
  outputs jsonb not null,
  uses_solana boolean not null,
  node_count integer not null,
  -- Former releases do not write the column.
  has_effects boolean not null default true
);
comment on table private.flow_snapshot_interfaces is
  'The inputs, outputs and a summary of each snapshot. The first read of a deployment computes and stores them, because a deploy that computes them would be too slow. After each deploy, the Edge Function named flow makes this first read.';
comment on column private.flow_snapshot_interfaces.nodes_version is
  'The version of the node definitions, from private.native_nodes, by which inputs and outputs were computed. If the present version is newer, they are computed again.';
comment on column private.flow_snapshot_interfaces.inputs is 'The inputs as in private.input_descriptions().';
comment on column private.flow_snapshot_interfaces.outputs is 'The outputs, {name, type} each.';
comment on column private.flow_snapshot_interfaces.uses_solana is 'True if the snapshot has Solana nodes.';
comment on column private.flow_snapshot_interfaces.node_count is
  'The number of nodes of the entry that a run executes: all but notes and mocks.';
comment on column private.flow_snapshot_interfaces.has_effects is
  'False if no node of the snapshot has effects outside of a run or asks a person.';

create function private.uses_solana(data jsonb)
returns boolean
language sql stable security invoker
set search_path = ''
as $$
  select exists (
    select from private.definitions_of_keys(array(
      select distinct private.node_key(n.node -> 'data')
      from (
        select uses_solana.data -> 'entry' as graph
        union all
        select f.value from jsonb_each(uses_solana.data -> 'flows') as f
      ) as g
      cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
    ), uses_solana.data -> 'definitions') as d
    where d.data -> 'tags' ? 'solana'
  );
$$;
comment on function private.uses_solana(jsonb) is
  'True if a graph of the snapshot has a node whose definition has the tag solana.';

create function private.snapshot_interface(hash bytea, waits boolean default true)
returns private.flow_snapshot_interfaces
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_interface private.flow_snapshot_interfaces;
  v_lock constant bigint := hashtextextended(format('private.snapshot_interface %s', snapshot_interface.hash), 0);
  v_has_lock boolean;
begin
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- One transaction computes the interface, and the others wait for its result. If all transactions computed it in
  -- parallel, each would be slower, and perhaps none would finish within its time limit. The computation may already
  -- use node definitions that are added meanwhile. So the result may be newer than v_version, but never older.
  if snapshot_interface.waits then
    perform pg_advisory_xact_lock(v_lock);
    v_has_lock := true;
  else
    v_has_lock := pg_try_advisory_xact_lock(v_lock);
  end if;
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- The lock keeps the sweep from deleting the snapshot before the interface is stored.
  select s.hash, v_version, d.inputs, d.outputs, private.uses_solana(s.data), (
    select count(*) from jsonb_array_elements(s.data #> '{entry,nodes}') as n (node)
    where n.node #>> '{data,type}' <> 'mock' and n.node #>> '{data,node_id}' <> 'note'
  ), private.has_effects(s.data) into v_interface
  from (
    select f.hash, f.data from private.flow_snapshots as f where f.hash = snapshot_interface.hash for key share
  ) as s
  cross join lateral private.describe_snapshot(s.data) as d;
  if found and v_has_lock then
    insert into private.flow_snapshot_interfaces as i
      (snapshot_hash, nodes_version, inputs, outputs, uses_solana, node_count, has_effects)
    values (
      v_interface.snapshot_hash, v_interface.nodes_version, v_interface.inputs, v_interface.outputs,
      v_interface.uses_solana, v_interface.node_count, v_interface.has_effects
    )
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, inputs = excluded.inputs, outputs = excluded.outputs,
      uses_solana = excluded.uses_solana, node_count = excluded.node_count, has_effects = excluded.has_effects;
  end if;
  return v_interface;
end;
$$;
comment on function private.snapshot_interface(bytea, boolean) is
  'The inputs and outputs of a snapshot, computed by the present node definitions. Null if the snapshot has been deleted. If waits is false, never waits for another transaction, and computes them again instead. Callers must check the permission. Definer, because no API role may access snapshots.';
