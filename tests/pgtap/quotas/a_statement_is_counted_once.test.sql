-- If one statement writes a thousand rows, the trigger adds up the rows of the user once, not once for each row.
select plan(8);

select test.create_user('owner');
select test.create_user('other');
select private.set_quota('flows', 1000);

create function pg_temp.rows_read() returns bigint language sql volatile as $$
  select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) from pg_stat_xact_user_tables where schemaname = 'public' and relname = 'flows';
$$;
create function pg_temp.insert_flows(flow_count integer, user_name text default 'owner') returns text language sql volatile as $$
  select test.error_code(format(
    'insert into public.flows (user_id, nodes) select %L, jsonb_build_array(n) from generate_series(1, %s) as n', test.user_id(user_name), flow_count
  ));
$$;

select is(pg_temp.insert_flows(1001), 'quota_exceeded', 'a statement that inserts one row too many is refused');
select test.keep('before', pg_temp.rows_read());
select is(pg_temp.insert_flows(1000), null, 'as many rows as the quota allows are stored');
select cmp_ok(
  pg_temp.rows_read() - test.kept('before')::bigint, '<=', 5000::bigint, 'an insert of 1,000 rows reads a few thousand rows'
);
select is(pg_temp.insert_flows(1), 'quota_exceeded', 'one row more is refused');

select is(
  test.error_code($$ insert into public.flows (user_id) select test.user_id(name) from unnest('{other,owner}'::text[]) as name $$),
  'quota_exceeded', 'in a statement with rows of several users, each user has a separate quota'
);
select is(pg_temp.insert_flows(1, 'other'), null, 'the quota of the other user has room');

-- First all rows grow, then all rows shrink.
select test.keep('before', pg_temp.rows_read());
update public.flows set nodes = jsonb_build_array(repeat('grown', 4)) where user_id = test.user_id('owner');
select cmp_ok(
  pg_temp.rows_read() - test.kept('before')::bigint, '<=', 7000::bigint, 'an update of 1,000 rows that grow reads a few thousand rows'
);
select private.set_quota('flow_bytes', 1);
select is(
  test.error_code($$ update public.flows set nodes = case when id % 2 = 0 then nodes || nodes else '[]' end where true $$),
  'quota_exceeded', 'a statement that makes one flow greater is refused, even if other flows shrink'
);

select * from finish();
