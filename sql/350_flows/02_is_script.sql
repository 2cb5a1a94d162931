create function private.is_script(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_script.node_id = 'javascript' or is_script.node_id like 'rhai\_script\_%';
end;
comment on function private.is_script(text) is
  'Whether a native node runs a script that the flow''s author wrote. The flow''s JSON declares the inputs and outputs of such a node, and each output may stay unset.';
