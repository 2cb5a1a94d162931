select plan(6);

select test.keep('nodes', jsonb_build_array(
  test.node('a', 'x', '{out}'), test.node('b', 'x', '{out}'), test.node('c', 'x', '{}', '{in,other}'), test.node('d', 'x', '{}', '{in}')
));

select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(
    test.edge('a', 'out', 'c', 'in'), test.edge('b', 'out', 'c', 'other'), test.edge('b', 'out', 'd', 'in')
  )), '{}', 'edges into different inputs of one node, or of two nodes with equal port names, are no finding'
);
select is(
  private.flow_findings(test.kept('nodes')::jsonb, jsonb_build_array(
    test.edge('a', 'out', 'c', 'in'), test.edge('a', 'out', 'd', 'in'), test.edge('b', 'out', 'c', 'in')
  )),
  jsonb_build_array(jsonb_build_object(
    'code', 'input_connected_twice', 'path', 'edges[2].targetHandle',
    'message', format('two edges lead into the input "in" of node %s', test.node_id('c'))
  )),
  'the second edge into an input is found'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(test.edge('a', 'out', 'd', 'in'), test.edge('a', 'out', 'd', 'in'))),
  '{input_connected_twice edges[1].targetHandle}', 'the same edge twice counts as two edges'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(
    test.edge('a', 'out', 'c', 'in'), test.edge('b', 'out', 'c', 'in'), test.edge('a', 'out', 'c', 'in'),
    test.edge('a', 'out', 'd', 'in'), test.edge('b', 'out', 'd', 'in')
  )), '{input_connected_twice edges[2].targetHandle,input_connected_twice edges[4].targetHandle}', 'each input with several edges is one finding'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(
    test.edge('a', 'out', 'c', 'in'), test.edge('b', 'out', 'd', 'in') || jsonb_build_object('target', test.node_id('c'))
  )), '{input_connected_twice edges[1].targetHandle}', 'the name of the port counts, whichever handle leads to it'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(
    test.edge('a', 'out', 'c', 'in'), test.edge('b', 'gone', 'c', 'in'), test.edge('b', 'out', 'd', 'in')
  )), '{}', 'an edge that is dropped does not count'
);

select * from finish();
