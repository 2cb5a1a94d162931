select plan(12);

create function pg_temp.warnings(nodes jsonb, edges jsonb) returns text[] language sql as $$
  select coalesce(array_agg(w.warning ->> 'path' order by w.position) filter (where w.warning ->> 'code' = 'effect_may_lack_value'), '{}')
  from jsonb_array_elements(private.flow_warnings(nodes, edges, '{}')) with ordinality as w (warning, position);
$$;
create function pg_temp.changed(node jsonb, changes jsonb) returns jsonb language sql as $$
  select jsonb_set(node, '{data,targets,0}', node #> '{data,targets,0}' || changes);
$$;
-- Makes all inputs of the node optional in the flow's JSON.
create function pg_temp.optional(node jsonb) returns jsonb language sql as $$
  select jsonb_set(node, '{data,targets}', jsonb_agg(port || '{"required": false}')) from jsonb_array_elements(node #> '{data,targets}') as port;
$$;

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', '', 'effects', d.effects), d.sources, d.targets
from (values
  ('act', 'once', jsonb '[{"name": "done", "type": "free"}]', jsonb '[{"name": "in", "type_bounds": []}]'),
  ('const', 'none', '[{"name": "Source", "type": "free"}]', '[]'),
  ('branch', 'none', '[{"name": "output", "type": "free", "optional": true}, {"name": "rejected", "type": "free", "optional": true}]',
    '[{"name": "value", "type_bounds": []}]'),
  ('get', 'none', '[{"name": "body", "type": "free"}, {"name": "status", "type": "free"}]', '[]'),
  ('text', 'none', '[{"name": "text", "type": "free"}]', '[{"name": "a", "type_bounds": []}, {"name": "b", "type_bounds": []}, {"name": "need", "type_bounds": [], "required": true}]'),
  ('merge', 'none', '[{"name": "text", "type": "free"}]', '[{"name": "a", "type_bounds": []}, {"name": "b", "type_bounds": []}]')
) as d (node_id, effects, sources, targets);

select test.keep('before', jsonb_build_array(
  test.node('g', 'get', '{body,status}'), test.node('h', 'get', '{body,status}'), test.node('c', 'const', '{Source}'),
  test.node('b', 'branch', '{output,rejected}', '{value}')
));
select test.keep('text', pg_temp.optional(test.node('t', 'text', '{text}', '{a,b,need}', '{"need": 1}')));
select test.keep('print', test.node('p', 'text', '{text}', '{a,b,need}', '{"need": 1}'));
select test.keep('act', test.node('x', 'act', '{done}', '{in}'));

select is(
  pg_temp.warnings(
    test.kept('before')::jsonb || jsonb_build_array(text, test.kept('print')::jsonb, test.kept('act')::jsonb),
    (select jsonb_agg(test.edge(split_part(e, ' ', 1), split_part(e, ' ', 2), split_part(e, ' ', 3), split_part(e, ' ', 4)) order by position)
      from unnest(edges) with ordinality as edge (e, position))
  ), expected::text[], description
)
from (values
  (test.kept('text')::jsonb, array['g body t a', 'c Source t b', 't text x in'], '{edges[0]}', 'one of the two values may fail to come'),
  (test.kept('text')::jsonb, array['g body t a', 'h body t b', 't text x in'], '{edges[0],edges[1]}', 'both may fail to come'),
  (test.kept('text')::jsonb, array['g body t a', 'g status t b', 't text x in'], '{}', 'both come from one node, so both are missing if it fails'),
  (test.kept('text')::jsonb, array['b output t a', 'b rejected t b', 't text x in'], '{edges[0],edges[1]}', 'only one branch is taken'),
  (test.kept('text')::jsonb, array['g body t a', 't text x in'], '{}', 'a node with one edge does not run without its value'),
  (test.kept('text')::jsonb, array['g body t need', 'c Source t b', 't text x in'], '{}', 'a required input'),
  (pg_temp.changed(test.kept('text')::jsonb, '{"required": true}'), array['g body t a', 'c Source t b', 't text x in'], '{}', 'an input that the flow makes required'),
  (pg_temp.changed(test.kept('text')::jsonb, '{"when_absent": "run"}'), array['g body t a', 'c Source t b', 't text x in'], '{}', 'an input with when_absent'),
  (test.kept('text')::jsonb, array['g body t a', 'c Source t b', 't text p a'], '{}', 'no node with effects lies behind'),
  (test.kept('text')::jsonb, array['g body t a', 'c Source t b', 't text p a', 'p text x in'], '{edges[0]}', 'a node with effects lies further behind'),
  (jsonb_set(test.kept('text')::jsonb, '{data,node_id}', '"merge"'), array['g body t a', 'c Source t b', 't text x in'], '{}', 'merge takes the first value'),
  (test.kept('text')::jsonb, array['g body x in', 'c Source t b'], '{}', 'the node with effects waits for all its values itself')
) as t (text, edges, expected, description);

select * from finish();
