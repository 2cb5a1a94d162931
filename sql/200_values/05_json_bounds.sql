-- Bounds of JSON that users send. Jsonb stores a number such as 1e100000 in a few bytes, but writes it with 100,001
-- digits. So the functions in this file check the numbers of a value first. They make the text of the value only if its
-- numbers are short.

create type private.json_measure as (bytes bigint, fault text, path text, message text);
comment on type private.json_measure is
  'Measures of a JSON value. bytes: the length of its text. fault: number, depth or size. path: the place of the fault. message: a description of valid values. fault, path and message are null if there is no fault.';

create function private.json_digits(value jsonb, out longest integer, out total bigint)
-- Not in the language SQL: each call of a function with `set` would plan its query again.
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- jsonb_path_query would take quadratic time, because it moves all remaining results after each row that it returns.
  select coalesce(max(d.digits), 0), coalesce(sum(d.digits), 0) into longest, total
  from jsonb_array_elements(jsonb_path_query_array(json_digits.value, 'strict $.** ? (@.type() == "number")'))
    as e (number)
  cross join lateral (select e.number::numeric as number) as n
  cross join lateral (select case
    when abs(n.number) >= 10::numeric ^ private.limit_number_digits()
      or scale(n.number) > private.limit_number_digits() then 131072
    when abs(n.number) < 1 then scale(n.number)
    when abs(n.number) < 1e16 and scale(n.number) <= private.limit_number_digits() - 16 then scale(n.number) + 1
    else scale(n.number) + length(trunc(abs(n.number))::text)
  end as digits) as d;
end;
$$;
comment on function private.json_digits(jsonb) is
  'Counts the digits in the text of each number in a JSON value, before and after the point. longest: the greatest count. total: the sum of all counts. A number with more digits than the limit counts as 131,072 digits. In a number below 10^16, all digits before the point count as one.';

create function private.long_number_path(value jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_value jsonb := long_number_path.value;
  v_path text := '';
  v_child record;
begin
  -- To read one level, Postgres copies everything below that level. So the loop stops after 16 levels, or at a list or
  -- object of more than 10,000 parts. If the loop stops before it reaches the number, the path is incomplete.
  for v_level in 1..16 loop
    exit when case jsonb_typeof(v_value)
      when 'array' then jsonb_array_length(v_value) > 10000
      when 'object' then (select count(*) > 10000 from jsonb_object_keys(v_value))
      else true
    end;
    for v_child in
      select c.step, c.value, c.place = count(*) over () as is_largest
      from (
        select i.step, i.value, row_number() over (order by pg_column_size(i.value)) as place
        from (
          select '.' || private.shorten(m.key) as step, m.value
          from jsonb_each(case jsonb_typeof(v_value) when 'object' then v_value end) as m
          union all
          select format('[%s]', e.position - 1), e.value
          from jsonb_array_elements(
            case jsonb_typeof(v_value) when 'array' then v_value end
          ) with ordinality as e (value, position)
        ) as i
      ) as c
      order by c.place
    loop
      -- The largest part comes last. If no other part contains the number, the largest part must contain it. So the
      -- largest part is never searched.
      exit when v_child.is_largest or (private.json_digits(v_child.value)).longest > private.limit_number_digits();
    end loop;
    v_path := v_path || v_child.step;
    v_value := v_child.value;
  end loop;
  return v_path;
end;
$$;
comment on function private.long_number_path(jsonb) is
  'The path of a number with too many digits, such as [0].data.x; at most the first 16 levels of the path. The value must contain such a number.';

create function private.measure_json(value jsonb, max_bytes integer)
returns private.json_measure
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
  v_digits record;
begin
  -- A jsonb value takes at most four times as many bytes as its text, plus a header. The worst case is a list of short
  -- numbers: each number takes twelve bytes in jsonb, and three bytes (`1, `) in text.
  if pg_column_size(measure_json.value) <= 4::bigint * measure_json.max_bytes + 64 then
    if jsonb_path_exists(
      measure_json.value, ('strict $.**{' || (private.limit_json_levels() + 1)::text || '}')::jsonpath
    ) then
      v_measure.fault := 'depth';
      v_measure.path := '';
      v_measure.message := format('must be nested at most %s levels deep', private.limit_json_levels());
      return v_measure;
    end if;
    v_digits := private.json_digits(measure_json.value);
    if v_digits.longest > private.limit_number_digits() then
      v_measure.fault := 'number';
      v_measure.path := private.long_number_path(measure_json.value);
      v_measure.message := format('a number must have at most %s digits', private.limit_number_digits());
      return v_measure;
    end if;
    if v_digits.total <= measure_json.max_bytes then
      v_measure.bytes := octet_length(measure_json.value::text);
    end if;
  end if;
  if v_measure.bytes <= measure_json.max_bytes or measure_json.value is null then
    return v_measure;
  end if;
  v_measure.fault := 'size';
  v_measure.path := '';
  v_measure.message := format('must be at most %s of JSON text', private.size_text(measure_json.max_bytes));
  return v_measure;
end;
$$;
comment on function private.measure_json(jsonb, integer) is
  'Measures JSON from a user. Call this function before any code that makes the text of the value. The value has a fault if its text has more than max_bytes, if it has too many levels, or if one of its numbers has too many digits.';
grant execute on function private.json_digits(jsonb) to authenticated, service_role;
grant execute on function private.long_number_path(jsonb) to authenticated, service_role;
grant execute on function private.measure_json(jsonb, integer) to authenticated, service_role;

create function private.check_json_column(name text, value jsonb, max_bytes integer)
returns bigint
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure := private.measure_json(check_json_column.value, check_json_column.max_bytes);
begin
  if v_measure.fault is not null then
    perform private.refuse_column(check_json_column.name || v_measure.path, v_measure.message);
  end if;
  return coalesce(v_measure.bytes, 0);
end;
$$;
comment on function private.check_json_column(text, jsonb, integer) is
  'Refuses the JSON of a column if it is too large or nested too deeply, or if one of its numbers has too many digits. The error 400 column_invalid names the place of the fault. Returns the number of bytes of the JSON''s text; 0 for null.';
grant execute on function private.check_json_column(text, jsonb, integer) to authenticated, service_role;
