SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.check_runner_schedule()
  RETURNS TABLE (
    item  text,
    is_ok boolean,
    note  text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_has_cron boolean := to_regprocedure('cron.schedule(text,text,text)') is not null;
  v_name text;
  v_waited numeric := private.runner_metrics() ->> 'oldest_queued_seconds';
begin
  return query values
    ('extension pg_cron', v_has_cron, 'runs the jobs; create extension pg_cron'),
    ('extension pg_net', to_regproc('net.http_post') is not null, 'sends the pokes; create extension pg_net'),
    ('secret project_url', private.runner_secret('project_url') is not null,
      'the project''s address; select vault.create_secret(''https://….supabase.co'', ''project_url'')'),
    ('secret runner_key', private.runner_secret('runner_key') is not null,
      'the project''s secret key; select vault.create_secret(''sb_secret_…'', ''runner_key'')');

  for v_name in select j.name from private.runner_jobs(null) as j loop
    item := 'job ' || v_name;
    is_ok := null;
    if v_has_cron then
      execute $query$
        select j.active and r.status is distinct from 'failed',
          format('%s: %s; last run: %s', j.schedule, j.command,
            coalesce(nullif(concat_ws(', ', r.start_time, r.status, r.return_message), ''), 'none'))
        from cron.job as j
        left join lateral (
          select d.start_time, d.status, d.return_message from cron.job_run_details as d
          where d.jobid = j.jobid order by d.runid desc limit 1
        ) as r on true
        where j.jobname = $1
      $query$ into is_ok, note using v_name;
    end if;
    if is_ok is null then
      is_ok := false;
      note := 'is not scheduled; select * from private.schedule_runner()';
    end if;
    return next;
  end loop;

  return query select 'queue', coalesce(v_waited < 60, true),
    case
      when v_waited is null then 'no run waits for a worker'
      else format('a run has waited %s s for a worker; answers to pokes: select * from net._http_response order by id desc', v_waited)
    end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_sweep (
  max_age  interval,
  max_runs integer
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if check_sweep.max_age < interval '24 hours' then
    perform private.fail(400, 'request_invalid', 'max_age: takes at least 24 hours, for which a repeated start finds its run again.');
  end if;
  if check_sweep.max_runs is null or check_sweep.max_runs not between 1 and 10000 then
    perform private.fail(400, 'request_invalid', 'max_runs: takes an integer from 1 to 10000.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.has_queued_run(interval '2 seconds')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_queued_run (
  min_age interval DEFAULT '00:00:00'::interval
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1) <= clock_timestamp() - has_queued_run.min_age, false
  );
$function$;

CREATE OR REPLACE FUNCTION private.poke_runner()
  RETURNS text
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_url text;
  v_key text;
  v_request_id bigint;
begin
  -- An idle project makes no calls.
  if not private.has_queued_run() then
    return 'nothing is queued';
  end if;
  if to_regproc('net.http_post') is null then
    return 'pg_net is not installed';
  end if;
  v_url := private.runner_secret('project_url');
  v_key := private.runner_secret('runner_key');
  if v_url is null or v_key is null then
    return 'Vault lacks the secret project_url or runner_key';
  end if;
  execute 'select net.http_post(url => $1, headers => $2, timeout_milliseconds => 5000)'
  into v_request_id
  using rtrim(v_url, '/') || '/functions/v1/runner', jsonb_build_object('apikey', v_key);
  return format('request %s is sent', v_request_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.runner_jobs (
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
    -- A job is one transaction, which deletes a bounded number of rows: so often, 288 000 runs a day.
    ('flow_runner_sweep', '*/5 * * * *', format('select private.sweep_runner(max_age => %L::interval)', runner_jobs.max_age)),
    -- pg_cron itself keeps what it has run for ever.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The time as a sub-select: a volatile function in a condition would keep the indexes from being used.
  with queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where r.status = 'running') as running, count(*) filter (where r.status = 'queued') as delayed
    from pgmq.q_flow_runs as m
    join public.flow_run as r on r.id = (m.message ->> 'flow_run_id')::uuid
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      select count(*) from public.flow_run as r
      where r.end_time is null and r.parent_flow_run_id is null and r.status = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from public.flow_run as r
      where r.end_time > (select clock_timestamp()) - interval '1 hour'
        -- As the index has it: what has failed has errors.
        and r.parent_flow_run_id is null and r.errors is not null and r.status = 'failed'
    )
  )
  from queue cross join hidden;
$function$;

