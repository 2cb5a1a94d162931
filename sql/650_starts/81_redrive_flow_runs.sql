create function private.failed_runs(
  user_id uuid, flow integer, deployment uuid, since timestamptz, until timestamptz, error_code text, max_runs integer
)
returns uuid[]
language plpgsql stable security definer
set search_path = ''
as $$
declare
  -- The same limit as in flow_run_stats, so that without `until` both functions search the same runs.
  c_looked_at constant integer := 5000;
  -- The id of a run begins with the time at which the run was made.
  v_since_id uuid := private.first_uuid_v7(failed_runs.since);
  -- The first id of the millisecond after the one that contains `until`.
  v_end_id uuid := private.first_uuid_v7(least(failed_runs.until, '2200-01-01') + interval '1 millisecond');
begin
  return array(
    select l.id
    from (
      select r.id, r.user_id, r.status, r.parent_flow_run_id, r.created_at, r.error_code
      from (
        (
          select f.* from public.flow_run as f
          where f.flow_id = failed_runs.flow and f.id >= v_since_id and f.id < v_end_id
          order by f.id desc limit case when failed_runs.flow is null then 0 else c_looked_at end
        )
        union all
        (
          select d.* from public.flow_run as d
          where d.deployment_id = failed_runs.deployment and d.id >= v_since_id and d.id < v_end_id
          order by d.id desc limit case when failed_runs.deployment is null then 0 else c_looked_at end
        )
      ) as r
    ) as l
    where l.user_id = failed_runs.user_id and l.status = 'failed' and l.parent_flow_run_id is null
      and l.created_at < failed_runs.until
      and (failed_runs.error_code is null or l.error_code = failed_runs.error_code)
      and not exists (select from public.flow_run as b where b.redriven_from = l.id)
    order by l.id limit failed_runs.max_runs
  );
end;
$$;
comment on function private.failed_runs(uuid, integer, uuid, timestamptz, timestamptz, text, integer) is
  'Failed runs of this owner that have no redrive, the oldest first. Searches only the newest 5,000 runs that the flow or deployment has in this period. Definer, because it reads runs of any user. Its callers check the user.';

create function private.redrive_flow_runs(
  flow integer, deployment uuid, since timestamptz, until timestamptz, error_code text, accept_unknown boolean,
  max_runs integer, on_deployment uuid
)
returns table (flow_run_id uuid, redriven_as uuid, error jsonb)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
begin
  perform private.check_run_period(
    redrive_flow_runs.flow, redrive_flow_runs.deployment, redrive_flow_runs.since, redrive_flow_runs.until
  );
  if redrive_flow_runs.max_runs is null or redrive_flow_runs.max_runs not between 1 and 100 then
    perform private.fail('request_invalid', 'max_runs: must be an integer from 1 to 100.');
  end if;
  perform private.check_own_target(v_user_id, redrive_flow_runs.flow, redrive_flow_runs.deployment);
  foreach flow_run_id in array private.failed_runs(
    v_user_id, redrive_flow_runs.flow, redrive_flow_runs.deployment, redrive_flow_runs.since,
    coalesce(redrive_flow_runs.until, 'infinity'),
    redrive_flow_runs.error_code, redrive_flow_runs.max_runs
  ) loop
    redriven_as := null;
    error := null;
    begin
      redriven_as := private.redrive_flow_run(
        flow_run_id, redrive_flow_runs.accept_unknown, null, redrive_flow_runs.on_deployment, null
      ) ->> 'flow_run_id';
    exception
      -- If a run can't be redriven, return its error, and continue with the next run.
      when sqlstate 'PGRST' then
        error := sqlerrm::jsonb;
    end;
    return next;
  end loop;
end;
$$;
comment on function private.redrive_flow_runs(integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid) is
  'Implements public.redrive_flow_runs. Definer, because no API role may insert runs. It checks the owner of the flow or deployment only once.';
grant execute on function private.redrive_flow_runs(
  integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid
) to anon, authenticated, service_role;

-- Redrives failed runs of the caller's flow, or of one deployment, that have no redrive yet. Selects runs that were
-- made between `since` (default: 7 days ago) and `until`. Searches only the newest 5,000 runs of this period, and
-- redrives at most max_runs of them (1 to 100), the oldest first. error_code selects runs whose first error has this
-- code, as in flow_run_stats. Returns a row for each selected run, {flow_run_id, redriven_as, error}. redriven_as is
-- the new run; error is the error that redrive_flow_run would answer. Call again until there are no rows, or only rows
-- with errors. With on_deployment, the new runs execute this deployment, as in redrive_flow_run. 400 request_invalid;
-- 401; 404 flow_not_found, deployment_not_found, also for flows and deployments of other users.
create function public.redrive_flow_runs(
  flow integer default null, deployment uuid default null, since timestamptz default now() - interval '7 days',
  until timestamptz default null, error_code text default null, accept_unknown boolean default false,
  max_runs integer default 100, on_deployment uuid default null
)
returns table (flow_run_id uuid, redriven_as uuid, error jsonb)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.redrive_flow_runs(
    flow, deployment, since, until, error_code, accept_unknown, max_runs, on_deployment
  );
$$;
comment on function public.redrive_flow_runs(integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid) is
  'Redrives failed runs of the caller''s flow or deployment in a period, the oldest first. Returns rows of {flow_run_id, redriven_as, error}. Call again until only rows with errors remain. 400 request_invalid; 401; 404 flow_not_found, deployment_not_found.';
grant execute on function public.redrive_flow_runs(
  integer, uuid, timestamptz, timestamptz, text, boolean, integer, uuid
) to anon, authenticated, service_role;
