create function private.flow_edges(nodes jsonb, edges jsonb)
returns table (edge_index integer, source text, target text, target_port text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Handle ids name ports flow-wide: an edge's handle may belong to any node, only its node ids say what it joins.
  return query
  -- Not by jsonb_path_query, which takes what it gives from the beginning of a list, and moves all the rest.
  with target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,targets}') as t (port)
    where n.node #>> '{data,type}' <> 'mock'
    group by t.port ->> 'id'
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select s.port ->> 'id'
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,sources}') as s (port)
    where n.node #>> '{data,type}' <> 'mock'
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$$;
comment on function private.flow_edges(jsonb, jsonb) is
  'The edges that a run keeps: those whose two handles are known. Editors leave others behind; a run drops them with a warning.';

create function private.flow_size_findings(nodes jsonb, edges jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
    'code', 'flow_too_large', 'path', part.name, 'message', format('a flow takes at most %s %s, and these are %s', part.most, part.name, part.size)
  )), '[]')
  from (values
    ('nodes', 10000, jsonb_array_length(flow_size_findings.nodes)), ('edges', 50000, jsonb_array_length(flow_size_findings.edges))
  ) as part (name, most, size)
  where part.size > part.most;
$$;
comment on function private.flow_size_findings(jsonb, jsonb) is
  'Whether a graph has more nodes or edges than a runner sets up without keeping others waiting, as flow_findings tells it.';

create function private.flow_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_cycle text[];
begin
  -- Whoever looks at it must know how much there is to look at.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault) order by f.node_index)
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- Nothing more can be said of a graph whose nodes can't be read.
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, n.node #>> '{data,type}' as type, n.node #>> '{data,node_id}' as node_id,
      n.node #>> '{data,targets_form,form_data,label}' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
  ),
  kept as materialized (
    select k.edge_index, k.source, k.target, k.target_port
    from private.flow_edges(flow_findings.nodes, flow_findings.edges) as k
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', max(node.index)) as path,
      format('two nodes have the id %s', node.id) as message
    from node group by node.id having count(*) > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(kept.target_port)), kept.target)
    from kept
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    -- More than it may have inputs: handles may be those of other nodes.
    select 'node_edges_too_many', format('nodes[%s]', min(node.index)), 'at most 1,000 edges lead into one node'
    from (select k.target from kept as k group by k.target having count(*) > 1000) as crowded
    join node on node.id = crowded.target
    group by node.id
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (select finding.* from finding order by finding.path, finding.code limit 1001) as first
    ),
    -- Each id once: edges of a node that is there a thousand times are not looked at a thousand times.
    (
      select array_agg(u.id order by u.index)
      from (select node.id, min(node.index) as index from node where node.type <> 'mock' group by node.id) as u
    ),
    (select array_agg(kept.source) from kept),
    (select array_agg(kept.target) from kept)
  into v_findings, v_nodes, v_sources, v_targets;

  v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$$;
comment on function private.flow_findings(jsonb, jsonb) is
  'What keeps a graph from being run, as an array of {code, path, message}; empty when nothing does, and after a thousand it is cut. Interflow references are checked by private.take_snapshot, which follows them.';
