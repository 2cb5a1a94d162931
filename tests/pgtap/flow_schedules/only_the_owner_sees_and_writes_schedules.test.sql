select plan(12);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
insert into public.flow_schedules (flow, cron) values (test.kept('flow')::integer, '* * * * *');
insert into public.flow_schedules (deployment_id, cron) values (test.kept('deployment')::uuid, '* * * * *');

select test.sign_in(test.user_id('other'));
select is_empty('select from public.flow_schedules', 'other users see no schedules');
select is(test.row_count('update public.flow_schedules set cron = ''0 0 * * *'' where true'), 0::bigint, 'other users change no schedules');
select is(test.row_count('delete from public.flow_schedules where true'), 0::bigint, 'other users delete no schedules');
select is(
  test.error_code(format($$ insert into public.flow_schedules (flow, cron) values (%s, '* * * * *') $$, test.kept('flow'))),
  'flow_not_found', 'a user can not schedule a flow of another user'
);
select is(
  test.error(format($$ insert into public.flow_schedules (deployment_id, cron) values (%L, '* * * * *') $$, test.kept('deployment'))),
  test.error(format($$ insert into public.flow_schedules (deployment_id, cron) values (%L, '* * * * *') $$, gen_random_uuid())),
  'a deployment of another user counts as missing'
);
select is(
  test.error_code(format(
    $$ insert into public.flow_schedules (user_id, flow, cron) values (%L, %s, '* * * * *') $$, test.user_id('owner'), test.kept('flow')
  )), '42501', 'a user can not make a schedule in the name of another user'
);
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_schedules'), '42501', 'anon may not read schedules');
select test.sign_out();

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments where true;
select is(count(*), 1::bigint, 'a schedule is deleted with its deployment') from public.flow_schedules;
select lives_ok(format('delete from public.flows where id = %s', test.kept('flow')), 'a flow with schedules can be deleted');
select is_empty('select from public.flow_schedules', 'schedules are deleted with their user');

select test.deploy(test.create_flow(test.user_id('owner')));
insert into public.flow_schedules (flow, cron) select id, '* * * * *' from public.flows;
select test.sign_out();
select private.set_quota('schedules', 1);
select test.sign_in(test.user_id('owner'));
select is(
  test.error($$ insert into public.flow_schedules (flow, cron) select id, '* * * * *' from public.flows $$) -> 'details',
  '{"limit": 1, "of": "schedules"}', 'the number of schedules of a user is limited'
);
select test.sign_out();
delete from auth.users where id = test.user_id('owner');
select is_empty('select from public.flow_schedules', 'schedules are deleted with their user');

select * from finish();
