select plan(10);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.sign_in_as_role('service_role');

create function pg_temp.store(transaction jsonb, requests jsonb) returns jsonb language sql as $$
  select public.store_transaction(test.kept('run')::uuid, 1, transaction, requests)::jsonb;
$$;
grant execute on function pg_temp.store(jsonb, jsonb) to public;
select test.keep('pair', jsonb_build_array(
  test.request(), test.request('So11111111111111111111111111111111111111112', 1500, '[{"pubkey": "x", "signature": "y"}]')
));

select is(pg_temp.store(test.transaction(test.kept('run')::uuid), '[]'), '[]', 'a transaction may have no requests');
select test.keep('answer', pg_temp.store(test.transaction(test.kept('run')::uuid, message => 'BAUG'), test.kept('pair')::jsonb));
select is(
  (select jsonb_agg(r - '{id,expires_at}'::text[]) from jsonb_array_elements(test.kept('answer')::jsonb) as r),
  '[{"pubkey": "da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs", "signature": null, "new_msg": null},
    {"pubkey": "So11111111111111111111111111111111111111112", "signature": null, "new_msg": null}]'::jsonb,
  'the requests are made and returned in their order'
);
select is(
  pg_temp.store(test.transaction(test.kept('run')::uuid, message => 'BAUG'), test.kept('pair')::jsonb), test.kept('answer')::jsonb,
  'a repeated call returns the same requests'
);
select is(
  pg_temp.store(test.transaction(test.kept('run')::uuid, message => 'BAUG'), '[]'), test.kept('answer')::jsonb,
  'a call without requests returns all stored requests'
);
select is(
  test.error(format(
    'select public.store_transaction(%L, 1, %L, %L)', test.kept('run'), test.transaction(test.kept('run')::uuid, message => 'BAUG'),
    jsonb_build_array(test.request(msg => 'BAUG'))
  )) - '{details,hint}'::text[],
  '{"code": "internal", "status": 500, "message": "A key was already asked to sign another message for this transaction."}',
  'a key can not be asked to sign two messages'
);

select test.sign_out();
select results_eq(
  'select flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id, msg, signatures, expires_at - created_at from public.signature_requests order by created_at',
  $$ select test.kept('run')::uuid, test.node_id('a'), 0, test.kept('run')::uuid, test.user_id('owner'), null::uuid, 'AQID', signatures, timeout
    from (values (null::jsonb, interval '180 seconds'), ('[{"pubkey": "x", "signature": "y"}]', '1.5 seconds')) as v (signatures, timeout) $$,
  'a request names its transaction, and its time counts from its creation'
);
select results_eq(
  'select root_flow_run_id, message, wire, memo, has_fees, slot, last_valid_block_height, outcome, signature from private.flow_run_transactions',
  $$ values (test.kept('run')::uuid, 'BAUG', null::text, null::text, false, 18446744::bigint, 9007199254740993, null::text, null::text) $$,
  'the newest message is stored, and numbers keep all digits'
);
select is(members, test.transaction(test.kept('run')::uuid) -> 'members', 'the members of the newest transaction are stored') from private.flow_run_transactions;

-- Stores a transaction of a called run.
select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('run')::uuid, 7))
));
select test.ask(test.kept('run')::uuid, test.request(), 'inner', test.kept('child')::uuid);
select results_eq(
  $$ select t.root_flow_run_id, s.root_flow_run_id, s.owner_id
    from private.flow_run_transactions as t join public.signature_requests as s on s.flow_run_id = t.flow_run_id
    where t.flow_run_id = test.kept('child')::uuid $$,
  $$ values (test.kept('run')::uuid, test.kept('run')::uuid, test.user_id('owner')) $$,
  'a request of a called run belongs to the root run'
);
delete from public.flow_run as r where r.id = test.kept('run')::uuid;
select is_empty(
  'select flow_run_id from private.flow_run_transactions union all select flow_run_id from public.signature_requests',
  'transactions and requests are deleted with the run'
);

select * from finish();
