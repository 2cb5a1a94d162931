select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();
create function pg_temp.ask(node text) returns void language sql as $$
  select test.keep(node, test.ask(test.kept('run')::uuid, test.request(), node) -> 0 ->> 'id');
$$;
create function pg_temp.pending() returns text language sql as $$
  select id::text from private.open_signature_requests(test.kept('run')::uuid) limit 1;
$$;
select pg_temp.ask('a');
select is(pg_temp.pending(), test.kept('a'), 'the request of the first transaction is pending');
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, transactions => jsonb_build_array(
  jsonb_build_object('node_id', test.node_id('a'), 'times', 0, 'outcome', 'confirmed', 'signature', repeat('1', 64))
)));
select is(pg_temp.pending(), null, 'when the first transaction has ended, its request is not pending any more');
select throws_like(
  format('select private.answer_signature_request(%L, %L, null)', test.kept('a'), repeat('1', 64)), '%signature_request_expired%', 'the request of an ended transaction can not be answered'
);
select pg_temp.ask('b');
select is(pg_temp.pending(), test.kept('b'), 'the request of the next transaction is pending, and wallets see it');

select test.suspend(test.kept('run')::uuid);
select ok(test.due_in(test.kept('run')::uuid) > 170, 'the run waits');
select private.answer_signature_request(test.kept('b')::bigint, repeat('1', 64), null);
select is(test.due_in(test.kept('run')::uuid), 0, 'an answer to this request makes the run claimable');

select * from finish();
