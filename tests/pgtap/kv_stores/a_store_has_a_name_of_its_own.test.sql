select plan(20);

select test.create_user('owner');
select test.create_user('other');
select test.keep('run', test.claimed_run(test.user_id('owner')));
select test.keep('other_run', test.claimed_run(test.user_id('other')));
create function pg_temp.creation(store text, run text default 'run') returns text language sql as $$
  select format(
    'select public.kv_create_store(%L, %L, %L)', jsonb_build_object('flow_run_id', test.kept(run), 'claim_number', 1),
    test.begin_node(test.kept(run)::uuid, gen_random_uuid()::text), store
  );
$$;
grant execute on function pg_temp.creation(text, text) to public;
select test.sign_in_as_role('service_role');

select is(test.error(pg_temp.creation(name)), null, format('%s is a name', left(name, 20)))
from (values ('a'), ('Z'), ('a0_-'), ('A' || repeat('9', 119)), ('mine'), ('Mine')) as good (name);
select is(
  test.error(pg_temp.creation(name)),
  '{
    "code": "kv_store_name_invalid", "status": 400, "details": null, "hint": null,
    "message": "The name of a store must be 1 to 120 letters, digits, _ and -, beginning with a letter."
  }',
  format('%s is not a name of a store', to_jsonb(left(name, 20)))
)
from (values (''), ('1a'), ('_a'), ('-a'), ('a b'), ('a.b'), ('ä'), (E'a\n'), ('A' || repeat('9', 120))) as bad (name);
select is(
  test.error(pg_temp.creation('mine')),
  '{"code": "kv_store_exists", "status": 409, "details": null, "hint": null, "message": "The store \"mine\" already exists."}',
  'a user can not have two stores with the same name'
);
select is(test.error(pg_temp.creation('mine', 'other_run')), null, 'another user may have a store with the same name');
select results_eq(
  'select user_id, name from public.kv_stores where name = ''mine'' order by user_id',
  'select u.id, ''mine'' from (values (test.user_id(''owner'')), (test.user_id(''other''))) as u (id) order by u.id', 'both are stored'
);
select is(count(*), 6::bigint, 'the refused stores are not stored') from public.kv_stores where user_id = test.user_id('owner');
select is(test.error_code(pg_temp.creation(null)), 'kv_store_name_invalid', 'a store without a name is refused');

select * from finish();
