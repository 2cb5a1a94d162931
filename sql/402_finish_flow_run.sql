create function private.finish_flow_run(
  flow_run_id uuid, message_id bigint, attempt integer, status text, output jsonb, errors text[], not_run uuid[],
  node_runs jsonb, logs jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.node_runs, finish_flow_run.logs
  );
  update public.flow_run as r
  set
    status = finish_flow_run.status, output = finish_flow_run.output, errors = finish_flow_run.errors,
    not_run = finish_flow_run.not_run, end_time = clock_timestamp()
  where r.id = finish_flow_run.flow_run_id;
  perform pgmq.delete('flow_runs', finish_flow_run.message_id);
end;
$$;
comment on function private.finish_flow_run(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) is
  'Does what public.finish_flow_run says. Definer: nobody else ends runs, and the queue is private.';
grant execute on function private.finish_flow_run(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, message_id bigint, attempt integer, status text, output jsonb, errors text[] default null, not_run uuid[] default '{}',
  node_runs jsonb default '[]', logs jsonb default '[]'
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.message_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.node_runs, finish_flow_run.logs
  );
$$;
comment on function public.finish_flow_run(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) is
  'For the runner: stores the last node runs and log lines, ends the run with its result and removes its message, in one transaction. 409 claim_lost for an older claim.';
grant execute on function public.finish_flow_run(uuid, bigint, integer, text, jsonb, text[], uuid[], jsonb, jsonb) to service_role;
