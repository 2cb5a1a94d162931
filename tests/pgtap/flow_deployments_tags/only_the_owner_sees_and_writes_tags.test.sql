select plan(17);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
update public.flows set is_public = true, start_shared = true, start_unverified = true where true;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('insertion', format(
  $$ insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id) values (%L, %s, 'stable', %L) $$,
  test.user_id('owner'), test.kept('flow'), test.kept('deployment')
));

select is(test.row_count(test.kept('insertion')), 1::bigint, 'the owner can insert a tag');
select is(test.row_count('select from public.flow_deployments_tags'), 2::bigint, 'the owner sees the tag and latest');
select is(
  test.row_count($$ update public.flow_deployments_tags set description = 'owner' where tag = 'stable' $$), 1::bigint, 'the owner can update the tag'
);

select test.sign_in(test.user_id('other'));
select is(test.row_count('select from public.flow_deployments_tags'), 0::bigint, 'another user sees no tag');
select is(
  test.row_count($$ update public.flow_deployments_tags set description = 'other' where true $$), 0::bigint, 'another user updates no tag'
);
select is(test.row_count('delete from public.flow_deployments_tags where true'), 0::bigint, 'another user deletes no tag');
select is(test.error_code(replace(test.kept('insertion'), 'stable', 'mine')), '42501', 'another user can not insert a tag in the owner''s name');

select test.sign_in_as_role('anon');
select is(test.error_code('select from public.flow_deployments_tags'), '42501', 'anon may not read tags');
select is(test.error_code($$ update public.flow_deployments_tags set description = 'anon' where true $$), '42501', 'anon may not update tags');
select is(test.error_code('delete from public.flow_deployments_tags where true'), '42501', 'anon may not delete tags');
select is(test.error_code(replace(test.kept('insertion'), 'stable', 'anons')), '42501', 'anon may not insert tags');

select test.sign_in_as_role('service_role');
select results_eq(
  'select tag, description from public.flow_deployments_tags order by tag', $$ values ('latest', null), ('stable', 'owner') $$,
  'the service role sees the tags of the owner'
);
select is(test.row_count(replace(test.kept('insertion'), 'stable', 'v1')), 1::bigint, 'the service role inserts a tag');
select is(
  test.row_count($$ update public.flow_deployments_tags set description = 'service' where tag = 'v1' $$), 1::bigint, 'the service role updates a tag'
);
select is(test.row_count($$ delete from public.flow_deployments_tags where tag = 'v1' $$), 1::bigint, 'the service role deletes a tag');
select is(test.error_code('truncate public.flow_deployments_tags'), '42501', 'the service role may not truncate the table');

select test.sign_in(test.user_id('owner'));
select is(test.row_count($$ delete from public.flow_deployments_tags where tag = 'stable' $$), 1::bigint, 'the owner can delete the tag');

select * from finish();
