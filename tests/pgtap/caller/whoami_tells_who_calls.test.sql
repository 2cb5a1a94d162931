select plan(6);

select test.create_user('owner');
select test.create_user('deleted');
select test.keep('deleted', test.user_id('deleted'));
delete from auth.users where id = test.user_id('deleted');

select test.sign_in(test.user_id('owner'));
select is(public.whoami(), jsonb_build_object('user_id', test.user_id('owner'), 'is_anonymous', false), 'a user gets their id');

select test.sign_in(test.user_id('owner'), is_anonymous => true);
select is(
  public.whoami(), jsonb_build_object('user_id', test.user_id('owner'), 'is_anonymous', true), 'an anonymous sign-in is reported as anonymous'
);

select test.sign_in_as_role('anon');
select is(test.error_code('select public.whoami()'), 'unauthenticated', 'anon is refused');

select test.sign_in_as_role('service_role');
select is(test.error_code('select public.whoami()'), 'token_invalid', 'the service role is refused');

select test.sign_in(test.kept('deleted')::uuid);
select is(test.error_code('select public.whoami()'), 'token_invalid', 'a deleted user is refused');

select test.sign_in_as_role('anon');
select is(test.error_code('select private.caller()'), '42501', 'API roles may not call private.caller directly');

select * from finish();
