select plan(12);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set %s', assignment)), null, left(assignment, 40) || ' is taken')
from (values
  ($$nodes = '[]', edges = '[]'$$),
  -- The editor saves what it likes; what runs is checked when it is deployed.
  ($$nodes = '[{"half": "drawn"}]', edges = '[null]'$$),
  (format('name = %L', repeat('ä', 200))),
  (format('description = %L', repeat('ä', 20000))),
  (format('nodes = %L', jsonb_build_array(repeat('a', 16777000))))
) as good (assignment);

select is(
  test.error(format('update public.flows set %s', assignment)) ->> 'constraint', rule, left(assignment, 40) || ' is refused'
)
from (values
  ($$nodes = '{}'$$, 'flows_nodes_array'),
  ($$nodes = 'null'$$, 'flows_nodes_array'),
  ($$edges = '"[]"'$$, 'flows_edges_array'),
  (format('nodes = %L', jsonb_build_array(repeat('a', 16777216))), 'flows_nodes_array'),
  (format('edges = %L', jsonb_build_array(repeat('a', 16777216))), 'flows_edges_array'),
  (format('name = %L', repeat('ä', 201)), 'flows_name_length'),
  (format('description = %L', repeat('ä', 20001)), 'flows_description_length')
) as bad (assignment, rule);

select * from finish();
