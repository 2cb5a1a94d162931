-- Only hosted Supabase has pg_cron, so this file calls it in dynamic SQL.
create function private.runner_cron_jobs(max_age interval)
returns table (name text, schedule text, command text)
language sql stable security invoker
set search_path = ''
as $$
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
$$;
comment on function private.runner_cron_jobs(interval) is
  'The jobs for pg_cron: poke the runner, start due schedules, delete runs that ended longer than max_age ago, and trim the history of the jobs.';

create function private.check_runner_schedule()
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_has_cron boolean := to_regprocedure('cron.schedule(text,text,text)') is not null;
  v_name text;
  v_waited numeric := private.runner_metrics() ->> 'oldest_queued_seconds';
begin
  return query values
    ('extension pg_cron', v_has_cron, 'runs the jobs; create extension pg_cron'),
    ('extension pg_net', to_regproc('net.http_post') is not null, 'sends the pokes; create extension pg_net'),
    ('secret project_url', private.vault_secret('project_url') is not null,
      'the project''s address; select vault.create_secret(''https://….supabase.co'', ''project_url'')'),
    ('secret runner_key', private.vault_secret('runner_key') is not null,
      'the project''s secret key; select vault.create_secret(''sb_secret_…'', ''runner_key'')');

  for v_name in select j.name from private.runner_cron_jobs(null) as j loop
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
      else format(
        'a run has waited %s s for a worker; answers to pokes: select * from net._http_response order by id desc',
        v_waited
      )
    end;
end;
$$;
comment on function private.check_runner_schedule() is
  'Checks everything that private.schedule_runner needs and creates. Returns one row for each item, with its fault and the remedy. The row "queue" says how long the oldest run has waited for a worker. A long time may mean that the requests of private.poke_runner fail. For administrators only.';

create function private.schedule_runner(max_age interval default '30 days')
returns table (item text, is_ok boolean, note text)
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_job record;
begin
  perform private.check_sweep_arguments(schedule_runner.max_age, 1);
  if to_regprocedure('cron.schedule(text,text,text)') is not null then
    for v_job in select * from private.runner_cron_jobs(schedule_runner.max_age) loop
      execute 'select cron.schedule($1, $2, $3)' using v_job.name, v_job.schedule, v_job.command;
    end loop;
  end if;
  return query select c.* from private.check_runner_schedule() as c;
end;
$$;
comment on function private.schedule_runner(interval) is
  'Schedules the jobs of private.runner_cron_jobs with pg_cron. One of these jobs deletes runs max_age after their end; if max_age is null, it deletes no runs. A second call replaces the jobs. Returns the result of private.check_runner_schedule. 400 request_invalid. For administrators only.';
