select plan(8);

select test.create_user('owner');
create temporary view attempts as
  select * from (values
    ('public', $$ select public.finish_flow_runs('[]') $$), ('private', $$ select private.finish_flow_runs('[]') $$)
  ) as attempt (schema, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(statement), '42501', format('a user may not execute the %s one', schema)) from attempts;

select test.sign_in(test.user_id('owner'), is_anonymous => true);
select is(test.error_code(statement), '42501', format('an anonymous sign-in may not execute the %s one', schema)) from attempts;

select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', format('anon may not execute the %s one', schema)) from attempts;

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), null, format('the service role does: the %s one', schema)) from attempts;

select * from finish();
