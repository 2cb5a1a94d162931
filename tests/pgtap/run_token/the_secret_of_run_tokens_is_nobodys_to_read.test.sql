select plan(9);

select test.create_user('owner');
select private.run_token(gen_random_uuid());
create temporary view attempts as
  select * from (values
    ('read the secrets', 'select from private.run_token_secrets'),
    ('set a secret', 'update private.run_token_secrets set secret = secret where true'),
    ('make tokens of any run', 'select private.run_token(gen_random_uuid())')
  ) as attempt (title, statement);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(statement), '42501', 'a user may not ' || title) from attempts;

select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', 'anon may not ' || title) from attempts;

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), '42501', 'the service role may not ' || title) from attempts;

select * from finish();
