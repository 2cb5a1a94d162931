select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  nodes => jsonb_build_array(test.node('a', 'flow_input'), test.node('a', 'flow_output')),
  edges => jsonb_build_array(test.edge('a', 'x', 'b', 'y'))
));
select test.sign_in(test.user_id('owner'));
select test.keep('deploy', format('select public.deploy_flow(%s)', test.kept('flow')));

select is(
  test.error(test.kept('deploy')),
  jsonb_build_object(
    'code', 'flow_invalid', 'status', 422, 'hint', null,
    'message', format('The flow can''t run: there is no node %s.', test.node_id('b')),
    'details', jsonb_build_array(
      jsonb_build_object(
        'flow_id', test.kept('flow')::integer, 'code', 'edge_target_unknown', 'path', 'edges[0].target',
        'message', format('there is no node %s', test.node_id('b'))
      ),
      jsonb_build_object(
        'flow_id', test.kept('flow')::integer, 'code', 'node_id_duplicate', 'path', 'nodes[1].id',
        'message', format('two nodes have the id %s', test.node_id('a'))
      )
    )
  ),
  'a flow that can''t run is refused with all its findings'
);
select is(test.row_count('select from public.flow_deployments'), 0::bigint, 'no deployment is made');
select is(test.row_count('select from public.flow_deployments_tags'), 0::bigint, 'a refused deploy sets no tag');

select test.sign_out();
select is_empty('select * from private.flow_snapshots', 'a refused deploy stores no snapshot');

update public.flows set nodes = nodes - 1, edges = '[]' where true;
select test.sign_in(test.user_id('owner'));
select is(test.error(test.kept('deploy')), null, 'the corrected flow is deployed');

select * from finish();
