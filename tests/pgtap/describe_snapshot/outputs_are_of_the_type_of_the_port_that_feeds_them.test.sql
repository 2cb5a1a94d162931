select plan(2);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', ''), d.sources, d.targets
from (values
  ('maker', jsonb '[{"name": "made", "type": "signature"}]',
    jsonb '[{"name": "key", "type_bounds": ["keypair"], "required": true, "passthrough": true, "tooltip": "Who signs"}]')
) as d (node_id, sources, targets);

create function pg_temp.graph() returns jsonb language sql as $$
  select jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
    'nodes', jsonb_build_array(
      test.node('i', 'flow_input', '{out}', '{}', '{"label": "who"}'), test.node('m', 'maker', '{made,other}', '{key}'),
      jsonb_set(test.node('call', 'interflow', '{sum}', '{}', '{"id": 1}'), '{data,sources,0,type}', '"u64"'),
      test.node('o1', 'flow_output', '{}', '{x}', '{"label": "made"}'), test.node('o2', 'flow_output', '{}', '{x}', '{"label": "payer"}'),
      test.node('o3', 'flow_output', '{}', '{x}', '{"label": "sum"}'), test.node('o4', 'flow_output', '{}', '{x}', '{"label": "same"}'),
      test.node('o5', 'flow_output', '{}', '{x}', '{"label": "nothing"}'), test.node('o6', 'flow_output', '{}', '{x}', '{"label": "unknown"}')
    ),
    'edges', jsonb_build_array(
      test.edge('i', 'out', 'm', 'key'), test.edge('m', 'made', 'o1', 'x'),
      test.edge('m', 'key', 'o2', 'x') || '{"sourceHandle": "passthrough-m.key"}',
      test.edge('call', 'sum', 'o3', 'x'), test.edge('i', 'out', 'o4', 'x'), test.edge('m', 'other', 'o6', 'x')
    )
  ));
$$;

select is(
  (select d.outputs from private.describe_snapshot(pg_temp.graph()) as d),
  '[
    {"name": "made", "type": "signature"}, {"name": "payer", "type": "keypair"}, {"name": "sum", "type": "u64"},
    {"name": "same", "type": "keypair"}, {"name": "nothing", "type": "free"}, {"name": "unknown", "type": "free"}
  ]',
  'an output has the type of its port, of the value that is passed on, or of the input that feeds it; otherwise any type'
);
select is(
  (select d.inputs #>> '{0,description}' from private.describe_snapshot(jsonb_set(pg_temp.graph(), '{entry,edges}', (pg_temp.graph() #> '{entry,edges}') - 4)) as d),
  'Who signs', 'an input that feeds only one port has the description in the port''s definition'
);

select * from finish();
