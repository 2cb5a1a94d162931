select plan(7);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('started', clock_timestamp());

create temporary table deployed (position integer, id uuid);
insert into deployed select n, test.deploy(test.kept('flow')::integer) from generate_series(1, 50) as n;

select is_empty(
  'select from deployed as a join deployed as b on a.position < b.position and a.id >= b.id', 'each id is greater than those before'
);

select test.sign_out();
select is_empty(
  'select id from public.flow_deployments where created_at <> private.uuid_v7_time(id)', 'created_at is the time in the id'
);
select is_empty(
  $$ select id from public.flow_deployments where created_at not between test.kept('started')::timestamptz and clock_timestamp() $$,
  'the id contains the time of the deploy'
);
select is_empty(
  $$ select id from public.flow_deployments where id::text !~ '^.{14}7.{4}[89ab]' $$, 'every id is a UUID version 7'
);

-- The newest deployment has a time in the future, as if the clock had been set back after it.
alter table public.flow_deployments disable trigger _100_assign_id;
insert into public.flow_deployments (id, created_at, user_id, entrypoint, snapshot_hash, chain_network)
select private.uuid_v7('2100-01-01Z'), '2100-01-01Z', user_id, entrypoint, snapshot_hash, chain_network
from public.flow_deployments limit 1;
alter table public.flow_deployments enable trigger _100_assign_id;

select test.sign_in(test.user_id('owner'));
select test.keep('next', test.deploy(test.kept('flow')::integer));
select results_eq(
  'select id, created_at from public.flow_deployments order by id desc limit 1',
  $$ values (test.kept('next')::uuid, timestamptz '2100-01-01 00:00:00.000001Z') $$,
  'if the clock is set back, the next id is a microsecond after the newest one'
);
select results_eq(
  $$ select deployment_id from public.flow_deployments_tags where tag = 'latest' $$, $$ values (test.kept('next')::uuid) $$,
  'latest moves to the deployment with the greatest id'
);
select test.deploy(test.kept('neighbour')::integer);
select results_eq(
  $$ select created_at < '2100-01-01Z' from public.flow_deployments where entrypoint = test.kept('neighbour')::integer $$,
  'values (true)', 'ids of other flows follow the clock'
);

select * from finish();
