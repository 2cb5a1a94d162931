-- Finds the nodes of a graph that may send the owner's data to other servers. A flow acts with the rights of its owner,
-- so a flow that a stranger has drawn could send away what it reads.

create function private.reads_owner_data(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select reads_owner_data.node_id in (
    'kv_read_item', 'kv_write_item', 'postgrest_execute_query', 'sql_function', 'storage_create_signed_url',
    'storage_download', 'storage_get_file_metadata', 'storage_list'
  );
end;
comment on function private.reads_owner_data(text) is
  'Whether outputs of a native node have contents of the owner''s rows, files or key-value stores.';

create function private.data_nodes(nodes jsonb, edges jsonb, data_flows jsonb)
returns table (id text, reads boolean, sends boolean)
language plpgsql immutable security invoker
set search_path = ''
set enable_nestloop = off
as $$
begin
  return query
  with node as materialized (
    select (n.position - 1)::integer as index, n.node ->> 'id' as id,
      case n.node #>> '{data,type}' when 'native' then n.node #>> '{data,node_id}' else '' end as node_id,
      n.node #> '{data,targets_form,form_data}' as form_data,
      private.requests_address(n.node #>> '{data,type}') as is_request
    from jsonb_array_elements(data_nodes.nodes) with ordinality as n (node, position)
  ),
  call as materialized (
    select r.node_index, bool_or(coalesce(data_nodes.data_flows -> 'reads' @> to_jsonb(r.id), false)) as reads,
      bool_or(coalesce(data_nodes.data_flows -> 'sends' @> to_jsonb(r.id), false)) as sends
    from private.interflow_references(data_nodes.nodes) as r
    group by r.node_index
  ),
  -- The nodes that send a request only if one of their inputs has an address.
  addressed as materialized (
    select n.id, n.node_id
    from node as n
    join (values
      ('api_input', 'webhook_url'), ('postgrest_new_query', 'url'), ('postgrest_new_rpc', 'url')
    ) as a (node_id, input) on a.node_id = n.node_id
    where case jsonb_typeof(n.form_data) when 'object'
        then coalesce(n.form_data ->> a.input, '') <> '' else false end
      or (n.id, a.input) in (
        select e.target, e.target_port from private.flow_edges(data_nodes.nodes, data_nodes.edges) as e
          where e.target_port in ('webhook_url', 'url')
      )
  ),
  -- A query with an address is built by some nodes and sent by another one.
  foreign_query as materialized (
    select exists (select from addressed as a where a.node_id <> 'api_input')
      or jsonb_path_exists(data_nodes.nodes, '$[*].data.targets_form.form_data.query.url ? (@ != null)') as exists
  )
  select * from (
    select n.id,
      private.reads_owner_data(n.node_id) or coalesce(c.reads, false) as reads,
      n.node_id in ('das_api', 'http_request', 'ai_chat', 'ai_agent') or n.is_request
        or n.node_id = 'api_input' and n.id in (select a.id from addressed as a)
        or n.node_id = 'postgrest_execute_query' and f.exists
        or coalesce(c.sends, false) as sends
    from node as n
    cross join foreign_query as f
    left join call as c on c.node_index = n.index
  ) as d
  where d.reads or d.sends;
end;
$$;
comment on function private.data_nodes(jsonb, jsonb, jsonb) is
  'The nodes of a graph that read the owner''s rows, files or stores, and those that send requests to other servers. `data_flows` has the called flows with such nodes, as private.data_flows() returns them.';

create function private.data_flows(snapshot jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if data_flows.snapshot -> 'flows' = '{}' then
    return '{}';
  end if;
  return (
    with recursive flow as materialized (
      select f.key::integer as id, f.value -> 'nodes' as nodes, f.value -> 'edges' as edges
      from jsonb_each(data_flows.snapshot -> 'flows') as f
    ),
    call as materialized (
      select distinct f.id as caller, r.id as called
      from flow as f cross join lateral private.interflow_references(f.nodes) as r
    ),
    found (kind, id) as (
      select k.kind, f.id
      from flow as f
      cross join lateral private.data_nodes(f.nodes, f.edges, '{}') as d
      cross join lateral (values ('reads', d.reads), ('sends', d.sends)) as k (kind, is_so)
      where k.is_so
      union
      select found.kind, c.caller from found join call as c on c.called = found.id
    )
    select coalesce(jsonb_object_agg(k.kind, k.ids), '{}')
      from (select found.kind, jsonb_agg(found.id) as ids from found group by found.kind) as k
  );
end;
$$;
comment on function private.data_flows(jsonb) is
  'The ids of called flows in a snapshot that read the owner''s data, and of those that send requests to other servers: {reads, sends}, without empty arrays. A flow does so if one of its nodes does, or a flow that it calls.';

create function private.owner_data_leaks(nodes jsonb, edges jsonb, data_flows jsonb)
returns table (node_index integer)
language plpgsql immutable security invoker
set search_path = ''
set enable_nestloop = off
as $$
declare
  v_readers text[];
  v_senders text[];
begin
  -- Most flows read no data of the owner. For them, this cheap test is enough.
  if not owner_data_leaks.data_flows ? 'reads' and not exists (
    select from jsonb_path_query(owner_data_leaks.nodes, '$[*].data.node_id') as i (node_id)
    where private.reads_owner_data(i.node_id #>> '{}')
  ) then
    return;
  end if;
  select array_agg(d.id) filter (where d.reads), array_agg(d.id) filter (where d.sends) into v_readers, v_senders
  from private.data_nodes(owner_data_leaks.nodes, owner_data_leaks.edges, owner_data_leaks.data_flows) as d;
  if v_readers is null or v_senders is null then
    return;
  end if;
  return query
  select (n.position - 1)::integer
  from jsonb_array_elements(owner_data_leaks.nodes) with ordinality as n (node, position)
  where n.node ->> 'id' in (
    select unnest(v_senders)
    intersect
    select unnest(private.nodes_from(owner_data_leaks.edges, array(
      select e.edge ->> 'target' from jsonb_array_elements(owner_data_leaks.edges) as e (edge)
      where e.edge ->> 'source' in (select unnest(v_readers))
    ), false))
    union
    -- An agent sends to its model what its tools read.
    select a.node ->> 'id' from jsonb_array_elements(owner_data_leaks.nodes) as a (node)
    where a.node #>> '{data,node_id}' = 'ai_agent' and a.node ->> 'id' = any (v_readers)
  );
end;
$$;
comment on function private.owner_data_leaks(jsonb, jsonb, jsonb) is
  'The nodes of a graph that send requests to other servers and depend on a node that reads the owner''s rows, files or stores. `data_flows` as for private.data_nodes().';
