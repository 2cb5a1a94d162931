select plan(21);

select test.create_user('owner');
select test.create_user('starter');
select test.create_user('other');
select test.keep('run', test.create_run(test.create_flow(test.user_id('owner')), started_by => test.user_id('starter')));
select test.keep('insertion', $$ insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
  values (test.kept('run')::uuid, gen_random_uuid(), 0, test.user_id('owner'), now(), '{"M": {}}') $$::text);
select is(test.row_count(test.kept('insertion')), 1::bigint, 'the owner of the functions can write a node run');

create temporary view attempts as
  select * from (values
    ('insert', test.kept('insertion')),
    ('update', $$ update public.node_run set input = '{"M": {"a": {"N": 0}}}' where true $$),
    ('delete', 'delete from public.node_run where true'),
    ('truncate', 'truncate public.node_run')
  ) as attempt (title, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.row_count('select from public.node_run'), 1::bigint, 'the owner of the flow sees the node run');
select is(test.error_code(statement), '42501', format('the owner may not %s', title)) from attempts;

select test.sign_in(test.user_id('starter'));
select is(test.row_count('select from public.flow_run'), 1::bigint, 'the starter of the run sees the run');
select is(test.row_count('select from public.node_run'), 0::bigint, 'the starter does not see the node run, because it may contain values of the flow');
select is(test.error_code(statement), '42501', format('the starter may not %s', title)) from attempts;

select test.sign_in(test.user_id('other'));
select is(test.row_count('select from public.node_run'), 0::bigint, 'another user sees nothing');

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.node_run'), '42501', 'anon may not read the table');
select is(test.error_code(statement), '42501', format('anon may not %s', title)) from attempts where title = 'insert';

select test.sign_in_as_role('service_role');
select is(test.row_count('select from public.node_run'), 1::bigint, 'the service role sees it');
select is(test.error_code(statement), '42501', format('the service role may not %s', title)) from attempts;
select is(test.row_count($$ select from public.node_run where input = '{"M": {}}' $$), 1::bigint, 'the node run has not changed');

select * from finish();
