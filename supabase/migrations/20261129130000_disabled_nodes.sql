SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.draws_inputs (
  node_id text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((node_id = ANY (ARRAY['interflow'::text, 'interflow_instructions'::text, 'disabled'::text])) OR private.is_script(node_id));
END;

CREATE OR REPLACE FUNCTION private.draws_outputs (
  node_id text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((node_id = ANY (ARRAY['interflow'::text, 'switch'::text, 'fileexplorer'::text, 'disabled'::text])) OR private.is_script(node_id));
END;

CREATE OR REPLACE FUNCTION private.is_graph_of_flow (
  graph jsonb,
  flow  public.flows
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_nodes jsonb;
begin
  -- The lock lets each user compare only one large graph at a time. private.reduce_flow() uses the same lock.
  if pg_column_size(is_graph_of_flow.flow.nodes) > 1048576 then
    perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', is_graph_of_flow.flow.user_id), 0));
  end if;
  v_nodes := private.nodes_to_run(is_graph_of_flow.flow.nodes);
  return private.graph_in_effect(is_graph_of_flow.graph) = private.graph_in_effect(format(
    '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
    private.reduce_edges(is_graph_of_flow.flow.edges), private.reduce_nodes(
      v_nodes, (private.described_definitions(v_nodes, is_graph_of_flow.flow.user_id)).hashes
    ),
    is_graph_of_flow.flow.environment, to_jsonb(is_graph_of_flow.flow.instructions_bundling)
  )::jsonb);
exception
  -- The nodes or edges are malformed, so the flow has changed since it was frozen.
  when invalid_parameter_value or invalid_text_representation then
    return false;
end;
$function$;

CREATE OR REPLACE FUNCTION private.nodes_to_run (
  nodes jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Most flows have no disabled node. For these flows, this cheap test replaces the query below.
  if not jsonb_path_exists(nodes_to_run.nodes, '$[*].data ? (@.disabled == true)') then
    return nodes_to_run.nodes;
  end if;
  return (
    select jsonb_agg(case
      -- A flow input gets no value from an edge that it could hand on.
      when n.node #> '{data,disabled}' = 'true' and n.node #>> '{data,node_id}' is distinct from 'flow_input'
        then jsonb_set(n.node, '{data}', (n.node -> 'data') - '{retry,timeout_ms,instruction_info}'::text[]
          || jsonb_build_object(
            'type', 'native', 'node_id', 'disabled',
            'targets_form', jsonb_build_object('form_data', jsonb_build_object(
              'chooses', coalesce(n.node #>> '{data,node_id}' in ('branch', 'switch', 'gate', 'filter'), false)
            ))
          ))
      else n.node
    end order by n.position)
    from jsonb_array_elements(nodes_to_run.nodes) with ordinality as n (node, position)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_flow_scripts (
  flow_id integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_flows constant integer := 1000;
  v_max_scripts constant integer := 500;
  v_max_characters constant integer := 262144;
  v_max_script_characters constant integer := 65536;
  v_user_id constant uuid := private.require_user();
  v_reached integer[] := array[read_flow_scripts.flow_id];
  v_position integer := 1;
  v_flow record;
  v_read record;
  v_as_of jsonb := '{}';
  v_scripts jsonb := '[]';
  v_characters bigint := 0;
  v_left_out bigint := 0;
begin
  while v_position <= least(cardinality(v_reached), v_max_flows) loop
    select f.id, private.nodes_to_run(f.nodes || '[]') as nodes, f.edges || '[]' as edges, f.updated_at into v_flow
    from public.flows as f where f.id = v_reached[v_position] and f.user_id = v_user_id;
    if found then
      v_as_of := v_as_of || jsonb_build_object(v_flow.id, v_flow.updated_at);
      select
        coalesce(jsonb_agg(jsonb_build_object('flow_id', v_flow.id, 'index', s.index, 'node_id', s.node_id, 'language',
          s.language, 'inputs', s.inputs, 'source', s.source) order by s.place)
          filter (where s.fits), '[]') as scripts,
        coalesce(sum(length(s.source)) filter (where s.fits), 0) as characters,
        count(*) filter (where not s.fits) as left_out
      into v_read
      from (
        select s.*, coalesce(length(s.source), 0) <= v_max_script_characters
          and v_characters + coalesce(sum(length(s.source)) over (order by s.place), 0) <= v_max_characters
          and jsonb_array_length(v_scripts) + s.place <= v_max_scripts as fits
        from private.flow_scripts(v_flow.nodes, v_flow.edges) with ordinality
          as s (index, node_id, language, inputs, source, place)
      ) as s;
      v_scripts := v_scripts || v_read.scripts;
      v_characters := v_characters + v_read.characters;
      v_left_out := v_left_out + v_read.left_out;
      v_reached := v_reached || array(
        select distinct r.id from private.interflow_references(v_flow.nodes) as r
          where r.id is not null and r.id <> all (v_reached)
      );
    elsif v_position = 1 then
      perform private.fail('flow_not_found', 'There is no such flow.');
    end if;
    v_position := v_position + 1;
  end loop;
  return jsonb_build_object(
    'as_of', v_as_of, 'scripts', v_scripts, 'scripts_left_out', v_left_out,
    'flows_left_out', greatest(cardinality(v_reached) - v_max_flows, 0)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_flow (
  entry            public.flows,
  keeps_canvas     boolean,
  max_called_bytes bigint,
  OUT              data text,
  OUT              canvas text,
  OUT              findings jsonb,
  OUT              is_complete boolean
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  -- Read the flow itself, then every flow that it reaches through interflow nodes. A flow may call itself, directly or
  -- through others.
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
          'path', format('nodes[%s].data.targets_form.form_data.id', r.node_index)
        ) order by r.node_index) filter (where f.id is null), '[]'),
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
$function$;

COMMENT ON FUNCTION "private"."nodes_to_run"(jsonb) IS 'The nodes of a flow as a run executes them: the native node `disabled` takes the place of each node whose data.disabled is true. It keeps the ports, the name and the on_error of the disabled node. The nodes need not be checked.';

REVOKE ALL ON FUNCTION "private"."nodes_to_run"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."nodes_to_run"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."nodes_to_run"(jsonb) TO "postgres";
