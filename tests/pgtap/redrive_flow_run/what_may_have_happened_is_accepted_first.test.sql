select plan(21);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();

-- Makes a run that failed with these node runs.
create function pg_temp.failed(name text, node_runs jsonb default '[]', children jsonb default '[]') returns uuid language plpgsql as $$
begin
  perform test.sign_in(test.user_id('owner'));
  perform test.queued_claim(test.kept('deployment')::uuid, failed.name);
  perform test.sign_out();
  perform public.checkpoint_flow_run(test.kept(failed.name)::uuid, 1, 60, test.progress(test.kept(failed.name)::uuid, failed.node_runs, children => failed.children));
  return test.kept(failed.name);
end;
$$;
create function pg_temp.end(name text) returns void language sql as $$
  select private.end_flow_run(test.kept($1)::uuid, 'failed', errors => '{x}');
$$;
create function pg_temp.redrive(name text, accept boolean default false) returns jsonb language plpgsql as $$
declare
  v_error jsonb;
begin
  perform test.sign_in(test.user_id('owner'));
  v_error := test.error(format('select public.redrive_flow_run(%L, %L)', test.kept(redrive.name), redrive.accept));
  perform test.sign_out();
  return v_error;
end;
$$;

select pg_temp.failed('plain', jsonb_build_array(test.node_run('a', output => null) || '{"errors": ["timed out"]}'));
select pg_temp.end('plain');
select is(pg_temp.redrive('plain'), null, 'a node that failed runs again without consent');

select pg_temp.failed('died', jsonb_build_array(test.node_run('a', 2, output => null) || '{"errors": ["outcome_unknown: its worker died"]}'));
select pg_temp.end('died');
select is(pg_temp.redrive('died') - '{message,hint}'::text[], jsonb_build_object('code', 'outcome_unknown', 'status', 409, 'details', jsonb_build_array(
  jsonb_build_object('flow_run_id', test.kept('died'), 'node_id', test.node_id('a'), 'times', 2)
)), 'a node whose worker died may have had effects');
select is(pg_temp.redrive('died', true), null, 'with consent, the run is redriven');

select pg_temp.failed('late', jsonb_build_array(
  test.node_run('a', output => null) || '{"errors": ["node_timeout: the attempt took longer than 5 ms; what it does outside may have happened"]}'
));
select pg_temp.end('late');
select is(pg_temp.redrive('late') ->> 'code', 'outcome_unknown', 'a node with effects that exceeded its time limit may have had them');
select pg_temp.failed('harmless', jsonb_build_array(test.node_run('a', output => null) || '{"errors": ["node_timeout: the attempt took longer than 5 ms"]}'));
select pg_temp.end('harmless');
select is(pg_temp.redrive('harmless'), null, 'a node without effects runs again without consent');

