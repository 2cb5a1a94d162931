create function private.bad_value(value jsonb, path text, depth integer)
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
    return format('%s: nested too deeply', bad_value.path);
  end if;
  if jsonb_typeof(bad_value.value) <> 'object' or (select count(*) from jsonb_object_keys(bad_value.value)) <> 1 then
    return format('%s: a value is an object with exactly one tag, such as {"S": "text"}', bad_value.path);
  end if;
  select m.key, m.value into v_tag, v_payload from jsonb_each(bad_value.value) as m;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then format('%s.%s: takes a string', bad_value.path, v_tag) end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then format('%s.B: takes true or false', bad_value.path) end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then format('%s.N: takes 0', bad_value.path) end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return format('%s.A: takes an array', bad_value.path);
      end if;
      for v_member in select e.value, e.ordinality - 1 as index from jsonb_array_elements(v_payload) with ordinality as e loop
        v_bad := private.bad_value(v_member.value, format('%s.A[%s]', bad_value.path, v_member.index), bad_value.depth - 1);
        exit when v_bad is not null;
      end loop;
      return v_bad;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return format('%s.M: takes an object', bad_value.path);
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, format('%s.M.%s', bad_value.path, v_member.key), bad_value.depth - 1);
        exit when v_bad is not null;
      end loop;
      return v_bad;
    else
      return format('%s: there is no tag %s', bad_value.path, to_jsonb(v_tag));
  end case;
end;
$$;
comment on function private.bad_value(jsonb, text, integer) is
  'What is wrong with a tagged value and where, or null. Checks tags and JSON types down to `depth` levels; ranges are the door''s and the runner''s.';

create function private.check_inputs(inputs jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_input record;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  for v_input in select i.key, i.value from jsonb_each(check_inputs.inputs) as i loop
    v_bad := private.bad_value(v_input.value, 'inputs.' || v_input.key, 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', v_bad);
    end if;
  end loop;
end;
$$;
comment on function private.check_inputs(jsonb) is
  'Refuses flow inputs that are not an object of one-tag values, 64 levels deep and 1 MiB at most.';
