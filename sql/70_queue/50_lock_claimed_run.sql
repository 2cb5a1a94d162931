create function private.hold_flow_run(flow_run_id uuid, attempt integer)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_attempt integer;
begin
  -- The run before its job, as claims and stops lock them.
  select r.* into v_run
  from public.flow_run as r
  where r.id = hold_flow_run.flow_run_id and r.end_time is null
  for no key update;
  select j.attempt into v_attempt from private.flow_run_jobs as j where j.flow_run_id = hold_flow_run.flow_run_id;
  if v_run.id is null or v_attempt is distinct from hold_flow_run.attempt then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, is deleted, or was claimed again.');
  end if;
  return v_run;
end;
$$;
comment on function private.hold_flow_run(uuid, integer) is
  'Locks a claimed run for what its worker is about to write; 409 claim_lost when the claim is not the newest. Definer: jobs are private.';
