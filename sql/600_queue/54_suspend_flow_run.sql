create function private.suspend_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default null
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_seconds integer;
begin
  perform private.store_progress(
    suspend_flow_run.flow_run_id, suspend_flow_run.claim_number, suspend_flow_run.progress
  );
  -- store_progress has locked the job. So this query sees all earlier answers, and end_claim sees an earlier stop. A
  -- later answer or stop waits for the lock, finds that no worker holds the run, and wakes the run. If no request is
  -- unanswered, the delay is 0. If some requests are open, the delay ends when the first of them expires. If all
  -- unanswered requests have expired, the delay is a second: with a delay of 0, a worker with a slow clock would
  -- suspend the run again at once.
  select case when count(*) = 0 then 0 else coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), 1
  ) end into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  v_seconds := least(v_seconds, suspend_flow_run.delay_seconds);
  if private.end_claim(suspend_flow_run.flow_run_id, suspend_flow_run.progress, greatest(v_seconds, 0), 'waiting') then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
end;
$$;
comment on function private.suspend_flow_run(uuid, integer, jsonb, integer) is
  'Implements public.suspend_flow_run. Definer, because no API role may access jobs.';
grant execute on function private.suspend_flow_run(uuid, integer, jsonb, integer) to service_role;

create function public.suspend_flow_run(
  flow_run_id uuid, claim_number integer, progress jsonb, delay_seconds integer default null
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.suspend_flow_run(flow_run_id, claim_number, progress, delay_seconds);
$$;
-- progress is {children, node_runs, taken_over, transactions, inputs, logs, work_ms, output_bytes}. If all signature
-- requests are answered, the run may be claimed again at once. If all unanswered requests have expired, the run may be
-- claimed in a second. Otherwise it may be claimed when all requests are answered, when the first request expires, or
-- when the run must stop. After delay_seconds, the run may be claimed in any case. The worker gives delay_seconds if
-- the time limit of an attempt ends then.
comment on function public.suspend_flow_run(uuid, integer, jsonb, integer) is
  'For the runner: stores the progress of a claimed run, and releases the run until its signature requests are answered, the first request expires, or the run must stop. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.suspend_flow_run(uuid, integer, jsonb, integer) to service_role;
