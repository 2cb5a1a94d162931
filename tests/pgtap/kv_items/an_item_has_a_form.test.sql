select plan(25);

select test.create_user('owner');
insert into public.kv_stores (user_id, name) values (test.user_id('owner'), 'mine');
select test.keep('run', test.claimed_run(test.user_id('owner')));
create function pg_temp.writing(key text, value jsonb, store text default 'mine') returns text language sql as $$
  select format(
    'select public.kv_write_item(%L, %L, %L, %L, %L)', jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1),
    test.begin_node(test.kept('run')::uuid, gen_random_uuid()::text), store, key, value
  );
$$;
grant execute on function pg_temp.writing(text, jsonb, text) to public;
select test.sign_in_as_role('service_role');

select is(test.error(pg_temp.writing(key, '{"N": 0}')), null, format('%s is a key', to_jsonb(left(key, 20))))
from (values ('a'), (' '), ('/'), (E'\n'), ('🦀'), (repeat('a', 1024)), (repeat('ä', 512))) as good (key);
select is(
  test.error(pg_temp.writing(key, '{"N": 0}')),
  '{"code": "kv_key_invalid", "status": 400, "message": "A key must have 1 to 1024 bytes.", "details": null, "hint": null}',
  format('%s is not a key', to_jsonb(left(key, 20)))
)
from (values (''), (repeat('a', 1025)), (repeat('ä', 512) || 'a')) as bad (key);

select is(test.error(pg_temp.writing('value', value)), null, format('%s is a value', value))
from (values
  ('{"N": 0}'::jsonb), ('{"S": ""}'), ('{"B": false}'), ('{"A": [{"U": "1"}, {"M": {"": {"S": "x"}}}]}'), ('{"M": {}}')
) as good (value);
select is(
  test.error(pg_temp.writing('value', value)) - 'hint',
  jsonb_build_object('code', 'kv_value_invalid', 'status', 400, 'message', message, 'details', null), format('%s is not a value', value)
)
from (values
  ('null'::jsonb, 'value: must be an object with exactly one tag, such as {"S": "text"}'),
  ('"text"', 'value: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{}', 'value: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"S": "x", "N": 0}', 'value: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"A": [{"S": 1}]}', 'value.A[0].S: must be a string')
) as bad (value, message);
select is(
  test.error_code(pg_temp.writing('deep', (repeat('{"A":[', 64) || '{"N":0}' || repeat(']}', 64))::jsonb)), 'kv_value_invalid',
  'a value may have at most 64 levels'
);
select is(
  test.error_code(pg_temp.writing('deep', (repeat('{"A":[', 63) || '{"N":0}' || repeat(']}', 63))::jsonb)), null, 'a value with 64 levels is accepted'
);
select is(
  test.error(pg_temp.writing('key', '{"N": 0}', 'other')),
  '{"code": "kv_store_not_found", "status": 404, "message": "There is no store \"other\".", "details": null, "hint": null}',
  'an item needs an existing store'
);
select is(test.error_code(pg_temp.writing('key', '{"N": 0}', 'MINE')), 'kv_store_not_found', 'the name of a store is case-sensitive');
select is(count(*), 9::bigint, 'refused items are not stored') from public.kv_items;

select * from finish();
