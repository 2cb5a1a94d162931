select plan(6);

select test.keep('a', test.node('a', 'x'));
select test.keep('b', test.node('b', 'x'));
select test.keep('c', test.node('c', 'x'));

select is(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('b')::jsonb, test.kept('c')::jsonb)), '{}', 'different ids pass'
);
select is(
  private.flow_findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('b')::jsonb, test.kept('a')::jsonb), '[]'),
  jsonb_build_array(jsonb_build_object(
    'code', 'node_id_duplicate', 'path', 'nodes[2].id', 'message', format('two nodes have the id %s', test.node_id('a'))
  )),
  'the second node with an id is found'
);
select is(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('a')::jsonb, test.kept('a')::jsonb)), '{node_id_duplicate nodes[2].id}',
  'an id that occurs three times is one finding'
);
select is(
  test.findings(jsonb_build_array(test.kept('b')::jsonb, test.kept('b')::jsonb, test.kept('a')::jsonb, test.kept('a')::jsonb)),
  '{node_id_duplicate nodes[1].id,node_id_duplicate nodes[3].id}', 'two repeated ids are two findings'
);
select is(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.node('a', 'y', type => 'mock'))), '{node_id_duplicate nodes[1].id}',
  'a mock node with the same id is found'
);
select is(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('b')::jsonb || jsonb_build_object('width', test.node_id('a')))), '{}',
  'the same id in another member of a node is no finding'
);

select * from finish();
