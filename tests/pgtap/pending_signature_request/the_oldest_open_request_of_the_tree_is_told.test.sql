select plan(12);

select test.create_user('owner');
select test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();
select test.keep('child', gen_random_uuid());
select private.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(
  test.kept('run')::uuid, children => jsonb_build_array(test.child(test.kept('child')::uuid, test.kept('run')::uuid, 7))
));

create function pg_temp.pending(run text default 'run') returns jsonb language plpgsql as $$
declare
  v_answer jsonb;
begin
  perform test.sign_in(test.user_id('owner'));
  v_answer := public.pending_signature_request(test.kept(run)::uuid);
  perform test.sign_out();
  return v_answer;
end;
$$;
create function pg_temp.pending_key(run text default 'run') returns text language sql as $$
  select pg_temp.pending(run) #>> '{request,pubkey}';
$$;

select is(pg_temp.pending(), '{"request": null, "is_overdue": false}', 'a run may ask for nothing');
select test.ask(test.kept('run')::uuid, test.request('SysvarC1ock11111111111111111111111111111111', -1), 'late');
select is(pg_temp.pending_key(), null, 'an expired request is not returned');
select test.ask(test.kept('run')::uuid, test.request('So11111111111111111111111111111111111111112', 90500, '[{"pubkey": "x", "signature": "y"}]'), 'inner', test.kept('child')::uuid);
select test.ask(test.kept('run')::uuid, test.request());
select is(
  pg_temp.pending() #- '{request,id}' #- '{request,time}',
  jsonb_build_object('is_overdue', false, 'request', jsonb_build_object(
    'kind', 'transaction_message', 'pubkey', 'So11111111111111111111111111111111111111112', 'message', 'AQID', 'timeout', 90.5, 'flow_run_id', test.kept('child'),
    'signatures', '[{"pubkey": "x", "signature": "y"}]'::jsonb
  )),
  'the oldest open request is returned, with the run that asks for it'
);
select is(
  (pg_temp.pending() #> '{request,time}')::numeric, floor(extract(epoch from s.created_at) * 1000), 'time is the time of the request in whole milliseconds'
)
from public.signature_requests as s where s.pubkey like 'So1%';
select is(pg_temp.pending('child'), pg_temp.pending(), 'a called run returns the requests of its whole tree');
select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s where s.pubkey like 'So1%';
select is(pg_temp.pending_key(), 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', 'after an answer the next request is returned');
select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s where s.pubkey like 'da18%';
select is(pg_temp.pending_key(), null, 'when all requests are answered, none is returned');

select test.suspend(test.kept('run')::uuid);
update private.flow_run_jobs set due_at = clock_timestamp() - interval '3 seconds' where true;
select is(pg_temp.pending() -> 'is_overdue', 'true', 'a run that is left in the queue is overdue');

create function pg_temp.error_of(run_id uuid) returns jsonb language sql as $$
  select test.error(format('select public.pending_signature_request(%L)', run_id)) - '{details,hint}'::text[];
$$;
grant execute on function pg_temp.error_of(uuid) to public;
select test.sign_in(test.user_id('other'));
select is(
  array[pg_temp.error_of(test.kept('run')::uuid), pg_temp.error_of(gen_random_uuid())],
  array_fill('{"code": "flow_run_not_found", "status": 404, "message": "There is no such run."}'::jsonb, '{2}'),
  'for other users the run does not exist'
);
select test.sign_in_as_role('anon');
select is(pg_temp.error_of(test.kept('run')::uuid) ->> 'code', 'unauthenticated', 'a caller without a credential is refused');

select test.sign_out();
select private.end_flow_run(test.kept('run')::uuid, 'stopped', null, null, null);
select test.sign_in(test.user_id('owner'));
select is(
  array[pg_temp.error_of(test.kept('run')::uuid), pg_temp.error_of(test.kept('child')::uuid)],
  array_fill('{"code": "signature_request_not_found", "status": 404, "message": "The run has ended, so it asks for no signature."}'::jsonb, '{2}'),
  'a run that has ended has no requests, and neither have its called runs'
);
select is(test.error_code('select public.asking_flow_runs(''{}'')'), '42501', 'only the service role may ask about many runs at once');

select * from finish();
