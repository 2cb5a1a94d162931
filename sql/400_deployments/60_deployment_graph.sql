create function private.placed_graph(graph jsonb, canvas jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return placed_graph.graph || jsonb_build_object('nodes', (
    select coalesce(jsonb_agg(
      n.node || jsonb_build_object('position', c.place) order by n.position
    ), '[]')
    from jsonb_array_elements(placed_graph.graph -> 'nodes') with ordinality as n (node, position)
    left join jsonb_array_elements(placed_graph.canvas) with ordinality as c (place, position)
      on c.position = n.position
  ));
end;
$$;
comment on function private.placed_graph(jsonb, jsonb) is
  'A snapshot''s graph, {nodes, edges, environment, instructions_bundling}. Each node also has its position from private.canvas_text(), or null if the position is unknown.';

create function private.deployment_graph(id uuid)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
  v_graphs jsonb;
begin
  select jsonb_build_object('deployment_id', d.id, 'flow_id', d.entrypoint, 'flows', (
    -- If the deployed flow calls itself, the snapshot contains its graph twice: as the entry, and as a called flow. Use
    -- only the entry.
    select jsonb_object_agg(g.flow_id, private.placed_graph(g.graph, c.canvas::jsonb -> g.flow_id))
    from (
      select f.key as flow_id, f.value as graph from jsonb_each(s.data -> 'flows') as f
        where f.key <> d.entrypoint::text
      union all
      select d.entrypoint::text, s.data -> 'entry'
    ) as g
  ))
  into v_graphs
  from public.flow_deployments as d
  join private.flow_snapshots as s on s.hash = d.snapshot_hash
  left join private.flow_deployment_canvases as c on c.deployment_id = d.id
  where d.id = deployment_graph.id and d.user_id = v_user_id;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return v_graphs;
end;
$$;
comment on function private.deployment_graph(uuid) is
  'Implements public.deployment_graph. Definer, because no API role may access snapshots.';
grant execute on function private.deployment_graph(uuid) to anon, authenticated, service_role;

-- Returns {deployment_id, flow_id, flows: {"<flow id>": {nodes, edges, environment, instructions_bundling}}} with the
-- deployed flow and the flows that it calls. A graph has all members that a snapshot keeps. Nodes also have the
-- position that they had in the editor at the deploy.
create function public.deployment_graph(id uuid)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deployment_graph(id);
end;
$$;
comment on function public.deployment_graph(uuid) is
  'The graphs that runs of the caller''s deployment execute, for drawing and comparing: {deployment_id, flow_id, flows: {"<flow id>": {nodes, edges, environment, instructions_bundling}}}. 401; 404 deployment_not_found, also for another user''s deployment.';
grant execute on function public.deployment_graph(uuid) to anon, authenticated, service_role;
