select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);

select is(
  test.error(format(
    'select public.finish_flow_run(%L, 1, %L, %L, %L, null, %L)', test.kept('run'), status, output, errors,
    test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run('a')))
  )) ->> 'constraint', 'flow_run_consistent', format('%s with output %s and errors %s is refused', status, output, errors)
)
from (values
  ('failed', '{"M": {}}', null::text[]),
  ('failed', '{"M": {}}', '{}'),
  ('succeeded', '{"M": {}}', '{a failed}'),
  ('running', null, null),
  ('finished', null, null)
) as bad (status, output, errors);

select results_eq('select status, output from public.flow_run', $$ values ('running', null::jsonb) $$, 'the run has not ended');
select is_empty('select * from public.node_run', 'nothing of the refused outcome is stored');
select test.sign_out();
select is(state, 'held', 'the job stays, so that another attempt can be made') from private.flow_run_jobs;

select test.sign_in_as_role('service_role');
select is(
  test.error($$ select public.finish_flow_run(test.kept('run')::uuid, 1, 'failed', null, '{a failed}', null, '{}') $$),
  null,
  'an outcome without a contradiction is stored'
);

select * from finish();
