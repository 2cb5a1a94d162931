select plan(5);

select test.create_user('many'), test.create_user('few');
select private.set_quota('schedules', 600);
select test.sign_in(test.user_id('many'));
select test.deploy(test.create_flow(test.user_id('many')));
insert into public.flow_schedules (flow, cron) select f.id, format('0 0 1 %s *', 1 + i % 2) from public.flows as f cross join generate_series(1, 600) as i;
select test.sign_in(test.user_id('few'));
select test.deploy(test.create_flow(test.user_id('few')));
insert into public.flow_schedules (flow, cron) select f.id, '0 0 1 1 *' from public.flows as f;
select test.sign_out();

update public.flow_schedules set next_start_at = clock_timestamp() - interval '1 hour' where user_id = test.user_id('many');
update public.flow_schedules set next_start_at = clock_timestamp() where user_id = test.user_id('few');
select is(private.start_due_schedules(10), '{"started": 10, "skipped": 0, "refused": 0, "has_more": true}', 'one call does not start all due schedules');
select is(count(*), 1::bigint, 'a schedule of another owner is among the first ten, however many older ones are due') from public.flow_run where user_id = test.user_id('few');
select is(private.drive_schedules(), '591 started; pg_net is not installed', 'pg_cron''s job starts the rest');
select is(private.drive_schedules(), 'nothing is due', 'after the rest was started, no schedule is due');
select is(count(*), 601::bigint, 'each schedule has the next time of its own expression') from public.flow_schedules as s where s.next_start_at = private.next_cron_time(s.cron, s.time_zone, now());

select * from finish();
