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
    return ': nested too deeply';
  end if;
  v_tag := jsonb_path_query_first(bad_value.value, 'strict $.keyvalue().key', silent => true) #>> '{}';
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': a value is an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': takes a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: takes true or false' end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then '.N: takes 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: takes an array';
      end if;
      for v_member in select e.value, e.ordinality - 1 as index from jsonb_array_elements(v_payload) with ordinality as e loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_member.index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: takes an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', v_member.key, v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(v_tag));
  end case;
end;
$$;
comment on function private.bad_value(jsonb, integer) is
  'What is wrong with a tagged value, after the path to it (''.A[0].S: takes a string''), or null. Checks tags and JSON types down to `depth` levels; ranges are the door''s and the runner''s.';

create function private.check_inputs(inputs jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_pairs jsonb;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- Expressions, no query: every start goes through here, and a query would cost it as much as two indexes.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || (v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$$;
comment on function private.check_inputs(jsonb) is
  'Refuses inputs of a flow that are not an object of one-tag values, 64 levels deep and 1 MiB at most: 400 inputs_invalid, 413 inputs_too_large.';
