select plan(13);

select test.create_user(name) from unnest('{owner,starter,holder,other}'::text[]) as name;
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep(name, test.create_run(test.kept('flow')::integer, test.user_id('starter'))) from unnest('{run,second}'::text[]) as name;
update public.flow_run set status = 'running', start_time = now() where true;
insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings, claim_number)
select r.id, r.user_id, test.take_snapshot(r.flow_id), '{"chain_network": {"url": "https://rpc.example.com"}}', 1 from public.flow_run as r;
select test.ask(test.kept('run')::uuid, test.request());
update public.signature_requests set user_id = test.user_id('holder') where true;
select test.keep('request', id::text) from public.signature_requests;
select test.keep('token', private.run_token(test.kept('run')::uuid));
select test.keep('second_token', private.run_token(test.kept('second')::uuid));

create function pg_temp.answer(id bigint default test.kept('request')::bigint) returns jsonb language plpgsql as $$
begin
  return public.signature_request_for_caller(answer.id);
exception when sqlstate 'PGRST' then
  return sqlerrm;
end;
$$;
create function pg_temp.show(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
$$;
grant execute on function pg_temp.answer(bigint), pg_temp.show(text) to public;
create function pg_temp.shown() returns jsonb language sql as $$
  select jsonb_build_object('id', test.kept('request')::bigint, 'pubkey', 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs', 'msg', 'AQID');
$$;
create function pg_temp.missing() returns jsonb language sql as $$
  select '{"code": "signature_request_not_found", "message": "There is no such signature request.", "details": null, "hint": null}'::jsonb;
$$;
grant execute on function pg_temp.shown(), pg_temp.missing() to public;

select test.sign_in(test.user_id('owner'));
select is(pg_temp.answer(), pg_temp.shown(), 'the owner of the flow may answer the request');
select test.sign_in(test.user_id('starter'));
select is(pg_temp.answer(), pg_temp.shown(), 'the starter of the run may answer the request');
select test.sign_in(test.user_id('holder'));
select is(pg_temp.answer(), pg_temp.shown(), 'the user whose key must sign may answer the request');
select is(pg_temp.answer(4611686018427388), pg_temp.missing(), 'for this user another request does not exist');
select test.sign_in(test.user_id('other'));
select is(pg_temp.answer(), pg_temp.missing(), 'for other users the request does not exist');
select pg_temp.show(test.kept('token'));
select is(pg_temp.answer(), pg_temp.shown(), 'a user with the token of the run may answer the request');
select pg_temp.show(test.kept('second_token'));
select is(pg_temp.answer(), pg_temp.missing(), 'for a user with the token of another run the request does not exist');
select test.sign_in_as_role('anon');
select is(pg_temp.answer(), pg_temp.missing(), 'for a caller with the token of another run the request does not exist');
select pg_temp.show(test.kept('token'));
select is(pg_temp.answer(), pg_temp.shown(), 'a caller with the token of the run may answer the request');
select pg_temp.show(null);
select is(pg_temp.answer() ->> 'code', 'unauthenticated', 'anon without a token is refused');
select test.sign_in_as_role('service_role');
select is(pg_temp.answer() ->> 'code', 'token_invalid', 'the service role is not a user');

-- Row level security shows the row to the user whose key is asked, and not to unrelated users.
select test.sign_in(test.user_id('holder'));
select is(count(*), 1::bigint, 'the user whose key is asked reads the row') from public.signature_requests;
select test.sign_in(test.user_id('other'));
select is_empty('select from public.signature_requests', 'other users see no row');

select * from finish();
