select plan(25);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set chain_network = %L', value)), null, left(value, 80) || ' is accepted')
from (values
  ('{"url": "https://api.devnet.solana.com", "cluster": "devnet"}'),
  ('{"url": "http://127.0.0.1:8899", "cluster": "testnet"}'),
  ('{"url": "https://user:secret@rpc.example.com/v1/?key=a%20b#c", "cluster": "mainnet-beta"}'),
  ('{"url": "https://[::1]:8899/", "cluster": "devnet", "label": "mine"}'),
  (format('{"url": "https://%s", "cluster": "devnet"}', repeat('a', 2040)))
) as good (value);

select is(
  test.error(format('update public.flows set chain_network = %L', value)) ->> 'message',
  'chain_network: must be an object with url, an http or https address of at most 2048 characters, and cluster: devnet, testnet or mainnet-beta.',
  left(value, 80) || ' is refused'
)
from (values
  ('{}'),
  ('[]'),
  ('null'),
  ('"https://api.devnet.solana.com"'),
  ('{"url": "https://api.devnet.solana.com"}'),
  ('{"cluster": "devnet"}'),
  ('{"url": "https://api.devnet.solana.com", "cluster": "mainnet"}'),
  ('{"url": "https://api.devnet.solana.com", "cluster": null}'),
  ('{"url": "https://api.devnet.solana.com", "cluster": ["devnet"]}'),
  ('{"url": ["https://api.devnet.solana.com"], "cluster": "devnet"}'),
  ('{"url": null, "cluster": "devnet"}'),
  ('{"url": "", "cluster": "devnet"}'),
  ('{"url": "api.devnet.solana.com", "cluster": "devnet"}'),
  ('{"url": "ftp://api.devnet.solana.com", "cluster": "devnet"}'),
  ('{"url": "https://", "cluster": "devnet"}'),
  ('{"url": "https:///path", "cluster": "devnet"}'),
  ('{"url": "https://a.example/b c", "cluster": "devnet"}'),
  (format('{"url": "https://%s", "cluster": "devnet"}', repeat('a', 2041)))
) as bad (value);

select is(
  test.error(format('update public.flows set chain_network = chain_network || %L', jsonb_build_object('more', repeat('a', length))))
    ->> 'message',
  rule, format('a further member of %s letters is %s', length, case when rule is null then 'taken' else 'refused' end)
)
from (values (14000, null), (16384, 'chain_network: must have at most 16 KiB.')) as long (length, rule);

select * from finish();
