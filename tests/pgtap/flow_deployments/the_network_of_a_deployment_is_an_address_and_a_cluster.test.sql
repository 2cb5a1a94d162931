select plan(10);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));

select is(test.error(format('update public.flow_deployments set chain_network = %L where true', value)), null, value || ' is accepted')
from (values
  ('{"url": "https://rpc.example.com/?key=secret", "cluster": "mainnet-beta"}'),
  ('{"url": "http://127.0.0.1:8899", "cluster": "testnet"}')
) as good (value);

select is(
  test.error(format('update public.flow_deployments set chain_network = %L where true', value)) ->> 'code', 'chain_network_invalid',
  value || ' is refused'
)
from (values
  ('{}'),
  ('null'),
  ('{"cluster": "devnet"}'),
  ('{"url": "https://rpc.example.com"}'),
  ('{"url": "https://rpc.example.com", "cluster": "mainnet"}'),
  ('{"url": "rpc.example.com", "cluster": "devnet"}'),
  ('{"url": "https://rpc.example.com", "cluster": "devnet", "label": "mine"}')
) as bad (value);

select is(
  test.error_code('update public.flow_deployments set chain_network = null where true'), 'chain_network_invalid',
  'no network at all is refused'
);

select * from finish();
