create function private.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.progress);
  perform private.end_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.status, finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run,
    (finish_flow_run.progress ->> 'work_ms')::bigint
  );
end;
$$;
comment on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'Does what public.finish_flow_run says. Definer: only functions write runs, and the queue is private.';
grant execute on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.progress
  );
end;
$$;
comment on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'For the runner: stores the last progress of a claimed run, {children, node_runs, transactions, logs, work_ms}, and ends the run with its result, in one transaction. not_run: null for all nodes that have no node run. 409 claim_lost for an older claim.';
grant execute on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function private.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_result record;
  v_finished uuid[] := '{}';
begin
  for v_result in
    select f.*
    from jsonb_to_recordset(finish_flow_runs.results) as f (
      flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    cross join lateral (
      select j.counted_deployment_id
      from public.flow_run as r
      join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.id = f.flow_run_id and r.end_time is null and j.attempt = f.attempt
      -- A run that another transaction has locked is skipped: waiting for it while holding other runs could end in a deadlock.
      for no key update of r skip locked
    ) as held
    -- The commit subtracts the ends from their deployments' usage in this order, which is the same for all.
    order by held.counted_deployment_id
  loop
    perform private.finish_flow_run(
      v_result.flow_run_id, v_result.attempt, v_result.status, v_result.output, v_result.errors, v_result.not_run, v_result.progress
    );
    v_finished := v_finished || v_result.flow_run_id;
  end loop;
  return v_finished;
end;
$$;
comment on function private.finish_flow_runs(jsonb) is
  'Does what public.finish_flow_runs says. Definer: only functions write runs, and the queue is private.';
grant execute on function private.finish_flow_runs(jsonb) to service_role;

create function public.finish_flow_runs(results jsonb)
returns uuid[]
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.finish_flow_runs(finish_flow_runs.results);
end;
$$;
comment on function public.finish_flow_runs(jsonb) is
  'For the runner: finishes several runs in one transaction, [{flow_run_id, attempt, status, output, errors, not_run, progress}], each as finish_flow_run does, and returns the ids of those that it finished. It skips runs of an older claim and runs that another transaction has locked. When one of them can''t be stored, it raises that error and finishes none.';
grant execute on function public.finish_flow_runs(jsonb) to service_role;
