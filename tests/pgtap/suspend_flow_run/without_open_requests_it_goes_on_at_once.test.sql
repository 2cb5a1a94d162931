select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{none,failed,answered,stopped,other}'::text[]) as name;
select test.sign_out();

select test.ask(test.kept('failed')::uuid, test.request(timeout_ms => -1));
update private.flow_run_transactions as t set outcome = 'failed' where t.flow_run_id = test.kept('failed')::uuid;
select test.ask(test.kept('answered')::uuid, test.request());
select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s where s.flow_run_id = test.kept('answered')::uuid;
select test.ask(test.kept('stopped')::uuid, test.request());
select test.ask(test.kept('other')::uuid, test.request());
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('stopped')::uuid);
select test.sign_out();
select test.suspend(test.kept(name)::uuid) from unnest('{none,failed,answered,stopped,other}'::text[]) as name;

select is(test.due_in(test.kept('none')::uuid), 0, 'a run without requests can be claimed at once');
select is(test.due_in(test.kept('failed')::uuid), 0, 'a run whose transaction has failed can be claimed at once, because its requests have ended');
select is(test.due_in(test.kept('answered')::uuid), 0, 'a run whose requests were answered while a worker held it can be claimed at once');
select is(test.due_in(test.kept('stopped')::uuid), 0, 'a run that was asked to stop while a worker held it can be claimed at once');
select ok(test.due_in(test.kept('other')::uuid) > 170, 'each run waits only for its own requests');

-- Stop a run after its suspension.
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('other')::uuid, 'now');
select test.sign_out();
select is(test.due_in(test.kept('other')::uuid), 0, 'a stop wakes a waiting run');
select is(count(*), 5::bigint, 'all runs are claimed') from public.claim_flow_runs(10, 60);
select bag_eq(
  'select status from public.flow_run', $$ select 'running' from generate_series(1, 5) $$, 'all runs are running again'
);

select * from finish();
