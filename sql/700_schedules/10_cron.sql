-- Parses the five fields of a cron expression. No Postgres extension computes the next due time of a cron
-- expression, so this project does. Fields have the meaning that crontab(5) of Vixie cron describes. In addition,
-- lists and ranges may contain names.

create type private.cron as (
  minutes integer[], hours integer[], days integer[], months integer[], weekdays integer[],
    is_either_day boolean, is_fixed boolean
);
comment on type private.cron is
  'A parsed cron expression: the values of each field in ascending order; weekday 0 is Sunday. is_either_day: a day is due if its day of the month or its weekday matches. is_fixed: the expression names one time of day, so it is due once on each of its days, even if clocks change.';

create function private.cron_value(value text, low integer, high integer, names text[])
returns integer
language sql immutable security invoker
begin atomic
  select case
    when cron_value.value ~ '^[0-9]{1,2}$' then
      case when cron_value.value::integer between cron_value.low and cron_value.high then cron_value.value::integer end
    -- The first name means the lowest value.
    else array_position(cron_value.names, upper(cron_value.value)) - 1 + cron_value.low
  end;
end;
comment on function private.cron_value(text, integer, integer, text[]) is
  'The number that a value of a cron field stands for: the number 7 for the text 7, and 1 for the name JAN. Null if the number is not from low to high.';

create function private.cron_field(
  field text, low integer, high integer, names text[], out numbers integer[], out message text
)
returns record
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_part text;
  v_range text;
  v_step_text text;
  v_from integer;
  v_to integer;
  v_step integer;
begin
  numbers := '{}';
  foreach v_part in array string_to_array(cron_field.field, ',') loop
    v_range := split_part(v_part, '/', 1);
    v_step_text := case when strpos(v_part, '/') > 0 then substr(v_part, length(v_range) + 2) end;
    if v_range = '*' then
      v_from := cron_field.low;
      -- Weekdays 0 and 7 are both Sunday, so * ends at 6.
      v_to := least(cron_field.high, case when cron_field.high = 7 then 6 else cron_field.high end);
    elsif strpos(v_range, '-') > 0 then
      v_from := private.cron_value(split_part(v_range, '-', 1), cron_field.low, cron_field.high, cron_field.names);
      v_to := private.cron_value(
        substr(v_range, strpos(v_range, '-') + 1), cron_field.low, cron_field.high, cron_field.names
      );
      -- SUN is 0. But at the end of a range, such as FRI-SUN, it must be 7, so that the range does not end before it
      -- begins.
      if cron_field.high = 7 and upper(v_range) like '%-SUN' then
        v_to := 7;
      end if;
    else
      v_from := private.cron_value(v_range, cron_field.low, cron_field.high, cron_field.names);
      v_to := v_from;
    end if;
    v_step := coalesce(
      case when v_step_text ~ '^[0-9]{1,2}$' then v_step_text::integer end, case when v_step_text is null then 1 end, 0
    );
    message := case
      when v_from is null or v_to is null then
        format('has %s, where a number from %s to %s%s, a range or * is needed', to_jsonb(private.shorten(v_range, 30)),
          cron_field.low, cron_field.high,
            case when cron_field.names is null then '' else ', one of ' || array_to_string(cron_field.names, ' ') end)
      when v_from > v_to then
        format('has the range %s, which ends before it begins', to_jsonb(v_range))
      when v_step_text is not null and strpos(v_range, '-') = 0 and v_range <> '*' then
        format('has a step after the number %s: a step must follow * or a range, such as %s-%s/%s', to_jsonb(v_range),
          v_from, cron_field.high, private.shorten(v_step_text, 30))
      when v_step not between 1 and cron_field.high then
        format('has the step %s, which must be a number from 1 to %s',
          to_jsonb(private.shorten(v_step_text, 30)), cron_field.high)
    end;
    if message is not null then
      return;
    end if;
    numbers := numbers || array(
      select case when cron_field.high = 7 then n % 7 else n end from generate_series(v_from, v_to, v_step) as n
    );
  end loop;
  numbers := array(select distinct n from unnest(numbers) as n order by n);
