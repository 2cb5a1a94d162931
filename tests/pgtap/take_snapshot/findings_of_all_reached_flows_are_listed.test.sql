select plan(3);

-- The entry calls a valid flow and an invalid flow, which calls another invalid flow.
select test.create_user('owner');
select test.keep(name, test.create_flow(test.user_id('owner'))) from unnest('{entry,sound,broken,deep}'::text[]) as name;
create function pg_temp.call(name text, flow_id integer) returns jsonb language sql as $$
  select test.node(name, 'interflow', form_data => jsonb_build_object('id', flow_id));
$$;
update public.flows set
  nodes = jsonb_build_array(
    pg_temp.call('1', test.kept('sound')::integer), pg_temp.call('2', test.kept('broken')::integer), pg_temp.call('3', 0)
  )
where id = test.kept('entry')::integer;
update public.flows set
  nodes = jsonb_build_array(pg_temp.call('1', test.kept('deep')::integer)), edges = jsonb_build_array(test.edge('1', 'out', 'z', 'in'))
where id = test.kept('broken')::integer;
update public.flows set nodes = '[{"id": "no uuid"}]' where id = test.kept('deep')::integer;

create function pg_temp.refused(flow text) returns text[] language sql as $$
  select array_agg(format('%s %s %s', name.name, f ->> 'code', f ->> 'path'))
  from jsonb_array_elements(test.error(format('select test.take_snapshot(%s)', test.kept(flow))) -> 'details') as f
  join unnest('{entry,sound,broken,deep}'::text[]) as name on test.kept(name.name) = f ->> 'flow_id';
$$;

select set_eq(
  $$ select unnest(pg_temp.refused('entry')) $$,
  array[
    'entry interflow_flow_unknown nodes[2].data.targets_form.form_data.id', 'broken edge_target_unknown edges[0].target',
    'deep node_malformed nodes[0]'
  ],
  'the findings of the flow and of all flows that it reaches are listed at once, by flow'
);
select is(
  pg_temp.refused('broken'), '{broken edge_target_unknown edges[0].target,deep node_malformed nodes[0]}', 'a called flow reports only itself and the flows that it reaches'
);
select is(pg_temp.refused('sound'), null, 'a valid flow has no findings, even if an invalid flow calls it');

select * from finish();
