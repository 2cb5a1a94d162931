select plan(10);

select test.create_user('owner');
insert into public.kv_stores (user_id, name) values (test.user_id('owner'), 'first'), (test.user_id('owner'), 'second');
select test.keep('run', test.claimed_run(test.user_id('owner')));
-- Makes a statement that writes an item whose key and value, {"S": "…"}, together have exactly this number of bytes.
create function pg_temp.writing(key text, bytes integer) returns text language sql as $$
  select format(
    'select public.kv_write_item(%L, %L, ''second'', %L, jsonb_build_object(''S'', repeat(''x'', %s)))', jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1),
    test.begin_node(test.kept('run')::uuid, gen_random_uuid()::text), key,
    bytes - octet_length(key) - 9
  );
$$;
create function pg_temp.item_bytes() returns bigint language sql security definer as 'select item_bytes from private.kv_usage';

insert into public.kv_items (user_id, store, key, value)
select test.user_id('owner'), 'first', to_char(n, 'FM000'), jsonb_build_object('S', repeat('x', 10485760 - 3 - 9)) from generate_series(1, 9) as n;
grant execute on function pg_temp.writing(text, integer), pg_temp.item_bytes() to public;
select test.sign_in_as_role('service_role');
select is(pg_temp.item_bytes(), 94371840::bigint, 'nine items of 10 MiB are stored');
select is(
  test.error(pg_temp.writing('last', 10485761)) - 'message',
  '{
    "code": "kv_size_limit", "status": 413, "details": {"size_bytes": 104857601},
    "hint": "Delete a store that is not needed any more, or write smaller values."
  }',
  'an item that is one byte too large is refused'
);
select is(test.error(pg_temp.writing('last', 10485760)), null, 'a tenth item of 10 MiB is accepted');
select is(pg_temp.item_bytes(), 104857600::bigint, 'the items have exactly 100 MiB');
select is(test.error_code(pg_temp.writing('a', 10)), 'kv_size_limit', 'at the limit, an item of any size is refused');
select is(test.error_code(pg_temp.writing('last', 10485761)), 'kv_size_limit', 'at the limit, an item may not grow');
select is(test.error_code(pg_temp.writing('last', 10485750)), null, 'at the limit, an item may shrink');
select is(test.error_code(pg_temp.writing('a', 10)), null, 'after an item has become smaller, a small item is accepted');
select is(pg_temp.item_bytes(), 104857600::bigint, 'the items have exactly 100 MiB again');

select test.sign_out();
delete from public.kv_stores where name = 'first';
select is(pg_temp.item_bytes(), 10485760::bigint, 'the items of a deleted store do not count any more');

select * from finish();
