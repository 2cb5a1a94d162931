select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.deploy(test.kept('flow')::integer);
insert into public.flow_schedules (flow, cron, policy)
select test.kept('flow')::integer, '* * * * *', policy from unnest('{skip,catch_up_one}'::text[]) as policy;
select test.sign_out();

update public.flow_schedules set next_start_at = clock_timestamp() - interval '1 hour' where true;
select is(private.start_due_schedules(), '{"started": 1, "skipped": 1, "refused": 0, "has_more": false}', 'an hour late, catch_up_one starts one run and skip starts none');
select results_eq(
  'select policy, last_start_at is not null, next_start_at > clock_timestamp() from public.flow_schedules order by policy',
  $$ values ('catch_up_one', true, true), ('skip', false, true) $$, 'the schedule with skip has no last start'
);
select matches(last_error, '^schedule_skipped: The start planned for 20..-..-..T..:..Z was more than a minute late.$', 'last_error says that the start was skipped') from public.flow_schedules where policy = 'skip';

update public.flow_schedules set next_start_at = clock_timestamp() - interval '50 seconds' where true;
select is(private.start_due_schedules() -> 'started', '2', 'within a minute no start is late');
select is(last_error, null, 'the schedule with skip has no error') from public.flow_schedules where policy = 'skip';
select is(count(*), 3::bigint, 'three runs were started') from public.flow_run;

select * from finish();
