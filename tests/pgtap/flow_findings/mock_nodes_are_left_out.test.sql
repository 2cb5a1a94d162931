select plan(9);

select test.keep('nodes', jsonb_build_array(
  test.node('a', 'x', '{out}', '{in}'), test.node('b', 'x', '{out}', '{in}'),
  test.node('m', 'x', '{out}', '{in}', type => 'mock'), test.node('n', 'x', '{out}', '{in}', type => 'mock')
));
create function pg_temp.found(variadic edges jsonb[]) returns text[] language sql as $$
  select test.findings(test.kept('nodes')::jsonb, to_jsonb(edges));
$$;

select is(pg_temp.found(test.edge('a', 'out', 'b', 'in')), '{}', 'an edge between other nodes is no finding');
select is(pg_temp.found(test.edge('a', 'out', 'm', 'in')), '{}', 'an edge into a mock node is no finding');
select is(pg_temp.found(test.edge('a', 'out', 'm', 'in'), test.edge('b', 'out', 'm', 'in')), '{}', 'two edges into one input of a mock node are no finding');
select is(pg_temp.found(test.edge('m', 'out', 'n', 'in'), test.edge('n', 'out', 'm', 'in')), '{}', 'a ring of mock nodes is no finding');
select is(pg_temp.found(test.edge('z', 'out', 'm', 'in')), '{}', 'an edge from a missing node into a mock node is no finding');
select is(
  pg_temp.found(test.edge('m', 'out', 'b', 'in')), '{edge_source_unknown edges[0].source}', 'an edge out of a mock node comes from nowhere'
);
select is(
  pg_temp.found(test.edge('a', 'out', 'm', 'in'), test.edge('m', 'out', 'a', 'in')), '{edge_source_unknown edges[1].source}',
  'a ring through a mock node is no cycle'
);
select is(
  pg_temp.found(test.edge('a', 'out', 'b', 'in') || '{"sourceHandle": "m.out"}'), '{}', 'a handle of a mock node is an unknown handle'
);
select is_empty(
  $$ select * from private.flow_edges(
    test.kept('nodes')::jsonb, jsonb_build_array(test.edge('m', 'out', 'b', 'in'), test.edge('a', 'out', 'm', 'in'))
  ) $$, 'a run keeps no edge of a mock node'
);

select * from finish();
