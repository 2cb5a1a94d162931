-- A snapshot contains the definitions of its described nodes and of agents' tools, so later edits of a definition change
-- no deployment.

create function private.frozen_definition(node public.nodes, is_tool boolean)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'type', frozen_definition.node.type,
    'data', (
      select jsonb_object_agg(m.key, m.value) from jsonb_each(frozen_definition.node.data) as m
      where m.value <> 'null' and (
        m.key in ('node_id', 'version', 'effects', 'tags', 'implementation', 'instruction_info')
        or frozen_definition.is_tool and m.key = 'description'
      )
    ),
    'sources', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'name', p.port -> 'name', 'type', p.port -> 'type', 'optional', p.port -> 'optional'
      )) order by p.position), '[]')
      from jsonb_array_elements(frozen_definition.node.sources) with ordinality as p (port, position)
    ),
    'targets', (
      select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'name', p.port -> 'name', 'type_bounds', p.port -> 'type_bounds', 'required', p.port -> 'required',
        'passthrough', p.port -> 'passthrough',
        'tooltip', case when frozen_definition.is_tool then p.port -> 'tooltip' end
      )) order by p.position), '[]')
      from jsonb_array_elements(frozen_definition.node.targets) with ordinality as p (port, position)
    )
  );
$$;
comment on function private.frozen_definition(public.nodes, boolean) is
  'The parts of a node definition that a run needs: {type, data, sources, targets} without texts for editors. A tool keeps its description and the tooltips of its inputs, because the model reads them.';

create function private.described_definitions(nodes jsonb, owner_id uuid, out hashes jsonb, out definitions jsonb)
returns record
language plpgsql stable security definer
set search_path = ''
as $$
begin
  if not private.has_described_nodes(described_definitions.nodes) then
    return;
  end if;
  with node as materialized (
    select u.place, u.is_tool, u.use ->> 'type' as type, u.use ->> 'node_id' as node_id, u.use ->> 'version' as version
    from jsonb_array_elements(described_definitions.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    cross join lateral (
      select (n.position - 1)::text as place, false as is_tool, d.data as use
      union all
      select format('%s.%s', n.position - 1, t.index), true, t.tool -> 'node' from private.agent_tools(d.data) as t
    ) as u
    where private.is_described(u.use ->> 'type')
  ),
  found as materialized (
    select k.type, k.node_id, k.version, k.is_tool,
      encode(sha256(convert_to(f.definition::text, 'UTF8')), 'hex') as hash, f.definition
    from (select distinct n.type, n.node_id, n.version, n.is_tool from node as n) as k
    cross join lateral (
      select private.frozen_definition(d, k.is_tool) as definition from public.nodes as d
      where d.type = k.type and d.node_id = k.node_id and d.version = k.version
        and (d.owner_key = described_definitions.owner_id or d.is_public)
      order by d.owner_key = described_definitions.owner_id desc limit 1
    ) as f
  )
  select
    (
      select jsonb_object_agg(n.place, f.hash)
      from node as n
      join found as f on f.type = n.type and f.node_id = n.node_id and f.version = n.version and f.is_tool = n.is_tool
    ),
    (select jsonb_object_agg(f.hash, f.definition) from found as f)
  into described_definitions.hashes, described_definitions.definitions;
end;
$$;
comment on function private.described_definitions(jsonb, uuid) is
  'The frozen definitions of a flow''s described nodes and of agents'' tools: hashes is {"<index of the node>": hash}, with "<index>.<index of the tool>" for a tool; definitions is {"<hash>": private.frozen_definition()}. The owner''s own definition comes before a public one. A node without a definition is left out. Null if there are none. Definer, because it reads the definitions of any owner.';
