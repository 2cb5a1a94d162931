select plan(6);

create function pg_temp.nodes(n integer) returns jsonb language sql as $$
  select jsonb_agg(test.node(i::text, 'x', '{out}', '{a,b}') order by i) from generate_series(1, n) as i;
$$;

select test.keep('diamond', jsonb_build_array(
  test.edge('1', 'out', '2', 'a'), test.edge('1', 'out', '3', 'a'), test.edge('2', 'out', '4', 'a'), test.edge('3', 'out', '4', 'b')
));
select is(test.findings(pg_temp.nodes(4), test.kept('diamond')::jsonb), '{}', 'a diamond is no cycle');
select is(
  test.findings(pg_temp.nodes(4), test.kept('diamond')::jsonb || test.edge('4', 'out', '1', 'a')), '{graph_has_cycle edges}',
  'with an edge back to its first node, a diamond is a cycle'
);
select is(
  test.findings(pg_temp.nodes(4), test.kept('diamond')::jsonb || test.edge('1', 'out', '3', 'b')), '{}',
  'two edges from one node to another are no cycle'
);
select is(
  test.findings(
    (select jsonb_agg(node order by position desc) from jsonb_array_elements(pg_temp.nodes(4)) with ordinality as n (node, position)),
    (select jsonb_agg(edge order by position desc)
      from jsonb_array_elements(test.kept('diamond')::jsonb) with ordinality as e (edge, position))
  ), '{}', 'the order in which nodes and edges are saved doesn''t matter'
);

-- In this chain of 200 pairs of nodes there are 2^200 paths, so the search must not follow each path.
select test.keep('ladder', (
  select jsonb_agg(edge) from generate_series(1, 399, 2) as i
  cross join lateral (values
    (test.edge(i::text, 'out', (i + 2)::text, 'a')), (test.edge(i::text, 'out', (i + 3)::text, 'a')),
    (test.edge((i + 1)::text, 'out', (i + 2)::text, 'b')), (test.edge((i + 1)::text, 'out', (i + 3)::text, 'b'))
  ) as rung (edge)
));
select is(test.findings(pg_temp.nodes(402), test.kept('ladder')::jsonb), '{}', 'a chain of two hundred diamonds is no cycle');
select is(
  test.findings(pg_temp.nodes(402), test.kept('ladder')::jsonb || test.edge('401', 'out', '1', 'a')), '{graph_has_cycle edges}',
  'with an edge from its last node to its first, the chain is a cycle'
);

select * from finish();
