select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));

create temporary table answers as
  select public.start_deployment(id => test.kept('deployment')::uuid) as answer from generate_series(1, 3);
select is(count(distinct answer ->> 'flow_run_id'), 3::bigint, 'three starts are three runs') from answers;

select test.sign_out();
select bag_eq(
  'select j.flow_run_id, j.user_id, j.state, j.due_at from private.flow_run_jobs as j',
  $$ select (answer ->> 'flow_run_id')::uuid, test.user_id('owner'), 'ready'::private.job_state, null::timestamptz from answers $$,
  'each run has one job, which is ready'
);
select is_empty('select from private.flow_run_jobs where turn > clock_timestamp()', 'the runs are queued now');

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
  'select (select count(*) from public.flow_run), (select count(*) from private.flow_run_jobs)',
  'values (3::bigint, 3::bigint)', 'refused starts leave no rows'
);

select * from finish();
