-- An old checkpoint request arrives after a newer one.
select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_deployment(id => test.deploy(test.create_flow(test.user_id('owner')))) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);

select test.keep('begun', jsonb_build_object(
  'node_id', test.node_id('a'), 'times', 0, 'start_time', '2026-01-01T00:00:01Z', 'input', '{"M": {}}'::jsonb
));
select test.keep(
  'finished', test.kept('begun')::jsonb || '{"end_time": "2026-01-01T00:00:02Z", "output": {"M": {"x": {"N": 0}}}}'
);
select public.checkpoint_flow_run(
  test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, jsonb_build_array(test.kept(name)::jsonb))
)
from unnest('{begun,finished}'::text[]) as name;
select results_eq(
  'select end_time, output from public.node_run', $$ values (timestamptz '2026-01-01T00:00:02Z', jsonb '{"M": {"x": {"N": 0}}}') $$,
  'the node has begun and ended'
);

select public.checkpoint_flow_run(
  test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, jsonb_build_array(test.kept('begun')::jsonb))
);
select results_eq(
  'select end_time, output from public.node_run', $$ values (timestamptz '2026-01-01T00:00:02Z', jsonb '{"M": {"x": {"N": 0}}}') $$,
  'a late report that the node begins does not undo its end'
);

select * from finish();
