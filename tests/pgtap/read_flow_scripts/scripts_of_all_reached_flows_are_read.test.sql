select plan(8);

create function pg_temp.script(name text, source jsonb) returns jsonb language sql as $$
  select test.node(name, 'rhai_script_1x1', '{u}', '{source,a}', case when source is null then '{}' else jsonb_build_object('source', source) end);
$$;
create function pg_temp.read(flow text) returns jsonb language sql as $$ select public.read_flow_scripts(test.kept(flow)::integer); $$;
grant execute on function pg_temp.script(text, jsonb), pg_temp.read(text) to authenticated;

select test.create_user('owner');
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(pg_temp.script('c', '"c"'))));
select test.keep('flow', test.create_flow(test.user_id('owner'),
  jsonb_build_array(
    test.node('note', 'note'), pg_temp.script('a', '"a"'), pg_temp.script('none', null), pg_temp.script('fed', '"x"'), pg_temp.script('odd', '1'),
    test.node('i', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
  ),
  jsonb_build_array(test.edge('a', 'u', 'fed', 'source'))
));
update public.flows as f set nodes = f.nodes || jsonb_build_array(
  test.node('r', 'interflow', form_data => jsonb_build_object('id', test.kept('flow')::integer))
) where f.id = test.kept('called')::integer;

select test.sign_in(test.user_id('owner'));
select is(
  (select array_agg(format('%s %s %s', s ->> 'index', s ->> 'node_id', coalesce(s ->> 'source', '-')) order by position)
    from jsonb_array_elements(pg_temp.read('flow') -> 'scripts') with ordinality as s (s, position)),
  array['1 ' || test.node_id('a') || ' a', '2 ' || test.node_id('none') || ' -', '0 ' || test.node_id('c') || ' c'],
  'scripts in form data and nodes without a script are listed, by flow and index; scripts that an edge brings are not'
);
select is(
  pg_temp.read('flow') -> 'as_of',
  (select jsonb_object_agg(f.id, f.updated_at) from public.flows as f), 'as_of has the time of the last change of each flow, also if flows call each other in a ring'
);
select is(
  pg_temp.read('flow') - '{as_of,scripts}'::text[], '{"scripts_left_out": 0, "flows_left_out": 0}', 'no script and no flow is left out'
);

update public.flows as f set nodes = (select jsonb_agg(pg_temp.script(n::text, '"1"')) from generate_series(1, 600) as n)
where f.id = test.kept('flow')::integer;
select is(
  (select jsonb_build_object('read', jsonb_array_length(r -> 'scripts'), 'left', r -> 'scripts_left_out') from pg_temp.read('flow') as r),
  '{"read": 500, "left": 100}', 'at most 500 scripts are read'
);
update public.flows as f set nodes = (
  select jsonb_agg(pg_temp.script(n::text, to_jsonb(repeat('x', 60000)))) || jsonb_build_array(pg_temp.script('long', to_jsonb(repeat('x', 65537))))
  from generate_series(1, 6) as n
) where f.id = test.kept('flow')::integer;
select is(
  (select jsonb_build_object('read', jsonb_array_length(r -> 'scripts'), 'left', r -> 'scripts_left_out') from pg_temp.read('flow') as r),
  '{"read": 4, "left": 3}', 'at most 262,144 characters of scripts are read, and a script that is too long is not read'
);
update public.flows as f set nodes = '[null, 1, {"data": {"type": "native", "node_id": "rhai_script_1x1", "targets": 5}}]', edges = '[1, null, {}]'
where f.id = test.kept('flow')::integer;
select is(
  jsonb_array_length(pg_temp.read('flow') -> 'scripts'), 1, 'values that are no nodes are skipped, because the deploy refuses them'
);
update public.flows as f set nodes = jsonb_build_array(
  test.node('js', 'javascript', '{u}', '{a,b,source}', '{"source": "return a"}'), test.node('odd', 'javascript', '{u}', '{}', '{"source": 1}')
), edges = jsonb_build_array(test.edge('odd', 'u', 'js', 'source'))
where f.id = test.kept('flow')::integer;
select is(
  (select jsonb_agg(s - '{flow_id,node_id}'::text[] order by s ->> 'index') from jsonb_array_elements(pg_temp.read('flow') -> 'scripts') as s),
  '[{"index": 0, "inputs": ["a", "b", "source"], "source": "return a", "language": "javascript"},
    {"index": 1, "inputs": [], "source": null, "language": "javascript"}]',
  'JavaScripts are listed with the names of their inputs, and an edge never brings one'
);
select is(test.error_code('select public.read_flow_scripts(-1)'), 'flow_not_found', 'a flow that does not exist is not found');

select * from finish();
