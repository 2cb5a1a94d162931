select plan(8);

create function pg_temp.refusal(inputs jsonb, input_names text[]) returns jsonb language sql as $$
  select test.error(format('select private.check_input_names(%L, %L)', refusal.inputs, refusal.input_names));
$$;

select is(pg_temp.refusal('{}', '{}'), null, 'a flow without inputs accepts no inputs');
select is(pg_temp.refusal('{}', '{a}'), null, 'a flow with inputs accepts none: this check does not look for missing inputs');
select is(pg_temp.refusal('{"a": {"S": ""}, "": {"N": 0}}', '{a,b,""}'), null, 'the flow accepts its own inputs in any order');
select is(
  pg_temp.refusal('{"nmae": {"S": ""}, "a": {"S": ""}, "A": {"S": ""}}', '{name,a,"x\"y"}'),
  '{
    "code": "inputs_invalid", "status": 400, "hint": null,
    "message": "inputs: the flow has no input \"A\", \"nmae\"; it has \"name\", \"a\", \"x\\\"y\".",
    "details": [
      {"path": "inputs.A", "message": "the flow has no such input"}, {"path": "inputs.nmae", "message": "the flow has no such input"}
    ]
  }',
  'other inputs are named, together with the inputs that the flow has'
);
select is(
  pg_temp.refusal('{"a": {"S": ""}}', '{}') ->> 'message', 'inputs: the flow has no input "a"; it has none.', 'the error says that the flow has no inputs'
);

-- Check the largest inputs against the largest flow. Statements of the API roles are cancelled after a few seconds, so
-- the check must not take longer.
set local statement_timeout = '20s';
select is(
  pg_temp.refusal(
    (select jsonb_object_agg('i' || n, '{"N": 0}'::jsonb) from generate_series(1, 80000) as n),
    (select array_agg('i' || n) from generate_series(1, 80000) as n)
  ),
  null, '80,000 inputs that the flow has are accepted'
);
select test.keep('large', pg_temp.refusal(
  (select jsonb_object_agg(repeat('ä', 200) || n, '{"N": 0}'::jsonb) from generate_series(1, 1000) as n),
  (select array_agg(repeat('ö', 200) || n) from generate_series(1, 1000) as n)
));
select is(jsonb_array_length(test.kept('large')::jsonb -> 'details'), 20, 'the error names 20 of the inputs that the flow does not have');
select cmp_ok(length(test.kept('large')), '<', 10000, 'the error is short, even if names are long');

select * from finish();
