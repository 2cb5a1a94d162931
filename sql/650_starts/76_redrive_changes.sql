-- If a redrive executes another deployment, it takes an execution over only if the node is the same in the snapshots of
-- the old and the new deployment. These functions find the nodes that differ. The result is stored with the job, and
-- runner/engine/redrive/take_over.ts uses it.

create function private.changed_nodes(old jsonb, new jsonb)
returns table (node_id uuid, change text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return query
  with old_node as materialized (
    select (n.node ->> 'id')::uuid as id, n.node -> 'data' as data
    from jsonb_array_elements(private.graph_in_effect(changed_nodes.old) -> 'nodes') as n (node)
  ),
  new_node as materialized (
    select (n.node ->> 'id')::uuid as id, n.node -> 'data' as data
    from jsonb_array_elements(private.graph_in_effect(changed_nodes.new) -> 'nodes') as n (node)
  ),
  -- Compare the edges in order: if several edges lead into one input, the last of them wins.
  old_edges as materialized (
    select e.edge ->> 'target' as target, jsonb_agg(e.edge order by e.place) as edges
    from jsonb_array_elements(changed_nodes.old -> 'edges') with ordinality as e (edge, place) group by 1
  ),
  new_edges as materialized (
    select e.edge ->> 'target' as target, jsonb_agg(e.edge order by e.place) as edges
    from jsonb_array_elements(changed_nodes.new -> 'edges') with ordinality as e (edge, place) group by 1
  )
  select o.id, case when n.id is null then 'removed' when n.data <> o.data then 'data' else 'edges' end
  from old_node as o
  left join new_node as n on n.id = o.id
  left join old_edges as oe on oe.target = o.id::text
  left join new_edges as ne on ne.target = o.id::text
  where n.id is null or n.data <> o.data or oe.edges is distinct from ne.edges;
end;
$$;
comment on function private.changed_nodes(jsonb, jsonb) is
  'The nodes of the graph `old` that differ in the graph `new`. change is removed if `new` lacks the node, otherwise data or edges, for its data or its incoming edges. Changed notes and names of nodes do not count. The graphs come from snapshots; `new` may be null.';

create function private.changed_flows(old jsonb, new jsonb)
returns integer[]
language sql immutable security invoker
set search_path = ''
as $$
  with recursive call as materialized (
    select f.key::integer as caller, r.id as called
    from jsonb_each(changed_flows.old -> 'flows') as f
    cross join lateral private.interflow_references(f.value -> 'nodes') as r
  ),
  changed (id) as (
    select f.key::integer from jsonb_each(changed_flows.old -> 'flows') as f
    where private.graph_in_effect(f.value)
      is distinct from private.graph_in_effect(changed_flows.new -> 'flows' -> f.key)
    union
    select call.caller from changed join call on call.called = changed.id
  )
  select coalesce(array_agg(changed.id), '{}') from changed;
$$;
comment on function private.changed_flows(jsonb, jsonb) is
  'The ids of the called flows of an old snapshot that differ in a new snapshot. A flow that calls a differing flow, directly or through other flows, also counts.';

create function private.redrive_changes(old jsonb, new jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with graph as materialized (
    select 'entry' as key, redrive_changes.old -> 'entry' as old_graph, redrive_changes.new -> 'entry' as new_graph
    union all
    select f.key, f.value, redrive_changes.new -> 'flows' -> f.key
    from jsonb_each(redrive_changes.old -> 'flows') as f
  )
  select jsonb_object_agg(g.key, jsonb_build_object(
    'nodes', (
      select coalesce(jsonb_object_agg(c.node_id, c.change), '{}')
      from private.changed_nodes(g.old_graph, g.new_graph) as c
    ),
    'calls', (
      select coalesce(jsonb_agg(g.old_graph -> 'nodes' -> r.node_index -> 'id'), '[]')
      from private.interflow_references(g.old_graph -> 'nodes') as r
      where r.id = any (private.changed_flows(redrive_changes.old, redrive_changes.new))
    )
  ))
  from graph as g;
$$;
comment on function private.redrive_changes(jsonb, jsonb) is
  'The changes from an old snapshot to a new one: {"entry" | "<flow id>": {nodes, calls}}. nodes: the result of private.changed_nodes() as {id: change}. calls: the nodes whose called flow differs.';

-- The callers check that the user may redrive the run.
create function private.changed_effects(root_run_id uuid, old jsonb, changes jsonb)
returns jsonb
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select changed_effects.root_run_id as id, 'entry' as key, null::text as change
    union all
    select c.id, c.flow_id::text,
      case when tree.change is not null or changed_effects.changes -> tree.key -> 'nodes' ? c.parent_node_id::text
        then 'caller' end
    from tree
    cross join lateral (select r.* from public.flow_run as r where r.parent_flow_run_id = tree.id offset 0) as c
    -- If an interflow node succeeded, its own execution is checked below, so leave out the run that it called.
    where not exists (
      select from public.node_run as e
      where e.flow_run_id = c.parent_flow_run_id and e.node_id = c.parent_node_id and e.times = c.parent_times
        and e.end_time is not null and (e.errors is null or e.error_handled)
    )
  ),
  acting as materialized (
    select a.flow as key, a.node_id from private.acting_nodes_of(changed_effects.old) as a
  ),
  changed as (
    select tree.id, a.node_id, coalesce(
      tree.change, changed_effects.changes -> tree.key -> 'nodes' ->> a.node_id::text,
      case when changed_effects.changes -> tree.key -> 'calls' ? a.node_id::text then 'called_flow' end
    ) as change
    from tree join acting as a on a.key = tree.key
  )
  select coalesce(jsonb_agg(
    jsonb_build_object('flow_run_id', f.id, 'node_id', f.node_id, 'change', f.change) order by f.id, f.node_id
  ), '[]')
  from (
    select c.* from changed as c
    where c.change is not null and exists (
      select from public.node_run as e
      where e.flow_run_id = c.id and e.node_id = c.node_id and e.end_time is not null
        and (e.errors is null or e.error_handled)
    )
    order by c.id, c.node_id limit 100
  ) as f;
$$;
comment on function private.changed_effects(uuid, jsonb, jsonb) is
  'The first 100 nodes with effects that a redrive of the run can''t take over, [{flow_run_id, node_id, change}]. change: as in changed_nodes(); called_flow if the called flow differs; caller if the node that called the run differs. Definer, because it reads runs of any user.';

create function private.changes_since(run_ids uuid[], snapshot_hash bytea)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_new jsonb;
  v_run record;
  v_changes jsonb;
  v_effects jsonb := '[]';
  v_result jsonb := '{}';
begin
  for v_run in
    select j.flow_run_id, s.data
    from private.flow_run_jobs as j left join private.flow_snapshots as s on s.hash = j.snapshot_hash
    where j.flow_run_id = any (changes_since.run_ids) and j.snapshot_hash <> changes_since.snapshot_hash
  loop
    if v_run.data is null then
      perform private.fail('run_not_redrivable', 'The graph of this run is no longer stored.',
        jsonb_build_object('reason', 'snapshot_deleted'), 'Start a new run.');
    end if;
    if v_new is null then
      select s.data into v_new from private.flow_snapshots as s where s.hash = changes_since.snapshot_hash;
    end if;
    v_changes := private.redrive_changes(v_run.data, v_new);
    v_effects := v_effects || private.changed_effects(v_run.flow_run_id, v_run.data, v_changes);
    v_result := v_result || jsonb_build_object(v_run.flow_run_id::text, v_changes);
  end loop;
  if v_effects <> '[]' then
    perform private.fail('redrive_graph_changed',
      format(
        'Node %s has had its effects in this run and differs in the deployment, so a redrive would repeat the effects.',
        v_effects -> 0 ->> 'node_id'
      ),
      private.first_elements(v_effects, 100),
      'Change the nodes in details and their incoming edges back to what they were in the run, then deploy the flow. Or start a new run.');
  end if;
  return nullif(v_result, '{}');
end;
$$;
comment on function private.changes_since(uuid[], bytea) is
  'The changes from the snapshots of these root runs to a new snapshot, {"<run id>": private.redrive_changes()}; null if all runs have the new snapshot. 409 redrive_graph_changed if a node with effects differs; 409 run_not_redrivable. Definer, because no API role may access snapshots and jobs.';
