select plan(11);
select test.create_user('owner'), test.create_user('starter'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('customer', 'size'))));
update public.flow_deployments set max_running_per_key = 1, start_permission = 'Anonymous' where true;

-- Starts a run as the caller, and returns the id of its key.
create function pg_temp.key_of(starter text, customer jsonb, settings text) returns bigint language plpgsql volatile as $$
declare
  v_id uuid;
  v_key bigint;
begin
  perform test.sign_in(test.user_id('owner'));
  execute format('update public.flow_deployments set %s where true', settings);
  if length(starter) > 10 then
    perform test.sign_in_as_role('anon');
  else
    perform test.sign_in(test.user_id(starter));
  end if;
  v_id := public.start_deployment(
    id => test.kept('deployment')::uuid, public_key => case when length(starter) > 10 then starter end,
    inputs => jsonb_strip_nulls(jsonb_build_object('customer', customer))
  ) ->> 'flow_run_id';
  perform test.sign_out();
  select j.queue_key_id into v_key from private.flow_run_jobs as j where j.flow_run_id = v_id;
  return v_key;
end;
$$;
select is(
  pg_temp.key_of('owner', '{"S": "a"}', 'queue_key = null'), pg_temp.key_of('starter', '{"S": "b"}', 'queue_key = null'),
  'without queue_key, all runs share a key'
);
select is(
  pg_temp.key_of('starter', '{"S": "a"}', 'queue_key = ''caller'''), pg_temp.key_of('starter', '{"S": "b"}', 'queue_key = ''caller'''),
  'the caller is the key'
);
select isnt(
  pg_temp.key_of('starter', '{"S": "a"}', 'queue_key = ''caller'''), pg_temp.key_of('other', '{"S": "a"}', 'queue_key = ''caller'''),
  'another caller is another key'
);
select isnt(
  pg_temp.key_of('So11111111111111111111111111111111111111112', '{"S": "a"}', 'queue_key = ''caller'''),
  pg_temp.key_of('Stake11111111111111111111111111111111111111', '{"S": "a"}', 'queue_key = ''caller'''),
  'so is another public key'
);
select is(
  pg_temp.key_of('starter', '{"S": "a"}', 'queue_key = ''customer'', queue_key_shared = true'),
  pg_temp.key_of('other', '{"S": "a"}', 'queue_key = ''customer'''),
  'callers share a key of an input if the owner allows it'
);
select isnt(
  pg_temp.key_of('starter', '{"S": "a"}', 'queue_key_shared = false'), pg_temp.key_of('other', '{"S": "a"}', 'queue_key_shared = false'),
  'otherwise not'
);
select isnt(
  pg_temp.key_of('owner', '{"S": "a"}', 'queue_key = ''customer'''), pg_temp.key_of('owner', null, 'queue_key = ''customer'''),
  'a missing input is another key'
);
select is(
  pg_temp.key_of('owner', null, 'queue_key = ''customer'''), pg_temp.key_of('owner', null, 'queue_key = ''customer'''),
  'and all runs without the input share it'
);

select test.sign_in(test.user_id('owner'));
select is(
  test.error(format($$ select public.start_deployment(id => %L, inputs => %L) $$, test.kept('deployment'),
    jsonb_build_object('customer', jsonb_build_object('S', repeat('a', 1000))))) -> 'details',
  '[{"path": "inputs.customer", "message": "is the queue_key of the deployment, so its JSON must have at most 1000 characters"}]',
  'a long value is no key'
);
-- Another caller may not use too many keys. The owner may.
select test.sign_out();
insert into private.queue_keys (deployment_id, key_hash, pending, running)
select test.kept('deployment')::uuid, sha256(int4send(n)), 1, 1 from generate_series(1, 40000) as n;
select test.sign_in(test.user_id('starter'));
select is(
  test.error(format($$ select public.start_deployment(id => %L, inputs => '{"customer": {"S": "new"}}') $$, test.kept('deployment'))) -> 'details',
  '{"limit": "queue_keys", "value": 10000}', 'too many keys are refused'
);
select isnt(pg_temp.key_of('owner', '{"S": "new"}', 'queue_key = ''customer'''), null, 'but not the owner''s');
select * from finish();
