create function private.error_parts(line text, out node_id uuid, out node text, out message text)
language sql immutable security invoker
begin atomic
  -- A line is "<name> <node id>[#times]: <message>"; errors of the run itself have no node.
  select
    left(p.place, 36)::uuid,
    left(l.line, strpos(l.line, ' ' || p.place || ': ') - 1),
    left(coalesce(
      substr(l.line, strpos(l.line, ' ' || p.place || ': ') + length(p.place) + 3),
      error_parts.line
    ), 300)
  from (select left(error_parts.line, 1000) as line) as l,
    lateral (
      select substring(
        l.line from ' ([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?:#[0-9]+)?): '
      ) as place
    ) as p;
end;
comment on function private.error_parts(text) is
  'The parts of a line of flow_run.errors: the node and its name (null for errors of the run itself), and the beginning of the message.';

create function private.flow_run_overview(filter private.run_filter)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_max_runs constant integer := private.limit_runs_counted();
  v_since constant timestamptz := coalesce(
    (flow_run_overview.filter).since, coalesce((flow_run_overview.filter).until, now()) - interval '1 day'
  );
  v_until constant timestamptz := coalesce((flow_run_overview.filter).until, now());
  v_from uuid;
  v_to uuid;
  v_overview jsonb;
begin
  perform private.check_run_filter(flow_run_overview.filter);
  if v_since >= v_until then
    perform private.fail('request_invalid', 'since: must be before until.');
  end if;
  v_from := private.first_uuid_v7(v_since);
  v_to := private.first_uuid_v7(v_until + interval '1 millisecond');
  execute format(
    'with found as materialized (
      select q.id, q.status, q.created_at, q.error_code, left(q.errors[1], 1000) as first_error,
        (extract(epoch from q.end_time - q.start_time) * 1000)::double precision as duration_ms,
        least(floor(extract(epoch from q.created_at - $7) / extract(epoch from $8 - $7) * 24), 23)::integer as part
      from (%s) as q order by q.id desc limit $6 + 1
    ), counted as (
      select f.* from found as f order by f.id desc limit $6
    )
    select jsonb_build_object(
      ''since'', $7, ''until'', $8,
      ''runs'', (select count(*) from counted), ''is_complete'', (select count(*) from found) <= $6,
      ''by_status'', (
        select coalesce(jsonb_object_agg(s.status, s.count), ''{}'')
        from (select c.status, count(*) as count from counted as c group by c.status) as s
      ),
      ''parts'', (
        select coalesce(
          jsonb_agg(jsonb_build_object(''part'', p.part, ''status'', p.status, ''count'', p.count)), ''[]''
        )
        from (select c.part, c.status, count(*) as count from counted as c group by c.part, c.status) as p
      ),
      ''durations'', (
        select coalesce(jsonb_agg(jsonb_build_object(
          ''id'', d.id, ''status'', d.status, ''created_at'', d.created_at, ''ms'', round(d.duration_ms)
        )), ''[]'')
        from (select c.* from counted as c where c.duration_ms is not null order by c.id desc limit 500) as d
      ),
      ''duration_ms'', (
        select jsonb_build_object(
          ''p50'', round(percentile_cont(0.5) within group (order by c.duration_ms)),
          ''p95'', round(percentile_cont(0.95) within group (order by c.duration_ms))
        ) from counted as c
      ),
      ''failures'', (
        select coalesce(jsonb_agg(to_jsonb(g) order by g.count desc, g.last_id desc), ''[]'')
        from (
          select p.node_id, max(p.node) as node, c.error_code as code, p.message, count(*) as count,
            max(c.id::text) as last_id
          from counted as c cross join lateral private.error_parts(c.first_error) as p
          where c.status = ''failed''
          group by p.node_id, c.error_code, p.message order by count(*) desc, max(c.id::text) desc limit 20
        ) as g
      )
    )', private.run_query(flow_run_overview.filter)
  ) into v_overview
  using flow_run_overview.filter, v_user_id, v_from, v_to, private.limit_runs_searched(), v_max_runs, v_since, v_until;
  return v_overview;
end;
$$;
comment on function private.flow_run_overview(private.run_filter) is
  'Implements public.flow_run_overview. Definer for the same reason as private.find_flow_runs().';
grant execute on function private.flow_run_overview(private.run_filter) to anon, authenticated, service_role;

-- `since` is by default a day before `until`, and `until` is by default the present time. Counts the newest 5,000 runs;
-- is_complete is false if there are more. parts: the counts by status in 24 equal parts of the period, numbered from 0.
-- durations: the newest 500 ended runs. failures: the 20 most frequent first errors of failed runs, grouped by node and
-- text.
create function public.flow_run_overview(
  search text default null, flow integer default null, deployment uuid default null, schedule uuid default null,
  webhook uuid default null, status text default null, starter text default null, since timestamptz default null,
  until timestamptz default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.flow_run_overview(
    row(search, flow, deployment, schedule, webhook, status, starter, since, until)::private.run_filter
  );
end;
-- The result: {since, until, runs, is_complete, by_status, parts: [{part, status, count}],
-- durations: [{id, status, created_at, ms}], duration_ms: {p50, p95},
-- failures: [{node_id, node, code, message, count, last_id}]}.
comment on function public.flow_run_overview(text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz) is
  'Counts the runs that find_flow_runs finds with the same filter, by status and by part of the period (default: one day). Counts the failures by node and text. Also lists durations. 400 request_invalid; 401.';
grant execute on function public.flow_run_overview(
  text, integer, uuid, uuid, uuid, text, text, timestamptz, timestamptz
) to anon, authenticated, service_role;
