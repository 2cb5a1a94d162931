select plan(6);

create function pg_temp.paths(node_id text, input text, form jsonb) returns text[] language sql as $$
  select coalesce(array_agg(w.warning ->> 'path'), '{}')
  from jsonb_array_elements(private.flow_warnings(
    jsonb_build_array(
      test.node('a', 'flow_input', '{value}', form_data => '{"label": "value"}'),
      test.node('b', node_id, '{out}', array[input], form)
    ),
    jsonb_build_array(test.edge('a', 'value', 'b', input)), '{}'
  )) as w (warning)
  where w.warning ->> 'code' = 'names_missing';
$$;

select is(
  pg_temp.paths(node_id, input, form), array['nodes[1].data.targets_form.form_data.' || listed_in], format('%s, form data %s', node_id, form)
) from (values
  ('postgrest_builder_match', 'filter', '{}'::jsonb, 'columns'), ('postgrest_builder_insert', 'body', '{"columns": []}', 'columns'),
  ('sql_function', 'params', '{"function": "f"}', 'param_names')
) as v (node_id, input, form, listed_in);
select is(pg_temp.paths(node_id, input, form), '{}', format('%s, form data %s', node_id, form)) from (values
  ('postgrest_builder_match', 'filter', '{"columns": ["a"]}'::jsonb), ('postgrest_builder_update', 'body', '{"body": {"a": 1}}'),
  ('postgrest_builder_eq', 'filter', '{"column": "a"}')
) as v (node_id, input, form);

select * from finish();
