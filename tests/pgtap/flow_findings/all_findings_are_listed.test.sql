select plan(3);

select test.keep('nodes', jsonb_build_array(
  test.node('a', 'x', '{out}', '{in}'), test.node('b', 'x', '{out}', '{in,again}'), test.node('twin', 'x'), test.node('twin', 'x'),
  test.node('o1', 'flow_output', '{}', '{sum}', '{"label": "sum"}'), test.node('o2', 'flow_output', '{}', '{sum}', '{"label": "sum"}')
));
select test.keep('edges', jsonb_build_array(
  test.edge('a', 'out', 'b', 'in'), test.edge('b', 'out', 'a', 'in'), test.edge('a', 'out', 'b', 'in'),
  test.edge('nobody', 'out', 'b', 'again'), test.edge('a', 'out', 'nobody', 'in')
));

select is(
  test.findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb),
  array[
    'input_connected_twice edges[2].targetHandle', 'edge_source_unknown edges[3].source', 'edge_target_unknown edges[4].target',
    'node_id_duplicate nodes[3].id', 'output_label_duplicate nodes[5].data.targets_form.form_data.label', 'graph_has_cycle edges'
  ],
  'a flow with every fault gets a finding for each fault'
);
select is_empty(
  $$ select f from jsonb_array_elements(private.flow_findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb)) as f
    where (select array_agg(key order by key) from jsonb_object_keys(f) as key) <> '{code,message,path}' or f ->> 'message' is null $$,
  'each finding has a code, a path and a message'
);
select is(
  test.findings(test.kept('nodes')::jsonb - 5 - 3, test.kept('edges')::jsonb - 4 - 3 - 2 - 1), '{}',
  'without the faulty parts there are no findings'
);

select * from finish();
