select plan(6);

select is(private.flow_findings('[]', '[]'), '[]', 'an empty flow has no findings');
select is(private.flow_findings(jsonb_build_array(test.node('a', 'flow_input')), '[]'), '[]', 'a single node has no findings');

-- Two inputs, a script and an output, as the editor saves them for a + b.
select test.keep('nodes', jsonb_build_array(
  test.node('a', 'flow_input', '{a}', form_data => '{"label": "a", "form_label": 0}'),
  test.node('b', 'flow_input', '{b}', form_data => '{"label": "b", "form_label": 0}'),
  test.node('add', 'rhai_script_2x1', '{u}', '{source,a,b}', '{"source": "a + b"}'),
  test.node('c', 'flow_output', '{}', '{c}', '{"label": "c"}')
));
select test.keep('edges', jsonb_build_array(
  test.edge('a', 'a', 'add', 'a'), test.edge('b', 'b', 'add', 'b'), test.edge('add', 'u', 'c', 'c')
));
select is(private.flow_findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb), '[]', 'a flow that adds two inputs has no findings');

select is(
  private.flow_findings(jsonb_set(test.kept('nodes')::jsonb, '{2,data,node_id}', '"no_such_command"'), test.kept('edges')::jsonb), '[]',
  'an unknown native node is not a finding, because only a run fails at it'
);
select is(
  private.flow_findings(
    jsonb_build_array(
      test.node('a', 'x', '{out}', type => 'deno'), test.node('b', 'x', '{out}', '{in}', type => 'WASM'), test.node('c', 'x', '{}', '{in}')
    ),
    jsonb_build_array(test.edge('a', 'out', 'b', 'in'), test.edge('b', 'out', 'c', 'in'))
  ), '[]', 'nodes of all types may be joined'
);
select is(
  private.flow_findings(
    jsonb_build_array(test.node('a', 'x', '{out}', '{in}'), test.node('b', 'x', '{}', '{in}'), test.node('c', 'x', '{}', '{in}')),
    jsonb_build_array(test.edge('a', 'out', 'b', 'in'), test.edge('a', 'out', 'c', 'in'))
  ), '[]', 'one output may feed several inputs, and inputs may stay unconnected'
);

select * from finish();
