SET local check_function_bodies = off;

DROP FUNCTION "private"."acting_nodes"(jsonb, jsonb, jsonb);

DROP FUNCTION "private"."flow_warnings"(jsonb, jsonb, jsonb);

DROP FUNCTION "private"."reduce_nodes"(jsonb);

DROP FUNCTION "private"."takes_connection"(text);

CREATE OR REPLACE FUNCTION private.acting_flows (
  snapshot jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if acting_flows.snapshot -> 'flows' = '{}' then
    return '{}';
  end if;
  return (
    with recursive flow as materialized (
      select f.key::integer as id, f.value -> 'nodes' as nodes, f.value -> 'edges' as edges
      from jsonb_each(acting_flows.snapshot -> 'flows') as f
    ),
    own as materialized (
      select f.id, bool_and(a.is_settled) as is_settled
      from flow as f cross join lateral private.acting_nodes(
        f.nodes, f.edges, '{}', acting_flows.snapshot -> 'definitions'
      ) as a
      group by f.id
    ),
    call as materialized (
      select distinct f.id as caller, r.id as called from flow as f
        cross join lateral private.interflow_references(f.nodes) as r
    ),
    acting (kind, id) as (
      select k.kind, o.id from own as o cross join (values ('all'), ('without_instructions')) as k (kind)
      where k.kind = 'all' or not o.is_settled
      union
      select a.kind, c.caller from acting as a join call as c on c.called = a.id
    )
    select coalesce(jsonb_object_agg(k.kind, k.ids), '{}')
      from (select a.kind, jsonb_agg(a.id) as ids from acting as a group by a.kind) as k
  );
end;
$function$;

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
    when n.node_id = 'api_input' then true
    else coalesce(d.effects, 'none') <> 'none' and n.id not in (select s.id from safe as s)
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.acting_nodes_of (
  snapshot jsonb
)
  RETURNS TABLE (
    flow    text,
    node_id uuid
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  with graph as materialized (
    select 'entry' as flow, acting_nodes_of.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(acting_nodes_of.snapshot -> 'flows') as f
  )
  select g.flow, a.node_id::uuid
  from graph as g
  cross join lateral private.acting_nodes(
    g.graph -> 'nodes', g.graph -> 'edges', private.acting_flows(acting_nodes_of.snapshot),
    acting_nodes_of.snapshot -> 'definitions'
  ) as a
  union
  -- A node without a published definition may have any effects.
  select g.flow, (n.node ->> 'id')::uuid
  from graph as g cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
  where n.node #>> '{data,type}' = 'native' and not exists (
    select from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = n.node #>> '{data,node_id}'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.connection_uses (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    id         text,
    name       text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Most flows name no connection. This path recognises such flows in a tenth of the time of the query below.
  if not jsonb_path_exists(connection_uses.nodes, '$[*].data.targets_form.form_data.connection ? (@ != "")') then
    return;
  end if;
  return query
  -- If a name is too long for a connection, cut it to one character more than allowed, so that it still fits no
  -- connection.
  select (n.position - 1)::integer, n.node ->> 'id',
    left(n.node #>> '{data,targets_form,form_data,connection}', private.limit_name_characters() + 1)
  from jsonb_array_elements(connection_uses.nodes) with ordinality as n (node, position)
  where private.takes_connection(n.node -> 'data')
    and n.node #>> '{data,targets_form,form_data,connection}' <> '';
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
    select n.node ->> 'id' as id, case n.node #>> '{data,type}' when 'native' then n.node #>> '{data,node_id}'
        else '' end as node_id,
      n.node #> '{data,targets_form,form_data}' as form_data,
      coalesce(n.node #>> '{data,type}' in ('openapi'), false) as is_request
    from jsonb_array_elements(data_nodes.nodes) as n (node)
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
      private.reads_owner_data(n.node_id) or c.is_call and coalesce(data_nodes.data_flows -> 'reads' @> c.called, false) as reads,
      n.node_id in ('das_api', 'http_request') or n.is_request
        or n.node_id = 'api_input' and n.id in (select a.id from addressed as a)
        or n.node_id = 'postgrest_execute_query' and f.exists
        or c.is_call and coalesce(data_nodes.data_flows -> 'sends' @> c.called, false) as sends
    from node as n
    cross join foreign_query as f
    cross join lateral (
      select n.node_id in ('interflow', 'interflow_instructions') as is_call,
        to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
          as called
      offset 0
    ) as c
  ) as d
  where d.reads or d.sends;
end;
$function$;

CREATE OR REPLACE FUNCTION private.definitions_of_keys (
  keys   text[],
  frozen jsonb
)
  RETURNS TABLE (
    node_key   text,
    data       jsonb,
    sources    jsonb,
    targets    jsonb,
    properties jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  (
    select distinct on (d.node_id) d.node_id, d.data, d.sources, d.targets,
      d."targets_form.json_schema" -> 'properties'
    from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = any (definitions_of_keys.keys)
    order by d.node_id, d.created_at desc, d.version desc
  )
  union all
  select '/' || f.key, f.value -> 'data', f.value -> 'sources', f.value -> 'targets', null
  from jsonb_each(definitions_of_keys.frozen) as f
  where '/' || f.key = any (definitions_of_keys.keys);
end;
$function$;

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
      nullif(private.node_key(d.data), '') as node_key
    from graph as g
    cross join lateral jsonb_array_elements(g.graph -> 'nodes') with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' <> 'mock'
  ),
  definition as materialized (
    select d.node_key as node_id, d.sources, d.targets, d.properties
    from private.definitions_of_keys(
      array(select distinct n.node_key from node as n), describe_snapshot.data -> 'definitions'
    ) as d
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
    select n.flow, n.index, n.id, n.node_key, n.is_input, n.is_output, n.form_data,
      case when n.is_input or n.is_output then coalesce(
        case jsonb_typeof(n.form_data -> 'label') when 'string' then n.form_data ->> 'label' end,
        (case when n.is_input then n.sources else n.targets end) -> 0 ->> 'name', ''
      ) end as label,
      case when n.node_key in ('interflow', 'interflow_instructions')
        then private.integer_or_null(n.form_data ->> 'id') end as called,
      n.node_key is not null and n.node_key in (select d.node_id from definition as d) as is_defined,
      coalesce(private.draws_inputs(n.node_key), false) as are_inputs_drawn,
      coalesce(private.draws_outputs(n.node_key), false) as are_outputs_drawn
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
    select e.flow, e.side, s.index as source_index, s.is_input, s.label as source_label, s.node_key as source_id,
      s.is_defined and not s.are_outputs_drawn as is_source_defined, sh.name as source_name,
      t.index as target_index, t.node_key as target_id, t.is_defined and not t.are_inputs_drawn as is_target_defined,
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
    select (n.position - 1)::integer as index, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
      d.data ->> 'version' as version
    from jsonb_array_elements(described_definitions.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where private.is_described(d.data ->> 'type')
  ),
  found as materialized (
    select k.type, k.node_id, k.version, encode(sha256(convert_to(f.definition::text, 'UTF8')), 'hex') as hash,
      f.definition
    from (select distinct n.type, n.node_id, n.version from node as n) as k
    cross join lateral (
      select private.frozen_definition(d) as definition from public.nodes as d
      where d.type = k.type and d.node_id = k.node_id and d.version = k.version
        and (d.owner_key = described_definitions.owner_id or d.is_public)
      order by d.owner_key = described_definitions.owner_id desc limit 1
    ) as f
  )
  select
    (
      select jsonb_object_agg(n.index, f.hash)
      from node as n
      join found as f on f.type = n.type and f.node_id = n.node_id and f.version = n.version
    ),
    (select jsonb_object_agg(f.hash, f.definition) from found as f)
  into described_definitions.hashes, described_definitions.definitions;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_has_changed (
  id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.require_user();
  v_deployment record;
  v_frozen record;
begin
  select d.entrypoint, d.created_at, s.data into v_deployment
  from public.flow_deployments as d join private.flow_snapshots as s on s.hash = d.snapshot_hash
  where d.id = flow_has_changed.id and d.user_id = v_user_id;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  for v_frozen in
    select g.graph, f as flow
    from (
      select v_deployment.entrypoint as flow_id, v_deployment.data -> 'entry' as graph
      union all
      select e.key::integer, e.value from jsonb_each(v_deployment.data -> 'flows') as e
    ) as g
    left join public.flows as f on f.id = g.flow_id and f.user_id = v_user_id
    -- updated_at is the time when the transaction that changed the flow began, which may be before the deploy. So flows
    -- that changed up to a minute before the deploy are compared too. A minute is enough, because no request lasts
    -- longer.
    where f.id is null or f.updated_at > v_deployment.created_at - interval '1 minute'
      -- A definition changes without the flow.
      or private.has_described_nodes(g.graph -> 'nodes')
  loop
    if (v_frozen.flow).id is null or not private.is_graph_of_flow(v_frozen.graph, v_frozen.flow) then
      return true;
    end if;
  end loop;
  return false;
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
      from node as n where n.handles_errors and n.has_error_output is not true and n.node_id <> ''
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

CREATE OR REPLACE FUNCTION private.frozen_definition (
  node public.nodes
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
      where m.key in ('node_id', 'version', 'effects', 'tags', 'implementation', 'instruction_info')
        and m.value <> 'null'
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
        'passthrough', p.port -> 'passthrough'
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
 SELECT jsonb_path_exists(nodes, '$[*]."data"?(@."type" == "openapi")'::jsonpath)
  AS jsonb_path_exists;
END;

CREATE OR REPLACE FUNCTION private.implementation_fault (
  implementation jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    when jsonb_typeof(implementation_fault.implementation) is null
      or implementation_fault.implementation = 'null' then 'is missing'
    when jsonb_typeof(implementation_fault.implementation) <> 'object' then 'must be an object'
    when private.json_bytes(implementation_fault.implementation) > private.limit_implementation_bytes()
      then format('holds more than %s', private.size_text(private.limit_implementation_bytes()))
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_described (
  type text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT COALESCE((TYPE = 'openapi'::text), false)
  AS "coalesce";
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
begin
  -- The lock lets each user compare only one large graph at a time. private.reduce_flow() uses the same lock.
  if pg_column_size(is_graph_of_flow.flow.nodes) > 1048576 then
    perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', is_graph_of_flow.flow.user_id), 0));
  end if;
  return private.graph_in_effect(is_graph_of_flow.graph) = private.graph_in_effect(format(
    '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
    private.reduce_edges(is_graph_of_flow.flow.edges), private.reduce_nodes(
      is_graph_of_flow.flow.nodes,
      (private.described_definitions(is_graph_of_flow.flow.nodes, is_graph_of_flow.flow.user_id)).hashes
    ),
    is_graph_of_flow.flow.environment, to_jsonb(is_graph_of_flow.flow.instructions_bundling)
  )::jsonb);
exception
  -- The nodes or edges are malformed, so the flow has changed since it was frozen.
  when invalid_parameter_value or invalid_text_representation then
    return false;
end;
$function$;

CREATE OR REPLACE FUNCTION private.json_bytes (
  value jsonb
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with recursive part as (
    select json_bytes.value as value, '' as name
    union all
    select inside.value, inside.name
    from part
    cross join lateral (
      select m.value, m.key as name
      from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
      union all
      select e.value, ''
      from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
    ) as inside
  )
  select sum(8 + octet_length(part.name)
    + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end)
  from part;
$function$;

CREATE OR REPLACE FUNCTION private.limit_implementation_bytes()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 131072;

CREATE OR REPLACE FUNCTION private.node_definition_faults (
  definition jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
  v_measure private.json_measure;
begin
  -- If a definition is within the limit, its jsonb takes at most four times the limit. Refuse larger definitions before
  -- the slow checks.
  if pg_column_size(v_definition) > 4 * private.limit_definition_bytes() then
    return jsonb_build_array(jsonb_build_object(
      'path', '', 'message', format('holds more than %s', private.size_text(private.limit_definition_bytes()))
    ));
  end if;
  -- In a row of the table nodes, the columns of missing members are null. These nulls must not count towards the size.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    -- Like the zod schema, private.json_faults() counts 8 bytes for each number, but the text of a number may have 50
    -- times as many bytes. So the limit for the text is 64 times the limit for the counted bytes.
    v_measure := private.measure_json(v_definition, 64 * private.limit_definition_bytes());
    if v_measure.fault is not null then
      v_faults := jsonb_build_array(
        jsonb_build_object('path', ltrim(v_measure.path, '.'), 'message', v_measure.message)
      );
    end if;
  end if;
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; the members are ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (
      array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name))
    )
    union all
    -- PostgREST turns numbers and booleans into text before it writes them into the column `type`. So refuse texts that
    -- may come from a number or boolean.
    select 'type', format(
      'must be at most %s letters, digits, _ and -, start with a letter, and not be true or false',
      private.limit_definition_type_characters()
    )
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]*$'
      or length(v_definition ->> 'type') > private.limit_definition_type_characters()
    union all
    select 'data.' || l.name, format('must have 1 to %s characters', l.longest)
    from (values
      ('node_id', private.limit_node_id_characters()), ('version', private.limit_definition_version_characters())
    ) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    select 'data.effects', 'must be none, idempotent or once'
    where v_definition -> 'data' ->> 'effects' not in ('none', 'idempotent', 'once')
    union all
    select 'data.implementation', i.fault
    from (select private.implementation_fault(v_definition -> 'data' -> 'implementation')) as i (fault)
    where private.is_described(v_definition ->> 'type') and i.fault is not null
    union all
    -- A ui_schema without a json_schema defines no form. Accept such a ui_schema, because some definitions from other
    -- servers have one.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1),
      format('another port has the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1),
      format('must have at most %s characters', private.limit_definition_name_characters())
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > private.limit_definition_name_characters()
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_faults (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    fault      text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- First check all ports in one pass. Each row of the subquery has the nth source and the nth target of one node. If a
  -- port has a fault, the query below checks the ports of each node to name the fault.
  v_has_bad_ports constant boolean := coalesce((
    -- Measure only the texts of the few ports whose total number of bytes exceeds the character limit of a name.
    select bool_or(
      port.source is not null and (
        jsonb_typeof(port.source -> 'id') = 'string' and jsonb_typeof(port.source -> 'name') = 'string'
        and (
          pg_column_size(port.source) <= private.limit_port_name_characters()
            or greatest(length(port.source ->> 'id'), length(port.source ->> 'name'))
              <= private.limit_port_name_characters()
        )
      ) is not true
      or port.target is not null and (
        jsonb_typeof(port.target -> 'id') = 'string' and jsonb_typeof(port.target -> 'name') = 'string'
        and (
          pg_column_size(port.target) <= private.limit_port_name_characters()
            or greatest(length(port.target ->> 'id'), length(port.target ->> 'name'))
              <= private.limit_port_name_characters()
        )
        and jsonb_typeof(port.target -> 'type_bounds') = 'array'
        and jsonb_typeof(port.target -> 'required') = 'boolean'
          and jsonb_typeof(port.target -> 'passthrough') = 'boolean'
        and coalesce(port.target ->> 'when_absent', 'run') in ('run', 'run_unless_failed')
      ) is not true
    )
    from (
      select
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'sources') = 'array' then d.data -> 'sources' end
        ) as source,
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'targets') = 'array' then d.data -> 'targets' end
        ) as target
      from jsonb_array_elements(node_faults.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Extract `data` once here instead of in each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node must be an object'
    -- A single pattern for the whole id would take four times as long as these three tests.
    when (
      n.node ->> 'id' like '________-____-____-____-____________' and length(replace(n.node ->> 'id', '-', '')) = 32
      and n.node ->> 'id' !~ '[^-0-9a-f]'
    ) is not true
      then 'id: must be a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: must be an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
        and not private.is_described(d.data ->> 'type')
      then 'data.type: must be native, openapi, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: must be a string'
    when length(d.data ->> 'node_id') > private.limit_node_id_characters()
      then format('data.node_id: must have at most %s characters', private.limit_node_id_characters())
    when private.is_described(d.data ->> 'type') and jsonb_typeof(d.data -> 'version') is distinct from 'string'
      then 'data.version: must be a string'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: must be an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: must be an array'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    -- Editors may store null for a member that is not set.
    when d.data ? 'retry' and d.data -> 'retry' <> 'null' and private.retry_fault(d.data -> 'retry') is not null
      then private.retry_fault(d.data -> 'retry')
    when d.data ? 'on_error' and private.on_error_fault(d.data) is not null then private.on_error_fault(d.data)
    when d.data ? 'timeout_ms' and d.data -> 'timeout_ms' <> 'null' and (
      case jsonb_typeof(d.data -> 'timeout_ms') when 'number' then
        (d.data -> 'timeout_ms')::numeric between 1 and private.limit_timeout_ms()
          and (d.data -> 'timeout_ms')::numeric % 1 = 0
      end
    ) is not true
      then format('data.timeout_ms: must be an integer from 1 to %s', private.limit_timeout_ms())
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > private.limit_port_name_characters()
      then format('data.targets_form.form_data.label: must have at most %s characters',
        private.limit_port_name_characters())
    when d.data ->> 'node_id' = 'switch' and d.data ->> 'type' = 'native' then private.switch_fault(d.data)
    when d.data ->> 'node_id' in ('rhai_script', 'javascript') and d.data ->> 'type' = 'native'
      then private.script_port_fault(d.data)
  end) as f (fault)
  where f.fault is not null
  order by n.position limit private.limit_listed_findings() + 1;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_key (
  data jsonb
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((DATA ->> 'type'::text) = 'native'::text) THEN (DATA ->> 'node_id'::text)
             WHEN private.is_described((DATA ->> 'type'::text)) THEN COALESCE(('/'::text || (DATA ->> 'definition'::text)), ''::text)
             ELSE ''::text
         END
  AS "case";
END;

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
  where open_connection_urls.nodes -> u.node_index #>> '{data,type}' = 'native' and u.id in (
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
    v_flow.nodes := v_flow.nodes || '[]';
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
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_error_codes()
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ARRAY['bad_config'::text,
   'connection_missing'::text,
   'connection_token_failed'::text,
   'connection_unreadable'::text,
   'connection_url_refused'::text,
   'definition_invalid'::text,
   'effect_already_done'::text,
   'expression_failed'::text,
   'input_address_unknown'::text,
   'input_cancelled'::text,
   'input_expired'::text,
   'kv_key_invalid'::text,
   'kv_size_limit'::text,
   'kv_store_exists'::text,
   'kv_store_name_invalid'::text,
   'kv_store_not_found'::text,
   'kv_stores_limit'::text,
   'kv_value_invalid'::text,
   'node_cpu_limit'::text,
   'node_executions_limit'::text,
   'node_not_implemented'::text,
   'node_timeout'::text,
   'open_nodes_limit'::text,
   'outcome_unknown'::text,
   'output_too_large'::text,
   'project_address_unknown'::text,
   'quota_exceeded'::text,
   'run_outputs_limit'::text, 'run_size_limit'::text, 'run_time_limit'::text, 'storage_denied'::text, 'storage_not_configured'::text, 'value_missing'::text, 'worker_lost'::text]
  AS "array";
END;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  entry public.flows
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- Freezing a small flow costs less than a search for its snapshot. If this transaction has edited the flow, its
  -- snapshot is not stored: a further edit in this transaction would set the same updated_at, so nothing would show
  -- that the flow has changed.
  v_is_kept constant boolean := pg_column_size(take_snapshot.entry.nodes) > 65536
    and take_snapshot.entry.updated_at < now();
  v_hash bytea := case when v_is_kept then private.current_snapshot(take_snapshot.entry) end;
begin
  if v_hash is not null then
    return v_hash;
  end if;
  v_hash := (private.freeze_flow(take_snapshot.entry, false)).snapshot_hash;
  -- Do not keep the snapshot of a flow that calls others or has described nodes: called flows and definitions may change
  -- without a change of the flow.
  if v_is_kept and not private.has_described_nodes(take_snapshot.entry.nodes)
    and not exists (select from private.interflow_references(take_snapshot.entry.nodes)) then
    insert into private.flow_current_snapshots as c (flow_id, flow_updated_at, snapshot_hash)
    values (take_snapshot.entry.id, take_snapshot.entry.updated_at, v_hash)
    on conflict (flow_id) do update
    set flow_updated_at = excluded.flow_updated_at, snapshot_hash = excluded.snapshot_hash;
  end if;
  return v_hash;
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
             WHEN ((DATA ->> 'type'::text) = 'native'::text) THEN ((DATA ->> 'node_id'::text) = 'http_request'::text)
             ELSE COALESCE(((DATA ->> 'type'::text) = 'openapi'::text), false)
         END
  AS "coalesce";
END;

CREATE OR REPLACE FUNCTION private.uses_solana (
  data jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.definitions_of_keys(array(
      select distinct private.node_key(n.node -> 'data')
      from (
        select uses_solana.data -> 'entry' as graph
        union all
        select f.value from jsonb_each(uses_solana.data -> 'flows') as f
      ) as g
      cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
    ), uses_solana.data -> 'definitions') as d
    where d.data -> 'tags' ? 'solana'
  );
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
    select distinct on (u.name) u.name, g.flow_id, u.node_index
    from graph as g cross join lateral private.connection_uses(g.graph -> 'nodes') as u
    order by u.name, g.flow_id nulls first, u.node_index
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
        'flow_id', u.flow_id, 'path', format('nodes[%s].data.targets_form.form_data.connection', u.node_index)
      ))), '{}')
      from use as u
    )
  into warnings_of_data.warnings, warnings_of_data.connections;
  warnings := private.first_elements(warnings_of_data.warnings, private.limit_listed_warnings());
end;
$function$;

COMMENT ON COLUMN "private"."flow_snapshots"."data" IS '{entry: graph, flows: {"<flow id>": graph}}: the flow itself, and the flows that it reaches through interflow nodes. A graph is {nodes, edges, environment, instructions_bundling}. If the graphs have described nodes, definitions has their frozen definitions by hash, and data.definition of each node has the hash.';

COMMENT ON FUNCTION "private"."acting_nodes"(jsonb, jsonb, jsonb, jsonb) IS 'The nodes of a graph that have effects or ask a person. `acting_flows` lists the called flows that have effects, as private.acting_flows() returns them. `definitions` are those of the snapshot. is_settled is true if the node has effects only through the instructions that it makes.';

COMMENT ON FUNCTION "private"."definitions_of_keys"(text[], jsonb) IS 'The definitions of nodes with these keys: for native nodes the newest one that the service role has stored, for described nodes the one in `frozen`, the definitions of a snapshot.';

COMMENT ON FUNCTION "private"."described_definitions"(jsonb, uuid) IS 'The frozen definitions of a flow''s described nodes: hashes is {"<index of the node>": hash}, definitions is {"<hash>": private.frozen_definition()}. The owner''s own definition comes before a public one. A node without a definition is left out. Null if there are none. Definer, because it reads the definitions of any owner.';

COMMENT ON FUNCTION "private"."flow_warnings"(jsonb, jsonb, jsonb, jsonb) IS 'The first warnings about a graph, {code, path, message} each: about parts that will fail in a run, and about parts that a run ignores. A warning input_missing also has port, the input''s name. The graph must have no findings.';

COMMENT ON FUNCTION "private"."frozen_definition"(public.nodes) IS 'The parts of a node definition that a run needs: {type, data, sources, targets} without texts for editors.';

COMMENT ON FUNCTION "private"."has_described_nodes"(jsonb) IS 'True if a graph has nodes of a type of private.is_described().';

COMMENT ON FUNCTION "private"."implementation_fault"(jsonb) IS 'The fault of data.implementation of a described definition, or null. The adapter of the type checks the content.';

COMMENT ON FUNCTION "private"."is_described"(text) IS 'True for the types of definitions and nodes that carry data.implementation.';

COMMENT ON FUNCTION "private"."json_bytes"(jsonb) IS 'The size of a JSON value as limits of definitions count it: strings and member names in UTF-8, and 8 bytes for each value. The caller bounds the depth.';

COMMENT ON FUNCTION "private"."limit_implementation_bytes"() IS 'Limit in bytes: `data.implementation` of a described node, counted like the definition.';

COMMENT ON FUNCTION "private"."node_key"(jsonb) IS 'The key of a node''s definition: the node_id of a native node, / and the hash in data.definition for a described one; empty if nothing executes the node. `data` is the node''s data in a snapshot.';

COMMENT ON FUNCTION "private"."reduce_nodes"(jsonb, jsonb) IS 'The nodes of a flow as JSON text, formatted as jsonb prints it. The nodes keep their order, and lose the members that only the editor needs: positions, sizes, colours, forms. definition_hashes is the result of private.described_definitions(); such a node gets the hash of its definition as data.definition. The nodes must have no faults.';

COMMENT ON FUNCTION "private"."takes_connection"(jsonb) IS 'Whether a node with this data may name a connection in data.targets_form.form_data.';

COMMENT ON FUNCTION "private"."uses_solana"(jsonb) IS 'True if a graph of the snapshot has a node whose definition has the tag solana.';

COMMENT ON TABLE "private"."flow_current_snapshots" IS 'One row for each large flow that has been started, calls no other flow and has no described nodes: the snapshot of its last start. While the flow is unchanged, its starts use this snapshot. If the snapshot is deleted, the row is deleted with it.';

REVOKE ALL ON FUNCTION "private"."acting_nodes"(jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."acting_nodes"(jsonb, jsonb, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."acting_nodes"(jsonb, jsonb, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."definitions_of_keys"(text[], jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."definitions_of_keys"(text[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."definitions_of_keys"(text[], jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."described_definitions"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."described_definitions"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."described_definitions"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_warnings"(jsonb, jsonb, jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."frozen_definition"(public.nodes) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."frozen_definition"(public.nodes) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."frozen_definition"(public.nodes) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_described_nodes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_described_nodes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_described_nodes"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."implementation_fault"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."implementation_fault"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."implementation_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."implementation_fault"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."implementation_fault"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_described"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_described"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_described"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_described"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_described"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."json_bytes"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_bytes"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_bytes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_bytes"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_bytes"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_implementation_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_implementation_bytes"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_implementation_bytes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_implementation_bytes"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_implementation_bytes"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."node_key"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."node_key"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_key"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_nodes"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."takes_connection"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."takes_connection"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."takes_connection"(jsonb) TO "postgres";
