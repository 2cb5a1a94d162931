create function private.checkpoint_flow_run(
  flow_run_id uuid, claim_number integer, lease_seconds integer, progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.claim_number, checkpoint_flow_run.progress
  );
  perform private.store_job_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress, 'held', checkpoint_flow_run.lease_seconds
  );
end;
$$;
comment on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'Implements public.checkpoint_flow_run. Definer, because no API role may access jobs.';
grant execute on function private.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;

create function public.checkpoint_flow_run(
  flow_run_id uuid, claim_number integer, lease_seconds integer, progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.checkpoint_flow_run(flow_run_id, claim_number, lease_seconds, progress);
end;
$$;
comment on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) is
  'For the runner: stores the progress of a claimed run, {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}, and keeps the claim for lease_seconds from now. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.checkpoint_flow_run(uuid, integer, integer, jsonb) to service_role;
