select plan(10);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));

select is(test.error(format('select public.start_deployment(%s)', target)), null, target || ' is accepted')
from (values
  ($$id => test.kept('deployment')::uuid$$),
  ($$flow => test.kept('flow')::integer$$),
  ($$flow => test.kept('flow')::integer, tag => 'latest'$$)
) as good (target);

select is(
  test.error(format('select public.start_deployment(%s)', target)) - '{message,hint}'::text[],
  '{"code": "start_target_ambiguous", "status": 400, "details": null}', format('"%s" is refused', target)
)
from (values
  (''),
  ($$tag => 'latest'$$),
  ($$id => test.kept('deployment')::uuid, flow => test.kept('flow')::integer$$),
  ($$id => test.kept('deployment')::uuid, flow => test.kept('flow')::integer, tag => 'latest'$$),
  ($$id => test.kept('deployment')::uuid, tag => 'latest'$$)
) as bad (target);

select is(
  test.error('select public.start_deployment(id => gen_random_uuid(), tag => ''latest'')') ->> 'code', 'start_target_ambiguous',
  'an ambiguous target is refused, whether the deployment exists or not'
);
select is(test.row_count('select from public.flow_run'), 3::bigint, 'only the clear targets have started a run');

select * from finish();
