-- Describes the inputs and outputs of a frozen flow. An input is described by the ports that receive its value from a
-- flow_input node. An output is described by the ports that send values to its flow_output node.

-- Port number i receives the value of the flow input with the number labels[i], and accepts the kinds of values in
-- masks[i]. If the port sends its value to a called flow, calls[i] is the number of the called flow's input. In labels
-- and calls, 0 stands for no input.
create function private.label_masks(labels integer[], masks bigint[], calls integer[], label_count integer)
returns bigint[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_masks bigint[];
  v_callers integer[];
  v_called integer[];
  v_first integer[] := array_fill(0, array[label_masks.label_count]);
  v_queue integer[];
  v_is_queued boolean[];
  v_position integer := 1;
  v_label integer;
  v_call integer;
begin
  -- By default, all bits are set: an input without ports accepts all kinds of values and is not required.
  select coalesce(array_agg(coalesce(own.mask, (1 << 25)::bigint - 1) order by l.number), '{}') into v_masks
  from generate_series(1, label_masks.label_count) as l (number)
  left join (
    select p.label, bit_and(p.mask) as mask
      from unnest(label_masks.labels, label_masks.masks) as p (label, mask) group by p.label
  ) as own on own.label = l.number;

  -- If a flow passes an input on to a called flow, the values must also fit the input of the called flow. A flow may
  -- call itself, so the loop narrows the masks until no mask changes. Each narrowing clears at least one bit of a mask,
  -- so the loop ends.
  select array_agg(c.caller order by c.called), array_agg(c.called order by c.called) into v_callers, v_called
  from (
    select distinct p.label as caller, p.call as called
    from unnest(label_masks.labels, label_masks.calls) as p (label, call) where p.label > 0 and p.call > 0
  ) as c;
  if v_called is null then
    return v_masks;
  end if;
  for v_index in reverse cardinality(v_called)..1 loop
    v_first[v_called[v_index]] := v_index;
  end loop;
  v_queue := array(select distinct c.called from unnest(v_called) as c (called));
  v_is_queued := array_fill(false, array[label_masks.label_count]);
  foreach v_label in array v_queue loop
    v_is_queued[v_label] := true;
  end loop;
  while v_position <= cardinality(v_queue) loop
    v_label := v_queue[v_position];
    v_position := v_position + 1;
    v_is_queued[v_label] := false;
    v_call := v_first[v_label];
    while v_call <= cardinality(v_called) and v_called[v_call] = v_label loop
      if v_masks[v_callers[v_call]] & v_masks[v_label] <> v_masks[v_callers[v_call]] then
        v_masks[v_callers[v_call]] := v_masks[v_callers[v_call]] & v_masks[v_label];
        if v_first[v_callers[v_call]] > 0 and not v_is_queued[v_callers[v_call]] then
          v_queue := v_queue || v_callers[v_call];
          v_is_queued[v_callers[v_call]] := true;
        end if;
      end if;
      v_call := v_call + 1;
    end loop;
  end loop;
  return v_masks;
end;
$$;
comment on function private.label_masks(integer[], bigint[], integer[], integer) is
  'One mask of private.port_types() for each numbered input of a snapshot''s flows: the kinds of values that the input accepts. The mask also has the bit 2^23 if no port requires the input.';

create function private.input_descriptions(names text[], masks bigint[], defaults jsonb[], hints jsonb[])
returns jsonb
language sql stable security invoker
set search_path = ''
as $$
  with input as materialized (
    select i.number, i.name, i.value, i.hint, i.number <= cardinality(input_descriptions.names) as is_entry,
      input_descriptions.masks[i.number] & (1 << 23) = 0 as is_required,
      input_descriptions.masks[i.number] & ~(1 << 23)::bigint as mask,
      -- Leave out defaults of more than 4 KiB, which are too large for a form. When the total size of the defaults
      -- exceeds a megabyte, leave out all further defaults.
      octet_length(i.value::text) as size,
      sum(octet_length(i.value::text))
        filter (where octet_length(i.value::text) <= 4096) over (order by i.number) as total_size
    from unnest(
      input_descriptions.names, input_descriptions.defaults, input_descriptions.hints
    ) with ordinality as i (name, value, hint, number)
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
    from (select distinct typed.types from typed) as s
    cross join lateral unnest(s.types) as n (name)
    join private.port_types() as t on t.name = n.name
    cross join lateral jsonb_array_elements(coalesce(t.json_schema -> 'anyOf', jsonb_build_array(t.json_schema)))
      as part (json_schema)
    group by s.types
  )
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', i.name, 'description', coalesce(i.hint ->> 'description', ''), 'type_bounds', s.type_bounds,
    'required', i.is_required and i.value is null,
    'default', case when i.size <= 4096 and i.total_size <= 1048576 then i.value end,
    'json_schema', s.json_schema || coalesce(i.hint -> 'json_schema', '{}')
  ) order by i.number), '[]')
  from input as i join typed as t on t.mask = i.mask join shape as s on s.types = t.types;
$$;
comment on function private.input_descriptions(text[], bigint[], jsonb[], jsonb[]) is
  'The inputs of a flow as in public.read_deployment: {name, description, type_bounds, required, default, json_schema} each. If an input feeds only one port, its description and parts of its json_schema come from that port''s definition.';

