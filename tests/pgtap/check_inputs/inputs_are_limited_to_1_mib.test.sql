select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b'))));

create function pg_temp.refusal(inputs jsonb) returns jsonb language sql as $$
  select test.inputs_refusal(inputs::text);
$$;

select is(
  pg_temp.refusal(jsonb_build_object('a', jsonb_build_object('S', repeat('a', 1048000)))), null, 'a text of nearly 1 MiB passes'
);
select is(
  pg_temp.refusal(jsonb_build_object('a', jsonb_build_object('S', repeat('a', 1048577)))),
  '{"code": "inputs_too_large", "status": 413, "message": "inputs: must be at most 1 MiB of JSON", "details": null, "hint": null}',
  'inputs of more than 1 MiB are refused'
);
select is(
  pg_temp.refusal(jsonb_build_object('a', jsonb_build_object('S', repeat('ä', 524300)))) ->> 'code', 'inputs_too_large',
  'the limit counts bytes, not characters'
);
select is(
  pg_temp.refusal((select jsonb_object_agg(n, '{"B": true}'::jsonb) from generate_series(1, 100000) as n)) ->> 'code', 'inputs_too_large',
  'many small values of more than 1 MiB together are refused'
);

select * from finish();
