create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'The warnings about each snapshot. They are stored because a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is
  'The version in private.native_nodes for which the warnings were computed. For another version they are computed again.';
comment on column private.flow_snapshot_warnings.warnings is
  'The warnings of private.flow_warnings. Warnings about called flows have a flow_id; warnings about the flow itself have none, because equal flows share a snapshot.';

create function private.snapshot_warnings(hash bytea, flow_id integer, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_acting_flows jsonb;
  v_warnings jsonb;
  v_refused jsonb;
begin
  select w.warnings into v_warnings
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    select private.acting_flows(s.data) into v_acting_flows from private.flow_snapshots as s
      where s.hash = snapshot_warnings.hash;
    select coalesce(jsonb_agg(warning order by graph.flow_id nulls first, warning.position), '[]') into v_warnings
    from (
      select null::integer as flow_id, s.data -> 'entry' as graph from private.flow_snapshots as s
        where s.hash = snapshot_warnings.hash
      union all
      -- A flow that calls itself is in the snapshot twice: as the entry, and as a called flow.
      select f.key::integer, f.value
      from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f
      where s.hash = snapshot_warnings.hash and f.value <> s.data -> 'entry'
    ) as graph
    cross join lateral (
      select w.warning || case when graph.flow_id is null then '{}'
        else jsonb_build_object('flow_id', graph.flow_id) end as warning, w.position
      from jsonb_array_elements(
        private.flow_warnings(graph.graph -> 'nodes', graph.graph -> 'edges', v_acting_flows)
      ) with ordinality as w (warning, position)
    ) as warning;
    v_warnings := private.first_elements(v_warnings, private.limit_listed_warnings());
    -- Concurrent calls compute the same warnings, so it doesn't matter which of them stores last.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings)
    values (snapshot_warnings.hash, v_version, v_warnings)
    on conflict (snapshot_hash) do update set nodes_version = excluded.nodes_version, warnings = excluded.warnings;
  end if;
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow_id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    -- Most authors intend that a node with effects does not run if its branch is not taken.
    v_refused := jsonb_path_query_array(v_warnings, '$[*] ? (@.code != "effect_may_be_skipped")');
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
comment on function private.snapshot_warnings(bytea, integer, boolean) is
  'The first 100 warnings about a snapshot, [{flow_id, code, path, message}]. If strict, any warning other than effect_may_be_skipped raises 422 flow_invalid with the refused warnings. Does not check permission; callers must. Definer, since snapshots are private.';
