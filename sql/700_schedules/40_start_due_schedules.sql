-- Starts due schedules. Each planned time causes only one start, even if several callers start schedules at the same
-- time. A caller locks the schedule's row. The transaction that stores the run also sets the next planned time. A call
-- never waits for a lock, so it can't deadlock with a deletion of schedules. It skips rows that other transactions have
-- locked. The next call, within 5 seconds, finds these rows again.

create function private.due_schedules(max_schedules integer)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select due.id
    from (
      select d.id, d.next_start_at, row_number() over (partition by d.user_id order by d.next_start_at, d.id) as turn
      from (
        select s.id, s.user_id, s.next_start_at from public.flow_schedules as s
        -- In a sub-select the time is computed only once, so Postgres can search the index for it.
        where s.is_active and s.next_start_at <= (select clock_timestamp())
        order by s.next_start_at limit 10000
      ) as d
    ) as due
    order by due.turn, due.next_start_at, due.id
    limit due_schedules.max_schedules
  );
$$;
comment on function private.due_schedules(integer) is
  'The ids of the schedules to start next. Owners take turns, and the most overdue schedule of each owner is first. Reads only the 10,000 most overdue schedules. Definer, because it reads schedules of all users.';

create function private.schedule_deployment(
  schedule public.flow_schedules, out is_busy boolean, out deployment public.flow_deployments
)
returns record
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user auth.users;
  v_id uuid := schedule_deployment.schedule.deployment_id;
begin
  is_busy := false;
  -- A transaction that deletes the user has locked the user's row, and will delete this schedule too. So skip a locked
  -- row, and return is_busy. The row of the deployment is read in the same way below.
  select u.* into v_user from auth.users as u where u.id = schedule_deployment.schedule.user_id
  for key share skip locked;
  if not found then
    is_busy := true;
    return;
  end if;
  if v_user.deleted_at is not null or coalesce(v_user.banned_until > now(), false) then
    perform private.fail('token_invalid', 'The user of this schedule has been deleted or banned.');
  end if;
  if v_id is null then
    v_id := (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = schedule_deployment.schedule.flow and t.tag = schedule_deployment.schedule.tag
    );
  end if;
  select d.* into deployment from public.flow_deployments as d
  where d.id = v_id and d.user_id = schedule_deployment.schedule.user_id
  for key share skip locked;
  if not found then
    is_busy := exists (select from public.flow_deployments as d where d.id = v_id);
    if not is_busy then
      perform private.refuse_missing_tag(schedule_deployment.schedule.flow, schedule_deployment.schedule.tag);
    end if;
  end if;
end;
$$;
-- Returns the deployment that a schedule starts, and locks it against deletion until the transaction ends. is_busy
-- is true if another transaction has locked the deployment or the user. 404 deployment_not_found; 401 token_invalid
-- for a user who is deleted or banned.
comment on function private.schedule_deployment(public.flow_schedules) is
  'Finds and locks the deployment that a schedule starts. Definer, because it reads schedules of all users.';

create type private.schedule_outcome as (
  schedule_id uuid,
  -- started, skipped, refused or busy.
  outcome text,
  run_id uuid,
  error text
);
comment on type private.schedule_outcome is 'What became of a planned time of a schedule.';

create function private.start_schedule(schedule public.flow_schedules, now timestamptz)
returns private.schedule_outcome
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_target record;
  v_caller private.caller;
  v_made private.schedule_outcome;
