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
  )) ->> 'constraint', 'flow_run_' || rule,
  format('%s, started %s, ended %s, output %s, errors %s is refused', status, started, ended, output, errors)
)
from (values
  ('queued', true, false, null, null::text[], 'start_time_matches_status'),
  ('queued', false, true, null, null, 'end_time_matches_status'),
  ('running', false, false, null, null, 'start_time_matches_status'),
  ('running', true, true, null, null, 'end_time_matches_status'),
  ('waiting', false, false, null, null, 'start_time_matches_status'),
  ('waiting', true, true, null, null, 'end_time_matches_status'),
  ('succeeded', false, true, null, null, 'start_time_matches_status'),
  ('succeeded', true, false, null, null, 'end_time_matches_status'),
  ('failed', true, false, null, '{a failed}', 'end_time_matches_status'),
  ('stopped', true, false, null, null, 'end_time_matches_status'),
  ('running', true, false, '{"M": {}}', null, 'output_after_end'),
  ('running', true, false, null, '{a failed}', 'errors_match_status'),
  ('succeeded', true, true, null, '{a failed}', 'errors_match_status'),
  ('failed', true, true, null, null, 'errors_match_status'),
  ('failed', true, true, null, '{}', 'errors_not_empty'),
  ('stopped', true, true, null, '{}', 'errors_not_empty'),
  ('paused', true, false, null, null, 'status_known'),
  ('Succeeded', true, false, null, null, 'status_known')
) as bad (status, started, ended, output, errors, rule);

select is(test.error('update public.flow_run set status = null where true') ->> 'code', '23502', 'a run has a status');
select results_eq('select status from public.flow_run', $$ values ('stopped') $$, 'the last that passed is stored');

select * from finish();
