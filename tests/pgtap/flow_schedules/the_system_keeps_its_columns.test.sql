select plan(11);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.deploy(test.kept('flow')::integer);
insert into public.flow_schedules (flow, cron) values (test.kept('flow')::integer, '0 0 1 1 *');

select is(
  test.error_code(format('update public.flow_schedules set %s where true', change)), 'column_read_only', change
)
from unnest('{next_start_at = now(),last_start_at = now(),last_flow_run_id = id,last_error = ''x'',id = gen_random_uuid(),created_at = ''epoch''}'::text[]) as change;
select is(
  test.error_code(format($$ insert into public.flow_schedules (flow, cron, next_start_at) values (%s, '* * * * *', now()) $$, test.kept('flow'))),
  'column_read_only', 'clients can not insert values for these columns'
);

update public.flow_schedules set cron = '0 0 1 7 *' where true;
select is(date_part('month', next_start_at at time zone 'UTC'), 7::double precision, 'a changed cron expression changes the planned time') from public.flow_schedules;
update public.flow_schedules set time_zone = 'Asia/Kathmandu' where true;
select is(to_char(next_start_at at time zone 'UTC', 'HH24:MI'), '18:15', 'a changed time zone changes the planned time') from public.flow_schedules;
update public.flow_schedules set is_active = false where true;
select is(next_start_at, null, 'an inactive schedule has no planned time') from public.flow_schedules;
update public.flow_schedules set is_active = true where true;
select ok(next_start_at > now(), 'an active schedule has a next start again') from public.flow_schedules;

select * from finish();
