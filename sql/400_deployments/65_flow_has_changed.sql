create function private.graph_in_effect(graph jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select graph_in_effect.graph || jsonb_build_object('nodes', (
    select coalesce(jsonb_agg(n.node #- '{data,display_name}' order by n.position), '[]')
    from jsonb_array_elements(graph_in_effect.graph -> 'nodes') with ordinality as n (node, position)
    where n.node #>> '{data,node_id}' is distinct from 'note'
  ));
$$;
comment on function private.graph_in_effect(jsonb) is
  'The given graph without its notes and without the names of its nodes. Notes and names do not change what a run does; only the messages of the run contain names.';

create function private.is_graph_of_flow(graph jsonb, flow public.flows)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_nodes jsonb;
begin
  -- The lock lets each user compare only one large graph at a time. private.reduce_flow() uses the same lock.
  if pg_column_size(is_graph_of_flow.flow.nodes) > 1048576 then
    perform pg_advisory_xact_lock(hashtextextended(format('private.freeze_flow %s', is_graph_of_flow.flow.user_id), 0));
  end if;
  v_nodes := private.nodes_to_run(is_graph_of_flow.flow.nodes);
  return private.graph_in_effect(is_graph_of_flow.graph) = private.graph_in_effect(format(
    '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}',
    private.reduce_edges(is_graph_of_flow.flow.edges), private.reduce_nodes(
      v_nodes, (private.described_definitions(v_nodes, is_graph_of_flow.flow.user_id)).hashes
    ),
    is_graph_of_flow.flow.environment, to_jsonb(is_graph_of_flow.flow.instructions_bundling)
  )::jsonb);
exception
  -- The nodes or edges are malformed, so the flow has changed since it was frozen.
  when invalid_parameter_value or invalid_text_representation then
    return false;
end;
$$;
comment on function private.is_graph_of_flow(jsonb, public.flows) is
  'True if freezing the flow now would give `graph`, a graph of a snapshot. Differences in notes and in names of nodes do not count. Definer, because no API role may call private.reduce_nodes(). The calling functions check the owner.';

create function private.flow_has_changed(id uuid)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
  v_deployment record;
  v_frozen record;
begin
  select d.entrypoint, d.created_at, s.data into v_deployment
  from public.flow_deployments as d join private.flow_snapshots as s on s.hash = d.snapshot_hash
  where d.id = flow_has_changed.id and d.user_id = v_user_id;
  if not found then
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  for v_frozen in
    select g.graph, f as flow
    from (
      select v_deployment.entrypoint as flow_id, v_deployment.data -> 'entry' as graph
      union all
      select e.key::integer, e.value from jsonb_each(v_deployment.data -> 'flows') as e
    ) as g
    left join public.flows as f on f.id = g.flow_id and f.user_id = v_user_id
    -- updated_at is the time when the transaction that changed the flow began, which may be before the deploy. So flows
    -- that changed up to a minute before the deploy are compared too. A minute is enough, because no request lasts
    -- longer.
    where f.id is null or f.updated_at > v_deployment.created_at - interval '1 minute'
      -- A definition changes without the flow.
      or private.has_described_nodes(g.graph -> 'nodes')
  loop
    if (v_frozen.flow).id is null or not private.is_graph_of_flow(v_frozen.graph, v_frozen.flow) then
      return true;
    end if;
  end loop;
  return false;
end;
$$;
comment on function private.flow_has_changed(uuid) is
  'Implements public.flow_has_changed. Definer, because no API role may access snapshots.';
grant execute on function private.flow_has_changed(uuid) to anon, authenticated, service_role;

create function public.flow_has_changed(id uuid)
returns boolean
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.flow_has_changed(id);
end;
$$;
comment on function public.flow_has_changed(uuid) is
  'Whether the flow of the caller''s deployment, or a flow that it calls, has changed since the deploy. Changed notes, positions and names of nodes do not count. 401; 404 deployment_not_found, also for another user''s deployment.';
grant execute on function public.flow_has_changed(uuid) to anon, authenticated, service_role;
