select plan(6);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('key', public.create_api_key('a') ->> 'id');
create function pg_temp.delete_key(id uuid default test.kept('key')::uuid) returns text language sql as $$
  select test.error_code(format('select public.delete_api_key(%L)', id));
$$;
grant execute on function pg_temp.delete_key(uuid) to public;

select test.sign_in_as_role('anon');
select is(pg_temp.delete_key(), 'unauthenticated', 'a caller who is not a user can not delete a key');
select is(pg_temp.delete_key(gen_random_uuid()), 'unauthenticated', 'a caller who is not a user does not learn whether the key exists');
select test.sign_in(test.user_id('other'));
select is(pg_temp.delete_key(), 'api_key_not_found', 'for other users the key does not exist');
select test.sign_in(test.user_id('owner'));
select lives_ok(format('select public.delete_api_key(%L)', test.kept('key')), 'the owner can delete the key');
select is_empty('select from public.api_keys', 'the key is deleted');
select is(pg_temp.delete_key(), 'api_key_not_found', 'a deleted key does not exist any more');

select * from finish();
