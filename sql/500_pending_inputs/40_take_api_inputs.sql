create function private.take_api_inputs(flow_run_id uuid, claim_number integer, executions jsonb)
returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run public.flow_run := private.lock_claimed_run(take_api_inputs.flow_run_id, take_api_inputs.claim_number);
begin
  -- An answer sets has_ended_inputs under the lock of the job, which this transaction holds. So no answer can
  -- arrive between this reset and the query below.
  update private.flow_run_jobs as j set has_ended_inputs = false where j.flow_run_id = v_run.id and j.has_ended_inputs;
  -- Only this statement, under the same lock, stores that an input has expired. From then on, the input accepts no
  -- answer, even if the clock is set back.
  with expired as (
    update private.api_inputs as a
    set outcome = 'expired'
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    where (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times) and a.root_flow_run_id = v_run.id
      and a.outcome is null and a.expires_at <= clock_timestamp()
    returning a.id
  )
  delete from public.pending_inputs as p using expired where p.id = expired.id;
  return (
    select coalesce(json_agg(json_build_object(
      'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'outcome', a.outcome, 'value', a.value,
      'left_ms', greatest(ceil(extract(epoch from a.expires_at - clock_timestamp()) * 1000), 0)::bigint
    )), '[]')
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    join private.api_inputs as a on (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times)
    where a.root_flow_run_id = v_run.id
  );
end;
$$;
comment on function private.take_api_inputs(uuid, integer, jsonb) is
  'Implements public.take_api_inputs. Definer, because no API role may access inputs and jobs.';
grant execute on function private.take_api_inputs(uuid, integer, jsonb) to service_role;

-- Takes [{flow_run_id, node_id, times}] and returns [{flow_run_id, node_id, times, outcome, value, left_ms}]. outcome
-- is submitted, cancelled or expired; null while the input is open. If the time of an open input is over, this call
-- sets its outcome to expired.
create function public.take_api_inputs(flow_run_id uuid, claim_number integer, executions jsonb)
returns json
language sql volatile security invoker
set search_path = ''
as $$
  select private.take_api_inputs(flow_run_id, claim_number, executions);
$$;
comment on function public.take_api_inputs(uuid, integer, jsonb) is
  'For the runner: the outcomes of the inputs of these node executions in a claimed run''s tree. Inputs whose time is over become expired. 409 claim_lost if a newer claim exists or the run has ended.';
grant execute on function public.take_api_inputs(uuid, integer, jsonb) to service_role;
