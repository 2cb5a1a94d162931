select plan(7);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('attempt', test.begin_node(test.kept('run')::uuid, 'a')::text);

create function pg_temp.refusal(message text) returns text language sql as $$
  select test.error_code(format(
    'select public.store_transaction(%L, 1, %L, %L)', test.kept('run'),
    test.transaction(test.kept('run')::uuid, message => message, wire => 'AQ=='), jsonb_build_array(test.request(msg => message))
  ));
$$;
create function pg_temp.outcome(outcome text) returns void language sql as $$
  select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, transactions => jsonb_build_array(
    jsonb_build_object('node_id', test.node_id('a'), 'times', 0, 'outcome', outcome, 'signature', repeat('1', 64))
  )));
$$;

select is(pg_temp.refusal('AQID'), null, 'the first attempt stores a transaction');
update public.node_run set attempt = 2 where true;
select is(pg_temp.refusal('BAUG'), 'internal', 'while this transaction may be executed, another one is refused');
select pg_temp.outcome('failed');
update public.node_run set attempt = 1 where true;
select is(pg_temp.refusal('BAUG'), 'internal', 'after its failure, another one is refused without another attempt');
update public.node_run set attempt = 2, end_time = now() where true;
select is(pg_temp.refusal('BAUG'), 'internal', 'another one is refused after the node has ended');
update public.node_run set end_time = null where true;
select is(pg_temp.refusal('BAUG'), null, 'the next attempt stores its own transaction');
select results_eq(
  $$ select t.message, t.outcome, s.msg from private.flow_run_transactions as t join public.signature_requests as s using (flow_run_id, node_id, times) $$,
  $$ values ('BAUG', null::text, 'BAUG') $$, 'the new transaction replaces the first one and its requests'
);
select is(pg_temp.refusal('AQID'), 'internal', 'the first transaction can not be stored again');

select * from finish();
