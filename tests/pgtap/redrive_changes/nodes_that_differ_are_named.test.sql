select plan(13);

create function pg_temp.graph(nodes jsonb, edges jsonb default '[]') returns jsonb language sql as $$
  select jsonb_build_object('nodes', graph.nodes, 'edges', graph.edges, 'environment', '{}'::jsonb, 'instructions_bundling', '"Off"'::jsonb);
$$;
create function pg_temp.changed(old jsonb, new jsonb) returns jsonb language sql as $$
  select coalesce(jsonb_object_agg(c.node_id, c.change), '{}') from private.changed_nodes(changed.old, changed.new) as c;
$$;
select test.keep('a', test.node_id('a')), test.keep('b', test.node_id('b')), test.keep('c', test.node_id('c'));
create temporary table g (name text, graph jsonb);
insert into g values (
  'old', pg_temp.graph(
    jsonb_build_array(test.node('a', 'const', '{out}'), test.node('b', 'print', '{}', '{in,more}'), test.node('c', 'const', '{out}')),
    jsonb_build_array(test.edge('a', 'out', 'b', 'in'), test.edge('c', 'out', 'b', 'in'))
  )
);

select is(pg_temp.changed(graph, graph), '{}', 'equal graphs have no changes') from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{nodes}', (graph -> 'nodes' -> 2) || (graph -> 'nodes') - 3)), '{}', 'the order of nodes makes no difference'
) from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{nodes,0,data,targets_form,form_data}', '{"x": 1}')), jsonb_build_object(test.kept('a'), 'data'),
  'a changed value changes only its own node'
) from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{nodes,0,data,display_name}', '"One"')), '{}', 'the name of a node makes no difference'
) from g;
select is(
  pg_temp.changed(jsonb_set(graph, '{nodes}', (graph -> 'nodes') || test.node('n', 'note')), graph), '{}', 'a changed note changes no node'
) from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{edges,0,targetHandle}', '"b.more"')), jsonb_build_object(test.kept('b'), 'edges'), 'an edge changes the node that it leads to'
) from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{edges,0,data}', '{"expression": "$ + 1"}')), jsonb_build_object(test.kept('b'), 'edges'), 'a changed expression of an edge changes the target'
) from g;
select is(
  pg_temp.changed(graph, jsonb_set(graph, '{edges}', jsonb_build_array(graph #> '{edges,1}', graph #> '{edges,0}'))), jsonb_build_object(test.kept('b'), 'edges'),
  'the order of the edges into a node counts, because the last one wins'
) from g;
select is(
  pg_temp.changed(graph, graph #- '{nodes,2}' #- '{edges,1}'), jsonb_build_object(test.kept('b'), 'edges', test.kept('c'), 'removed'), 'a removed node changes the nodes that its edges lead to'
) from g;
select is(
  (select array_agg(distinct value) from jsonb_each_text(pg_temp.changed(graph, null))), array['removed'], 'all nodes of a deleted flow are removed'
) from g;

-- Flow 7 calls flow 8, and flow 8 calls flow 9.
create function pg_temp.calls(name text, flow integer) returns jsonb language sql as $$
  select pg_temp.graph(jsonb_build_array(test.node(calls.name, 'interflow', '{}', '{}', jsonb_build_object('id', calls.flow))));
$$;
create function pg_temp.snapshot(last jsonb) returns jsonb language sql as $$
  select jsonb_build_object('entry', pg_temp.calls('a', 8), 'flows', jsonb_build_object('8', pg_temp.calls('b', 9), '9', snapshot.last));
$$;
select is(
  private.redrive_changes(pg_temp.snapshot(pg_temp.graph('[]')), pg_temp.snapshot(graph)),
  jsonb_build_object(
    'entry', jsonb_build_object('nodes', '{}'::jsonb, 'calls', jsonb_build_array(test.kept('a'))),
    '8', jsonb_build_object('nodes', '{}'::jsonb, 'calls', jsonb_build_array(test.kept('b'))),
    '9', '{"nodes": {}, "calls": []}'::jsonb
  ),
  'calls of a changed flow are named, also if the called flow calls it'
) from g;
select is(
  private.redrive_changes(pg_temp.snapshot(graph), pg_temp.snapshot(graph)) #> '{entry,calls}', '[]', 'calls of an unchanged flow are not named'
) from g;
select is(
  private.changed_flows(pg_temp.snapshot(graph), '{"entry": {}, "flows": {}}'), '{8,9}', 'deleted flows have changed'
) from g;

select * from finish();
