select plan(3);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();
create function pg_temp.sent_run() returns text language plpgsql as $$
declare
  v_id uuid := test.create_run(test.kept('flow')::integer, deployment_id => test.kept('deployment')::uuid);
begin
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
  values (v_id, test.user_id('owner'), '\x', '{"chain_network": {"url": "https://rpc.example"}}');
  update public.flow_run as r
  set output_instructions = true, status = 'succeeded', start_time = now(), end_time = now(),
    output = '{"M": {"transaction": {"S": "AQ=="}}}'
  where r.id = v_id;
  return private.run_token(v_id);
end;
$$;
create function pg_temp.show(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
$$;

select pg_temp.show(pg_temp.sent_run());
select is(count(public.begin_action_lookup()), 20::bigint, 'a run may make twenty look-ups') from generate_series(1, 20);
select is(
  test.error('select public.begin_action_lookup()') - 'message' - 'hint' - 'details',
  '{"code": "action_lookups_limit", "status": 429}', 'the next look-up is refused'
);
select pg_temp.show(pg_temp.sent_run());
select lives_ok('select public.begin_action_lookup()', 'another run has a limit of its own');

select * from finish();
