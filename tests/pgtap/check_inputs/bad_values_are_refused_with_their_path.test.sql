select plan(48);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b'))));

select is(test.inputs_refusal('{"a": {"S": "x"}}'), null, 'good inputs pass');
select is(
  test.inputs_refusal('{"a": {"S": 1}}'),
  '{"code": "inputs_invalid", "status": 400, "message": "inputs.a.S: must be a string", "details": null, "hint": null}',
  'a bad value is refused with its path and the reason'
);

select is(
  test.inputs_refusal(inputs) ->> 'message', 'inputs: must be an object of values, such as {"a": {"S": "text"}}', inputs || ' are not inputs'
)
from (values ('[]'), ('null'), ('"text"'), ('1')) as bad (inputs);

select is(
  test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', 'inputs.a: must be an object with exactly one tag, such as {"S": "text"}',
  value || ' is not a value'
)
from (values ('1'), ('"text"'), ('null'), ('true'), ('[]'), ('{}'), ('[{"S": "x"}]'), ('{"S": "x", "N": 0}')) as bad (value);

select is(
  test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', format('inputs.a: there is no tag "%s"; the tags are S, N, B, U, I, U1, I1, F, D, B3, B6, BY, A and M', tag),
  value || ' has no known tag'
)
from (values ('{"s": "x"}', 's'), ('{"X": 1}', 'X'), ('{"": 0}', ''), ('{"a\"b": 0}', 'a\"b')) as bad (value, tag);

select is(
  test.inputs_refusal(format('{"a": {"%s": 5}}', tag)) ->> 'message', format('inputs.a.%s: must be a string', tag), tag || ' takes a string, not a number'
)
from unnest('{S,U,I,U1,I1,F,D,B3,B6,BY}'::text[]) as tag;

select is(test.inputs_refusal(format('{"a": %s}', value)) ->> 'message', 'inputs.a.' || fault, value || ' is refused')
from (values
  ('{"S": null}', 'S: must be a string'),
  ('{"B": "true"}', 'B: must be true or false'),
  ('{"B": null}', 'B: must be true or false'),
  ('{"N": 1}', 'N: must be 0'),
  ('{"N": null}', 'N: must be 0'),
  ('{"N": "0"}', 'N: must be 0'),
  ('{"N": [0]}', 'N: must be 0'),
  ('{"S": ["x"]}', 'S: must be a string'),
  ('{"B": [true]}', 'B: must be true or false'),
  ('{"A": "[]"}', 'A: must be an array'),
  ('{"M": "{}"}', 'M: must be an object'),
  ('{"A": {}}', 'A: must be an array'),
  ('{"M": []}', 'M: must be an object')
) as bad (value, fault);

select is(test.inputs_refusal(inputs) ->> 'message', fault, format('the error names the path in %s', inputs))
from (values
  ('{"a": {"S": "x"}, "b": {"A": [{"N": 0}, {"N": 1}]}}', 'inputs.b.A[1].N: must be 0'),
  ('{"a": {"M": {"k": {"A": [{"M": {"l": {"B": 1}}}]}}}}', 'inputs.a.M.k.A[0].M.l.B: must be true or false'),
  ('{"a": {"A": [1]}}', 'inputs.a.A[0]: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"A": [[{"S": "x"}]]}}', 'inputs.a.A[0]: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"M": {"k": {"A": [], "x": 0}}}}', 'inputs.a.M.k: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"A": [{"A": [{"A": [0]}]}, 0]}}', 'inputs.a.A[0].A[0].A[0]: must be an object with exactly one tag, such as {"S": "text"}'),
  ('{"a": {"M": {"k": "text"}}}', 'inputs.a.M.k: must be an object with exactly one tag, such as {"S": "text"}')
) as bad (inputs, fault);

select * from finish();
