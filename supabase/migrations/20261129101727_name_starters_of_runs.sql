SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.find_flow_runs (
  filter private.run_filter,
  skip   integer,
  take   integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  AS $function$
declare
  v_user_id constant uuid := private.require_user();
  v_most constant integer := private.limit_runs_searched();
  v_most_taken constant integer := private.limit_runs_listed();
  v_from uuid;
  v_to uuid;
  v_runs jsonb;
  v_looked_at integer := 0;
begin
  perform private.check_run_filter(find_flow_runs.filter);
  if (find_flow_runs.take between 1 and v_most_taken and find_flow_runs.skip between 0 and v_most) is not true then
    perform private.fail('request_invalid',
      format('take: must be from 1 to %s; skip: from 0 to %s.', v_most_taken, v_most));
  end if;
  -- The id of a run begins with the time of its creation, so `since` and `until` give bounds of the ids.
  v_from := private.first_uuid_v7(coalesce((find_flow_runs.filter).since, 'epoch'));
  v_to := private.first_uuid_v7(coalesce((find_flow_runs.filter).until, '2200-01-01'));
  execute format(
    'select coalesce(jsonb_agg(to_jsonb(l) || jsonb_build_object(
      ''flow_name'', case
        when l.user_id = $2 then (select f.name from public.flows as f where f.id = l.flow_id)
        -- A starter reads the name of the deployment, as before the start.
        else (select d.name from public.flow_deployments as d where d.id = l.deployment_id)
      end,
      ''started_by_email'', private.confirmed_email(l.started_by)
    )), ''[]'') from (
      select q.id, q.flow_id, q.deployment_id, q.schedule_id, q.webhook_id, q.row_start_id, q.status, q.user_id,
        q.started_by, q.started_by_public_key, q.started_by_run_id, q.created_at, q.start_time, q.end_time,
        private.starter_kind(
          q.schedule_id, q.webhook_id, q.row_start_id, q.started_by_run_id, q.started_by_public_key
        ) as starter,
        left(q.errors[1], 1000) as first_error
      from (%s) as q order by q.id desc limit $6 offset $7
    ) as l', private.run_query(find_flow_runs.filter)
  ) into v_runs
  using find_flow_runs.filter, v_user_id, v_from, v_to, v_most, find_flow_runs.take, find_flow_runs.skip;
  -- If the page is not full, the search is over. Count the runs that it read in each index, to find out whether it
  -- stopped at the limit. If the page is full, the next page continues the search.
  if jsonb_array_length(v_runs) < find_flow_runs.take then
    execute format(
      'select coalesce(max(n.runs), 0) from (select count(*) as runs from (%s) as q group by q.is_by_owner) as n',
      private.run_sources(find_flow_runs.filter)
    ) into v_looked_at
    using find_flow_runs.filter, v_user_id, v_from, v_to, v_most;
  end if;
  return jsonb_build_object('runs', v_runs, 'is_complete', v_looked_at < v_most);
end;
$function$;
