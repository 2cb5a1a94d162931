select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('a', 'b')));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);

create function pg_temp.start(plain jsonb) returns text language sql as $$
  select public.start_deployment(flow => test.kept('flow')::integer, "values" => start.plain, idempotency_key => 'key') ->> 'flow_run_id';
$$;
select test.keep('run', pg_temp.start('{"a": 1, "b": 1.50}'));
select is(pg_temp.start('{"b": 1.50, "a": 1}'), test.kept('run'), 'the same values return the same run');
select is(test.error_code($$ select pg_temp.start('{"a": 1, "b": 2}') $$), 'idempotency_key_reused', 'other values with the same key are refused');
select is(
  test.error_code($$ select public.start_deployment(flow => test.kept('flow')::integer, inputs => '{"a": {"U": "1"}, "b": {"D": "1.50"}}', idempotency_key => 'key') $$),
  'idempotency_key_reused', 'the converted inputs are another request, because the request is compared as it was sent'
);
update public.flows set nodes = test.inputs('c') where id = test.kept('flow')::integer;
select test.deploy(test.kept('flow')::integer);
select is(pg_temp.start('{"a": 1, "b": 1.50}'), test.kept('run'), 'the same values return the same run, even if the tag now names a deployment with other inputs');
select is(
  (select inputs from public.flow_run where id = test.kept('run')::uuid), '{"M": {"a": {"U": "1"}, "b": {"D": "1.50"}}}', 'the run has the values'
);

select * from finish();
