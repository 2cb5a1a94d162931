-- Reading a flow's graph: what running needs of it, and what is wrong with it.

create function private.pick(value jsonb, members text[])
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_member text;
  v_picked jsonb := '{}';
begin
  if jsonb_typeof(pick.value) is distinct from 'object' then
    return pick.value;
  end if;
  -- In plpgsql, since a deploy calls it several times a node: each call of an SQL function starts an executor.
  foreach v_member in array pick.members loop
    if pick.value ? v_member then
      v_picked := v_picked || jsonb_build_object(v_member, pick.value -> v_member);
    end if;
  end loop;
  return v_picked;
end;
$$;
comment on function private.pick(jsonb, text[]) is
  'The named members of an object, as far as it has them; anything else as it is.';

create function private.reduce_ports(ports jsonb, members text[])
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when jsonb_typeof(reduce_ports.ports) = 'array' then (
      select coalesce(jsonb_agg(private.pick(port, reduce_ports.members) order by position), '[]')
      from jsonb_array_elements(reduce_ports.ports) with ordinality as p (port, position)
    )
    else reduce_ports.ports
  end;
$$;
comment on function private.reduce_ports(jsonb, text[]) is 'The named members of each port; what is no array of ports as it is.';

create function private.reduce_nodes(nodes jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  -- Nothing is made up on the way: what is missing or malformed stays so, for private.flow_findings to say.
  select coalesce(jsonb_agg(
    case when jsonb_typeof(node -> 'data') = 'object'
      then private.pick(node, '{id}') || jsonb_build_object('data',
        private.pick(node -> 'data', '{type,node_id,display_name,instruction_info}') || jsonb_build_object(
          'sources', private.reduce_ports(node #> '{data,sources}', '{id,name,type,optional}'),
          'targets', private.reduce_ports(node #> '{data,targets}', '{id,name,type_bounds,required,passthrough}'),
          'targets_form', private.pick(node #> '{data,targets_form}', '{form_data,extra}')
        )
      )
      else private.pick(node, '{id,data}')
    end
    order by position
  ), '[]')
  from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position);
$$;
comment on function private.reduce_nodes(jsonb) is
  'A flow''s nodes without what only the editor needs (places, sizes, colours, forms), in the same order.';

create function private.reduce_edges(edges jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(jsonb_agg(private.pick(edge, '{source,sourceHandle,target,targetHandle}') order by position), '[]')
  from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position);
$$;
comment on function private.reduce_edges(jsonb) is 'A flow''s edges without what only the editor needs, in the same order.';

create function private.node_fault(node jsonb)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select case
    when jsonb_typeof(node_fault.node) <> 'object' then 'a node is an object'
    when coalesce(node_fault.node ->> 'id', '') !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(node_fault.node -> 'data') is distinct from 'object' then 'data: takes an object'
    when coalesce(node_fault.node #>> '{data,type}', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(node_fault.node #> '{data,node_id}') is distinct from 'string' then 'data.node_id: takes a string'
    when jsonb_typeof(node_fault.node #> '{data,sources}') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(node_fault.node #> '{data,targets}') is distinct from 'array' then 'data.targets: takes an array'
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(node_fault.node, 'strict $.data.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(node_fault.node, 'strict $.data.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(node_fault.node, '$.data.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(node_fault.node, '$.data.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    when node_fault.node #> '{data,targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
  end;
$$;
comment on function private.node_fault(jsonb) is
  'What makes a node unreadable for the runner, or null. Source: the node object of the editor''s flow JSON, its mandatory members.';

create function private.flow_edges(nodes jsonb, edges jsonb)
returns table (edge_index integer, source text, target text, target_port text)
language sql immutable security invoker
set search_path = ''
as $$
  -- Handle ids name ports flow-wide: an edge's handle may belong to any node, only its node ids say what it joins.
  with node as materialized (
    select n.node ->> 'id' as id, n.node -> 'data' as data
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    where n.node #>> '{data,type}' <> 'mock'
  ),
  target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from node cross join lateral jsonb_array_elements(node.data -> 'targets') as t (port)
    group by t.port ->> 'id'
  ),
  source_handle as materialized (
    select s.port ->> 'id' as id
    from node cross join lateral jsonb_array_elements(node.data -> 'sources') as s (port)
    union
    select 'passthrough-' || target_handle.id from target_handle
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join source_handle on source_handle.id = e.edge ->> 'sourceHandle'
  join target_handle on target_handle.id = e.edge ->> 'targetHandle';
$$;
comment on function private.flow_edges(jsonb, jsonb) is
  'The edges that a run keeps: those whose two handles are known. Editors leave others behind; a run drops them with a warning.';

create function private.flow_cycle(nodes text[], sources text[], targets text[])
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_count integer := coalesce(cardinality(flow_cycle.nodes), 0);
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_waiting integer[];
  v_ready integer[];
  v_done integer := 0;
  v_node integer;
  v_edge integer;
  v_next integer;
  v_before integer[];
  v_step integer[];
  v_path integer[] := '{}';
begin
  -- Kahn's algorithm on node numbers, its edges sorted by source: one pass over nodes and edges.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
    return null;
  end if;

  v_first := array_fill(0, array[v_count + 1]);
  v_waiting := array_fill(0, array[v_count]);
  for v_edge in reverse cardinality(v_from)..1 loop
    v_first[v_from[v_edge]] := v_edge;
    v_waiting[v_to[v_edge]] := v_waiting[v_to[v_edge]] + 1;
  end loop;
  select coalesce(array_agg(number), '{}') into v_ready
  from unnest(v_waiting) with ordinality as w (waiting, number)
  where waiting = 0;

  while v_done < cardinality(v_ready) loop
    v_done := v_done + 1;
    v_edge := v_first[v_ready[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_ready[v_done] loop
      v_next := v_to[v_edge];
      v_waiting[v_next] := v_waiting[v_next] - 1;
      if v_waiting[v_next] = 0 then
        v_ready := v_ready || v_next;
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  if v_done = v_count then
    return null;
  end if;

  -- Every node left waits for another one that is left: walking backwards from any of them ends up going round a cycle.
  v_before := array_fill(null::integer, array[v_count]);
  for v_edge in 1..cardinality(v_from) loop
    if v_waiting[v_from[v_edge]] > 0 then
      v_before[v_to[v_edge]] := v_from[v_edge];
    end if;
  end loop;
  v_step := array_fill(null::integer, array[v_count]);
  v_node := (select w.number from unnest(v_waiting) with ordinality as w (waiting, number) where w.waiting > 0 limit 1);
  while v_step[v_node] is null loop
    v_path := v_path || v_node;
    v_step[v_node] := cardinality(v_path);
    v_node := v_before[v_node];
  end loop;
  return (
    select array_agg(flow_cycle.nodes[p.number] order by p.position desc)
    from unnest(v_path) with ordinality as p (number, position)
    where p.position >= v_step[v_node]
  );
end;
$$;
comment on function private.flow_cycle(text[], text[], text[]) is
  'The node ids of one cycle in the order of its edges, or null when there is none; sources[i] → targets[i] are the edges. Source: A. B. Kahn, Topological sorting of large networks, CACM 5 (1962).';

create function private.flow_findings(nodes jsonb, edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb;
  v_indexes integer[];
  v_sources text[];
  v_targets text[];
  v_ports text[];
  v_cycle text[];
begin
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', position - 1), 'message', fault) order by position)
  into v_findings
  from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  cross join lateral private.node_fault(node) as fault
  where fault is not null;
  if v_findings is not null then
    -- Nothing more can be said of a graph whose nodes can't be read.
    return v_findings;
  end if;

  select array_agg(kept.edge_index), array_agg(kept.source), array_agg(kept.target), array_agg(kept.target_port)
  into v_indexes, v_sources, v_targets, v_ports
  from private.flow_edges(flow_findings.nodes, flow_findings.edges) as kept;

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
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', max(node.index)) as path,
      format('two nodes have the id %s', node.id) as message
    from node group by node.id having count(*) > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(edge.source, 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(edge.target, 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(kept.target_port), kept.target)
    from unnest(v_indexes, v_targets, v_ports) as kept (edge_index, target, target_port)
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(node.label)::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select jsonb_agg(to_jsonb(finding) order by finding.path, finding.code) into v_findings from finding;

  v_cycle := private.flow_cycle(
    array(select n.node ->> 'id' from jsonb_array_elements(flow_findings.nodes) as n (node) where n.node #>> '{data,type}' <> 'mock'),
    v_sources, v_targets
  );
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
  'What keeps a graph from being run, as an array of {code, path, message}; empty when nothing does. Interflow references are checked by private.take_snapshot, which follows them.';
