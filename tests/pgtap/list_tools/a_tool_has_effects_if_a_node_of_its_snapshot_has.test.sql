select plan(4);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', '', 'effects', d.effects), '[]', '[]'
from (values ('pay', 'once'), ('add', 'none'), ('interflow', 'none'), ('flow_input', 'none')) as d (node_id, effects);

create function pg_temp.has_effects(nodes jsonb) returns boolean language plpgsql as $$
declare
  v_flow integer := test.create_flow(test.user_id('owner'), has_effects.nodes);
begin
  return (public.list_tools(id => test.deploy(v_flow)) #>> '{tools,0,has_effects}')::boolean;
end;
$$;
grant execute on function pg_temp.has_effects(jsonb) to public;

select test.create_user('owner');
select test.keep('paying', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('pay', 'pay'))));
select test.sign_in(test.user_id('owner'));

select is(pg_temp.has_effects(jsonb_build_array(test.node('add', 'add'))), false, 'a flow whose nodes have no effects has none');
select is(pg_temp.has_effects(jsonb_build_array(test.node('pay', 'pay'))), true, 'a node with effects');
select is(
  pg_temp.has_effects(jsonb_build_array(test.node('call', 'interflow', form_data => jsonb_build_object('id', test.kept('paying')::integer)))),
  true, 'a node with effects in a called flow'
);
select is(pg_temp.has_effects(jsonb_build_array(test.node('x', 'unknown_node'))), true, 'a node without a definition may have any effects');

select * from finish();
