select plan(12);

select test.create_user('owner');
select test.keep('owner', test.user_id('owner'));
create function pg_temp.as_definer() returns void language sql as $$ select set_config('role', 'none', true); $$;

select test.sign_in(test.kept('owner')::uuid), pg_temp.as_definer();
select is(test.error('select private.caller()'), null, 'a user is accepted');

select test.sign_in_as_role('service_role'), pg_temp.as_definer();
select is(
  test.error('select private.caller()'),
  '{
    "code": "token_invalid", "status": 401, "details": null,
    "message": "This call needs a user, but the service role is not a user.",
    "hint": "Send the access token of the user on whose behalf you call."
  }',
  'the service role is refused'
);
select set_config('request.jwt.claims', json_build_object('sub', test.user_id('owner'), 'role', 'service_role')::text, true);
select is(test.error_code('select ' || way), 'token_invalid', 'the service role is refused even if the token has a user as its subject: ' || way)
from unnest('{private.caller(),private.lock_caller(),public.start_deployment(gen_random_uuid())}'::text[]) as way;

select test.sign_in(gen_random_uuid()), pg_temp.as_definer();
select is(
  test.error('select private.caller()'),
  '{
    "code": "token_invalid", "status": 401, "details": null, "hint": null,
    "message": "The user of this access token has been deleted."
  }',
  'a user who never existed is refused'
);

select test.sign_out();
update auth.users set deleted_at = now() where id = test.kept('owner')::uuid;
select test.sign_in(test.kept('owner')::uuid), pg_temp.as_definer();
select is(test.error_code('select ' || way), 'token_invalid', 'a user whom Auth keeps as deleted is refused: ' || way)
from unnest('{private.require_user(),private.lock_caller(),public.start_deployment(gen_random_uuid())}'::text[]) as way;

select test.sign_out();
delete from auth.users where id = test.kept('owner')::uuid;
select test.sign_in(test.kept('owner')::uuid), pg_temp.as_definer();
select is(test.error_code('select ' || way), 'token_invalid', 'a deleted user is refused while the token is still valid: ' || way)
from unnest('{private.require_user(),private.lock_caller(),public.start_deployment(gen_random_uuid())}'::text[]) as way;

select * from finish();
