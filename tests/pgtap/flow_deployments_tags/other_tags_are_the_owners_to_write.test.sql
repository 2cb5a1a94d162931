select plan(9);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('old', test.deploy(test.kept('flow')::integer));
select test.keep('new', test.deploy(test.kept('flow')::integer));

create temporary view own with (security_invoker = true) as
  select tag, deployment_id, description from public.flow_deployments_tags where tag <> 'latest';

insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('new')::uuid);
select results_eq('select * from own', $$ values ('stable', test.kept('new')::uuid, null::text) $$, 'the owner can create a tag');

update public.flow_deployments_tags set deployment_id = test.kept('old')::uuid where tag = 'stable';
select results_eq('select * from own', $$ values ('stable', test.kept('old')::uuid, null::text) $$, 'the owner can move the tag');

update public.flow_deployments_tags set description = 'Tried' where tag = 'stable';
select results_eq('select * from own', $$ values ('stable', test.kept('old')::uuid, 'Tried') $$, 'the owner can describe the tag');

update public.flow_deployments_tags set tag = 'Latest' where tag = 'stable';
select results_eq('select * from own', $$ values ('Latest', test.kept('old')::uuid, 'Tried') $$, 'the owner can rename the tag');

insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'Latest', test.kept('new')::uuid)
on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id;
select results_eq('select * from own', $$ values ('Latest', test.kept('new')::uuid, 'Tried') $$, 'the owner can upsert the tag');

select is(
  test.error_code($$ insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
    values (test.kept('flow')::integer, 'Latest', test.kept('new')::uuid) $$), '23505',
  'a flow can not have the same tag twice'
);
select is(
  test.row_count($$ insert into public.flow_deployments_tags (entrypoint, tag, deployment_id, description)
    values (test.kept('flow')::integer, 'v2', test.kept('new')::uuid, repeat('ä', 2000)) $$), 1::bigint,
  'a deployment can have any number of tags'
);
select is(
  test.error($$ update public.flow_deployments_tags set description = repeat('ä', 2001) where tag = 'v2' $$) ->> 'message',
  'description: must have at most 2000 characters.', 'a description has its limit'
);

delete from public.flow_deployments_tags where tag in ('Latest', 'v2');
select is_empty('select * from own', 'the owner deletes tags other than latest');

select * from finish();
