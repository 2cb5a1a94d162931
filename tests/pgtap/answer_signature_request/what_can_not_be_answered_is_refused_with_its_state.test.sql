select plan(12);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('other', test.claimed_run(test.user_id('owner')));
select test.ask(test.kept('run')::uuid, test.request());
select test.ask(test.kept('run')::uuid, test.request(timeout_ms => -1000), 'expired');
select test.ask(test.kept('run')::uuid, test.request(signatures => '[{"pubkey": "x", "signature": "y"}]'), 'signed');
select test.ask(test.kept('run')::uuid, jsonb_build_array(test.request(), test.request('So11111111111111111111111111111111111111112')), 'pair');
select test.ask(test.kept('run')::uuid, test.request(), 'message');
select test.ask(test.kept('other')::uuid, test.request());

create function pg_temp.request(run text, node text) returns public.signature_requests language sql as $$
  select s from public.signature_requests as s
  where s.flow_run_id = test.kept(run)::uuid and s.node_id = test.node_id(node) order by s.created_at limit 1;
$$;
grant execute on function pg_temp.request(text, text) to public;
-- Returns the error that answer_signature_request gives. The function that reads the request must give the same error.
create function pg_temp.refusal(run text, node text, new_msg text default null) returns jsonb language plpgsql as $$
declare
  v_id bigint := (pg_temp.request(run, node)).id;
  v_answer jsonb;
  v_read jsonb;
begin
  perform test.sign_in(test.user_id('owner'));
  v_read := test.error(format('select public.signature_request_for_caller(%L, %L)', v_id, new_msg));
  perform test.sign_in_as_role('service_role');
  v_answer := test.error(format('select public.answer_signature_request(%L, %L, %L)', v_id, repeat('1', 64), new_msg));
  perform test.sign_out();
  if v_read is distinct from v_answer then
    raise exception '% is not %', v_read, v_answer;
  end if;
  return v_answer;
end;
$$;

select is(
  pg_temp.refusal('run', 'expired') - 'message',
  jsonb_build_object('code', 'signature_request_expired', 'status', 409, 'hint', 'Start the run again, and sign before expires_at.', 'details',
    jsonb_build_object('signature', null, 'new_msg', null, 'expires_at', (pg_temp.request('run', 'expired')).expires_at, 'run_status', 'running')),
  'an expired request is refused'
);
select is(pg_temp.refusal('run', 'a', 'AQID'), null, 'an open request is answered if the message is unchanged');
select is(
  pg_temp.refusal('run', 'a') - 'message',
  jsonb_build_object('code', 'signature_request_answered', 'status', 409, 'hint', 'If details.signature is the one that you sent, your answer was stored.', 'details',
    jsonb_build_object('signature', repeat('1', 64), 'new_msg', null, 'expires_at', (pg_temp.request('run', 'a')).expires_at, 'run_status', 'running')),
  'a request can be answered only once'
);

select is(
  pg_temp.refusal('run', 'signed', 'BAUG') - '{hint}'::text[],
  '{"code": "transaction_changed", "status": 400, "details": null, "message": "new_msg can''t be used here: others have signed or must sign this transaction as it is, and a change would make their signatures invalid."}',
  'a message that another signer has signed can not be changed'
);
select is(pg_temp.refusal('run', 'pair', 'BAUG') ->> 'code', 'transaction_changed', 'a message that other signers are asked to sign can not be changed');
update public.signature_requests as s set kind = 'message' where s.id = (pg_temp.request('run', 'message')).id;
select is(
  pg_temp.refusal('run', 'message', 'BAUG') - '{details,hint}'::text[],
  '{"code": "transaction_changed", "status": 400, "message": "new_msg can''t be used here: only the message of a transaction may be changed."}',
  'a message that is not a transaction can not be changed'
);
select is((pg_temp.request('run', node)).signature, null, node || ' stays open') from unnest('{signed,pair}'::text[]) as node;
select is(pg_temp.refusal('run', 'signed'), null, 'requests with an unchanged message can be answered');

select test.end_run(test.kept('other')::uuid, 'failed');
select is(
  pg_temp.refusal('other', 'a') #>> '{details,run_status}', 'failed', 'a run that has ended takes no answer, and the state says how it ended'
);
select is(pg_temp.refusal('other', 'a') ->> 'code', 'signature_request_expired', 'a request whose transaction has ended is refused, even before its own time is over');
select is(
  test.error(format(
    'update public.signature_requests as s set signature = null, new_msg = ''AQID'' where s.id = %L', (pg_temp.request('run', 'a')).id
  )) ->> 'constraint', 'signature_requests_new_msg_signed', 'no message is changed without a signature'
);

select * from finish();
