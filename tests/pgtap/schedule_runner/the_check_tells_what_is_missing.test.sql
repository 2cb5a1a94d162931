select plan(14);

create temporary view missing as select item from private.check_runner_schedule() where not is_ok;

select bag_eq(
  'select item from private.schedule_runner() where not is_ok',
  array[
    'extension pg_cron', 'extension pg_net', 'secret project_url', 'secret runner_key',
    'job flow_runner_poke', 'job flow_runner_schedules', 'job flow_runner_sweep', 'job flow_runner_history'
  ],
  'without the platform''s extensions, scheduling raises no error, but reports what is missing'
);
select matches(note, 'create extension pg_cron', 'the note says how to mend the fault') from private.check_runner_schedule() where item = 'extension pg_cron';

select test.create_pg_cron();
select matches(note, 'schedule_runner', 'a job that is not scheduled is reported') from private.check_runner_schedule() where item = 'job flow_runner_poke';
select bag_eq(
  'select item from private.schedule_runner() where not is_ok', array['extension pg_net', 'secret project_url', 'secret runner_key'],
  'with pg_cron, only the other requirements are missing'
);
select test.create_pg_net(), test.create_vault();
select vault.create_secret('https://project.supabase.co', 'project_url');
select bag_eq('select item from missing', array['secret runner_key'], 'a missing secret is reported');
select vault.create_secret('sb_secret_key', 'runner_key');
select is_empty('select item from missing', 'when all requirements are met, no fault is reported');
select is_empty($$ select from private.check_runner_schedule() where note ~ 'sb_secret_key' $$, 'no secret is shown');

select matches(note, '^10 seconds: .*last run: none$', 'the check shows the schedule of a job') from private.check_runner_schedule()
where item = 'job flow_runner_poke';
insert into cron.job_run_details (jobid, status, return_message, start_time)
select jobid, 'failed', 'permission denied', now() from cron.job where jobname = 'flow_runner_poke';
select results_eq(
  $$ select item, note ~ 'failed, permission denied$' from private.check_runner_schedule() where not is_ok $$,
  $$ values ('job flow_runner_poke', true) $$, 'the check shows how the last run of a job ended'
);
insert into cron.job_run_details (jobid, status, return_message, start_time)
select jobid, 'succeeded', '1 row', now() from cron.job where jobname = 'flow_runner_poke';
select is_empty('select item from missing', 'after the next successful execution of the job, no fault is reported');
update cron.job set active = false where jobname = 'flow_runner_sweep';
select bag_eq('select item from missing', array['job flow_runner_sweep'], 'a job that is switched off is reported');
update cron.job set active = true where jobname = 'flow_runner_sweep';

-- If the requests of private.poke_runner do not arrive, runs wait in the queue.
select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.start_and_keep('run', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
select is_empty('select item from missing', 'a run that has just been started is not a fault');
update private.flow_run_jobs set turn = clock_timestamp() - interval '61 seconds' where true;
select bag_eq('select item from missing', array['queue'], 'a run that no worker has claimed for a minute is a fault');

select test.sign_in_as_role('service_role');
select bag_eq(
  $$ select test.error_code(statement) from (values ('select private.schedule_runner()'), ('select private.check_runner_schedule()')) as s (statement) $$,
  array['42501', '42501'], 'both functions are for administrators only'
);

select * from finish();
