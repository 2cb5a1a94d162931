select plan(11);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));

-- All runs began 90 days ago. `age` is the time since their end. Runs without an age have not ended.
create temporary table runs as
  select * from (values
    ('young', '29 days'::interval, 'succeeded'), ('succeeded', '31 days', 'succeeded'), ('failed', '31 days', 'failed'),
    ('stopped', '31 days', 'stopped'), ('queued', null, 'queued'), ('running', null, 'running'), ('waiting', null, 'waiting')
  ) as run (name, age, status);
insert into public.flow_run (id, created_at, user_id, flow_id, inputs, chain_network)
select private.uuid_v7(now() - interval '90 days'), now() - interval '90 days', test.user_id('owner'), test.kept('flow')::integer,
  jsonb_build_object('M', jsonb_build_object('name', name)), '{"cluster": "devnet"}'
from runs;
create function pg_temp.run(name text) returns uuid language sql as $$ select r.id from public.flow_run as r where r.inputs #>> '{M,name}' = $1 $$;
select test.end_run(pg_temp.run(name), status, age) from runs where age is not null;
update public.flow_run set status = inputs #>> '{M,name}', start_time = created_at where inputs #>> '{M,name}' in ('running', 'waiting');

create temporary view kept as select r.inputs #>> '{M,name}' as name from public.flow_run as r;
select is(public.sweep_runner() -> 'runs', '3', 'three runs are deleted');
select set_eq('select name from kept', '{young,queued,running,waiting}'::text[], 'a run that ended 29 days ago and runs that have not ended stay');

select is(public.sweep_runner() -> 'runs', '0', 'a second sweep deletes nothing more');
select is(public.sweep_runner(max_age => null) -> 'runs', '0', 'null keeps all runs');
select is(public.sweep_runner(max_age => '29 days 1 hour') -> 'runs', '0', 'with this max_age, the run that ended 29 days ago stays');
select is(public.sweep_runner(max_age => '28 days 23 hours') -> 'runs', '1', 'with a lower max_age, younger runs are deleted, too');

-- All rows of a run are deleted with it. A called run is deleted only when its root is deleted.
select test.keep(name, test.create_run(test.kept('flow')::integer, age => '90 days')) from unnest('{live_root,old_root}'::text[]) as name;
insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time, end_time, parent_flow_run_id, parent_node_id, parent_times)
select r.user_id, r.flow_id, '{"M": {}}', r.chain_network, 'succeeded', now(), now() - interval '31 days', r.id, gen_random_uuid(), 0
from public.flow_run as r where r.id in (test.kept('live_root')::uuid, test.kept('old_root')::uuid);
insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
select r.id, gen_random_uuid(), 0, r.user_id, now(), '{"M": {}}' from public.flow_run as r
where test.kept('old_root')::uuid in (r.id, r.parent_flow_run_id);
insert into public.flow_run_logs (flow_run_id, log_index, user_id, time, log_level, content)
select r.id, 0, r.user_id, now(), 'Info', '' from public.flow_run as r where test.kept('old_root')::uuid in (r.id, r.parent_flow_run_id);
insert into private.flow_snapshots (hash, data) values (sha256('a'), '{}');
insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, settings)
values (test.kept('old_root')::uuid, test.user_id('owner'), sha256('a'), '{"chain_network": {"url": "https://example.com"}}');
select test.end_run(test.kept('old_root')::uuid, age => '31 days');

select is(public.sweep_runner() -> 'runs', '1', 'the age of a called run counts only with its root');
select is(count(*), 1::bigint, 'the called run of a run that has not ended stays') from public.flow_run where parent_flow_run_id = test.kept('live_root')::uuid;
select is_empty(
  $$ select from public.flow_run where test.kept('old_root')::uuid in (id, parent_flow_run_id) $$, 'the called run of the deleted run is deleted'
);
select is_empty('select from public.node_run union all select from public.flow_run_logs', 'the node runs and log lines of both runs are deleted');
select is_empty('select from private.flow_run_jobs', 'the jobs are deleted');

select * from finish();
