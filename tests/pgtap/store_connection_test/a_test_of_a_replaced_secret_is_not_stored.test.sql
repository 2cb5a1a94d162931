select plan(5);

select test.create_user('owner');
select test.keep('id', test.create_connection(test.user_id('owner'), 'mail'));
select test.keep('nonce', (select nonce from private.connection_secrets));

create function pg_temp.last_test() returns text language sql as $$
  select format('%s %s', last_tested_at is not null, last_test_status) from public.connections;
$$;

grant execute on function pg_temp.last_test() to service_role;
select test.sign_in_as_role('service_role');
select public.store_connection_test(test.kept('id')::uuid, test.kept('nonce')::bytea, 204::smallint);
select is(pg_temp.last_test(), 't 204', 'the time and the status of a test are stored');
select public.store_connection_test(test.kept('id')::uuid, test.kept('nonce')::bytea, null);
select is(pg_temp.last_test(), 't ', 'the time of a test without an answer is stored');
select is(
  test.error(format('select public.store_connection_test(%L, %L, 99::smallint)', test.kept('id'), test.kept('nonce')))
    ->> 'constraint', 'connections_last_test_status_of_test', 'a status that HTTP does not have is refused'
);

select public.store_connection(
  jsonb_build_object(
    'id', test.kept('id'), 'user_id', test.user_id('owner'), 'name', 'mail', 'kind', 'bearer', 'hosts', '["a.example"]'::jsonb
  ),
  jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('07', 12), 'ciphertext', '\x' || repeat('02', 17))
);
select is(pg_temp.last_test(), 'f ', 'a new secret is untested');
select public.store_connection_test(test.kept('id')::uuid, test.kept('nonce')::bytea, 200::smallint);
select is(pg_temp.last_test(), 'f ', 'a test of the former secret does not count for the new one');

select * from finish();
