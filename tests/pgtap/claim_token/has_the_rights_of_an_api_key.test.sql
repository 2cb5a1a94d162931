select plan(7);

select test.create_user('owner'), test.create_user('other');
select test.create_flow(test.user_id('other'));
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.queued_claim(test.deploy(test.kept('flow')::integer));
select test.sign_out();
select test.keep('token', private.make_claim_token(test.kept('run')::uuid, 1) ->> 'token');

create function pg_temp.act() returns void language plpgsql as $$
begin
  perform set_config('request.headers', json_build_object('x-flow-claim-token', test.kept('token'))::text, true);
  perform set_config('role', 'anon', true);
  perform private.pre_request();
end;
$$;
select pg_temp.act();
select results_eq('select id from public.flows', array[test.kept('flow')::integer], 'a request with the token reads the owner''s rows, as the policies allow');
select is(current_setting('request.headers'), '{}', 'functions of the request do not see the token');
select is(test.error_code($$ select public.create_api_key('mine') $$), 'token_required', 'makes no API keys');
select is(test.error_code($$ select private.make_claim_token(gen_random_uuid(), 1) $$), '42501', 'makes no claim tokens');
select is(test.error_code($$ select public.claim_flow_runs(1, 60) $$), '42501', 'a request with the token has none of the runner''s rights');
select test.sign_out();

update auth.users set is_anonymous = true where id = test.user_id('owner');
select test.sign_in(test.user_id('other'));
select test.keep('shared', test.deploy(test.create_flow(test.user_id('other'))));
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('shared')::uuid;
select test.sign_out();
select pg_temp.act();
select is(public.whoami() ->> 'is_anonymous', 'true', 'for an owner who has not signed up, the caller is anonymous');
select is(
  test.error_code(format('select public.start_deployment(id => %L)', test.kept('shared'))), 'deployment_not_found',
  'such a caller starts no deployment that is for users who have signed up'
);
select test.sign_out();

select * from finish();
