select plan(5);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));
select test.keep('before', to_jsonb(d)) from public.flow_deployments as d;

select is(
  test.kept('before')::jsonb - '{id,created_at,user_id,entrypoint,snapshot_hash,input_names,typed_inputs}'::text[],
  '{
    "name": "", "description": "", "icon_url": null, "start_permission": "Owner", "output_instructions": false, "action_identity": null, "fees": [],
    "chain_network": {"url": "https://api.devnet.solana.com", "cluster": "devnet"},
    "max_starts_per_minute": null, "max_runs_in_flight": null, "on_end": null,
    "queue_key": null, "queue_key_shared": false, "max_running_per_key": null, "max_starts_per_key": null, "key_period_seconds": null, "debounce_seconds": null, "debounce_max_seconds": null, "model_limits": null
  }',
  'a deployment of a default flow has these settings'
);

select is(
  test.row_count($$
    update public.flow_deployments
    set
      name = 'Shop', description = 'Pays.', icon_url = 'https://a.example/i.png', start_permission = 'Anonymous', output_instructions = true, action_identity = 'So11111111111111111111111111111111111111112',
      fees = '[["11111111111111111111111111111111", 5000]]',
      chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}',
      max_starts_per_minute = 60, max_runs_in_flight = 0, on_end = '{"url": "https://a.example/hook", "events": ["failed"]}',
      queue_key = 'caller', queue_key_shared = true, max_running_per_key = 1, max_starts_per_key = 2, key_period_seconds = 3,
      model_limits = '{"run_tokens": 7, "day_tokens": 8}'
    where true
  $$), 1::bigint, 'the owner can change all settings'
);
select is(
  to_jsonb(d) - '{id,created_at,user_id,entrypoint,snapshot_hash,input_names,typed_inputs}'::text[],
  '{
    "name": "Shop", "description": "Pays.", "icon_url": "https://a.example/i.png", "start_permission": "Anonymous", "output_instructions": true, "action_identity": "So11111111111111111111111111111111111111112",
    "fees": [["11111111111111111111111111111111", 5000]],
    "chain_network": {"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"},
    "max_starts_per_minute": 60, "max_runs_in_flight": 0, "on_end": {"url": "https://a.example/hook", "events": ["failed"]},
    "queue_key": "caller", "queue_key_shared": true, "max_running_per_key": 1, "max_starts_per_key": 2, "key_period_seconds": 3, "debounce_seconds": null, "debounce_max_seconds": null,
    "model_limits": {"run_tokens": 7, "day_tokens": 8}
  }',
  'the owner reads the changed settings'
)
from public.flow_deployments as d;

update public.flow_deployments
set queue_key_shared = false, max_starts_per_key = null, key_period_seconds = null, debounce_seconds = 4, debounce_max_seconds = 5
where true;
select is(array[d.debounce_seconds, d.debounce_max_seconds], '{4,5}', 'debouncing excludes some of these settings')
from public.flow_deployments as d;

update public.flow_deployments as d
set (
    name, description, icon_url, start_permission, output_instructions, action_identity, fees, chain_network, max_starts_per_minute,
    max_runs_in_flight, on_end, queue_key, queue_key_shared, max_running_per_key, max_starts_per_key, key_period_seconds,
    debounce_seconds, debounce_max_seconds, model_limits
  ) = (select r.name, r.description, r.icon_url, r.start_permission, r.output_instructions, r.action_identity, r.fees, r.chain_network, r.max_starts_per_minute, r.max_runs_in_flight, r.on_end, r.queue_key, r.queue_key_shared, r.max_running_per_key, r.max_starts_per_key, r.key_period_seconds, r.debounce_seconds, r.debounce_max_seconds, r.model_limits
    from jsonb_populate_record(d, test.kept('before')::jsonb) as r)
where true;
select is(to_jsonb(d), test.kept('before')::jsonb, 'the owner can set all settings back') from public.flow_deployments as d;

select * from finish();
