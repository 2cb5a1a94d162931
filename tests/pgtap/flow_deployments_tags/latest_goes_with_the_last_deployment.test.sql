select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer) from generate_series(1, 4);
select test.keep('other', test.deploy(test.kept('neighbour')::integer));
update public.flow_deployments_tags set description = 'Old' where entrypoint = test.kept('flow')::integer;

select is(
  test.row_count($$ delete from public.flow_deployments where entrypoint = test.kept('flow')::integer $$), 4::bigint,
  'all deployments of a flow can be deleted at once'
);
select results_eq(
  'select tag, deployment_id from public.flow_deployments_tags', $$ values ('latest', test.kept('other')::uuid) $$,
  'latest is deleted with the deployments; latest of the other flow stays'
);
select is(
  test.error_code($$ select public.start_deployment(flow => test.kept('flow')::integer) $$), 'deployment_not_found',
  'without deployments, a start by the flow finds none'
);

select test.keep('again', test.deploy(test.kept('flow')::integer));
select results_eq(
  $$ select deployment_id, description from public.flow_deployments_tags where entrypoint = test.kept('flow')::integer $$,
  $$ values (test.kept('again')::uuid, null::text) $$,
  'the next deploy makes latest again'
);

delete from public.flow_deployments where id = test.kept('again')::uuid;
select is_empty(
  $$ select * from public.flow_deployments_tags where entrypoint = test.kept('flow')::integer $$,
  'deleting the only deployment deletes latest, too'
);

select * from finish();