begin
  v_made.schedule_id := start_schedule.schedule.id;
  if start_schedule.schedule.policy = 'skip'
    and start_schedule.schedule.next_start_at < start_schedule.now - interval '1 minute'
  then
    v_made.outcome := 'skipped';
    v_made.error := format('schedule_skipped: The start planned for %s was more than a minute late.',
      to_char(start_schedule.schedule.next_start_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'));
    return v_made;
  end if;
  begin
    v_target := private.schedule_deployment(start_schedule.schedule);
    if v_target.is_busy then
      v_made.outcome := 'busy';
      return v_made;
    end if;
    v_caller.user_id := start_schedule.schedule.user_id;
    v_made.run_id := private.enqueue_run(
      v_target.deployment, v_caller, start_schedule.schedule.inputs,
      nullif(start_schedule.schedule."values", '{}'), null, null, null,
      start_schedule.schedule.id
    ) ->> 'flow_run_id';
    v_made.outcome := 'started';
  exception
    when others then
      v_made.outcome := 'refused';
      v_made.error := private.error_line(sqlstate, sqlerrm);
  end;
  return v_made;
end;
$$;
comment on function private.start_schedule(public.flow_schedules, timestamptz) is
  'Starts a due, locked schedule as its owner; private.plan_next_starts stores the result. Definer, because no API role may insert runs.';

create function private.plan_next_starts(made private.schedule_outcome[], now timestamptz)
returns void
language sql volatile security definer
set search_path = ''
begin atomic
  with due as materialized (
    select m.*, s.cron, s.time_zone
    from unnest(plan_next_starts.made) as m join public.flow_schedules as s on s.id = m.schedule_id
    where m.outcome <> 'busy'
  ),
  -- Computing a time takes as long as a start, so it is computed once for equal expressions.
  planned as materialized (
    select d.cron, d.time_zone, private.next_cron_time(d.cron, d.time_zone, plan_next_starts.now) as next_start_at
    from (select distinct due.cron, due.time_zone from due) as d
  )
  update public.flow_schedules as s
  set
    next_start_at = p.next_start_at,
    last_start_at = case when due.outcome = 'started' then plan_next_starts.now else s.last_start_at end,
    last_flow_run_id = coalesce(due.run_id, s.last_flow_run_id),
    last_error = due.error
  from due join planned as p using (cron, time_zone)
  where s.id = due.schedule_id;
end;
-- Sets the next planned times to times after now, so all planned times of a schedule that have passed cause only one
-- start. If a start was refused, last_error records the error, and the next attempt is at the next planned time.
comment on function private.plan_next_starts(private.schedule_outcome[], timestamptz) is
  'Stores the outcomes of due schedules, and their next planned times after the given time. Definer, because it writes schedules of all users.';

create function private.start_due_schedules(max_schedules integer default 100)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with a sequential scan while the table is empty, and reuse it when
-- the table is full.
set enable_seqscan = off
as $$
declare
  -- A constant is needed, because an index can't be searched for the result of a volatile function.
  v_now constant timestamptz := clock_timestamp();
  v_ids uuid[];
  v_id uuid;
  v_schedule public.flow_schedules;
  v_made private.schedule_outcome[] := '{}';
  v_counts record;
begin
  if start_due_schedules.max_schedules is null or start_due_schedules.max_schedules not between 1 and 1000 then
    perform private.fail('request_invalid', 'max_schedules: must be an integer from 1 to 1000.');
  end if;
  -- In most calls no schedule is due. Then this one search of the index is all the work.
  if exists (select from public.flow_schedules as s where s.is_active and s.next_start_at <= v_now) then
    v_ids := private.due_schedules(start_due_schedules.max_schedules);
    foreach v_id in array v_ids loop
      -- Check again under the lock, because another call may have started the schedule meanwhile.
      select s.* into v_schedule from public.flow_schedules as s
      where s.id = v_id and s.is_active and s.next_start_at <= v_now
      for no key update skip locked;
      continue when not found;
      v_made := v_made || private.start_schedule(v_schedule, v_now);
    end loop;
    perform private.plan_next_starts(v_made, v_now);
  end if;
  select
    count(*) filter (where m.outcome = 'started') as started,
    count(*) filter (where m.outcome = 'skipped') as skipped,
    count(*) filter (where m.outcome = 'refused') as refused
  into v_counts from unnest(v_made) as m;
  return jsonb_build_object(
    'started', v_counts.started, 'skipped', v_counts.skipped, 'refused', v_counts.refused,
    -- If other transactions have locked all due schedules, has_more is false: another call could not start these
    -- schedules either.
    'has_more', coalesce(cardinality(v_ids), 0) = start_due_schedules.max_schedules
      and v_counts.started + v_counts.skipped + v_counts.refused > 0
  );
end;
$$;
comment on function private.start_due_schedules(integer) is
  'Implements public.start_due_schedules. Definer, because it starts runs in the name of all users.';
grant execute on function private.start_due_schedules(integer) to service_role;

create function public.start_due_schedules(max_schedules integer default 100)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_due_schedules(max_schedules);
end;
-- For the driver of schedules (pg_cron, the local stack): starts at most max_schedules due schedules, each in the name
-- of its owner. Each planned time causes only one start, even if there are several callers. Call again while has_more
-- is true, then call private.poke_runner(). 400 request_invalid.
comment on function public.start_due_schedules(integer) is
  'Starts due schedules in the name of their owners, once for each planned time. Returns {started, skipped, refused, has_more}; call again while has_more is true.';
grant execute on function public.start_due_schedules(integer) to service_role;

create function private.drive_schedules()
returns text
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  -- The time is bounded, because the runs are visible only after the end of this transaction.
  v_end constant timestamptz := clock_timestamp() + interval '2 seconds';
  v_started integer := 0;
  v_result jsonb;
begin
  loop
    v_result := private.start_due_schedules(500);
    v_started := v_started + (v_result ->> 'started')::integer;
    exit when not (v_result ->> 'has_more')::boolean or clock_timestamp() >= v_end;
  end loop;
  return case
    when v_started = 0 then 'nothing is due' else format('%s started; %s', v_started, private.poke_runner())
  end;
end;
$$;
comment on function private.drive_schedules() is
  'For pg_cron: starts due schedules for two seconds, and calls private.poke_runner() if it started any. Returns a text that says how many schedules it started.';
