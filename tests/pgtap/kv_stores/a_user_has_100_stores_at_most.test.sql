select plan(8);

select test.create_user('owner');
select test.create_user('other');
select test.keep('run', test.claimed_run(test.user_id('owner')));
create function pg_temp.call(name text, store text) returns text language sql as $$
  select format(
    'select public.%I(%L, %L, %L)', name, jsonb_build_object('flow_run_id', test.kept('run'), 'claim_number', 1),
    test.begin_node(test.kept('run')::uuid, gen_random_uuid()::text), store
  );
$$;
insert into public.kv_stores (user_id, name) select test.user_id('owner'), 'store_' || n from generate_series(1, 99) as n;
insert into public.kv_stores (user_id, name) select test.user_id('other'), 'store_' || n from generate_series(1, 50) as n;

grant execute on function pg_temp.call(text, text) to public;
select test.sign_in_as_role('service_role');
select is(test.error(pg_temp.call('kv_create_store', 'store_100')), null, 'the hundredth store is created');
select is(
  test.error(pg_temp.call('kv_create_store', 'store_101')),
  '{
    "code": "kv_stores_limit", "status": 409, "message": "A user can have 100 key-value stores at most.", "details": null,
    "hint": "Delete a store that is not needed any more."
  }',
  'the 101st store is refused'
);
select is(test.error_code(pg_temp.call('kv_create_store', 'store_1')), 'kv_store_exists', 'an existing name is refused as existing, even at the limit');
select is(test.error(pg_temp.call('kv_delete_store', 'store_1')), null, 'a store can be deleted');
select is(test.error(pg_temp.call('kv_create_store', 'store_101')), null, 'after the deletion, one store can be created');
select is(test.error_code(pg_temp.call('kv_create_store', 'store_102')), 'kv_stores_limit', 'a further store is refused');

select test.sign_out();
select is(
  test.error_code($$ insert into public.kv_stores (user_id, name) select test.user_id('other'), 'more_' || n from generate_series(1, 51) as n $$),
  'kv_stores_limit', 'all stores of one statement are counted'
);
select results_eq(
  'select user_id, store_count from private.kv_usage order by store_count',
  $$ values (test.user_id('other'), 50), (test.user_id('owner'), 100) $$, 'refused stores do not count'
);

select * from finish();
