select plan(11);

select test.create_user('owner');
select test.create_user('other');
select test.create_user('deleted');
select test.keep('deleted', test.user_id('deleted'));
delete from auth.users where id = test.user_id('deleted');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.keep('deploy', format('select public.deploy_flow(%s)', test.kept('flow')));

select test.sign_in(test.user_id('owner'));
select is(test.error(test.kept('deploy')), null, 'the owner can deploy the flow');

select test.sign_in(test.user_id('other'));
select is(
  test.error(test.kept('deploy')),
  '{"code": "flow_not_found", "status": 404, "message": "There is no such flow.", "details": null, "hint": null}',
  'for another user the flow does not exist, public or not'
);
select is(
  test.error('select public.deploy_flow(-1)'), test.error(test.kept('deploy')), 'a flow that does not exist gets the same error'
);

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(test.error_code(test.kept('deploy')), 'flow_not_found', 'for an anonymous sign-in the flow does not exist, either');

select test.sign_in_as_role('anon');
select is(
  test.error(test.kept('deploy')) - '{message,hint}'::text[], '{"code": "unauthenticated", "status": 401, "details": null}',
  'a caller without a sign-in is refused'
);

select test.sign_in_as_role('service_role');
select is(
  test.error(test.kept('deploy')) - '{message,hint}'::text[], '{"code": "token_invalid", "status": 401, "details": null}',
  'the service role is not a user'
);

select test.sign_in(test.kept('deleted')::uuid);
select is(
  test.error(test.kept('deploy')) - '{message,hint}'::text[], '{"code": "token_invalid", "status": 401, "details": null}',
  'a deleted user is refused'
);

select test.sign_in(test.user_id('owner'));
select is(test.error_code('select public.deploy_flow(null)'), 'flow_not_found', 'a null id is not the id of a flow');
select is(test.row_count('select from public.flow_deployments'), 1::bigint, 'only one deployment was made');
select results_eq(
  'select user_id, entrypoint from public.flow_deployments', $$ values (test.user_id('owner'), test.kept('flow')::integer) $$,
  'the deployment belongs to the owner and the flow'
);

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(
  test.error(format('select public.deploy_flow(%s)', test.create_flow(test.user_id('other')))), null,
  'an anonymous sign-in deploys its own flow'
);

select * from finish();
