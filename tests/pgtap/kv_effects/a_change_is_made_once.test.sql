select plan(20);

select test.create_user('owner');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('claim', jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1));
create function pg_temp.begin(name text, times integer default 0) returns void language sql as $$
  select test.keep(name || times, test.begin_node(test.kept('run')::uuid, name, times));
$$;
create function pg_temp.output(name text) returns jsonb language sql as $$
  select n.output from public.node_run as n where n.node_id = test.node_id(name) and n.times = 0;
$$;
create function pg_temp.write(name text, value text, times integer default 0) returns jsonb language sql as $$
  select public.kv_write_item(
    test.kept('claim')::jsonb, test.kept(name || times)::jsonb, 'mine', 'key', jsonb_build_object('S', value)
  );
$$;
create function pg_temp.read(key text default 'key') returns jsonb language sql as $$
  select public.kv_read_item(test.kept('claim')::jsonb, 'mine', key);
$$;
select pg_temp.begin(name) from unnest('{create,create_again,write,overwrite,delete,delete_again,late}'::text[]) as name;
select pg_temp.begin('overwrite', 1);
grant execute on function pg_temp.output(text), pg_temp.write(text, text, integer), pg_temp.read(text) to public;
select test.sign_in_as_role('service_role');

select public.kv_create_store(test.kept('claim')::jsonb, test.kept('create0')::jsonb, 'mine');
select is(pg_temp.output('create'), '{"M": {}}', 'the output of creating a store is stored with the node run');
select is(
  test.error_code($$ select public.kv_create_store(test.kept('claim')::jsonb, test.kept('create0')::jsonb, 'mine') $$), null,
  'a repeated call succeeds, because the store is already created'
);
select is(
  test.error_code($$ select public.kv_create_store(test.kept('claim')::jsonb, test.kept('create_again0')::jsonb, 'mine') $$),
  'kv_store_exists', 'another execution of the node can not create the same store'
);
select is(pg_temp.output('create_again'), null, 'a refused call stores no output');

select is(pg_temp.read(), null, 'reading a missing item returns null');
select is(pg_temp.write('write', 'first'), null, 'a new item replaces nothing');
select is(pg_temp.output('write'), '{"M": {}}', 'the output of the write is stored');
select is(pg_temp.read(), '{"S": "first"}', 'the written item can be read');
select is(pg_temp.write('overwrite', 'second'), '{"S": "first"}', 'another value replaces the item');
select is(pg_temp.output('overwrite'), '{"M": {"old_value": {"S": "first"}}}', 'the output with the old value is stored');
select is(pg_temp.write('overwrite', 'second'), '{"S": "first"}', 'a repeated call gets the same answer');
select is(pg_temp.write('write', 'first'), null, 'a repeated call gets the same answer even if another node has written meanwhile');
select is(pg_temp.read(), '{"S": "second"}', 'a repeated call does not write again');
select is(pg_temp.write('overwrite', 'third', 1), '{"S": "second"}', 'another execution of the same node writes again');
select is(pg_temp.read('KEY'), null, 'upper and lower case in keys differ');

select public.kv_delete_store(test.kept('claim')::jsonb, test.kept('delete0')::jsonb, 'mine');
select is_empty('select * from public.kv_stores', 'a store is deleted');
select is(
  test.error_code($$ select public.kv_delete_store(test.kept('claim')::jsonb, test.kept('delete0')::jsonb, 'mine') $$), null,
  'a repeated call succeeds, because the store is already deleted'
);
select is(
  array[
    test.error_code($$ select public.kv_delete_store(test.kept('claim')::jsonb, test.kept('delete_again0')::jsonb, 'mine') $$),
    test.error_code($$ select pg_temp.write('late', 'x') $$), test.error_code('select pg_temp.read()')
  ], array_fill('kv_store_not_found'::text, array[3]), 'further effects do not find the deleted store'
);
select is(pg_temp.write('write', 'first'), null, 'an effect that was made before the deletion keeps its answer');
select is_empty('select * from public.kv_items', 'the item is not written again');

select * from finish();
