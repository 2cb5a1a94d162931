select plan(4);

-- Keep a node and an edge in two forms: with all members that the editor stores, and with only the members that a run
-- needs.
select test.keep('node', '{
  "id": "10000000-0000-4000-8000-000000000001",
  "data": {
    "type": "native", "node_id": "const", "display_name": "Const",
    "sources": [{"id": "s", "name": "out", "type": "free", "optional": true}],
    "targets": [
      {"id": "t", "name": "in", "type_bounds": ["free"], "required": true, "passthrough": false},
      {"id": "u", "name": "other", "type_bounds": ["free"], "required": false, "passthrough": false, "when_absent": "run_unless_failed"}
    ],
    "targets_form": {"form_data": {"type": "JSON", "value": {"tooltip": "kept"}}, "extra": {"source": "code"}},
    "instruction_info": {"before": [], "signature": "signature", "after": []}
  }
}'::jsonb);
select test.keep('edge', '{
  "source": "10000000-0000-4000-8000-000000000001", "sourceHandle": "gone",
  "target": "10000000-0000-4000-8000-000000000001", "targetHandle": "t"
}'::jsonb);

select test.create_user('owner');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    jsonb_set(jsonb_set(jsonb_set(jsonb_set(
      test.kept('node')::jsonb || '{"width": 300, "height": 80, "position": {"x": 1, "y": 2}, "type": "node", "selected": true}',
      '{data,backgroundColor}', '"#fff"'), '{data,sources,0,tooltip}', '"x"'), '{data,targets,0}', '{"id": "t", "name": "in", "type_bounds": ["free"], "required": true, "passthrough": false, "defaultValue": 1, "when_absent": null}'),
      '{data,targets_form}',
      test.kept('node')::jsonb #> '{data,targets_form}' || '{"json_schema": {}, "ui_schema": {}, "wasm_bytes": "AA=="}')
  ),
  jsonb_build_array(test.kept('edge')::jsonb || '{"id": "e", "animated": true, "style": {"stroke": "#fff"}}')
));
select test.keep('hash', test.take_snapshot(test.kept('flow')::integer));

select is(
  data,
  jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
    'nodes', jsonb_build_array(test.kept('node')::jsonb), 'edges', jsonb_build_array(test.kept('edge')::jsonb),
    'environment', '{}'::jsonb, 'instructions_bundling', 'Off'
  )),
  'a snapshot has only the members of nodes, ports and edges that a run needs'
)
from private.flow_snapshots;

-- Moving a node on the canvas makes no new snapshot.
update public.flows set nodes = jsonb_set(nodes, '{0,position}', '{"x": 500, "y": 500}'), edges = edges #- '{0,style}' where true;
select is(test.take_snapshot(test.kept('flow')::integer), test.kept('hash')::bytea, 'a moved node does not change the snapshot');

update public.flows set nodes = jsonb_set(nodes, '{0,data,targets_form,form_data,value,tooltip}', '"edited"') where true;
select isnt(test.take_snapshot(test.kept('flow')::integer), test.kept('hash')::bytea, 'a changed form value changes the snapshot');

update public.flows set nodes = jsonb_build_array(test.node('b', 'x'), test.node('a', 'x')), edges = '[]' where true;
select test.keep('reordered', test.take_snapshot(test.kept('flow')::integer));
select is(
  jsonb_path_query_array(data, '$.entry.nodes[*].id'), jsonb_build_array(test.node_id('b'), test.node_id('a')),
  'the order of the nodes stays'
)
from private.flow_snapshots where hash = test.kept('reordered')::bytea;

select * from finish();
