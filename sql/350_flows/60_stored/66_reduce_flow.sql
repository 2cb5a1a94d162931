-- A reduced graph has only what a run needs. It is built as text, because building jsonb would copy each value once for
-- every level around it, and because the hash needs the text anyway. The members are in the order in which jsonb prints
-- them.

create function private.form_with_hashes(data jsonb, hashes jsonb, node_index bigint)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form_data constant jsonb := form_with_hashes.data #> '{targets_form,form_data}';
begin
  if not exists (
    select from private.agent_tools(form_with_hashes.data) as t where jsonb_typeof(t.tool -> 'node') = 'object'
  ) then
    return v_form_data;
  end if;
  return jsonb_set(v_form_data, '{tools}', (
    select jsonb_agg(
      case jsonb_typeof(t.tool -> 'node') when 'object' then jsonb_set(
        t.tool, '{node}', (t.tool -> 'node') - 'definition' || case when h.hash is null then '{}'
          else jsonb_build_object('definition', h.hash) end
      ) else t.tool end
      order by t.index
    )
    from private.agent_tools(form_with_hashes.data) as t
    cross join lateral (
      select form_with_hashes.hashes -> format('%s.%s', form_with_hashes.node_index, t.index) as hash
    ) as h
  ));
end;
$$;
comment on function private.form_with_hashes(jsonb, jsonb, bigint) is
  'The form data of an agent. Each tool that is a described node gets the hash of its definition as node.definition. `hashes` is the result of private.described_definitions().';

create function private.reduce_nodes(nodes jsonb, definition_hashes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s%s, "node_id": %s, '
      '"sources": [%s], "targets": [%s]%s%s%s%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', d.data -> 'type',
      case when d.data -> 'retry' <> 'null' then ', "retry": ' || private.complete_retry(d.data -> 'retry')::text end,
      d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s%s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds',
          ', "when_absent": ' || nullif(port -> 'when_absent', 'null')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      case when d.data ->> 'on_error' = 'output' then ', "on_error": "output"' end,
      ', "definition": ' || (reduce_nodes.definition_hashes -> (n.position - 1)::text)::text,
      case when d.data -> 'timeout_ms' <> 'null'
        then format(', "timeout_ms": %s', trim_scale((d.data -> 'timeout_ms')::numeric)) end,
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      case d.data ->> 'node_id'
        when 'ai_agent' then private.form_with_hashes(d.data, reduce_nodes.definition_hashes, n.position - 1)
        else d.data -> 'targets_form' -> 'form_data' end,
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$$;
comment on function private.reduce_nodes(jsonb, jsonb) is
  'The nodes of a flow as JSON text, formatted as jsonb prints it. The nodes keep their order, and lose the members that only the editor needs: positions, sizes, colours, forms. definition_hashes is the result of private.described_definitions(); such a node gets the hash of its definition as data.definition, and such a tool of an agent as node.definition. The nodes must have no faults.';

create function private.reduce_edges(edges jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select format('[%s]', string_agg(format(
      '{%s%s"target": %s%s%s}',
      '"data": {"expression": ' || to_jsonb(private.edge_expression(edge))::text || '}, ',
      '"source": ' || (edge -> 'source')::text || ', ', edge -> 'target',
      ', "sourceHandle": ' || (edge -> 'sourceHandle')::text, ', "targetHandle": ' || (edge -> 'targetHandle')::text
    ), ', ' order by position))
    from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position)
  );
end;
$$;
comment on function private.reduce_edges(jsonb) is
  'The edges of a flow as JSON text, formatted as jsonb prints it. The edges keep their order, and lose the members that only the editor needs. Every edge must lead to a node.';

