select plan(9);

select test.create_user('owner'), test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('second', test.create_flow(test.user_id('owner')));
select test.keep('foreign', test.create_flow(test.user_id('other')));
select test.sign_in(test.user_id('other'));
select test.keep('foreign_deployment', test.deploy(test.kept('foreign')::integer));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
select test.keep('second_deployment', test.deploy(test.kept('second')::integer));

create function pg_temp.deploy_error(settings_from text) returns jsonb language sql volatile as $$
  select test.error(format('select public.deploy_flow(%s, settings_from => %L)', test.kept('flow'), settings_from));
$$;
select is(pg_temp.deploy_error('latest'), null, 'a deployment of the flow gives its settings');
select is(
  pg_temp.deploy_error('stable'),
  '{"code": "deployment_not_found", "status": 404, "message": "The flow has no such deployment to take the settings from.", "details": null, "hint": "`settings_from` is a tag or the id of a deployment of the flow."}',
  'a tag without a deployment is refused'
);
select is(
  pg_temp.deploy_error(test.kept('foreign_deployment')), pg_temp.deploy_error('stable'), 'so is a deployment of another user'
);
select is(
  pg_temp.deploy_error(test.kept('second_deployment')), pg_temp.deploy_error('stable'), 'so is a deployment of another flow'
);
select is(pg_temp.deploy_error(gen_random_uuid()::text), pg_temp.deploy_error('stable'), 'so is an unknown id');
select is(pg_temp.deploy_error(''), pg_temp.deploy_error('stable'), 'so is an empty text');
select is(
  test.row_count(format('select from public.flow_deployments where entrypoint = %s', test.kept('flow'))), 2::bigint,
  'a refused deploy stores nothing'
);

create function pg_temp.compare_error(flow text, settings_from text) returns text language sql volatile as $$
  select test.error_code(format('select public.compare_deploy_settings(%s, %L)', flow, settings_from));
$$;
select is(
  pg_temp.compare_error(test.kept('flow'), test.kept('second_deployment')), 'deployment_not_found',
  'the comparison refuses the same deployments'
);
select is(
  pg_temp.compare_error(test.kept('foreign'), test.kept('foreign_deployment')), 'flow_not_found',
  'for another user the flow does not exist'
);

select * from finish();
