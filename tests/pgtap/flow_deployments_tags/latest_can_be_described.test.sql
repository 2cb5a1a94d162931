select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('old', test.deploy(test.kept('flow')::integer));
select test.keep('new', test.deploy(test.kept('flow')::integer));

select is(
  test.error($$ update public.flow_deployments_tags set description = 'updated' where tag = 'latest' $$), null,
  'the owner can describe latest'
);
select results_eq('select description from public.flow_deployments_tags', $$ values ('updated') $$, 'the description is stored');

select is(
  test.error($$ update public.flow_deployments_tags set description = null where tag = 'latest' $$), null, 'the owner can remove the description'
);
select results_eq('select description from public.flow_deployments_tags', $$ values (null::text) $$, 'the description can be removed again');

-- The statement that PostgREST makes for an upsert: it sets every column of the payload.
select test.keep('upsert', $$
  insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id, description)
  values (test.user_id('owner'), test.kept('flow')::integer, 'latest', test.kept('new')::uuid, 'upserted')
  on conflict (entrypoint, tag) do update set user_id = excluded.user_id, entrypoint = excluded.entrypoint, tag = excluded.tag,
    deployment_id = excluded.deployment_id, description = excluded.description
$$::text);
select is(test.error(test.kept('upsert')), null, 'an upsert that does not move latest can change its description');
select results_eq('select description from public.flow_deployments_tags', $$ values ('upserted') $$, 'the upsert stores the description');
select is(
  test.error_code($$ update public.flow_deployments_tags set description = 'moved', deployment_id = test.kept('old')::uuid where true $$),
  'tag_latest_protected', 'an upsert with a description can''t move latest'
);

select test.sign_in(test.user_id('other'));
select is(
  test.row_count($$ update public.flow_deployments_tags set description = 'other' where true $$), 0::bigint,
  'another user can not describe latest'
);

select test.sign_in_as_role('service_role');
select is(
  test.row_count($$ update public.flow_deployments_tags set description = 'service' where tag = 'latest' $$), 1::bigint,
  'the service role can describe latest'
);
select results_eq(
  'select tag, deployment_id, description from public.flow_deployments_tags', $$ values ('latest', test.kept('new')::uuid, 'service') $$,
  'latest still names the newest deployment'
);

select * from finish();
