select plan(32);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b', '', 'with space and ünïcödé'))));

select is(test.inputs_refusal(jsonb_build_object('a', value)::text), null, format('%s passes', value))
from (values
  (jsonb '{"N": 0}'),
  ('{"S": ""}'),
  ('{"S": "text with \"quotes\" and ünïcödé"}'),
  ('{"B": true}'),
  ('{"B": false}'),
  ('{"U": "18446744073709551615"}'),
  ('{"I": "-9223372036854775808"}'),
  ('{"U1": "340282366920938463463374607431768211455"}'),
  ('{"I1": "-170141183460469231731687303715884105728"}'),
  ('{"F": "1e-7"}'),
  ('{"F": "NaN"}'),
  ('{"D": "79228162514264337593543950335"}'),
  ('{"B3": "11111111111111111111111111111111"}'),
  ('{"B6": "1111111111111111111111111111111111111111111111111111111111111111"}'),
  ('{"BY": "AQID"}'),
  ('{"A": []}'),
  ('{"A": [{"S": "x"}, {"N": 0}, {"B": true}]}'),
  ('{"M": {}}'),
  ('{"M": {"to": {"B3": "11111111111111111111111111111111"}, "qty": {"D": "0.25"}, "tags": {"A": [{"S": "x"}, {"N": 0}]}}}'),
  ('{"M": {"S": {"S": "a tag is a good key"}, "": {"N": 0}}}'),
  ('{"A": [{"A": [{"A": [{"M": {"deep": {"A": []}}}]}]}]}')
) as good (value);

select is(test.inputs_refusal(inputs), null, format('the inputs %s pass', inputs))
from (values
  ('{}'),
  ('{"a": {"S": "x"}, "b": {"U": "1"}}'),
  ('{"": {"N": 0}}'),
  ('{"with space and ünïcödé": {"N": 0}}')
) as good (inputs);

-- Only the Edge Functions and the runner check the ranges of numbers and the spelling of encoded values.
select is(test.inputs_refusal(jsonb_build_object('a', value)::text), null, format('the database accepts %s', value))
from (values
  (jsonb '{"U": "-1"}'), ('{"U": "no number"}'), ('{"D": "1e5"}'), ('{"F": ""}'), ('{"B3": "1"}'), ('{"B6": "O"}'), ('{"BY": "!"}')
) as unchecked (value);

select * from finish();
