select plan(3);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', '', 'effects', d.effects), d.sources, d.targets
from (values
  ('pay', 'once', jsonb '[{"name": "signature", "type": "signature"}]', jsonb '[{"name": "submit", "type_bounds": ["bool"]}]'),
  ('write', 'idempotent', '[]', '[]'), ('interflow', 'none', '[]', '[]'), ('interflow_instructions', 'none', '[]', '[]')
) as d (node_id, effects, sources, targets);

create function pg_temp.graph(variadic nodes jsonb[]) returns jsonb language sql as $$
  select jsonb_build_object('nodes', to_jsonb(nodes), 'edges', '[]'::jsonb);
$$;
create function pg_temp.call(flow_id integer, node_id text default 'interflow') returns jsonb language sql as $$
  select test.node(node_id || flow_id, node_id, form_data => jsonb_build_object('id', flow_id));
$$;
create function pg_temp.acting(flows jsonb) returns text language sql as $$
  select string_agg(format('%s: %s', k.key, (select string_agg(i.id, ' ' order by i.id) from jsonb_array_elements_text(k.value) as i (id))), ', ' order by k.key)
  from jsonb_each(private.acting_flows(jsonb_build_object('entry', '{}'::jsonb, 'flows', flows))) as k;
$$;

select is(
  pg_temp.acting(jsonb_build_object(
    1, pg_temp.graph(test.node('w', 'write')), 2, pg_temp.graph(pg_temp.call(3)), 3, pg_temp.graph(pg_temp.call(2), pg_temp.call(1)),
    4, pg_temp.graph(pg_temp.call(4)), 5, pg_temp.graph(pg_temp.call(99))
  )), 'all: 1 2 3, without_instructions: 1 2 3', 'a flow has effects if it reaches a flow with effects; flows without effects that call each other have none'
);
select is(
  pg_temp.acting(jsonb_build_object(1, pg_temp.graph(test.node('p', 'pay')), 2, pg_temp.graph(pg_temp.call(1)))), 'all: 1 2',
  'for a caller that only collects instructions, flows that only make instructions have no effects'
);
select is(private.acting_flows('{"entry": {}, "flows": {}}'), '{}', 'a snapshot that calls no flow has no called flows with effects');

select * from finish();
