-- A described node has no code of its own: an adapter in runner/described/ executes what `data.implementation` of its
-- definition describes. DESCRIBED_TYPES in types/described/types.ts lists the same types.

create function private.is_described(type text)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(is_described.type in ('openapi', 'mcp', 'solana'), false);
end;
comment on function private.is_described(text) is
  'True for the types of definitions and nodes that carry data.implementation.';
grant execute on function private.is_described(text) to authenticated, service_role;

create function private.requests_address(type text)
returns boolean
language sql immutable security invoker
begin atomic
  select coalesce(requests_address.type in ('openapi', 'mcp'), false);
end;
comment on function private.requests_address(text) is
  'True for the types of described nodes that send requests to an address in their definition or form data, perhaps with a connection.';

create function private.has_described_nodes(nodes jsonb)
returns boolean
language sql immutable security invoker
begin atomic
  select exists (
    select from jsonb_path_query(has_described_nodes.nodes, '$[*].data.type') as t (type)
    where private.is_described(t.type #>> '{}')
  ) or jsonb_path_exists(has_described_nodes.nodes, '$[*].data.targets_form.form_data.tools[*].node');
end;
comment on function private.has_described_nodes(jsonb) is
  'True if a graph has nodes of a type of private.is_described(), or agents with such tools.';

create function private.agent_tools(data jsonb)
returns table (index integer, tool jsonb)
language sql immutable security invoker
begin atomic
  select (t.position - 1)::integer, t.tool
  from jsonb_array_elements(
    case when agent_tools.data ->> 'type' = 'native' and agent_tools.data ->> 'node_id' = 'ai_agent'
      and jsonb_typeof(agent_tools.data #> '{targets_form,form_data,tools}') = 'array'
      then agent_tools.data #> '{targets_form,form_data,tools}' else '[]' end
  ) with ordinality as t (tool, position);
end;
comment on function private.agent_tools(jsonb) is
  'The tools of an agent, each with its index. A tool with a member `node` is a described node, any other one a flow. `data` is the data of any node; other nodes than agents have no tools.';

create function private.json_bytes(value jsonb)
returns bigint
language sql immutable security invoker
set search_path = ''
as $$
  with recursive part as (
    select json_bytes.value as value, '' as name
    union all
    select inside.value, inside.name
    from part
    cross join lateral (
      select m.value, m.key as name
      from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
      union all
      select e.value, ''
      from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
    ) as inside
  )
  select sum(8 + octet_length(part.name)
    + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end)
  from part;
$$;
comment on function private.json_bytes(jsonb) is
  'The size of a JSON value as limits of definitions count it: strings and member names in UTF-8, and 8 bytes for each value. The caller bounds the depth.';
grant execute on function private.json_bytes(jsonb) to authenticated, service_role;

create function private.implementation_fault(implementation jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when jsonb_typeof(implementation_fault.implementation) is null
      or implementation_fault.implementation = 'null' then 'is missing'
    when jsonb_typeof(implementation_fault.implementation) <> 'object' then 'must be an object'
    when private.json_bytes(implementation_fault.implementation) > private.limit_implementation_bytes()
      then format('holds more than %s', private.size_text(private.limit_implementation_bytes()))
  end;
end;
$$;
comment on function private.implementation_fault(jsonb) is
  'The fault of data.implementation of a described definition, or null. The adapter of the type checks the content.';
grant execute on function private.implementation_fault(jsonb) to authenticated, service_role;