-- The ports of a node come from the definition that the service role has stored. If a node has no definition, or is of
-- a kind whose ports each flow chooses, its ports come from the flow's JSON.
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
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- The query below numbers the inputs of all flows of the snapshot, beginning with the inputs of the entry. It also
  -- numbers the ports that the value of an input may reach.
  v_names text[];
  v_label_count integer;
  v_defaults jsonb[];
  v_hints jsonb[];
  v_labels integer[];
  v_parents integer[];
  v_masks bigint[];
  v_calls integer[];
begin
  with graph as materialized (
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
    select p.number,
      -- If an input of type pubkey passes its value on, the runner first converts the value to a public key. The next
      -- port gets this public key instead of the input's value, so the port has no parent.
      case when p.side = 'target' and upper.is_handed_on
        and upper.type_bounds ->> 0 is distinct from 'pubkey' then upper.number else 0 end as parent,
      case when p.side = 'source' then coalesce(l.number, 0) else 0 end as label,
      coalesce(b.mask, private.mask_of_bounds(null)) + case when p.is_required then 0 else 1 << 23 end as mask,
      coalesce(c.number, 0) as call, p.hint
    from port as p
    left join bounds as b on b.type_bounds = p.type_bounds
    left join port as upper on p.side = 'target' and upper.flow = p.flow and upper.index = p.source_index
      and upper.name = p.source_name
    left join label as l on p.side = 'source' and l.flow = p.flow and l.name = p.source_label
    left join label as c on c.flow = p.called and c.name = p.name
  ),
  hint as (
    select l.label, (array_agg(l.hint))[1] as hint from linked as l
      where l.label > 0 group by l.label having count(*) = 1
  ),
  output as (
    select n.label as name, min(n.index) as index, coalesce(min(
      case
        when w.side is null then 'free'
        when w.is_input then null
        when w.side = 'target' then coalesce(passed.type_bounds ->> 0, 'free')
        when w.is_source_defined then coalesce(defined.type, 'free')
        else coalesce(drawn.type, 'free')
      end
    ), 'free') as type, min(l.number) as label
    from named as n
    left join wired as w on w.flow = 0 and w.is_output and w.target_index = n.index
    left join defined_source as defined on defined.node_id = w.source_id and defined.name = w.source_name
    left join first_source as drawn on drawn.flow = 0 and drawn.index = w.source_index and drawn.name = w.source_name
    left join port as passed on passed.flow = 0 and passed.index = w.source_index and passed.name = w.source_name
      and w.side = 'target'
    left join label as l on w.is_input and l.flow = 0 and l.name = w.source_label
    where n.flow = 0 and n.is_output
    group by n.label
  )
  select
    (select coalesce(array_agg(l.name order by l.number) filter (where l.flow = 0), '{}') from label as l),
    (select count(*) from label as l),
    (select array_agg(l.form_label order by l.number) from label as l where l.flow = 0),
    (
      select array_agg(h.hint order by l.number) from label as l left join hint as h on h.label = l.number
        where l.flow = 0
    ),
    (select coalesce(array_agg(k.label order by k.number), '{}') from linked as k),
    (select array_agg(k.parent order by k.number) from linked as k),
    (select array_agg(k.mask order by k.number) from linked as k),
    (select array_agg(k.call order by k.number) from linked as k),
    (
      select coalesce(
        jsonb_agg(jsonb_build_object('name', o.name, 'type', o.type, 'label', o.label) order by o.index), '[]'
      ) from output as o
    )
  into v_names, v_label_count, v_defaults, v_hints, v_labels, v_parents, v_masks, v_calls, outputs;

  -- Ports may pass a value on in a chain. The loop gives each port of a chain the label of the input at the start of
  -- the chain. Each round doubles the number of ports that the loop looks back.
  while exists (select from unnest(v_labels, v_parents) as p (label, parent) where p.label = 0 and p.parent > 0) loop
    select
      array_agg(case when p.label = 0 and p.parent > 0 then v_labels[p.parent] else p.label end order by p.number),
      array_agg(case when p.label = 0 and p.parent > 0 then v_parents[p.parent] else 0 end order by p.number)
    into v_labels, v_parents
    from unnest(v_labels, v_parents) with ordinality as p (label, parent, number);
  end loop;

  v_masks := private.label_masks(v_labels, v_masks, v_calls, v_label_count);
  inputs := private.input_descriptions(v_names, v_masks, v_defaults, v_hints);
  outputs := (
    select coalesce(jsonb_agg(jsonb_build_object('name', o.output -> 'name', 'type', coalesce(
      -- If an input feeds an output directly and has exactly one type, the output has that type.
      case jsonb_array_length(describe_snapshot.inputs -> (o.output ->> 'label')::integer - 1 -> 'type_bounds')
        when 1 then describe_snapshot.inputs -> (o.output ->> 'label')::integer - 1 #>> '{type_bounds,0}'
      end, o.output ->> 'type'
    )) order by o.position), '[]')
    from jsonb_array_elements(outputs) with ordinality as o (output, position)
  );
end;
$$;
comment on function private.describe_snapshot(jsonb) is
  'The inputs and outputs of a snapshot: inputs as in private.input_descriptions(), and outputs, {name, type} each.';
