select plan(5);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
update public.flow_deployments set start_permission = 'Authenticated' where true;

select test.sign_in(test.user_id('other'));
select test.keep('answer', public.start_deployment(id => test.kept('deployment')::uuid));
select results_eq(
  $$ select key from jsonb_object_keys(test.kept('answer')::jsonb) as key order by key $$, $$ values ('flow_run_id'), ('token') $$,
  'the answer has only these members'
);
select results_eq(
  'select id from public.flow_run', $$ values ((test.kept('answer')::jsonb ->> 'flow_run_id')::uuid) $$,
  'the answer names the new run, which its starter sees'
);
select matches(test.kept('answer')::jsonb ->> 'token', '^fr_[A-Za-z0-9_-]{64}$', 'the token is fr_ and 64 characters of base64url');

select test.sign_out();
select is(
  test.kept('answer')::jsonb ->> 'token', private.run_token((test.kept('answer')::jsonb ->> 'flow_run_id')::uuid), 'the token belongs to the run'
);

-- Inputs may be missing or null.
select test.sign_in(test.user_id('other'));
select public.start_deployment(id => test.kept('deployment')::uuid, inputs => null);
select results_eq('select inputs from public.flow_run', $$ values (jsonb '{"M": {}}'), ('{"M": {}}') $$, 'missing inputs are empty');

select * from finish();
