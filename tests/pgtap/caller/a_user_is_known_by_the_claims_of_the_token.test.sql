select plan(8);

select test.create_user('owner');

select test.sign_out();
select results_eq('select user_id, is_anonymous from private.caller()', 'values (null::uuid, false)', 'without claims the caller is not a user');

-- After this call, statements run as the owner of the functions, as the definer functions of schema private do.
create function pg_temp.as_definer() returns void language sql as $$ select set_config('role', 'none', true); $$;
select test.sign_in_as_role('anon'), pg_temp.as_definer();
select results_eq('select user_id, is_anonymous from private.caller()', 'values (null::uuid, false)', 'the role anon is not a user');
select is(
  test.error('select private.require_user()') - 'message',
  '{
    "code": "unauthenticated", "status": 401, "details": null,
    "hint": "Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>). A run token is accepted only for its own run, and a public key only for a start."
  }',
  'a function that needs a user refuses a caller without claims'
);

select test.sign_in(test.user_id('owner')), pg_temp.as_definer();
select results_eq(
  'select user_id, is_anonymous from private.caller()', $$ values (test.user_id('owner'), false) $$,
  'a user is known by the token''s subject'
);
select is(private.require_user(), test.user_id('owner'), 'require_user returns the user of the token');

select test.sign_in(test.user_id('owner'), is_anonymous => true), pg_temp.as_definer();
select results_eq(
  'select user_id, is_anonymous from private.caller()', $$ values (test.user_id('owner'), true) $$, 'an anonymous sign-in is known as such'
);
select is(private.require_user(), test.user_id('owner'), 'require_user also returns the user of an anonymous sign-in');

select set_config('request.jwt.claims', json_build_object('sub', test.user_id('owner'), 'role', 'authenticated')::text, true);
select results_eq(
  'select user_id, is_anonymous from private.caller()', $$ values (test.user_id('owner'), false) $$,
  'a token without the claim is_anonymous is not of an anonymous sign-in'
);

select * from finish();
