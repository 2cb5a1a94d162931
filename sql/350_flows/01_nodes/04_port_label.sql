-- The body is a single expression, so that the planner can inline this function.
create function private.port_label(data jsonb)
returns text
language sql immutable security invoker
return coalesce(
  case jsonb_typeof(data #> '{targets_form,form_data,label}')
    when 'string' then data #>> '{targets_form,form_data,label}'
  end,
  data -> case data ->> 'node_id' when 'flow_input' then 'sources' else 'targets' end -> 0 ->> 'name',
  ''
);
comment on function private.port_label(jsonb) is
  'The name of the only port of a flow_input or flow_output node. This is the node''s label, or if the node has no label, the port''s name in the flow''s JSON. The runner uses the same name. `data` is the node''s data.';
