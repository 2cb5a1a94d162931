select plan(8);

-- Makes nodes 1 to n, each with an output and two inputs.
create function pg_temp.nodes(n integer) returns jsonb language sql as $$
  select jsonb_agg(test.node(i::text, 'x', '{out}', '{in,back}') order by i) from generate_series(1, n) as i;
$$;
-- Makes the edges of a path through these nodes; each edge ends at the input with this name.
create function pg_temp.path(numbers integer[], port text default 'in') returns jsonb language sql as $$
  select jsonb_agg(test.edge(numbers[i]::text, 'out', numbers[i + 1]::text, port) order by i)
  from generate_series(1, cardinality(numbers) - 1) as i;
$$;
create function pg_temp.ring(findings jsonb) returns text language sql as $$
  select string_agg(coalesce(n.i::text, part), ' ' order by p.position)
  from regexp_split_to_table(split_part(findings #>> '{-1,message}', ': ', 2), ' → ') with ordinality as p (part, position)
  left join generate_series(1, 1000) as n (i) on test.node_id(n.i::text)::text = part;
$$;

select is(test.findings(pg_temp.nodes(3), pg_temp.path('{1,2,3}')), '{}', 'a path is not a cycle');
select is(
  private.flow_findings(pg_temp.nodes(2), pg_temp.path('{1,1}')),
  jsonb_build_array(jsonb_build_object(
    'code', 'graph_has_cycle', 'path', 'edges', 'message', 'these nodes wait for each other in a circle: ' || test.node_id('1')
  )),
  'a node that waits for itself is found'
);
select matches(
  pg_temp.ring(private.flow_findings(pg_temp.nodes(3), pg_temp.path('{3,1,3}'))), '^(1 3|3 1)$',
  'two nodes that wait for each other are found'
);
select matches(
  pg_temp.ring(private.flow_findings(pg_temp.nodes(6), pg_temp.path('{6,2,3,4,2}') || pg_temp.path('{4,1,5}', 'back'))),
  '^(2 3 4|3 4 2|4 2 3)$', 'a ring is named in the order of its edges, without what leads into it and out of it'
);
select matches(
  pg_temp.ring(private.flow_findings(pg_temp.nodes(300), pg_temp.path(array(select generate_series(1, 300)) || 1))),
  '^([0-9]+ ){20}…$', 'the first twenty nodes of a cycle of 300 are named'
);
select is(
  test.findings(pg_temp.nodes(4), pg_temp.path('{1,2,1}') || pg_temp.path('{3,4,3}')), '{graph_has_cycle edges}',
  'two cycles are one finding'
);
select is(
  test.findings(pg_temp.nodes(3), pg_temp.path('{1,2,3,1}') || pg_temp.path('{2,1}')),
  '{input_connected_twice edges[3].targetHandle,graph_has_cycle edges}', 'a cycle is found together with other findings'
);
select is(
  test.findings(pg_temp.nodes(2), pg_temp.path('{1,2}') || jsonb_build_array(
    test.edge('2', 'out', '1', 'in') || jsonb_build_object('sourceHandle', 'passthrough-2.in')
  )), '{graph_has_cycle edges}', 'an input that is passed through closes a ring as well'
);

select * from finish();
