select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('n')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
insert into public.flow_schedules (flow, cron, inputs) values (test.kept('flow')::integer, '0 6 * * *', '{"n": {"U": "7"}}');
insert into public.flow_schedules (deployment_id, cron, is_active) values (test.kept('deployment')::uuid, '* * * * *', false);
select test.sign_out();

select is(private.start_due_schedules(), '{"started": 0, "skipped": 0, "refused": 0, "has_more": false}', 'a new schedule is not due');
-- The function was not called for three days.
update public.flow_schedules set next_start_at = date_trunc('day', now()) - interval '3 days' + interval '6 hours' where is_active;
select is(private.start_due_schedules(), '{"started": 1, "skipped": 0, "refused": 0, "has_more": false}', 'three planned times cause one start');
select is(private.start_due_schedules() -> 'started', '0', 'a second call starts no run');

select results_eq(
  'select user_id, started_by, deployment_id, inputs, status from public.flow_run',
  $$ select test.user_id('owner'), test.user_id('owner'), test.kept('deployment')::uuid, '{"M": {"n": {"U": "7"}}}'::jsonb, 'queued' $$,
  'the run belongs to the owner'
);
select results_eq('select schedule_id, id from public.flow_run', 'select id, last_flow_run_id from public.flow_schedules where is_active',
  'the run names the schedule, and the schedule names the run');
select ok(next_start_at > now() and next_start_at <= now() + interval '1 day' and last_start_at >= now() and last_error is null, 'the next start is planned')
from public.flow_schedules where is_active;
select is(count(*), 1::bigint, 'with a job for a worker') from private.flow_run_jobs where state = 'ready';
select is_empty('select from private.deployment_usage', 'a start by a schedule counts for no limit');

select test.sign_in(test.user_id('owner'));
select is(count(*), 1::bigint, 'the owner finds the runs by the schedule') from public.flow_run as r
join public.flow_schedules as s on s.id = r.schedule_id;
select is(test.error_code('select public.start_due_schedules()'), '42501', 'users may not call start_due_schedules');
select test.sign_in_as_role('service_role');
select is(test.error_code('select public.start_due_schedules(0)'), 'request_invalid', 'max_schedules must be valid');

select * from finish();
