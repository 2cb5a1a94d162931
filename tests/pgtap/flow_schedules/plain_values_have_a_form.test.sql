select plan(8);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('n')));
select test.deploy(test.kept('flow')::integer);

create function pg_temp.refusal("values" text, inputs text default '{}') returns jsonb language sql volatile set search_path = '' as $$
  select test.error(format(
    'insert into public.flow_schedules (flow, cron, "values", inputs) values (%s, ''* * * * *'', %L, %L)',
    test.kept('flow'), refusal."values", refusal.inputs
  ));
$$;

select is(pg_temp.refusal('[1]') ->> 'message', 'values: must be an object of plain JSON, such as {"amount": 1.5}.', 'values must be an object');
select is(pg_temp.refusal(null) ->> 'message', 'values: must not be null.', 'values must not be null');
select is(pg_temp.refusal('{"n": 1}', '{"n": {"U": "1"}}') ->> 'message', 'values.n: is also in inputs: give it only once.', 'values must not repeat a name of inputs');
select is(pg_temp.refusal(repeat('{"a":', 70) || '1' || repeat('}', 70)) ->> 'message', 'values.a: is nested deeper than 64 levels.', 'values must not have too many levels');
select is(pg_temp.refusal('{"n": 1e400}') ->> 'code', 'inputs_invalid', 'a number that would be too long is refused');
select is(pg_temp.refusal(jsonb_build_object('n', repeat('x', 70000))::text) ->> 'code', 'column_invalid', 'values must not be too large');

insert into public.flow_schedules (flow, cron, "values") values (test.kept('flow')::integer, '* * * * *', '{"n": [1.5, null]}');
select results_eq('select "values", inputs from public.flow_schedules', $$ values ('{"n": [1.5, null]}'::jsonb, '{}'::jsonb) $$, 'valid values are stored');
select is(test.error($$ update public.flow_schedules set inputs = '{"n": {"U": "1"}}' $$) ->> 'message',
  'values.n: is also in inputs: give it only once.', 'a name in both inputs and values is refused, whichever of them changes');

select * from finish();
