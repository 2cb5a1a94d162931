select plan(13);

select test.create_user('owner');
select test.create_user('other');
create function pg_temp.usage(name text) returns bigint[] language sql as $$
  select array[u.store_count, u.item_bytes] from private.kv_usage as u where u.user_id = test.user_id(name);
$$;
create temporary view miscounted as
  select u.user_id
  from private.kv_usage as u
  where (u.store_count, u.item_bytes) is distinct from (
    (select count(*) from public.kv_stores as s where s.user_id = u.user_id),
    (select coalesce(sum(octet_length(i.key) + octet_length(i.value::text)), 0) from public.kv_items as i where i.user_id = u.user_id)
  );

select is(pg_temp.usage('owner'), null, 'a user without stores has no usage');
insert into public.kv_stores (user_id, name)
values (test.user_id('owner'), 'first'), (test.user_id('owner'), 'second'), (test.user_id('other'), 'first');
select is(pg_temp.usage('owner'), '{2,0}'::bigint[], 'stores are counted');

insert into public.kv_items (user_id, store, key, value)
values (test.user_id('owner'), 'first', 'ä', '{"S":"ü"}'), (test.user_id('owner'), 'second', 'b', '{"N":0}'),
  (test.user_id('other'), 'first', 'c', '{"A":[{"N":0},{"N":0}]}');
-- As text, {"S": "ü"} has 11 bytes, and {"N": 0} has 8.
select is(pg_temp.usage('owner'), array[2, (2 + 11) + (1 + 8)]::bigint[], 'an item counts the bytes of its key and of its value as text');
select is(size_bytes, 13, 'size_bytes of an item has this number') from public.kv_items where key = 'ä';

update public.kv_items set value = '{"S":"longer"}' where user_id = test.user_id('owner');
select is(pg_temp.usage('owner'), array[2, (2 + 15) + (1 + 15)]::bigint[], 'the growth of items is counted');
update public.kv_items set value = '{"N":0}' where true;
select is(pg_temp.usage('owner'), array[2, (2 + 8) + (1 + 8)]::bigint[], 'the shrinking of items is counted');
insert into public.kv_items (user_id, store, key, value)
values (test.user_id('owner'), 'first', 'ä', '{"S":""}'), (test.user_id('owner'), 'first', 'new', '{"N":0}')
on conflict on constraint kv_items_pkey do update set value = excluded.value;
select is(pg_temp.usage('owner'), array[2, (2 + 9) + (1 + 8) + (3 + 8)]::bigint[], 'an upsert counts the new size of the item');
delete from public.kv_items where key = 'new';
select is(pg_temp.usage('owner'), array[2, (2 + 9) + (1 + 8)]::bigint[], 'a deleted item does not count');
select is_empty('select * from miscounted', 'nothing is miscounted');

delete from public.kv_stores where user_id = test.user_id('owner') and name = 'first';
select is(pg_temp.usage('owner'), '{1,9}'::bigint[], 'the items of a deleted store do not count any more');
select is_empty('select * from miscounted', 'the stored usage still equals the sum of the items');

delete from auth.users where id = test.user_id('owner');
select is(
  array[
    (select count(*) from public.kv_stores), (select count(*) from public.kv_items), (select count(*) from private.kv_usage)
  ], '{1,1,1}'::bigint[], 'the stores, items and usage of a deleted user are deleted'
);
update private.kv_usage set item_bytes = item_bytes + 1 where true;
select is(test.row_count('select from miscounted'), 1::bigint, 'a wrong usage is found');

select * from finish();
