SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.store_model_usage (
  claim jsonb,
  usage jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;
