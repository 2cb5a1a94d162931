create function private.end_claim(
  flow_run_id uuid, progress jsonb, delay_seconds integer, delayed_state private.job_state
)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_delayed boolean := end_claim.delay_seconds > 0;
  v_is_told boolean;
begin
  if v_is_delayed then
    -- If the run must stop, or if one of its inputs was answered, the run must not sleep now. The stop or the answer
    -- arrived while the worker held the run, so it did not wake the run.
    select j.stop_requested_at is null and not j.has_ended_inputs into v_is_delayed
    from private.flow_run_jobs as j where j.flow_run_id = end_claim.flow_run_id;
  end if;
  if v_is_delayed then
    return private.store_job_progress(
      end_claim.flow_run_id, end_claim.progress, end_claim.delayed_state, end_claim.delay_seconds
    );
  end if;
  v_is_told := private.announce_claimable_run();
  return private.store_job_progress(end_claim.flow_run_id, end_claim.progress, 'ready', null);
end;
$$;
comment on function private.end_claim(uuid, jsonb, integer, private.job_state) is
  'Ends a claim of a run that has not ended, with its last progress. The run has the delayed_state for delay_seconds. It may be claimed at once if there is no delay, if it must stop, or if one of its inputs was answered. Returns false if the claim was already released. The caller has locked the job. Definer, because no API role may access jobs.';

create function private.release_flow_run(flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_is_waiting boolean;
begin
  perform private.store_progress(
    release_flow_run.flow_run_id, release_flow_run.claim_number, release_flow_run.progress
  );
  v_is_waiting := release_flow_run.delay_seconds > 0
    and exists (select from public.pending_inputs as p where p.root_flow_run_id = release_flow_run.flow_run_id);
  if private.end_claim(
    release_flow_run.flow_run_id, release_flow_run.progress, release_flow_run.delay_seconds,
    case when v_is_waiting then 'waiting' else 'sleeping' end::private.job_state
  ) and v_is_waiting then
    update public.flow_run as r set status = 'waiting' where r.id = release_flow_run.flow_run_id;
  end if;
end;
$$;
comment on function private.release_flow_run(uuid, integer, jsonb, integer) is
  'Implements public.release_flow_run. Definer, because no API role may access jobs.';
grant execute on function private.release_flow_run(uuid, integer, jsonb, integer) to service_role;

create function public.release_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default 0
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.release_flow_run(flow_run_id, claim_number, progress, delay_seconds);
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}. The run may be
-- claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. While the run
-- waits for an input, its status is waiting.
comment on function public.release_flow_run(uuid, integer, jsonb, integer) is
  'For the runner: stores the progress of a claimed run and ends the claim. The run may be claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.release_flow_run(uuid, integer, jsonb, integer) to service_role;