create function private.interflow_references(nodes jsonb)
returns table (node_index integer, id integer, field text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query
  select (n.position - 1)::integer, c.id, c.field
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  cross join lateral (
    select n.node #>> '{data,node_id}' as node_id, n.node #> '{data,targets_form,form_data}' as form_data offset 0
  ) as d
  cross join lateral (
    select private.integer_or_null(d.form_data ->> 'id') as id, 'id' as field
    where d.node_id in ('interflow', 'interflow_instructions')
    union all
    select private.integer_or_null(t.tool ->> 'flow'), format('tools[%s].flow', t.index)
    from private.agent_tools(n.node -> 'data') as t
    where coalesce(t.tool -> 'node', 'null') = 'null'
  ) as c
  where n.node #>> '{data,type}' = 'native' and d.node_id in ('interflow', 'interflow_instructions', 'ai_agent');
end;
$$;
comment on function private.interflow_references(jsonb) is
  'The ids of the flows that a graph calls, each with the index of the calling node and the field of its form data: id of an interflow node, tools[0].flow of an agent. If the field has no integer, the id is null.';

create function private.called_error_findings(caller public.flows)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
begin
  -- In most flows, no interflow node has on_error. For these flows, this cheap test replaces the query below.
  if not jsonb_path_exists(
    called_error_findings.caller.nodes, '$[*].data ? (@.on_error == "output" && @.node_id == "interflow")'
  ) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object(
      'flow_id', called_error_findings.caller.id, 'code', 'error_output_taken',
      'path', format('nodes[%s].data.on_error', r.node_index),
      'message', 'the called flow already has an output "error", so this node can''t have on_error'
    ) order by r.node_index), '[]')
    from private.interflow_references(called_error_findings.caller.nodes) as r
    join public.flows as f on f.id = r.id and f.user_id = called_error_findings.caller.user_id
    where called_error_findings.caller.nodes #>> array[r.node_index::text, 'data', 'on_error'] = 'output'
      and called_error_findings.caller.nodes #>> array[r.node_index::text, 'data', 'node_id'] = 'interflow'
      and exists (
        select
        from jsonb_path_query(f.nodes, '$[*].data ? (@.type == "native" && @.node_id == "flow_output")') as d (data)
        where private.port_label(d.data) = 'error'
      )
  );
end;
$$;
comment on function private.called_error_findings(public.flows) is
  'One finding for each node that has data.on_error and calls a flow with an output named error. private.reduce_flow() lists these findings. Definer, because it reads all flows of the owner of `caller`.';

