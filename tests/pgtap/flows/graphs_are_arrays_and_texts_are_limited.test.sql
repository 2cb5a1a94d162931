select plan(9);

select test.create_user('owner');
select test.create_flow(test.user_id('owner'));
select test.sign_in(test.user_id('owner'));

select is(test.error(format('update public.flows set %s', assignment)), null, left(assignment, 40) || ' is accepted')
from (values
  ($$nodes = '[]', edges = '[]'$$),
  -- The editor may save any arrays; only a deploy checks the graph.
  ($$nodes = '[{"half": "drawn"}]', edges = '[null]'$$),
  (format('name = %L', repeat('ä', 200))),
  (format('description = %L', repeat('ä', 20000)))
) as good (assignment);

select is(
  test.error(format('update public.flows set %s', assignment)) ->> 'message', rule, left(assignment, 40) || ' is refused'
)
from (values
  ($$nodes = '{}'$$, 'nodes: must be an array.'),
  ($$nodes = 'null'$$, 'nodes: must be an array.'),
  ($$edges = '"[]"'$$, 'edges: must be an array.'),
  (format('name = %L', repeat('ä', 201)), 'name: must have at most 200 characters.'),
  (format('description = %L', repeat('ä', 20001)), 'description: must have at most 20000 characters.')
) as bad (assignment, rule);

select * from finish();
