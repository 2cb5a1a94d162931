select plan(5);

select test.create_user('owner');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select public.start_deployment(id => test.kept('deployment')::uuid);
update public.flow_deployments
set
  output_instructions = true, action_identity = 'So11111111111111111111111111111111111111112',
  fees = '[
    ["So11111111111111111111111111111111111111112", 18446744073709551615], ["11111111111111111111111111111111", 0],
    ["11111111111111111111111111111111", 9007199254740993]
  ]',
  chain_network = '{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}'
where true;
select public.start_deployment(id => test.kept('deployment')::uuid, action_signer => '11111111111111111111111111111111');

select test.sign_in_as_role('service_role');
create temporary table claimed as select flow_run_id, settings from public.claim_flow_runs(10, 60);
select ok(
  settings @> '{
    "output_instructions": false, "action_identity": null, "action_signer": null, "fees": [],
    "chain_network": {"url": "https://api.devnet.solana.com", "cluster": "devnet"}
  }',
  'a run of a default flow has these settings'
)
from claimed order by flow_run_id limit 1;
select ok(
  settings @> '{
    "output_instructions": true, "action_identity": "So11111111111111111111111111111111111111112",
    "action_signer": "11111111111111111111111111111111",
    "chain_network": {"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}
  }',
  'another run has the settings of its start, with the address of its network'
)
from claimed order by flow_run_id desc limit 1;
select is(
  settings -> 'fees',
  '[
    ["So11111111111111111111111111111111111111112", "18446744073709551615"], ["11111111111111111111111111111111", "0"],
    ["11111111111111111111111111111111", "9007199254740993"]
  ]',
  'fees keep their order, and amounts are texts with all digits'
)
from claimed order by flow_run_id desc limit 1;

select test.sign_in(test.user_id('owner'));
select is_empty(
  $$ select from public.flow_run where to_jsonb(flow_run)::text like '%secret%' $$, 'readers of the run don''t see the address'
);
select is(fees #>> '{0,1}', '18446744073709551615', 'on the run amounts are integers') from public.flow_run order by id desc limit 1;

select * from finish();
