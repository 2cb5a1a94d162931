select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
select test.sign_in_as_role('anon');
select test.keep('run', test.start_by_key());
select is(test.in_flight(), 1::bigint, 'a run is in flight');

select test.sign_in(test.user_id('owner'));
delete from public.flow_deployments where true;
select test.sign_out();
set constraints all immediate;
select is_empty('select from private.deployment_usage', 'the usage is deleted with its deployment');
select private.end_flow_run(test.kept('run')::uuid, 'stopped', null, null, null);
select is_empty('select from private.deployment_usage', 'a run that ends after the deletion leaves no usage behind');

select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
select test.sign_in_as_role('anon');
select test.start_by_key();
select test.sign_out();
select is(test.error_code($$ delete from auth.users where email = 'owner@example.com' $$), null, 'a user who has runs in flight can be deleted');
select is_empty('select from private.deployment_usage', 'the usage is deleted with the user');
select is_empty('select from private.flow_run_jobs', 'the queued runs are deleted with the user');

select * from finish();
