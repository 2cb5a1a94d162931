select plan(11);

select is(
  private.measure_json(value, 65536), row(octet_length(value::text), null, null, null)::private.json_measure,
  what || ' is measured'
)
from (values
  ('null', 'null'::jsonb), ('an empty list', '[]'), ('a text', to_jsonb(repeat('ä', 30000))),
  ('a list of 136 levels', (repeat('[', 136) || '0' || repeat(']', 136))::jsonb),
  ('a list of small values', (select jsonb_agg('{}'::jsonb) from generate_series(1, 16000))),
  ('some numbers of 400 digits', (select jsonb_agg(1e399) from generate_series(1, 163)))
) as good (what, value);

select is((private.measure_json(null, 65536)).fault, null, 'a null argument has no fault');

select is(
  private.measure_json(value, 65536), row(null, fault, '', message)::private.json_measure,
  what || ' is refused'
)
from (values
  ('a list of 137 levels', (repeat('[', 137) || '0' || repeat(']', 137))::jsonb, 'depth', 'must be nested at most 136 levels deep'),
  ('5,000 levels', (repeat('[', 5000) || repeat(']', 5000))::jsonb, 'depth', 'must be nested at most 136 levels deep'),
  -- A client writes 1e399 in 5 characters, but the text of the jsonb has 400 digits: 5 KB become 400 KB.
  ('a thousand numbers of 400 digits', (select jsonb_agg(1e399) from generate_series(1, 1000)), 'size', 'must be at most 64 KiB of JSON text')
) as bad (what, value, fault, message);

select is(
  (private.measure_json(to_jsonb(repeat('a', 65535)), 65536)).fault, 'size', 'a text that is one byte too long is refused'
);

select * from finish();
