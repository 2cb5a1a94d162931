select plan(21);

select test.create_user('owner');
select test.create_user('starter');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('run', test.create_run(test.kept('flow')::integer, started_by => test.user_id('starter')));

create temporary view attempts as
  select * from (values
    ('insert a run', $$ insert into public.flow_run (user_id, flow_id, inputs, chain_network)
      values (test.user_id('owner'), test.kept('flow')::integer, '{"M": {}}', '{"cluster": "devnet"}') $$),
    ('change a run', $$ update public.flow_run set inputs = '{"M": {"a": {"N": 0}}}' where id = test.kept('run')::uuid $$),
    ('delete a run', $$ delete from public.flow_run where id = test.kept('run')::uuid $$),
    ('truncate the table', 'truncate public.flow_run cascade')
  ) as attempt (title, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(statement), '42501', 'the owner may not ' || title) from attempts;

select test.sign_in(test.user_id('starter'));
select is(test.error_code(statement), '42501', 'the starter may not ' || title) from attempts;

select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', 'anon may not ' || title) from attempts;

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), '42501', 'the service role may not ' || title) from attempts;
select results_eq(
  'select id, inputs from public.flow_run', $$ values (test.kept('run')::uuid, jsonb '{"M": {}}') $$, 'the run is as it was'
);

select test.sign_out();
select is(test.error_code(statement), null, 'the owner of the functions may ' || title) from attempts;

select * from finish();
