-- Functions that read definitions know a node by its key. The key of a described node contains the hash of its frozen
-- definition, so one list of definitions serves native and described nodes.

create function private.node_key(data jsonb)
returns text
language sql immutable security invoker
begin atomic
  select case
    when node_key.data ->> 'type' = 'native' then node_key.data ->> 'node_id'
    when private.is_described(node_key.data ->> 'type') then coalesce('/' || (node_key.data ->> 'definition'), '')
    else ''
  end;
end;
comment on function private.node_key(jsonb) is
  'The key of a node''s definition: the node_id of a native node, / and the hash in data.definition for a described one; empty if nothing executes the node. `data` is the node''s data in a snapshot.';

create function private.definitions_of_keys(keys text[], frozen jsonb)
returns table (node_key text, data jsonb, sources jsonb, targets jsonb, properties jsonb)
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return query
  (
    select distinct on (d.node_id) d.node_id, d.data, d.sources, d.targets,
      d."targets_form.json_schema" -> 'properties'
    from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = any (definitions_of_keys.keys)
    order by d.node_id, d.created_at desc, d.version desc
  )
  union all
  select '/' || f.key, f.value -> 'data', f.value -> 'sources', f.value -> 'targets', null
  from jsonb_each(definitions_of_keys.frozen) as f
  where '/' || f.key = any (definitions_of_keys.keys);
end;
$$;
comment on function private.definitions_of_keys(text[], jsonb) is
  'The definitions of nodes with these keys: for native nodes the newest one that the service role has stored, for described nodes the one in `frozen`, the definitions of a snapshot.';
