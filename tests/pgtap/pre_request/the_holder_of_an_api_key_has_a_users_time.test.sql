select plan(1);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('key', public.create_api_key('test') ->> 'key');
select test.sign_out();

-- Returns the time limit that pre_request sets for a request. Before that, as in a request of PostgREST, the limit of
-- anon applies.
create function pg_temp.time_of(headers jsonb) returns text language plpgsql as $$
begin
  perform set_config('statement_timeout', '3s', true), set_config('request.headers', headers::text, true);
  perform set_config('role', 'anon', true);
  perform private.pre_request();
  return current_setting('statement_timeout');
end;
$$;
alter role authenticated set statement_timeout = '7s';

select is(pg_temp.time_of(jsonb_build_object('x-api-key', test.kept('key'))), '7s', 'a caller with an API key has the same time limit as a caller with an access token');

select * from finish();
