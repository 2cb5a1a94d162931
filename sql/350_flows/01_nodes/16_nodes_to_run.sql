create function private.nodes_to_run(nodes jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
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
$$;
comment on function private.nodes_to_run(jsonb) is
  'The nodes of a flow as a run executes them: the native node `disabled` takes the place of each node whose data.disabled is true. It keeps the ports, the name and the on_error of the disabled node. The nodes need not be checked.';
