select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep(name, public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id')
from unnest('{short,stored,unordered,long}'::text[]) as name;
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 60);

-- The times in the rows say: a begins, writes a line and ends; then b begins and ends. The report lists the rows in
-- another order.
create function pg_temp.report(run text, nodes jsonb default '["b", "a"]') returns jsonb
language sql as $$
  select test.progress(
    test.kept(run)::uuid,
    (select jsonb_agg(test.node_run(n.name) || jsonb_build_object(
      'start_time', '2026-01-01T00:00:01.00000' || case n.name when 'a' then '1Z' else '4Z' end,
      'end_time', '2026-01-01T00:00:01.00000' || case n.name when 'a' then '3Z' else '5Z' end
    )) from jsonb_array_elements_text(nodes) as n (name)),
    jsonb_build_array(jsonb_build_object(
      'log_index', 0, 'node_id', test.node_id('a'), 'times', 0, 'time', '2026-01-01T00:00:01.000002Z', 'log_level', 'Info', 'content', 'x'
    ))
  ) || '{"taken_over": [], "inputs": [], "is_in_order": true}';
$$;
create function pg_temp.finish(run text, progress jsonb) returns void
language sql as $$
  select public.finish_flow_run(test.kept(run)::uuid, 1, 'succeeded', '{"M": {}}', null, '{}', progress);
$$;
-- Returns the numbers, names and nodes of the run's events, and whether more events follow.
create function pg_temp.told(run text, after integer default 0) returns text
language sql as $$
  select trim(concat_ws(' ', string_agg(concat_ws(' ', e ->> 'id', e ->> 'event', case e #>> '{data,node_id}'
    when test.node_id('a')::text then 'a' when test.node_id('b')::text then 'b' end), ', ' order by (e ->> 'id')::integer), p -> 'has_ended'))
  from public.flow_run_events(test.kept(run)::uuid, after) as p left join jsonb_array_elements(p -> 'events') as e on true
  group by p;
$$;

select test.sign_in(test.user_id('owner'));
select is(pg_temp.told('short'), '1 run_start false', 'while the run goes on, its start is reported');
select test.sign_in_as_role('service_role');
select pg_temp.finish('short', pg_temp.report('short'));
select public.checkpoint_flow_run(test.kept('stored')::uuid, 1, 60, pg_temp.report('stored', '["a"]'));
select pg_temp.finish('stored', pg_temp.report('stored'));
select pg_temp.finish('unordered', pg_temp.report('unordered') || '{"is_in_order": false}');
select pg_temp.finish('long', pg_temp.report('long') || jsonb_build_object('node_runs', (
  select jsonb_agg(test.node_run('a', times) || jsonb_build_object('flow_run_id', test.kept('long'))) from generate_series(0, 99) as times
)));

select test.sign_in(test.user_id('owner'));
select is(
  pg_temp.told('short', 1), '2 node_start a, 3 log a, 4 node_finish a, 5 node_start b, 6 node_finish b, 7 run_finish true',
  'a watcher that knows the start gets the other events in their order'
);
select is(pg_temp.told('short', 4), '5 node_start b, 6 node_finish b, 7 run_finish true', 'a watcher can continue after any event');
select is(pg_temp.told('short', 7), 'true', 'a watcher can continue until the last event');
select is(
  array[pg_temp.told('stored', 1), pg_temp.told('stored', 4)], array[pg_temp.told('short', 1), pg_temp.told('short', 4)],
  'a run of which something was stored before has the same numbers'
);
select is(
  (public.flow_run_events(test.kept('long')::uuid, 199) -> 'has_ended')::boolean, true,
  'a run with more than a hundred rows has all its events, too'
);

select test.sign_out();
create function pg_temp.numbered(run text) returns bigint
language sql as $$
  select count(*) from private.flow_run_events as e where e.root_flow_run_id = test.kept(run)::uuid;
$$;
select is(pg_temp.numbered('short'), 0::bigint, 'these events are not stored');
select is(
  array[pg_temp.numbered('stored'), pg_temp.numbered('unordered')], '{2,1}'::bigint[],
  'events are stored if something was stored before, or if times do not give the order'
);
select is(pg_temp.numbered('long'), 1::bigint, 'events are stored if the run has more than a hundred rows');

select * from finish();
