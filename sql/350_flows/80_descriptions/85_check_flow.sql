-- Checks a graph that is not saved, so that an editor can list its problems while the user draws it.

create table private.flow_checks (
  user_id uuid primary key references auth.users (id) on delete cascade,
  last_at timestamptz not null,
  before_last_at timestamptz not null
) with (fillfactor = 50);
comment on table private.flow_checks is
  'The times of each user''s last two calls of check_flow. They decide whether the user may call check_flow again now.';

create function private.count_flow_check(user_id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_is_counted boolean := false;
begin
  -- The lock lasts until the check has ended. While a check of a user runs, another check of this user is refused
  -- instead of waiting. So the checks of a user keep at most one processor busy.
  if pg_try_advisory_xact_lock(hashtextextended(format('private.check_flow %s', count_flow_check.user_id), 0)) then
    insert into private.flow_checks as c (user_id, last_at, before_last_at)
    values (count_flow_check.user_id, v_now, '-infinity')
    on conflict on constraint flow_checks_pkey do update
    set last_at = excluded.last_at, before_last_at = c.last_at
    where c.before_last_at <= v_now - interval '1 second';
    v_is_counted := found;
  end if;
  if not v_is_counted then
    perform private.fail(
      'too_many_requests',
      format('A user may check %s flows a second, one at a time.', private.limit_flow_checks_per_second()),
      hint => 'Try again after as many seconds as Retry-After says.', headers => '{"Retry-After": "1"}'
    );
  end if;
end;
$$;
comment on function private.count_flow_check(uuid) is
  'Counts a call of check_flow. Refuses the call with 429 too_many_requests if another check of the user is running, or if the user has called check_flow twice within the last second. Definer, because no API role may access private.flow_checks.';

create function private.flow_to_check(flow jsonb, user_id uuid)
returns public.flows
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure constant private.json_measure :=
    private.measure_json(flow_to_check.flow, private.limit_checked_flow_bytes());
  v_flow public.flows;
begin
  if v_measure.fault = 'size' then
    perform private.fail('body_too_large',
      format('flow: %s.', v_measure.message),
      hint => 'Save the flow. A deploy and a start check flows of every size.');
  end if;
  if v_measure.fault is not null then
    perform private.fail('request_invalid', format('flow%s: %s.', v_measure.path, v_measure.message));
  end if;
  if (
    jsonb_typeof(flow_to_check.flow -> 'nodes') = 'array' and jsonb_typeof(flow_to_check.flow -> 'edges') = 'array'
  ) is not true then
    perform private.fail('request_invalid', 'flow: must be an object with the arrays nodes and edges.');
  end if;
  v_flow.nodes := flow_to_check.flow -> 'nodes';
  v_flow.edges := flow_to_check.flow -> 'edges';
  v_flow.environment := coalesce(flow_to_check.flow -> 'environment', '{}');
  if not private.is_string_map(v_flow.environment) then
    perform private.fail('request_invalid', 'flow.environment: must be an object whose members are all strings.');
  end if;
  -- No flow has the id 0, so 0 stands for a flow without an id.
  v_flow.id := coalesce(private.integer_or_null(flow_to_check.flow ->> 'id'), 0);
  v_flow.user_id := flow_to_check.user_id;
  v_flow.instructions_bundling := 'Off';
  return v_flow;
end;
$$;
comment on function private.flow_to_check(jsonb, uuid) is
  'Turns the argument of check_flow into a row of flows. 400 request_invalid; 413 body_too_large.';

create function private.severity_of_problem(code text, is_finding boolean)
returns text
language sql immutable security invoker
begin atomic
  select case
    when severity_of_problem.is_finding then 'prevents_deploy'
    when severity_of_problem.code in (
      'answered_by_invalid', 'connection_missing', 'edge_source_port_unknown', 'edge_target_port_unknown', 'edge_types_differ',
      'input_missing', 'node_not_implemented', 'value_type_differs'
    ) then 'fails_run'
    when severity_of_problem.code = 'effect_skipped_by_branch' then 'note'
    else 'warning'
  end;
end;
comment on function private.severity_of_problem(text, boolean) is
  'The severity of a problem that check_flow reports. A warning has the severity fails_run if its message says that the run fails.';

create function private.check_flow(flow jsonb, flow_id integer)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_flow public.flows;
  v_reduced record;
  v_problems jsonb;
  v_is_finding boolean;
begin
  if num_nonnulls(check_flow.flow, check_flow.flow_id) <> 1 then
    perform private.fail('request_invalid', 'Give either flow or flow_id.');
  end if;
  if check_flow.flow is not null then
    v_flow := private.flow_to_check(check_flow.flow, v_user_id);
  else
    select f.* into v_flow from public.flows as f where f.id = check_flow.flow_id and f.user_id = v_user_id;
    if not found then
      perform private.fail('flow_not_found', 'There is no such flow.');
    end if;
  end if;
  perform private.count_flow_check(v_user_id);
  v_reduced := private.reduce_flow(
    v_flow, false, case when check_flow.flow is not null then private.limit_checked_flow_bytes() end
  );
  v_problems := private.first_elements(v_reduced.findings, private.limit_listed_findings());
  v_is_finding := v_problems <> '[]';
  if not v_is_finding then
    select private.first_elements(
      private.connection_warnings(w.connections, v_user_id) || w.warnings, private.limit_listed_warnings()
    )
    into v_problems
    from private.warnings_of_data(v_reduced.data::jsonb) as w;
  end if;
  return jsonb_build_object(
    'problems', (
      select coalesce(jsonb_agg(
        case when p.problem -> 'flow_id' = to_jsonb(v_flow.id) then p.problem - 'flow_id' else p.problem end
          || jsonb_build_object('severity', private.severity_of_problem(p.problem ->> 'code', v_is_finding))
          order by p.position
      ), '[]')
      from jsonb_array_elements(v_problems) with ordinality as p (problem, position)
    ),
    'is_complete', v_reduced.is_complete
  );
end;
$$;
comment on function private.check_flow(jsonb, integer) is
  'Implements public.check_flow. Definer, because no API role may call private.reduce_flow().';
grant execute on function private.check_flow(jsonb, integer) to anon, authenticated, service_role;

-- Checks either `flow`, a flow that is not saved, or the saved flow `flow_id`. `flow` is {nodes, edges, environment,
-- id}, where environment and id may be missing. Returns {problems, is_complete}. A problem is a finding or a warning
-- that a deploy would report: {code, path, message, severity}. Problems of called flows also have flow_id, and a
-- problem input_missing also has port. severity is prevents_deploy, fails_run, warning or note. As in a deploy, warnings are
-- listed only if there are no findings. `flow` must have at most 1 MiB. If the flows that `flow` calls have more than 1
-- MiB together, the check leaves some of them out, and is_complete is false. This limit does not apply to a saved flow.
create function public.check_flow(flow jsonb default null, flow_id integer default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.check_flow(flow, flow_id);
end;
$$;
comment on function public.check_flow(jsonb, integer) is
  'The problems that a deploy would report, for a flow that is not saved or for a saved one: {problems: [{code, path, message, severity}], is_complete}. 400 request_invalid; 401; 404 flow_not_found; 413 body_too_large; 429 too_many_requests.';
grant execute on function public.check_flow(jsonb, integer) to anon, authenticated, service_role;
