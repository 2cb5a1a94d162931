select plan(5);

select test.create_user('owner');
select test.keep(name, test.create_flow(test.user_id('owner'))) from unnest('{self,a,b,c}'::text[]) as name;
update public.flows
set nodes = jsonb_build_array(test.node('call', 'interflow', form_data => jsonb_build_object('id', test.kept(call.called)::integer)))
from (values ('self', 'self'), ('a', 'b'), ('b', 'c'), ('c', 'a')) as call (caller, called)
where id = test.kept(call.caller)::integer;

create function pg_temp.called(flow text) returns text[] language sql as $$
  select array_agg(name.name order by name.name)
  from private.flow_snapshots as s
  cross join lateral jsonb_object_keys(s.data -> 'flows') as id
  join unnest('{self,a,b,c}'::text[]) as name on test.kept(name.name) = id
  where s.hash = test.kept('hash_' || flow)::bytea;
$$;
select test.keep('hash_' || flow, test.take_snapshot(test.kept(flow)::integer)) from unnest('{self,a,b}'::text[]) as flow;

select is(pg_temp.called('self'), '{self}', 'a flow that calls itself is both the entry and a called flow');
select is(data -> 'entry', data #> array['flows', test.kept('self')], 'the entry and the called flow have the same graph')
from private.flow_snapshots where hash = test.kept('hash_self')::bytea;
select is(pg_temp.called('a'), '{a,b,c}', 'if flows call each other in a ring, all of them are called flows, also the entry');
select is(pg_temp.called('b'), '{a,b,c}', 'every flow of the ring can be the entry');
select isnt(test.kept('hash_a'), test.kept('hash_b'), 'each entry of the ring has another snapshot');

select * from finish();
