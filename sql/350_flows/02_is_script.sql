create function private.is_script(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select is_script.node_id = 'javascript' or is_script.node_id like 'rhai\_script\_%';
end;
comment on function private.is_script(text) is
  'Whether a native node runs a script of its author. Its inputs and outputs are those that the flow''s JSON declares, and each output may stay unset.';
