-- An expression, so that a planner can put it in place of the call.
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
  'The name of the one port of a flow_input or flow_output, as in the runner: the node''s label, or without one the name of its port in the JSON. Takes the node''s data.';
