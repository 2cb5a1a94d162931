select plan(14);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
select test.keep('second', test.deploy(test.kept('flow')::integer));

select is(
  test.row_count($$ update public.flow_deployments set start_permission = 'Owner' where true $$), 2::bigint, 'the owner can update deployments'
);
select is(
  test.row_count($$ delete from public.flow_deployments where id = test.kept('first')::uuid $$), 1::bigint, 'the owner can delete a deployment'
);

select test.sign_in(test.user_id('other'));
select is(
  test.row_count($$ update public.flow_deployments set start_permission = 'Anonymous' where true $$), 0::bigint,
  'another user updates nothing'
);
select is(test.row_count('delete from public.flow_deployments where true'), 0::bigint, 'another user deletes nothing');

select test.sign_in(test.user_id('other'), is_anonymous => true);
select is(
  test.row_count($$ update public.flow_deployments set start_permission = 'Anonymous' where true $$), 0::bigint,
  'an anonymous sign-in updates nothing'
);
select is(test.row_count('delete from public.flow_deployments where true'), 0::bigint, 'an anonymous sign-in deletes nothing');

select test.sign_in_as_role('anon');
select is(
  test.error_code($$ update public.flow_deployments set start_permission = 'Anonymous' where true $$), '42501', 'anon may not update deployments'
);
select is(test.error_code('delete from public.flow_deployments where true'), '42501', 'anon may not delete deployments');
select is(test.error_code('truncate public.flow_deployments cascade'), '42501', 'anon may not truncate the table');

select test.sign_in_as_role('service_role');
select results_eq(
  'select id, start_permission from public.flow_deployments', $$ values (test.kept('second')::uuid, 'Owner') $$,
  'only the owner''s writes have changed the deployments'
);
select is(
  test.row_count($$ update public.flow_deployments set start_permission = 'Authenticated' where true $$), 1::bigint,
  'the service role updates deployments'
);
select is(test.error_code('truncate public.flow_deployments cascade'), '42501', 'the service role may not truncate the table');
select is(test.row_count('delete from public.flow_deployments where true'), 1::bigint, 'the service role deletes a deployment');
select is_empty('select * from public.flow_deployments', 'the service role can delete all deployments');

select * from finish();
