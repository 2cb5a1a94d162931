create function private.is_too_deep(value jsonb)
returns boolean
language plpgsql immutable strict security invoker
set search_path = ''
as $$
begin
  return jsonb_path_exists(is_too_deep.value, ('strict $.**{' || private.limit_value_levels()::text || '}')::jsonpath);
end;
$$;
comment on function private.is_too_deep(jsonb) is
  'Whether JSON without tags is nested deeper than a value of a flow may be.';

create function private.bad_value(value jsonb, depth integer)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return format(': is nested deeper than %s levels', private.limit_value_levels());
  end if;
  if jsonb_typeof(bad_value.value) = 'object' then
    v_tag := case
      when bad_value.value ? 'A' then 'A'
      when bad_value.value ? 'M' then 'M'
      when bad_value.value ? 'S' then 'S'
      when bad_value.value ? 'N' then 'N'
      -- This path copies the whole value. Arrays (A) and maps (M) may be large, so the conditions above recognise them
      -- without a copy.
      else jsonb_path_query_first(bad_value.value, '$.keyvalue().key') #>> '{}'
    end;
  end if;
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': must be an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': must be a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: must be true or false' end;
    when v_tag = 'N' then
      -- Check the scale, because 0e-9 equals 0 but its text is 0.000000000.
      return case when v_payload <> '0' or scale(v_payload::numeric) > 0 then '.N: must be 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: must be an array';
      end if;
      for v_index in 0..jsonb_array_length(v_payload) - 1 loop
        v_bad := private.bad_value(v_payload -> v_index, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: must be an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', private.shorten(v_member.key), v_bad);
        end if;
      end loop;
      return null;
    else
      return format(
        ': there is no tag %s; the tags are S, N, B, U, I, U1, I1, F, D, B3, B6, BY, A and M',
        to_jsonb(private.shorten(v_tag))
      );
  end case;
end;
$$;
comment on function private.bad_value(jsonb, integer) is
  'The path and the fault of a tagged value, such as ".A[0].S: must be a string"; null without a fault. Checks tags and JSON types down to `depth` levels. The Edge Functions and the runner check the ranges of numbers.';

-- Error messages begin with `path`, which names the inputs.
create function private.check_inputs(inputs jsonb, path text default 'inputs')
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
  v_pairs jsonb;
  v_bad text;
begin
  -- Nearly all inputs are a few short strings with one tag each. For such inputs, a single pattern on the jsonb text
  -- shows that they are valid. Inputs with a JSON number skip this test: the number must be measured first, because its
  -- text may be very long.
  if pg_column_size(check_inputs.inputs) < 1024
    and not jsonb_path_exists(check_inputs.inputs, 'strict $.** ? (@.type() == "number")')
    and check_inputs.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
  then
    return;
  end if;
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(
      'inputs_invalid', check_inputs.path || ': must be an object of values, such as {"a": {"S": "text"}}'
    );
  end if;
  v_measure := private.measure_json(check_inputs.inputs, private.limit_inputs_bytes());
  if v_measure.fault = 'size' then
    perform private.fail('inputs_too_large', format(
      '%s: must be at most %s of JSON', check_inputs.path, private.size_text(private.limit_inputs_bytes())
    ));
  elsif v_measure.fault = 'number' then
    perform private.fail('inputs_invalid', format('%s%s: %s', check_inputs.path, v_measure.path, v_measure.message));
  end if;
  -- A number or key with more characters than the limit is invalid, and reading it would take quadratic time. The query
  -- splits the text at `": "`. In JSON text, these characters occur only between a member's name and a string. In
  -- inputs, only a member whose name is a tag may have a string as its value.
  if octet_length(check_inputs.inputs::text) > private.limit_number_characters() and exists (
    select
    from (
      select part.text, right(lag(part.text) over (order by part.place), 4) as before
      from string_to_table(check_inputs.inputs::text, '": "') with ordinality as part (text, place)
    ) as strings
    where strpos(strings.text, '"') > private.limit_number_characters() + 1 and strings.before ~ '"([FD]|[UI]1?|B[36])$'
  ) then
    perform private.fail('inputs_invalid', format(
      '%s: the text of a number or a key must have at most %s characters', check_inputs.path,
      private.limit_number_characters()
    ));
  end if;
  -- This JSON path checks all levels without copying. Inputs that pass it are valid. The path must be lax: in a lax
  -- path, `(@.*.size() * 0 == 0) is unknown` is true if an object has no members or several. But in a lax path, `.*`
  -- also looks into the objects of an array, so the path refuses arrays where values must be objects.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', private.limit_value_levels()
    )
    -- A value one level below the last allowed level is a fault.
    || '1 == 1' || repeat('))', private.limit_value_levels() + 1) || ')'
  )::jsonpath) then
    return;
  end if;
  -- The inputs have a fault. Search each level to name the fault.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', private.limit_value_levels());
    if v_bad is not null then
      perform private.fail(
        'inputs_invalid', format('%s.%s%s', check_inputs.path, private.shorten(v_pairs -> v_index ->> 'key'), v_bad)
      );
    end if;
  end loop;
end;
$$;
comment on function private.check_inputs(jsonb, text) is
  'Checks that inputs are an object whose values have one tag each, such as {"a": {"S": "text"}}. 400 inputs_invalid if they are not, if there are too many levels, or if a number or a key has too many characters. 413 inputs_too_large if there are too many bytes.';

create function private.quote_input_names(input_names text[])
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_listed_faults();
begin
  return coalesce((
    select string_agg(to_jsonb(left(k.name, 100))::text, ', ' order by k.position)
    from unnest(quote_input_names.input_names[:v_most]) with ordinality as k (name, position)
  ) || case when cardinality(quote_input_names.input_names) > v_most then ' and others' else '' end, 'none');
end;
$$;
comment on function private.quote_input_names(text[]) is
  'A list of the names of a flow''s inputs for an error message: at most 20 names, each cut after 100 characters; `none` for a flow without inputs.';

create function private.check_input_names(inputs jsonb, input_names text[])
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_unknown text[];
begin
  -- Use `except`, which hashes or sorts both sides. Comparing each name with every other name would take minutes
  -- for the largest inputs.
  v_unknown := array(
    select left(given.name, 100)
    from (
      select g.name from jsonb_object_keys(check_input_names.inputs) as g (name)
      except
      select k.name from unnest(check_input_names.input_names) as k (name)
    ) as given
    order by given.name limit private.limit_listed_faults()
  );
  if cardinality(v_unknown) = 0 then
    return;
  end if;
  perform private.fail(
    'inputs_invalid',
    format('inputs: the flow has no input %s; it has %s.',
      (select string_agg(to_jsonb(u.name)::text, ', ') from unnest(v_unknown) as u (name)),
      private.quote_input_names(check_input_names.input_names)),
    (
      select jsonb_agg(jsonb_build_object('path', 'inputs.' || u.name, 'message', 'the flow has no such input'))
      from unnest(v_unknown) as u (name)
    )
  );
end;
$$;
comment on function private.check_input_names(jsonb, text[]) is
  'Refuses inputs that the flow does not have: 400 inputs_invalid. The error names the first 20 of these inputs, and lists the flow''s own inputs.';
