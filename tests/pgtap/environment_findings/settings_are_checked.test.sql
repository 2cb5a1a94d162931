select plan(42);

select test.create_user('owner');
select test.create_user('other');
select test.create_wallet(test.user_id('owner'), 'So11111111111111111111111111111111111111112');
select test.create_wallet(test.user_id('owner'), 'SysvarC1ock11111111111111111111111111111111', 'ADAPTER');
select test.create_wallet(test.user_id('other'), 'da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs');
-- 64 bytes, the size of a key pair, as Solana's tools write key pairs: in base58 and as an array of numbers.
select test.keep('base58', 'DyXZZCSiBREJ8YZ5cULd7PVdKpbkhHvHJ7otbJmLJajJtRsyq1irMMqKimYeKvRmZ8Sc2qWLhKjYR4ekM8RSzkV'::text);
select test.keep('numbers', (select jsonb_agg(n * 3)::text from generate_series(1, 64) as n));

create function pg_temp.findings(name text, value text) returns text[] language sql as $$
  select coalesce(array_agg(concat_ws(' ', f ->> 'code', f ->> 'path')), '{}')
  from jsonb_array_elements(private.environment_findings(jsonb_build_object(name, value), test.user_id('owner'))) as f;
$$;

select is(pg_temp.findings(name, value), '{}', format('%s accepts %s', name, value))
from (values
  ('COMPUTE_BUDGET', 'auto'), ('COMPUTE_BUDGET', 'no'), ('COMPUTE_BUDGET', '0'), ('COMPUTE_BUDGET', '4294967295'),
  ('FALLBACK_COMPUTE_BUDGET', '200000'), ('PRIORITY_FEE', 'auto'), ('PRIORITY_FEE', 'no'), ('PRIORITY_FEE', '18446744073709551615'),
  ('SIMULATION_COMMITMENT_LEVEL', 'processed'), ('TX_COMMITMENT_LEVEL', 'confirmed'), ('WAIT_COMMITMENT_LEVEL', 'finalized'),
  ('DEVNET_LOOKUP_TABLE', 'SysvarC1ock11111111111111111111111111111111'), ('MAINNET_LOOKUP_TABLE', '11111111111111111111111111111111'),
  ('OVERWRITE_FEEPAYER', 'So11111111111111111111111111111111111111112'), ('RUST_LOG', 'debug'), ('ANYTHING', ''),
  ('overwrite_feepayer', 'x')
) as v (name, value);

select is(pg_temp.findings(name, value), array['environment_value_invalid environment.' || name], format('%s does not accept %L', name, value))
from (values
  ('COMPUTE_BUDGET', ''), ('COMPUTE_BUDGET', 'Auto'), ('COMPUTE_BUDGET', '-1'), ('COMPUTE_BUDGET', '1.5'), ('COMPUTE_BUDGET', '4294967296'),
  ('COMPUTE_BUDGET', '99999999999999999999999'), ('FALLBACK_COMPUTE_BUDGET', 'auto'), ('FALLBACK_COMPUTE_BUDGET', '4294967296'),
  ('PRIORITY_FEE', '18446744073709551616'), ('PRIORITY_FEE', 'high'), ('SIMULATION_COMMITMENT_LEVEL', 'max'), ('TX_COMMITMENT_LEVEL', ''),
  ('WAIT_COMMITMENT_LEVEL', 'Finalized'), ('DEVNET_LOOKUP_TABLE', 'x'),
  ('MAINNET_LOOKUP_TABLE', '11111111111111111111111111111111,11111111111111111111111111111111'), ('OVERWRITE_FEEPAYER', 'my wallet')
) as v (name, value);

select is(pg_temp.findings('OVERWRITE_FEEPAYER', value), '{environment_key_pair environment.OVERWRITE_FEEPAYER}', 'a key pair is refused as a fee payer')
from (values (test.kept('base58')), (test.kept('numbers')), (replace(test.kept('numbers'), ',', E'\n ,'))) as v (value);
select is(
  pg_temp.findings('OVERWRITE_FEEPAYER', value), '{environment_wallet_unknown environment.OVERWRITE_FEEPAYER}', 'only the key of a wallet that can sign is accepted'
)
from unnest('{SysvarC1ock11111111111111111111111111111111,da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs,11111111111111111111111111111111}'::text[]) as value;

select is(
  private.environment_findings('{"PRIORITY_FEE": "secret", "A": "", "OVERWRITE_FEEPAYER": "secret", "COMPUTE_BUDGET": "secret"}', test.user_id('owner')),
  '[{"code": "environment_value_invalid", "path": "environment.COMPUTE_BUDGET", "message": "COMPUTE_BUDGET must be auto, no or an integer from 0 to 2^32-1"},
    {"code": "environment_value_invalid", "path": "environment.OVERWRITE_FEEPAYER", "message": "OVERWRITE_FEEPAYER must be a public key: base58 of 32 bytes"},
    {"code": "environment_value_invalid", "path": "environment.PRIORITY_FEE", "message": "PRIORITY_FEE must be auto, no or an integer from 0 to 2^64-1"}]'::jsonb,
  'all faults are found, by name, and no value is repeated'
);
select unalike(
  private.environment_findings(jsonb_build_object('OVERWRITE_FEEPAYER', test.kept(name)), test.user_id('owner'))::text,
  '%' || left(test.kept(name), 20) || '%', 'a secret is not repeated: ' || name
)
from unnest('{base58,numbers}'::text[]) as name;

select * from finish();
