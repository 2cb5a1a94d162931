select plan(5);

select test.create_user('owner');
-- In a snapshot, the ids of called flows are keys of jsonb. Jsonb sorts keys by length first, so 99999 comes before
-- 100000.
insert into public.flows (id, user_id) overriding system value
select id, test.user_id('owner') from unnest('{99999,100000}'::integer[]) as id;
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('node', test.node('a', 'x', '{out}', '{in,out}'));

create function pg_temp.entry(nodes jsonb, edges jsonb default '[]', environment jsonb default '{}') returns jsonb language plpgsql as $$
declare
  v_hash bytea;
begin
  update public.flows as f set nodes = entry.nodes, edges = entry.edges, environment = entry.environment
  where f.id = test.kept('flow')::integer;
  v_hash := test.take_snapshot(test.kept('flow')::integer);
  return (
    select case when s.hash = sha256(convert_to(s.data::text, 'UTF8')) then s.data -> 'entry' end
    from private.flow_snapshots as s where s.hash = v_hash
  );
end;
$$;

select is(
  pg_temp.entry('[]'), '{"nodes": [], "edges": [], "environment": {}, "instructions_bundling": "Off"}', 'the hash is right for an empty flow'
);
select is(
  pg_temp.entry(jsonb_build_array(
    test.node('1', 'interflow', form_data => '{"id": 100000}'), test.node('2', 'interflow', form_data => '{"id": 99999}')
  )) #> '{nodes,1,data,targets_form,form_data}',
  '{"id": 99999}', 'the hash is right for a flow that calls others'
);

select is(pg_temp.entry(nodes) -> 'nodes', nodes, 'the hash is right for nodes with all members that a run reads, whatever their values')
from jsonb_build_array(
  jsonb_set(
    test.kept('node')::jsonb - 'width', '{data}',
    test.kept('node')::jsonb -> 'data' || '{
      "display_name": "\"ä\\\n", "instruction_info": {"before": [], "signature": "s", "after": ["x"]},
      "sources": [
        {"id": "1", "name": "", "type": null, "optional": null}, {"id": "2", "name": "b", "optional": true},
        {"id": "3", "name": "c", "type": "free"}, {"id": "4", "name": "d"}
      ],
      "targets_form": {"form_data": [1.50, 1e21, -0.0, "}, {", {"b": 1, "aa": null}], "extra": null}
    }'
  ),
  jsonb_set(test.node('b', 'x'), '{data,display_name}', 'null') - 'width',
  test.node('c', 'x', type => 'mock') #- '{data,display_name}' #- '{width}'
) as nodes;

select is(pg_temp.entry(nodes, edges) -> 'edges', edges, 'the hash is right for edges that lack members')
from jsonb_build_array(test.kept('node')::jsonb, test.node('m', 'x', type => 'mock')) as nodes
cross join lateral (select jsonb_agg(jsonb_build_object('target', test.node_id('m')) || members)
  from (values (jsonb '{}'), ('{"source": null, "sourceHandle": null, "targetHandle": null}'), ('{"sourceHandle": "a.out"}')) as e (members)
) as e (edges);

select is(
  pg_temp.entry('[]', environment => environment) -> 'environment', environment, 'the hash is right for an environment with several settings'
)
from (values (jsonb '{"b": "", "aa": "\\", "a": "{}"}')) as settings (environment);

select * from finish();
