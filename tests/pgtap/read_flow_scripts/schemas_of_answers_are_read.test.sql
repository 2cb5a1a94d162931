select plan(1);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'),
  jsonb_build_array(
    test.node('drawn', 'api_input', '{value}', '{title,json_schema}', '{"title": "Sum?", "json_schema": {"type": "text"}}'),
    test.node('free', 'api_input', '{value}', '{title,json_schema}', '{"json_schema": null}'),
    test.node('plain', 'api_input', '{value}', '{title}'),
    test.node('fed', 'api_input', '{value}', '{title,json_schema}', '{"json_schema": {"type": "text"}}')
  ),
  jsonb_build_array(test.edge('free', 'value', 'drawn', 'title'), test.edge('free', 'value', 'fed', 'json_schema'))
));
select test.sign_in(test.user_id('owner'));
select is(
  (select jsonb_agg(s - 'flow_id') from jsonb_array_elements(public.read_flow_scripts(test.kept('flow')::integer) -> 'scripts') as s),
  jsonb_build_array(jsonb_build_object(
    'index', 0, 'node_id', test.node_id('drawn'), 'language', 'json_schema', 'inputs', '[]'::jsonb, 'source', '{"type": "text"}'
  )),
  'a schema in form data is read, unless an edge brings another schema'
);

select * from finish();
