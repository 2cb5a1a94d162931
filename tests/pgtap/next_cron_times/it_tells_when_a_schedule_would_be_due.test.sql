select plan(7);

select test.create_user('owner');
select is(test.error_code($$ select public.next_cron_times('* * * * *') $$), 'unauthenticated', 'a caller who is not a user is refused');

select test.sign_in(test.user_id('owner'));
select is(cardinality(public.next_cron_times('30 2 * * *', 'Europe/Berlin')), 3, 'three times are returned');
insert into public.flow_schedules (deployment_id, cron, time_zone)
values (test.deploy(test.create_flow(test.user_id('owner'))), '30 2 * * *', 'Europe/Berlin');
select results_eq('select next_start_at from public.flow_schedules',
  $$ select (public.next_cron_times('30 2 * * *', 'Europe/Berlin'))[1] $$, 'the first time equals next_start_at of a schedule');
select results_eq(
  $$ select t at time zone 'UTC' - lag(t at time zone 'UTC') over (order by t)
    from unnest(public.next_cron_times('0 12 * * *')) as t offset 1 $$,
  $$ values (interval '1 day'), (interval '1 day') $$, 'each time is after the previous one; the default time zone is UTC'
);
select is(test.error($$ select public.next_cron_times('61 * * * *', 'Mars/Base') $$) -> 'details' @> '[{"path": "cron.minute"}, {"path": "time_zone"}]',
  true, 'all faults are reported at once');
select is(test.error($$ select public.next_cron_times(null) $$) ->> 'message', 'cron: must not be null.', 'a null expression is refused');
select is(test.error($$ select public.next_cron_times('* * * * *', null) $$) ->> 'message', 'time_zone: must not be null.', 'a null time zone is refused');

select * from finish();
