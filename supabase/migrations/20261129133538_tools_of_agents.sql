SET local check_function_bodies = off;

DROP FUNCTION "private"."interflow_references"(jsonb);

CREATE OR REPLACE FUNCTION private.acting_nodes (
  nodes        jsonb,
  edges        jsonb,
  acting_flows jsonb,
  definitions  jsonb DEFAULT NULL::jsonb
)
  RETURNS TABLE (
    node_id    text,
    is_settled boolean
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  with node as materialized (
    select d.node ->> 'id' as id, private.node_key(d.node -> 'data') as node_id,
      d.node #> '{data,targets_form,form_data}' as form_data
    from jsonb_array_elements(acting_nodes.nodes) as d (node)
  ),
  definition as materialized (
    select d.node_key as node_id, coalesce(d.data ->> 'effects', 'none') as effects,
      d.targets @> '[{"name": "submit"}]' and d.sources @> '[{"name": "signature"}]' as is_settled
    from private.definitions_of_keys(
      array(select distinct n.node_id from node as n), acting_nodes.definitions
    ) as d
  ),
  -- The nodes whose effects depend on the value of one input. If an edge leads into that input, only a run determines
  -- its value, so the node counts as a node with effects.
  decided as materialized (
    select n.id, n.node_id, d.input,
      case jsonb_typeof(n.form_data) when 'object' then n.form_data -> d.input end as value
    from node as n
    join (values
      ('http_request', 'method'), ('das_api', 'method'), ('postgrest_execute_query', 'query')
    ) as d (node_id, input) on d.node_id = n.node_id
  ),
  given as materialized (
    select e.target, e.target_port
    from private.flow_edges(acting_nodes.nodes, acting_nodes.edges) as e
    where e.target_port in ('method', 'query') and exists (select from decided)
  ),
  safe as (
    select d.id from decided as d
    where case d.node_id
      when 'http_request' then case coalesce(jsonb_typeof(d.value), 'null')
        when 'null' then true when 'string' then upper(d.value #>> '{}') in ('GET', 'HEAD', 'OPTIONS') else false
      end
      when 'das_api' then jsonb_typeof(d.value) = 'string' and d.value #>> '{}' ~* '^(get|is|search|simulate)'
      else d.value -> 'method' = '"GET"'
    end
    and (d.id, d.input) not in (select g.target, g.target_port from given as g)
  )
  select n.id, coalesce(d.is_settled, false)
  from node as n left join definition as d on d.node_id = n.node_id
  where case
    when n.node_id in ('interflow', 'interflow_instructions') then
      acting_nodes.acting_flows -> case n.node_id when 'interflow' then 'all' else 'without_instructions' end
        @> to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
    -- An agent has the effects of its tools.
    when n.node_id = 'ai_agent' then exists (
      select from jsonb_path_query(n.form_data, '$.tools[*].flow') as t (flow)
      where acting_nodes.acting_flows -> 'all' @> to_jsonb(private.integer_or_null(t.flow #>> '{}'))
    )
    when n.node_id = 'api_input' then true
    else coalesce(d.effects, 'none') <> 'none' and n.id not in (select s.id from safe as s)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.data_nodes (
  nodes      jsonb,
  edges      jsonb,
  data_flows jsonb
)
  RETURNS TABLE (
    id    text,
    reads boolean,
    sends boolean
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
begin
  return query
  with node as materialized (
    select (n.position - 1)::integer as index, n.node ->> 'id' as id,
      case n.node #>> '{data,type}' when 'native' then n.node #>> '{data,node_id}' else '' end as node_id,
      n.node #> '{data,targets_form,form_data}' as form_data,
      private.requests_address(n.node #>> '{data,type}') as is_request
    from jsonb_array_elements(data_nodes.nodes) with ordinality as n (node, position)
  ),
  call as materialized (
    select r.node_index, bool_or(coalesce(data_nodes.data_flows -> 'reads' @> to_jsonb(r.id), false)) as reads,
      bool_or(coalesce(data_nodes.data_flows -> 'sends' @> to_jsonb(r.id), false)) as sends
    from private.interflow_references(data_nodes.nodes) as r
    group by r.node_index
  ),
  -- The nodes that send a request only if one of their inputs has an address.
  addressed as materialized (
    select n.id, n.node_id
    from node as n
    join (values
      ('api_input', 'webhook_url'), ('postgrest_new_query', 'url'), ('postgrest_new_rpc', 'url')
    ) as a (node_id, input) on a.node_id = n.node_id
    where case jsonb_typeof(n.form_data) when 'object'
        then coalesce(n.form_data ->> a.input, '') <> '' else false end
      or (n.id, a.input) in (
        select e.target, e.target_port from private.flow_edges(data_nodes.nodes, data_nodes.edges) as e
          where e.target_port in ('webhook_url', 'url')
      )
  ),
  -- A query with an address is built by some nodes and sent by another one.
  foreign_query as materialized (
    select exists (select from addressed as a where a.node_id <> 'api_input')
      or jsonb_path_exists(data_nodes.nodes, '$[*].data.targets_form.form_data.query.url ? (@ != null)') as exists
  )
  select * from (
    select n.id,
      private.reads_owner_data(n.node_id) or coalesce(c.reads, false) as reads,
      n.node_id in ('das_api', 'http_request', 'ai_chat', 'ai_agent') or n.is_request
        or n.node_id = 'api_input' and n.id in (select a.id from addressed as a)
        or n.node_id = 'postgrest_execute_query' and f.exists
        or coalesce(c.sends, false) as sends
    from node as n
    cross join foreign_query as f
    left join call as c on c.node_index = n.index
  ) as d
  where d.reads or d.sends;
end;
$function$;

CREATE OR REPLACE FUNCTION private.interflow_references (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    id         integer,
    field      text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
    select private.integer_or_null(t.tool ->> 'flow'), format('tools[%s].flow', t.position - 1)
    from jsonb_array_elements(
      case jsonb_typeof(d.form_data -> 'tools') when 'array' then d.form_data -> 'tools' else '[]' end
    ) with ordinality as t (tool, position)
    where d.node_id = 'ai_agent'
  ) as c
  where n.node #>> '{data,type}' = 'native' and d.node_id in ('interflow', 'interflow_instructions', 'ai_agent');
end;
$function$;

CREATE OR REPLACE FUNCTION private.owner_data_leaks (
  nodes      jsonb,
  edges      jsonb,
  data_flows jsonb
)
  RETURNS TABLE (
    node_index integer
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
declare
  v_readers text[];
  v_senders text[];
begin
  -- Most flows read no data of the owner. For them, this cheap test is enough.
  if not owner_data_leaks.data_flows ? 'reads' and not exists (
    select from jsonb_path_query(owner_data_leaks.nodes, '$[*].data.node_id') as i (node_id)
    where private.reads_owner_data(i.node_id #>> '{}')
  ) then
    return;
  end if;
  select array_agg(d.id) filter (where d.reads), array_agg(d.id) filter (where d.sends) into v_readers, v_senders
  from private.data_nodes(owner_data_leaks.nodes, owner_data_leaks.edges, owner_data_leaks.data_flows) as d;
  if v_readers is null or v_senders is null then
    return;
  end if;
  return query
  select (n.position - 1)::integer
  from jsonb_array_elements(owner_data_leaks.nodes) with ordinality as n (node, position)
  where n.node ->> 'id' in (
    select unnest(v_senders)
    intersect
    select unnest(private.nodes_from(owner_data_leaks.edges, array(
      select e.edge ->> 'target' from jsonb_array_elements(owner_data_leaks.edges) as e (edge)
      where e.edge ->> 'source' in (select unnest(v_readers))
    ), false))
    union
    -- An agent sends to its model what its tools read.
    select a.node ->> 'id' from jsonb_array_elements(owner_data_leaks.nodes) as a (node)
    where a.node #>> '{data,node_id}' = 'ai_agent' and a.node ->> 'id' = any (v_readers)
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
$function$;

CREATE OR REPLACE FUNCTION private.takes_connection (
  data jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((DATA ->> 'type'::text) = 'native'::text) THEN ((DATA ->> 'node_id'::text) = ANY (ARRAY['http_request'::text, 'ai_chat'::text, 'ai_agent'::text]))
             ELSE private.requests_address((DATA ->> 'type'::text))
         END
  AS requests_address;
END;

COMMENT ON FUNCTION "private"."interflow_references"(jsonb) IS 'The ids of the flows that a graph calls, each with the index of the calling node and the field of its form data: id of an interflow node, tools[0].flow of an agent. If the field has no integer, the id is null.';

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interflow_references"(jsonb) TO "postgres";
