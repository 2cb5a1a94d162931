select plan(26);

create function pg_temp.warnings(nodes jsonb, edges jsonb default '[]') returns text[] language sql as $$
  select coalesce(array_agg(format('%s %s', w.warning ->> 'code', w.warning ->> 'path') order by w.position), '{}')
  from jsonb_array_elements(private.flow_warnings(nodes, edges, '{}')) with ordinality as w (warning, position);
$$;
create function pg_temp.message(nodes jsonb, edges jsonb default '[]') returns text language sql as $$
  select private.flow_warnings(nodes, edges, '{}') #>> '{0,message}';
$$;

select is(
  pg_temp.warnings(jsonb_build_array(test.node('a', 'expression', '{out}', '{in}'))), '{input_missing nodes[0]}',
  'while the service role has defined no nodes, every native node counts as existing, with the ports in the flow''s JSON'
);

select is(
  pg_temp.warnings(jsonb_build_array(test.node('i', 'interflow', '{}', '{b}'), test.node('s', 'rhai_script_1x1', '{u}', '{source}'))),
  '{}', 'without definitions, no input counts as missing'
);
select is(pg_temp.warnings('[]'), '{flow_empty nodes}', 'a flow without nodes gets a warning');

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', ''), d.sources, d.targets
from (values
  ('flow_input', jsonb '[{"name": "", "type": "free"}]', jsonb '[]'),
  ('flow_output', '[]', '[{"name": "", "type_bounds": ["free"], "required": true}]'),
  ('interflow', '[]', '[]'),
  ('rhai_script_1x1', '[{"name": "u", "type": "free"}]', '[{"name": "source", "type_bounds": ["string"], "required": true}]'),
  ('wait', '[{"name": "out", "type": "free"}]',
    '[{"name": "value", "type_bounds": [], "required": true, "passthrough": true}, {"name": "for", "type_bounds": []}]')
) as d (node_id, sources, targets);

select is(
  pg_temp.warnings(
    jsonb_build_array(
      test.node('in', 'flow_input', '{x}', '{}', '{"label": "a"}'), test.node('w', 'wait', '{out}', '{value,for}'),
      test.node('out', 'flow_output', '{}', '{y}', '{"label": "b"}')
    ),
    jsonb_build_array(
      test.edge('in', 'x', 'w', 'value'),
      test.edge('w', 'out', 'out', 'y') || '{"sourceHandle": "passthrough-w.value"}'
    )
  ), '{}', 'labels name the ports of flow inputs and outputs, and an input that is handed on is an output'
);
select is(
  pg_temp.warnings(jsonb_build_array(
    test.node('a', 'expression', '{out}', '{in}'), test.node('b', 'x', '{}', '{in}', '{}', 'WASM'), test.node('c', 'x', '{}', '{in}', '{}', 'mock')
  )), '{node_not_implemented nodes[0].data.node_id,node_not_implemented nodes[1].data.node_id}',
  'nodes that this project does not have get one warning each, and mocks get none'
);
select is(
  pg_temp.message(jsonb_build_array(test.node('a', 'expression'))),
  'this project has no node "expression", so the run fails at it', 'the message names a native node by its name'
);
select is(
  pg_temp.message(jsonb_build_array(test.node('a', 'x', type => 'deno'))),
  'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript', 'the message names any other node by its type'
);

select is(pg_temp.warnings(jsonb_build_array(test.node('w', 'wait', '{out}', targets, form))), expected, description)
from (values
  ('{value,for}'::text[], jsonb '{}', '{input_missing nodes[0]}'::text[], 'the definition decides which inputs are required'),
  ('{}', '{}', '{input_missing nodes[0]}', 'whatever is drawn'),
  ('{value,for}', '{"value": 1}', '{}', 'a value in form data is enough'),
  ('{value,for}', '{"value": null}', '{}', 'null, too'),
  ('{value,for}', '[]', '{input_missing nodes[0]}', 'form data that is not an object has no values')
) as w (targets, form, expected, description);
select is(
  pg_temp.warnings(jsonb_build_array(test.node('r', 'rhai_script_1x1', '{u}', '{source,a}', '{"source": "1"}'), test.node('i', 'interflow', '{}', '{b}'))),
  '{}', 'an unconnected input of a node that has the ports that are drawn is never missing'
);
select is(
  pg_temp.warnings(jsonb_build_array(test.node('out', 'flow_output', '{}', '{y}', '{"label": "b"}'))),
  '{input_missing nodes[0]}', 'a flow output without an edge has nothing to put out'
);

