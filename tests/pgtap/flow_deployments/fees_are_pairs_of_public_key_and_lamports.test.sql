select plan(27);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy(test.create_flow(test.user_id('owner')));

select is(test.error(format('update public.flow_deployments set fees = %L where true', value)), null, value || ' is accepted')
from (values
  ('[]'),
  ('[["11111111111111111111111111111111", 0]]'),
  ('[["So11111111111111111111111111111111111111112", 5000], ["11111111111111111111111111111111", 1]]'),
  -- The same address may occur twice, and then gets two transfers.
  ('[["11111111111111111111111111111111", 1], ["11111111111111111111111111111111", 1]]'),
  ('[["11111111111111111111111111111111", 18446744073709551615]]')
) as good (value);
select is(fees #>> '{0,1}', '18446744073709551615', 'the greatest amount is stored to the last digit') from public.flow_deployments;

select is(
  test.error(format('update public.flow_deployments set fees = %L where true', value)) ->> 'code', 'fees_invalid', value || ' is refused'
)
from (values
  ('{}'),
  ('null'),
  ('[[]]'),
  ('["11111111111111111111111111111111", 1]'),
  ('[["11111111111111111111111111111111"]]'),
  ('[["11111111111111111111111111111111", 1, 1]]'),
  ('[[1, "11111111111111111111111111111111"]]'),
  ('[{"0": "11111111111111111111111111111111", "1": 1}]'),
  ('[["11111111111111111111111111111111", 18446744073709551616]]'),
  ('[["11111111111111111111111111111111", -1]]'),
  ('[["11111111111111111111111111111111", 1.5]]'),
  ('[["11111111111111111111111111111111", null]]'),
  ('[["11111111111111111111111111111111", "1.5"]]'),
  ('[["11111111111111111111111111111111", true]]'),
  ('[[null, 1]]'),
  ('[["", 1]]'),
  -- Addresses of 31 and of 33 bytes.
  ('[["1111111111111111111111111111111", 1]]'),
  ('[["111111111111111111111111111111111", 1]]'),
  -- 0 and l are not base58 digits.
  ('[["0o11111111111111111111111111111111111111112", 1]]'),
  ('[["Sol1111111111111111111111111111111111111112", 1]]')
) as bad (value);

select is(
  test.error_code($$
    update public.flow_deployments set fees = '[["11111111111111111111111111111111", 1], ["no key", 1]]' where true
  $$), 'fees_invalid', 'a single invalid pair is refused'
);

select * from finish();
