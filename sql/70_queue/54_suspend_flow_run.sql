create function private.suspend_flow_run(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds integer;
begin
  perform private.store_progress(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
  perform private.count_progress(suspend_flow_run.flow_run_id, suspend_flow_run.progress);
  -- The run is locked: an answer or a stop has come before, or finds nobody who holds it. A request that has expired is open to a
  -- worker whose clock is behind: without a second between, it would give the run back on and on.
  select coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), least(count(*), 1)
  ) into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  if private.give_back_flow_run(suspend_flow_run.flow_run_id, greatest(v_seconds, 0)) then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
end;
$$;
comment on function private.suspend_flow_run(uuid, integer, jsonb) is 'Does what public.suspend_flow_run says. Definer: queue and jobs are private.';
grant execute on function private.suspend_flow_run(uuid, integer, jsonb) to service_role;

create function public.suspend_flow_run(flow_run_id uuid, attempt integer, progress jsonb)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.suspend_flow_run(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
$$;
comment on function public.suspend_flow_run(uuid, integer, jsonb) is
  'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms}, and gives it back to the queue, waiting for signatures: to be claimed when all are there, when the first request expires, when the run shall stop, at once where none is unanswered, or in a second where those have expired. 409 claim_lost for an older claim.';
grant execute on function public.suspend_flow_run(uuid, integer, jsonb) to service_role;
