select plan(9);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'note'))));
update public.flows set environment = '{"OWN": "of the flow"}' where id = test.kept('flow')::integer;
create function pg_temp.refusal(environment jsonb) returns text language sql volatile as $$
  select format('%s %s', e.error ->> 'code', e.error #>> '{details,0,path}')
  from (select test.error(format('select public.start_flow(%s, environment => %L)', test.kept('flow'), environment))) as e (error);
$$;
grant execute on function pg_temp.refusal(jsonb) to public;

select test.sign_in(test.user_id('owner'));
select test.keep('run', public.start_flow(
  test.kept('flow')::integer, environment => '{"OWN": "of the start", "NEW": "of the start"}', output_instructions => true,
  idempotency_key => 'one key of a start'
) ->> 'flow_run_id');
select is(pg_temp.refusal(environment), 'environment_invalid ' || path, format('refused: %s', left(environment::text, 40)))
from (values
  ('[]'::jsonb, 'environment'), ('{"A": 7}', 'environment'), ('{"COMPUTE_BUDGET": "much"}', 'environment.COMPUTE_BUDGET'),
  ('{"OVERWRITE_FEEPAYER": "So11111111111111111111111111111111111111112"}', 'environment.OVERWRITE_FEEPAYER'),
  (jsonb_build_object('A', repeat('x', 65536)), 'environment')
) as refused (environment, path);
select is(test.error_code(format(
  'select public.start_flow(%s, environment => %L, idempotency_key => ''one key of a start'')', test.kept('flow'), '{"NEW": "another"}'
)), 'idempotency_key_reused', 'a request with another environment is another request');
select test.sign_out();
select is(
  j.settings -> 'environment', '{"NEW": "of the start"}', 'the job has the names that the flow does not define'
) from private.flow_run_jobs as j where j.flow_run_id = test.kept('run')::uuid;
select is(r.output_instructions, true, 'the run outputs its instructions') from public.flow_run as r
where r.id = test.kept('run')::uuid;
select private.end_flow_run(test.kept('run')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select test.keep('redrive', public.redrive_flow_run(test.kept('run')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(
  (select j.settings from private.flow_run_jobs as j where j.flow_run_id = test.kept('redrive')::uuid),
  (select j.settings from private.flow_run_jobs as j where j.flow_run_id = test.kept('run')::uuid), 'a redrive keeps all settings of the run'
);

select * from finish();
