select plan(13);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('key', public.create_api_key('test') ->> 'key');
select test.sign_out();
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('token', private.run_token(test.create_run(test.kept('flow')::integer)));
alter role authenticated set statement_timeout = '8s';

-- Returns the time limit that pre_request sets for a request. Before that, as in a request of PostgREST, the limit of
-- the role applies.
create function pg_temp.time_of(
  method text, path text, role text default 'authenticated', headers jsonb default '{}', before text default '8s'
) returns text language plpgsql as $$
declare
  v_time text;
begin
  perform set_config('statement_timeout', time_of.before, true), set_config('request.path', time_of.path, true);
  perform set_config('request.method', time_of.method, true);
  perform set_config('request.headers', time_of.headers::text, true), set_config('role', time_of.role, true);
  perform private.pre_request();
  v_time := current_setting('statement_timeout');
  perform test.sign_out();
  return v_time;
end;
$$;

select is(pg_temp.time_of(method, '/nodes'), '2s', method || ' of a table')
from unnest(array['GET', 'HEAD']) as method;
select is(pg_temp.time_of(method, '/nodes'), '8s', method || ' has the time limit of the role')
from unnest(array['POST', 'PATCH', 'DELETE']) as method;
select is(pg_temp.time_of('GET', '/rpc/find_flow_runs'), '8s', 'a function has the time limit of the role');
select is(
  pg_temp.time_of('GET', '/nodes', 'anon', jsonb_build_object('x-api-key', test.kept('key')), '3s'), '2s',
  'a read with an API key'
);
select is(
  pg_temp.time_of('GET', '/nodes', 'anon', jsonb_build_object('x-flow-run-token', test.kept('token')), '3s'), '2s',
  'a read with a run token'
);
select is(pg_temp.time_of('GET', '/nodes', 'anon'), '500ms', 'a read of a guest keeps its shorter time limit');
select is(pg_temp.time_of('GET', '/nodes', before => '1500ms'), '1500ms', 'a shorter time limit of the role stays');
select is(pg_temp.time_of('GET', '/nodes', before => '0'), '2s', 'a role without a time limit');
select is(pg_temp.time_of('GET', '/nodes', before => '2min'), '2s', 'a role with a time limit of minutes');
select is(pg_temp.time_of('GET', '/nodes', 'service_role'), '8s', 'the secret key has the time limit of the role');

select * from finish();
