select plan(3);

select is(
  count(*) filter (where private.uuid_v7_time(private.uuid_v7(t)) <> t), 0::bigint,
  'the time of an id is exact for every microsecond of a millisecond, and for many other times'
)
from (
  select timestamptz '2026-11-21 12:00:00+00' + n * interval '1 microsecond' as t from generate_series(0, 999) as n
  union all
  select timestamptz '2000-01-01 00:00:00+00' + n * interval '77 days 3.141592 seconds' from generate_series(0, 300) as n
) as times;

select matches(
  private.uuid_v7()::text, '^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  'version and variant are those of RFC 9562'
);

select ok(
  private.uuid_v7(timestamptz '2026-11-21 12:00:00.000001+00') < private.uuid_v7(timestamptz '2026-11-21 12:00:00.000002+00'),
  'an id that is a microsecond later is greater'
);

select * from finish();
