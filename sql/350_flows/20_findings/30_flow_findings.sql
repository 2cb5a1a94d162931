create function private.flow_edges(nodes jsonb, edges jsonb)
returns table (edge_index integer, source text, target text, target_port text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- The members source and target of an edge say which nodes the edge connects. But its handles may be ports of other
  -- nodes, so look up each handle in the whole flow.
  return query
  with port as materialized (
    -- Each row has the nth source and the nth target of one node.
    select p.source ->> 'id' as source, p.target ->> 'id' as target, p.target ->> 'name' as target_name
    from (
      select jsonb_array_elements(d.data -> 'sources') as source, jsonb_array_elements(d.data -> 'targets') as target
      from jsonb_array_elements(flow_edges.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ) as p
  ),
  target_handle as materialized (
    select port.target as id, max(port.target_name) as name from port where port.target is not null group by port.target
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select port.source from port
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$$;
comment on function private.flow_edges(jsonb, jsonb) is
  'The edges that a run keeps: edges whose two handles are ports of the flow. Editors may leave edges behind whose ports are gone. A run drops such edges with a warning.';

create function private.port_count_findings(nodes jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- A JSON path counts ports without copying nodes. Extracting each node takes twenty times as long for 40,000
  -- ports.
  if not jsonb_path_exists(
    port_count_findings.nodes, '$[*].data ? (@.sources.size() > $most || @.targets.size() > $most)',
    jsonb_build_object('most', private.limit_node_ports())
  ) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', 'node_malformed', 'path', format('nodes[%s]', node.index),
      'message',
      format(
        'data.%s: must have at most %s %1$s', case when node.has_too_many_sources then 'sources' else 'targets' end,
        private.limit_node_ports()
      )
    ) order by node.index), '[]')
    from (
      select i.index, has.too_many_sources, has.too_many_targets
      from generate_series(0, jsonb_array_length(port_count_findings.nodes) - 1) as i (index)
      cross join lateral (select
        jsonb_path_exists(
          port_count_findings.nodes, 'strict $[$index].data.sources.size() ? (@ > $most)',
          jsonb_build_object('index', i.index, 'most', private.limit_node_ports()), silent => true
        ),
        jsonb_path_exists(
          port_count_findings.nodes, 'strict $[$index].data.targets.size() ? (@ > $most)',
          jsonb_build_object('index', i.index, 'most', private.limit_node_ports()), silent => true
        )
      ) as has (too_many_sources, too_many_targets)
      where has.too_many_sources or has.too_many_targets
      order by i.index limit private.limit_listed_findings() + 1
    ) as node (index, has_too_many_sources, has_too_many_targets)
  );
end;
$$;
comment on function private.port_count_findings(jsonb) is
  'Findings for private.flow_findings() about nodes with too many sources or targets, for at most limit_listed_findings() + 1 nodes.';

create function private.flow_size_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb := (
    select jsonb_agg(jsonb_build_object(
      'code', 'flow_too_large', 'path', part.name, 'message',
      format('a flow may have at most %s %s, and this one has %s', part.most, part.name, part.size)
    ))
    from (values
      ('nodes', private.limit_flow_nodes(), jsonb_array_length(flow_size_findings.nodes)),
      ('edges', private.limit_flow_edges(), jsonb_array_length(flow_size_findings.edges))
    ) as part (name, most, size)
    where part.size > part.most
  );
begin
  return coalesce(v_findings, private.port_count_findings(flow_size_findings.nodes));
end;
$$;
comment on function private.flow_size_findings(jsonb, jsonb) is
  'Findings for private.flow_findings() about too many nodes, edges or ports. A larger graph would delay other runs while the runner sets it up.';

create function private.flow_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
-- The plan is generic, because for most flows, making a new plan for a call would take longer than the call itself.
set plan_cache_mode = force_generic_plan
as $$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_leads_back boolean;
  v_cycle text[];
begin
  -- Check the size first: it bounds the cost of the other checks.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
  select jsonb_agg(
    jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault)
      order by f.node_index
  )
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- The other checks read members that a malformed node may lack.
    return v_findings;
  end if;
  v_findings := private.edge_expression_findings(flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
      d.data -> 'targets_form' -> 'form_data' ->> 'label' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  ),
  -- One row for each id, because several nodes may share an id. Without this step, if a thousand nodes shared an id,
  -- each edge to this id would become a thousand rows.
  known as materialized (
    select node.id, count(*) as node_count, min(node.index) as first_index, max(node.index) as last_index,
      bool_or(node.type <> 'mock') as is_run, bool_or(node.type = 'mock') as is_mock
    from node group by node.id
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      s.first_index as source_index, t.first_index as target_index,
      coalesce(s.is_run, false) as is_source_run, coalesce(t.is_run, false) as is_target_run,
      coalesce(t.is_mock, false) as is_target_mock,
      kept.edge_index is not null as is_kept, kept.target_port
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
    left join known as s on s.id = e.edge ->> 'source'
    left join known as t on t.id = e.edge ->> 'target'
    left join private.flow_edges(flow_findings.nodes, flow_findings.edges) as kept on kept.edge_index = e.position - 1
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', known.last_index) as path,
      format('two nodes have the id %s', known.id) as message
    from known where known.node_count > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index),
      format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge where not edge.is_source_run and not edge.is_target_mock
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index),
      format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where edge.target_index is null
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(edge.index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(edge.target_port)), edge.target)
    from edge where edge.is_kept and edge.is_target_run
    group by edge.target, edge.target_port having count(*) > 1
    union all
    -- The limit on the number of a node's inputs does not limit the number of edges into the node, because the
    -- targetHandle of an edge may be an input of another node.
    select 'node_edges_too_many', format('nodes[%s]', edge.target_index),
      format('at most %s edges may lead into one node', private.limit_node_edges())
    from edge where edge.is_kept and edge.target_index is not null
    group by edge.target_index having count(*) > private.limit_node_edges()
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (
        select finding.* from finding
        order by finding.path, finding.code limit private.limit_listed_findings() + 1
      ) as first
    ),
    (select array_agg(known.id order by known.first_index) from known where known.is_run),
    wired.sources, wired.targets, wired.leads_back
  into v_findings, v_nodes, v_sources, v_targets, v_leads_back
  from (
    select array_agg(edge.source) as sources, array_agg(edge.target) as targets,
      bool_or(edge.source_index >= edge.target_index) as leads_back
    from edge where edge.is_kept and edge.is_source_run and edge.is_target_run
  ) as wired;

  -- If every edge leads to a later node, as in most flows, there is no cycle.
  if v_leads_back then
    v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  end if;
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
  'The faults that keep a graph from running, [{code, path, message}]; [] if the graph can run. Lists at most limit_listed_findings() + 1 faults. Does not check calls of other flows; private.reduce_flow() checks these calls.';
