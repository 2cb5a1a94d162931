select plan(10);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('a', 'b')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));

create function pg_temp.refusal(plain jsonb) returns text language plpgsql as $$
begin
  perform public.start_deployment(id => test.kept('deployment')::uuid, "values" => refusal.plain);
  return null;
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;
-- Makes nested lists with this number of levels.
create function pg_temp.nested(levels integer) returns jsonb language sql as $$
  select (repeat('[', nested.levels) || repeat(']', nested.levels))::jsonb;
$$;

select is(pg_temp.refusal('[]'), 'inputs_invalid', 'values must be an object');
select is(pg_temp.refusal(jsonb_build_object('a', pg_temp.nested(64))), null, '64 levels are accepted');
select is(pg_temp.refusal(jsonb_build_object('a', pg_temp.nested(65))), 'inputs_invalid', '65 levels are refused');
select is(pg_temp.refusal(jsonb_build_object('a', pg_temp.nested(4000))), 'inputs_invalid', '4,000 levels are refused');
select is(pg_temp.refusal(jsonb_build_object('a', (select jsonb_agg(1) from generate_series(1, 104857)))), 'inputs_too_large', 'the number of values is limited by the size of inputs');
select is(pg_temp.refusal(jsonb_build_object('a', repeat('x', 1048576))), 'inputs_too_large', 'a value that is too long is refused');
select is(pg_temp.refusal(jsonb_build_object('a', (select jsonb_agg(1e100000) from generate_series(1, 1000)))), 'inputs_invalid', 'a few characters that stand for many digits are refused');
select is(pg_temp.refusal('{"a": 0e-10000}'), 'inputs_invalid', 'a number with many decimal places is refused');
select is(
  jsonb_array_length(test.error(format('select public.start_deployment(id => test.kept(''deployment'')::uuid, "values" => %L)',
    (select jsonb_object_agg('n' || n, 1) from generate_series(1, 10000) as n))) -> 'details'),
  100, 'the first 100 of many values that do not fit are listed'
);
select test.sign_in(test.user_id('other'));
select is(pg_temp.refusal('[]'), 'deployment_not_found', 'a caller who may not start the deployment gets no error about the values');

select * from finish();
