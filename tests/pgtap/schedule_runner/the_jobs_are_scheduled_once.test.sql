select plan(11);

select test.create_pg_cron();
create temporary view job as select jobname, schedule, command from cron.job order by jobname;

select is(count(*), 9::bigint, 'schedule_runner returns the check') from private.schedule_runner();
select results_eq(
  $$ select jobname, schedule from job $$,
  $$ values ('flow_runner_history', '17 3 * * *'), ('flow_runner_poke', '10 seconds'), ('flow_runner_schedules', '2 seconds'),
    ('flow_runner_sweep', '* * * * *') $$,
  'schedule_runner schedules four jobs'
);
select test.keep('jobs', jsonb_agg(to_jsonb(j))) from job as j;
select private.schedule_runner();
select is(jsonb_agg(to_jsonb(j)), test.kept('jobs')::jsonb, 'a second call changes nothing') from job as j;

-- The commands of the jobs work.
select is(test.error_code(command), null, jobname || ' runs') from job;
insert into cron.job (jobname) values ('other');
insert into cron.job_run_details (jobid, end_time)
select j.jobid, now() - age from cron.job as j cross join unnest('{23 hours,25 hours}'::interval[]) as age;
select lives_ok(command, 'the history is swept') from job where jobname = 'flow_runner_history';
select results_eq(
  $$ select j.jobname = 'other', count(*) from cron.job_run_details as d join cron.job as j using (jobid) group by 1 order by 1 $$,
  'values (false, 4::bigint), (true, 2)', 'only the history of this project''s jobs is deleted, after a day'
);

select test.create_user('owner');
select test.end_run(test.create_run(test.create_flow(test.user_id('owner')), age => '8 days'), age => '8 days');
select private.schedule_runner(max_age => '7 days');
do $$ begin execute (select command from cron.job where jobname = 'flow_runner_sweep'); end $$;
select is_empty('select from public.flow_run', 'runs are kept for the given age');
select is(test.error_code($$ select private.schedule_runner(max_age => '1 hour') $$), 'request_invalid', 'the age must be at least a day');

select * from finish();
