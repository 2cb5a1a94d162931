select plan(8);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.end_run(test.create_run(test.kept('flow')::integer, age => n * interval '31 days'), age => n * interval '31 days') from generate_series(1, 5) as n;
insert into private.flow_snapshots (hash, data) select sha256(n::text::bytea), '{}' from generate_series(1, 3) as n;

select is(
  public.sweep_runner(max_runs => 2), '{"runs": 2, "idempotency_keys": 0, "messages": 0, "snapshots": 2, "has_more": true}',
  'a sweep deletes at most this number of rows of each kind'
);
select is(min(end_time), now() - 3 * interval '31 days', 'runs that ended first are deleted first') from public.flow_run;
select is(public.sweep_runner(max_runs => 2) - 'has_more', '{"runs": 2, "idempotency_keys": 0, "messages": 0, "snapshots": 1}', 'the next sweep deletes the next runs');
select is(public.sweep_runner(max_runs => 2) -> 'has_more', 'false', 'has_more is false when fewer rows are left than the sweep may delete');
select is_empty('select from public.flow_run', 'no run is left');

select is(
  test.error(statement) -> 'code', '"request_invalid"', statement || ' is refused'
)
from unnest(array[
  $$select public.sweep_runner(max_age => '23 hours 59 minutes')$$, 'select public.sweep_runner(max_runs => 0)',
  'select public.sweep_runner(max_runs => null)'
]) as statement;

select * from finish();
