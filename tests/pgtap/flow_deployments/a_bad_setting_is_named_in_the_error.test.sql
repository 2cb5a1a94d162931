select plan(32);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));

create function pg_temp.refusal(assignment text) returns jsonb language sql as $$
  select test.error(format('update public.flow_deployments set %s where true', assignment));
$$;
grant execute on function pg_temp.refusal(text) to public;
select test.sign_in(test.user_id('owner'));

select is(pg_temp.refusal($$fees = '[["11111111111111111111111111111111", 1]]'$$), null, 'a valid setting is accepted');
select is(
  pg_temp.refusal($$fees = '[["11111111111111111111111111111111", 1], ["no key", 1.5], 3]'$$),
  '{
    "code": "fees_invalid", "status": 400, "hint": null, "message": "fees[1][0]: must be an address, base58 of 32 bytes.",
    "details": [
      {"path": "fees[1][0]", "message": "must be an address, base58 of 32 bytes"},
      {"path": "fees[1][1]", "message": "must be lamports: an integer from 0 to 2^64-1, as a number or a string"},
      {"path": "fees[2]", "message": "must be a pair [address, amount]"}
    ]
  }',
  'all faults of fees are listed'
);
select is(
  pg_temp.refusal(assignment) - '{hint,message}'::text[],
  jsonb_build_object('code', code, 'status', 400, 'details', faults), assignment || ' is refused with where and why'
)
from (values
  ('fees = null', 'fees_invalid', jsonb '[{"path": "fees", "message": "must be a list of [address, amount] pairs"}]'),
  ($$start_permission = 'owner'$$, 'start_permission_invalid',
    '[{"path": "start_permission", "message": "must be Owner, Authenticated or Anonymous"}]'),
  ($$chain_network = '[]'$$, 'chain_network_invalid', '[{"path": "chain_network", "message": "must be an object {url, cluster}"}]'),
  ('name = null', 'name_invalid', '[{"path": "name", "message": "must be a text of at most 200 characters"}]'),
  ('name = repeat(''x'', 201)', 'name_invalid', '[{"path": "name", "message": "must be a text of at most 200 characters"}]'),
  ('description = null', 'description_invalid', '[{"path": "description", "message": "must be a text of at most 2000 characters"}]'),
  ('description = repeat(''x'', 2001)', 'description_invalid',
    '[{"path": "description", "message": "must be a text of at most 2000 characters"}]'),
  ($$icon_url = 'http://a.example/i.png'$$, 'icon_url_invalid',
    '[{"path": "icon_url", "message": "must be an https address of at most 2048 characters, or null"}]'),
  ($$icon_url = 'https://user@a.example/i.png'$$, 'icon_url_invalid',
    '[{"path": "icon_url", "message": "must be an https address of at most 2048 characters, or null"}]'),
  ('icon_url = ''https://a.example/'' || repeat(''x'', 2048)', 'icon_url_invalid',
    '[{"path": "icon_url", "message": "must be an https address of at most 2048 characters, or null"}]'),
  ('max_starts_per_minute = -1', 'max_starts_per_minute_invalid',
    '[{"path": "max_starts_per_minute", "message": "must be an integer from 0 to 2^31-1, or null for the default"}]'),
  ('max_runs_in_flight = -1', 'max_runs_in_flight_invalid',
    '[{"path": "max_runs_in_flight", "message": "must be an integer from 0 to 2^31-1, or null for the default"}]'),
  ('queue_key = ''nobody''', 'queue_key_invalid',
    '[{"path": "queue_key", "message": "must be caller, the name of an input of the flow, or null"}]'),
  ('max_running_per_key = 0', 'max_running_per_key_invalid',
    '[{"path": "max_running_per_key", "message": "must be an integer from 1 to 2^31-1, or null"}]'),
  ('max_starts_per_key = 0', 'max_starts_per_key_invalid',
    '[{"path": "max_starts_per_key", "message": "must be an integer from 1 to 2^31-1, or null"}]'),
  ('max_starts_per_key = 1, key_period_seconds = 86401', 'key_period_seconds_invalid',
    '[{"path": "key_period_seconds", "message": "must be an integer from 1 to 86400, or null"}]'),
  ('max_starts_per_key = 1', 'key_period_seconds_invalid',
    '[{"path": "key_period_seconds", "message": "max_starts_per_key and key_period_seconds need each other"}]'),
  ('debounce_seconds = 86401', 'debounce_seconds_invalid',
    '[{"path": "debounce_seconds", "message": "must be an integer from 1 to 86400, or null"}]'),
  ('debounce_seconds = 1, max_starts_per_key = 1, key_period_seconds = 1', 'debounce_seconds_invalid',
    '[{"path": "debounce_seconds", "message": "must be null if max_starts_per_key or queue_key_shared is set"}]'),
  ('debounce_seconds = 1, queue_key_shared = true', 'debounce_seconds_invalid',
    '[{"path": "debounce_seconds", "message": "must be null if max_starts_per_key or queue_key_shared is set"}]'),
  ('debounce_seconds = 2, debounce_max_seconds = 1', 'debounce_max_seconds_invalid',
    '[{"path": "debounce_max_seconds", "message": "must be an integer from debounce_seconds to 86400, or null"}]'),
  ('debounce_max_seconds = 1', 'debounce_max_seconds_invalid',
    '[{"path": "debounce_max_seconds", "message": "must be an integer from debounce_seconds to 86400, or null"}]'),
  ($$model_limits = '[]'$$, 'model_limits_invalid',
    '[{"path": "model_limits", "message": "must be an object {run_tokens, day_tokens}, or null"}]'),
  ($$model_limits = '{"run_tokens": 0, "day_tokens": "7", "tokens": 1}'$$, 'model_limits_invalid',
    '[{"path": "model_limits.day_tokens", "message": "must be an integer from 1 to 2^53-1"},
      {"path": "model_limits.run_tokens", "message": "must be an integer from 1 to 2^53-1"},
      {"path": "model_limits.tokens", "message": "there is no such member; the members are run_tokens and day_tokens"}]'),
  ($$action_identity = 'no key'$$, 'action_identity_invalid',
    '[{"path": "action_identity", "message": "must be a public key, base58 of 32 bytes, or null"}]'),
  ($$action_identity = '11111111111111111111111111111111'$$, 'action_identity_without_wallet',
    '[{"path": "action_identity", "message": "there is no HARDCODED wallet with this public key"}]')
) as bad (assignment, code, faults);
select set_eq(
  $$ select f ->> 'path' from jsonb_array_elements(
    pg_temp.refusal('chain_network = ''{"url": "ftp://a", "cluster": "main", "more": 1}''') -> 'details'
  ) as f $$,
  array['chain_network.url', 'chain_network.cluster', 'chain_network.more'], 'all faults of a network are listed'
);
create function pg_temp.fees(count integer) returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_array(repeat('1', 32), n)) from generate_series(1, count) as n;
$$;
select is(pg_temp.refusal(format('fees = %L', pg_temp.fees(64))), null, 'more fees than a transaction has room for are accepted here');
select is(
  pg_temp.refusal(format('fees = %L', pg_temp.fees(65))),
  '{
    "code": "fees_invalid", "status": 400, "hint": null,
    "message": "fees: must have at most 64 pairs: no transaction has room for more.",
    "details": [{"path": "fees", "message": "must have at most 64 pairs: no transaction has room for more"}]
  }',
  'the number of fees is limited, because every start copies them'
);

select test.sign_in_as_role('service_role');
select is(pg_temp.refusal($$start_permission = 'owner'$$) ->> 'code', 'start_permission_invalid', 'the service role gets the same error');

select * from finish();
