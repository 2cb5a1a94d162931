create function private.store_called_runs(run public.flow_run, children jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.flow_run as r (
    id, created_at, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, not_run, start_time, end_time,
    parent_flow_run_id, parent_node_id, parent_times, chain_network
  )
  select
    c.id, private.uuid_v7_time(c.id), run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key, c.inputs, c.output, c.errors, c.not_run,
    c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
  from jsonb_to_recordset(store_called_runs.children) as c (
    id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[], start_time timestamptz,
    end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
  )
  on conflict on constraint flow_run_pkey do update
  set status = excluded.status, output = excluded.output, errors = excluded.errors, not_run = excluded.not_run, end_time = excluded.end_time
  -- A request that arrives late changes no run that has ended.
  where r.end_time is null;
end;
$$;
comment on function private.store_called_runs(public.flow_run, jsonb) is
  'Stores the runs that interflow nodes in a run''s tree called, with the owner, starter and network of that run. Definer: only functions write runs.';

create function private.store_progress(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(store_progress.flow_run_id, store_progress.attempt);
begin
  if store_progress.progress -> 'children' <> '[]' then
    perform private.store_called_runs(v_run, store_progress.progress -> 'children');
  end if;

  if store_progress.progress -> 'node_runs' <> '[]' then
    insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
    select p.flow_run_id, p.node_id, p.times, v_run.user_id, p.start_time, p.end_time, p.input, p.output, p.errors
    from jsonb_to_recordset(store_progress.progress -> 'node_runs') as p (
      flow_run_id uuid, node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
    )
    on conflict on constraint node_run_pkey do update
    set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
    -- A request that arrives late changes no node run that has ended. The report that a node has begun changes nothing that is stored
    -- already, since the node may have put something out meanwhile.
    where n.end_time is null and (excluded.end_time is not null or excluded.output is not null);
  end if;

  if store_progress.progress -> 'transactions' <> '[]' then
    update private.flow_run_transactions as t
    set outcome = p.outcome, signature = p.signature
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (
      flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
    )
    where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
    -- Nobody needs these signatures any more: for example, the signer of an action has just sent the transaction. If the requests stayed
    -- open, pending_signature_request would show them before the next transaction's, and the run would wait for their answers.
    update public.signature_requests as s
    set expires_at = clock_timestamp()
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (flow_run_id uuid, node_id uuid, times integer)
    where s.flow_run_id = p.flow_run_id and s.node_id = p.node_id and s.times = p.times
      and s.signature is null and s.expires_at > clock_timestamp();
  end if;

  if store_progress.progress -> 'logs' <> '[]' then
    insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
    select l.flow_run_id, l.log_index, v_run.user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
    from jsonb_to_recordset(store_progress.progress -> 'logs') as l (
      flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
    )
    on conflict on constraint flow_run_logs_pkey do nothing;
  end if;
end;
$$;
comment on function private.store_progress(uuid, integer, jsonb) is
  'Stores the progress of a claimed run, {children, node_runs, transactions, logs}; storing it twice changes nothing. 409 claim_lost for an older claim. Definer: nobody else writes these tables.';

create function private.store_job_progress(flow_run_id uuid, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    -- A node has ended, so the run makes progress: what it was executing when workers were lost is over.
    lost_claim_count = case
      when jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = store_job_progress.flow_run_id;
end;
$$;
comment on function private.store_job_progress(uuid, jsonb) is
  'Stores the rest of the progress, {work_ms, output_bytes}, in the job of a run that goes on, and forgets lost workers when a node has ended. Definer: jobs are private.';
