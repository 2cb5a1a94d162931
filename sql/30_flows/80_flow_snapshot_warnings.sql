create table private.flow_snapshot_warnings (
  snapshot_hash bytea primary key references private.flow_snapshots (hash) on delete cascade,
  nodes_version bigint not null,
  warnings jsonb not null
);
comment on table private.flow_snapshot_warnings is
  'What a run of a frozen graph will stumble over: kept, since a flow is started far more often than it is changed.';
comment on column private.flow_snapshot_warnings.nodes_version is 'The version in private.native_nodes that they were found with; with another one they are found anew.';
comment on column private.flow_snapshot_warnings.warnings is
  'Of private.flow_warnings, the first 100; those of called flows have the flow''s flow_id, those of the flow itself none, since flows that are equal share a snapshot.';

create function private.snapshot_warnings(hash bytea, flow_id integer, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_warnings jsonb;
begin
  select w.warnings into v_warnings
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    select coalesce(jsonb_agg(warning order by graph.flow_id nulls first, warning.position), '[]') into v_warnings
    from (
      select null::integer as flow_id, s.data -> 'entry' as graph from private.flow_snapshots as s where s.hash = snapshot_warnings.hash
      union all
      -- One that is called by itself is there twice.
      select f.key::integer, f.value
      from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f
      where s.hash = snapshot_warnings.hash and f.value <> s.data -> 'entry'
    ) as graph
    cross join lateral (
      select w.warning || case when graph.flow_id is null then '{}' else jsonb_build_object('flow_id', graph.flow_id) end as warning, w.position
      from jsonb_array_elements(private.flow_warnings(graph.graph -> 'nodes', graph.graph -> 'edges')) with ordinality as w (warning, position)
    ) as warning;
    v_warnings := jsonb_path_query_array(v_warnings, '$[0 to 99]');
    -- Of whoever else finds them meanwhile the same.
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
    perform private.fail(422, 'flow_invalid', format('The flow is not without warnings: %s.', v_warnings #>> '{0,message}'), v_warnings);
  end if;
  return v_warnings;
end;
$$;
comment on function private.snapshot_warnings(bytea, integer, boolean) is
  'What a run of a snapshot will stumble over, as an array of {flow_id, code, path, message}, the first 100; strict: 422 flow_invalid with them, if there are any. Definer, since snapshots are private; callers check who asks.';
