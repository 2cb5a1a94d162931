select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner'))));

create temporary view attempts as
  select * from (values
    ('public', $$ select public.checkpoint_flow_run(gen_random_uuid(), 1, 60, '{}') $$),
    ('private', $$ select private.checkpoint_flow_run(gen_random_uuid(), 1, 60, '{}') $$)
  ) as attempt (schema, statement);
grant select on attempts to public;

select is(test.error_code(statement), '42501', format('a user may not execute the %s one', schema)) from attempts;

select test.sign_in(test.user_id('owner'), is_anonymous => true);
select is(test.error_code(statement), '42501', format('an anonymous sign-in may not execute the %s one', schema)) from attempts;

select test.sign_in_as_role('anon');
select is(test.error_code(statement), '42501', format('anon may not execute the %s one', schema)) from attempts;

select test.sign_out();
select results_eq('select status from public.flow_run', $$ values ('queued') $$, 'the run is still waiting');

select test.sign_in_as_role('service_role');
select is(test.error_code(statement), 'claim_lost', format('the service role gets as far as the claim: the %s one', schema)) from attempts;

select * from finish();
