select plan(15);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('token', private.run_token(test.create_run(test.kept('flow')::integer)));

-- Returns the time limit that pre_request sets for a request. Before that, as in a request of PostgREST, the limit of
-- the role applies.
create function pg_temp.time_of(path text, headers jsonb default '{}', role text default 'anon') returns text language plpgsql as $$
declare
  v_time text;
begin
  perform set_config('statement_timeout', '3s', true), set_config('request.path', path, true);
  perform set_config('request.headers', headers::text, true), set_config('role', time_of.role, true);
  perform private.pre_request();
  v_time := current_setting('statement_timeout');
  perform test.sign_out();
  return v_time;
end;
$$;

select is(pg_temp.time_of(path), '500ms', path)
from unnest(array['/nodes', '/flow_run', '/', '', '/rpc/whoami', '/rpc/deploy_flow', '/start_deployment', '/rpc/start_deployment/x']) as path;
select is(pg_temp.time_of('/rpc/' || name), '3s', name || ' has the longer time limit')
from unnest(array['start_deployment', 'receive_webhook', 'read_deployment', 'flow_run_result', 'await_flow_run_result']) as name;
select is(
  pg_temp.time_of('/nodes', jsonb_build_object('x-flow-run-token', test.kept('token'))), '3s',
  'the holder of a run token has the time limit of the role'
);
select is(pg_temp.time_of('/nodes', role => 'authenticated'), '3s', 'a user has the time limit of the role');

select * from finish();
