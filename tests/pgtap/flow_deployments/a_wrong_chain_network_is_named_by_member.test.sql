select plan(11);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
update public.flows set chain_network = '{"url": "https://rpc.example.com", "cluster": "testnet", "label": "mine"}' where true;
select test.sign_in(test.user_id('owner'));
select test.deploy((select id from public.flows));
select is(
  chain_network, '{"url": "https://rpc.example.com", "cluster": "testnet"}', 'a deployment takes address and cluster of the flow''s network'
)
from public.flow_deployments;

select is(
  test.error(format('update public.flow_deployments set chain_network = %L where true', value)) - 'message',
  jsonb_build_object('code', 'chain_network_invalid', 'status', 400, 'hint', null, 'details', (
    select jsonb_agg(jsonb_build_object('path', path, 'message', case path
      when 'chain_network' then 'must be an object {url, cluster}'
      when 'chain_network.url' then 'must be an http or https address of at most 2048 characters'
      when 'chain_network.cluster' then 'must be devnet, testnet or mainnet-beta'
      else 'there is no such member; the members are url and cluster'
    end)) from unnest(string_to_array(paths, ' ')) as path
  )),
  format('%s: %s', value, paths)
)
from (values
  ('[]', 'chain_network'),
  ('"https://rpc.example.com"', 'chain_network'),
  ('{}', 'chain_network.url chain_network.cluster'),
  ('{"url": "ftp://rpc.example.com", "cluster": "devnet"}', 'chain_network.url'),
  ('{"url": ["https://rpc.example.com"], "cluster": "devnet"}', 'chain_network.url'),
  ('{"url": "https://rpc.example.com", "cluster": "mainnet"}', 'chain_network.cluster'),
  ('{"url": "https://rpc.example.com", "cluster": "devnet", "label": 1}', 'chain_network.label'),
  ('{"url": "", "cluster": null, "label": 1}', 'chain_network.url chain_network.cluster chain_network.label')
) as bad (value, paths);

select is(
  test.error($$ update public.flow_deployments set chain_network = '{"url": "ftp://user:secret@rpc.example.com", "cluster": "devnet"}' where true $$) ->> 'message',
  'chain_network.url: must be an http or https address of at most 2048 characters.', 'the address, which may carry a secret, is not repeated'
);
select is(
  test.error(format('update public.flow_deployments set chain_network = %L where true', jsonb_build_object('url', 'https://' || repeat('a', 2041), 'cluster', 'devnet'))) ->> 'code',
  'chain_network_invalid', 'the address has at most 2048 characters'
);

select * from finish();
