select plan(23);

select is((private.measure_json(value::jsonb, 1048576)).fault, null, left(value, 40) || ' is accepted')
from (values
  ('1e399'), ('-1e399'), ('1e-400'), ('0e-400'), (repeat('9', 400)), ('0.' || repeat('9', 400)), (repeat('9', 200) || '.' || repeat('9', 200)),
  ('9999999999999999.' || repeat('9', 384)), ('[[1, {"a": 2.5}], "1e100000", null, true]')
) as good (value);

select is(
  to_jsonb(private.measure_json(value::jsonb, 1048576)),
  jsonb_build_object('bytes', null, 'fault', 'number', 'path', path, 'message', 'a number must have at most 400 digits'),
  left(value, 40) || ' is refused at ' || path
)
from (values
  ('1e400', ''), ('-1e100000', ''), ('1e-401', ''), ('1e-16383', ''), ('0e-16383', ''), (repeat('9', 401), ''),
  (repeat('9', 201) || '.' || repeat('9', 200), ''), ('9999999999999999.' || repeat('9', 385), ''),
  ('[1, {"a": [true, 1e400]}]', '[1].a[1]'),
  ('{"long": "a long text beside it", "a": {"b": 1e400}}', '.a.b'),
  (format('{"%s": 1e400}', repeat('m', 150)), '.' || repeat('m', 100) || '…'),
  -- A path ends above very deep levels, and does not number the elements of long lists.
  (repeat('[', 60) || '1e400' || repeat(']', 60), repeat('[0]', 16)),
  (format('{"a": [%s1e400]}', repeat('1, ', 10000)), '.a')
) as bad (value, path);

select is(
  (private.measure_json(('[' || repeat('1e100000, ', 100000) || '0]')::jsonb, 8388608)).path, '',
  'a long list of such numbers is refused without making its text'
);

select * from finish();
