select plan(14);

create function pg_temp.faults(value jsonb, shape jsonb) returns text[] language sql as $$
  select coalesce(array_agg(format('%s %s', f ->> 'path', f ->> 'message')), '{}') from jsonb_array_elements(private.shape_faults(value, shape)) as f;
$$;

select is(pg_temp.faults(value, shape), expected, format('the faults of %s for the shape %s', value, shape))
from (values
  ('"a"'::jsonb, '"string"'::jsonb, '{}'::text[]),
  ('5', '"string"', '{" must be a string"}'),
  ('null', '"string"', '{" must be a string"}'),
  ('{"a": "x", "b": [1, {}], "c": null}', '{"a!": "string"}', '{}'),
  ('{"a": null}', '{"a!": "string", "b": "string"}', '{"a is missing"}'),
  ('{}', '{"a!": {"b!": "string"}}', '{"a is missing"}'),
  ('{"a": {}}', '{"a": {"b!": "string"}}', '{"a.b is missing"}'),
  ('{"a": []}', '{"a": {"b!": "string"}}', '{"a must be an object"}'),
  ('{"a": {}}', '{"a": ["string"]}', '{"a must be an array"}'),
  ('["x", null, 5]', '["string"]', '{"[1] must be a string","[2] must be a string"}'),
  ('[]', '["string"]', '{}'),
  ('[{"a": [true, 0]}, {"a": 1}]', '[{"a": ["boolean"]}]', '{"[0].a[1] must be true or false","[1].a must be an array"}'),
  ('{"a.b": 1, "a": {"b": "x"}}', '{"a.b": "number", "a": {"b": "number"}}', '{"a.b must be a number"}'),
  ('{"a": "x"}', '{"a": {}, "b": {}}', '{"a must be an object"}')
) as c (value, shape, expected);

select * from finish();
