-- Reading a flow's graph: what running needs of it, and what is wrong with it.

create function private.port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'sources') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.sources: the id and the name of a source take at most 256 characters'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
      then 'data.targets: the id and the name of a target take at most 256 characters'
  end;
end;
$$;
comment on function private.port_fault(jsonb) is 'What makes a port of a node unreadable for the runner, the first fault, or null; of the node''s data, whose sources and targets are arrays.';

create function private.node_faults(nodes jsonb)
returns table (node_index integer, fault text)
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- Asked of all at once: only where a port is wrong, it is looked for node by node.
  v_has_bad_ports constant boolean := coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'sources') when 'array' then node -> 'data' -> 'sources' end
    ) as port
  ), false) or coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
      or jsonb_typeof(port -> 'type_bounds') is distinct from 'array'
      or jsonb_typeof(port -> 'required') is distinct from 'boolean' or jsonb_typeof(port -> 'passthrough') is distinct from 'boolean'
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'targets') when 'array' then node -> 'data' -> 'targets' end
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Taken out once, not by each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node is an object'
    -- Postgres writes a UUID like that; a pattern takes four times as long.
    when not pg_input_is_valid(coalesce(n.node ->> 'id', ''), 'uuid') or (n.node ->> 'id')::uuid::text <> n.node ->> 'id'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: takes an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: takes a string'
    when length(d.data ->> 'node_id') > 200 then 'data.node_id: takes at most 200 characters'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: takes an array'
    when jsonb_array_length(d.data -> 'sources') > 1000 then 'data.sources: takes at most 1,000 sources'
    when jsonb_array_length(d.data -> 'targets') > 1000 then 'data.targets: takes at most 1,000 targets'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > 256
      then 'data.targets_form.form_data.label: takes at most 256 characters'
  end) as f (fault)
  where f.fault is not null
  order by n.position limit 1001;
end;
$$;
comment on function private.node_faults(jsonb) is
  'What makes nodes unreadable for the runner, one fault a node, the first 1,001. Source: the node object of the editor''s flow JSON, its mandatory members.';

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

  -- As many flows are drawn: what comes later in the array never leads back.
  if (select bool_and(e.source < e.target) from unnest(v_from, v_to) as e (source, target)) then
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

-- Reduced graphs are put together as text, members in the order of jsonb: each level of jsonb that is built copies all that is in it,
-- value by value, and what is the text of jsonb already can be hashed as it is.

create function private.reduce_nodes(nodes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s, "node_id": %s, "sources": [%s], "targets": [%s]%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', d.data -> 'type', d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds'
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$$;
comment on function private.reduce_nodes(jsonb) is
  'A flow''s nodes, which have no faults, without what only the editor needs (places, sizes, colours, forms), in the same order, as the text of jsonb.';

create function private.reduce_edges(edges jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{%s"target": %s%s%s}', '"source": ' || (edge -> 'source')::text || ', ', edge -> 'target',
      ', "sourceHandle": ' || (edge -> 'sourceHandle')::text, ', "targetHandle": ' || (edge -> 'targetHandle')::text
    ), ', ' order by position))
    from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position)
  );
end;
$$;
comment on function private.reduce_edges(jsonb) is
  'A flow''s edges, which all lead to nodes, without what only the editor needs, in the same order, as the text of jsonb.';

create function private.input_names(nodes jsonb)
returns text[]
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(named.name order by named.position), '{}')
  from (
    select label.name, min(n.position) as position
    from jsonb_array_elements(input_names.nodes) with ordinality as n (node, position)
    cross join lateral (
      select case jsonb_typeof(n.node #> '{data,targets_form,form_data,label}')
        when 'string' then n.node #>> '{data,targets_form,form_data,label}'
        else coalesce(n.node #>> '{data,sources,0,name}', '')
      end as name
    ) as label
    where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    group by label.name
  ) as named;
$$;
comment on function private.input_names(jsonb) is
  'The names of a graph''s inputs, each once, in the order of its nodes: the label of each flow_input, else what its output is called, as functions/runner names it. Of nodes that have no faults.';
