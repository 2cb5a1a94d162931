select plan(14);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set environment = %L', value)), null, value || ' is accepted')
from (values
  ('{}'),
  ('{"RUST_LOG": "debug"}'),
  ('{"": ""}'),
  ('{"a": "1", "b": "{\"not\": \"parsed\"}"}')
) as good (value);

select is(
  test.error(format('update public.flows set environment = %L', value)) ->> 'message', 'environment: must be an object whose members are all strings.',
  value || ' is refused'
)
from (values
  ('[]'),
  ('"text"'),
  ('null'),
  ('{"a": 1}'),
  ('{"a": null}'),
  ('{"a": "text", "b": {"c": "text"}}'),
  ('{"a": ["text"]}')
) as bad (value);

select is(
  test.error(format('update public.flows set environment = %L', jsonb_build_object('a', repeat('a', length)))) ->> 'message', rule,
  format('a text of %s letters is %s', length, case when rule is null then 'taken' else 'refused' end)
)
from (values (65500, null), (65536, 'environment: must have at most 64 KiB.')) as long (length, rule);

select is(test.error_code('update public.flows set environment = null'), '23502', 'null is refused');

select * from finish();
