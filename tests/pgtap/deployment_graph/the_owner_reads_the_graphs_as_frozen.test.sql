select plan(12);

select test.create_user('owner');
select test.create_user('other');
-- Returns the node as the editor stores it after drawing it: with a position, and selected.
create function pg_temp.drawn(node jsonb, x integer) returns jsonb language sql as $$
  select drawn.node || jsonb_build_object('position', jsonb_build_object('x', drawn.x, 'y', 0.5), 'selected', true);
$$;
grant execute on function pg_temp.drawn(jsonb, integer) to public;
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(pg_temp.drawn(test.node('c', 'note'), 3))));
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    pg_temp.drawn(test.node('a', 'const', '{out}', '{}', '{"type": "String", "value": {"S": "secret"}}'), 1),
    pg_temp.drawn(test.node('b', 'interflow', '{}', '{in}', jsonb_build_object('id', test.kept('called')::integer)), 2)
  ),
  jsonb_build_array(test.edge('a', 'out', 'b', 'in'))
));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flows set nodes = '[]', edges = '[]' where true;

create temporary view graphs as select public.deployment_graph(test.kept('deployment')::uuid) as g;
grant select on graphs to public;
select is(g - 'flows', jsonb_build_object('deployment_id', test.kept('deployment'), 'flow_id', test.kept('flow')::integer), 'the answer names the deployment and its flow') from graphs;
select is(
  array(select jsonb_object_keys(g -> 'flows') from graphs order by 1), array(select unnest(array[test.kept('called'), test.kept('flow')]) order by 1),
  'the answer has the flow itself and the flows that it calls, by their ids'
);
select is(
  g -> 'flows' -> test.kept('flow') #> '{nodes,0}',
  '{"id": "0cc175b9-c0f1-b6a8-31c3-99e269772661", "position": {"x": 1, "y": 0.5}, "data": {"type": "native", "node_id": "const",
    "sources": [{"id": "a.out", "name": "out", "type": "free"}], "targets": [], "display_name": "a",
    "targets_form": {"form_data": {"type": "String", "value": {"S": "secret"}}}}}',
  'nodes are as they were frozen, with the positions that they had at the deploy'
) from graphs;
select is(g -> 'flows' -> test.kept('flow') -> 'edges', jsonb_build_array(test.edge('a', 'out', 'b', 'in')), 'edges are as they were frozen') from graphs;
select is(g -> 'flows' -> test.kept('called') #> '{nodes,0,position,x}', '3', 'nodes of called flows have their positions') from graphs;

select test.sign_in(test.user_id('other'));
select is(
  test.error($$ select public.deployment_graph(test.kept('deployment')::uuid) $$), test.error($$ select public.deployment_graph(gen_random_uuid()) $$),
  'a deployment of another user counts as missing'
);
select is(
  test.error($$ select public.deployment_graph(test.kept('deployment')::uuid) $$),
  test.error($$ select public.start_deployment(id => test.kept('deployment')::uuid) $$), 'the error equals that of a start'
);
select test.sign_in(test.user_id('owner'));
update public.flow_deployments set start_permission = 'Anonymous' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('other'));
select is(test.error_code($$ select public.deployment_graph(test.kept('deployment')::uuid) $$), 'deployment_not_found', 'for other users the deployment does not exist, even if everybody may start it');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select public.deployment_graph(test.kept('deployment')::uuid) $$), 'unauthenticated', 'a caller who is not a user is refused');

select test.sign_in(test.user_id('owner'));
update public.flows set nodes = jsonb_build_array(pg_temp.drawn(test.node('a', 'note'), 1), test.node('b', 'note')) where id = test.kept('flow')::integer;
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select is(
  (select jsonb_path_query_array(g -> 'flows' -> test.kept('flow'), '$.nodes[*].position') from graphs), '[{"x": 1, "y": 0.5}, null]',
  'a node without a position in the editor has none'
);
delete from public.flow_deployments where id = test.kept('deployment')::uuid;
select is(test.error_code($$ select public.deployment_graph(test.kept('deployment')::uuid) $$), 'deployment_not_found', 'a deleted deployment has no graph');
select test.sign_out();
select is(
  (select count(*)::integer from private.flow_deployment_canvases where deployment_id = test.kept('deployment')::uuid), 0, 'the positions are deleted with the deployment'
);

select * from finish();
