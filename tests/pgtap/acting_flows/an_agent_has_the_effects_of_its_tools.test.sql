select plan(2);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', '', 'effects', d.effects), '[]', '[]'
from (values ('write', 'idempotent'), ('read', 'none'), ('ai_agent', 'none')) as d (node_id, effects);

create function pg_temp.graph(node jsonb) returns jsonb language sql as $$
  select jsonb_build_object('nodes', jsonb_build_array(node), 'edges', '[]'::jsonb);
$$;
create function pg_temp.agent(name text, variadic flows integer[]) returns jsonb language sql as $$
  select test.node(name, 'ai_agent', form_data => jsonb_build_object(
    'tools', (select jsonb_agg(jsonb_build_object('flow', f.id, 'name', f.id::text)) from unnest(flows) as f (id))
  ));
$$;
select test.keep('flows', jsonb_build_object(
  1, pg_temp.graph(test.node('w', 'write')), 2, pg_temp.graph(test.node('r', 'read')),
  3, pg_temp.graph(pg_temp.agent('a', 2, 1)), 4, pg_temp.graph(pg_temp.agent('b', 2))
)::text);

select is(
  private.acting_flows(jsonb_build_object('entry', '{}'::jsonb, 'flows', test.kept('flows')::jsonb)) -> 'all', '[1, 3]',
  'a flow with an agent has effects if one of the tools has'
);
select is(
  array(
    select a.node_id from private.acting_nodes(
      jsonb_build_array(pg_temp.agent('acts', 2, 3), pg_temp.agent('reads', 2, 4)), '[]', '{"all": [1, 3]}'
    ) as a
  ),
  array[(pg_temp.agent('acts', 2)) ->> 'id'], 'an agent has effects if one of its tools has'
);

select * from finish();
