select plan(14);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.queued_claim(test.kept('deployment')::uuid);
select test.sign_out();
select test.ask_input(test.kept('run')::uuid);

create function pg_temp.refusal(value jsonb, plain jsonb default null, key text default null) returns text language sql as $$
  select (e.error ->> 'code') || ' ' || (e.error ->> 'message') from (
    select test.error(format('select public.submit_input(%L, %L, %L, %L)', 'a', value, plain, key)) as error
  ) as e;
$$;

select is(pg_temp.refusal('{"X": 1}') like 'inputs_invalid inputs.value: there is no tag%', true, 'an unknown tag is refused with its path');
select is(pg_temp.refusal('{"A": [{"S": 5}]}'), 'inputs_invalid inputs.value.A[0].S: must be a string', 'a wrong payload is refused with its path');
select is(pg_temp.refusal(null) like 'inputs_invalid Send "value" with%', true, 'an answer without a value is refused');
select is(pg_temp.refusal('{"N": 0}', '[1]') like 'inputs_invalid Send "value" with%', true, 'an answer in both forms is refused');
select is(pg_temp.refusal(null, '[1, 2]') like 'inputs_invalid Send "value" with%', true, 'two plain values are refused');
select is(pg_temp.refusal(null, '[]') like 'inputs_invalid Send "value" with%', true, 'an empty list of plain values is refused');
select is(pg_temp.refusal(null, '[1e309]') like 'inputs_invalid values: each number%', true, 'a number beyond the range of floats is refused');
select is(pg_temp.refusal(null, '[[1e400]]'), 'inputs_invalid values[0][0]: a number must have at most 400 digits.', 'a number with too many digits is refused');
select is(
  pg_temp.refusal(null, (repeat('[', 66) || repeat(']', 66))::jsonb), 'inputs_invalid values: is nested deeper than 64 levels', 'a value with too many levels is refused'
);
select is(
  left(pg_temp.refusal(null, jsonb_build_array(repeat('x', 1048576))), 16), 'inputs_too_large', 'a value that is too large with its tags is refused'
);
select is(
  pg_temp.refusal('{"N": 0}', null, repeat('k', 256)), 'idempotency_key_invalid Idempotency-Key must have 1 to 255 characters.', 'a long idempotency key is refused'
);
select is(pg_temp.refusal('{"N": 0}', null, '') like 'idempotency_key_invalid%', true, 'an empty idempotency key is refused');

update private.flow_run_jobs set input_bytes = 16777210 where flow_run_id = test.kept('run')::uuid;
select is(pg_temp.refusal('{"S": "abc"}') like 'inputs_too_large value: all answers to one run%', true, 'an answer that exceeds the bytes of all answers to a run is refused');
update private.flow_run_jobs set input_bytes = 0 where flow_run_id = test.kept('run')::uuid;
select is(pg_temp.refusal(null, '[null]'), null, 'null is a value, and the input is still open for it');

select * from finish();
