select plan(11);

select test.create_user('owner');
create function pg_temp.disabled(node jsonb) returns jsonb language sql as $$
  select jsonb_set(node, '{data,disabled}', 'true');
$$;
select test.keep('called', test.create_flow(test.user_id('owner'), '[]'));
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    test.node('i', 'flow_input', '{x}', '{}', '{"label": "x"}'),
    pg_temp.disabled(test.node('b', 'branch', '{output,rejected}', '{value}', '{"operator": "equals"}')),
    pg_temp.disabled(test.node('c', 'interflow', '{out}', '{in}', '{"id": 0}'))
  ),
  jsonb_build_array(test.edge('i', 'x', 'b', 'value'), test.edge('b', 'output', 'c', 'in'))
));
grant execute on function pg_temp.disabled(jsonb) to public;

select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select pass('a disabled call of a flow that does not exist is deployed');
reset role;
create function pg_temp.frozen(place integer, member text) returns jsonb language sql as $$
  select s.data #> array['entry', 'nodes', frozen.place::text, 'data', frozen.member]
  from public.flow_deployments as d join private.flow_snapshots as s on s.hash = d.snapshot_hash
  where d.id = test.kept('deployment')::uuid;
$$;
select is(pg_temp.frozen(0, 'node_id'), '"flow_input"', 'other nodes are frozen as they are');
select is(pg_temp.frozen(1, 'node_id'), '"disabled"', 'a disabled node is frozen as the node disabled');
select is(pg_temp.frozen(1, 'sources') #>> '{1,name}', 'rejected', 'it keeps its outputs');
select is(pg_temp.frozen(1, 'targets') #>> '{0,name}', 'value', 'it keeps its inputs');
select is(pg_temp.frozen(1, 'targets_form'), '{"form_data": {"chooses": true}}', 'a branch goes the first way');
select is(pg_temp.frozen(2, 'targets_form'), '{"form_data": {"chooses": false}}', 'any other node gives all its outputs');

select test.sign_in(test.user_id('owner'));
select is(public.flow_has_changed(test.kept('deployment')::uuid), false, 'the flow has not changed since its deploy');
update public.flows set nodes = jsonb_set(nodes, '{1,data,disabled}', 'false') where id = test.kept('flow')::integer;
select is(public.flow_has_changed(test.kept('deployment')::uuid), true, 'an enabled node is a change');
reset role;

select is(
  private.nodes_to_run(jsonb_build_array(pg_temp.disabled(test.node('i', 'flow_input', '{x}')))) #> '{0,data,node_id}',
  '"flow_input"', 'an input of the flow can not be disabled'
);
select is(
  private.nodes_to_run('[7, null, {"data": 5}, {"data": [{"disabled": true}]}, {"data": {"disabled": "yes"}}]'),
  '[7, null, {"data": 5}, {"data": [{"disabled": true}]}, {"data": {"disabled": "yes"}}]',
  'malformed nodes stay as they are'
);
