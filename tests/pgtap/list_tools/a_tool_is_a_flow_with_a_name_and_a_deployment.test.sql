select plan(8);

create function pg_temp.list(arguments text) returns jsonb language plpgsql as $$
declare v_list jsonb;
begin execute format('select public.list_tools(%s)', arguments) into v_list; return v_list; end;
$$;
create function pg_temp.tools(arguments text default '') returns text language sql as $$
  select string_agg(t ->> 'name', ' ' order by place) from jsonb_array_elements(pg_temp.list(arguments) -> 'tools') with ordinality as t (t, place);
$$;
grant execute on function pg_temp.list(text), pg_temp.tools(text) to public;

select test.create_user('owner');
select test.create_user('other');
select test.keep(name, test.create_flow(test.user_id(owner)))
from (values ('a', 'owner'), ('b', 'owner'), ('without_name', 'owner'), ('without_deployment', 'owner'), ('foreign', 'other')) as f (name, owner);
select test.sign_in(test.user_id(owner)), test.deploy(test.kept(name)::integer)
from (values ('a', 'owner'), ('b', 'owner'), ('without_name', 'owner'), ('foreign', 'other')) as f (name, owner);
select test.sign_out();
update public.flows set tool_name = name.name
from (values ('a'), ('b'), ('without_deployment'), ('foreign')) as name (name) where id = test.kept(name.name)::integer;

select test.sign_in(test.user_id('owner'));
select is(pg_temp.tools(), 'a b', 'the tools are the own flows that have a name and a deployment with the tag');
select is(pg_temp.tools($$ tool_name => 'b' $$), 'b', 'a name selects one tool');
select is(pg_temp.tools($$ tool_name => 'foreign' $$), null, 'the tool of another user is none');
select is(pg_temp.tools(format('after_flow => %s', test.kept('a'))), 'b', 'a page begins after a flow');

update public.flows set tool_tag = 'stable' where id = test.kept('a')::integer;
select is(pg_temp.tools(), 'b', 'a flow without a deployment that has its tag is no tool');

select is(
  pg_temp.list($$ tool_name => 'b' $$) #>> '{tools,0,description}', 'b',
  'without a description and without a name of the flow, the description is the name of the tool'
);
update public.flows set name = 'Adds', description = '  ' where id = test.kept('b')::integer;
select is(pg_temp.list($$ tool_name => 'b' $$) #>> '{tools,0,description}', 'Adds', 'a blank description is none');
update public.flows set tool_description = 'For you' where id = test.kept('b')::integer;
select is(pg_temp.list($$ tool_name => 'b' $$) #>> '{tools,0,description}', 'For you', 'the description of the tool comes first');

select * from finish();
