create function private.check_run_period(
  flow integer, deployment uuid, since timestamptz, until timestamptz default null
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if num_nonnulls(check_run_period.flow, check_run_period.deployment) <> 1 then
    perform private.fail('request_invalid', 'flow, deployment: give exactly one of the two.');
  end if;
  if check_run_period.since is null or not isfinite(check_run_period.since)
    or check_run_period.since < 'epoch' or check_run_period.since > now()
  then
    perform private.fail('request_invalid', 'since: must be a time between 1970 and now.');
  end if;
  if check_run_period.until < 'epoch' then
    perform private.fail('request_invalid', 'until: must be a time after 1970.');
  end if;
end;
$$;
comment on function private.check_run_period(integer, uuid, timestamptz, timestamptz) is
  'Refuses arguments that name both a flow and a deployment, or neither. Also refuses a begin before 1970 or in the future, and an end before 1970. 400 request_invalid.';

create function private.flow_run_stats(flow integer, deployment uuid, since timestamptz)
returns jsonb
language plpgsql stable security definer
set search_path = ''
-- The limit in the query stops the query after about 5,000 runs. The planner does not know the value of this limit.
-- Without these settings, the planner would choose to sort all runs.
set enable_seqscan = off
set enable_bitmapscan = off
as $$
declare
  v_user_id uuid := private.require_user();
  -- Reading this many runs takes less than 50 ms, whatever the size of the table.
  v_max_runs constant integer := 5000;
  v_since_id uuid;
  v_stats jsonb;
begin
  perform private.check_run_period(flow_run_stats.flow, flow_run_stats.deployment, flow_run_stats.since);
  perform private.check_own_target(v_user_id, flow_run_stats.flow, flow_run_stats.deployment);
  -- The id of a run begins with the time of its creation, so `since` gives a lower bound of the ids.
  v_since_id := private.first_uuid_v7(flow_run_stats.since);

  with looked_at as materialized (
    select r.created_at, r.status,
      (extract(epoch from r.end_time - r.start_time) * 1000)::double precision as duration_ms, r.error_code, r.usage
    from (
      (
        select f.created_at, f.status, f.start_time, f.end_time, f.error_code, f.usage from public.flow_run as f
        where f.flow_id = flow_run_stats.flow and f.id >= v_since_id
        order by f.id desc limit case when flow_run_stats.flow is null then 0 else v_max_runs + 1 end
      )
      union all
      (
        select d.created_at, d.status, d.start_time, d.end_time, d.error_code, d.usage from public.flow_run as d
        where d.deployment_id = flow_run_stats.deployment and d.id >= v_since_id
        order by d.id desc limit case when flow_run_stats.deployment is null then 0 else v_max_runs + 1 end
      )
    ) as r
  ), counted as (
    select l.* from looked_at as l order by l.created_at desc limit v_max_runs
  )
  select jsonb_build_object(
    'since', case
      when (select count(*) from looked_at) > v_max_runs then (select min(c.created_at) from counted as c)
      else flow_run_stats.since
    end,
    'is_complete', (select count(*) from looked_at) <= v_max_runs,
    'runs', (select count(*) from counted),
    'by_status', (
      select jsonb_object_agg(known.status, coalesce(s.count, 0))
      from unnest('{queued,running,waiting,succeeded,failed,stopped}'::text[]) as known (status)
      left join (select c.status, count(*) as count from counted as c group by c.status) as s using (status)
    ),
    'duration_ms', (
      select jsonb_build_object(
        'p50', round(percentile_cont(0.5) within group (order by c.duration_ms)),
        'p95', round(percentile_cont(0.95) within group (order by c.duration_ms))
      ) from counted as c where c.duration_ms is not null
    ),
    'failures', (
      select coalesce(
        jsonb_agg(jsonb_build_object('code', f.code, 'count', f.count) order by f.count desc, f.code), '[]'
      )
      from (
        select c.error_code as code, count(*) as count
        from counted as c where c.status = 'failed'
        group by c.error_code order by count(*) desc, c.error_code limit 20
      ) as f
    ),
    'usage', (
      select coalesce(jsonb_object_agg(u.model, u.sums), '{}')
      from (
        select m.key as model, jsonb_build_object(
          'requests', sum((m.value ->> 'requests')::bigint),
          'input_tokens', sum((m.value ->> 'input_tokens')::bigint),
          'output_tokens', sum((m.value ->> 'output_tokens')::bigint)
        ) as sums
        from counted as c cross join lateral jsonb_each(c.usage) as m
        where c.usage <> '{}'
        group by m.key
      ) as u
    )
  ) into v_stats;
  return v_stats;
end;
$$;
comment on function private.flow_run_stats(integer, uuid, timestamptz) is
  'Implements public.flow_run_stats. Definer, because the function checks the owner of the flow or deployment once. The policies would check each run.';
grant execute on function private.flow_run_stats(integer, uuid, timestamptz) to anon, authenticated, service_role;

create function public.flow_run_stats(
  flow integer default null, deployment uuid default null, since timestamptz default now() - interval '7 days'
)
returns jsonb
language sql stable security invoker
begin atomic
  select private.flow_run_stats(flow, deployment, since);
end;
-- Counts the newest 5,000 runs. If there are more, is_complete is false, and since is the time of the oldest counted
-- run. Durations are those of runs that have started and ended. failures counts the failed runs by the code of their
-- first error, and has the 20 most frequent codes. The code is null if the first error has none. usage sums the usage of
-- the counted runs. For a flow or deployment of another user, the answer is 404, as for an unknown one.
comment on function public.flow_run_stats(integer, uuid, timestamptz) is
  'Statistics of the runs of the caller''s flow, or of one deployment, since a time (default: 7 days ago): {since, is_complete, runs, by_status, duration_ms: {p50, p95}, failures: [{code, count}], usage}. 400 request_invalid; 401; 404 flow_not_found, deployment_not_found.';
grant execute on function public.flow_run_stats(integer, uuid, timestamptz) to anon, authenticated, service_role;
