create function private.refuse_lost_claim()
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.fail('claim_lost',
    'This claim of the run is over: the run has ended, was deleted, or was claimed again.');
end;
$$;
comment on function private.refuse_lost_claim() is
  'Refuses a claim of a run that has ended, was deleted or was claimed again: 409 claim_lost.';

create function private.lock_claimed_run(flow_run_id uuid, claim_number integer)
returns public.flow_run
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run;
  v_claim_number integer;
begin
  select j.claim_number into v_claim_number
  from private.flow_run_jobs as j
  where j.flow_run_id = lock_claimed_run.flow_run_id and j.state <> 'ended'
  for no key update;
  if v_claim_number is distinct from lock_claimed_run.claim_number then
    perform private.refuse_lost_claim();
  end if;
  select r.* into v_run from public.flow_run as r where r.id = lock_claimed_run.flow_run_id;
  return v_run;
end;
$$;
comment on function private.lock_claimed_run(uuid, integer) is
  'Locks the job of a run and returns the run if the claim is the newest claim of the run and the run has not ended. Otherwise 409 claim_lost. Each write of a worker begins with this call. Definer, because no API role may access jobs.';
