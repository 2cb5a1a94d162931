create function private.takes_connection(data jsonb)
returns boolean
language sql immutable security invoker
begin atomic
  select case
    when takes_connection.data ->> 'type' = 'native'
      then takes_connection.data ->> 'node_id' in ('http_request', 'ai_chat', 'ai_agent')
    else private.requests_address(takes_connection.data ->> 'type')
  end;
end;
comment on function private.takes_connection(jsonb) is
  'Whether a node with this data may name a connection in data.targets_form.form_data.';

create function private.connection_uses(nodes jsonb)
returns table (node_index integer, id text, name text, field text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Most flows name no connection. This path recognises such flows in a tenth of the time of the query below.
  if not jsonb_path_exists(
    connection_uses.nodes,
    '$[*].data.targets_form.form_data ? (@.connection != "" || @.tools[*].node.form_data.connection != "")'
  ) then
    return;
  end if;
  return query
  -- If a name is too long for a connection, cut it to one character more than allowed, so that it still fits no
  -- connection.
  select (n.position - 1)::integer, n.node ->> 'id', left(c.name, private.limit_name_characters() + 1), c.field
  from jsonb_array_elements(connection_uses.nodes) with ordinality as n (node, position)
  cross join lateral (
    select n.node #>> '{data,targets_form,form_data,connection}' as name, 'connection' as field
    where private.takes_connection(n.node -> 'data')
    union all
    select t.tool #>> '{node,form_data,connection}', format('tools[%s].node.form_data.connection', t.index)
    from private.agent_tools(n.node -> 'data') as t
    where private.requests_address(t.tool #>> '{node,type}')
  ) as c
  where c.name <> '';
end;
$$;
comment on function private.connection_uses(jsonb) is
  'The nodes of a graph that name a connection: the index and the id of each node, the name of the connection, and the field of the form data. A tool of an agent may name one, too. An empty name counts as no name.';

create function private.nodes_from(edges jsonb, starts text[], is_backwards boolean)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The nodes to which the edges of each node lead. A look-up takes the same time however many edges there are, so even
  -- a long chain of nodes takes linear time.
  v_next constant jsonb := (
    select jsonb_object_agg(e.source, e.targets)
    from (
      select pair.source, jsonb_agg(pair.target) as targets
      from jsonb_array_elements(nodes_from.edges) as e (edge)
      cross join lateral (select
        e.edge ->> case when nodes_from.is_backwards then 'target' else 'source' end,
        e.edge -> case when nodes_from.is_backwards then 'source' else 'target' end
      ) as pair (source, target)
      where pair.source is not null
      group by pair.source
    ) as e
  );
begin
  return array(
    with recursive reached (id) as (
      select unnest(nodes_from.starts)
      union
      select n.id from reached as r cross join lateral jsonb_array_elements_text(v_next -> r.id) as n (id)
    )
    select r.id from reached as r
  );
end;
$$;
comment on function private.nodes_from(jsonb, text[], boolean) is
  'The ids of the nodes `starts` of a graph, and of all nodes that the edges lead to from there. If is_backwards is true, the edges are followed against their direction.';

create function private.open_connection_urls(nodes jsonb, edges jsonb)
returns table (node_index integer, name text)
language plpgsql immutable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph, and nested loops could take quadratic time.
set enable_nestloop = off
as $$
begin
  if not exists (select from private.connection_uses(open_connection_urls.nodes)) then
    return;
  end if;
  return query
  select u.node_index, u.name
  from private.connection_uses(open_connection_urls.nodes) as u
  -- The address of a described node is in its form data, so no caller chooses it.
  where open_connection_urls.nodes -> u.node_index #>> '{data,type}' = 'native' and u.field = 'connection'
    and u.id in (
    select e.edge ->> 'target'
    from jsonb_array_elements(open_connection_urls.edges) as e (edge)
    where e.edge ->> 'source' in (
      select unnest(private.nodes_from(open_connection_urls.edges, array(
        select n.node ->> 'id' from jsonb_array_elements(open_connection_urls.nodes) as n (node)
        where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
      ), false))
    )
      -- Look up the handle in the whole flow, because it may be a port of a node other than the target of the edge.
      and e.edge ->> 'targetHandle' in (
        select t.port ->> 'id'
        from jsonb_path_query(open_connection_urls.nodes, '$[*].data.targets[*] ? (@.name == "url")') as t (port)
      )
  );
end;
$$;
comment on function private.open_connection_urls(jsonb, jsonb) is
  'The nodes that name a connection and whose input `url` depends on a flow input. The caller who starts such a flow can choose which URL gets the secret. The URL must match the hosts of the connection.';
