select plan(9);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('run', test.create_run(test.kept('flow')::integer));
select test.create_run(test.kept('flow')::integer);
select test.keep('token', private.run_token(test.kept('run')::uuid));

create temporary view seen with (security_invoker = true) as select id from public.flow_run;
grant select on seen to public;
create function pg_temp.show(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
$$;
grant execute on function pg_temp.show(text) to public;

select test.sign_in_as_role('anon');
select is_empty('select id from seen', 'without a token anon sees no run');
select pg_temp.show(test.kept('token'));
select set_eq('select id from seen', array[test.kept('run')]::uuid[], 'anon with a token sees only the run of the token');
select is(
  test.error_code(format('update public.flow_run set inputs = %L where true', '{"M": {}}')), '42501', 'anon with a token may not change the run'
);
select is(test.error_code('select from public.node_run'), '42501', 'the holder of the token can not read node runs');

select test.sign_in(test.user_id('other'));
select set_eq('select id from seen', array[test.kept('run')]::uuid[], 'another user with the token sees the run');
select is_empty('select from public.node_run', 'a user with the token sees no node runs');

select test.sign_in(test.user_id('owner'));
select is(test.row_count('select from seen'), 2::bigint, 'with the token, the owner still sees all runs');

select test.sign_in_as_role('anon');
select pg_temp.show(left(test.kept('token'), -4) || case when test.kept('token') like '%AAAA' then 'BBBB' else 'AAAA' end);
select is_empty('select id from seen', 'a forged token shows no run');
select pg_temp.show(test.kept('run'));
select is_empty('select id from seen', 'the id of the run shows no run');

select * from finish();
