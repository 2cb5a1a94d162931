select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('undeployed', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('deployment')::uuid);

create temporary table targets (title text, target text);
insert into targets values
  ('a deployment of another', $$ id => test.kept('deployment')::uuid $$),
  ('an unknown id', $$ id => gen_random_uuid() $$),
  ('a flow of another', $$ flow => test.kept('flow')::integer $$),
  ('a flow without deployments', $$ flow => test.kept('undeployed')::integer $$),
  ('an unknown flow', $$ flow => -1 $$),
  ('a tag of another', $$ flow => test.kept('flow')::integer, tag => 'stable' $$),
  ('an unknown tag', $$ flow => test.kept('flow')::integer, tag => 'unstable' $$),
  -- Permission is checked first, so the error does not report the other faults of this request.
  ('a deployment of another, with bad inputs', $$ id => test.kept('deployment')::uuid, inputs => '[]', action_signer => 'no key' $$);
grant select on targets to public;

select test.sign_in(test.user_id('other'));
select is(
  test.error(format('select public.start_deployment(%s)', target)),
  '{"code": "deployment_not_found", "status": 404, "message": "There is no such deployment.", "details": null, "hint": null}',
  title || ' is refused in the same words'
)
from targets;

select test.sign_in(test.user_id('owner'));
select is(
  test.error_code($$ select public.start_deployment(id => test.kept('deployment')::uuid, inputs => '[]') $$), 'inputs_invalid',
  'a caller who may start the deployment gets the real error'
);

select test.sign_out();
select is_empty('select * from public.flow_run', 'the refused starts have made no run');

select * from finish();
