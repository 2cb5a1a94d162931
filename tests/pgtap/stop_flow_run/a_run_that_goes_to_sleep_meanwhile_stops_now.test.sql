select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{run,other}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 60);

-- The owner stops the run. The worker does not know this, and releases the run for an hour.
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('run')::uuid, 'now');
select test.sign_out();
select test.release_all(3600);

select is(state, 'ready', 'a run that must stop does not sleep') from private.flow_run_jobs where flow_run_id = test.kept('run')::uuid;
select ok(state = 'sleeping' and due_at > clock_timestamp() + interval '3500 seconds', 'the other run sleeps')
from private.flow_run_jobs where flow_run_id = test.kept('other')::uuid;
select ok(private.has_claimable_run(), 'the run that must stop is claimable at once');
select results_eq(
  'select flow_run_id, stop ->> ''reason'' from public.claim_flow_runs(10, 60)', $$ values (test.kept('run')::uuid, 'now') $$,
  'the stopped run is claimed, and the claim has the reason'
);

select * from finish();
