SET local check_function_bodies = off;

DROP FUNCTION "private"."connection_uses"(jsonb);

DROP FUNCTION "private"."frozen_definition"(public.nodes);

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
    ) or exists (
      select from jsonb_path_query(n.form_data, '$.tools[*].node.definition') as t (hash)
      where coalesce(acting_nodes.definitions -> (t.hash #>> '{}') #>> '{data,effects}', 'once') <> 'none'
    )
    when n.node_id = 'api_input' then true
    else coalesce(d.effects, 'none') <> 'none' and n.id not in (select s.id from safe as s)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.agent_tools (
  data jsonb
)
  RETURNS TABLE (
    index integer,
    tool  jsonb
  )
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((t."position" - 1))::integer
  AS int4,
     t.tool
    FROM jsonb_array_elements(
         CASE
             WHEN (((agent_tools.data ->> 'type'::text) = 'native'::text) AND ((agent_tools.data ->> 'node_id'::text) = 'ai_agent'::text) AND (jsonb_typeof((agent_tools.data #> '{targets_form,form_data,tools}'::text[])) = 'array'::text)) THEN (agent_tools.data #> '{targets_form,form_data,tools}'::text[])
             ELSE '[]'::jsonb
         END) WITH ORDINALITY t(tool, "position");
END;

CREATE OR REPLACE FUNCTION private.connection_uses (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    id         text,
    name       text,
    field      text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Most flows name no connection. This path recognises such flows in a tenth of the time of the query below.
  if not jsonb_path_exists(
    connection_uses.nodes,
    '$[*].data.targets_form.form_data ? (@.connection != "" || @.tools[*].node.form_data.connection != "")'
  ) then
    return;
  end if;
  return query
  -- If a name is too long for a connection, cut it to one character more than allowed, so that it still fits no
  -- connection.
  select (n.position - 1)::integer, n.node ->> 'id', left(c.name, private.limit_name_characters() + 1), c.field
  from jsonb_array_elements(connection_uses.nodes) with ordinality as n (node, position)
  cross join lateral (
    select n.node #>> '{data,targets_form,form_data,connection}' as name, 'connection' as field
    where private.takes_connection(n.node -> 'data')
    union all
    select t.tool #>> '{node,form_data,connection}', format('tools[%s].node.form_data.connection', t.index)
    from private.agent_tools(n.node -> 'data') as t
    where private.requests_address(t.tool #>> '{node,type}')
  ) as c
  where c.name <> '';
end;
$function$;

CREATE OR REPLACE FUNCTION private.described_definitions (
  nodes    jsonb,
  owner_id uuid,
  OUT      hashes jsonb,
  OUT      definitions jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if not private.has_described_nodes(described_definitions.nodes) then
    return;
  end if;
  with node as materialized (
    select u.place, u.is_tool, u.use ->> 'type' as type, u.use ->> 'node_id' as node_id, u.use ->> 'version' as version
    from jsonb_array_elements(described_definitions.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    cross join lateral (
      select (n.position - 1)::text as place, false as is_tool, d.data as use
      union all
      select format('%s.%s', n.position - 1, t.index), true, t.tool -> 'node' from private.agent_tools(d.data) as t
    ) as u
    where private.is_described(u.use ->> 'type')
  ),
  found as materialized (
    select k.type, k.node_id, k.version, k.is_tool,
      encode(sha256(convert_to(f.definition::text, 'UTF8')), 'hex') as hash, f.definition
    from (select distinct n.type, n.node_id, n.version, n.is_tool from node as n) as k
    cross join lateral (
      select private.frozen_definition(d, k.is_tool) as definition from public.nodes as d
      where d.type = k.type and d.node_id = k.node_id and d.version = k.version
        and (d.owner_key = described_definitions.owner_id or d.is_public)
      order by d.owner_key = described_definitions.owner_id desc limit 1
    ) as f
  )
  select
    (
      select jsonb_object_agg(n.place, f.hash)
      from node as n
      join found as f on f.type = n.type and f.node_id = n.node_id and f.version = n.version and f.is_tool = n.is_tool
    ),
    (select jsonb_object_agg(f.hash, f.definition) from found as f)
  into described_definitions.hashes, described_definitions.definitions;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_warnings (
  nodes        jsonb,
  edges        jsonb,
  acting_flows jsonb,
  definitions  jsonb DEFAULT NULL::jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without any definitions, the database does not know which nodes the runner has.
  v_knows_nodes constant boolean := exists (
    select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native'
  );
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type,
        d.data ->> 'node_id' as name, private.node_key(d.data) as node_id,
        -- True if the node's inputs and outputs come from the flow's JSON instead of the definition.
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_inputs(d.data ->> 'node_id'))
          as are_inputs_drawn,
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_outputs(d.data ->> 'node_id'))
          as are_outputs_drawn,
        private.draws_inputs(private.node_key(d.data)) as draws_inputs,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets,
        d.data #> '{targets_form,form_data}' as form_data,
        coalesce(d.data -> 'retry' <> 'null', false) as has_retry,
        coalesce(d.data -> 'timeout_ms' <> 'null', false) as has_timeout,
        coalesce(d.data ->> 'on_error' = 'output', false) as handles_errors,
        d.data ->> 'on_error' = 'output' and jsonb_path_exists(d.data, '$.sources[*] ? (@.name == "error")')
          as has_error_output,
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output')
          then private.port_label(d.data)
        end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select d.node_key as node_id, d.sources, d.targets
      from private.definitions_of_keys(
        array(select distinct n.node_id from node as n), flow_warnings.definitions
      ) as d
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on,
        coalesce((s.port ->> 'optional')::boolean, false) as may_be_unset,
        jsonb_build_array(coalesce(s.port ->> 'type', 'free')) as types
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false), false, t.port -> 'type_bounds'
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select s.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required,
        false as is_handed_on, s.port ->> 'optional' = 'true' as may_be_unset, false as runs_when_absent
      from (select n.index, jsonb_array_elements(n.sources) as port from node as n) as s
      union all
      select t.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port -> 'required')::boolean,
        (t.port -> 'passthrough')::boolean, false, t.port ->> 'when_absent' is not null
      from (select n.index, jsonb_array_elements(n.targets) as port from node as n) as t
    ),
    -- Look up each handle in the whole flow, as the runner does. Copies of a node may share a handle.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle,
        private.edge_expression(e.edge) is not null as has_expression
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, e.has_expression, s.index as source_index, t.index as target_index,
        s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name)
          else sh.name end as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name)
          else th.name end as target_name,
        s.type = 'native' and not v_knows_nodes or s.node_id in (select d.node_id from definition as d)
          as is_source_known,
        t.type = 'native' and not v_knows_nodes or t.node_id in (select d.node_id from definition as d)
          as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        e.side = 'source' and sh.name = 'error' and coalesce(s.has_error_output, false) as is_error,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    -- Compare only types in node definitions. The values of a node always have the types of its definition, but may
    -- have other types than the flow's JSON says.
    typed as materialized (
      select w.index, w.source_name, w.target_name, w.side = 'target' as is_passed_on, s.types as given,
        t.types as wanted
      from wired as w
      join defined_port as s on s.node_id = w.source_id and s.side = w.side and s.name = w.source_name
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.is_source_known and w.is_target_known and not w.is_source_drawn and not w.is_target_drawn
        -- An expression converts its result to a type of the input.
        and not w.has_expression
        and (s.side = 'source' or s.is_handed_on)
      union all
      -- The values of a typed input have the type that its author chose.
      select w.index, w.source_name, w.target_name, false, jsonb_build_array(i.port_type), t.types
      from wired as w
      join node as s on s.index = w.source_index and s.node_id = 'flow_input'
      join private.input_types() as i on i.name = s.form_data ->> 'type'
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.side = 'source' and w.is_target_known and not w.is_target_drawn and not w.has_expression
    ),
    -- Without `materialized`, the planner would call do_types_meet for each edge instead of once for each pair of types.
    pair as materialized (
      select distinct t.given, t.wanted, t.is_passed_on from typed as t
    ),
    unlike as materialized (
      select p.given, p.wanted, p.is_passed_on
      from pair as p where not private.do_types_meet(p.given, p.wanted, p.is_passed_on)
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn and not n.draws_inputs
    ),
    acting as materialized (
      select n.index, n.id, n.draws_inputs, n.node_id
      from private.acting_nodes(
        flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows, flow_warnings.definitions
      ) as a
      join node as n on n.id = a.node_id
    ),
    -- The edges whose output may stay unset although the source succeeds.
    unset as (
      select w.index
      from wired as w
      where (w.side = 'source' or w.has_expression) and case
        when w.has_expression or w.is_error or w.source_id in ('switch', 'fileexplorer')
          or private.is_script(w.source_id) then true
        when w.is_source_drawn then (w.source_index, w.source_name) in (
          select d.index, d.name from drawn as d where d.side = 'source' and d.may_be_unset
        )
        else (w.source_id, w.source_name) in (select p.node_id, p.name from defined_port as p where p.may_be_unset)
      end
    ),
    -- The edges whose value may be missing while another edge into the same node brings one, and the node runs.
    lacking as materialized (
      select w.index, w.target_index, w.source_name, w.target_name
      from wired as w
      join node as s on s.index = w.source_index
      join node as t on t.index = w.target_index
      join (
        select o.target_index, count(distinct o.source_index) as sources from wired as o
        where o.source_name is not null and o.target_name is not null
        group by o.target_index having count(*) > 1
      ) as others on others.target_index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and t.node_id not in ('merge', 'collect') and t.index not in (select a.index from acting as a)
        and (
          -- A constant and a flow input never fail. Two outputs of one node are missing together if the node fails.
          others.sources > 1 and s.node_id not in ('const', 'flow_input') or w.index in (select u.index from unset as u)
        )
        and (w.target_index, w.target_name) not in (
          select d.index, d.name from drawn as d where d.side = 'target' and (d.is_required or d.runs_when_absent)
        )
        and (t.draws_inputs or (w.target_id, w.target_name) not in (
          select p.node_id, p.name from defined_port as p where p.side = 'target' and p.is_required
        ))
    ),
    before_effect as materialized (
      select unnest(private.nodes_from(flow_warnings.edges, array(select a.id from acting as a), true)) as id
      where exists (select from lacking)
    ),
    warning (place, index, code, member, message) as (
      select 0, 0, 'flow_empty', '', 'the flow has no nodes, so its runs do nothing'
      where jsonb_array_length(flow_warnings.nodes) = 0
      union all
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native'
          then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.name)))
        when private.is_described(n.type) then format(
          'neither you nor this project has a definition of type %s with this node_id (%s) and version, so the run '
            || 'fails at the node',
          n.type, to_jsonb(private.shorten(n.name))
        )
        when n.type = 'deno' then
          'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript'
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where (n.type <> 'native' or v_knows_nodes) and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, n.index, 'node_not_implemented', format('.data.targets_form.form_data.tools[%s].node', t.index), case
        when not private.is_described(t.tool #>> '{node,type}') then
          'a tool is a flow, or a node of type openapi, mcp or solana; the run fails at the agent'
        when t.definition is null then format(
          'neither you nor this project has a definition of type %s with this node_id (%s) and version, so the run '
            || 'fails at the agent',
          t.tool #>> '{node,type}', to_jsonb(private.shorten(t.tool #>> '{node,node_id}'))
        )
        else 'the node makes an instruction, which needs a flow around it as the tool; the run fails at the agent'
      end
      from node as n
      cross join lateral (
        select a.index, a.tool, flow_warnings.definitions -> (a.tool #>> '{node,definition}') as definition
        from private.agent_tools(flow_warnings.nodes -> n.index -> 'data') as a
        where coalesce(a.tool -> 'node', 'null') <> 'null'
      ) as t
      where n.node_id = 'ai_agent' and (
        t.definition is null or not private.is_described(t.tool #>> '{node,type}')
        or t.definition #>> '{data,implementation,kind}' = 'instruction' and t.definition ->> 'type' = 'solana'
      )
      union all
      select 1, c.index, 'constant_invalid', '.data.targets_form.form_data', 'the run fails at the node: ' || c.fault
      from (
        select n.index, private.constant_fault(n.form_data) as fault
        from node as n where n.node_id = 'const' and n.type = 'native'
      ) as c
      where c.fault is not null
      union all
      -- Values that come by an edge bring no names of their own (runner/postgrest/names.ts).
      select distinct 1, n.index, 'names_missing', '.data.targets_form.form_data.' || k.listed_in, format(
        'an edge brings the values of %s, so the form data must list their names in %s; without the list, '
          || 'the run fails at the node',
        to_jsonb(k.input), to_jsonb(k.listed_in)
      )
      from (values
        ('postgrest_builder_match', 'filter', 'columns'), ('postgrest_builder_insert', 'body', 'columns'),
        ('postgrest_builder_update', 'body', 'columns'), ('postgrest_builder_upsert', 'body', 'columns'),
        ('postgrest_new_rpc', 'params', 'param_names'), ('sql_function', 'params', 'param_names')
      ) as k (node_id, input, listed_in)
      join wired as w on w.target_id = k.node_id and w.target_name = k.input
      join node as n on n.index = w.target_index and n.type = 'native'
      where w.source_name is not null
        and coalesce(n.form_data -> k.listed_in in ('[]', 'null'), true) and n.form_data ? k.input is not true
      union all
      select 1, n.index, 'retry_without_effect', '.data.retry', case
        when private.is_script(n.node_id) then 'a script has no transient failures, so it is never tried again'
        else 'a called flow is not tried again as a whole; let its nodes try again instead'
      end
      from node as n
      where n.has_retry and n.type = 'native'
        -- If a script exceeds its timeout, a retry runs it again. A retry never runs a called flow again.
        and (n.node_id in ('interflow', 'interflow_instructions') or private.is_script(n.node_id) and not n.has_timeout)
      union all
      select 1, n.index, 'error_output_missing', '.data.on_error',
        'sources has no output named error, so a failure of the node is not handled'
      from node as n where n.handles_errors and n.has_error_output is not true and n.node_id <> ''
      union all
      select 1, n.index, 'error_output_unused', '.data.on_error',
        'failures of the node go to its output error, which has no edge; so the run goes on as if nothing had failed'
      from node as n
      where n.handles_errors and n.has_error_output and n.index not in (select w.source_index from wired as w where w.is_error)
      union all
      select 1, n.index, 'answered_by_invalid', '.data.targets_form.form_data.answered_by', f.fault
      from node as n cross join lateral (select private.answered_by_fault(n.form_data) as fault) as f
      where n.node_id = 'api_input' and n.type = 'native' and f.fault is not null
      union all
      select 1, v.index, 'value_type_differs', '.data.targets_form.form_data.' || v.name, v.fault
      from (
        select n.index, p.name, private.form_value_fault(n.form_data -> p.name, p.types) as fault
        from defined_port as p join node as n on n.node_id = p.node_id
        where p.side = 'target' and not n.are_inputs_drawn and jsonb_typeof(n.form_data) = 'object'
          and n.form_data ? p.name and p.types not in ('["free"]', '["json"]', '[]')
          and (n.index, p.name) not in (
            select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
          )
      ) as v
      where v.fault is not null
      union all
      select 1, u.node_index, 'connection_url_open', '.data.targets_form.form_data.connection', format(
        'url depends on a flow input, so whoever starts the flow chooses the URL that gets the secret of connection %s,'
          || ' within its hosts',
        to_jsonb(private.shorten(u.name))
      )
      from private.open_connection_urls(flow_warnings.nodes, flow_warnings.edges) as u
      union all
      select 1, l.node_index, 'acts_on_owner_data', '',
        'the node may send to another server what nodes before it read from your rows, files or key-value stores'
      from private.owner_data_leaks(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as l
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      -- In this branch, `member` is the name of the input. The query at the end stores it in the warning's member
      -- `port` and leaves it out of `path`.
      select distinct 1, r.index, 'input_missing', r.name, format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node',
        to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the source''s port %s instead',
          to_jsonb(private.shorten(w.source_name))
        )
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the target''s port %s instead',
          to_jsonb(private.shorten(w.target_name))
        )
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not pass its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known and not w.is_error
        and not (w.side = 'source' and (w.source_id = 'flow_input' or w.is_source_drawn and w.is_own_source is true))
        and case when w.is_source_drawn
          then (w.source_index, w.side, w.source_name) not in (
            select d.index, d.side, d.name from drawn as d where d.side = 'source' or d.is_handed_on
          )
          else (w.source_id, w.side, w.source_name) not in (
            select p.node_id, p.side, p.name from defined_port as p where p.side = 'source' or p.is_handed_on
          )
        end
      union all
      select 2, w.index, 'edge_target_port_unknown', '.targetHandle',
        format('the node has no input %s, so the run fails at it', to_jsonb(private.shorten(w.target_name)))
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (
            select p.node_id, p.name from defined_port as p where p.side = 'target'
          )
        end
      union all
      select 2, w.index, case when d.is_decided then 'effect_skipped_by_branch' else 'effect_may_be_skipped' end, '',
        case when d.is_decided then format(
          'the target runs only if the node before it chooses the output %s', to_jsonb(private.shorten(w.source_name))
        ) else format(
          case when w.has_expression then 'the expression of output %s may have no result'
            else 'the output %s may give no value' end
            || '; then the target, a node with effects, does not run, unless "Without a value of %s" says otherwise',
          to_jsonb(private.shorten(w.source_name)), private.shorten(w.target_name)
        ) end
      from wired as w
      cross join lateral (
        select w.source_id in ('branch', 'switch', 'gate') and not w.has_expression and not w.is_error as is_decided
      ) as d
      join acting as a on a.index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.index in (select u.index from unset as u)
        and case when a.draws_inputs
          then (w.target_index, w.target_name) in (
            select d.index, d.name from drawn as d where d.side = 'target' and not d.is_required
          )
          else (w.target_id, w.target_name) in (
            select p.node_id, p.name from defined_port as p where p.side = 'target' and not p.is_required
          )
        end
        and (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.runs_when_absent)
      union all
      select 2, l.index, 'effect_may_lack_value', '', format(
        'if the output %s gives no value, the target runs without its input %s, and a node with effects behind it acts; '
          || 'choose at "Without a value of %s" what the target does',
        to_jsonb(private.shorten(l.source_name)), to_jsonb(private.shorten(l.target_name)),
        private.shorten(l.target_name)
      )
      from lacking as l join node as n on n.index = l.target_index
      where n.id in (select b.id from before_effect as b)
      union all
      select 2, t.index, 'edge_types_differ', '', format(
        'the port %s gives %s, but the input %s takes %s; the value can''t be converted, so the run fails at the target',
        to_jsonb(private.shorten(t.source_name)),
        array_to_string(array(select jsonb_array_elements_text(t.given)), ' or '),
        to_jsonb(private.shorten(t.target_name)),
        array_to_string(array(select jsonb_array_elements_text(t.wanted)), ' or ')
      )
      from typed as t join unlike as u on u.given = t.given and u.wanted = t.wanted and u.is_passed_on = t.is_passed_on
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code,
      'path', case first.place
        when 0 then 'nodes'
          else format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index,
            case when first.code <> 'input_missing' then first.member end)
      end,
      'message', first.message
    ) || case when first.code = 'input_missing' then jsonb_build_object('port', first.member) else '{}' end
      order by first.place, first.index, first.code, first.message), '[]')
    from (
      select w.* from warning as w
      order by w.place, w.index, w.code, w.message limit private.limit_listed_warnings()
    ) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.form_with_hashes (
  data       jsonb,
  hashes     jsonb,
  node_index bigint
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.frozen_definition (
  node    public.nodes,
  is_tool boolean
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'type', frozen_definition.node.type,
    'data', (
      select jsonb_object_agg(m.key, m.value) from jsonb_each(frozen_definition.node.data) as m
      where m.value <> 'null' and (
        m.key in ('node_id', 'version', 'effects', 'tags', 'implementation', 'instruction_info')
        or frozen_definition.is_tool and m.key = 'description'
      )
    ),
    'sources', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'name', p.port -> 'name', 'type', p.port -> 'type', 'optional', p.port -> 'optional'
      )) order by p.position), '[]')
      from jsonb_array_elements(frozen_definition.node.sources) with ordinality as p (port, position)
    ),
    'targets', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'name', p.port -> 'name', 'type_bounds', p.port -> 'type_bounds', 'required', p.port -> 'required',
        'passthrough', p.port -> 'passthrough',
        'tooltip', case when frozen_definition.is_tool then p.port -> 'tooltip' end
      )) order by p.position), '[]')
      from jsonb_array_elements(frozen_definition.node.targets) with ordinality as p (port, position)
    )
  );
