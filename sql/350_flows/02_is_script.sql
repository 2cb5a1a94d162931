create function private.is_script(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_script.node_id in ('rhai_script', 'javascript') or is_script.node_id like 'rhai\_script\_%';
end;
comment on function private.is_script(text) is
  'Whether a native node runs a script that the flow''s author wrote. The flow''s JSON declares the inputs and outputs of such a node, and each output may stay unset.';

create function private.draws_inputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_inputs.node_id in ('interflow', 'interflow_instructions') or private.is_script(draws_inputs.node_id);
end;
comment on function private.draws_inputs(text) is
  'Whether the flow''s JSON, not the definition, declares the inputs of a native node.';

create function private.draws_outputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_outputs.node_id in ('interflow', 'switch', 'fileexplorer') or private.is_script(draws_outputs.node_id);
end;
comment on function private.draws_outputs(text) is
  'Whether the flow''s JSON, not the definition, declares the outputs of a native node.';
