select plan(8);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('own', test.create_run(test.kept('flow')::integer, started_by => test.user_id('owner')));
select test.keep('started', test.create_run(test.kept('flow')::integer, started_by => test.user_id('starter')));
select test.keep('unsigned', test.create_run(test.kept('flow')::integer));
-- Insert a run that the starter's run called. The row of the called run also has the starter's id.
insert into public.flow_run (
  user_id, flow_id, started_by, inputs, chain_network, status, start_time, parent_flow_run_id, parent_node_id, parent_times
)
select r.user_id, r.flow_id, r.started_by, r.inputs, r.chain_network, 'running', now(), r.id, gen_random_uuid(), 0
from public.flow_run as r where r.id = test.kept('started')::uuid;

create temporary view seen with (security_invoker = true) as select id from public.flow_run;
create function pg_temp.allowed() returns setof uuid language sql stable security definer as $$
  select r.id from public.flow_run as r where private.may_see_run(r, private.caller());
$$;
grant select on seen to public;
grant execute on function pg_temp.allowed() to public;
create function pg_temp.show(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
$$;
grant execute on function pg_temp.show(text) to public;
select test.keep('token', private.run_token(test.kept('unsigned')::uuid));
select test.keep('token_of_started', private.run_token(test.kept('started')::uuid));

select test.sign_in(test.user_id('owner'));
select set_eq('select id from seen', 'select pg_temp.allowed()', 'for the owner, the policies allow the same runs as the function');
select is(test.row_count('select pg_temp.allowed()'), 4::bigint, 'the owner sees all runs');
select test.sign_in(test.user_id('starter'));
select set_eq('select id from seen', 'select pg_temp.allowed()', 'for the starter, the policies allow the same runs as the function');
select test.sign_in(test.user_id('other'));
select is_empty('select pg_temp.allowed()', 'another user sees no run');
select pg_temp.show(test.kept('token'));
select set_eq('select id from seen', 'select pg_temp.allowed()', 'for another user with a token, the policies allow the same runs as the function');
select test.sign_in_as_role('anon');
select set_eq('select id from seen', 'select pg_temp.allowed()', 'for a caller with a token, the policies allow the same runs as the function');
select is(test.row_count('select pg_temp.allowed()'), 1::bigint, 'the holder of a token sees its run');
select pg_temp.show(test.kept('token_of_started'));
select set_eq('select pg_temp.allowed()', array[test.kept('started')]::uuid[], 'the starter sees the started run but not the runs that it called');

select * from finish();
