select plan(18);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('parent', test.create_run(test.kept('flow')::integer));
select test.keep('run', test.create_run(test.kept('flow')::integer));

select is(
  test.error(format('update public.flow_run set %s where id = test.kept(''run'')::uuid', assignment)), null, assignment || ' passes'
)
from (values
  ($$fees = '[["11111111111111111111111111111111", 1]]'$$),
  ($$started_by_public_key = '11111111111111111111111111111111'$$),
  ($$action_identity = '11111111111111111111111111111111'$$),
  ($$action_signer = '11111111111111111111111111111111'$$),
  ($$deployment_id = gen_random_uuid()$$),
  ($$deployment_id = null, parent_flow_run_id = test.kept('parent')::uuid, parent_node_id = gen_random_uuid(), parent_times = 0$$)
) as good (assignment);

select is(
  test.error(format('update public.flow_run set %s where id = test.kept(''run'')::uuid', assignment)) ->> 'constraint', 'flow_run_' || rule,
  assignment || ' is refused'
)
from (values
  ($$fees = '[["11111111111111111111111111111111", -1]]'$$, 'fees_valid'),
  ($$started_by_public_key = 'no key'$$, 'started_by_public_key_valid'),
  ($$action_identity = 'no key'$$, 'action_identity_valid'),
  ($$action_signer = 'no key'$$, 'action_signer_valid'),
  ($$deployment_id = gen_random_uuid()$$, 'child_without_deployment'),
  ($$parent_flow_run_id = null$$, 'parent_complete'),
  ($$parent_node_id = null$$, 'parent_complete'),
  ($$parent_times = null$$, 'parent_complete'),
  ($$parent_flow_run_id = gen_random_uuid()$$, 'parent_flow_run_id_fkey'),
  ($$user_id = gen_random_uuid()$$, 'user_id_fkey')
) as bad (assignment, rule);

select is(
  test.error_code('update public.flow_run set created_at = now() where true'), '428C9', 'created_at is the id''s and can''t be set'
);
select results_eq(
  'select id from public.flow_run where created_at <> private.uuid_v7_time(id)', 'select null::uuid where false', 'as it is'
);

select * from finish();