select pg_temp.failed('lost', jsonb_build_array(test.node_run('a', is_ended => false)));
select pg_temp.end('lost');
select is(pg_temp.redrive('lost') #>> '{details,0,node_id}', test.node_id('a')::text, 'a node that never ended may have had effects');

select pg_temp.failed('paused', jsonb_build_array(test.node_run('a', is_ended => false) || '{"attempt": 1, "retry_at": "2026-01-01T00:00:00Z"}'));
select pg_temp.end('paused');
select is(pg_temp.redrive('paused'), null, 'a node that waited for its next attempt has had no effects');

select pg_temp.failed('asked', jsonb_build_array(test.node_run('a', is_ended => false)));
select test.ask_input(test.kept('asked')::uuid, 'a');
select pg_temp.end('asked');
select is(pg_temp.redrive('asked'), null, 'a node that waited for an input has had no effects');

select pg_temp.failed('handed', jsonb_build_array(test.node_run('a', is_ended => false) || '{"output": {"M": {}}}'));
select pg_temp.end('handed');
select is(pg_temp.redrive('handed'), null, 'a node whose instructions were not sent has had no effects');

select pg_temp.failed('sent', jsonb_build_array(test.node_run('a', is_ended => false) || '{"output": {"M": {}}}'));
select private.store_transaction(test.kept('sent')::uuid, 1, test.transaction(test.kept('sent')::uuid, wire => 'AQID'), '[]');
select pg_temp.end('sent');
select is(pg_temp.redrive('sent') #>> '{details,0,node_id}', test.node_id('a')::text, 'a node with a confirmed transaction counts only for its other effects');

-- If a run is stopped or waits too long, it gives up a transaction that it has sent. The outcome is then unknown.
select pg_temp.failed('given_up', jsonb_build_array(test.node_run('a', output => null) || '{"errors": ["stopped; it was sent"]}'));
select private.store_transaction(test.kept('given_up')::uuid, 1, test.transaction(test.kept('given_up')::uuid, wire => 'AQID'), '[]');
select private.store_transaction_outcomes(jsonb_build_array(
  jsonb_build_object('flow_run_id', test.kept('given_up'), 'node_id', test.node_id('a'), 'times', 0, 'outcome', 'unknown', 'signature', repeat('1', 64))
));
select pg_temp.end('given_up');
select is(pg_temp.redrive('given_up') ->> 'code', 'outcome_unknown', 'a transaction that was given up may still be executed');
select is(pg_temp.redrive('given_up', true), null, 'with consent, the transaction is made again');

select pg_temp.failed('unsigned', jsonb_build_array(test.node_run('a', is_ended => false) || '{"output": {"M": {}}}'));
select private.store_transaction(test.kept('unsigned')::uuid, 1, test.transaction(test.kept('unsigned')::uuid), jsonb_build_array(test.request()));
select pg_temp.end('unsigned');
select is(pg_temp.redrive('unsigned'), null, 'a transaction that was never signed needs no consent');

-- Makes a failed run. Its transaction lacks the signature of one signer, who has all other signatures. The run gave up
-- the transaction before this signer answered.
create function pg_temp.half_signed(name text) returns void language plpgsql as $$
begin
  perform pg_temp.failed(half_signed.name, jsonb_build_array(test.node_run('a', output => null) || '{"errors": ["timed out"]}'));
  perform private.store_transaction(
    test.kept(half_signed.name)::uuid, 1, test.transaction(test.kept(half_signed.name)::uuid),
    jsonb_build_array(test.request(signatures => jsonb_build_array(jsonb_build_object('pubkey', repeat('1', 32), 'signature', repeat('1', 64)))))
  );
  perform private.store_transaction_outcomes(jsonb_build_array(jsonb_build_object(
    'flow_run_id', test.kept(half_signed.name), 'node_id', test.node_id('a'), 'times', 0, 'outcome', 'failed', 'signature', null
  )));
end;
$$;
select pg_temp.half_signed('half_signed');
select pg_temp.end('half_signed');
select is(
  pg_temp.redrive('half_signed') #>> '{details,0,node_id}', test.node_id('a')::text,
  'the last signer, who has the signatures of all others, may have sent the transaction'
);
select pg_temp.half_signed('answered');
update public.signature_requests set signature = repeat('1', 64) where flow_run_id = test.kept('answered')::uuid;
select pg_temp.end('answered');
select is(pg_temp.redrive('answered'), null, 'if the last signer has answered, only the runner may have sent the transaction, and its outcome is known');

select pg_temp.failed('action', jsonb_build_array(test.node_run('a', is_ended => false) || '{"output": {"M": {}}}'));
update public.flow_run set action_signer = 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs' where id = test.kept('action')::uuid;
select private.store_transaction(test.kept('action')::uuid, 1, test.transaction(test.kept('action')::uuid), jsonb_build_array(test.request()));
select pg_temp.end('action');
select is(pg_temp.redrive('action') ->> 'code', 'outcome_unknown', 'the signer of an action may have sent the transaction');

select test.keep('child', gen_random_uuid());
select pg_temp.failed('calling');
select public.checkpoint_flow_run(test.kept('calling')::uuid, 1, 60, test.progress(test.kept('calling')::uuid, jsonb_build_array(
  test.node_run('caller', is_ended => false), test.node_run('a', is_ended => false) || jsonb_build_object('flow_run_id', test.kept('child'))
), children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('calling')::uuid, 1))));
select pg_temp.end('calling');
select is(
  pg_temp.redrive('calling') -> 'details', jsonb_build_array(jsonb_build_object('flow_run_id', test.kept('child'), 'node_id', test.node_id('a'), 'times', 0)),
  'for a call, the executions of the called run count'
);

select test.keep('settled', gen_random_uuid());
select pg_temp.failed('past');
select public.checkpoint_flow_run(test.kept('past')::uuid, 1, 60, test.progress(test.kept('past')::uuid, jsonb_build_array(
  test.node_run('caller'), test.node_run('a', is_ended => false) || jsonb_build_object('flow_run_id', test.kept('settled')),
  test.node_run('b', output => null) || '{"errors": ["no"]}'
), children => jsonb_build_array(test.child(test.kept('settled')::uuid, test.kept('past')::uuid, 1, 'succeeded'))));
select pg_temp.end('past');
select is(pg_temp.redrive('past'), null, 'a call that succeeded needs no consent');

select pg_temp.failed('many', (select jsonb_agg(test.node_run('a', times, is_ended => false)) from generate_series(1, 200) as times));
select pg_temp.end('many');
select is(jsonb_array_length(pg_temp.redrive('many') -> 'details'), 100, 'the error names at most a hundred executions');

select pg_temp.failed('open');
select is(pg_temp.redrive('open') ->> 'code', 'run_not_ended', 'a run that has not ended can not be redriven');
select public.finish_flow_run(test.kept('open')::uuid, 1, 'succeeded', null, null, null, test.progress(test.kept('open')::uuid));
select is(pg_temp.redrive('open') ->> 'code', 'run_succeeded', 'a run that succeeded can not be redriven');

select * from finish();
