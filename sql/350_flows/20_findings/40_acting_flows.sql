-- Finds the nodes that have effects outside of a run or ask a person, and the flows that contain such nodes. hasEffects
-- in runner/engine/graph/graph.ts has the same rule.

create function private.acting_nodes(
  nodes jsonb, edges jsonb, acting_flows jsonb, definitions jsonb default null
)
returns table (node_id text, is_settled boolean)
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return query
  with node as materialized (
    select d.node ->> 'id' as id, private.node_key(d.node -> 'data') as node_id,
      d.node #> '{data,targets_form,form_data}' as form_data
    from jsonb_array_elements(acting_nodes.nodes) as d (node)
  ),
  definition as materialized (
    select d.node_key as node_id, coalesce(d.data ->> 'effects', 'none') as effects,
      d.targets @> '[{"name": "submit"}]' and d.sources @> '[{"name": "signature"}]' as is_settled
    from private.definitions_of_keys(
      array(select distinct n.node_id from node as n), acting_nodes.definitions
    ) as d
  ),
  -- The nodes whose effects depend on the value of one input. If an edge leads into that input, only a run determines
  -- its value, so the node counts as a node with effects.
  decided as materialized (
    select n.id, n.node_id, d.input,
      case jsonb_typeof(n.form_data) when 'object' then n.form_data -> d.input end as value
    from node as n
    join (values
      ('http_request', 'method'), ('das_api', 'method'), ('postgrest_execute_query', 'query')
    ) as d (node_id, input) on d.node_id = n.node_id
  ),
  given as materialized (
    select e.target, e.target_port
    from private.flow_edges(acting_nodes.nodes, acting_nodes.edges) as e
    where e.target_port in ('method', 'query') and exists (select from decided)
  ),
  safe as (
    select d.id from decided as d
    where case d.node_id
      when 'http_request' then case coalesce(jsonb_typeof(d.value), 'null')
        when 'null' then true when 'string' then upper(d.value #>> '{}') in ('GET', 'HEAD', 'OPTIONS') else false
      end
      when 'das_api' then jsonb_typeof(d.value) = 'string' and d.value #>> '{}' ~* '^(get|is|search|simulate)'
      else d.value -> 'method' = '"GET"'
    end
    and (d.id, d.input) not in (select g.target, g.target_port from given as g)
  )
  select n.id, coalesce(d.is_settled, false)
  from node as n left join definition as d on d.node_id = n.node_id
  where case
    when n.node_id in ('interflow', 'interflow_instructions') then
      acting_nodes.acting_flows -> case n.node_id when 'interflow' then 'all' else 'without_instructions' end
        @> to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
    -- An agent has the effects of its tools.
    when n.node_id = 'ai_agent' then exists (
      select from jsonb_path_query(n.form_data, '$.tools[*].flow') as t (flow)
      where acting_nodes.acting_flows -> 'all' @> to_jsonb(private.integer_or_null(t.flow #>> '{}'))
    ) or exists (
      select from jsonb_path_query(n.form_data, '$.tools[*].node.definition') as t (hash)
      where coalesce(acting_nodes.definitions -> (t.hash #>> '{}') #>> '{data,effects}', 'once') <> 'none'
    )
    when n.node_id = 'api_input' then true
    else coalesce(d.effects, 'none') <> 'none' and n.id not in (select s.id from safe as s)
  end;
end;
$$;
comment on function private.acting_nodes(jsonb, jsonb, jsonb, jsonb) is
  'The nodes of a graph that have effects or ask a person. `acting_flows` lists the called flows that have effects, as private.acting_flows() returns them. `definitions` are those of the snapshot. is_settled is true if the node has effects only through the instructions that it makes.';

create function private.acting_flows(snapshot jsonb)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  if acting_flows.snapshot -> 'flows' = '{}' then
    return '{}';
  end if;
  return (
    with recursive flow as materialized (
      select f.key::integer as id, f.value -> 'nodes' as nodes, f.value -> 'edges' as edges
      from jsonb_each(acting_flows.snapshot -> 'flows') as f
    ),
    own as materialized (
      select f.id, bool_and(a.is_settled) as is_settled
      from flow as f cross join lateral private.acting_nodes(
        f.nodes, f.edges, '{}', acting_flows.snapshot -> 'definitions'
      ) as a
      group by f.id
    ),
    call as materialized (
      select distinct f.id as caller, r.id as called from flow as f
        cross join lateral private.interflow_references(f.nodes) as r
    ),
    acting (kind, id) as (
      select k.kind, o.id from own as o cross join (values ('all'), ('without_instructions')) as k (kind)
      where k.kind = 'all' or not o.is_settled
      union
      select a.kind, c.caller from acting as a join call as c on c.called = a.id
    )
    select coalesce(jsonb_object_agg(k.kind, k.ids), '{}')
      from (select a.kind, jsonb_agg(a.id) as ids from acting as a group by a.kind) as k
  );
end;
$$;
comment on function private.acting_flows(jsonb) is
  'The ids of called flows with effects in a snapshot: {all, without_instructions}, without empty arrays. A flow has effects if one of its nodes, or a flow that it calls, has effects. For `without_instructions`, a node does not count if its only effects are the instructions that it makes.';

-- A node without a published definition may have any effects.
create function private.unpublished_nodes(snapshot jsonb)
returns table (flow text, node_id uuid)
language sql stable security invoker
set search_path = ''
as $$
  select g.flow, (n.node ->> 'id')::uuid
  from (
    select 'entry' as flow, unpublished_nodes.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(unpublished_nodes.snapshot -> 'flows') as f
  ) as g
  cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
  where n.node #>> '{data,type}' = 'native' and not exists (
    select from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = n.node #>> '{data,node_id}'
  );
$$;
comment on function private.unpublished_nodes(jsonb) is
  'The native nodes of a snapshot whose definition the service role has not published. flow is `entry` or the id of a called flow.';

create function private.has_effects(snapshot jsonb)
returns boolean
language sql stable security invoker
set search_path = ''
as $$
  select exists (
    select from private.acting_nodes(
      has_effects.snapshot #> '{entry,nodes}', has_effects.snapshot #> '{entry,edges}',
      private.acting_flows(has_effects.snapshot), has_effects.snapshot -> 'definitions'
    )
  ) or exists (select from private.unpublished_nodes(has_effects.snapshot));
$$;
comment on function private.has_effects(jsonb) is
  'True if a run of the snapshot may have effects outside of the run, or may ask a person.';

create function private.acting_nodes_of(snapshot jsonb)
returns table (flow text, node_id uuid)
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return query
  with graph as materialized (
    select 'entry' as flow, acting_nodes_of.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(acting_nodes_of.snapshot -> 'flows') as f
  )
  select g.flow, a.node_id::uuid
  from graph as g
  cross join lateral private.acting_nodes(
    g.graph -> 'nodes', g.graph -> 'edges', private.acting_flows(acting_nodes_of.snapshot),
    acting_nodes_of.snapshot -> 'definitions'
  ) as a
  union
  select u.flow, u.node_id from private.unpublished_nodes(acting_nodes_of.snapshot) as u;
end;
$$;
comment on function private.acting_nodes_of(jsonb) is
  'The nodes of a snapshot that a redrive must not repeat without need, because they may have effects. flow is `entry` or the id of a called flow.';
