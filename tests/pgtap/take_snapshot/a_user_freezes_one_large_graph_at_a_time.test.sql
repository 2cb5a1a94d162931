select plan(2);

select test.create_user('owner');
select test.keep('small', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'x', form_data => to_jsonb(repeat('a', 900000)))
)));
select test.keep('large', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('b', 'x', form_data => to_jsonb(repeat('b', 1100000)))
)));

-- Returns how many advisory locks for large graphs of the owner this transaction holds.
create function pg_temp.locks() returns bigint language sql as $$
  select count(*)
  from pg_locks as l
  where l.locktype = 'advisory' and l.pid = pg_backend_pid()
    and (l.classid::bigint << 32) | l.objid::bigint
      = hashtextextended(format('private.freeze_flow %s', test.user_id('owner')), 0);
$$;

select test.take_snapshot(test.kept('small')::integer);
select is(pg_temp.locks(), 0::bigint, 'a graph of up to 1 MiB takes no lock');
select test.take_snapshot(test.kept('large')::integer);
select is(pg_temp.locks(), 1::bigint, 'a larger graph locks out other large graphs of its owner');

select * from finish();
