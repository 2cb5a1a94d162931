SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.store_progress (
  flow_run_id uuid,
  attempt     integer,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.hold_flow_run(store_progress.flow_run_id, store_progress.attempt);
begin
  if store_progress.progress -> 'children' <> '[]' then
    perform private.store_child_runs(v_run, store_progress.progress -> 'children');
  end if;

  if store_progress.progress -> 'node_runs' <> '[]' then
    insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
    select p.flow_run_id, p.node_id, p.times, v_run.user_id, p.start_time, p.end_time, p.input, p.output, p.errors
    from jsonb_to_recordset(store_progress.progress -> 'node_runs') as p (
      flow_run_id uuid, node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
    )
    on conflict on constraint node_run_pkey do update
    set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
    -- A request that was held up takes nothing back, nor does the news that a node has begun. One that goes on may have put
    -- something out already.
    where n.end_time is null and (excluded.end_time is not null or excluded.output is not null);
  end if;

  if store_progress.progress -> 'transactions' <> '[]' then
    update private.flow_run_transactions as t
    set outcome = p.outcome, signature = p.signature
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (
      flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
    )
    where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
    -- Else one that nobody needs an answer to any more, such as that of an action whose signer just sent it, stands before the
    -- next transaction's: it would be the one that wallets are told, and keep the run from going on when those are answered.
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

  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_progress.progress ->> 'work_ms')::bigint),
    -- It gets somewhere: whatever ended the workers before, it is not what they were doing.
    lost_claim_count = case
      when jsonb_path_exists(store_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = store_progress.flow_run_id;
end;
$function$;

COMMENT ON COLUMN "public"."signature_requests"."expires_at" IS 'Without an answer until then the request has failed; no later than the end of the transaction and the run.';
