select plan(7);

select test.create_user('owner'), test.create_user('banned');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('n')));
select test.keep('former', test.deploy(test.kept('flow')::integer));
insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id) values (auth.uid(), test.kept('flow')::integer, 'missing', test.kept('former')::uuid);
insert into public.flow_schedules (flow, tag, cron, inputs) values
  (test.kept('flow')::integer, 'missing', '* * * * *', '{}'),
  (test.kept('flow')::integer, 'latest', '* * * * *', '{"n": {"U": "1"}}');
update public.flows set nodes = test.inputs('other') where id = test.kept('flow')::integer;
select test.deploy(test.kept('flow')::integer);
insert into public.flow_schedules (flow, tag, cron, inputs) values (test.kept('flow')::integer, 'latest', '* * * * *', '{"other": {"U": "1"}}');
delete from public.flow_deployments_tags where tag = 'missing';
select test.sign_in(test.user_id('banned'));
select test.deploy(test.create_flow(test.user_id('banned')));
insert into public.flow_schedules (flow, cron) select id, '* * * * *' from public.flows;
select test.sign_out();
update auth.users set banned_until = now() + interval '1 hour' where id = test.user_id('banned');

update public.flow_schedules set next_start_at = clock_timestamp() where true;
select is(private.start_due_schedules(), '{"started": 1, "skipped": 0, "refused": 3, "has_more": false}', 'one of four schedules starts a run');
select bag_eq(
  $$ select split_part(last_error, ':', 1) from public.flow_schedules where last_error is not null $$,
  '{deployment_not_found,inputs_invalid,token_invalid}'::text[], 'the other schedules have their errors'
);
select is_empty('select from public.flow_schedules where next_start_at <= clock_timestamp()', 'refused schedules continue with their next planned time');
select is(last_error, format('deployment_not_found: Flow %s has no deployment with the tag missing.', test.kept('flow')), 'the error has a message')
from public.flow_schedules where tag = 'missing';
select is_empty('select from public.flow_schedules where last_error is not null and last_flow_run_id is not null', 'a refused schedule names no run');

insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
select user_id, entrypoint, 'missing', id from public.flow_deployments where id = test.kept('former')::uuid;
update public.flow_schedules set next_start_at = clock_timestamp() where tag = 'missing';
select is(private.start_due_schedules() -> 'started', '1', 'a corrected schedule starts its run');
select is(last_error, null, 'a successful start removes last_error') from public.flow_schedules where tag = 'missing';

select * from finish();
