select plan(13);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.sign_out();
update public.flow_deployments as d set name = 'Shop', icon_url = 'https://shop.example/icon.png'
where d.id = test.kept('deployment')::uuid;
select test.keep('run', test.create_run(test.kept('flow')::integer, deployment_id => test.kept('deployment')::uuid));
insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
values (test.kept('run')::uuid, test.user_id('owner'), '\x', '{"chain_network": {"url": "https://rpc.example/?key=secret"}}');
update public.flow_run as r
set output_instructions = true, status = 'succeeded', start_time = now(), end_time = now(),
  output = '{"M": {"transaction": {"S": "AQ=="}}}', chain_network = '{"cluster": "devnet"}'
where r.id = test.kept('run')::uuid;
select test.keep('token', private.run_token(test.kept('run')::uuid));

create function pg_temp.show(token text) returns void language sql as $$
  select set_config('request.headers', json_build_object('x-flow-run-token', token)::text, true);
$$;
grant execute on function pg_temp.show(text) to public;
create function pg_temp.refused() returns text language sql as $$
  select test.error('select public.begin_action_lookup()') ->> 'code';
$$;
grant execute on function pg_temp.refused() to public;

select test.sign_in_as_role('service_role');
select is(pg_temp.refused(), 'flow_run_not_found', 'without a token the run is not found');
select pg_temp.show(test.kept('token'));
select is(
  public.begin_action_lookup() - 'owner_id' - 'caller',
  '{"chain_url": "https://rpc.example/?key=secret", "cluster": "devnet", "transaction": "AQ==", "name": "Shop", "icon_url": "https://shop.example/icon.png"}',
  'with the token the answer has the data that a look-up needs'
);
select is(
  public.begin_action_lookup() -> 'owner_id', to_jsonb(test.user_id('owner')), 'the answer names the owner, because owners take turns'
);
select is(public.begin_action_lookup() ->> 'caller', test.kept('run'), 'if no user started the run, the caller is the run itself');
select test.sign_out();
update public.flow_run set started_by_public_key = 'So11111111111111111111111111111111111111112' where id = test.kept('run')::uuid;
select test.sign_in_as_role('service_role');
select pg_temp.show(test.kept('token'));
select is(
  public.begin_action_lookup() ->> 'caller', 'So11111111111111111111111111111111111111112', 'the caller is the starter of the run'
);
select test.sign_in_as_role('anon');
select is(test.error_code('select public.begin_action_lookup()'), '42501', 'only the service role may read the address');
select test.sign_in(test.user_id('owner'));
select is(test.error_code('select public.begin_action_lookup()'), '42501', 'the owner may not call the function, either');

select test.sign_out();
select lives_ok(format('delete from public.flow_deployments where id = %L', test.kept('deployment')), 'the deployment can be deleted');
select is(
  public.begin_action_lookup() - 'chain_url' - 'cluster' - 'owner_id' - 'caller',
  '{"transaction": "AQ==", "name": null, "icon_url": null}', 'runs of a deleted deployment can still be looked up'
);

create function pg_temp.refused_with(columns text) returns text language plpgsql as $$
begin
  execute format('update public.flow_run set %s where id = %L', columns, test.kept('run'));
  return pg_temp.refused();
end;
$$;
select is(pg_temp.refused_with($$output = '{"M": {}}'$$), 'flow_run_not_found', 'a run without a transaction has none to look up');
select is(
  pg_temp.refused_with($$output = '{"M": {"transaction": {"S": "AQ=="}}}', output_instructions = false$$), 'flow_run_not_found',
  'a run that output a text of its own has no transaction'
);
select is(
  pg_temp.refused_with($$output_instructions = true, status = 'failed', errors = '{x}'$$), 'flow_run_not_found',
  'a failed run has no transaction'
);
select is(
  pg_temp.refused_with($$status = 'succeeded', errors = null, deployment_id = null$$), 'flow_run_not_found',
  'a run without output_instructions has no transaction'
);

select * from finish();
