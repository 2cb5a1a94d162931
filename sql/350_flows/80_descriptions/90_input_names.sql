create function private.input_names(nodes jsonb)
returns text[]
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(array_agg(named.name order by named.position), '{}')
  from (
    select label.name, min(n.position) as position
    from jsonb_array_elements(input_names.nodes) with ordinality as n (node, position)
    cross join lateral (select private.port_label(n.node -> 'data') as name offset 0) as label
    where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    group by label.name
  ) as named;
$$;
comment on function private.input_names(jsonb) is
  'The names of a graph''s inputs, as private.port_label() gives them. They are in the order of the nodes, and each name is listed once. The nodes must have no faults.';
