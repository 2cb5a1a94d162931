select plan(6);

select isnt(private.uuid_v7_after(null), null, 'without a previous id any id is accepted');
select cmp_ok(private.uuid_v7_time(private.uuid_v7_after(null)), '<=', clock_timestamp(), 'such an id has the present time');
select cmp_ok(
  private.uuid_v7_time(private.uuid_v7_after(private.uuid_v7(now() - interval '1 day'))), '>', clock_timestamp() - interval '1 minute',
  'after an older id, an id has the present time'
);

select test.keep('future', private.uuid_v7('2100-01-01Z'));
select cmp_ok(
  private.uuid_v7_after(test.kept('future')::uuid), '>', test.kept('future')::uuid, 'after an id of the future, the next id is greater than that id'
);
select is(
  private.uuid_v7_time(private.uuid_v7_after(test.kept('future')::uuid)), '2100-01-01 00:00:00.000001Z', 'after an id of the future, an id is a microsecond later'
);

-- While the clock stands still, each id is greater than the previous one, whatever the random parts are.
create temporary table chain as
  with recursive chain (position, id) as (
    select 1, private.uuid_v7('2100-01-01 00:00:00.000999Z')
    union all
    select position + 1, private.uuid_v7_after(id) from chain where position < 2000
  )
  select * from chain;
select is_empty(
  'select from chain as a join chain as b on b.position = a.position + 1 where b.id <= a.id',
  'each of two thousand ids in a row is greater, also across milliseconds'
);

select * from finish();
