select plan(8);

select test.keep('nodes', jsonb_build_array(
  test.node('a', 'x', '{out}'), test.node('b', 'x', '{out}', '{in}'), test.node('c', 'x', '{}', '{in}')
));

create temporary view kept_edges as
  select edge_index, target_port from private.flow_edges(test.kept('nodes')::jsonb, test.kept('edges')::jsonb);

select test.keep('edges', jsonb_build_array(
  test.edge('a', 'out', 'b', 'in'), test.edge('a', 'gone', 'c', 'in'), test.edge('b', 'out', 'c', 'gone'), test.edge('b', 'out', 'c', 'in')
));
select is(test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '{}', 'an edge with a handle that no node has is no finding');
select results_eq('select * from kept_edges', $$ values (0, 'in'), (3, 'in') $$, 'edges with unknown handles are dropped, and the others are kept');

-- Dropped edges are ignored when the check looks for second edges into an input and for cycles.
select test.keep('edges', jsonb_build_array(
  test.edge('a', 'out', 'b', 'in'), test.edge('a', 'gone', 'b', 'in'), test.edge('c', 'gone', 'b', 'in'), test.edge('b', 'out', 'b', 'gone')
));
select is(
  test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '{}', 'a dropped edge counts neither as a second edge into an input nor in a cycle'
);
select results_eq('select * from kept_edges', $$ values (0, 'in') $$, 'these edges are dropped');

select test.keep('edges', jsonb_build_array(
  test.edge('b', 'out', 'c', 'in') - 'sourceHandle', test.edge('b', 'out', 'c', 'in') - 'targetHandle'
));
select is(test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '{}', 'an edge without handles is no finding');
select is_empty('select * from kept_edges', 'an edge without handles is dropped');

-- An edge connects the nodes that it names by id. Its handles may belong to other nodes of the flow.
select test.keep('edges', jsonb_build_array(
  test.edge('a', 'out', 'b', 'in') || jsonb_build_object('source', test.node_id('b'), 'target', test.node_id('c'))
));
select results_eq(
  'select source, target, target_port from private.flow_edges(test.kept(''nodes'')::jsonb, test.kept(''edges'')::jsonb)',
  $$ values (test.node_id('b')::text, test.node_id('c')::text, 'in') $$, 'a handle may be another node''s'
);
select is(test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '{}', 'such an edge is no finding');

select * from finish();
