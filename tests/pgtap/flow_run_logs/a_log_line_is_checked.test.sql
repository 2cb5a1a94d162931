select plan(16);

select test.create_user('owner');
select test.keep('run', test.create_run(test.create_flow(test.user_id('owner'))));
insert into public.flow_run_logs (flow_run_id, log_index, user_id, time, log_level, content)
values (test.kept('run')::uuid, 0, test.user_id('owner'), now(), 'Info', 'text');

select is(test.error(format('update public.flow_run_logs set %s where true', assignment)), null, assignment || ' passes')
from (values
  ($$log_level = 'Trace'$$), ($$log_level = 'Debug'$$), ($$log_level = 'Warn'$$), ($$log_level = 'Error'$$), ($$log_level = 'Info'$$),
  ('node_id = gen_random_uuid(), times = 0'), ('node_id = null, times = null'), ($$content = '', module = null$$)
) as good (assignment);

select is(
  test.error(format('update public.flow_run_logs set %s where true', assignment)) ->> 'constraint', rule, assignment || ' is refused'
)
from (values
  ('log_index = -1', 'flow_run_logs_log_index_natural'),
  ($$log_level = 'info'$$, 'flow_run_logs_log_level_known'),
  ($$log_level = 'Fatal'$$, 'flow_run_logs_log_level_known'),
  ('node_id = gen_random_uuid()', 'flow_run_logs_node_complete'),
  ('times = 0', 'flow_run_logs_node_complete'),
  ('flow_run_id = gen_random_uuid()', 'flow_run_logs_flow_run_id_fkey')
) as bad (assignment, rule);

select is(
  test.error('insert into public.flow_run_logs select * from public.flow_run_logs') ->> 'constraint', 'flow_run_logs_pkey',
  'a run can not have the same index twice'
);
delete from public.flow_run where true;
select is_empty('select * from public.flow_run_logs', 'log lines are deleted with their run');

select * from finish();
