select plan(5);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{run,other}'::text[]) as name;
select test.sign_out();
select public.claim_flow_runs(10, 60);
select test.release_all(3600);
select is_empty('select * from public.claim_flow_runs(10, 60)', 'two runs were released for later');

select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('run')::uuid, 'now');
select test.sign_out();
select ok(private.has_claimable_run(), 'the run that must stop is claimable at once');
create temporary table claimed as select * from public.claim_flow_runs(10, 60);
select results_eq(
  'select flow_run_id, claim_number, lost_claim_count, stop from claimed',
  $$ values (test.kept('run')::uuid, 2, 0, jsonb '{"reason": "now", "timeout_millies": 0}') $$,
  'the stopped run is claimed, and the claim says how to stop it'
);

-- A run that must stop can be claimed at once after its release. A second stop request does not change the reason of
-- the first.
select test.release_all(3600);
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('run')::uuid, 'again');
select test.sign_out();
select results_eq(
  'select flow_run_id, stop ->> ''reason'' from public.claim_flow_runs(10, 60)', $$ values (test.kept('run')::uuid, 'now') $$,
  'the reason of the first request stays'
);
select is(count(*), 1::bigint, 'the other run still waits') from private.flow_run_jobs where state = 'sleeping' and due_at > clock_timestamp() + interval '3500 seconds';

select * from finish();
