select plan(4);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid, name) from unnest('{today,yesterday}'::text[]) as name;
select test.sign_out();
update private.idempotency_keys set created_at = now() - interval '23 hours 59 minutes' where flow_run_id = test.kept('today')::uuid;
update private.idempotency_keys set created_at = now() - interval '24 hours 1 minute' where flow_run_id = test.kept('yesterday')::uuid;

select is(public.sweep_runner() -> 'idempotency_keys', '1', 'one key is deleted');
select results_eq(
  'select flow_run_id from private.idempotency_keys', $$ values (test.kept('today')::uuid) $$, 'a key of 23 hours stays'
);
select is(count(*), 2::bigint, 'the runs stay') from public.flow_run;

select test.sign_in(test.user_id('owner'));
select is(
  test.start_and_keep('again', test.kept('deployment')::uuid, 'today'), test.kept('today')::uuid, 'a repeated start with this key finds its run'
);

select * from finish();
