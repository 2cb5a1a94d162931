-- Describes the inputs and outputs of a frozen flow. An input is described by the ports that receive its value from a
-- flow_input node. An output is described by the ports that send values to its flow_output node.

-- The ports of a node come from the definition that the service role has stored, or that the snapshot contains. If a
-- node has no definition, or is of a kind whose ports each flow chooses, its ports come from the flow's JSON.
create function private.describe_snapshot(data jsonb, out inputs jsonb, out outputs jsonb)
returns record
language plpgsql stable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph. Nested loops could take quadratic time. Merge joins could take
-- quadratic time too, because the planner would sort the rows only by flow.
set enable_nestloop = off
set enable_mergejoin = off
as $$
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
      -- The help of a node that decides about other nodes says nothing to a person who starts the flow.
      case when d.node_id not in ('branch', 'switch', 'gate') then jsonb_build_object(
        'description', private.shorten(t.port ->> 'tooltip', 500),
        'json_schema', private.schema_hint(d.properties -> (t.port ->> 'name'))
      ) end as hint
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
  declared as materialized (
    select t.key as name, t.value as typed, p.takes, i.format
    from jsonb_each(private.typed_inputs(describe_snapshot.data #> '{entry,nodes}')) as t
    left join private.input_types() as i on i.name = t.value ->> 'type'
    left join private.port_types() as p on p.name = i.port_type
  ),
  input as materialized (
    select l.number, l.name, l.form_label, d.typed, d.format,
      -- If the ports take nothing of the author's type, the type counts, and what the ports say about values does not.
      case when n.mask is null or n.is_narrowed then h.hint end as hint,
      coalesce(o.is_required or r.is_required, false) or coalesce((d.typed -> 'required')::boolean, false)
        as is_required,
      coalesce(n.mask, coalesce(o.mask, v_every_kind) & ~coalesce(r.mask, 0)) as mask,
      octet_length(l.form_label::text) as size,
      -- Leave out defaults of more than 4 KiB, which are too large for a form. When the total size of the defaults
      -- exceeds a megabyte, leave out all further defaults.
      sum(octet_length(l.form_label::text))
        filter (where octet_length(l.form_label::text) <= 4096) over (order by l.number) as total_size
    from label as l
    left join own as o on o.label = l.number
    left join refusal as r on r.label = l.number
    left join hint as h on h.label = l.number
    left join declared as d on d.name = l.name
    left join lateral (
      select case when m.is_narrowed then m.mask else d.takes end as mask, m.is_narrowed
      from (
        select m.mask, exists (select from private.port_types() as t where t.makes & m.mask = t.makes) as is_narrowed
        from (select coalesce(o.mask, v_every_kind) & ~coalesce(r.mask, 0) & d.takes as mask) as m
        where d.takes is not null
      ) as m
    ) as n on true
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
        'name', i.name, 'description', coalesce(i.typed ->> 'help', i.hint ->> 'description', ''),
        'type_bounds', s.type_bounds,
        'required', i.is_required and i.form_label is null,
        'default', case when i.size <= 4096 and i.total_size <= 1048576 then i.form_label end,
        'json_schema', case when i.typed ? 'choices' then s.json_schema - 'anyOf' else s.json_schema end
          || case when i.typed is null then coalesce(i.hint -> 'json_schema', '{}')
            else coalesce(i.hint -> 'json_schema', '{}') - 'title' || jsonb_strip_nulls(jsonb_build_object(
              'title', i.typed -> 'title', 'description', coalesce(i.typed ->> 'help', ''),
              'enum', i.typed -> 'choices', 'format', i.format
            )) end
      ) order by i.number), '[]')
      from input as i join typed as t on t.mask = i.mask join shape as s on s.types = t.types
    ),
    (
      select coalesce(jsonb_agg(jsonb_build_object('name', o.name, 'type', o.type) order by o.index), '[]')
      from output as o
    )
  into inputs, outputs;
end;
$$;
comment on function private.describe_snapshot(jsonb) is
  'The inputs and outputs of a snapshot: inputs as in private.input_descriptions(), and outputs, {name, type} each.';
