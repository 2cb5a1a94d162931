create function private.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb, has_ended_inputs boolean)
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Skip jobs that another transaction has locked, because they need no heartbeat: a checkpoint, release, claim or end
  -- sets the state itself. A job that was lost is held again, because the newest claim is still alive.
  update private.flow_run_jobs as j
  set state = 'held', due_at = clock_timestamp() + make_interval(secs => heartbeat_flow_runs.lease_seconds)
  where j.flow_run_id = any (array(
    select held.flow_run_id
    from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
    join private.flow_run_jobs as held on held.flow_run_id = c.flow_run_id and held.claim_number = c.claim_number
    where held.state in ('held', 'lost')
    for no key update of held skip locked
  ));

  return query
  select c.flow_run_id, j.claim_number is distinct from c.claim_number or j.state = 'ended',
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    coalesce(j.has_ended_inputs, false)
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.claim_number is distinct from c.claim_number or j.state = 'ended'
    or j.stop_requested_at is not null or j.has_ended_inputs;
end;
$$;
comment on function private.heartbeat_flow_runs(jsonb, integer) is
  'Implements public.heartbeat_flow_runs. Definer, because no API role may access jobs.';
grant execute on function private.heartbeat_flow_runs(jsonb, integer) to service_role;

create function public.heartbeat_flow_runs(claims jsonb, lease_seconds integer)
returns table (flow_run_id uuid, is_lost boolean, stop jsonb, has_ended_inputs boolean)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.heartbeat_flow_runs(claims, lease_seconds);
$$;
comment on function public.heartbeat_flow_runs(jsonb, integer) is
  'For the runner: extends the leases of its claims, [{flow_run_id, claim_number}], to lease_seconds from now. Returns the lost claims, the runs that must stop, and the runs whose inputs were answered (take_api_inputs).';
grant execute on function public.heartbeat_flow_runs(jsonb, integer) to service_role;
