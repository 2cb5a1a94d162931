select plan(11);

select test.create_user('owner');
select test.create_user('other');
select is(
  (select array_agg(distinct b.file_size_limit) from storage.buckets as b where b.id like 'user-%'),
  array[10485760::bigint],
  'a file of the buckets has 10 MiB at most'
);
select private.set_quota('file_bytes', 20000);

create function pg_temp.store(name text, size integer, bucket text default 'user-storages') returns text
language sql as $$
  select format('insert into storage.objects (bucket_id, name, version, metadata) values (%L, %L, %L, %L)',
    bucket, auth.uid() || '/' || name, 'v', case when size is not null then jsonb_build_object('size', size) end);
$$;
grant execute on function pg_temp.store(text, integer, text) to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(pg_temp.store('a', 10000)), null, 'a first file');
select is(test.error_code(pg_temp.store('b', 1, 'user-public-storages')), null, 'a small file in the other bucket, which counts as 4096 bytes');
select is(test.error_code(pg_temp.store('c', 5905)), 'quota_exceeded', 'one byte too many is refused');
select is(
  test.error(pg_temp.store('c', 5905)) -> 'details', '{"limit": 20000, "of": "file_bytes"}', 'the error has the quota'
);
select is(test.error_code(pg_temp.store('c', 5904)), null, 'as many bytes as the quota are stored');
-- Hosted Storage makes a row without a size as the user, before it has the file.
select is(test.error_code(pg_temp.store('d', null)), 'quota_exceeded', 'another file is refused, whatever its size');
select is(
  test.error_code(pg_temp.store('a', 10000) || ' on conflict (bucket_id, name) do update set version = excluded.version'),
  null, 'a file can be replaced by one of the same size'
);

select test.sign_in(test.user_id('other'));
select is(test.error_code(pg_temp.store('a', 10000)), null, 'another user has a separate quota');

select test.sign_in_as_role('service_role');
select is(
  test.error_code(format('select public.check_file_quota(%L, %L, %L, %s)', test.user_id('owner'), 'user-storages', 'x', size)),
  code, format('a runner asks for %s bytes', size)
) from (values (10, 'quota_exceeded')) as asked (size, code);
select is(
  test.error_code(format('select public.check_file_quota(%L, %L, %L, %s)',
    test.user_id('owner'), 'user-storages', test.user_id('owner') || '/a', 10000)),
  null, 'a runner may replace a file'
);

select * from finish();
