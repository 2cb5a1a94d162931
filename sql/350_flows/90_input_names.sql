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
  'The names of a graph''s inputs in the order of its nodes, each once. The name is the label of a flow_input, or the name of its output if it has no label, as in the runner. The nodes must have no faults.';
