select plan(14);

create function pg_temp.faults(value jsonb, shape jsonb) returns text[] language sql as $$
  select coalesce(array_agg(format('%s %s', f ->> 'path', f ->> 'message')), '{}') from jsonb_array_elements(private.shape_faults(value, shape)) as f;
$$;

select is(pg_temp.faults(value, shape), expected, format('%s as %s', value, shape))
from (values
  ('"a"'::jsonb, '"string"'::jsonb, '{}'::text[]),
  ('5', '"string"', '{" takes a string"}'),
  ('null', '"string"', '{" takes a string"}'),
  ('{"a": "x", "b": [1, {}], "c": null}', '{"a!": "string"}', '{}'),
  ('{"a": null}', '{"a!": "string", "b": "string"}', '{"a is missing"}'),
  ('{}', '{"a!": {"b!": "string"}}', '{"a is missing"}'),
  ('{"a": {}}', '{"a": {"b!": "string"}}', '{"a.b is missing"}'),
  ('{"a": []}', '{"a": {"b!": "string"}}', '{"a takes an object"}'),
  ('{"a": {}}', '{"a": ["string"]}', '{"a takes an array"}'),
  ('["x", null, 5]', '["string"]', '{"[1] takes a string","[2] takes a string"}'),
  ('[]', '["string"]', '{}'),
  ('[{"a": [true, 0]}, {"a": 1}]', '[{"a": ["boolean"]}]', '{"[0].a[1] takes true or false","[1].a takes an array"}'),
  ('{"a.b": 1, "a": {"b": "x"}}', '{"a.b": "number", "a": {"b": "number"}}', '{"a.b takes a number"}'),
  ('{"a": "x"}', '{"a": {}, "b": {}}', '{"a takes an object"}')
) as c (value, shape, expected);

select * from finish();
