select plan(2);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'), test.inputs('a', 'b'))));

select test.keep('inputs', (
  select jsonb_build_object('a', jsonb_build_object('A', jsonb_agg('{"N": 0}'::jsonb))) from generate_series(1, 60000)
));
select cmp_ok(octet_length(test.kept('inputs')), '<', 700000, 'sixty thousand nulls are less than 700 kB of JSON');
select is(
  test.inputs_refusal(test.kept('inputs')), null, 'inputs of less than 1 MiB are accepted'
);

select * from finish();
