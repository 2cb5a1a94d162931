select plan(15);

select test.create_user('owner');
select test.create_user('other');
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('c', 'const', '{out}'))));
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  jsonb_build_array(
    test.node('a', 'const', '{out}', '{}', '{"type": "String", "value": {"S": "one"}}'),
    test.node('b', 'interflow', '{}', '{in}', jsonb_build_object('id', test.kept('called')::integer)),
    test.node('n', 'note')
  ),
  jsonb_build_array(test.edge('a', 'out', 'b', 'in'))
));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
create function pg_temp.has_changed() returns boolean language sql as $$
  select public.flow_has_changed(test.kept('deployment')::uuid);
$$;
create function pg_temp.set_nodes(change text) returns void language plpgsql as $$
begin
  execute format('update public.flows as f set %s where f.id = %s', change, test.kept('flow'));
end;
$$;
grant execute on function pg_temp.has_changed(), pg_temp.set_nodes(text) to public;

select is(pg_temp.has_changed(), false, 'a deployed flow has not changed');
select pg_temp.set_nodes($$ nodes = jsonb_set(nodes, '{0,position}', '{"x": 7, "y": 8}'), name = 'new' $$);
select is(pg_temp.has_changed(), false, 'changed positions and a changed name of the flow do not count');
select pg_temp.set_nodes($$ nodes = jsonb_set(nodes, '{0,data,display_name}', '"One"') $$);
select is(pg_temp.has_changed(), false, 'a changed name of a node does not count');
select pg_temp.set_nodes($$ nodes = jsonb_set(nodes, '{2,data,targets_form,form_data}', '{"text": "why"}') $$);
select is(pg_temp.has_changed(), false, 'a changed text of a note does not count');
select pg_temp.set_nodes($$ nodes = nodes - 2 $$);
select is(pg_temp.has_changed(), false, 'a deleted note does not count');
select pg_temp.set_nodes(format($$ nodes = nodes || %L::jsonb $$, test.node('m', 'note')));
select is(pg_temp.has_changed(), false, 'a new note does not count');
select pg_temp.set_nodes($$ environment = '{"A": "1"}' $$);
select is(pg_temp.has_changed(), true, 'the environment counts');
select pg_temp.set_nodes($$ environment = '{}' $$);
select is(pg_temp.has_changed(), false, 'a change that was undone does not count');
select pg_temp.set_nodes($$ nodes = jsonb_set(nodes, '{0,data,targets_form,form_data,value,S}', '"two"') $$);
select is(pg_temp.has_changed(), true, 'a value of a node counts');
select pg_temp.set_nodes($$ nodes = jsonb_set(nodes, '{0,data}', '7') $$);
select is(pg_temp.has_changed(), true, 'a malformed node counts');
select pg_temp.set_nodes($$ nodes = '[{"data": {"sources": 5}}]', edges = '[{}]' $$);
select is(pg_temp.has_changed(), true, 'malformed ports and edges count');

select pg_temp.set_nodes(format($$ nodes = %L, edges = '[]' $$, jsonb_build_array(
  test.node('b', 'interflow', '{}', '{in}', jsonb_build_object('id', test.kept('called')::integer))
)));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flows set nodes = '[]' where id = test.kept('called')::integer;
select is(pg_temp.has_changed(), true, 'a called flow counts');

select test.sign_in(test.user_id('other'));
select is(
  test.error($$ select pg_temp.has_changed() $$), test.error($$ select public.flow_has_changed(gen_random_uuid()) $$),
  'a deployment of another user counts as missing'
);
select is(test.error_code($$ select pg_temp.has_changed() $$), 'deployment_not_found', 'another user gets the error of a missing deployment');
select test.sign_in_as_role('anon');
select is(test.error_code($$ select pg_temp.has_changed() $$), 'unauthenticated', 'a caller who is not a user is refused');

select * from finish();
