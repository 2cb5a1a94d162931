create function private.store_progress(flow_run_id uuid, attempt integer, node_runs jsonb, logs jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_attempt integer;
  v_user_id uuid;
begin
  -- The run before its job, as claims and stops lock them.
  select r.user_id into v_user_id
  from public.flow_run as r
  where r.id = store_progress.flow_run_id and r.end_time is null
  for no key update;
  select j.attempt into v_attempt from private.flow_run_jobs as j where j.flow_run_id = store_progress.flow_run_id;
  if v_user_id is null or v_attempt is distinct from store_progress.attempt then
    perform private.fail(409, 'claim_lost', 'This claim of the run is over: the run has ended, is deleted, or was claimed again.');
  end if;

  insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
  select store_progress.flow_run_id, p.node_id, p.times, v_user_id, p.start_time, p.end_time, p.input, p.output, p.errors
  from jsonb_to_recordset(store_progress.node_runs) as p (
    node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
  )
  on conflict on constraint node_run_pkey do update
  set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
  -- A request that was held up takes nothing back.
  where n.end_time is null;

  insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
  select store_progress.flow_run_id, l.log_index, v_user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
  from jsonb_to_recordset(store_progress.logs) as l (
    log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
  )
  on conflict on constraint flow_run_logs_pkey do nothing;
end;
$$;
comment on function private.store_progress(uuid, integer, jsonb, jsonb) is
  'Stores node runs and log lines of a claimed run, replay-safe; 409 claim_lost when the claim is not the newest. Definer: nobody else writes these tables.';

create function private.checkpoint_flow_run(
  flow_run_id uuid, message_id bigint, attempt integer, lease_seconds integer, node_runs jsonb, logs jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.node_runs, checkpoint_flow_run.logs
  );
  perform pgmq.set_vt('flow_runs', checkpoint_flow_run.message_id, checkpoint_flow_run.lease_seconds);
end;
$$;
comment on function private.checkpoint_flow_run(uuid, bigint, integer, integer, jsonb, jsonb) is
  'Does what public.checkpoint_flow_run says. Definer: the queue is private.';
grant execute on function private.checkpoint_flow_run(uuid, bigint, integer, integer, jsonb, jsonb) to service_role;

create function public.checkpoint_flow_run(
  flow_run_id uuid, message_id bigint, attempt integer, lease_seconds integer, node_runs jsonb default '[]', logs jsonb default '[]'
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.message_id, checkpoint_flow_run.attempt,
    checkpoint_flow_run.lease_seconds, checkpoint_flow_run.node_runs, checkpoint_flow_run.logs
  );
$$;
comment on function public.checkpoint_flow_run(uuid, bigint, integer, integer, jsonb, jsonb) is
  'For the runner: stores node runs and log lines of a claimed run and holds the claim for lease_seconds from now (0 hands it back). 409 claim_lost for an older claim.';
grant execute on function public.checkpoint_flow_run(uuid, bigint, integer, integer, jsonb, jsonb) to service_role;
