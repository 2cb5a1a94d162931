-- The trigger refuses bad settings with an explanation. If the trigger is disabled, the constraints still refuse these
-- settings.
select plan(32);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));
select test.sign_out();
alter table public.flow_deployments disable trigger _200_check_settings;

select is(test.error(format('update public.flow_deployments set %s where true', assignment)), null, assignment || ' passes')
from (values
  ($$fees = '[["11111111111111111111111111111111", 18446744073709551615]]'$$),
  ($$chain_network = '{"url": "https://rpc.example.com", "cluster": "mainnet-beta"}'$$),
  ($$start_permission = 'Anonymous'$$),
  ($$name = repeat('ü', 200), description = repeat('ü', 2000)$$),
  ($$icon_url = 'https://a.example/i.png?size=1#x'$$),
  ('max_starts_per_minute = 0'),
  ('max_runs_in_flight = 0'),
  ('queue_key = ''caller'', max_running_per_key = 1, max_starts_per_key = 1, key_period_seconds = 86400'),
  ('debounce_seconds = 1, max_starts_per_key = null, key_period_seconds = null, debounce_max_seconds = 86400'),
  ($$model_limits = '{"run_tokens": 1, "day_tokens": 9007199254740991}'$$),
  ($$action_identity = '11111111111111111111111111111111'$$)
) as good (assignment);

select is(
  test.error(format('update public.flow_deployments set %s where true', assignment)) ->> 'constraint', 'flow_deployments_' || rule,
  assignment || ' is refused'
)
from (values
  ($$fees = '[["11111111111111111111111111111111", 18446744073709551616]]'$$, 'fees_valid'),
  ($$fees = '[["1111111111111111111111111111111", 1]]'$$, 'fees_valid'),
  ($$chain_network = '{"url": "https://rpc.example.com", "cluster": "mainnet"}'$$, 'chain_network_valid'),
  ($$name = repeat('x', 201)$$, 'name_length'),
  ($$description = repeat('x', 2001)$$, 'description_length'),
  ($$icon_url = 'javascript:alert(1)'$$, 'icon_url_https'),
  ('max_starts_per_minute = -1', 'max_starts_per_minute_natural'),
  ('max_runs_in_flight = -1', 'max_runs_in_flight_natural'),
  ('queue_key = ''nobody''', 'queue_key_known'),
  ('debounce_seconds = 86401, debounce_max_seconds = null', 'debounce_seconds_range'),
  ('max_starts_per_key = 1, key_period_seconds = 1', 'debounce_seconds_alone'),
  ('queue_key_shared = true', 'debounce_seconds_alone'),
  ('debounce_seconds = 2, debounce_max_seconds = 1', 'debounce_max_seconds_range'),
  ('debounce_seconds = null', 'debounce_max_seconds_has_debounce'),
  ('max_running_per_key = 0', 'max_running_per_key_positive'),
  ('debounce_seconds = null, debounce_max_seconds = null, max_starts_per_key = 0, key_period_seconds = 1', 'max_starts_per_key_positive'),
  ('debounce_seconds = null, debounce_max_seconds = null, max_starts_per_key = 1, key_period_seconds = 86401', 'key_period_seconds_range'),
  ('key_period_seconds = 1', 'max_starts_per_key_has_period'),
  ($$start_permission = 'anonymous'$$, 'start_permission_known'),
  ($$model_limits = '{"run_tokens": 1.5}'$$, 'model_limits_valid'),
  ($$action_identity = 'no key'$$, 'action_identity_public_key')
) as bad (assignment, rule);

select * from finish();
