-- A snapshot contains the definitions of its described nodes, so later edits of a definition change no deployment.

create function private.frozen_definition(node public.nodes)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_build_object(
    'type', frozen_definition.node.type,
    'data', (
      select jsonb_object_agg(m.key, m.value) from jsonb_each(frozen_definition.node.data) as m
      where m.key in ('node_id', 'version', 'effects', 'tags', 'implementation', 'instruction_info')
        and m.value <> 'null'
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
        'passthrough', p.port -> 'passthrough'
      )) order by p.position), '[]')
      from jsonb_array_elements(frozen_definition.node.targets) with ordinality as p (port, position)
    )
  );
$$;
comment on function private.frozen_definition(public.nodes) is
  'The parts of a node definition that a run needs: {type, data, sources, targets} without texts for editors.';

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
    select (n.position - 1)::integer as index, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
      d.data ->> 'version' as version
    from jsonb_array_elements(described_definitions.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where private.is_described(d.data ->> 'type')
  ),
  found as materialized (
    select k.type, k.node_id, k.version, encode(sha256(convert_to(f.definition::text, 'UTF8')), 'hex') as hash,
      f.definition
    from (select distinct n.type, n.node_id, n.version from node as n) as k
    cross join lateral (
      select private.frozen_definition(d) as definition from public.nodes as d
      where d.type = k.type and d.node_id = k.node_id and d.version = k.version
        and (d.owner_key = described_definitions.owner_id or d.is_public)
      order by d.owner_key = described_definitions.owner_id desc limit 1
    ) as f
  )
  select
    (
      select jsonb_object_agg(n.index, f.hash)
      from node as n
      join found as f on f.type = n.type and f.node_id = n.node_id and f.version = n.version
    ),
    (select jsonb_object_agg(f.hash, f.definition) from found as f)
  into described_definitions.hashes, described_definitions.definitions;
end;
$$;
comment on function private.described_definitions(jsonb, uuid) is
  'The frozen definitions of a flow''s described nodes: hashes is {"<index of the node>": hash}, definitions is {"<hash>": private.frozen_definition()}. The owner''s own definition comes before a public one. A node without a definition is left out. Null if there are none. Definer, because it reads the definitions of any owner.';