CREATE OR REPLACE FUNCTION private.runner_secret (
  name text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_secret text;
begin
  if to_regclass('vault.decrypted_secrets') is not null then
    execute 'select s.decrypted_secret from vault.decrypted_secrets as s where s.name = $1' into v_secret using runner_secret.name;
  end if;
  return nullif(v_secret, '');
end;
$function$;

CREATE OR REPLACE FUNCTION private.schedule_runner (
  max_age interval DEFAULT '30 days'::interval
)
  RETURNS TABLE (
    item  text,
    is_ok boolean,
    note  text
  )
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_job record;
begin
  perform private.check_sweep(schedule_runner.max_age, 1);
  if to_regprocedure('cron.schedule(text,text,text)') is not null then
    for v_job in select * from private.runner_jobs(schedule_runner.max_age) loop
      execute 'select cron.schedule($1, $2, $3)' using v_job.name, v_job.schedule, v_job.command;
    end loop;
  end if;
  return query select c.* from private.check_runner_schedule() as c;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_runs bigint;
  v_keys bigint;
  v_messages bigint;
  v_snapshots bigint;
  v_hashes bytea[];
begin
  perform private.check_sweep(sweep_runner.max_age, sweep_runner.max_runs);

  -- Whatever a transaction under way has locked is left for the next sweep, so that nobody waits for a sweep that waits. `offset 0`
  -- keeps `not exists` a look at an index for each row; a join would read all of it.
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    where old.parent_flow_run_id is null and old.end_time < now() - sweep_runner.max_age
    order by old.end_time limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_runs = row_count;

  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_keys = row_count;

  select count(*) into v_messages
  from unnest(array(
    select m.msg_id from pgmq.q_flow_runs as m
    where not exists (
      select from public.flow_run as r where r.id = (m.message ->> 'flow_run_id')::uuid and r.end_time is null offset 0
    )
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  -- Last, since a start of the same graph waits for it. Two statements: what took a snapshot before it was locked here is seen by
  -- the second, and from then on nobody can take it.
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and not exists (select from private.flow_run_jobs as j where j.snapshot_hash = s.hash offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  );
  delete from private.flow_snapshots as s
  where s.hash = any (v_hashes)
    and not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
    and not exists (select from private.flow_run_jobs as j where j.snapshot_hash = s.hash offset 0);
  get diagnostics v_snapshots = row_count;

  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.runner_metrics();
$function$;

REVOKE ALL ON FUNCTION "public"."runner_metrics"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.sweep_runner(sweep_runner.max_age, sweep_runner.max_runs);
$function$;

REVOKE ALL ON FUNCTION "public"."sweep_runner"(interval, integer) FROM PUBLIC, "anon", "authenticated";

CREATE INDEX flow_run_end_time_idx_root_errors ON public.flow_run USING btree (end_time)
  WHERE ((parent_flow_run_id IS NULL) AND (errors IS NOT NULL));

CREATE INDEX flow_run_end_time_idx_roots ON public.flow_run USING btree (end_time)
  WHERE (parent_flow_run_id IS NULL);

COMMENT ON FUNCTION "private"."check_runner_schedule"() IS 'What private.schedule_runner needs and has set up, a row each, with what is missing and how to mend it; that the pokes arrive shows in the row "queue". Administrators only.';

COMMENT ON FUNCTION "private"."check_sweep"(interval, integer) IS 'Refuses arguments that a sweep does not take: 400 request_invalid.';

COMMENT ON FUNCTION "private"."has_queued_run"(interval) IS 'Whether some run has been there to be claimed for at least min_age: a look at the first entry of the queue''s index.';

COMMENT ON FUNCTION "private"."poke_runner"() IS 'For pg_cron: when a run is there to be claimed, sends POST functions/v1/runner by pg_net, to the address and with the secret key that Vault holds as project_url and runner_key. Returns what it did, or why it did nothing; the answer to request N is row N of net._http_response.';

COMMENT ON FUNCTION "private"."runner_jobs"(interval) IS 'The jobs of pg_cron that keep runs going and the tables small, for runs to be kept for max_age.';

COMMENT ON FUNCTION "private"."runner_metrics"() IS 'Does what public.runner_metrics says. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."runner_secret"(text) IS 'A secret of Vault by its name; null where there is none, or no Vault. Administrators only.';

COMMENT ON FUNCTION "private"."schedule_runner"(interval) IS 'Schedules, by pg_cron, pokes of the runner and the sweep that deletes runs max_age after their end (null: never), and returns what private.check_runner_schedule finds. Repeatable: a second call changes the first one''s jobs. 400 request_invalid. Administrators only.';

COMMENT ON FUNCTION "private"."sweep_runner"(interval, integer) IS 'Does what public.sweep_runner says. Definer: nobody else deletes runs, and the rest is private.';

COMMENT ON FUNCTION "public"."flow_run_result"(uuid) IS 'How a run stands, {status, output, errors, is_overdue}, for its owner, who started it, and the holder of its token. is_overdue: it has not ended, and the runner, having left a run queued for 2 seconds, needs a poke. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."runner_metrics"() IS 'For operators, counts of runs without interflow children: queue_length (there to be claimed, runs whose worker died included), oldest_queued_seconds (how long the first of them has been; null for none), delayed (queued for later), running (held by a worker), waiting (for a signature), failed_last_hour.';

COMMENT ON FUNCTION "public"."sweep_runner"(interval, integer) IS 'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages without a run to execute, and snapshots that nothing points at; of each at most max_runs. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many, and whether to call again. 400 request_invalid.';

REVOKE ALL ON FUNCTION "private"."check_runner_schedule"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_runner_schedule"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_runner_schedule"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_sweep"(interval, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_sweep"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_sweep"(interval, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_queued_run"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."poke_runner"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."poke_runner"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."poke_runner"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."runner_jobs"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_jobs"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_jobs"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."runner_metrics"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_metrics"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_metrics"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_metrics"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."runner_secret"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."runner_secret"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."runner_secret"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."schedule_runner"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_runner"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."schedule_runner"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sweep_runner"(interval, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."sweep_runner"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_runner"(interval, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."sweep_runner"(interval, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."runner_metrics"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."runner_metrics"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."runner_metrics"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."sweep_runner"(interval, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."sweep_runner"(interval, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."sweep_runner"(interval, integer) TO "service_role";
