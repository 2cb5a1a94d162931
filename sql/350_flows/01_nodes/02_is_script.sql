create function private.is_script(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_script.node_id in ('rhai_script', 'javascript') or is_script.node_id like 'rhai\_script\_%';
end;
comment on function private.is_script(text) is
  'True for a native node that runs a script of the flow''s author. The flow''s JSON declares the inputs and outputs of such a node. The script may leave any of its outputs unset.';

create function private.draws_inputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_inputs.node_id in ('interflow', 'interflow_instructions', 'disabled') or private.is_script(draws_inputs.node_id);
end;
comment on function private.draws_inputs(text) is
  'True for a native node whose inputs come from the flow''s JSON instead of the node definition.';

create function private.draws_outputs(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select draws_outputs.node_id in ('interflow', 'switch', 'fileexplorer', 'disabled') or private.is_script(draws_outputs.node_id);
end;
comment on function private.draws_outputs(text) is
  'True for a native node whose outputs come from the flow''s JSON instead of the node definition.';
