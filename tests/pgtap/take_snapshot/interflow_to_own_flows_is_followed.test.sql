select plan(6);

-- a calls b twice and c once; b calls c; c calls no flow; no flow calls d. Some nodes of a name e, but these nodes make
-- no calls.
select test.create_user('owner');
create function pg_temp.call(name text, flow text, node_id text default 'interflow', type text default 'native')
returns jsonb language sql as $$
  select test.node(name, node_id, form_data => jsonb_build_object('id', test.kept(flow)::integer), type => type);
$$;
select test.keep(name, test.create_flow(test.user_id('owner'))) from unnest('{a,b,c,d,e}'::text[]) as name;
update public.flows set environment = jsonb_build_object('flow', name.name) from unnest('{a,b,c,d,e}'::text[]) as name
where id = test.kept(name.name)::integer;
update public.flows set nodes = jsonb_build_array(
  pg_temp.call('1', 'b'), pg_temp.call('2', 'b', 'interflow_instructions'), pg_temp.call('3', 'c'),
  pg_temp.call('4', 'e', 'flow_input'), pg_temp.call('5', 'e', type => 'mock'), pg_temp.call('6', 'e', type => 'deno')
) where id = test.kept('a')::integer;
update public.flows set nodes = jsonb_build_array(
  jsonb_set(pg_temp.call('1', 'c'), '{data,targets_form,form_data,id}', to_jsonb(test.kept('c')))
) where id = test.kept('b')::integer;

create function pg_temp.reached(flow text) returns text language sql volatile as $$
  select string_agg(f.graph #>> '{environment,flow}', ' ' order by f.id::integer)
  from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f (id, graph)
  where s.hash = test.kept('hash_' || flow)::bytea;
$$;
select test.keep('hash_' || flow, test.take_snapshot(test.kept(flow)::integer)) from unnest('{a,b,c,d}'::text[]) as flow;

select is(pg_temp.reached('a'), 'b c', 'a snapshot has the flows that the flow calls, directly or through others, once each');
select is(pg_temp.reached('b'), 'c', 'an id may be written as a number or as text');
select is(pg_temp.reached('c'), null, 'the snapshot of a flow without calls has no called flows');
select is(pg_temp.reached('d'), null, 'the flow itself is the entry, and not one of the called flows');
select is(data #>> '{entry,environment,flow}', 'a', 'the entry is the flow itself')
from private.flow_snapshots where hash = test.kept('hash_a')::bytea;

update public.flows set environment = '{"flow": "edited"}' where id = test.kept('c')::integer;
select isnt(
  test.take_snapshot(test.kept('a')::integer), test.kept('hash_a')::bytea,
  'an edit of a flow that is called through others changes the snapshot'
);

select * from finish();
