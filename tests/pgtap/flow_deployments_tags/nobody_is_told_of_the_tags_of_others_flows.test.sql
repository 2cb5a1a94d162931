select plan(4);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('own', test.create_flow(test.user_id('other')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id) values (test.kept('flow')::integer, 'live', test.kept('deployment')::uuid);
select test.sign_in(test.user_id('other'));
select test.keep('own_deployment', test.deploy(test.kept('own')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id) values (test.kept('own')::integer, 'mine', test.kept('own_deployment')::uuid);

create function pg_temp.insertion(flow integer, tag text, on_conflict text) returns text language sql as $$
  select format('insert into public.flow_deployments_tags (entrypoint, tag, deployment_id) values (%s, %L, %L) ', flow, tag, test.kept('deployment'))
    || on_conflict;
$$;
create function pg_temp.told(on_conflict text) returns setof text language sql as $$
  select distinct test.error(pg_temp.insertion(flow, tag, on_conflict)) ->> 'message'
  from (values (test.kept('flow')::integer, 'live'), (test.kept('flow')::integer, 'other'), (0, 'live')) as guess (flow, tag);
$$;
select set_eq(
  $$ select pg_temp.told('') $$, $$ values ('new row violates row-level security policy for table "flow_deployments_tags"') $$,
  'an insert gets the same error for a tag that exists, a tag that does not exist, and a flow that does not exist'
);
select set_eq(
  $$ select pg_temp.told('on conflict (entrypoint, tag) do update set description = excluded.description') $$,
  $$ values ('new row violates row-level security policy for table "flow_deployments_tags"') $$, 'an upsert gets the same error'
);
select set_eq(
  $$ select pg_temp.told('on conflict (entrypoint, tag) do nothing') $$,
  $$ values ('new row violates row-level security policy for table "flow_deployments_tags"') $$, 'an upsert that would change nothing gets the same error'
);
select set_eq(
  $$
    select test.error(format(
      'update public.flow_deployments_tags set entrypoint = %s, tag = %L, deployment_id = %L where tag = ''mine''',
      flow, tag, test.kept('deployment')
    )) ->> 'message'
    from (values (test.kept('flow')::integer, 'live'), (test.kept('flow')::integer, 'other'), (0, 'live')) as guess (flow, tag)
  $$,
  $$ values ('new row violates row-level security policy for table "flow_deployments_tags"') $$, 'moving a tag to such a flow gets the same error'
);

select * from finish();
