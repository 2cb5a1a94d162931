select plan(13);

select test.create_user('owner');
select test.keep('run', test.create_run(test.create_flow(test.user_id('owner'))));
insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
values (test.kept('run')::uuid, test.node_id('a'), 0, test.user_id('owner'), now(), '{"M": {}}');

select is(test.error(format('update public.node_run set %s where true', assignment)), null, assignment || ' passes')
from (values
  ('times = 1000'), ($$errors = '{it failed}'$$), ($$errors = null, output = '{"M": {}}'$$),
  ('attempt = 20, retry_at = now()'), ('retry_at = null, end_time = now()')
) as good (assignment);

select is(test.error(format('update public.node_run set %s where true', assignment)) ->> 'constraint', rule, assignment || ' is refused')
from (values
  ('times = -1', 'node_run_times_natural'),
  ($$errors = '{}'$$, 'node_run_errors_not_empty'),
  ('attempt = 0', 'node_run_attempt_positive'),
  ('retry_at = now()', 'node_run_retry_at_before_end'),
  ('flow_run_id = gen_random_uuid()', 'node_run_flow_run_id_fkey')
) as bad (assignment, rule);

insert into public.node_run (flow_run_id, node_id, times, user_id, start_time, input)
values (test.kept('run')::uuid, test.node_id('a'), 0, test.user_id('owner'), now(), '{"M": {}}');
select is(
  test.error('update public.node_run set times = 7 where true') ->> 'constraint', 'node_run_pkey',
  'a node can not have the same number of times twice'
);
select is(test.row_count('select from public.node_run'), 2::bigint, 'a node can have several numbers of times');
delete from public.flow_run where true;
select is_empty('select * from public.node_run', 'node runs are deleted with their run');

select * from finish();
