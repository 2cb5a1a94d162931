create function private.checkpoint_flow_run(
  flow_run_id uuid, attempt integer, lease_seconds integer, progress jsonb, hand_back_seconds integer
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.progress);
  perform private.count_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress);
  if checkpoint_flow_run.hand_back_seconds is not null then
    perform private.give_back_flow_run(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.hand_back_seconds);
  else
    perform private.hide_messages(
      array(select j.message_id from private.flow_run_jobs as j where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held),
      checkpoint_flow_run.lease_seconds
    );
  end if;
end;
$$;
comment on function private.checkpoint_flow_run(uuid, integer, integer, jsonb, integer) is
  'Does what public.checkpoint_flow_run says. Definer: queue and jobs are private.';
grant execute on function private.checkpoint_flow_run(uuid, integer, integer, jsonb, integer) to service_role;

create function public.checkpoint_flow_run(
  flow_run_id uuid, attempt integer, lease_seconds integer, progress jsonb, hand_back_seconds integer default null
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.lease_seconds, checkpoint_flow_run.progress,
    checkpoint_flow_run.hand_back_seconds
  );
end;
$$;
comment on function public.checkpoint_flow_run(uuid, integer, integer, jsonb, integer) is
  'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms, output_bytes}, and holds the claim for lease_seconds from now, or gives it back to the queue, to be claimed after hand_back_seconds, or at once where it shall stop. 409 claim_lost for an older claim.';
grant execute on function public.checkpoint_flow_run(uuid, integer, integer, jsonb, integer) to service_role;
