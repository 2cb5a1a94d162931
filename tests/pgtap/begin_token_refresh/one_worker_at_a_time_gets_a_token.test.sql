select plan(21);

select test.create_user('owner');
select test.keep('id', test.create_connection(test.user_id('owner'), 'mail'));
create function pg_temp.begin(nonce text default '01') returns jsonb language sql as $$
  select public.begin_token_refresh(test.kept('id')::uuid, '\x' || repeat(nonce, 12))
$$;
create function pg_temp.finish(lease text, valid_seconds integer default 60, failure jsonb default null) returns boolean language sql as $$
  select public.end_token_refresh(
    test.kept('id')::uuid, lease::uuid,
    case when failure is null then jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('03', 12), 'ciphertext', '\x' || repeat('04', 20)) end,
    case when failure is null then valid_seconds end, failure
  );
$$;

select is(
  public.begin_token_refresh(gen_random_uuid(), '\x' || repeat('01', 12)), '{"state": "gone"}', 'a connection that is gone has no token'
);
select is(pg_temp.begin('09'), '{"state": "gone"}', 'a worker that has read a replaced secret gets no lease');
select test.keep('first', pg_temp.begin());
select is(test.kept('first')::jsonb - 'lease', '{"state": "leased", "token": null}', 'the first worker gets the lease');
select is(pg_temp.begin(), '{"state": "wait"}', 'all other workers wait');
select is(pg_temp.finish(gen_random_uuid()::text), false, 'without the lease no token is stored');
select is(pg_temp.finish(test.kept('first')::jsonb ->> 'lease'), true, 'with the lease a token is stored');
select is(pg_temp.begin(), '{"state": "ready"}', 'the stored token is ready for all workers');
select is(
  private.read_connection_secret(test.user_id('owner'), 'mail') -> 'token',
  jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('03', 12), 'ciphertext', '\x' || repeat('04', 20)),
  'the stored token is read with the connection'
);
select is(pg_temp.finish(test.kept('first')::jsonb ->> 'lease'), false, 'storing a token ends its lease');

select public.expire_connection_token(test.kept('id')::uuid, '\x' || repeat('05', 12));
select is(pg_temp.begin(), '{"state": "ready"}', 'a server that refuses another token changes nothing');
select public.expire_connection_token(test.kept('id')::uuid, '\x' || repeat('03', 12));
select is(private.read_connection_secret(test.user_id('owner'), 'mail') -> 'token', 'null', 'a token that a server has refused is not read any more');
select test.keep('second', pg_temp.begin());
select is(
  test.kept('second')::jsonb #>> '{token,ciphertext}', '\x' || repeat('04', 20), 'the worker with the lease gets the refused token, for its refresh token'
);

update private.connection_tokens set leased_until = now() - interval '1 second' where true;
select test.keep('third', pg_temp.begin());
select is(test.kept('third')::jsonb ->> 'state', 'leased', 'when the time of a lease is over, another worker gets the lease');
select is(pg_temp.finish(test.kept('second')::jsonb ->> 'lease'), false, 'the worker that lost its lease stores nothing');
select is(
  pg_temp.finish(test.kept('third')::jsonb ->> 'lease', failure => '{"message": "no", "is_transient": true}'), true, 'a failure ends the lease'
);
select is(pg_temp.begin(), '{"state": "failed", "message": "no", "is_transient": true}', 'all workers get the stored failure');
update private.connection_tokens set failed_until = now() - interval '1 second' where true;
select test.keep('fourth', pg_temp.begin());
select is(test.kept('fourth')::jsonb ->> 'state', 'leased', 'after a failure no worker gets a lease until some seconds have passed');

select test.create_connection(test.user_id('owner'), 'mail');
select is(pg_temp.finish(test.kept('fourth')::jsonb ->> 'lease'), false, 'a token of a replaced secret is not stored');
select is(pg_temp.begin() -> 'token', 'null', 'the refresh token of a replaced secret is not used again');

select test.sign_in(test.user_id('owner'));
select is(test.error_code('select pg_temp.begin()'), '42501', 'the owner may not get the lease');
select is(test.error_code('select from private.connection_tokens'), '42501', 'the owner may not read tokens');

select * from finish();
