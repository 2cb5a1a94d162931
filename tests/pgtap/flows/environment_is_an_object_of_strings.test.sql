select plan(12);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set environment = %L', value)), null, value || ' is taken')
from (values
  ('{}'),
  ('{"RUST_LOG": "debug"}'),
  ('{"": ""}'),
  ('{"a": "1", "b": "{\"not\": \"parsed\"}"}')
) as good (value);

select is(
  test.error(format('update public.flows set environment = %L', value)) ->> 'constraint', 'flows_environment_strings',
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

select is(test.error_code('update public.flows set environment = null'), '23502', 'no environment at all is refused');

select * from finish();
