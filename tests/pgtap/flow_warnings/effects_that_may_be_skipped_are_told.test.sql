select plan(19);

create function pg_temp.warnings(nodes jsonb, edges jsonb, acting_flows jsonb default '{}') returns text[] language sql as $$
  select coalesce(array_agg(format('%s %s', w.warning ->> 'code', w.warning ->> 'path') order by w.position), '{}')
  from jsonb_array_elements(private.flow_warnings(nodes, edges, acting_flows)) with ordinality as w (warning, position);
$$;
-- Applies these changes to the first input port (target) of the node, as an editor does.
create function pg_temp.changed(node jsonb, changes jsonb) returns jsonb language sql as $$
  select jsonb_set(node, '{data,targets,0}', node #> '{data,targets,0}' || changes);
$$;

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', '', 'effects', d.effects), d.sources, d.targets
from (values
  ('act', 'once', jsonb '[{"name": "signature", "type": "free"}, {"name": "maybe", "type": "free", "optional": true}]',
    jsonb '[{"name": "in", "type_bounds": [], "passthrough": true}, {"name": "need", "type_bounds": [], "required": true}, {"name": "submit", "type_bounds": []}]'),
  ('write', 'idempotent', '[]', '[{"name": "in", "type_bounds": []}]'),
  ('api_input', 'none', '[]', '[{"name": "title", "type_bounds": []}]'),
  ('read', 'none', '[{"name": "maybe", "type": "free", "optional": true}]', '[{"name": "in", "type_bounds": []}]'),
  ('http_request', 'once', '[{"name": "body", "type": "free"}]', '[{"name": "body", "type_bounds": []}, {"name": "method", "type_bounds": []}]'),
  ('branch', 'none', '[{"name": "output", "type": "free", "optional": true}]', '[{"name": "value", "type_bounds": [], "required": true}]'),
  ('interflow', 'none', '[]', '[]'), ('interflow_instructions', 'none', '[]', '[]'),
  ('rhai_script_1x1', 'none', '[{"name": "u", "type": "free", "optional": true}]', '[{"name": "source", "type_bounds": ["string"], "required": true}]')
) as d (node_id, effects, sources, targets);

select test.keep('script', test.node('s', 'rhai_script_1x1', '{u}', '{source}', '{"source": "1"}'));
select test.keep('told', '{"effect_may_be_skipped edges[0]"}'::text[]);

select is(
  pg_temp.warnings(
    jsonb_build_array(test.kept('script')::jsonb, target), jsonb_build_array(test.edge('s', 'u', 't', target #>> '{data,targets,0,name}'))
  ), expected::text[], description
)
from (values
  (test.node('t', 'act', '{}', '{in}', '{"need": 1}'), test.kept('told'), 'an optional input of a node with effects'),
  (test.node('t', 'write', '{}', '{in}'), test.kept('told'), 'a node with idempotent effects gets a warning'),
  (test.node('t', 'read', '{}', '{in}'), '{}', 'a node without effects gets no warning'),
  (test.node('t', 'act', '{}', '{need}'), '{}', 'a required input, whose node has no further nodes behind it, gets no warning'),
  (pg_temp.changed(test.node('t', 'write', '{}', '{in}'), '{"when_absent": "run"}'), '{}', 'an input with when_absent gets no warning'),
  (pg_temp.changed(test.node('t', 'write', '{}', '{in}'), '{"when_absent": "run_unless_failed"}'), '{}', 'nor does one that runs unless its source failed'),
  (test.node('t', 'api_input', '{}', '{title}'), test.kept('told'), 'a node that asks a person gets a warning'),
  (test.node('t', 'http_request', '{}', '{body}', '{"method": "POST"}'), test.kept('told'), 'a request with an unsafe method'),
  (test.node('t', 'http_request', '{}', '{body}', '{"method": "head"}'), '{}', 'a request with a safe method gets no warning'),
  (test.node('t', 'http_request', '{}', '{body}'), '{}', 'a request without a method gets no warning'),
  (test.node('t', 'http_request', '{}', '{method}', '{"method": "GET"}'), test.kept('told'), 'a request whose method comes over an edge gets a warning')
) as t (target, expected, description);

select is(
  pg_temp.warnings(
    jsonb_build_array(
      test.node('a', node_id, '{signature,maybe}', '{in,need}', '{"need": 1}'), test.node('t', 'write', '{}', '{in}')
    ), jsonb_build_array(test.edge('a', 'signature', 't', 'in') || change)
  ), expected::text[], description
)
from (values
  ('act', jsonb '{}', '{}', 'an output that is always there'),
  ('act', '{"sourceHandle": "a.maybe"}', test.kept('told'), 'an output that the definition marks as optional'),
  ('act', '{"sourceHandle": "passthrough-a.in"}', '{}', 'an input that is passed on is always there')
) as s (node_id, change, expected, description);

select is(
  pg_temp.warnings(
    jsonb_build_array(test.node('b', 'branch', '{output}', '{value}', '{"value": 1}'), test.node('t', 'write', '{}', '{in}')),
    jsonb_build_array(test.edge('b', 'output', 't', 'in') || change)
  ), expected::text[], description
)
from (values
  (jsonb '{}', '{"effect_skipped_by_branch edges[0]"}', 'where a branch decides, it is a note'),
  ('{"data": {"expression": "a"}}', test.kept('told'), 'an expression may have no result, whatever the branch decides')
) as b (change, expected, description);

-- The definition of a node that calls a flow lists no ports. So the ports that the editor stored in the node count.
select test.keep('call', pg_temp.changed(test.node('t', 'interflow', '{}', '{in}', '{"id": 7}'), '{"required": false}'));
select is(
  pg_temp.warnings(jsonb_build_array(test.kept('script')::jsonb, node), jsonb_build_array(test.edge('s', 'u', 't', 'in')), acting),
  expected::text[], description
)
from (values
  (test.kept('call')::jsonb, jsonb '{"all": [7]}', test.kept('told'), 'a called flow that has effects'),
  (test.kept('call')::jsonb, '{"all": [8]}', '{}', 'a called flow without effects gets no warning'),
  (jsonb_set(test.kept('call')::jsonb, '{data,node_id}', '"interflow_instructions"'), '{"all": [7], "without_instructions": [8]}', '{}',
    'a flow that is called for its instructions, if these are its only effects')
) as c (node, acting, expected, description);

select * from finish();
