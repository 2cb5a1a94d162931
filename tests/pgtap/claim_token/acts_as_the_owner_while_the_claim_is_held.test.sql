select plan(17);

select test.create_user('owner'), test.create_user('other');
select test.keep('owner', test.user_id('owner'));
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{held,released,taken_over,ended,deleted,banned}'::text[]) as name;
select test.sign_out();
select test.claim_all();
select test.sign_in_as_role('service_role');
select test.keep(name || '_token', public.make_claim_token(test.kept(name)::uuid, 1) ->> 'token')
from unnest('{held,released,taken_over,ended,deleted,banned}'::text[]) as name;
select is(public.make_claim_token(test.kept('held')::uuid, 1) -> 'seconds', '300', 'a token says how long it is valid');
select is(test.error_code(format('select public.make_claim_token(%L, 2)', test.kept('held'))), 'claim_lost', 'only the newest claim gets a token');
select test.sign_out();

-- Returns the user id and the role with which a request with these headers runs, or its error.
create function pg_temp.acts_as(token text, role text default 'anon', headers jsonb default '{}') returns text
language plpgsql as $$
declare
  v_answer text;
begin
  perform set_config('request.headers', (headers || jsonb_build_object('x-flow-claim-token', token))::text, true);
  perform set_config('request.jwt.claims', case when role <> 'anon' then json_build_object('role', role)::text end, true);
  perform set_config('role', role, true);
  perform private.pre_request();
  v_answer := concat_ws(' ', auth.uid(), current_setting('role'));
  perform set_config('request.headers', '', true);
  perform test.sign_out();
  return v_answer;
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code' || ': ' || (sqlerrm::json ->> 'message');
end;
$$;

select is(pg_temp.acts_as(test.kept('held_token')), test.kept('owner') || ' authenticated', 'a caller with the token is the owner, with the role of users');
select is(
  pg_temp.acts_as(test.kept('held_token'), role, headers::jsonb), 'token_invalid: A request with a claim token may carry no other credential.',
  format('the token is refused together with %s', name)
) from (values
  ('the service role', 'service_role', '{}'), ('an access token', 'authenticated', '{}'), ('an API key', 'anon', '{"x-api-key": "fk_x"}')
) as v (name, role, headers);
-- A worker holds the token's claim and the token's signature is valid, but the token has expired.
select is(
  pg_temp.acts_as(private.claim_token(test.kept('held')::uuid, 1, clock_timestamp(), private.run_token_secret())),
  'token_invalid: The claim token has expired.', 'an expired token is refused'
);
select is(
  pg_temp.acts_as(token), 'token_invalid: The claim token is not valid: it was changed, or is of another project.', 'refused: a token ' || name
) from (values
  ('of another run', replace(test.kept('held_token'), replace(test.kept('held'), '-', ''), replace(test.kept('ended'), '-', ''))),
  ('of a later claim', replace(test.kept('held_token'), '_1_', '_2_')),
  ('with a longer time', regexp_replace(test.kept('held_token'), '_1_\d+_', '_1_999999999999_'))
) as v (name, token);
select is(pg_temp.acts_as('fc_x'), 'token_invalid: The claim token is malformed.', 'refused: a malformed token');

select public.release_flow_run(test.kept('released')::uuid, 1, '{}', 10);
select public.finish_flow_run(test.kept('ended')::uuid, 1, 'succeeded', null, null, null, '{}');
delete from public.flow_run where id = test.kept('deleted')::uuid;
update private.flow_run_jobs set due_at = now() where flow_run_id = test.kept('taken_over')::uuid;
select test.claim_all();
-- The statements above may have claimed the run `released` again, with claim number 2. The old token stays refused.
select matches(pg_temp.acts_as(test.kept(name || '_token')), '^token_invalid: The claim of this token is over', format('the claim is over, because the run was %s', name))
from unnest('{released,ended,deleted,taken_over}'::text[]) as name;
update auth.users set banned_until = now() + interval '1 hour' where id = test.kept('owner')::uuid;
select matches(pg_temp.acts_as(test.kept('banned_token')), '^token_invalid: The claim of this token is over', 'a banned owner has no rights');
update auth.users set banned_until = null where id = test.kept('owner')::uuid;

select private.rotate_run_token_secret();
select is(pg_temp.acts_as(test.kept('held_token')), test.kept('owner') || ' authenticated', 'after one rotation of the secret, the token is still valid');

select * from finish();