$function$;

CREATE OR REPLACE FUNCTION private.has_described_nodes (
  nodes jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((EXISTS ( SELECT
            FROM jsonb_path_query(has_described_nodes.nodes, '$[*]."data"."type"'::jsonpath) t(TYPE)
           WHERE private.is_described((t.type #>> '{}'::text[])))) OR jsonb_path_exists(nodes, '$[*]."data"."targets_form"."form_data"."tools"[*]."node"'::jsonpath));
END;

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
    select private.integer_or_null(t.tool ->> 'flow'), format('tools[%s].flow', t.index)
    from private.agent_tools(n.node -> 'data') as t
    where coalesce(t.tool -> 'node', 'null') = 'null'
  ) as c
  where n.node #>> '{data,type}' = 'native' and d.node_id in ('interflow', 'interflow_instructions', 'ai_agent');
end;
$function$;

CREATE OR REPLACE FUNCTION private.open_connection_urls (
  nodes jsonb,
  edges jsonb
)
  RETURNS TABLE (
    node_index integer,
    name       text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
begin
  if not exists (select from private.connection_uses(open_connection_urls.nodes)) then
    return;
  end if;
  return query
  select u.node_index, u.name
  from private.connection_uses(open_connection_urls.nodes) as u
  -- The address of a described node is in its form data, so no caller chooses it.
  where open_connection_urls.nodes -> u.node_index #>> '{data,type}' = 'native' and u.field = 'connection'
    and u.id in (
    select e.edge ->> 'target'
    from jsonb_array_elements(open_connection_urls.edges) as e (edge)
    where e.edge ->> 'source' in (
      select unnest(private.nodes_from(open_connection_urls.edges, array(
        select n.node ->> 'id' from jsonb_array_elements(open_connection_urls.nodes) as n (node)
        where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
      ), false))
    )
      -- Look up the handle in the whole flow, because it may be a port of a node other than the target of the edge.
      and e.edge ->> 'targetHandle' in (
        select t.port ->> 'id'
        from jsonb_path_query(open_connection_urls.nodes, '$[*].data.targets[*] ? (@.name == "url")') as t (port)
      )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_nodes (
  nodes             jsonb,
  definition_hashes jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.warnings_of_data (
  data jsonb,
  OUT  warnings jsonb,
  OUT  connections jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  -- Merging with an empty object decompresses the data once for all parts below, without changing it.
  v_data constant jsonb := warnings_of_data.data || '{}';
  v_acting_flows constant jsonb := private.acting_flows(v_data) || private.data_flows(v_data);
begin
  with graph as materialized (
    select null::integer as flow_id, v_data -> 'entry' as graph
    union all
    -- If a flow calls itself, the data contains its graph twice: as the entry, and as a called flow. Use only the
    -- entry.
    select f.key::integer, f.value
    from jsonb_each(v_data -> 'flows') as f
    where f.value <> v_data -> 'entry'
  ),
  use as (
    select distinct on (u.name) u.name, g.flow_id, u.node_index, u.field
    from graph as g cross join lateral private.connection_uses(g.graph -> 'nodes') as u
    order by u.name, g.flow_id nulls first, u.node_index, u.field
  )
  select
    (
      select coalesce(jsonb_agg(warning.warning order by warning.flow_id nulls first, warning.position), '[]')
      from (
        select g.flow_id, w.position, w.warning || case when g.flow_id is null then '{}'
          else jsonb_build_object('flow_id', g.flow_id) end as warning
        from graph as g
        cross join lateral jsonb_array_elements(
          private.flow_warnings(g.graph -> 'nodes', g.graph -> 'edges', v_acting_flows, v_data -> 'definitions')
        ) with ordinality as w (warning, position)
      ) as warning
    ),
    (
      select coalesce(jsonb_object_agg(u.name, jsonb_strip_nulls(jsonb_build_object(
        'flow_id', u.flow_id, 'path', format('nodes[%s].data.targets_form.form_data.%s', u.node_index, u.field)
      ))), '{}')
      from use as u
    )
  into warnings_of_data.warnings, warnings_of_data.connections;
  warnings := private.first_elements(warnings_of_data.warnings, private.limit_listed_warnings());
end;
$function$;

COMMENT ON FUNCTION "private"."agent_tools"(jsonb) IS 'The tools of an agent, each with its index. A tool with a member `node` is a described node, any other one a flow. `data` is the data of any node; other nodes than agents have no tools.';

COMMENT ON FUNCTION "private"."connection_uses"(jsonb) IS 'The nodes of a graph that name a connection: the index and the id of each node, the name of the connection, and the field of the form data. A tool of an agent may name one, too. An empty name counts as no name.';

COMMENT ON FUNCTION "private"."described_definitions"(jsonb, uuid) IS 'The frozen definitions of a flow''s described nodes and of agents'' tools: hashes is {"<index of the node>": hash}, with "<index>.<index of the tool>" for a tool; definitions is {"<hash>": private.frozen_definition()}. The owner''s own definition comes before a public one. A node without a definition is left out. Null if there are none. Definer, because it reads the definitions of any owner.';

COMMENT ON FUNCTION "private"."form_with_hashes"(jsonb, jsonb, bigint) IS 'The form data of an agent. Each tool that is a described node gets the hash of its definition as node.definition. `hashes` is the result of private.described_definitions().';

COMMENT ON FUNCTION "private"."frozen_definition"(public.nodes, boolean) IS 'The parts of a node definition that a run needs: {type, data, sources, targets} without texts for editors. A tool keeps its description and the tooltips of its inputs, because the model reads them.';

COMMENT ON FUNCTION "private"."has_described_nodes"(jsonb) IS 'True if a graph has nodes of a type of private.is_described(), or agents with such tools.';

COMMENT ON FUNCTION "private"."reduce_nodes"(jsonb, jsonb) IS 'The nodes of a flow as JSON text, formatted as jsonb prints it. The nodes keep their order, and lose the members that only the editor needs: positions, sizes, colours, forms. definition_hashes is the result of private.described_definitions(); such a node gets the hash of its definition as data.definition, and such a tool of an agent as node.definition. The nodes must have no faults.';

COMMENT ON TABLE "private"."flow_current_snapshots" IS 'One row for each large flow that has been started, calls no other flow and has no described nodes or tools: the snapshot of its last start. While the flow is unchanged, its starts use this snapshot. If the snapshot is deleted, the row is deleted with it.';

REVOKE ALL ON FUNCTION "private"."agent_tools"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."agent_tools"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."agent_tools"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."connection_uses"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."connection_uses"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."connection_uses"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."form_with_hashes"(jsonb, jsonb, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."form_with_hashes"(jsonb, jsonb, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."form_with_hashes"(jsonb, jsonb, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."frozen_definition"(public.nodes, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."frozen_definition"(public.nodes, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."frozen_definition"(public.nodes, boolean) TO "postgres";
