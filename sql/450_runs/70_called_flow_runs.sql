create function private.called_flow_runs(flow_run_id uuid, after uuid)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language plpgsql stable security definer
set search_path = ''
as $$
begin
  perform private.root_run_for_caller(called_flow_runs.flow_run_id);
  return query
  select c.id, c.status, c.created_at, c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times
  from (
    select r.* from public.flow_run as r where r.parent_flow_run_id = called_flow_runs.flow_run_id
    -- Without `offset 0`, the planner would read all runs in the order of their ids.
    offset 0
  ) as c
  where c.id > coalesce(called_flow_runs.after, '00000000-0000-0000-0000-000000000000')
  order by c.id
  limit 1000;
end;
$$;
comment on function private.called_flow_runs(uuid, uuid) is
  'Implements public.called_flow_runs. Definer, because the policies show called runs only to the owner.';
grant execute on function private.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;

create function public.called_flow_runs(flow_run_id uuid, after uuid default null)
returns table (
  id uuid, status text, created_at timestamptz, start_time timestamptz, end_time timestamptz,
  parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
)
language sql stable security invoker
set search_path = ''
as $$
  select * from private.called_flow_runs(flow_run_id, after);
$$;
-- flow_run_id may itself be a called run. A page has at most 1,000 runs in the order of their ids. `after` is the last
-- id of the previous page. The inputs, outputs and errors of called runs are in flow_run, where only the owner can read
-- them.
comment on function public.called_flow_runs(uuid, uuid) is
  'The status and times of the runs that a run called, in pages of 1,000. `after` is the last id of the previous page. Allowed for the flow''s owner, the starter of the root run and the holder of the root run''s token. 401; 404 flow_run_not_found.';
grant execute on function public.called_flow_runs(uuid, uuid) to anon, authenticated, service_role;
