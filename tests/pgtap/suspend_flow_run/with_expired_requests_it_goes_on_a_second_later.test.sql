select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{expired,open,stopped}'::text[]) as name;
select test.sign_out();

select test.ask(test.kept('expired')::uuid, test.request(timeout_ms => -1));
select test.ask(test.kept('open')::uuid, jsonb_build_array(
  test.request(timeout_ms => -1), test.request('So11111111111111111111111111111111111111112', 90000)
));
select test.ask(test.kept('stopped')::uuid, test.request(timeout_ms => -1));
select test.sign_in(test.user_id('owner'));
select public.stop_flow_run(test.kept('stopped')::uuid);
select test.sign_out();
select test.keep('before', clock_timestamp()::text);
select test.suspend(test.kept(name)::uuid) from unnest('{expired,open,stopped}'::text[]) as name;

select ok(
  due_at >= test.kept('before')::timestamptz + interval '1 second' and due_at < clock_timestamp() + interval '1 second',
  'a worker whose clock is late does not get the run again at once'
)
from private.flow_run_jobs where flow_run_id = test.kept('expired')::uuid;
select ok(test.due_in(test.kept('open')::uuid) > 80, 'the run waits for an open request');
select is(test.due_in(test.kept('stopped')::uuid), 0, 'a run that must stop can be claimed at once');
select results_eq('select distinct status from public.flow_run', $$ values ('waiting') $$, 'all runs wait');

select * from finish();
