select plan(6);

select test.create_user('owner');
select test.create_user('other');
insert into storage.objects (bucket_id, name, version)
select bucket, coalesce(test.user_id(person)::text, person) || '/a', 'v'
from (values ('user-storages'), ('user-public-storages')) as b (bucket), (values ('owner'), ('other')) as p (person);
insert into storage.buckets (id, name) values ('reports', 'reports');
insert into storage.objects (bucket_id, name, version) values ('reports', test.user_id('owner') || '/a', 'v');

select is(
  (select array_agg((id, public)::text order by id) from storage.buckets where id like 'user-%'),
  array['(user-public-storages,t)', '(user-storages,f)'],
  'the buckets exist, and one of them is public'
);

select test.sign_in(test.user_id('owner'));
select is(
  (select array_agg(bucket_id || '/' || name order by bucket_id) from storage.objects),
  array['user-public-storages/' || test.user_id('owner') || '/a', 'user-storages/' || test.user_id('owner') || '/a'],
  'a user sees the files in their own folders of both buckets'
);
select lives_ok(
  format('insert into storage.objects (bucket_id, name, version) values (%L, %L, %L)',
    'user-storages', test.user_id('owner') || '/b/c', 'v'),
  'a user can store a file in their own folder'
);
select throws_ok(
  format('insert into storage.objects (bucket_id, name, version) values (%L, %L, %L)', bucket, name, 'v'),
  '42501', null, format('a user can not store %s in %s', name, bucket)
) from (values
  ('user-storages', test.user_id('other') || '/b'),
  ('reports', test.user_id('owner') || '/b')
) as refused (bucket, name);

select test.sign_out();
set local role anon;
select is((select count(*) from storage.objects), 0::bigint, 'a caller who is not signed in sees no file');
