select plan(8);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('parent', test.create_run(test.kept('flow')::integer));
select test.keep('run', test.create_run(test.kept('flow')::integer));

select is(
  test.error(format('update public.flow_run set %s where id = test.kept(''run'')::uuid', assignment)), null, assignment || ' passes'
)
from (values
  ($$deployment_id = gen_random_uuid()$$),
  ($$deployment_id = null, parent_flow_run_id = test.kept('parent')::uuid, parent_node_id = gen_random_uuid(), parent_times = 0$$)
) as good (assignment);

select is(
  test.error(format('update public.flow_run set %s where id = test.kept(''run'')::uuid', assignment)) ->> 'constraint', 'flow_run_' || rule,
  assignment || ' is refused'
)
from (values
  ($$deployment_id = gen_random_uuid()$$, 'consistent'),
  ($$parent_flow_run_id = null$$, 'consistent'),
  ($$parent_node_id = null$$, 'consistent'),
  ($$parent_times = null$$, 'consistent'),
  ($$parent_flow_run_id = gen_random_uuid()$$, 'parent_flow_run_id_fkey')
) as bad (assignment, rule);

select test.sign_in(test.user_id('owner'));
select test.start_and_keep('started', test.deploy(test.kept('flow')::integer));
select test.sign_out();
select is(created_at, private.uuid_v7_time(id), 'created_at is the time in the id')
from public.flow_run where id = test.kept('started')::uuid;

select * from finish();
