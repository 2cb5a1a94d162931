select plan(9);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.keep('foreign', test.create_flow(test.user_id('other')));
update public.flows set is_public = true where true;
select test.sign_in(test.user_id('other'));
select test.keep('foreign_deployment', test.deploy(test.kept('foreign')::integer));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('neighbours', test.deploy(test.kept('neighbour')::integer));

create temporary view attempts as
  select * from (values
    ('a deployment of another flow', 'owner', 'flow', 'neighbours', '23503'),
    ('another owner''s deployment, of one''s own flow', 'owner', 'flow', 'foreign_deployment', '23503'),
    ('another owner''s deployment and flow', 'owner', 'foreign', 'foreign_deployment', '42501')
  ) as attempt (title, who, flow, deployment, code);
grant select on attempts to public;
select test.keep('insertion', $$
  insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
  values (test.user_id(%L), test.kept(%L)::integer, 'stable', test.kept(%L)::uuid)
$$::text);

select is(
  test.error(format(test.kept('insertion'), 'owner', 'flow', 'deployment')), null, 'a tag on a deployment of its flow is accepted'
);
select is(
  test.error_code(format(replace(test.kept('insertion'), 'stable', 'v1'), who, flow, deployment)), code, title || ' is refused'
)
from attempts;
select is(
  test.error($$
    update public.flow_deployments_tags set deployment_id = test.kept('neighbours')::uuid where tag = 'stable'
  $$) ->> 'constraint',
  'flow_deployments_tags_deployment_id_fkey', 'moving a tag to a deployment of another flow is refused'
);
select is(
  test.error($$
    update public.flow_deployments_tags set entrypoint = test.kept('neighbour')::integer where tag = 'stable'
  $$) ->> 'constraint',
  'flow_deployments_tags_deployment_id_fkey', 'moving a tag to another flow without its deployment is refused'
);
select is(
  test.error_code($$ update public.flow_deployments_tags set user_id = test.user_id('other') where tag = 'stable' $$), '42501',
  'giving a tag to another user is refused'
);

select test.sign_in_as_role('service_role');
select is(
  test.error_code(format(replace(test.kept('insertion'), 'stable', 'v1'), 'other', 'flow', 'deployment')), '23503',
  'the service role can not give another user a tag of the owner''s flow, either'
);
select is(
  test.error($$
    update public.flow_deployments_tags
    set entrypoint = test.kept('neighbour')::integer, deployment_id = test.kept('neighbours')::uuid
    where tag = 'stable'
  $$), null,
  'a tag moves to another user together with its flow'
);

select * from finish();