select test.keep('nodes', jsonb_build_array(
  test.node('a', 'wait', '{out,more}', '{value,for}', '{"value": 1}'), test.node('b', 'wait', '{out,more}', '{value,for,other}', '{"value": 1}')
));
select is(pg_temp.warnings(test.kept('nodes')::jsonb, jsonb_build_array(test.edge('a', 'out', 'b', 'for') || change)), expected, description)
from (values
  (jsonb '{}', '{}'::text[], 'an edge between ports that there are is fine'),
  ('{"sourceHandle": "gone"}', '{edge_source_handle_unknown edges[0].sourceHandle}', 'an unknown handle gets a warning'),
  ('{"sourceHandle": null, "targetHandle": "gone"}',
    '{edge_source_handle_unknown edges[0].sourceHandle,edge_target_handle_unknown edges[0].targetHandle}', 'unknown handles at both ends get warnings'),
  ('{"targetHandle": "a.for"}', '{edge_target_handle_unknown edges[0].targetHandle}', 'a handle of another node gets a warning'),
  ('{"targetHandle": "b.other"}', '{edge_target_port_unknown edges[0].targetHandle}', 'a drawn input that the node does not have'),
  ('{"sourceHandle": "a.more"}', '{edge_source_port_unknown edges[0].sourceHandle}', 'a drawn output that the node does not have'),
  ('{"sourceHandle": "passthrough-a.for"}', '{edge_source_port_unknown edges[0].sourceHandle}', 'an input that is not handed on')
) as e (change, expected, description);

select is(
  pg_temp.warnings(jsonb_build_array(
    test.node('a', 'flow_input', '{x}', '{}', '{"label": "n"}'), test.node('b', 'flow_input', '{x}', '{}', '{"label": "m"}'),
    test.node('c', 'flow_input', '{n}', '{}', '{}')
  )), '{input_label_duplicate nodes[2].data.targets_form.form_data.label}', 'two inputs with the same label get one warning, at the later node'
);

select is(
  pg_temp.warnings(jsonb_build_array(
    jsonb_set(test.node('i', 'interflow', '{u}'), '{data,on_error}', '"output"'), jsonb_set(test.node('j', 'interflow', '{error}'), '{data,on_error}', '"output"')
  )), '{"error_output_missing nodes[0].data.on_error","error_output_unused nodes[1].data.on_error"}',
  'handled failures without an output or without an edge get a warning'
);
select is(
  pg_temp.warnings(
    jsonb_build_array(
      jsonb_set(test.node('w', 'wait', '{out,error}', '{}', '{"value": 1}'), '{data,on_error}', '"output"'), test.node('out', 'flow_output', '{}', '{y}', '{"label": "b"}')
    ),
    jsonb_build_array(test.edge('w', 'error', 'out', 'y'))
  ), '{}', 'the output named error is known, although no definition has it'
);

select is(
  pg_temp.warnings((
    select jsonb_agg(
      jsonb_set(jsonb_set(test.node(n.name, n.node_id), '{data,retry}', n.retry), '{data,timeout_ms}', n.timeout) order by n.name
    )
    from (values
      ('a', 'interflow', jsonb '{"max_attempts": 2}', jsonb '1000'), ('b', 'rhai_script_1x1', '{"max_attempts": 2}', 'null'),
      ('c', 'interflow', 'null', 'null'), ('d', 'flow_input', '{"max_attempts": 2}', 'null'),
      -- A timeout is a transient error, so the retry of a script with a timeout gets no warning.
      ('e', 'rhai_script_1x1', '{"max_attempts": 2}', '1000')
    ) as n (name, node_id, retry, timeout)
  )), '{"retry_without_effect nodes[0].data.retry","retry_without_effect nodes[1].data.retry"}', 'retries of nodes without transient failures get warnings'
);

select is(
  (
    select jsonb_build_object('count', jsonb_array_length(w.warnings), 'is_short', octet_length(w.warnings::text) < 100000)
    from (select private.flow_warnings((select jsonb_agg(test.node(n::text, repeat('long', 50))) from generate_series(1, 3000) as n), '[]', '{}')) as w (warnings)
  ), '{"count": 100, "is_short": true}', 'there are at most 100, and what they name is shortened'
);

select * from finish();
