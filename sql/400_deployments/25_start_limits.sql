create type private.limits_of_starts as (max_starts_per_minute integer, max_runs_in_flight integer);
comment on type private.limits_of_starts is 'The limits of starts of a deployment; none is null.';

create function private.start_limits(deployment public.flow_deployments)
returns private.limits_of_starts
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_open constant boolean := start_limits.deployment.start_permission = 'Anonymous';
begin
  -- Guests have half of a limit: of an Anonymous deployment 600 starts a minute and 1,000 runs in flight.
  return (
    coalesce(start_limits.deployment.max_starts_per_minute, case when v_is_open then 1200 else 60000 end),
    coalesce(start_limits.deployment.max_runs_in_flight, case when v_is_open then 2000 else 10000 end)
  );
end;
$$;
comment on function private.start_limits(public.flow_deployments) is
  'The limits of starts that hold for a deployment: those that its owner has set, else the defaults of its start_permission. Without an account anybody may start an Anonymous one, so its defaults are low.';

create function private.share_of_limit(share text, value integer)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case share_of_limit.share
    when 'all' then share_of_limit.value
    when 'guests' then (share_of_limit.value::bigint + 1) / 2
    else (share_of_limit.value::bigint + 9) / 10
  end;
end;
$$;
comment on function private.share_of_limit(text, integer) is
  'How much of a limit a share may use: all callers the whole, guests together a half, one caller a tenth. Rounded up, so that a limit above 0 leaves everybody at least 1.';

create function private.describe_start_limits(deployment public.flow_deployments)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_limits constant private.limits_of_starts := private.start_limits(describe_start_limits.deployment);
begin
  if describe_start_limits.deployment.start_permission <> 'Anonymous' then
    return '{}';
  end if;
  return jsonb_build_object('limits', to_jsonb(v_limits) || jsonb_build_object('guests', jsonb_build_object(
    'max_starts_per_minute', private.share_of_limit('guests', v_limits.max_starts_per_minute),
    'max_runs_in_flight', private.share_of_limit('guests', v_limits.max_runs_in_flight)
  )));
end;
$$;
comment on function private.describe_start_limits(public.flow_deployments) is
  'What a deploy says of the limits of a deployment that anybody may start: {limits: {max_starts_per_minute, max_runs_in_flight, guests}}, where guests has the same of all callers without an account; else {}.';
