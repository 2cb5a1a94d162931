select plan(39);

select test.create_user('owner');
select test.keep('user_id', test.user_id('owner'));
select test.sign_in_as_role('service_role');

create function pg_temp.storing(changes jsonb, secret jsonb default '{}') returns text language sql as $$
  select format('select public.store_connection(%L, %L)',
    jsonb_build_object(
      'id', gen_random_uuid(), 'user_id', test.kept('user_id'), 'name', gen_random_uuid(), 'kind', 'bearer', 'hosts', '["a.example"]'::jsonb
    ) || changes,
    jsonb_build_object('key_id', 'test', 'nonce', '\x' || repeat('01', 12), 'ciphertext', '\x' || repeat('02', 17)) || secret);
$$;

select is(test.error(pg_temp.storing(changes)), null, format('%s is stored', left(changes::text, 80)))
from unnest(array[
  '{}', '{"kind": "basic"}', '{"kind": "header", "header": "x-api-key"}', '{"kind": "query", "parameter": "key"}',
  '{"hosts": ["a.example:8443/v1/x", "[::1]:80", "127.0.0.1", "xn--bcher-kva.example"]}'
]::jsonb[]) as changes;
select is(
  test.error(pg_temp.storing(changes)) ->> 'constraint', 'connections_' || rule,
  format('%s is refused', left(changes::text, 80))
)
from (values
  (jsonb '{"name": ""}', 'name_length'), (jsonb_build_object('name', repeat('a', 201)), 'name_length'),
  ('{"kind": "other"}', 'kind_known'), ('{"hosts": []}', 'hosts_valid'),
  (jsonb_build_object('hosts', array_fill('a.example'::text, array[21])), 'hosts_valid'),
  (jsonb_build_object('hosts', array['a.example/' || repeat('a', 300)]), 'hosts_valid'),
  ('{"hosts": [null]}', 'hosts_valid'), ('{"hosts": [["a.example"], ["b.example"]]}', 'hosts_valid'),
  ('{"hosts": ["a.example", "A.example"]}', 'hosts_valid'), ('{"hosts": ["*.example"]}', 'hosts_valid'),
  ('{"hosts": ["https://a.example"]}', 'hosts_valid'), ('{"hosts": ["u@a.example"]}', 'hosts_valid'),
  ('{"hosts": ["a.example/v1/../x"]}', 'hosts_valid'), ('{"hosts": ["a.example/.."]}', 'hosts_valid'),
  ('{"hosts": ["a.example/%76"]}', 'hosts_valid'), ('{"hosts": ["a.example//x"]}', 'hosts_valid'),
  ('{"hosts": ["a.example:0"]}', 'hosts_valid'), ('{"hosts": ["a.example?x"]}', 'hosts_valid'),
  ('{"hosts": ["a.example\n"]}', 'hosts_valid'),
  ('{"kind": "header"}', 'header_of_kind'), ('{"kind": "header", "header": "X-Key"}', 'header_of_kind'),
  ('{"kind": "header", "header": "x: y"}', 'header_of_kind'), ('{"header": "x-key"}', 'header_of_kind'),
  ('{"kind": "query"}', 'parameter_of_kind'), ('{"kind": "query", "parameter": ""}', 'parameter_of_kind'),
  ('{"parameter": "key"}', 'parameter_of_kind')
) as bad (changes, rule);
select is(
  test.error(pg_temp.storing('{}', secret)) ->> 'constraint', 'connection_secrets_' || rule, format('%s is refused', rule)
)
from (values
  ('{"key_id": "1"}', 'key_id_form'), ('{"nonce": "\\x01"}', 'nonce_length'),
  (jsonb_build_object('ciphertext', '\x' || repeat('02', 16)), 'ciphertext_length'),
  (jsonb_build_object('ciphertext', '\x' || repeat('02', 8192 + 17)), 'ciphertext_length')
) as bad (secret, rule);
select is(
  test.error_code(pg_temp.storing('{}', jsonb_build_object('ciphertext', null))), '23502', 'no connection is stored without a secret'
);

select test.keep('stored', public.connection_id_to_store(test.kept('user_id')::uuid, 'mail'));
select is(
  test.error_code(pg_temp.storing(jsonb_build_object('id', test.kept('stored'), 'name', 'mail'))), null, 'storing the same name again succeeds'
);
select is(
  test.error_code(pg_temp.storing('{"name": "mail"}')), 'connection_changed',
  'a secret that was encrypted for another id does not replace the stored secret'
);
select is(
  public.connection_id_to_store(test.kept('user_id')::uuid, 'mail')::text, test.kept('stored'), 'the connection keeps its id'
);

select * from finish();
