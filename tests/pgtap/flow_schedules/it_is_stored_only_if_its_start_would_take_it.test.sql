select plan(18);

select test.create_user('owner'), test.create_user('other');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('name', 'count')));
select test.keep('empty', test.create_flow(test.user_id('owner')));

create function pg_temp.refusal(columns text, "values" text, flow text default 'flow') returns jsonb language sql volatile set search_path = '' as $$
  select test.error(format('insert into public.flow_schedules (flow, cron, %s) values (%s, ''0 0 1 1 *'', %s)', columns, test.kept(flow), "values"));
$$;

select is(
  pg_temp.refusal('tag', $$ 'latest' $$) - 'details', jsonb_build_object(
    'code', 'deployment_not_found', 'status', 404, 'message', format('Flow %s has no deployment with the tag latest.', test.kept('flow')),
    'hint', 'Deploy the flow, or give one of its deployments this tag.'
  ), 'a flow that was never deployed is refused'
);
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.deploy(test.kept('empty')::integer);
select is(pg_temp.refusal('tag', $$ 'satble' $$) ->> 'message', format('Flow %s has no deployment with the tag satble.', test.kept('flow')), 'a tag that the flow does not have is refused');
select is(pg_temp.refusal('inputs', $$ '{"nmae": {"S": "x"}}' $$), test.error(format(
  $$ select public.start_deployment('%s', inputs => '{"nmae": {"S": "x"}}') $$, test.kept('deployment')
)), 'an input that the flow does not have gets the error of a start');
select is(pg_temp.refusal('inputs', $$ '{"nmae": {"S": "x"}}' $$) ->> 'message', 'inputs: the flow has no input "nmae"; it has "name", "count".', 'the error names the inputs that the flow has');
select is(pg_temp.refusal('"values"', $$ '{"nmae": "x"}' $$), test.error(format(
  $$ select public.start_deployment('%s', "values" => '{"nmae": "x"}') $$, test.kept('deployment')
)), 'a value for an input that the flow does not have is refused');
select is(pg_temp.refusal('"values"', $$ '{"nmae": "x"}' $$) ->> 'message', 'values.nmae: the flow has no such input.', 'the error names the value');
select is(pg_temp.refusal('inputs', $$ '{"name": {"S": "x"}}' $$, 'empty') ->> 'message', 'inputs: the flow has no input "name"; it has none.', 'an input for a flow without inputs is refused');
select is(
  test.error(format($$ insert into public.flow_schedules (deployment_id, cron, inputs) values ('%s', '0 0 1 1 *', '{"nmae": {"S": "x"}}') $$, test.kept('deployment')))
    ->> 'code', 'inputs_invalid', 'an input that the given deployment does not have is refused'
);

insert into public.flow_schedules (flow, cron, inputs, "values") values (test.kept('flow')::integer, '0 0 1 1 *', '{"name": {"S": "x"}}', '{"count": 3}');
select is(count(*), 1::bigint, 'a schedule that a start would accept is stored') from public.flow_schedules;
select is(test.error_code(format('update public.flow_schedules set %s where true', change)), code, change)
from (values
  ('tag = ''satble''', 'deployment_not_found'), ('inputs = ''{"nmae": {"S": "x"}}''', 'inputs_invalid'), ('"values" = ''{"nmae": 1}''', 'inputs_invalid'),
  ('flow = ' || test.kept('empty'), 'inputs_invalid')
) as changes (change, code);

-- A new deployment lacks an input that the schedule names. Unchanged columns are not checked, so only the start finds
-- this fault.
update public.flows set nodes = test.inputs('title') where id = test.kept('flow')::integer;
select test.deploy(test.kept('flow')::integer);
select lives_ok('update public.flow_schedules set cron = ''0 0 2 1 *'', is_active = false, inputs = inputs, tag = tag where true', 'columns that do not change are not checked again');
update public.flow_schedules set is_active = true where true;
select test.sign_out();
update public.flow_schedules set next_start_at = clock_timestamp() where true;
select is(private.start_due_schedules() -> 'refused', '1', 'the start of such a schedule is refused');
select is(last_error, 'inputs_invalid: values.count: the flow has no such input.', 'last_error has the fault for the owner') from public.flow_schedules;

-- A user tries to insert a schedule for another user. The error must not tell whether the flow, tag or inputs exist.
select test.sign_in(test.user_id('other'));
select test.keep('own', test.create_flow(test.user_id('other')));
select is(
  (select array_agg(distinct test.error_code(format(
    'insert into public.flow_schedules (user_id, flow, tag, cron, inputs) values (%L, %s, %L, %L, %L)', test.user_id('owner'), flow, tag, cron, inputs
  ))) from unnest(array[test.kept('flow'), test.kept('own'), '2147483647']) as flow, unnest('{latest,satble,a b}'::text[]) as tag,
    unnest('{0 0 1 1 *,x}'::text[]) as cron, unnest(array['{}', '{"title": {"S": "x"}}', '{"nmae": {"S": "x"}}', '[]']) as inputs),
  '{42501}', 'a schedule in the name of another user is refused'
);
select is(
  test.error(format('insert into public.flow_schedules (flow, tag, cron, inputs) values (%s, %L, ''* * * * *'', %L)', test.kept('flow'), 'latest', '{"nmae": {"S": "x"}}')),
  test.error('insert into public.flow_schedules (flow, tag, cron, inputs) values (2147483647, ''satble'', ''* * * * *'', ''{}'')'),
  'a flow of another user counts as missing'
);

select * from finish();