end;
$$;
comment on function private.cron_field(text, integer, integer, text[]) is
  'The values of one field of a cron expression in ascending order. If the field is invalid, message describes its first invalid part.';

create function private.read_cron(cron text, out read private.cron, out faults jsonb)
returns record
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_fields text[];
  v_field record;
  v_names constant text[] := '{minute,hour,day_of_month,month,day_of_week}';
  v_lows constant integer[] := '{0,0,1,1,0}';
  v_highs constant integer[] := '{59,23,31,12,7}';
  v_day_names constant text[] := '{SUN,MON,TUE,WED,THU,FRI,SAT}';
  v_month_names constant text[] := '{JAN,FEB,MAR,APR,MAY,JUN,JUL,AUG,SEP,OCT,NOV,DEC}';
begin
  faults := '[]';
  if length(read_cron.cron) > private.limit_cron_characters() then
    faults := jsonb_build_array(jsonb_build_object(
      'path', 'cron', 'message', format('must have at most %s characters', private.limit_cron_characters())
    ));
    return;
  end if;
  v_fields := array_remove(string_to_array(translate(read_cron.cron, E'\t', ' '), ' '), '');
  if cardinality(v_fields) <> 5 then
    faults := jsonb_build_array(jsonb_build_object('path', 'cron', 'message', format(
      'must have five fields (minute, hour, day of month, month, day of week), such as 30 6 * * MON-FRI, but it has %s',
      cardinality(v_fields)
    )));
    return;
  end if;
  for v_place in 1..5 loop
    v_field := private.cron_field(v_fields[v_place], v_lows[v_place], v_highs[v_place],
      case v_place when 4 then v_month_names when 5 then v_day_names end);
    if v_field.message is not null then
      faults := faults || jsonb_build_object('path', 'cron.' || v_names[v_place], 'message', v_field.message);
    end if;
    case v_place
      when 1 then read.minutes := v_field.numbers;
      when 2 then read.hours := v_field.numbers;
      when 3 then read.days := v_field.numbers;
      when 4 then read.months := v_field.numbers;
      else read.weekdays := v_field.numbers;
    end case;
  end loop;
  if faults <> '[]' then
    return;
  end if;
  read.is_either_day := v_fields[3] not like '*%' and v_fields[5] not like '*%';
  read.is_fixed := cardinality(read.minutes) = 1 and cardinality(read.hours) = 1
    and (v_fields[1] || v_fields[2]) !~ '[*/]';
  -- Refuse days that none of the named months has, such as 30 February. Let February have 29 days.
  if not read.is_either_day and not exists (
    select from unnest(read.months) as m
    where read.days[1] <= (array[31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])[m]
  ) then
    faults :=
      '[{"path": "cron.day_of_month", "message": "none of the named months has any of these days, so the expression would never be due"}]';
  end if;
end;
$$;
comment on function private.read_cron(text) is
  'Parses a cron expression, in linear time. faults lists the faults of the expression, [{path, message}]; [] if it is valid.';

create function private.is_time_zone(name text)
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  -- Check the spelling first, because Postgres also accepts texts that are not names of zones: abbreviations, which
  -- have a fixed offset, and POSIX rules. It also accepts names in two folders of copies: `posix` has a copy of every
  -- zone, and `right` has copies with leap seconds.
  if is_time_zone.name !~ '^(UTC|GMT|Etc/GMT[+-][0-9]{1,2}|[A-Za-z_]+(/[A-Za-z_-]+){1,2})$'
    or is_time_zone.name ~* '^(posix|right)/' or length(is_time_zone.name) > 64
  then
    return false;
  end if;
  perform now() at time zone is_time_zone.name;
  return true;
exception when invalid_parameter_value then
  return false;
end;
$$;
comment on function private.is_time_zone(text) is
  'True if the text names a time zone of the IANA database by area and place, or is UTC or GMT.';
