create function private.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop_reason text, stop_timeout_millies integer, is_stop_requested boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform pgmq.set_vt('flow_runs', c.message_id, heartbeat_flow_runs.lease_seconds)
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, message_id bigint, attempt integer)
  join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.attempt = c.attempt;

  return query
  select c.flow_run_id, (j.attempt is distinct from c.attempt) or r.end_time is not null,
    j.stop_reason, j.stop_timeout_millies, j.stop_requested_at is not null
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, message_id bigint, attempt integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  left join public.flow_run as r on r.id = c.flow_run_id
  where j.attempt is distinct from c.attempt or r.end_time is not null or j.stop_requested_at is not null;
end;
$$;
comment on function private.heartbeat_flow_runs(jsonb, integer) is 'Does what public.heartbeat_flow_runs says. Definer: queue and jobs are private.';
grant execute on function private.heartbeat_flow_runs(jsonb, integer) to service_role;

create function public.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop_reason text, stop_timeout_millies integer, is_stop_requested boolean)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.heartbeat_flow_runs(heartbeat_flow_runs.claims, heartbeat_flow_runs.lease_seconds);
$$;
comment on function public.heartbeat_flow_runs(jsonb, integer) is
  'For the runner: holds its claims, [{flow_run_id, message_id, attempt}], for another lease, and returns those that are lost or shall stop.';
grant execute on function public.heartbeat_flow_runs(jsonb, integer) to service_role;
