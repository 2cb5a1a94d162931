create function private.on_error_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when on_error_fault.data -> 'on_error' = 'null' then null
    when on_error_fault.data -> 'on_error' <> '"output"' then 'data.on_error: must be "output", or left out'
    when on_error_fault.data ->> 'type' = 'native' and (
      on_error_fault.data ->> 'node_id' = 'flow_input' and private.port_label(on_error_fault.data) = 'error'
      or on_error_fault.data ->> 'node_id' = 'switch'
        and jsonb_path_exists(on_error_fault.data, '$.targets_form.form_data.cases[*] ? (@.name == "error")')
    )
      then 'data.on_error: the node already has an output "error", so it can''t have on_error'
  end;
end;
$$;
comment on function private.on_error_fault(jsonb) is
  'The fault of a node''s data.on_error, or null. `data` is the node''s data. Does not check whether the node calls a flow that already has an output named error; private.called_error_findings() checks this.';
