create table private.flow_current_snapshots (
  flow_id integer primary key references public.flows on delete cascade,
  flow_updated_at timestamptz not null,
  snapshot_hash bytea not null references private.flow_snapshots on delete cascade
);
comment on table private.flow_current_snapshots is
  'One row for each large flow that has been started, calls no other flow and has no described nodes or tools: the snapshot of its last start. While the flow is unchanged, its starts use this snapshot. If the snapshot is deleted, the row is deleted with it.';
comment on column private.flow_current_snapshots.flow_updated_at is
  'The updated_at that the flow had when its snapshot was taken.';
create index flow_current_snapshots_snapshot_hash_idx on private.flow_current_snapshots (snapshot_hash);

create function private.current_snapshot(entry public.flows)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_hash bytea;
begin
  -- Lock the snapshot, so that the sweep does not delete it before the caller has stored its hash.
  select s.hash into v_hash
  from private.flow_current_snapshots as c join private.flow_snapshots as s on s.hash = c.snapshot_hash
  where c.flow_id = current_snapshot.entry.id and c.flow_updated_at = current_snapshot.entry.updated_at
  for key share of s;
  -- The flow's environment may name a wallet that was deleted after the snapshot was made. In this case, return null:
  -- the caller then freezes the flow again, which reports the missing wallet.
  if v_hash is not null and private.environment_findings(
    current_snapshot.entry.environment, current_snapshot.entry.user_id
  ) = '[]' then
    return v_hash;
  end if;
  return null;
end;
$$;
comment on function private.current_snapshot(public.flows) is
  'The snapshot of the flow''s last start, if the flow is unchanged and can still run; otherwise null. Definer, because no API role may access snapshots.';

create function private.take_snapshot(entry public.flows)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- Freezing a small flow costs less than a search for its snapshot. If this transaction has edited the flow, its
  -- snapshot is not stored: a further edit in this transaction would set the same updated_at, so nothing would show
  -- that the flow has changed.
  v_is_kept constant boolean := pg_column_size(take_snapshot.entry.nodes) > 65536
    and take_snapshot.entry.updated_at < now();
  v_hash bytea := case when v_is_kept then private.current_snapshot(take_snapshot.entry) end;
begin
  if v_hash is not null then
    return v_hash;
  end if;
  v_hash := (private.freeze_flow(take_snapshot.entry, false)).snapshot_hash;
  -- Do not keep the snapshot of a flow that calls others or has described nodes: called flows and definitions may
  -- change without a change of the flow.
  if v_is_kept and not private.has_described_nodes(take_snapshot.entry.nodes)
    and not exists (select from private.interflow_references(take_snapshot.entry.nodes)) then
    insert into private.flow_current_snapshots as c (flow_id, flow_updated_at, snapshot_hash)
    values (take_snapshot.entry.id, take_snapshot.entry.updated_at, v_hash)
    on conflict (flow_id) do update
    set flow_updated_at = excluded.flow_updated_at, snapshot_hash = excluded.snapshot_hash;
  end if;
  return v_hash;
end;
$$;
comment on function private.take_snapshot(public.flows) is
  'Returns the hash of a snapshot of the flow, without the positions of nodes. If the flow is unchanged and its last snapshot is stored, uses this snapshot. Otherwise makes one with private.freeze_flow(). Callers must check the permission. Definer, because no API role may access snapshots.';
