select plan(14);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.deploy(test.kept('flow')::integer);

create function pg_temp.refusal(columns text, "values" text) returns jsonb language sql volatile set search_path = '' as $$
  select test.error(format('insert into public.flow_schedules (flow, %s) values (%s, %s)', columns, test.kept('flow'), "values"));
$$;

select is(
  pg_temp.refusal('cron', $$ '61 * * * *' $$),
  '{
    "code": "column_invalid", "status": 400, "hint": null,
    "message": "cron.minute: has \"61\", where a number from 0 to 59, a range or * is needed.",
    "details": [{"path": "cron.minute", "message": "has \"61\", where a number from 0 to 59, a range or * is needed"}]
  }',
  'the error for a bad expression names the fault and its place'
);
select is(
  pg_temp.refusal('cron, time_zone', $$ '* 24 * FOO *', 'Mars/Base' $$) -> 'details' @> '[{"path": "cron.hour"}, {"path": "cron.month"}, {"path": "time_zone"}]',
  true, 'all faults are reported at once'
);
select is(pg_temp.refusal('cron', $$ '* * * *' $$) #>> '{details,0,message}',
  'must have five fields (minute, hour, day of month, month, day of week), such as 30 6 * * MON-FRI, but it has 4', 'an expression with too few fields is refused');
select is(pg_temp.refusal('cron', $$ '' $$) #>> '{details,0,path}', 'cron', 'an empty expression is refused');
select is(pg_temp.refusal('cron', $$ null $$) #>> '{details,0,message}', 'must not be null', 'a null expression is refused');
select is(pg_temp.refusal('cron', $$ repeat('1,', 50) || '1 * * * *' $$) #>> '{details,0,message}', 'must have at most 100 characters', 'a long expression is refused');
select is(pg_temp.refusal('cron', $$ '0 0 30 FEB *' $$) #>> '{details,0,message}',
  'none of the named months has any of these days, so the expression would never be due', 'an expression that is never due is refused');
select is(pg_temp.refusal('cron', $$ '5/15 * * * *' $$) #>> '{details,0,message}',
  'has a step after the number "5": a step must follow * or a range, such as 5-59/15', 'a step without a range is refused');

-- Postgres accepts all of these time zones, but they are not names of the IANA database.
select bag_eq(
  $$ select zone from unnest('{CET,EST,FOO+3,Europe/Berlin2,right/Europe/Berlin,posix/UTC,+02:00}'::text[]) as zone
    where pg_temp.refusal('cron, time_zone', format('%L, %L', '* * * * *', zone)) #>> '{details,0,path}' = 'time_zone' $$,
  '{CET,EST,FOO+3,Europe/Berlin2,right/Europe/Berlin,posix/UTC,+02:00}'::text[], 'time zones that are no IANA names of area and place are refused'
);
select is(pg_temp.refusal('cron, policy', $$ '* * * * *', 'all' $$) ->> 'message', 'policy: must be skip or catch_up_one.', 'an unknown policy is refused');
select is(pg_temp.refusal('cron, deployment_id', $$ '* * * * *', gen_random_uuid() $$) ->> 'code', 'deployment_not_found', 'a missing deployment is refused');
select is(pg_temp.refusal('cron, inputs', $$ '* * * * *', '{"n": 1}' $$) ->> 'code', 'inputs_invalid', 'inputs that are not tagged are refused');
select is(
  test.error($$ insert into public.flow_schedules (cron) values ('* * * * *') $$) ->> 'message',
  'flow: give either flow, with an optional tag, or deployment_id.', 'a schedule needs a flow or a deployment'
);

insert into public.flow_schedules (flow, cron, time_zone) values (test.kept('flow')::integer, ' 30 6 * JAN,feb-MAR  Mon-FRI ', 'America/Port-au-Prince');
select results_eq(
  'select tag, policy, is_active, next_start_at > now(), inputs from public.flow_schedules',
  $$ values ('latest', 'catch_up_one', true, true, '{}'::jsonb) $$, 'a new schedule has these defaults'
);

select * from finish();
