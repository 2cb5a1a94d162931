select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_out();
insert into public.flow_run (
  id, created_at, user_id, flow_id, started_by, inputs, chain_network, status, start_time, end_time, errors, error_code
)
select r.id, private.uuid_v7_time(r.id), test.user_id('owner'), test.kept('flow')::integer, test.user_id('owner'),
  '{"M": {}}', '{"cluster": "devnet"}', 'failed', now(), now(), '{"internal: x"}', 'internal'
from (
  select private.uuid_v7(now() - interval '2 hours') as id
  union all
  select private.uuid_v7(now() - interval '1 hour') from generate_series(1, 5000)
) as r;

create function pg_temp.found(until timestamptz) returns integer language sql stable as $$
  select cardinality(private.failed_runs(
    test.user_id('owner'), test.kept('flow')::integer, null, now() - interval '3 hours', until, null, 6000
  ));
$$;
select is(pg_temp.found('infinity'), 5000, 'only the newest 5,000 runs are searched');
select is(pg_temp.found(now() - interval '90 minutes'), 1, 'runs after `until` do not count as searched');
select is(
  pg_temp.found((select min(r.created_at) + interval '1 microsecond' from public.flow_run as r)), 1,
  'a run of the same millisecond as `until` is found'
);

select test.sign_in(test.user_id('owner'));
select is(
  test.error_code($$ select public.redrive_flow_runs(flow => test.kept('flow')::integer, until => '-infinity') $$),
  'request_invalid', 'a time before 1970 is refused'
);
select is(
  (select count(*) from public.redrive_flow_runs(flow => test.kept('flow')::integer, until => 'infinity', max_runs => 1)),
  1::bigint, 'a period may have no end'
);

select * from finish();
