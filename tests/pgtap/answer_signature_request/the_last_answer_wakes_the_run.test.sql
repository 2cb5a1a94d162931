select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid, name) from unnest('{run,held,other}'::text[]) as name;
select test.sign_out();

select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('run')::uuid, 7))
));
select test.ask(test.kept(name)::uuid, test.request()) from unnest('{run,held,other}'::text[]) as name;
select test.ask(test.kept('run')::uuid, test.request(), 'inner', test.kept('child')::uuid);
select test.suspend(test.kept(name)::uuid) from unnest('{run,other}'::text[]) as name;

create function pg_temp.answer(run text) returns void language sql as $$
  select public.answer_signature_request(s.id, repeat('1', 64)) from public.signature_requests as s where s.flow_run_id = test.kept(run)::uuid;
$$;
grant execute on function pg_temp.answer(text) to public;

select test.sign_in_as_role('service_role');
select pg_temp.answer('run');
select is(s.signature, repeat('1', 64), 'an answer is stored') from public.signature_requests as s where s.flow_run_id = test.kept('run')::uuid;
select ok(test.due_in(test.kept('run')::uuid) > 170, 'a run that waits for another signature is not woken');
select pg_temp.answer('child');
select is(test.due_in(test.kept('run')::uuid), 0, 'the last signature makes the run claimable, whichever run of the tree asked for it');
select ok(test.due_in(test.kept('other')::uuid) > 170, 'a run of another tree still waits');

select pg_temp.answer('held');
select ok(test.due_in(test.kept('held')::uuid) between 50 and 60, 'a run that a worker holds stays with that worker');
select is(s.new_msg, null, 'what was not changed is not stored twice') from public.signature_requests as s where s.flow_run_id = test.kept('held')::uuid;

-- The run does not wait for expired requests.
select test.sign_out();
select test.ask(test.kept('other')::uuid, test.request(timeout_ms => -1), 'b');
select test.sign_in_as_role('service_role');
select public.answer_signature_request(s.id, repeat('1', 64), 'BAUG')
from public.signature_requests as s where s.flow_run_id = test.kept('other')::uuid and s.node_id = test.node_id('a');
select results_eq(
  $$ select signature, new_msg from public.signature_requests where flow_run_id = test.kept('other')::uuid and node_id = test.node_id('a') $$,
  $$ values (repeat('1', 64), 'BAUG') $$, 'a changed message is stored with its signature'
);
select is(test.due_in(test.kept('other')::uuid), 0, 'a run whose other request has expired can be claimed at once');
select is(
  test.error_code(format('select public.answer_signature_request(%L, %L)', 17, repeat('1', 64))), 'signature_request_not_found',
  'a request that does not exist is not found'
);

select * from finish();