create function private.canvas_text(nodes jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- This function takes a tenth of the time of the query below, but skips nodes without a position. So its result is
  -- used only if all nodes have a position, as in most flows, or if no node has one.
  v_positions constant jsonb := jsonb_path_query_array(canvas_text.nodes, '$[*].position');
begin
  if jsonb_array_length(v_positions) in (0, jsonb_array_length(canvas_text.nodes)) then
    return v_positions::text;
  end if;
  return (
    select jsonb_agg(n.node -> 'position' order by n.position)::text
    from jsonb_array_elements(canvas_text.nodes) with ordinality as n (node, position)
  );
end;
$$;
comment on function private.canvas_text(jsonb) is
  'The positions of a flow''s nodes in the editor, in the order of the nodes, as the text of jsonb. A node without a position gets null. If no node has a position, the text is [].';

-- Reduces a flow, and all flows that it calls directly or through others, to what a run needs. Uses the given row of
-- the flow and the current rows of the called flows. Callers must check the permission.
--
--   max_called_bytes  the most bytes of called flows to read; null for no limit
--   data              the data of a snapshot, as text; null if there are findings
--   canvas            if keeps_canvas: the positions of the nodes, {"<flow id>": private.canvas_text()}, as text
--   findings          the findings that keep the flows from running, [{flow_id, code, path, message}]; those of
--                     `entry` come first
--   is_complete       false if called flows were left out because of max_called_bytes
create function private.reduce_flow(
  entry public.flows, keeps_canvas boolean, max_called_bytes bigint,
  out data text, out canvas text, out findings jsonb, out is_complete boolean
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_flow public.flows := reduce_flow.entry;
  v_reached integer[] := array[reduce_flow.entry.id];
  v_called integer[];
  v_position integer := 1;
  v_ids integer[] := '{}';
  v_graphs text[] := '{}';
  v_max_size constant integer := private.limit_snapshot_bytes();
  v_max_findings constant integer := private.limit_listed_findings();
  v_size integer := 0;
  v_called_bytes bigint := 0;
  v_is_entry_called boolean := false;
  v_own_findings jsonb;
  v_described record;
  v_definitions jsonb;
  v_canvases text[] := '{}';
begin
  findings := '[]';
  is_complete := true;
  -- Read the flow itself, then every flow that it reaches through interflow nodes and tools of agents. A flow may call
  -- itself, directly or through others.
  <<flows>>
  loop
    -- Appending an empty array decompresses the graph without changing it. Otherwise each function below would
    -- decompress the graph again.
    v_flow.nodes := private.nodes_to_run(v_flow.nodes || '[]');
    v_flow.edges := v_flow.edges || '[]';
    if v_position > 1 then
      -- Reading even a small flow takes time, so 10 KiB are added to the size of each flow.
      v_called_bytes := v_called_bytes + pg_column_size(v_flow.nodes) + pg_column_size(v_flow.edges) + 10240;
      is_complete := v_called_bytes <= coalesce(reduce_flow.max_called_bytes, v_called_bytes);
      exit when not is_complete;
    end if;
    -- Freezing several MiB keeps one processor busy for a second. The lock lets each user freeze only one large graph
    -- at a time, so that the other users find a free processor. The lock can't cause a deadlock: if a transaction also
    -- locks a quota or the queue, it does so after it has frozen the flow.
    if pg_column_size(v_flow.nodes) > 1048576 then
      perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', reduce_flow.entry.user_id), 0));
    end if;
    v_own_findings := private.flow_findings(v_flow.nodes, v_flow.edges);
    findings := findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_flow.id) || finding)
      from jsonb_array_elements(v_own_findings || private.environment_findings(v_flow.environment, v_flow.user_id))
        as finding
    ), '[]');
    if findings = '[]' then
      v_described := private.described_definitions(v_flow.nodes, reduce_flow.entry.user_id);
      v_definitions := coalesce(v_definitions || v_described.definitions, v_described.definitions, v_definitions);
      v_ids := v_ids || v_flow.id;
      v_graphs := v_graphs || format(
        '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
        private.reduce_edges(v_flow.edges),
        private.reduce_nodes(v_flow.nodes, v_described.hashes), v_flow.environment, to_jsonb(v_flow.instructions_bundling)
      );
      if reduce_flow.keeps_canvas then
        v_canvases := v_canvases || format('"%s": %s', v_flow.id, private.canvas_text(v_flow.nodes));
      end if;
    end if;

    v_called := null;
    -- Do not follow the calls of a flow that is too large or has malformed nodes. Such a flow is refused in any case,
    -- and the search for its calls would take as long as all checks above.
    if coalesce(v_own_findings #>> '{0,code}', '') not in ('flow_too_large', 'node_malformed') then
      select
        findings || coalesce(jsonb_agg(jsonb_build_object(
          'flow_id', v_flow.id, 'code', 'interflow_flow_unknown', 'message', 'you have no flow with this id',
          'path', format('nodes[%s].data.targets_form.form_data.%s', r.node_index, r.field)
        ) order by r.node_index, r.field) filter (where f.id is null), '[]'),
        array_agg(distinct f.id) filter (where f.id is not null)
      into findings, v_called
      from private.interflow_references(v_flow.nodes) as r
      left join public.flows as f on f.id = r.id and f.user_id = reduce_flow.entry.user_id;
      findings := findings || private.called_error_findings(v_flow);
    end if;
    -- Extend the arrays outside of the query above. If the query contained the arrays, Postgres would plan the query
    -- again at each execution.
    if v_called is not null then
      v_reached := v_reached || array(select c.id from unnest(v_called) as c (id) where c.id <> all (v_reached));
      v_is_entry_called := v_is_entry_called or reduce_flow.entry.id = any (v_called);
    end if;

    loop
      exit flows when v_position = cardinality(v_reached);
      v_position := v_position + 1;
      select f.* into v_flow
      from public.flows as f where f.id = v_reached[v_position] and f.user_id = reduce_flow.entry.user_id;
      -- If the called flow was deleted after the query above had found it, continue with the next flow. A run will fail
      -- at the node that calls the deleted flow.
      exit when found;
    end loop;
    if findings = '[]' then
      v_size := v_size + octet_length(v_graphs[cardinality(v_graphs)]);
    end if;
    -- If the graphs are too large together, or if there are too many findings, the flow is refused. Then the remaining
    -- flows need not be read.
    exit when v_size + coalesce(pg_column_size(v_definitions), 0) > v_max_size or jsonb_array_length(findings) > v_max_findings;
  end loop;

  if findings = '[]' then
    data := format('{"entry": %s, "flows": {%s}%s}', v_graphs[1], (
      -- If a flow calls the entry, list the entry among the called flows too.
      select string_agg(format('"%s": %s', reached.id, reached.graph), ', ' order by reached.id)
      from unnest(v_ids, v_graphs) as reached (id, graph) where reached.id <> reduce_flow.entry.id or v_is_entry_called
    ), ', "definitions": ' || v_definitions::text);
    if octet_length(data) > v_max_size then
      findings := jsonb_build_array(jsonb_build_object(
        'flow_id', reduce_flow.entry.id, 'code', 'snapshot_too_large', 'path', 'nodes',
        'message',
        format('the flow and the flows that it calls are larger than %s together', private.size_text(v_max_size))
      ));
      data := null;
    end if;
  end if;
  canvas := format('{%s}', array_to_string(v_canvases, ', '));
end;
$$;
comment on function private.reduce_flow(public.flows, boolean, bigint) is
  'Reduces a flow and all flows that it calls to the data of a snapshot, and finds what keeps them from running. Callers must check the permission. Definer, because it reads all flows of the owner of `entry`.';
