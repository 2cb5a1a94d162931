select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{run,other}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 60);
create temporary view news as
  select * from public.heartbeat_flow_runs(jsonb_build_array(
    jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1), jsonb_build_object('flow_run_id', test.kept('other'), 'claim_number', 1)
  ), 60);
select is_empty('select * from news', 'before a stop request, a heartbeat returns no news');

select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('run')::uuid, 'no more', 5000);
select public.stop_flow_run(test.kept('run')::uuid, 'at once', 0);
select is(
  test.error_code(format('select public.stop_flow_run(%L, %L, %s)', test.kept('run'), reason, millies)), 'request_invalid', says || ' is refused'
)
from (values ('', 300001, 'more than five minutes'), ('', -1, 'less than none'), (repeat('x', 1001), 0, 'a long reason')) as bad (reason, millies, says);
select test.sign_out();
select results_eq(
  'select * from news', $$ values (test.kept('run')::uuid, false, jsonb '{"reason": "no more", "timeout_millies": 5000}', false) $$,
  'the worker that holds the run learns how to stop it, by the first request'
);
select is_empty('select * from public.claim_flow_runs(10, 60)', 'no other worker claims the run meanwhile');

select test.lose_workers();
select results_eq(
  'select flow_run_id, stop from public.claim_flow_runs(10, 60) order by flow_run_id desc',
  $$ values (test.kept('other')::uuid, null::jsonb), (test.kept('run')::uuid, '{"reason": "no more", "timeout_millies": 5000}') $$,
  'if this worker is lost, the next worker stops the run'
);
select public.finish_flow_run(test.kept('run')::uuid, 2, 'stopped', null, null, null, '{}');
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('run')::uuid);
select is(status, 'stopped', 'a stop of what has ended changes nothing') from public.flow_run where id = test.kept('run')::uuid;

select * from finish();
