select plan(48);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b'))));

select is(test.inputs_refusal('{"a": {"S": "x"}}'), null, 'good inputs pass');
select is(
  test.inputs_refusal('{"a": {"S": 1}}'),
  '{"code": "inputs_invalid", "status": 400, "message": "inputs.a.S: takes a string", "details": null, "hint": null}',
  'bad ones are refused with path and reason'
);

select is(
  test.inputs_refusal(inputs) ->> 'message', 'inputs: takes an object of values, such as {"a": {"S": "text"}}', inputs || ' are no inputs'
)
from (values ('[]'), ('null'), ('"text"'), ('1')) as bad (inputs);

select is(
  test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', 'inputs.a: a value is an object with exactly one tag, such as {"S": "text"}',
  value || ' is no value'
)
from (values ('1'), ('"text"'), ('null'), ('true'), ('[]'), ('{}'), ('[{"S": "x"}]'), ('{"S": "x", "N": 0}')) as bad (value);

select is(
  test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', format('inputs.a: there is no tag "%s"', tag), value || ' has no known tag'
)
from (values ('{"s": "x"}', 's'), ('{"X": 1}', 'X'), ('{"": 0}', ''), ('{"a\"b": 0}', 'a\"b')) as bad (value, tag);

select is(
  test.inputs_refusal(format('{"a": {"%s": 5}}', tag)) ->> 'message', format('inputs.a.%s: takes a string', tag), tag || ' takes no number'
)
from unnest('{S,U,I,U1,I1,F,D,B3,B6,BY}'::text[]) as tag;

select is(test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', 'inputs.a.' || fault, value || ' is refused')
from (values
  ('{"S": null}', 'S: takes a string'),
  ('{"B": "true"}', 'B: takes true or false'),
  ('{"B": null}', 'B: takes true or false'),
  ('{"N": 1}', 'N: takes 0'),
  ('{"N": null}', 'N: takes 0'),
  ('{"N": "0"}', 'N: takes 0'),
  ('{"N": [0]}', 'N: takes 0'),
  ('{"S": ["x"]}', 'S: takes a string'),
  ('{"B": [true]}', 'B: takes true or false'),
  ('{"A": "[]"}', 'A: takes an array'),
  ('{"M": "{}"}', 'M: takes an object'),
  ('{"A": {}}', 'A: takes an array'),
  ('{"M": []}', 'M: takes an object')
) as bad (value, fault);

select is(test.inputs_refusal(inputs) ->> 'message', fault, format('%s tells where', inputs))
from (values
  ('{"a": {"S": "x"}, "b": {"A": [{"N": 0}, {"N": 1}]}}', 'inputs.b.A[1].N: takes 0'),
  ('{"a": {"M": {"k": {"A": [{"M": {"l": {"B": 1}}}]}}}}', 'inputs.a.M.k.A[0].M.l.B: takes true or false'),
  ('{"a": {"A": [1]}}', 'inputs.a.A[0]: a value is an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"A": [[{"S": "x"}]]}}', 'inputs.a.A[0]: a value is an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"M": {"k": {"A": [], "x": 0}}}}', 'inputs.a.M.k: a value is an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"A": [{"A": [{"A": [0]}]}, 0]}}', 'inputs.a.A[0].A[0].A[0]: a value is an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"M": {"k": "text"}}}', 'inputs.a.M.k: a value is an object with exactly one tag, such as {"S": "text"}')
) as bad (inputs, fault);

select * from finish();
