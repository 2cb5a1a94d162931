create function private.port_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    -- These two paths are strict. In a lax path, the filter would test the elements of an inner array instead of the
    -- inner array itself.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source must be an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target must be an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source must have a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target must have a string id, a string name, '
        'an array type_bounds, and booleans required and passthrough'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
        where port -> 'when_absent' not in ('"run"', '"run_unless_failed"', 'null')
    )
      then 'data.targets: when_absent of a target must be "run" or "run_unless_failed", or left out'
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'sources') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > private.limit_port_name_characters()
    )
      then format('data.sources: the id and the name of a source may have at most %s characters',
        private.limit_port_name_characters())
    when exists (
      select from jsonb_array_elements(port_fault.data -> 'targets') as port
      where greatest(length(port ->> 'id'), length(port ->> 'name')) > private.limit_port_name_characters()
    )
      then format('data.targets: the id and the name of a target may have at most %s characters',
        private.limit_port_name_characters())
  end;
end;
$$;
comment on function private.port_fault(jsonb) is
  'The first fault in the ports of a node; null if the runner can read all ports. `data` is the node''s data, whose sources and targets must be arrays.';

create function private.node_faults(nodes jsonb)
returns table (node_index integer, fault text)
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- First check all ports in one pass. Each row of the subquery has the nth source and the nth target of one node. If a
  -- port has a fault, the query below checks the ports of each node to name the fault.
  v_has_bad_ports constant boolean := coalesce((
    -- Measure only the texts of the few ports whose total number of bytes exceeds the character limit of a name.
    select bool_or(
      port.source is not null and (
        jsonb_typeof(port.source -> 'id') = 'string' and jsonb_typeof(port.source -> 'name') = 'string'
        and (
          pg_column_size(port.source) <= private.limit_port_name_characters()
            or greatest(length(port.source ->> 'id'), length(port.source ->> 'name'))
              <= private.limit_port_name_characters()
        )
      ) is not true
      or port.target is not null and (
        jsonb_typeof(port.target -> 'id') = 'string' and jsonb_typeof(port.target -> 'name') = 'string'
        and (
          pg_column_size(port.target) <= private.limit_port_name_characters()
            or greatest(length(port.target ->> 'id'), length(port.target ->> 'name'))
              <= private.limit_port_name_characters()
        )
        and jsonb_typeof(port.target -> 'type_bounds') = 'array'
        and jsonb_typeof(port.target -> 'required') = 'boolean'
          and jsonb_typeof(port.target -> 'passthrough') = 'boolean'
        and coalesce(port.target ->> 'when_absent', 'run') in ('run', 'run_unless_failed')
      ) is not true
    )
    from (
      select
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'sources') = 'array' then d.data -> 'sources' end
        ) as source,
        jsonb_array_elements(
          case when jsonb_typeof(d.data -> 'targets') = 'array' then d.data -> 'targets' end
        ) as target
      from jsonb_array_elements(node_faults.nodes) as n (node)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Extract `data` once here instead of in each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node must be an object'
    -- A single pattern for the whole id would take four times as long as these three tests.
    when (
      n.node ->> 'id' like '________-____-____-____-____________' and length(replace(n.node ->> 'id', '-', '')) = 32
      and n.node ->> 'id' !~ '[^-0-9a-f]'
    ) is not true
      then 'id: must be a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: must be an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
        and not private.is_described(d.data ->> 'type')
      then 'data.type: must be native, openapi, mcp, solana, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: must be a string'
    when length(d.data ->> 'node_id') > private.limit_node_id_characters()
      then format('data.node_id: must have at most %s characters', private.limit_node_id_characters())
    when private.is_described(d.data ->> 'type') and jsonb_typeof(d.data -> 'version') is distinct from 'string'
      then 'data.version: must be a string'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: must be an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: must be an array'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    -- Editors may store null for a member that is not set.
    when d.data ? 'retry' and d.data -> 'retry' <> 'null' and private.retry_fault(d.data -> 'retry') is not null
      then private.retry_fault(d.data -> 'retry')
    when d.data ? 'on_error' and private.on_error_fault(d.data) is not null then private.on_error_fault(d.data)
    when d.data ? 'timeout_ms' and d.data -> 'timeout_ms' <> 'null' and (
      case jsonb_typeof(d.data -> 'timeout_ms') when 'number' then
        (d.data -> 'timeout_ms')::numeric between 1 and private.limit_timeout_ms()
          and (d.data -> 'timeout_ms')::numeric % 1 = 0
      end
    ) is not true
      then format('data.timeout_ms: must be an integer from 1 to %s', private.limit_timeout_ms())
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > private.limit_port_name_characters()
      then format('data.targets_form.form_data.label: must have at most %s characters',
        private.limit_port_name_characters())
    when d.data ->> 'node_id' = 'flow_input' and d.data ->> 'type' = 'native'
        and private.typed_input_fault(d.data) is not null
      then private.typed_input_fault(d.data)
    when d.data ->> 'node_id' = 'switch' and d.data ->> 'type' = 'native' then private.switch_fault(d.data)
    when d.data ->> 'node_id' in ('rhai_script', 'javascript') and d.data ->> 'type' = 'native'
      then private.script_port_fault(d.data)
  end) as f (fault)
  where f.fault is not null
  order by n.position limit private.limit_listed_findings() + 1;
end;
$$;
comment on function private.node_faults(jsonb) is
  'The first fault of each malformed node, for at most limit_listed_findings() + 1 nodes. First call private.flow_size_findings(), which bounds nodes and ports. Checks the members that the editor must set, and members that only this project defines, such as data.retry.';
