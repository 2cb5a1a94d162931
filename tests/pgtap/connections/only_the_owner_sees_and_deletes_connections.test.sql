select plan(16);

select test.create_user('owner');
select test.create_user('other');
select test.keep('id', test.create_connection(test.user_id('owner'), 'mail'));
select test.create_connection(test.user_id('other'), 'mail');

select test.sign_in(test.user_id('owner'));
select results_eq(
  'select name, kind, hosts, last_used_at from public.connections',
  $$ values ('mail', 'bearer', '{api.example.com}'::text[], null::timestamptz) $$, 'the owner sees only their own connections'
);
select is(
  test.error_code($$ insert into public.connections (id, user_id, name, kind, hosts)
    values (gen_random_uuid(), auth.uid(), 'new', 'bearer', '{a.example}') $$), '42501', 'the owner may not insert a connection'
);
select is(
  test.error_code($$ update public.connections set hosts = '{evil.example}' where true $$), '42501', 'the owner may not update a connection'
);
select is(test.error_code(statement), '42501', 'the owner may not ' || left(statement, 40))
from (values
  ('select from private.connection_secrets'), ('select public.store_connection(''{}'', ''{}'')'),
  ('select public.connection_id_to_store(auth.uid(), ''mail'')'), ('select public.read_connection_secret(auth.uid(), ''mail'')'),
  ('select public.read_claimed_connection(''{}'', ''mail'')'),
  ('select public.store_connection_test(gen_random_uuid(), ''\x'', null)')
) as s (statement);

select test.sign_in(test.user_id('other'));
select is(
  test.row_count(format('delete from public.connections where id = %L', test.kept('id'))), 0::bigint,
  'another user can''t delete the connection'
);
select test.sign_in_as_role('anon');
select is(test.error_code('select from public.connections'), '42501', 'anon sees no connections');

select test.sign_in_as_role('service_role');
select is(test.error_code('select from private.connection_secrets'), '42501', 'the service role reads no secrets');
select is(
  test.error_code($$ update public.connections set hosts = '{evil.example}' where true $$), '42501',
  'the service role may not update connections'
);

select test.sign_in(test.user_id('owner'));
select is(test.row_count('delete from public.connections'), 1::bigint, 'the owner can delete the connection');
select test.sign_out();
select is(count(*), 1::bigint, 'the secret of a deleted connection is deleted') from private.connection_secrets;
delete from auth.users where id = test.user_id('other');
select is(count(*), 0::bigint, 'the secrets of a deleted user are deleted') from private.connection_secrets;

select * from finish();
