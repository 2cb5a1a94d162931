-- Each caller tries to start a deployment with start_permission = 'Owner' by id, by flow and by tag.
select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.create_user('deleted');
select test.keep('deleted', test.user_id('deleted'));
delete from auth.users where id = test.user_id('deleted');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments set start_permission = 'Owner' where true;
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('deployment')::uuid);

select test.keep('public_key', ''::text);
create temporary view attempts as
  select test.error_code(
    format('select public.start_deployment(%s, public_key => %L)', target, nullif(test.kept('public_key'), ''))
  ) as code
  from (values
    ($$id => test.kept('deployment')::uuid$$),
    ($$flow => test.kept('flow')::integer$$),
    ($$flow => test.kept('flow')::integer, tag => 'stable'$$)
  ) as way (target);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(array_agg(code), array_fill(null::text, '{3}'), 'the owner can start the deployment') from attempts;

select test.sign_in(test.user_id('owner'), is_anonymous => true);
select is(array_agg(code), array_fill(null::text, '{3}'), 'an owner who signed in anonymously can start the deployment') from attempts;

select test.sign_in(test.user_id('other'));
select is(array_agg(code), array_fill('deployment_not_found'::text, '{3}'), 'for another user the deployment does not exist') from attempts;

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(array_agg(code), array_fill('deployment_not_found'::text, '{3}'), 'for an anonymous sign-in the deployment does not exist') from attempts;

select test.sign_in_as_role('anon');
select is(array_agg(code), array_fill('unauthenticated'::text, '{3}'), 'anon without any credential has to sign in') from attempts;

select test.keep('public_key', 'So11111111111111111111111111111111111111112'::text);
select is(array_agg(code), array_fill('deployment_not_found'::text, '{3}'), 'for anon with a public key the deployment does not exist') from attempts;

select test.sign_in_as_role('service_role');
select is(array_agg(code), array_fill('token_invalid'::text, '{3}'), 'the service role is not a user') from attempts;

select test.sign_in(test.kept('deleted')::uuid);
select is(array_agg(code), array_fill('token_invalid'::text, '{3}'), 'a deleted user is refused') from attempts;

select test.sign_out();
select is(count(*), 6::bigint, 'only the accepted starts have made runs') from public.flow_run;
select set_eq('select started_by from public.flow_run', array[test.user_id('owner')], 'each run names the owner as its starter');

select * from finish();
