SET local check_function_bodies = off;

DROP FUNCTION "private"."input_descriptions"(text[], bigint[], jsonb[], jsonb[]);

DROP FUNCTION "private"."label_masks"(integer[], bigint[], integer[], integer);

DROP FUNCTION "private"."nodes_from"(jsonb, jsonb, text[], boolean);

CREATE OR REPLACE FUNCTION private.describe_snapshot (
  data jsonb,
  OUT  inputs jsonb,
  OUT  outputs jsonb
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  v_every_kind constant bigint := private.mask_of_bounds(null);
begin
  with recursive graph as materialized (
    -- A flow that calls itself is in the snapshot twice: as the entry, and as a called flow.
    select 0 as flow, describe_snapshot.data -> 'entry' as graph
    union all
    select f.key::integer, f.value from jsonb_each(describe_snapshot.data -> 'flows') as f
  ),
  node as materialized (
    select
      g.flow, (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'node_id' as node_id,
      d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_input' as is_input,
      d.data ->> 'type' = 'native' and d.data ->> 'node_id' = 'flow_output' as is_output,
      case when d.data ->> 'type' = 'native' then d.data ->> 'node_id' end as native_id
    from graph as g
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' <> 'mock'
  ),
  definition as materialized (
    select distinct on (d.node_id) d.node_id, d.sources, d.targets,
      d."targets_form.json_schema" -> 'properties' as properties
    from public.nodes as d
    where d.owner_key = v_nobody and d.type = 'native'
      and d.node_id = any (array(select distinct n.native_id from node as n))
    order by d.node_id, d.created_at desc, d.version desc
  ),
  defined_target as materialized (
    select d.node_id, t.port ->> 'name' as name, t.port -> 'type_bounds' as type_bounds,
      coalesce((t.port ->> 'required')::boolean, false) as is_required,
      coalesce((t.port ->> 'passthrough')::boolean, false) as is_handed_on,
      jsonb_build_object(
        'description', private.shorten(t.port ->> 'tooltip', 500),
        'json_schema', private.schema_hint(d.properties -> (t.port ->> 'name'))
      ) as hint
    from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
  ),
  defined_source as materialized (
    select d.node_id, s.port ->> 'name' as name, s.port ->> 'type' as type
    from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
  ),
  -- The label of a flow_input or flow_output is the name of its port, even if the JSON gives the port another name.
  named as materialized (
    select n.flow, n.index, n.id, n.native_id, n.is_input, n.is_output, n.form_data,
      case when n.is_input or n.is_output then coalesce(
        case jsonb_typeof(n.form_data -> 'label') when 'string' then n.form_data ->> 'label' end,
        (case when n.is_input then n.sources else n.targets end) -> 0 ->> 'name', ''
      ) end as label,
      case when n.native_id in ('interflow', 'interflow_instructions')
        then private.integer_or_null(n.form_data ->> 'id') end as called,
      n.native_id is not null and n.native_id in (select d.node_id from definition as d) as is_defined,
      coalesce(private.draws_inputs(n.native_id), false) as are_inputs_drawn,
      coalesce(private.draws_outputs(n.native_id), false) as are_outputs_drawn
    from node as n
  ),
  drawn_target as materialized (
    select t.flow, t.index, t.port ->> 'id' as handle, t.port ->> 'name' as name,
      t.port -> 'type_bounds' as type_bounds,
      (t.port -> 'required')::boolean as is_required, (t.port -> 'passthrough')::boolean as is_handed_on
    from (select n.flow, n.index, jsonb_array_elements(n.targets) as port from node as n) as t
  ),
  drawn_source as materialized (
    select s.flow, s.index, s.port ->> 'id' as handle, s.port ->> 'name' as name, s.port ->> 'type' as type
    from (select n.flow, n.index, jsonb_array_elements(n.sources) as port from node as n) as s
  ),
  -- Look up each handle in the whole flow, as the runner does.
  handle as materialized (
    select 'target' as side, d.flow, d.handle, max(d.name) as name from drawn_target as d group by d.flow, d.handle
    union all
    select 'source', d.flow, d.handle, max(d.name) from drawn_source as d group by d.flow, d.handle
  ),
  edge as materialized (
    select g.flow, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
      e.edge ->> 'targetHandle' as target_handle,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
      case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
        else e.edge ->> 'sourceHandle' end as source_handle
    from graph as g cross join lateral jsonb_array_elements(g.graph -> 'edges') as e (edge)
    -- An expression computes another value, so an edge with an expression does not pass on the input's value.
    where private.edge_expression(e.edge) is null
  ),
  -- Keep only edges over which an input's value may travel, and edges into an output of the entry.
  wired as materialized (
    select e.flow, e.side, s.index as source_index, s.is_input, s.label as source_label, s.native_id as source_id,
      s.is_defined and not s.are_outputs_drawn as is_source_defined, sh.name as source_name,
      t.index as target_index, t.native_id as target_id, t.is_defined and not t.are_inputs_drawn as is_target_defined,
      t.is_output,
      t.called, case when t.is_output then t.label else th.name end as target_name
    from edge as e
    join named as s on s.flow = e.flow and s.id = e.source
    join named as t on t.flow = e.flow and t.id = e.target
    join handle as sh on sh.flow = e.flow and sh.side = e.side and sh.handle = e.source_handle
    join handle as th on th.flow = e.flow and th.side = 'target' and th.handle = e.target_handle
    where e.side = 'target' or s.is_input or t.is_output and e.flow = 0
  ),
  label as materialized (
    select l.flow, l.name, row_number() over (order by l.flow, l.first_index)::integer as number, l.form_label
    from (
      select n.flow, n.label as name, min(n.index) as first_index,
        (
          array_agg(n.form_data -> 'form_label' order by n.index) filter (where n.form_data -> 'form_label' <> 'null')
        )[1] as form_label
      from named as n where n.is_input group by n.flow, n.label
    ) as l
  ),
  -- The targets of edges over which an input's value may travel, each once.
  fed as materialized (
    select row_number() over ()::integer as number, w.*
    from (
      select distinct on (e.flow, e.target_index, e.target_name) e.* from wired as e
      where e.side = 'target' or e.is_input
      order by e.flow, e.target_index, e.target_name
    ) as w
  ),
  first_drawn as materialized (
    select d.flow, d.index, d.name, (array_agg(d.type_bounds))[1] as type_bounds, bool_or(d.is_required) as is_required,
      bool_or(d.is_handed_on) as is_handed_on
    from drawn_target as d group by d.flow, d.index, d.name
  ),
  -- A node may have several outputs with the same name. Keep one row for each name.
  first_source as materialized (
    select d.flow, d.index, d.name, min(d.type) as type from drawn_source as d group by d.flow, d.index, d.name
  ),
  port as materialized (
    select f.number, f.flow, f.target_index as index, f.target_name as name, f.called, f.side, f.is_input,
      f.source_index, f.source_name, f.source_label,
      case when f.is_output then '["free"]' when f.is_target_defined then defined.type_bounds
        else drawn.type_bounds end as type_bounds,
      case when f.is_output then true when f.is_target_defined then defined.is_required
        else drawn.is_required end as is_required,
      case when f.is_output then false when f.is_target_defined then defined.is_handed_on
        else drawn.is_handed_on end as is_handed_on,
      case when f.is_target_defined and not f.is_output then defined.hint end as hint
    from fed as f
    left join defined_target as defined on defined.node_id = f.target_id and defined.name = f.target_name
    left join first_drawn as drawn on drawn.flow = f.flow and drawn.index = f.target_index
      and drawn.name = f.target_name
  ),
  bounds as materialized (
    select b.type_bounds, private.mask_of_bounds(b.type_bounds) as mask
      from (select distinct p.type_bounds from port as p) as b
  ),
  linked as materialized (
    select p.number, l.number as label, c.number as called, coalesce(b.mask, v_every_kind) as mask, p.is_required,
      p.hint,
      -- If an input of type pubkey passes its value on, the runner first converts the value to a public key. The next
      -- port gets this public key instead of the input's value, so the port has no parent.
      case when upper.is_handed_on and upper.type_bounds ->> 0 is distinct from 'pubkey' then upper.number end as parent
    from port as p
    left join bounds as b on b.type_bounds = p.type_bounds
    left join port as upper on p.side = 'target' and upper.flow = p.flow and upper.index = p.source_index
      and upper.name = p.source_name
    left join label as l on p.side = 'source' and l.flow = p.flow and l.name = p.source_label
    left join label as c on c.flow = p.called and c.name = p.name
  ),
  -- All ports that the value of an input reaches: those that it feeds, and those to which they pass it on.
  reached as (
    select l.number as port, l.label, l.called, l.mask, l.is_required from linked as l where l.label is not null
    union all
    select l.number, r.label, l.called, l.mask, l.is_required from reached as r join linked as l on l.parent = r.port
  ),
  own as materialized (
    select r.label, bit_and(r.mask) as mask, bool_or(r.is_required) as is_required from reached as r group by r.label
  ),
  call as materialized (
    select distinct r.label as caller, r.called from reached as r where r.called is not null
  ),
  -- An input whose value goes to a called flow refuses what the input of the called flow refuses. A flow may call
  -- itself. An input that a port requires refuses the missing value, for which the kind is 0.
  refused (label, kind) as (
    select o.label, k.mask
    from own as o
    join (select v.mask from private.value_kinds() as v union all select 0) as k
      on case k.mask when 0 then o.is_required else o.mask & k.mask = 0 end
    where o.label in (select c.called from call as c)
    union
    select c.caller, r.kind from refused as r join call as c on c.called = r.label
  ),
  refusal as materialized (
    select r.label, bit_or(r.kind) as mask, bool_or(r.kind = 0) as is_required from refused as r group by r.label
  ),
  -- A hint describes one port, so an input that feeds several ports has no hint.
  hint as materialized (
    select l.label, (array_agg(l.hint))[1] as hint from linked as l
      where l.label is not null group by l.label having count(*) = 1
  ),
  input as materialized (
    select l.number, l.name, l.form_label, h.hint, coalesce(o.is_required or r.is_required, false) as is_required,
      coalesce(o.mask, v_every_kind) & ~coalesce(r.mask, 0) as mask,
      octet_length(l.form_label::text) as size,
      -- Leave out defaults of more than 4 KiB, which are too large for a form. When the total size of the defaults
      -- exceeds a megabyte, leave out all further defaults.
      sum(octet_length(l.form_label::text))
        filter (where octet_length(l.form_label::text) <= 4096) over (order by l.number) as total_size
    from label as l
    left join own as o on o.label = l.number
    left join refusal as r on r.label = l.number
    left join hint as h on h.label = l.number
    where l.flow = 0
  ),
  typed as materialized (
    select m.mask, private.types_of_mask(m.mask) as types from (select distinct i.mask from input as i) as m
  ),
  -- A single query makes all lists of types. Each input may have its own list, and a query for each list would take
  -- seconds.
  shape as materialized (
    select s.types, to_jsonb(s.types) as type_bounds,
      case when cardinality(s.types) = 1 then jsonb_agg(t.json_schema) -> 0
        else jsonb_build_object('anyOf', jsonb_agg(distinct part.json_schema)) end as json_schema
    from (select distinct t.types from typed as t) as s
    cross join lateral unnest(s.types) as n (name)
    join private.port_types() as t on t.name = n.name
    cross join lateral jsonb_array_elements(coalesce(t.json_schema -> 'anyOf', jsonb_build_array(t.json_schema)))
      as part (json_schema)
    group by s.types
  ),
  output as (
    select n.label as name, min(n.index) as index, coalesce(min(
      case
        when w.side is null then 'free'
        -- If an input feeds an output directly and has exactly one type, the output has that type.
        when w.is_input then case when cardinality(t.types) = 1 then t.types[1] end
        when w.side = 'target' then coalesce(passed.type_bounds ->> 0, 'free')
        when w.is_source_defined then coalesce(defined.type, 'free')
        else coalesce(drawn.type, 'free')
      end
    ), 'free') as type
    from named as n
    left join wired as w on w.flow = 0 and w.is_output and w.target_index = n.index
    left join defined_source as defined on defined.node_id = w.source_id and defined.name = w.source_name
    left join first_source as drawn on drawn.flow = 0 and drawn.index = w.source_index and drawn.name = w.source_name
    left join port as passed on passed.flow = 0 and passed.index = w.source_index and passed.name = w.source_name
      and w.side = 'target'
    left join input as i on w.is_input and i.name = w.source_label
    left join typed as t on t.mask = i.mask
    where n.flow = 0 and n.is_output
    group by n.label
  )
  select
    (
      select coalesce(jsonb_agg(jsonb_build_object(
        'name', i.name, 'description', coalesce(i.hint ->> 'description', ''), 'type_bounds', s.type_bounds,
        'required', i.is_required and i.form_label is null,
        'default', case when i.size <= 4096 and i.total_size <= 1048576 then i.form_label end,
        'json_schema', s.json_schema || coalesce(i.hint -> 'json_schema', '{}')
      ) order by i.number), '[]')
      from input as i join typed as t on t.mask = i.mask join shape as s on s.types = t.types
    ),
    (
      select coalesce(jsonb_agg(jsonb_build_object('name', o.name, 'type', o.type) order by o.index), '[]')
      from output as o
    )
  into inputs, outputs;
end;
$function$;

CREATE OR REPLACE FUNCTION private.do_types_meet (
  given        jsonb,
  wanted       jsonb,
  is_passed_on boolean
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- An unknown type gives and accepts every kind of value, as free does.
  v_every constant bigint := (select t.gives from private.port_types() as t where t.name = 'free');
begin
  return coalesce((
    -- If is_passed_on is true, the edge begins at an input, which sends on each value that it receives. So the edge
    -- gives the kinds of values that the input accepts. Exception: if the first type of the input is pubkey, the edge
    -- gives a public key.
    select bit_or(coalesce(
      case when do_types_meet.is_passed_on and not (g.position = 1 and g.name = 'pubkey') then t.accepts
        else t.gives end, v_every
    ))
    from jsonb_array_elements_text(do_types_meet.given) with ordinality as g (name, position)
    left join private.port_types() as t on t.name = g.name
  ), v_every) & coalesce((
    select bit_or(coalesce(t.accepts, v_every))
    from jsonb_array_elements_text(do_types_meet.wanted) as w (name)
    left join private.port_types() as t on t.name = w.name
  ), v_every) <> 0;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_warnings (
  nodes        jsonb,
  edges        jsonb,
  acting_flows jsonb
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
        d.data ->> 'node_id' as node_id,
        -- True if the node's inputs and outputs come from the flow's JSON instead of the definition.
        not v_knows_nodes or private.draws_inputs(d.data ->> 'node_id') as are_inputs_drawn,
        not v_knows_nodes or private.draws_outputs(d.data ->> 'node_id') as are_outputs_drawn,
        private.draws_inputs(d.data ->> 'node_id') as draws_inputs,
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
      select distinct on (d.node_id) d.node_id, d.sources, d.targets
      from public.nodes as d
      where d.owner_key = v_nobody and d.type = 'native'
        and d.node_id = any (array(select distinct n.node_id from node as n where n.type = 'native'))
      order by d.node_id, d.created_at desc, d.version desc
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
        s.type = 'native'
          and (not v_knows_nodes or s.node_id in (select d.node_id from definition as d)) as is_source_known,
        t.type = 'native'
          and (not v_knows_nodes or t.node_id in (select d.node_id from definition as d)) as is_target_known,
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
      where p.side = 'target' and p.is_required and n.type = 'native' and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn and not n.draws_inputs
    ),
    acting as materialized (
      select n.index, n.id, n.draws_inputs, n.node_id
      from private.acting_nodes(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as a
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
          then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.node_id)))
        when n.type = 'deno' then
          'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript'
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where n.type <> 'native' or v_knows_nodes and n.node_id not in (select d.node_id from definition as d)
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
        else 'a called flow is not tried again as a whole; set data.retry on its nodes instead'
      end
      from node as n
      where n.has_retry and n.type = 'native'
        -- If a script exceeds its timeout, a retry runs it again. A retry never runs a called flow again.
        and (n.node_id in ('interflow', 'interflow_instructions') or private.is_script(n.node_id) and not n.has_timeout)
      union all
      select 1, n.index, 'error_output_missing', '.data.on_error',
        'sources has no output named error, so a failure of the node is not handled'
      from node as n where n.handles_errors and n.has_error_output is not true and n.type = 'native'
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
      select 2, w.index, 'effect_may_be_skipped', '', format(
        case when w.has_expression then 'the expression of output %s may have no result'
          else 'the output %s may stay unset' end
          || '; then the target, a node with effects, does not run, unless its input %s has "when_absent"',
        to_jsonb(private.shorten(w.source_name)), to_jsonb(private.shorten(w.target_name))
      )
      from wired as w
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
          || 'make the input required, or choose "when_absent"',
        to_jsonb(private.shorten(l.source_name)), to_jsonb(private.shorten(l.target_name))
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

CREATE OR REPLACE FUNCTION private.nodes_from (
  edges        jsonb,
  starts       text[],
  is_backwards boolean
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- The nodes to which the edges of each node lead. A look-up takes the same time however many edges there are, so even
  -- a long chain of nodes takes linear time.
  v_next constant jsonb := (
    select jsonb_object_agg(e.source, e.targets)
    from (
      select pair.source, jsonb_agg(pair.target) as targets
      from jsonb_array_elements(nodes_from.edges) as e (edge)
      cross join lateral (select
        e.edge ->> case when nodes_from.is_backwards then 'target' else 'source' end,
        e.edge -> case when nodes_from.is_backwards then 'source' else 'target' end
      ) as pair (source, target)
      where pair.source is not null
      group by pair.source
    ) as e
  );
begin
  return array(
    with recursive reached (id) as (
      select unnest(nodes_from.starts)
      union
      select n.id from reached as r cross join lateral jsonb_array_elements_text(v_next -> r.id) as n (id)
    )
    select r.id from reached as r
  );
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
  where u.id in (
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
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.port_types()
  RETURNS TABLE (
    name        text,
    place       integer,
    takes       bigint,
    makes       bigint,
    accepts     bigint,
    gives       bigint,
    json_schema jsonb
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query values
    ('u8', 1, 1::bigint, 1::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":255}'::jsonb),
    ('u16', 2, 3::bigint, 3::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":65535}'::jsonb),
    ('u32', 3, 7::bigint, 7::bigint, 280::bigint, 8::bigint,
      '{"type":"integer","minimum":0,"maximum":4294967295}'::jsonb),
    ('u64', 4, 15::bigint, 15::bigint, 280::bigint, 8::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":18446744073709551615},
      {"type":"string","pattern":"^[0-9]{1,20}$"}]}'::jsonb),
    ('u128', 5, 31::bigint, 31::bigint, 376::bigint, 40::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":0,"maximum":340282366920938463463374607431768211455},
      {"type":"string","pattern":"^[0-9]{1,39}$"}]}'::jsonb),
    ('i8', 6, 33::bigint, 33::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-128,"maximum":127}'::jsonb),
    ('i16', 7, 99::bigint, 99::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-32768,"maximum":32767}'::jsonb),
    ('i32', 8, 231::bigint, 231::bigint, 280::bigint, 24::bigint,
      '{"type":"integer","minimum":-2147483648,"maximum":2147483647}'::jsonb),
    ('i64', 9, 495::bigint, 495::bigint, 280::bigint, 24::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},
      {"type":"string","pattern":"^-?[0-9]{1,19}$"}]}'::jsonb),
    ('i128', 10, 1023::bigint, 1023::bigint, 376::bigint, 120::bigint,
      '{"anyOf":[
      {"type":"integer","minimum":-170141183460469231731687303715884105728,"maximum":170141183460469231731687303715884105727},
      {"type":"string","pattern":"^-?[0-9]{1,39}$"}]}'::jsonb),
    ('decimal', 11, 1519::bigint, 1519::bigint, 410::bigint, 256::bigint,
      '{"anyOf":[
      {"type":"number"},
      {"type":"string","pattern":"^-?[0-9]{1,29}([.][0-9]{1,28})?$"}]}'::jsonb),
    ('f32', 12, 3567::bigint, 3567::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('f64', 13, 7663::bigint, 7663::bigint, 408::bigint, 128::bigint,
      '{"type":"number"}'::jsonb),
    ('bool', 14, 8192::bigint, 8192::bigint, 4::bigint, 4::bigint,
      '{"type":"boolean"}'::jsonb),
    ('string', 15, 8437760::bigint, 49152::bigint, 16386::bigint, 16386::bigint,
      '{"type":"string"}'::jsonb),
    ('address', 16, 32768::bigint, 32768::bigint, 16386::bigint, 16384::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('pubkey', 17, 491520::bigint, 98304::bigint, 65026::bigint, 16896::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'::jsonb),
    ('keypair', 18, 393216::bigint, 393216::bigint, 48130::bigint, 33792::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{32,88}$"}'::jsonb),
    ('signature', 19, 262144::bigint, 262144::bigint, 7170::bigint, 1024::bigint,
      '{"type":"string","pattern":"^[1-9A-HJ-NP-Za-km-z]{64,88}$"}'::jsonb),
    ('bytes', 20, 901120::bigint, 851968::bigint, 24322::bigint, 3584::bigint,
      '{"type":"string","contentEncoding":"base64"}'::jsonb),
    ('object', 21, 1048576::bigint, 1048576::bigint, 40960::bigint, 8192::bigint,
      '{"type":"object"}'::jsonb),
    ('array', 22, 2097152::bigint, 2097152::bigint, 4096::bigint, 4096::bigint,
      '{"type":"array"}'::jsonb),
    ('json', 23, 12582911::bigint, 12582911::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb),
    ('free', 24, 16777215::bigint, 16777215::bigint, 65535::bigint, 65535::bigint,
      '{}'::jsonb);
end;
$function$;

CREATE OR REPLACE FUNCTION private.value_kinds()
  RETURNS TABLE (
    name text,
    mask bigint
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query values
    ('whole8', 1::bigint),
    ('whole16', 2::bigint),
    ('whole32', 4::bigint),
    ('whole64', 8::bigint),
    ('whole128', 16::bigint),
    ('negative8', 32::bigint),
    ('negative16', 64::bigint),
    ('negative32', 128::bigint),
    ('negative64', 256::bigint),
    ('negative128', 512::bigint),
    ('fraction', 1024::bigint),
    ('f32', 2048::bigint),
    ('f64', 4096::bigint),
    ('B', 8192::bigint),
    ('S', 16384::bigint),
    ('key text', 32768::bigint),
    ('B3', 65536::bigint),
    ('wallet', 131072::bigint),
    ('B6', 262144::bigint),
    ('BY', 524288::bigint),
    ('M', 1048576::bigint),
    ('A', 2097152::bigint),
    ('free', 4194304::bigint),
    ('string', 8388608::bigint);
end;
$function$;

COMMENT ON FUNCTION "private"."nodes_from"(jsonb, text[], boolean) IS 'The ids of the nodes `starts` of a graph, and of all nodes that the edges lead to from there. If is_backwards is true, the edges are followed against their direction.';

COMMENT ON FUNCTION "private"."port_types"() IS 'One row for each port type. takes, makes: masks of the values that the type always takes and that its JSON makes; the kinds of private.value_kinds(). accepts, gives: masks of the kinds of values that an input accepts and an output gives; their bits have another order. json_schema: the JSON Schema of the readable JSON.';

COMMENT ON FUNCTION "private"."value_kinds"() IS 'The kinds of values in the masks takes and makes of private.port_types(), each with its bit.';

REVOKE ALL ON FUNCTION "private"."nodes_from"(jsonb, text[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."nodes_from"(jsonb, text[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."nodes_from"(jsonb, text[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."value_kinds"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."value_kinds"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."value_kinds"() TO "postgres";
