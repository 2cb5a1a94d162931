create function private.end_claim(flow_run_id uuid, delay_seconds integer)
returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
  v_has_news boolean;
begin
  -- Change only a job that is held, so that a repeated release changes nothing.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- If the run must stop, or if one of its inputs was answered, the run must not sleep now. The stop or the answer
    -- arrived while the worker held the run, so it did not wake the run.
    sleeps_until = case
      when end_claim.delay_seconds > 0 and j.stop_requested_at is null and not j.has_ended_inputs
        then clock_timestamp() + make_interval(secs => end_claim.delay_seconds)
    end,
    -- This worker was not lost, so the count of lost workers begins again. Perhaps another run crashed the earlier
    -- workers. Without the reset, this run would stay a suspect, and would be executed alone after every release.
    lost_claim_count = 0,
    -- The next turn of this run comes after the other runs of its owner, including new runs. In this way, a long run
    -- takes turns with new runs.
    turn = nextval('pgmq.q_flow_runs_msg_id_seq')
  where j.flow_run_id = end_claim.flow_run_id and j.is_held
  returning j.message_id, j.stop_requested_at is not null or j.has_ended_inputs into v_message_id, v_has_news;
  perform private.set_visible_after(
    array[v_message_id], case when v_has_news then 0 else coalesce(end_claim.delay_seconds, 0) end
  );
  return v_message_id is not null;
end;
$$;
comment on function private.end_claim(uuid, integer) is
  'Ends a claim of a run that has not ended. The run may be claimed again after delay_seconds, or at once if it must stop or one of its inputs was answered. Returns false if the claim was already released. The caller has locked the run. Definer, because no API role may access queue and jobs.';

create function private.release_flow_run(flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    release_flow_run.flow_run_id, release_flow_run.claim_number, release_flow_run.progress
  );
  perform private.store_job_progress(release_flow_run.flow_run_id, release_flow_run.progress);
  if private.end_claim(release_flow_run.flow_run_id, release_flow_run.delay_seconds)
    and release_flow_run.delay_seconds > 0
  then
    update public.flow_run as r set status = 'waiting'
    where r.id = release_flow_run.flow_run_id
      and exists (select from public.pending_inputs as p where p.root_flow_run_id = release_flow_run.flow_run_id);
  end if;
end;
$$;
comment on function private.release_flow_run(uuid, integer, jsonb, integer) is
  'Implements public.release_flow_run. Definer, because no API role may access queue and jobs.';
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
