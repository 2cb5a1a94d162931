create function private.model_limit_fault(limits jsonb, run public.flow_run)
returns text
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_tokens bigint := private.model_tokens(model_limit_fault.run.usage);
  v_day_tokens bigint;
begin
  if v_run_tokens >= (model_limit_fault.limits ->> 'run_tokens')::bigint then
    return format('the run has used %s tokens, and run_tokens of its deployment is %s', v_run_tokens,
      model_limit_fault.limits ->> 'run_tokens');
  end if;
  if model_limit_fault.limits ->> 'day_tokens' is null then
    return null;
  end if;
  select m.tokens into v_day_tokens from private.model_day_tokens as m
  where m.deployment_id = model_limit_fault.run.deployment_id
    and m.day = (clock_timestamp() at time zone 'UTC')::date;
  if v_day_tokens >= (model_limit_fault.limits ->> 'day_tokens')::bigint then
    return format('the runs of the deployment have used %s tokens today (UTC), and day_tokens is %s', v_day_tokens,
      model_limit_fault.limits ->> 'day_tokens');
  end if;
  return null;
end;
$$;
comment on function private.model_limit_fault(jsonb, public.flow_run) is
  'Tells which of the model_limits of its deployment a run has reached; null if none. Definer, because no API role may access the tokens of a day.';

create function private.begin_model_call(claim jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (begin_model_call.claim ->> 'flow_run_id')::uuid, (begin_model_call.claim ->> 'claim_number')::integer
  );
begin
  return jsonb_build_object('usage', v_run.usage, 'fault', (
    select private.model_limit_fault(j.settings -> 'model_limits', v_run)
    from private.flow_run_jobs as j
    where j.flow_run_id = v_run.id and j.state <> 'ended' and j.settings -> 'model_limits' is not null
  ));
end;
$$;
comment on function private.begin_model_call(jsonb) is
  'Implements public.begin_model_call. Definer, because no API role may access jobs.';
grant execute on function private.begin_model_call(jsonb) to service_role;

create function public.begin_model_call(claim jsonb)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.begin_model_call(claim);
$$;
comment on function public.begin_model_call(jsonb) is
  'For the runner, before each call of a model: the stored usage of the run of the claim, {flow_run_id, claim_number}, and a fault if the run has reached a limit: {usage, fault}. 409 claim_lost.';
grant execute on function public.begin_model_call(jsonb) to service_role;

create function private.store_model_usage(claim jsonb, usage jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (store_model_usage.claim ->> 'flow_run_id')::uuid, (store_model_usage.claim ->> 'claim_number')::integer
  );
  v_usage constant jsonb := private.greater_usage(v_run.usage, store_model_usage.usage);
  v_new_tokens constant bigint := private.model_tokens(v_usage) - private.model_tokens(v_run.usage);
begin
  update public.flow_run as r set usage = v_usage where r.id = v_run.id and r.usage <> v_usage;
  -- The deployment may have been deleted.
  insert into private.model_day_tokens as m (deployment_id, day, tokens)
  select d.id, (clock_timestamp() at time zone 'UTC')::date, v_new_tokens
  from public.flow_deployments as d where d.id = v_run.deployment_id and v_new_tokens > 0
  on conflict on constraint model_day_tokens_pkey do update
  set day = excluded.day, tokens = excluded.tokens + case when m.day = excluded.day then m.tokens else 0 end
  -- After midnight, a report that has waited for the row of another one must not set the day back.
  where m.day <= excluded.day;
end;
$$;
comment on function private.store_model_usage(jsonb, jsonb) is
  'Implements public.store_model_usage. Definer, because no API role may write runs.';
grant execute on function private.store_model_usage(jsonb, jsonb) to service_role;

create function public.store_model_usage(claim jsonb, usage jsonb)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_model_usage(claim, usage);
$$;
comment on function public.store_model_usage(jsonb, jsonb) is
  'For the runner, after each call of a model: stores the usage of the whole run of the claim, {flow_run_id, claim_number}, so far. Storing the same usage twice changes nothing. 409 claim_lost.';
grant execute on function public.store_model_usage(jsonb, jsonb) to service_role;
