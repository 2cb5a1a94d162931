-- Finds values that are too large or nested too deeply, names that are too long, and numbers that I-JSON (RFC 7493)
-- does not allow. Texts need no check, because jsonb refuses NUL and lone surrogates.
create function private.json_faults(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The number halfway between the largest double and 2^1024. As a double, this number and all larger ones are
  -- infinity.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- The query measures only strings, numbers, booleans and nulls, because each array or object in the result would be a
  -- copy of everything inside it. jsonb_path_query would take quadratic time, because it moves all remaining results
  -- after each row that it returns.
  select coalesce(
    sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0
  ) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= private.limit_definition_bytes() then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= private.limit_definition_levels()
    )
    select
      -- The size is the UTF-8 bytes of all strings and member names, plus 8 bytes for each value. TypeScript computes
      -- the same size.
      sum(
        8 + octet_length(part.name) + case jsonb_typeof(part.value)
          when 'string' then octet_length(part.value #>> '{}') else 0 end
      ),
      bool_or(
        part.depth > private.limit_definition_levels()
        or length(part.name) > private.limit_definition_name_characters()
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > private.limit_definition_bytes() then
    return jsonb_build_array(jsonb_build_object(
      'path', '', 'message', format('holds more than %s', private.size_text(private.limit_definition_bytes()))
    ));
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Build paths only if there is a fault. Shorten the names in a path, because each name is copied into the path of
  -- every value below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step,
          length(m.key) > private.limit_definition_name_characters() as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= private.limit_definition_levels()
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > private.limit_definition_levels()
            then format('is nested deeper than %s levels', private.limit_definition_levels())
          when part.is_named_too_long
            then format('has a name of more than %s characters', private.limit_definition_name_characters())
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'must be a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(
      jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]'
    )
    from (
      select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100
    ) as first
  );
end;
$$;
comment on function private.json_faults(jsonb) is
  'The first 100 faults in the size, depth, names and numbers of a JSON value, [{path, message}]; [] if there are none.';
grant execute on function private.json_faults(jsonb) to authenticated, service_role;

create function private.shape_faults(value jsonb, shape jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape,
        '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(
        case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end
      ) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(
        case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end
      )
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'must be ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array'
        else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$$;
comment on function private.shape_faults(jsonb, jsonb) is
  'The first 100 differences of a JSON value from a shape, [{path, message}]; [] if the value fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape}. A ! at the end of a member''s name marks a mandatory member. The value may have members that the shape does not name.';
grant execute on function private.shape_faults(jsonb, jsonb) to authenticated, service_role;
