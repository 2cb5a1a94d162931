create function private.lock_claimed_run(flow_run_id uuid, claim_number integer)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_claim_number integer;
begin
  -- The run is locked before its job is read, in the order in which claims and stops lock them.
  select r.* into v_run
  from public.flow_run as r
  where r.id = lock_claimed_run.flow_run_id and r.end_time is null
  for no key update;
  select j.claim_number into v_claim_number from private.flow_run_jobs as j where j.flow_run_id = lock_claimed_run.flow_run_id;
  if v_run.id is null or v_claim_number is distinct from lock_claimed_run.claim_number then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, was deleted, or was claimed again.');
  end if;
  return v_run;
end;
$$;
comment on function private.lock_claimed_run(uuid, integer) is
  'Whose claim may write: the newest claim of a run that has not ended, given by its claim_number. Locks and returns the run; 409 claim_lost for every other claim. Whatever a worker writes begins with it. Definer: jobs are private.';
