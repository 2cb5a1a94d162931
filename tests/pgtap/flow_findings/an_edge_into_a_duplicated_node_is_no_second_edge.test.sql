select plan(2);

select test.keep('nodes', jsonb_build_array(test.node('a', 'x', '{out}'), test.node('b', 'x', '{}', '{in}')));
select test.keep('edges', jsonb_build_array(test.edge('a', 'out', 'b', 'in')));

select is(test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '{}', 'one edge into an input is no finding');
select is(
  test.findings(test.kept('nodes')::jsonb || (test.kept('nodes')::jsonb -> 1), test.kept('edges')::jsonb),
  '{node_id_duplicate nodes[2].id}',
  'if the node of the input exists twice, only the duplicate node is found'
);

select * from finish();
