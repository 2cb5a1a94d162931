create type private.limits_of_starts as (max_starts_per_minute integer, max_runs_in_flight integer);
comment on type private.limits_of_starts is 'The limits of a deployment''s starts. Neither field is null.';

create function private.start_limits(deployment public.flow_deployments)
returns private.limits_of_starts
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_open constant boolean := start_limits.deployment.start_permission = 'Anonymous';
begin
  return (
    coalesce(start_limits.deployment.max_starts_per_minute,
      case when v_is_open then private.limit_open_starts_per_minute() else private.limit_starts_per_minute() end),
    coalesce(start_limits.deployment.max_runs_in_flight,
      case when v_is_open then private.limit_open_runs_in_flight() else private.limit_runs_in_flight() end)
  );
end;
$$;
comment on function private.start_limits(public.flow_deployments) is
  'The limits of starts that apply to a deployment: the values that its owner has set, or the defaults for its start_permission. The defaults of an Anonymous deployment are low, because anybody may start it without an account.';

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
  'The part of a deployment''s limit that the callers in `share` may use. `all` is all callers together: the whole limit. `guests` is all callers who have not signed up: a half. Any other share is a single caller: a tenth. The result is rounded up, so that a limit above 0 gives at least 1.';

-- If anybody may start the deployment, returns the member `limits` of a deploy's answer: {limits:
-- {max_starts_per_minute, max_runs_in_flight, guests}}. `guests` has the two limits that apply to all callers together
-- who have not signed up. Returns {} for other deployments.
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
  'The limits that deploy_flow reports for a deployment that anybody may start, {limits: {max_starts_per_minute, max_runs_in_flight, guests}}; {} for others.';
