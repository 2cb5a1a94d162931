select plan(10);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.sign_in_as_role('service_role');

create function pg_temp.refusal(node text, message text, wire text) returns jsonb language sql as $$
  select test.error(format(
    'select public.store_transaction(%L, 1, %L, %L)', test.kept('run'),
    test.transaction(test.kept('run')::uuid, node, message, wire) || jsonb_build_object('has_fees', wire is not null), '[]'
  ));
$$;
grant execute on function pg_temp.refusal(text, text, text) to public;

select is(pg_temp.refusal('a', 'AQID', null), null, 'an unsigned transaction can be stored');
select is(pg_temp.refusal('a', 'BAUG', null), null, 'a transaction that is not signed may be replaced');
select is(pg_temp.refusal('a', 'BAUG', 'AQ=='), null, 'the transaction can be signed');
select is(pg_temp.refusal('a', 'BAUG', 'AQ=='), null, 'a signed transaction may be stored again unchanged');
select is(
  pg_temp.refusal('a', 'BAUG', null) - '{details,hint}'::text[],
  '{"code": "internal", "status": 500, "message": "This transaction can''t change any more: it may have been sent, or its outcome is stored."}',
  'a signed transaction can not be stored without its signatures'
);
select is(pg_temp.refusal('a', 'BAUG', 'Ag==') ->> 'code', 'internal', 'a signed transaction can not get other signatures');
select is(pg_temp.refusal('a', 'AQID', 'AQ==') ->> 'code', 'internal', 'a signed transaction can not get another message');
select is(pg_temp.refusal('b', 'AQID', 'AQ=='), null, 'another transaction can be stored');

select test.sign_out();
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, transactions => jsonb_build_array(
  jsonb_build_object('node_id', test.node_id('c'), 'times', 0, 'outcome', 'failed')
))) from (select test.ask(test.kept('run')::uuid, '[]', 'c')) as stored;
select is(pg_temp.refusal('c', 'BAUG', null) ->> 'code', 'internal', 'a transaction that failed before it was sent can not be replaced');
select results_eq(
  'select message, wire, has_fees, outcome from private.flow_run_transactions order by created_at',
  $$ values ('BAUG', 'AQ==', true, null::text), ('AQID', 'AQ==', true, null), ('AQID', null, false, 'failed') $$,
  'the stored transactions have not changed'
);

select * from finish();
