select plan(4);

select test.create_user('owner');
select test.keep(f.name, test.create_flow(test.user_id('owner'), (
  select jsonb_agg(test.node('input ' || f.name || g, 'flow_input', '{out}', form_data => jsonb_build_object(
    'label', 'i' || g, 'type', 'text', 'help', repeat('x', 1000)
  ))) from generate_series(1, f.inputs) as g
)))
from (values ('a', 1), ('b', 300), ('c', 300), ('d', 1)) as f (name, inputs);
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept(f.name)::integer) from (values ('a'), ('b'), ('c'), ('d')) as f (name);
update public.flows set tool_name = f.name
from (values ('a'), ('b'), ('c'), ('d')) as f (name) where id = test.kept(f.name)::integer;

create function pg_temp.page(after_flow integer) returns text language sql as $$
  select concat_ws(' ', (select string_agg(t ->> 'name', ' ' order by place) from jsonb_array_elements(p.page -> 'tools') with ordinality as t (t, place)), p.page ->> 'next')
  from (select public.list_tools(after_flow => page.after_flow) as page) as p;
$$;
select is(pg_temp.page(null), 'a b ' || test.kept('b'), 'a page ends before a tool with which it would be too large');
select is(pg_temp.page(test.kept('b')::integer), 'c d', 'the next page begins with this tool');

update public.flows set nodes = (
  select jsonb_agg(n.node) from (
    select jsonb_array_elements(f.nodes) as node from public.flows as f where f.id = test.kept('b')::integer
    union all select test.node('input more' || g, 'flow_input', '{out}', form_data => jsonb_build_object(
      'label', 'j' || g, 'type', 'text', 'help', repeat('x', 1000)
    )) from generate_series(1, 600) as g
  ) as n
) where id = test.kept('b')::integer;
select test.deploy(test.kept('b')::integer);
select is(pg_temp.page(null), 'a ' || test.kept('a'), 'a tool may be larger than a page');
select is(pg_temp.page(test.kept('a')::integer), 'b ' || test.kept('b'), 'and has a page of its own');

select * from finish();
