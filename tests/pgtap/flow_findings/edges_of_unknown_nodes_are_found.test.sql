select plan(9);

select test.keep('nodes', jsonb_build_array(test.node('a', 'x', '{out}'), test.node('b', 'x', '{}', '{in}')));
select test.keep('edge', test.edge('a', 'out', 'b', 'in'));

select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(test.kept('edge')::jsonb)), '{}', 'an edge between known nodes passes'
);
select is(
  private.flow_findings(
    test.kept('nodes')::jsonb, jsonb_build_array(test.kept('edge')::jsonb || jsonb_build_object('source', test.node_id('z')))
  ),
  jsonb_build_array(jsonb_build_object(
    'code', 'edge_source_unknown', 'path', 'edges[0].source', 'message', format('there is no node %s', test.node_id('z'))
  )),
  'an edge from an unknown node is found, even if its handles are known'
);
select is(
  private.flow_findings(
    test.kept('nodes')::jsonb, jsonb_build_array(test.kept('edge')::jsonb || jsonb_build_object('target', test.node_id('z')))
  ),
  jsonb_build_array(jsonb_build_object(
    'code', 'edge_target_unknown', 'path', 'edges[0].target', 'message', format('there is no node %s', test.node_id('z'))
  )),
  'an edge to an unknown node is found, too'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(test.kept('edge')::jsonb, test.edge('y', 'out', 'z', 'in'))),
  '{edge_source_unknown edges[1].source,edge_target_unknown edges[1].target}', 'an edge between unknown nodes is found at both ends'
);
select is(
  test.findings(test.kept('nodes')::jsonb, jsonb_build_array(edge)),
  '{edge_source_unknown edges[0].source,edge_target_unknown edges[0].target}',
  format('%s names no node', edge)
)
from (values (jsonb '{}'), ('null'), ('"text"'), ('{"source": null, "target": ["a"]}')) as bad (edge);
select is(
  test.findings('[]', jsonb_build_array(test.kept('edge')::jsonb)),
  '{edge_source_unknown edges[0].source,edge_target_unknown edges[0].target}', 'a flow without nodes has no edges'
);

select * from finish();
