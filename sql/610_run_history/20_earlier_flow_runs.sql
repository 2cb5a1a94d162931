create function private.earlier_run_tree(run_ids uuid[])
returns table (id uuid, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer)
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select u.id, null::uuid as parent_flow_run_id, null::uuid as parent_node_id, null::integer as parent_times
    from unnest(earlier_run_tree.run_ids) as u (id)
    union all
    -- `offset 0` forces one search of an index for each run, as in flow_run_history.
    select c.id, c.parent_flow_run_id, c.parent_node_id, c.parent_times
    from tree
    cross join lateral (select r.* from public.flow_run as r where r.parent_flow_run_id = tree.id offset 0) as c
    -- If an interflow node succeeded, only its outputs are needed, so leave out the run that it called. A node whose
    -- failure was handled counts as succeeded.
    where not exists (
      select from public.node_run as e
      where e.flow_run_id = c.parent_flow_run_id and e.node_id = c.parent_node_id and e.times = c.parent_times
        and e.end_time is not null and (e.errors is null or e.error_handled)
    )
  )
  select tree.id, tree.parent_flow_run_id, tree.parent_node_id, tree.parent_times from tree;
$$;
comment on function private.earlier_run_tree(uuid[]) is
  'The given root runs and the runs that they called. A called run is left out if the interflow node that called it succeeded, because a redrive takes over the node''s outputs. Definer, because it reads runs of any user. Its callers check the user.';

create function private.earlier_flow_runs(flow_run_id uuid, after jsonb, max_bytes integer)
returns json
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_roots uuid[];
  v_named jsonb;
  v_changes jsonb;
  v_repeat_effects jsonb;
  v_input_nodes uuid[];
  v_tree_ids uuid[];
  v_is_first boolean := earlier_flow_runs.after ->> 'flow_run_id' is null;
  v_page record;
begin
  select coalesce(j.redriven_from, '{}'), coalesce(j.settings #> '{partial_config,runs}', '{}'), j.redrive_changes,
    j.settings -> 'repeat_effects',
    -- If the graph has changed, all executions are found by their inputs. Otherwise only those with effects are.
    case when j.redrive_changes is null then array(
      select a.node_id from private.acting_nodes_of(s.data) as a where j.redriven_from is not null
    ) end
  into v_roots, v_named, v_changes, v_repeat_effects, v_input_nodes
  from private.flow_run_jobs as j join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = earlier_flow_runs.flow_run_id;
  v_tree_ids := array(select t.id from private.earlier_run_tree(v_roots) as t);
  -- Read all nodes of the runs in the tree. If partial_config takes the outputs of some nodes from another run, read
  -- only these nodes of the other run.
  select p.* into v_page
  from (
    select array_agg(r.run_id) as run_ids, array_agg(r.node_id) as node_ids
    from (
      select t.id as run_id, null::uuid as node_id from unnest(v_tree_ids) as t (id)
      union all
      select n.run_id::uuid, n.node_id::uuid from jsonb_each_text(v_named) as n (node_id, run_id)
    ) as r
  ) as rows
  cross join lateral private.node_runs_page(
    rows.run_ids, earlier_flow_runs.after, earlier_flow_runs.max_bytes, rows.node_ids,
    v_input_nodes
  ) as p;
  return json_build_object(
    'roots', case when v_is_first then to_json(v_roots) else '[]' end,
    'children', case when v_is_first then (
      select coalesce(json_agg(t), '[]')
      from private.earlier_run_tree(v_roots) as t where t.parent_flow_run_id is not null
    ) else '[]' end,
    'changes', case when v_is_first then v_changes end,
    'repeat_effects', case when v_is_first then v_repeat_effects end,
    'node_runs', v_page.node_runs::json,
    'next', v_page.next
  );
end;
$$;
comment on function private.earlier_flow_runs(uuid, jsonb, integer) is
  'Implements public.earlier_flow_runs. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.earlier_flow_runs(uuid, jsonb, integer) to service_role;

create function public.earlier_flow_runs(flow_run_id uuid, after jsonb default null, max_bytes integer default 4194304)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.earlier_flow_runs(flow_run_id, after, max_bytes);
$$;
-- The first page has `roots`: the runs that this run was redriven from, the newest first. It also has `children`: the
-- runs that the roots called. Each page has node runs of roots and children, in the form of flow_run_history_page. If
-- the interflow node that called a run succeeded, the called run is not in `children` and `node_runs`, because the
-- redrive takes over the node's outputs. For a partial run, node_runs also has the executions whose outputs feed the
-- nodes of the run. Node runs of nodes with effects have their inputs. If some roots executed another snapshot than
-- this run, the first page has `changes` (the value of private.flow_run_jobs.redrive_changes), and on every page, each
-- node run has its input. The first page also has `repeat_effects` of the redrive, as private.repeat_effects() makes
-- it.
comment on function public.earlier_flow_runs(uuid, jsonb, integer) is
  'For the runner: pages of the executions that a redrive may take over, and of those whose outputs a partial run uses: {roots, children, changes, repeat_effects, node_runs, next}. next is the `after` of the next page; null on the last page.';
grant execute on function public.earlier_flow_runs(uuid, jsonb, integer) to service_role;
