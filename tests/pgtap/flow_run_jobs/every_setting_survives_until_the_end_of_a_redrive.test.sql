-- Here, each setting of a run has a value that is not the default. If private.run_settings gets a new setting, this
-- test fails until the deployment below gives the new setting such a value.
select plan(8);

select test.create_user('owner'), test.create_user('starter');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.create_connection(test.user_id('owner'), 'mail');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('h', 'http_request', '{body}', '{url}', '{"url": "https://api.example.com", "connection": "mail"}')
)));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set start_permission = 'Authenticated', output_instructions = true,
  action_identity = 'So11111111111111111111111111111111111111112',
  fees = '[["11111111111111111111111111111111", 7]]',
  chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}',
  on_end = '{"url": "https://example.com/told", "events": ["failed"]}',
  queue_key = 'caller', queue_key_shared = true, max_running_per_key = 5,
  model_limits = '{"day_tokens": 7}'
where true;
select test.sign_out();
select test.keep('settings', private.run_settings(d) || '{"action_signer": "11111111111111111111111111111111"}')
from public.flow_deployments as d;

create temporary table defaults as
select private.run_settings(jsonb_populate_record(
  null::public.flow_deployments, '{"chain_network": {"url": "https://api.devnet.solana.com", "cluster": "devnet"}}'
)) as settings;
select is_empty(
  $$ select s.key from defaults as d cross join jsonb_each(d.settings) as s
    where test.kept('settings')::jsonb -> s.key is not distinct from s.value $$,
  'each setting here differs from that of a run without a deployment'
);

create function pg_temp.claim() returns jsonb language plpgsql volatile as $$
declare
  v_settings jsonb;
begin
  perform test.sign_in_as_role('service_role');
  select c.settings into v_settings from public.claim_flow_runs(1, 60) as c;
  perform test.sign_out();
  return v_settings;
end;
$$;
create function pg_temp.settings_of(run text) returns jsonb language sql stable as
  'select j.settings from private.flow_run_jobs as j where j.flow_run_id = test.kept($1)::uuid';

select test.sign_in(test.user_id('starter'));
select test.keep('run', public.start_deployment(
  id => test.kept('deployment')::uuid, action_signer => '11111111111111111111111111111111'
) ->> 'flow_run_id');
select test.sign_out();
select is(pg_temp.settings_of('run'), test.kept('settings')::jsonb, 'a start copies all settings');
select is(pg_temp.claim(), test.kept('settings')::jsonb, 'a claim returns all settings');

-- A called run has no job of its own. The worker that holds the claim of the root run executes it.
select test.keep('called', gen_random_uuid());
insert into public.flow_run (id, user_id, flow_id, inputs, chain_network, parent_flow_run_id, parent_node_id, parent_times)
select test.kept('called')::uuid, r.user_id, r.flow_id, '{"M": {}}', r.chain_network, r.id, gen_random_uuid(), 0
from public.flow_run as r where r.id = test.kept('run')::uuid;
select is(pg_temp.settings_of('called'), null, 'a called run has the settings of its root');

-- The deployment changes, and is deleted.
update public.flow_deployments set output_instructions = false, action_identity = null, fees = '[]', on_end = null where true;
delete from public.flow_deployments where true;
select private.end_flow_run(test.kept('run')::uuid, 'failed', errors => '{x}');
select test.sign_in(test.user_id('owner'));
select test.keep('redrive', public.redrive_flow_run(test.kept('called')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(pg_temp.settings_of('redrive'), test.kept('settings')::jsonb, 'a redrive, requested by the called run, keeps all settings');
select is(pg_temp.claim(), test.kept('settings')::jsonb, 'the claim of the redrive returns all settings');
select is(
  (select array_agg(w.url) from public.webhook_deliveries as w), array['https://example.com/told'], 'the message about the end goes to the address of the first run'
);

select test.sign_in(test.user_id('owner'));
select test.keep('own', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select is(
  pg_temp.settings_of('own') - 'action_signer',
  (select d.settings || jsonb_build_object('connections', test.kept('settings')::jsonb -> 'connections') from defaults as d),
  'a run without a deployment has the defaults, and the connections that its nodes name'
);

select * from finish();
