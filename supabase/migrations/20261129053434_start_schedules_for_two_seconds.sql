SET local check_function_bodies = off;

DROP FUNCTION "private"."start_schedule"(public.flow_schedules);

CREATE TYPE "private"."schedule_outcome" AS (
  "schedule_id" uuid,
  "outcome"     text,
  "run_id"      uuid,
  "error"       text
);

CREATE OR REPLACE FUNCTION private.drive_schedules()
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.plan_next_starts (
  made private.schedule_outcome[],
  now  timestamp with time zone
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
BEGIN ATOMIC
 WITH due
  AS MATERIALIZED (
          SELECT m.schedule_id,
             m.outcome,
             m.run_id,
             m.error,
             s_1.cron,
             s_1.time_zone
            FROM (unnest(plan_next_starts.made) m(schedule_id, outcome, run_id, error)
              JOIN public.flow_schedules s_1 ON ((s_1.id = m.schedule_id)))
           WHERE (m.outcome <> 'busy'::text)
         ), planned AS MATERIALIZED (
          SELECT d.cron,
             d.time_zone,
             private.next_cron_time(d.cron, d.time_zone, plan_next_starts.now) AS next_start_at
            FROM ( SELECT DISTINCT due_1.cron,
                     due_1.time_zone
                    FROM due due_1) d
         )
  UPDATE public.flow_schedules s SET next_start_at = p.next_start_at, last_start_at =
         CASE
             WHEN (due.outcome = 'started'::text) THEN plan_next_starts.now
             ELSE s.last_start_at
         END, last_flow_run_id = COALESCE(due.run_id, s.last_flow_run_id), last_error = due.error
    FROM (due
      JOIN planned p USING (cron, time_zone))
   WHERE (s.id = due.schedule_id);
END;

CREATE OR REPLACE FUNCTION private.runner_cron_jobs (
  max_age interval
)
  RETURNS TABLE (
    name     text,
    schedule text,
    command  text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  values
    ('flow_runner_poke', '10 seconds', 'select private.poke_runner()'),
    -- An execution lasts two seconds while more is due, and executions of a job follow each other.
    ('flow_runner_schedules', '2 seconds', 'select private.drive_schedules()'),
    -- Each execution of this job is one transaction, so its work is bounded: deleting 10,000 runs takes about half a
    -- second. One execution a minute deletes as many runs as 166 starts a second make.
    ('flow_runner_sweep', '* * * * *', format(
      'select private.sweep_runner(max_age => %L::interval, max_runs => 10000)', runner_cron_jobs.max_age
    )),
    -- pg_cron never deletes its own history.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_schedules'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$function$;

CREATE OR REPLACE FUNCTION private.start_due_schedules (
  max_schedules integer DEFAULT 100
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.start_schedule (
  schedule public.flow_schedules,
  now      timestamp with time zone
)
  RETURNS private.schedule_outcome
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
    when sqlstate 'PGRST' then
      v_made.outcome := 'refused';
      v_made.error := concat(sqlerrm::jsonb ->> 'code', ': ', sqlerrm::jsonb ->> 'message');
    when others then
      v_made.outcome := 'refused';
      v_made.error := concat('internal: ', sqlstate, ' ', private.shorten(sqlerrm, 2000));
  end;
  return v_made;
end;
$function$;

COMMENT ON FUNCTION "private"."drive_schedules"() IS 'For pg_cron: starts due schedules for two seconds, and calls private.poke_runner() if it started any. Returns a text that says how many schedules it started.';

COMMENT ON FUNCTION "private"."plan_next_starts"(private.schedule_outcome[], timestamp with time zone) IS 'Stores the outcomes of due schedules, and their next planned times after the given time. Definer, because it writes schedules of all users.';

COMMENT ON FUNCTION "private"."start_schedule"(public.flow_schedules, timestamp with time zone) IS 'Starts a due, locked schedule as its owner; private.plan_next_starts stores the result. Definer, because no API role may insert runs.';

COMMENT ON TYPE "private"."schedule_outcome" IS 'What became of a planned time of a schedule.';

REVOKE ALL ON FUNCTION "private"."plan_next_starts"(private.schedule_outcome[], timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."plan_next_starts"(private.schedule_outcome[], timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."plan_next_starts"(private.schedule_outcome[], timestamp WITH time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_schedule"(public.flow_schedules, timestamp WITH time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_schedule"(public.flow_schedules, timestamp WITH time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_schedule"(public.flow_schedules, timestamp WITH time zone) TO "postgres";
