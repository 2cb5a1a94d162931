select plan(5);

create function pg_temp.node(form_data jsonb, sources jsonb default '[]', node_id text default 'flow_input', type text default 'native')
returns jsonb language sql as $$
  select jsonb_build_object('data', jsonb_build_object(
    'type', node.type, 'node_id', node.node_id, 'sources', node.sources, 'targets_form', jsonb_build_object('form_data', node.form_data)
  ));
$$;
create function pg_temp.names(variadic nodes jsonb[]) returns text[] language sql as $$
  select private.input_names(to_jsonb(names.nodes));
$$;

select is(private.input_names('[]'), '{}', 'a graph without nodes has no inputs');
select is(
  pg_temp.names(pg_temp.node('{"label": "b"}'), pg_temp.node('{"label": "a", "form_label": 1}'), pg_temp.node('{"label": "b"}')),
  '{b,a}', 'the names are the labels, each once, in the order of the nodes'
);
select is(
  pg_temp.names(
    pg_temp.node('{}', '[{"name": "drawn"}]'), pg_temp.node('{"label": 5}', '[{"name": "other"}, {"name": "never"}]'),
    pg_temp.node('null'), pg_temp.node('{"label": ""}', '[{"name": "x"}]')
  ),
  '{drawn,other,""}', 'an input without a text as label has the name of its output, or an empty name'
);
select is(
  pg_temp.names(pg_temp.node('{"label": "a"}', type => 'mock'), pg_temp.node('{"label": "b"}', node_id => 'flow_output')), '{}',
  'only flow_input nodes that run are inputs'
);

-- A deployment stores the names of its inputs.
select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  pg_temp.node('{"label": "a"}') || '{"id": "00000000-0000-4000-8000-000000000001"}'::jsonb
) #- '{}'));
update public.flows set nodes = jsonb_set(nodes, '{0,data,targets}', '[]') where true;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select results_eq(
  $$ select input_names, test.error_code('update public.flow_deployments set input_names = ''{}'' where true') from public.flow_deployments $$,
  $$ values ('{a}'::text[], 'column_read_only') $$, 'a deployment has the input names of its flow, and they can not be changed'
);

select * from finish();
