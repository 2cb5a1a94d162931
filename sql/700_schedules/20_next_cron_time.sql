-- Computes the next due time of a cron expression, even if clocks are set forward or back. The rules are those of
-- the package croner; a test compares the results. An expression that names one time of day is due once on each of
-- its days. If clocks show this time twice, the expression is due the first time. If clocks skip this time, the
-- expression is due at the end of the gap. Any other expression is due whenever the clocks show one of its times.
-- So it is due twice if clocks show the time twice, and not due if clocks skip the time. For example, a nightly
-- report runs each night, and a schedule for every ten minutes runs every ten minutes.

create function private.offset_at(at timestamp, time_zone text)
returns interval
language sql stable security invoker
begin atomic
  select (offset_at.at at time zone 'UTC') at time zone offset_at.time_zone - offset_at.at;
end;
comment on function private.offset_at(timestamp, text) is
  'The offset of a time zone''s clocks from UTC, at a time that is given in UTC.';

create function private.is_cron_day(cron private.cron, day date)
returns boolean
language sql immutable security invoker
begin atomic
  select date_part('month', is_cron_day.day)::integer = any (is_cron_day.cron.months) and case
    when is_cron_day.cron.is_either_day then
      date_part('day', is_cron_day.day)::integer = any (is_cron_day.cron.days)
        or date_part('dow', is_cron_day.day)::integer = any (is_cron_day.cron.weekdays)
    else date_part('day', is_cron_day.day)::integer = any (is_cron_day.cron.days)
      and date_part('dow', is_cron_day.day)::integer = any (is_cron_day.cron.weekdays)
  end;
end;
comment on function private.is_cron_day(private.cron, date) is
  'True if a cron expression is due on a day. As in Vixie cron, both day fields must match. But if neither of them begins with *, one match is enough.';

create function private.cron_time_of_day(cron private.cron, after interval)
returns interval
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_hour integer;
  v_minute integer;
begin
  foreach v_hour in array cron_time_of_day.cron.hours loop
    continue when make_interval(hours => v_hour, mins => 59) <= cron_time_of_day.after;
    foreach v_minute in array cron_time_of_day.cron.minutes loop
      if make_interval(hours => v_hour, mins => v_minute) > cron_time_of_day.after then
        return make_interval(hours => v_hour, mins => v_minute);
      end if;
    end loop;
  end loop;
  return null;
end;
$$;
comment on function private.cron_time_of_day(private.cron, interval) is
  'The first time of day after a given time of day at which a cron expression is due; null if it is not due again on that day.';

create function private.end_of_gap(day date, before timestamptz, after timestamptz, time_zone text)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_offset constant interval := private.offset_at(end_of_gap.before at time zone 'UTC', end_of_gap.time_zone);
  v_low timestamptz := end_of_gap.before;
  v_high timestamptz := end_of_gap.after;
  v_middle timestamptz;
begin
  -- Stop when the interval is one minute, because clocks change at whole minutes.
  while v_high - v_low > interval '1 minute' loop
    v_middle := date_bin('1 minute', v_low + (v_high - v_low) / 2, v_low);
    if private.offset_at(v_middle at time zone 'UTC', end_of_gap.time_zone) = v_offset then
      v_low := v_middle;
    else
      v_high := v_middle;
    end if;
  end loop;
  return case when (v_high at time zone end_of_gap.time_zone)::date = end_of_gap.day then v_high end;
end;
$$;
comment on function private.end_of_gap(date, timestamptz, timestamptz, text) is
  'The moment between `before` and `after` at which clocks are set forward. The two times are less than a day apart. Null if the clocks show a day other than `day` at that moment.';

create function private.cron_time_of_changing_day(
  cron private.cron, time_zone text, day date, offset_before interval, offset_after interval, after timestamptz
)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  v_local timestamp;
  v_times timestamptz[];
begin
  if not cron_time_of_changing_day.cron.is_fixed then
    return (
      select min(c.at)
      from unnest(cron_time_of_changing_day.cron.hours) as h
      cross join unnest(cron_time_of_changing_day.cron.minutes) as m
      cross join unnest(array[cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after]) as o
      cross join lateral (
        select (cron_time_of_changing_day.day + make_interval(hours => h, mins => m) - o) at time zone 'UTC' as at
      ) as c
      where c.at > cron_time_of_changing_day.after
        and c.at at time zone cron_time_of_changing_day.time_zone
            = cron_time_of_changing_day.day + make_interval(hours => h, mins => m)
    );
  end if;
  v_local := cron_time_of_changing_day.day + private.cron_time_of_day(cron_time_of_changing_day.cron, '-1 minute');
  v_times := array[
    (v_local - greatest(cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after))
      at time zone 'UTC',
    (v_local - least(cron_time_of_changing_day.offset_before, cron_time_of_changing_day.offset_after))
      at time zone 'UTC'
  ];
  return (
    select first.at from (
      select coalesce(
        (select min(t) from unnest(v_times) as t where t at time zone cron_time_of_changing_day.time_zone = v_local),
        private.end_of_gap(cron_time_of_changing_day.day, v_times[1], v_times[2], cron_time_of_changing_day.time_zone)
      ) as at
    ) as first
    where first.at > cron_time_of_changing_day.after
  );
