select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 0);

create function pg_temp.refusal(claim_number integer, node text default 'a') returns jsonb language sql as $$
  select test.error(format(
    'select public.checkpoint_flow_run(%L, %s, 60, %L)', test.kept('run'), claim_number,
    test.progress(test.kept('run')::uuid, jsonb_build_array(test.node_run(node)))
  ));
$$;
grant execute on function pg_temp.refusal(integer, text) to public;
select test.sign_in_as_role('service_role');

select is(pg_temp.refusal(1), null, 'the newest claim stores its progress');
select is(pg_temp.refusal(claim_number) ->> 'code', 'claim_lost', format('claim %s, which nobody has, stores nothing', claim_number))
from unnest('{0,2,-1}'::integer[]) as claim_number;

select test.sign_out();
select test.lose_workers();
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);
select is(
  pg_temp.refusal(1, 'b') - 'message', '{"code": "claim_lost", "status": 409, "details": null, "hint": null}',
  'once the run is claimed again, the first claim is refused'
);
select is(pg_temp.refusal(2, 'c'), null, 'the second claim stores its progress');
select set_eq(
  'select node_id from public.node_run', array[test.node_id('a'), test.node_id('c')], 'a refused claim stores nothing'
);

select test.sign_out();
select ok(due_at > clock_timestamp() + interval '50 seconds', 'a refused claim does not change the lease') from private.flow_run_jobs;
select private.end_flow_run(test.kept('run')::uuid, 'stopped');
select test.sign_in_as_role('service_role');
select is(
  array[pg_temp.refusal(2) ->> 'code', test.error_code('select public.checkpoint_flow_run(gen_random_uuid(), 1, 60, ''{}'')')],
  '{claim_lost,claim_lost}', 'a run that has ended and a deleted run have no claim'
);

select * from finish();
