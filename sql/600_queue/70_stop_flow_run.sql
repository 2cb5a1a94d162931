create function private.stop_flow_run(flow_run_id uuid, reason text, timeout_millies integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.root_run_for_caller(stop_flow_run.flow_run_id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and private.limit_stop_timeout_ms() then
    perform private.fail('request_invalid',
      format('timeout_millies must be an integer from 0 to %s.', private.limit_stop_timeout_ms()));
  end if;
  if char_length(stop_flow_run.reason) > private.limit_stop_reason_characters() then
    perform private.fail('request_invalid',
      format('reason must have at most %s characters.', private.limit_stop_reason_characters()));
  end if;
  -- Lock the job first, as claims do, so that no claim begins before the commit. If the run was never claimed, it can
  -- then end here. Otherwise its worker will read the stop request.
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id for no key update;
  if (v_job.state <> 'ended') is not true then
    return;
  end if;
  update private.flow_run_jobs as j
  set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason,
    stop_timeout_millies = stop_flow_run.timeout_millies
  where j.flow_run_id = v_run_id and j.stop_requested_at is null;
  if found then
    update public.flow_run as r
    set stopped_by = case when r.user_id = (private.caller()).user_id then 'owner' else 'starter' end
    where r.id = v_run_id;
  end if;
  if v_job.claim_number = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
    return;
  end if;
  -- Delete the inputs, so that nobody can answer them any more.
  delete from public.pending_inputs as p where p.root_flow_run_id = v_run_id;
  perform private.wake_flow_run(v_run_id);
end;
$$;
comment on function private.stop_flow_run(uuid, text, integer) is
  'Implements public.stop_flow_run. Definer, because no API role may access jobs or update runs.';
grant execute on function private.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;

create function public.stop_flow_run(flow_run_id uuid, reason text default null, timeout_millies integer default 0)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.stop_flow_run(flow_run_id, reason, timeout_millies);
$$;
-- Only the first request counts. No new node starts. Running nodes get a signal, and their results are stored if they
-- end within timeout_millies. A run that has ended is not changed. If flow_run_id is a called run, the whole tree
-- stops.
comment on function public.stop_flow_run(uuid, text, integer) is
  'Asks a run and its whole tree to stop. Only the first request counts. Nodes have timeout_millies to end. 400 request_invalid; 401; 404 flow_run_not_found.';
grant execute on function public.stop_flow_run(uuid, text, integer) to anon, authenticated, service_role;
