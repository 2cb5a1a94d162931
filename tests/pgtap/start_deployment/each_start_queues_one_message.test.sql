select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));

create temporary table answers as
  select public.start_deployment(id => test.kept('deployment')::uuid) as answer from generate_series(1, 3);
select is(count(distinct answer ->> 'flow_run_id'), 3::bigint, 'three starts are three runs') from answers;

select test.sign_out();
select bag_eq(
  'select message from pgmq.q_flow_runs', $$ select jsonb_build_object('flow_run_id', answer ->> 'flow_run_id') from answers $$,
  'each run has one message, which names the run'
);
select is_empty('select from pgmq.q_flow_runs where vt > clock_timestamp() or read_ct > 0', 'the messages are visible at once');
select bag_eq(
  'select j.flow_run_id, j.message_id, j.user_id, j.is_held from private.flow_run_jobs as j',
  $$ select (answer ->> 'flow_run_id')::uuid, m.msg_id, test.user_id('owner'), false
    from answers join pgmq.q_flow_runs as m on m.message ->> 'flow_run_id' = answer ->> 'flow_run_id' $$,
  'each run has one job, which has the message and the owner'
);

select test.sign_in(test.user_id('owner'));
select bag_eq(
  $$ select test.error_code(format('select public.start_deployment(%s)', arguments)) from (values
    (''), ('id => gen_random_uuid()'), ('id => test.kept(''deployment'')::uuid, inputs => ''[]'''),
    ('id => test.kept(''deployment'')::uuid, action_signer => ''no key''')
  ) as bad (arguments) $$,
  array['start_target_ambiguous', 'deployment_not_found', 'inputs_invalid', 'action_signer_invalid'], 'four starts are refused'
);

select test.sign_out();
select results_eq(
  'select (select count(*) from pgmq.q_flow_runs), (select count(*) from public.flow_run), (select count(*) from private.flow_run_jobs)',
  'values (3::bigint, 3::bigint, 3::bigint)', 'refused starts leave no rows'
);

select * from finish();
