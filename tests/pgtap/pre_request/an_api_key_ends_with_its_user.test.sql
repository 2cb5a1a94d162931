select plan(5);

select test.create_user('owner');
select test.keep('owner', test.user_id('owner'));
select test.sign_in(test.kept('owner')::uuid);
select test.keep('key', public.create_api_key('test') ->> 'key');
select test.sign_out();

-- Returns the id of the user for whom a request with this API key acts, or the code of the error.
create function pg_temp.acts_as() returns text language plpgsql as $$
declare
  v_user_id uuid;
begin
  perform set_config('request.headers', json_build_object('x-api-key', test.kept('key'))::text, true);
  perform set_config('role', 'anon', true);
  perform private.pre_request();
  v_user_id := auth.uid();
  perform test.sign_out();
  return v_user_id;
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;

select is(pg_temp.acts_as(), test.kept('owner'), 'the holder of the key acts as its owner');
update auth.users set banned_until = now() + interval '1 hour' where id = test.kept('owner')::uuid;
select is(pg_temp.acts_as(), 'api_key_invalid', 'the key is refused while its owner is banned');
update auth.users set banned_until = now() - interval '1 second' where id = test.kept('owner')::uuid;
select is(pg_temp.acts_as(), test.kept('owner'), 'after the ban the holder acts as the owner again');
update auth.users set deleted_at = now() where id = test.kept('owner')::uuid;
select is(pg_temp.acts_as(), 'api_key_invalid', 'the key is refused after its owner is deleted, even if Auth keeps the row');
delete from auth.users where id = test.kept('owner')::uuid;
select is(pg_temp.acts_as(), 'api_key_invalid', 'the key is refused when the row of its owner is deleted');

select * from finish();
