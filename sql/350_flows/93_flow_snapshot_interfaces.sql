create table private.flow_snapshot_interfaces (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  inputs jsonb not null,
  outputs jsonb not null
);
comment on table private.flow_snapshot_interfaces is
  'What each snapshot takes and gives, stored by the first who asks, which is the function flow after a deploy: the deploy itself has no time to spare.';
comment on column private.flow_snapshot_interfaces.nodes_version is 'The version in private.native_nodes for which they were computed. For another version they are computed again.';
comment on column private.flow_snapshot_interfaces.inputs is 'The inputs as private.input_descriptions() gives them.';
comment on column private.flow_snapshot_interfaces.outputs is 'The outputs, {name, type} each.';

create function private.snapshot_interface(hash bytea)
returns private.flow_snapshot_interfaces
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the tables were empty.
set enable_seqscan = off
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_interface private.flow_snapshot_interfaces;
begin
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- One computes it, the others wait for that: side by side they would all take longer, until none is done before its time is over.
  -- Definitions that were added meanwhile may have been read already: what is computed is of this version or newer, never older.
  perform pg_advisory_xact_lock(hashtextextended(format('private.snapshot_interface %s', snapshot_interface.hash), 0));
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- Key share: the snapshot stays until this is stored, so that a reader never meets a sweep halfway.
  select s.hash, v_version, d.inputs, d.outputs into v_interface
  from (select f.hash, f.data from private.flow_snapshots as f where f.hash = snapshot_interface.hash for key share) as s
  cross join lateral private.describe_snapshot(s.data) as d;
  if found then
    insert into private.flow_snapshot_interfaces as i (snapshot_hash, nodes_version, inputs, outputs)
    values (v_interface.snapshot_hash, v_interface.nodes_version, v_interface.inputs, v_interface.outputs)
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, inputs = excluded.inputs, outputs = excluded.outputs;
  end if;
  return v_interface;
end;
$$;
comment on function private.snapshot_interface(bytea) is
  'What a snapshot takes and gives, with the node definitions of now; null for one that is deleted. Definer, since snapshots are private: callers must check who asks.';
