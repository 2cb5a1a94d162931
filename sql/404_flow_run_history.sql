create function private.flow_run_history(flow_run_id uuid)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r where r.id = flow_run_history.flow_run_id
    union all
    select r.id, r.parent_flow_run_id, r.end_time from tree join public.flow_run as r on r.parent_flow_run_id = tree.id
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        'inputs', r.inputs, 'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree join public.flow_run as r on r.id = tree.id
      where tree.parent_flow_run_id is not null
    ),
    'node_runs', (
      -- Of a child that has ended its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree join public.node_run as n on n.flow_run_id = tree.id
      where tree.end_time is null
    ),
    'ended_executions', (
      -- They count against the limit of the tree, though nobody goes through them again.
      select count(*) from tree join public.node_run as n on n.flow_run_id = tree.id where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$$;
comment on function private.flow_run_history(uuid) is
  'Does what public.flow_run_history says. Definer: for the runner, which may read everything of the runs that it claims.';
grant execute on function private.flow_run_history(uuid) to service_role;

create function public.flow_run_history(flow_run_id uuid)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history(flow_run_history.flow_run_id);
$$;
comment on function public.flow_run_history(uuid) is
  'For the runner: what earlier claims stored of a root run and its interflow children, {children, node_runs, ended_executions, log_counts}; node_runs without their inputs, and only those of runs that have not ended. A call of its own, so that a run with too much of it fails alone; json, since jsonb ends at 256 MB.';
grant execute on function public.flow_run_history(uuid) to service_role;
