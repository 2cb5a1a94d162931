create function private.takes_connection(node_id text)
returns boolean
language sql immutable security invoker
begin atomic
  select takes_connection.node_id = 'http_request';
end;
comment on function private.takes_connection(text) is
  'Whether a native node may name a connection in data.targets_form.form_data.';

create function private.connection_uses(nodes jsonb)
returns table (node_index integer, id text, name text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Most flows name no connection. This path recognises such flows in a tenth of the time of the query below.
  if not jsonb_path_exists(connection_uses.nodes, '$[*].data.targets_form.form_data.connection ? (@ != "")') then
    return;
  end if;
  return query
  -- If a name is too long for a connection, cut it to one character more than allowed, so that it still fits no
  -- connection.
  select (n.position - 1)::integer, n.node ->> 'id',
    left(n.node #>> '{data,targets_form,form_data,connection}', private.limit_name_characters() + 1)
  from jsonb_array_elements(connection_uses.nodes) with ordinality as n (node, position)
  where n.node #>> '{data,type}' = 'native' and private.takes_connection(n.node #>> '{data,node_id}')
    and n.node #>> '{data,targets_form,form_data,connection}' <> '';
end;
$$;
comment on function private.connection_uses(jsonb) is
  'The nodes of a graph that name a connection: the index and the id of each node, and the name of the connection. An empty name counts as no name.';

-- Numbers the nodes and sorts the edges by source, so that each edge is followed only once, even in long chains.
create function private.nodes_from(nodes jsonb, edges jsonb, starts text[], is_backwards boolean)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_ids text[];
  -- The numbers of the nodes that the loop has reached, in the order in which it reached them.
  v_reached integer[];
  v_is_reached boolean[];
  -- Edge i leads from node v_from[i] to node v_to[i]. The edges are sorted by v_from. v_first[n] is the first edge that
  -- leaves node n.
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_done integer := 0;
  v_edge integer;
begin
  select array_agg(n.id order by n.position),
    array_agg(n.position order by n.position) filter (where n.is_start),
    array_agg(n.is_start order by n.position)
  into v_ids, v_reached, v_is_reached
  from (
    select e.node ->> 'id' as id, e.position,
      coalesce(e.node ->> 'id' in (select unnest(nodes_from.starts)), false) as is_start
    from jsonb_array_elements(nodes_from.nodes) with ordinality as e (node, position)
  ) as n;
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from (
    select e.edge ->> case when nodes_from.is_backwards then 'target' else 'source' end as source,
      e.edge ->> case when nodes_from.is_backwards then 'source' else 'target' end as target
    from jsonb_array_elements(nodes_from.edges) as e (edge)
  ) as e
  join unnest(v_ids) with ordinality as s (id, number) on s.id = e.source
  join unnest(v_ids) with ordinality as t (id, number) on t.id = e.target;
  v_first := array_fill(0, array[coalesce(cardinality(v_ids), 0)]);
  for v_edge in reverse coalesce(cardinality(v_from), 0)..1 loop
    v_first[v_from[v_edge]] := v_edge;
  end loop;
  while v_done < coalesce(cardinality(v_reached), 0) loop
    v_done := v_done + 1;
    v_edge := v_first[v_reached[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_reached[v_done] loop
      if not v_is_reached[v_to[v_edge]] then
        v_is_reached[v_to[v_edge]] := true;
        v_reached := v_reached || v_to[v_edge];
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  return array(select v_ids[r.number] from unnest(v_reached) as r (number));
end;
$$;
comment on function private.nodes_from(jsonb, jsonb, text[], boolean) is
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
  where u.id in (
    select e.edge ->> 'target'
    from jsonb_array_elements(open_connection_urls.edges) as e (edge)
    where e.edge ->> 'source' in (
      select unnest(private.nodes_from(open_connection_urls.nodes, open_connection_urls.edges, array(
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
