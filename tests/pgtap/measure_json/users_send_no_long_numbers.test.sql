-- Tests each column and argument in which users send JSON. Flows have a test of their own.
select plan(12);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a'))));
select test.sign_out();
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('effect', test.begin_node(test.kept('run')::uuid, 'a'));

select test.sign_in(test.user_id('owner'));
select is(
  test.inputs_refusal('{"a": {"A": [{"S": "a"}, {"N": 1e100000}]}}') ->> 'message',
  'inputs.a.A[1].N: a number must have at most 400 digits', 'inputs of a start are refused'
);
select is(test.inputs_refusal('{"a": {"N": 0e-16383}}') ->> 'code', 'inputs_invalid', 'a zero with many decimal places is refused as an input');
select test.sign_out();
select is(private.bad_value('{"N": 0e-3}', 64), '.N: must be 0', 'a zero with some decimal places is refused as a value');

select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('update public.flow_deployments set %s', assignment)) - '{code,hint,status}'::text[],
  jsonb_build_object(
    'message', path || ': a number must have at most 400 digits.',
    'details', jsonb_build_array(jsonb_build_object('path', path, 'message', 'a number must have at most 400 digits'))
  ),
  path || ' of a deployment is refused'
)
from (values
  ($$fees = '[["11111111111111111111111111111111", 1e100000]]'$$, 'fees[0][1]'),
  ($$chain_network = '{"url": 1e100000, "cluster": "devnet"}'$$, 'chain_network.url'),
  ($$on_end = '{"url": "https://a.example", "events": [1e-16383]}'$$, 'on_end.events[0]')
) as setting (assignment, path);

select is(
  test.error(format($$insert into public.flow_schedules (deployment_id, cron, %s) values (%L, '0 8 * * *', '%s')$$, name, test.kept('deployment'), value))
    ->> 'message',
  message, name || ' of a schedule is refused'
)
from (values
  ('inputs', '{"a": {"N": 1e100000}}', 'inputs.a.N: a number must have at most 400 digits'),
  ('"values"', '{"a": [1e100000]}', 'values.a[0]: a number must have at most 400 digits.')
) as schedule (name, value, message);

select is(
  test.error(format(
    $$select public.create_webhook('a', deployment_id => %L, verification => 'hmac', secret => 'secret-of-mine', hmac => '{"header": "a", "prefix": 1e100000}')$$,
    test.kept('deployment')
  )) ->> 'message',
  'hmac.prefix: a number must have at most 400 digits.', 'hmac of a webhook is refused'
);

select is(
  test.error(format(
    $$insert into public.nodes (type, data, sources, targets) values ('native', '{"node_id": "a", "version": "1", "display_name": "a", "options": {"a": %s}}', '[]', '[]')$$,
    number
  )) ->> 'message',
  'data.options.a: ' || message || '.', format('%s in a definition', number)
)
from (values
  ('1e-16383', 'a number must have at most 400 digits'),
  ('1e100000', 'must be a number that a double can hold')
) as definition (number, message);

select test.sign_out();
select is(
  test.error(format(
    $$select public.kv_write_item(%L, %L, 'a', 'a', '{"N": 1e100000}')$$,
    jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1), test.kept('effect')
  )) ->> 'message',
  'value.N: a number must have at most 400 digits', 'a value of a key-value store'
);

select * from finish();
