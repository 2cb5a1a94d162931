select plan(1);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'),
  jsonb_build_array(test.node('s', 'rhai_script_1x1', '{u}', '{source,a}', '{"source": "a"}'), test.node('b', 'y', '{}', '{in}')),
  jsonb_build_array(
    test.edge('s', 'u', 'b', 'in'), test.edge('s', 'u', 'b', 'in') || '{"data": {"expression": "a.b"}}',
    test.edge('s', 'u', 'b', 'in') || '{"data": {"expression": ""}}'
  )
));
select test.sign_in(test.user_id('owner'));
select is(
  (select jsonb_agg(s - 'flow_id') from jsonb_array_elements(public.read_flow_scripts(test.kept('flow')::integer) -> 'scripts') as s),
  jsonb_build_array(
    jsonb_build_object('index', 0, 'node_id', test.node_id('s'), 'language', 'rhai', 'inputs', '[]'::jsonb, 'source', 'a'),
    jsonb_build_object('index', 1, 'node_id', test.node_id('b'), 'language', 'jsonata', 'inputs', '[]'::jsonb, 'source', 'a.b')
  ),
  'expressions come after scripts, with the index of the edge and its target'
);

select * from finish();
