select plan(22);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
create function pg_temp.error_of(call text) returns text language sql as $$
  select test.error_code('select public.' || call);
$$;
grant execute on function pg_temp.error_of(text) to public;

select test.sign_in(test.user_id('owner'));
select lives_ok($$ select public.create_kv_store('settings') $$, 'a user creates a store');
select is(pg_temp.error_of($$ create_kv_store('settings') $$), 'kv_store_exists', 'a user can''t create the same store twice');
select is(pg_temp.error_of(format('create_kv_store(%L)', name)), 'kv_store_name_invalid', 'a store can not have the name ' || coalesce(name, 'null'))
from unnest(array['', '1a', 'a b', repeat('a', 121), null]) as name;

select is(public.write_kv_item('settings', 'k', '{"S": "one"}'), '{}', 'the first value replaces no value');
select is(public.write_kv_item('settings', 'k', '{"U": "2"}'), '{"old_value": {"S": "one"}}', 'a second value returns the first one');
select is(public.read_kv_item('settings', 'k'), '{"value": {"U": "2"}}', 'the stored value can be read');
select is(pg_temp.error_of(format('write_kv_item(%L, %L, %L)', 'settings', key, '{"N": 0}')), 'kv_key_invalid', 'a key of this length is refused')
from unnest(array['', repeat('a', 1025), null]) as key;
select is(pg_temp.error_of($$ write_kv_item('settings', 'k', '{"S": 1}') $$), 'kv_value_invalid', 'an invalid value is refused');
select is(pg_temp.error_of($$ read_kv_item('settings', 'K') $$), 'kv_item_not_found', 'another key has no item');
select is(pg_temp.error_of($$ write_kv_item('Settings', 'k', '{"N": 0}') $$), 'kv_store_not_found', 'a store with another name does not exist');

select test.sign_in(test.user_id('other'));
select is(pg_temp.error_of($$ read_kv_item('settings', 'k') $$), 'kv_store_not_found', 'a store of another user does not exist for the caller');
select test.sign_in(test.user_id('owner'));
select is(public.delete_kv_item('settings', 'k'), '{"old_value": {"U": "2"}}', 'deleting an item returns its value');
select is(pg_temp.error_of($$ delete_kv_item('settings', 'k') $$), 'kv_item_not_found', 'an item can be deleted only once');
select lives_ok($$ select public.delete_kv_store('settings') $$, 'a store is deleted');
select is(pg_temp.error_of($$ delete_kv_store('settings') $$), 'kv_store_not_found', 'a store can be deleted only once');
select test.sign_in_as_role('anon');
select is(pg_temp.error_of($$ create_kv_store('settings') $$), 'unauthenticated', 'a caller who is not a user can not create a store');

select * from finish();
