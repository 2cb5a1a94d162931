select plan(30);

select test.create_user('owner');
select test.create_run(test.create_flow(test.user_id('owner')));

select is(
  test.error(format(
    'update public.flow_run set status = %L, start_time = %L, end_time = %L, output = %L, errors = %L where true', status,
    case when started then now() end, case when ended then now() end, output, errors
  )) ->> 'constraint', null, format('%s, started %s, ended %s, output %s, errors %s passes', status, started, ended, output, errors)
)
from (values
  ('queued', false, false, null, null::text[]),
  ('running', true, false, null, null),
  ('waiting', true, false, null, null),
  ('succeeded', true, true, '{"M": {}}', null),
  ('succeeded', true, true, null, null),
  ('failed', true, true, '{"M": {}}', '{a failed}'),
  ('failed', false, true, null, '{could not start}'),
  ('stopped', true, true, '{"M": {}}', null),
  ('stopped', true, true, null, '{a failed}'),
  ('stopped', false, true, null, null)
) as good (status, started, ended, output, errors);

select is(
  test.error(format(
    'update public.flow_run set status = %L, start_time = %L, end_time = %L, output = %L, errors = %L where true', status,
    case when started then now() end, case when ended then now() end, output, errors
  )) ->> 'constraint', 'flow_run_consistent',
  format('%s, started %s, ended %s, output %s, errors %s is refused', status, started, ended, output, errors)
)
from (values
  ('queued', true, false, null, null::text[]),
  ('queued', false, true, null, null),
  ('running', false, false, null, null),
  ('running', true, true, null, null),
  ('waiting', false, false, null, null),
  ('waiting', true, true, null, null),
  ('succeeded', false, true, null, null),
  ('succeeded', true, false, null, null),
  ('failed', true, false, null, '{a failed}'),
  ('stopped', true, false, null, null),
  ('running', true, false, '{"M": {}}', null),
  ('running', true, false, null, '{a failed}'),
  ('succeeded', true, true, null, '{a failed}'),
  ('failed', true, true, null, null),
  ('failed', true, true, null, '{}'),
  ('stopped', true, true, null, '{}'),
  ('paused', true, false, null, null),
  ('Succeeded', true, false, null, null)
) as bad (status, started, ended, output, errors);

select is(test.error('update public.flow_run set status = null where true') ->> 'code', '23502', 'a run has a status');
select results_eq('select status from public.flow_run', $$ values ('stopped') $$, 'the last valid status is stored');

select * from finish();
