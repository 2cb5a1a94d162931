select plan(15);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();
insert into public.flow_run (id, created_at, user_id, flow_id, deployment_id, inputs, chain_network, status, start_time, end_time, errors, error_code)
select r.*, private.error_code(r.errors[1])
from (
  select private.uuid_v7(now() - n * interval '1 minute'), now() - n * interval '1 minute', test.user_id('owner'), test.kept('flow')::integer,
    case when n <= 50 then test.kept('deployment')::uuid end, '{"M": {}}'::jsonb, '{"cluster": "devnet"}'::jsonb,
    case when n <= 3 then 'failed' else 'succeeded' end, now() - n * interval '1 minute', now() - n * interval '1 minute' + n * interval '1 second',
    case n when 1 then '{"worker_lost: 5 workers"}' when 2 then '{"Post: it a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11#3: outcome_unknown: x"}' when 3 then '{"Pay a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11: amount: must be a number"}' end::text[] as errors
  from generate_series(1, 100) as n
) as r;
select test.create_run(test.kept('flow')::integer);

select test.sign_in(test.user_id('owner'));
select test.keep('unused', test.create_flow(test.user_id('owner')));
create temporary view stats as select public.flow_run_stats(flow => test.kept('flow')::integer) as s;
select is(s -> 'by_status', '{"queued": 1, "running": 0, "waiting": 0, "succeeded": 97, "failed": 3, "stopped": 0}', 'runs are counted by status') from stats;
select is(s -> 'duration_ms', '{"p50": 50500, "p95": 95050}', 'durations are in milliseconds') from stats;
select is(
  s -> 'failures', '[{"code": "outcome_unknown", "count": 1}, {"code": "worker_lost", "count": 1}, {"code": null, "count": 1}]',
  'failures of runs and nodes are counted by code; the name of an input is no code'
) from stats;
select is((s ->> 'since')::timestamptz, now() - interval '7 days', 'by default the runs of the last week are counted') from stats;
select is(s -> 'runs' || (s -> 'is_complete'), '[101, true]', 'the counts are complete') from stats;
select is(public.flow_run_stats(deployment => test.kept('deployment')::uuid) -> 'runs', '50', 'the runs of one deployment can be counted');
select is(
  public.flow_run_stats(flow => test.kept('flow')::integer, since => now() - interval '10 minutes') -> 'by_status' -> 'succeeded', '7',
  'a run that was made exactly at the given time counts'
);
select is(
  public.flow_run_stats(flow => test.kept('unused')::integer) #- '{since}',
  '{"is_complete": true, "runs": 0, "by_status": {"queued": 0, "running": 0, "waiting": 0, "succeeded": 0, "failed": 0, "stopped": 0},
    "duration_ms": {"p50": null, "p95": null}, "failures": [], "usage": {}}', 'a flow without runs has counts of 0'
);

select is(test.error_code('select public.flow_run_stats()'), 'request_invalid', 'a flow or a deployment must be given');
select is(test.error_code($$ select public.flow_run_stats(1, null, 'infinity') $$), 'request_invalid', 'since must be a time in the past');
select test.sign_out();
insert into public.flow_run (id, created_at, user_id, flow_id, inputs, chain_network)
select private.uuid_v7(now() - n * interval '1 second'), now() - n * interval '1 second', test.user_id('owner'), test.kept('unused')::integer, '{"M": {}}', '{"cluster": "devnet"}'
from generate_series(1, 5001) as n;
select test.sign_in(test.user_id('owner'));
select is(s -> 'runs' || (s -> 'is_complete'), '[5000, false]', 'if there are more than 5,000 runs, only the newest count, and is_complete is false')
from public.flow_run_stats(flow => test.kept('unused')::integer) as s;
select is((s ->> 'since')::timestamptz, now() - interval '5000 seconds', 'since is the time of the oldest counted run')
from public.flow_run_stats(flow => test.kept('unused')::integer) as s;
select test.sign_in(test.user_id('other'));
select is(
  test.error(format('select public.flow_run_stats(flow => %s)', test.kept('flow'))), test.error('select public.flow_run_stats(flow => 2000000000)'),
  'a flow of another user does not exist'
);
select is(
  test.error(format('select public.flow_run_stats(deployment => %L)', test.kept('deployment'))),
  test.error(format('select public.flow_run_stats(deployment => %L)', gen_random_uuid())), 'a deployment of another user does not exist'
);
select test.sign_in_as_role('anon');
select is(test.error_code('select public.flow_run_stats(flow => 1)'), 'unauthenticated', 'a caller who is not a user is refused');

select * from finish();
