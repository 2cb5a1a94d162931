select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{first,second}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 60);
select test.release_all(300);
select ok(bool_and(state = 'sleeping' and due_at > clock_timestamp() + interval '290 seconds'), 'runs that are released for a later time sleep until then')
from private.flow_run_jobs;
select is_empty('select * from public.claim_flow_runs(10, 60)', 'sleeping runs are not claimed');

update private.flow_run_jobs set due_at = clock_timestamp() where flow_run_id = test.kept('first')::uuid;
select results_eq(
  'select flow_run_id, lost_claim_count from public.claim_flow_runs(10, 60)', $$ values (test.kept('first')::uuid, 0) $$,
  'a run whose time has come is claimed like any other'
);
select is(state, 'held', 'a claimed run does not sleep any more') from private.flow_run_jobs where flow_run_id = test.kept('first')::uuid;

select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('second')::uuid, 'enough', 0);
select test.sign_out();
select results_eq(
  $$ select flow_run_id, stop ->> 'reason' from public.claim_flow_runs(10, 60) $$, $$ values (test.kept('second')::uuid, 'enough') $$,
  'a stop wakes a sleeping run'
);
select is(
  test.error($$ update private.flow_run_jobs set due_at = null where state = 'held' $$) ->> 'constraint', 'flow_run_jobs_due_at_given', 'each lease ends'
);
select test.release_all(300);
select is(private.runner_metrics() ->> 'delayed', '1', 'operators see how many runs sleep; a run that must stop does not count');
delete from public.flow_run where true;
select is_empty('select from private.flow_run_jobs', 'a sleeping run can be deleted');

select * from finish();