end;
$$;
comment on function private.cron_time_of_changing_day(private.cron, text, date, interval, interval, timestamptz) is
  'The first due time of a cron expression on a day, after a given time; null if there is none. The result is right even if clocks change from one offset to another around this day.';

create function private.cron_time_of_date(cron private.cron, time_zone text, day date, after timestamptz)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- In every time zone, the whole date lies between the times of these two offsets: a date begins at most 14 hours
  -- before its midnight in UTC, and ends at most 36 hours after that midnight.
  v_before constant interval :=
    private.offset_at(cron_time_of_date.day - interval '1 day', cron_time_of_date.time_zone);
  v_after constant interval :=
    private.offset_at(cron_time_of_date.day + interval '2 days', cron_time_of_date.time_zone);
begin
  if v_before <> v_after then
    return (
      -- Search the next day too: if clocks are set back after midnight, the next day has begun before they show the end
      -- of this day again.
      select min(private.cron_time_of_changing_day(
        cron_time_of_date.cron, cron_time_of_date.time_zone, d.day::date, v_before, v_after, cron_time_of_date.after
      ))
      from unnest(array[cron_time_of_date.day, cron_time_of_date.day + 1]) as d (day)
      where private.is_cron_day(cron_time_of_date.cron, d.day)
    );
  end if;
  return (cron_time_of_date.day + private.cron_time_of_day(
    cron_time_of_date.cron,
    greatest((cron_time_of_date.after at time zone 'UTC') + v_before - cron_time_of_date.day, interval '-1 minute')
  ) - v_before) at time zone 'UTC';
end;
$$;
comment on function private.cron_time_of_date(private.cron, text, date, timestamptz) is
  'The first due time of a cron expression on one of its days, after a given time; null if there is none. If clocks change around this day, the next day is searched, too.';

create function private.next_time_of_cron(cron private.cron, time_zone text, after timestamptz)
returns timestamptz
language plpgsql stable security invoker
set search_path = ''
as $$
declare
  -- Begin with the previous day, because clocks that are set back after midnight show the end of that day again.
  v_day date := (next_time_of_cron.after at time zone next_time_of_cron.time_zone)::date - 1;
  -- Search 41 years: 29 February falls on each weekday within 28 years, or within 40 years around a year such as 2100,
  -- which is not a leap year.
  v_last_day constant date := v_day + 41 * 366;
  v_time timestamptz;
begin
  while v_day < v_last_day loop
    if date_part('month', v_day)::integer <> all (next_time_of_cron.cron.months) then
      -- Skip the rest of this month, but no day of the next month. Continue with the last day of this month. If this is
      -- the last day, continue with the first day of the next month.
      v_day := greatest(v_day + 1, (date_trunc('month', v_day::timestamp) + interval '1 month - 1 day')::date);
    end if;
    if private.is_cron_day(next_time_of_cron.cron, v_day) then
      v_time := private.cron_time_of_date(
        next_time_of_cron.cron, next_time_of_cron.time_zone, v_day, next_time_of_cron.after
      );
      if v_time is not null then
        return v_time;
      end if;
    end if;
    v_day := v_day + 1;
  end loop;
  return null;
end;
$$;
comment on function private.next_time_of_cron(private.cron, text, timestamptz) is
  'The next due time of a parsed cron expression after a given time, by the clocks of a time zone. Searches day by day, and skips months that the expression does not name. Null if the expression is never due; read_cron refuses such expressions.';

create function private.next_cron_time(cron text, time_zone text, after timestamptz)
returns timestamptz
language sql stable security invoker
begin atomic
  select private.next_time_of_cron(
    (private.read_cron(next_cron_time.cron)).read, next_cron_time.time_zone, next_cron_time.after
  );
end;
comment on function private.next_cron_time(text, text, timestamptz) is
  'The next due time of a cron expression after a given time, by the clocks of a time zone. Parsing takes most of the time. So to compute several due times, parse the expression once and call next_time_of_cron.';
