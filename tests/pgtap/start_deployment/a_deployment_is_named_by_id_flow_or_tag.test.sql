select plan(8);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('first', test.deploy(test.kept('flow')::integer));
select test.keep('second', test.deploy(test.kept('flow')::integer));
select test.keep('neighbours', test.deploy(test.kept('neighbour')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id) values
  (test.kept('flow')::integer, 'stable', test.kept('first')::uuid),
  (test.kept('neighbour')::integer, 'stable', test.kept('neighbours')::uuid);

create function pg_temp.started(answer jsonb) returns uuid language sql volatile as $$
  select r.deployment_id from public.flow_run as r where r.id = (answer ->> 'flow_run_id')::uuid;
$$;
grant execute on function pg_temp.started(jsonb) to public;
select test.sign_in(test.user_id('owner'));

select is(
  pg_temp.started(public.start_deployment(id => test.kept('first')::uuid)), test.kept('first')::uuid, 'a start by id starts the deployment with this id'
);
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('flow')::integer)), test.kept('second')::uuid, 'a start by flow starts its latest deployment'
);
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('flow')::integer, tag => 'latest')), test.kept('second')::uuid,
  'the tag latest starts the newest deployment, too'
);
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('flow')::integer, tag => 'stable')), test.kept('first')::uuid,
  'another tag starts its own deployment'
);
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('neighbour')::integer, tag => 'stable')), test.kept('neighbours')::uuid,
  'each flow has its own tags'
);

update public.flow_deployments_tags set deployment_id = test.kept('second')::uuid
where tag = 'stable' and entrypoint = test.kept('flow')::integer;
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('flow')::integer, tag => 'stable')), test.kept('second')::uuid,
  'a moved tag starts the other deployment'
);
delete from public.flow_deployments where id = test.kept('second')::uuid;
select is(
  pg_temp.started(public.start_deployment(flow => test.kept('flow')::integer)), test.kept('first')::uuid,
  'if the newest deployment is deleted, the flow starts the previous one'
);
select is(
  test.error_code($$ select public.start_deployment(id => test.kept('second')::uuid) $$), 'deployment_not_found',
  'a deleted deployment can not be started'
);

select * from finish();
