select plan(21);

select test.create_user('owner');
select test.create_user('starter');
select test.create_user('other');
select test.keep('run', test.create_run(test.create_flow(test.user_id('owner')), started_by => test.user_id('starter')));
select test.keep('insertion', $$ insert into public.flow_run_logs (flow_run_id, log_index, user_id, time, log_level, content)
  values (test.kept('run')::uuid, (select count(*) from public.flow_run_logs), test.user_id('owner'), now(), 'Info', 'secret') $$::text);
select is(test.row_count(test.kept('insertion')), 1::bigint, 'the owner of the functions can write a log line');

create temporary view attempts as
  select * from (values
    ('insert', test.kept('insertion')),
    ('update', $$ update public.flow_run_logs set content = 'forged' where true $$),
    ('delete', 'delete from public.flow_run_logs where true'),
    ('truncate', 'truncate public.flow_run_logs')
  ) as attempt (title, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.row_count('select from public.flow_run_logs'), 1::bigint, 'the owner of the flow sees the log line');
select is(test.error_code(statement), '42501', format('the owner may not %s', title)) from attempts;

select test.sign_in(test.user_id('starter'));
select is(test.row_count('select from public.flow_run'), 1::bigint, 'the starter of the run sees the run');
select is(test.row_count('select from public.flow_run_logs'), 0::bigint, 'the starter does not see the log line, because it may contain values of the flow');
select is(test.error_code(statement), '42501', format('the starter may not %s', title)) from attempts;

select test.sign_in(test.user_id('other'));
select is(test.row_count('select from public.flow_run_logs'), 0::bigint, 'another user sees nothing');

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_run_logs'), '42501', 'anon may not read the table');
select is(test.error_code(statement), '42501', format('anon may not %s', title)) from attempts where title = 'insert';

select test.sign_in_as_role('service_role');
select is(test.row_count('select from public.flow_run_logs'), 1::bigint, 'the service role sees the log line');
select is(test.error_code(statement), '42501', format('the service role may not %s', title)) from attempts;
select is(test.row_count($$ select from public.flow_run_logs where content = 'secret' $$), 1::bigint, 'the log line has not changed');

select * from finish();
