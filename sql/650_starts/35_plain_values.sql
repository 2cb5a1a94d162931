-- Converts the readable JSON of a start into values, by the types of the inputs. The conversion is in the database, and
-- not in an Edge Function, because the transaction of the start must also look up the deployment and compare the
-- Idempotency-Key. types/values/json/ defines two forms of JSON. To convert readable JSON, the types of the input must
-- be known. Wire JSON is converted without types. Within a start, these parts are wire JSON: the elements of arrays,
-- the members of objects, and the whole value of an input that accepts any value.

create function private.float_text(number numeric)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- If a number is closer to 0 than the smallest float, Postgres refuses to convert it.
  v_text text := case when abs(float_text.number) < 2.5e-324 then '0'
    else float_text.number::double precision::text end;
  v_exact numeric := v_text::numeric;
begin
  if v_exact <> 0 and (abs(v_exact) >= 1e16 or abs(v_exact) < 1e-5) then
    return replace(replace(v_text, 'e+', 'e'), 'e-0', 'e-');
  end if;
  return case when scale(trim_scale(v_exact)) = 0 then trunc(v_exact)::text || '.0' else trim_scale(v_exact)::text end;
end;
$$;
comment on function private.float_text(numeric) is
  'The payload of the tag F for the float nearest to a number, as types/values writes it: 5.0, 1e16, 1e-7. The number must be within the range of floats.';

create function private.is_decimal(number numeric)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_scale integer := case when scale(is_decimal.number) > 28 then scale(trim_scale(is_decimal.number))
    else scale(is_decimal.number) end;
begin
  return v_scale <= 28 and abs(is_decimal.number) * 10::numeric ^ v_scale < 79228162514264337593543950336;
end;
$$;
comment on function private.is_decimal(numeric) is
  'Whether the tag D can hold the number: 96 bits and at most 28 decimal places.';

create function private.decimal_text(number numeric)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case when scale(decimal_text.number) > 28 then trim_scale(decimal_text.number)
    else decimal_text.number end::text;
end;
$$;
comment on function private.decimal_text(numeric) is
  'The payload of the tag D for a number that D can hold. It keeps trailing zeros.';

create function private.integer_value(number numeric)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return case
    when integer_value.number between 0 and 18446744073709551615
      then jsonb_build_object('U', integer_value.number::text)
    when integer_value.number between -9223372036854775808 and -1
      then jsonb_build_object('I', integer_value.number::text)
    when integer_value.number between 0 and 340282366920938463463374607431768211455
      then jsonb_build_object('U1', integer_value.number::text)
    when integer_value.number between -170141183460469231731687303715884105728 and -1
      then jsonb_build_object('I1', integer_value.number::text)
  end;
end;
$$;
comment on function private.integer_value(numeric) is
  'An integer as a value of the smallest tag that can hold it; null if it needs more than 128 bits.';

create function private.value_text(plain jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_text text;
  v_number numeric;
begin
  case jsonb_typeof(value_text.plain)
    when 'string' then
      return '{"S": ' || value_text.plain::text || '}';
    when 'number' then
      v_text := value_text.plain::text;
      -- Most numbers are short integers.
      if length(v_text) < 19 and v_text !~ '[^0-9]' then
        return '{"U": "' || v_text || '"}';
      end if;
      v_number := value_text.plain::numeric;
      return coalesce(
        case when scale(v_number) = 0 then private.integer_value(v_number)
          when private.is_decimal(v_number) then jsonb_build_object('D', private.decimal_text(v_number)) end,
        jsonb_build_object('F', private.float_text(v_number))
      )::text;
    when 'boolean' then
      return '{"B": ' || value_text.plain::text || '}';
    when 'array' then
      return (
        select '{"A": [' || coalesce(string_agg(private.value_text(e.element), ', ' order by e.position), '') || ']}'
        from jsonb_array_elements(value_text.plain) with ordinality as e (element, position)
      );
    when 'object' then
      return (
        select '{"M": {' || coalesce(string_agg(to_json(m.key)::text || ': ' || private.value_text(m.value), ', '), '')
          || '}}'
        from jsonb_each(value_text.plain) as m
      );
    else
      return '{"N": 0}';
  end case;
end;
$$;
comment on function private.value_text(jsonb) is
  'Builds the result of private.value_of_json() as text. If the result were built as jsonb, each value would be copied once for every object or array around it.';

create function private.value_of_json(plain jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return private.value_text(value_of_json.plain)::jsonb;
end;
$$;
comment on function private.value_of_json(jsonb) is
  'Converts wire JSON to a value, as fromWireJson of types/values/json does. Integers of at most 64 bits become U or I, longer ones U1 or I1; other numbers become D, or F if D can''t hold them. Objects become M, and arrays A; a text stays a text.';

create function private.value_of_number(number numeric, types text[])
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_is_integer constant boolean := value_of_number.number = trunc(value_of_number.number);
  v_number constant numeric := case when v_is_integer then trunc(value_of_number.number)
    else value_of_number.number end;
  v_type text;
  v_bits integer;
begin
  foreach v_type in array value_of_number.types loop
    if v_type in ('u8', 'u16', 'u32', 'u64', 'u128', 'i8', 'i16', 'i32', 'i64', 'i128') and v_is_integer then
      v_bits := substr(v_type, 2)::integer;
      if v_type like 'u%' and v_number between 0 and 2::numeric ^ v_bits - 1 then
        return private.integer_value(v_number);
      elsif v_type like 'i%' and v_number between -(2::numeric ^ (v_bits - 1)) and 2::numeric ^ (v_bits - 1) - 1 then
        return jsonb_build_object(
          case when v_number between -9223372036854775808 and 9223372036854775807 then 'I' else 'I1' end, v_number::text
        );
      end if;
    elsif v_type = 'decimal' and private.is_decimal(value_of_number.number) then
      return jsonb_build_object('D', private.decimal_text(value_of_number.number));
    elsif v_type = 'f64' or v_type = 'f32' and abs(value_of_number.number) < 3.4028236e38 then
      return jsonb_build_object('F', private.float_text(value_of_number.number));
    end if;
  end loop;
  return null;
end;
$$;
comment on function private.value_of_number(numeric, text[]) is
  'Converts a number to a value of the first of these types that can hold the number; null if none can.';

create function private.value_of_text(plain text, types text[])
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Test keys first, so that base58 of 32 bytes is read as a key even if the input also accepts other texts.
  if value_of_text.types && '{pubkey,keypair,address}' and private.is_public_key(value_of_text.plain) then
    return case
      when 'pubkey' = any (value_of_text.types) then jsonb_build_object('B3', value_of_text.plain)
      -- This is a wallet without a stored key pair: the run asks the holder of the key to sign.
      when 'keypair' = any (value_of_text.types)
        then jsonb_build_object('M', jsonb_build_object('public_key', jsonb_build_object('B3', value_of_text.plain)))
      else jsonb_build_object('S', value_of_text.plain)
    end;
  elsif value_of_text.types && '{keypair,signature}' and private.is_base58(value_of_text.plain, 64) then
    return jsonb_build_object('B6', value_of_text.plain);
  elsif 'string' = any (value_of_text.types) then
    return jsonb_build_object('S', value_of_text.plain);
  elsif 'bytes' = any (value_of_text.types) and length(value_of_text.plain) % 4 = 0
    and value_of_text.plain ~ '^[A-Za-z0-9+/]*={0,2}$' then
    return jsonb_build_object('BY', value_of_text.plain);
  elsif length(value_of_text.plain) <= 70 and value_of_text.plain ~ '^-?[0-9]{1,39}([.][0-9]{1,28})?$' then
    -- Do not read a number in a text as a float: callers write numbers as texts only for types that hold more digits
    -- than a float.
    return private.value_of_number(
      value_of_text.plain::numeric, array_remove(array_remove(value_of_text.types, 'f32'), 'f64')
    );
  end if;
  return null;
end;
$$;
comment on function private.value_of_text(text, text[]) is
  'Converts a text to a value of one of these types: a key or signature in base58, a wallet''s address, a text, a number in digits, or bytes in base64. Null if the text fits no type.';

create function private.value_of_input(plain jsonb, types text[], is_required boolean)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  if value_of_input.types && '{free,json}' then
    return private.value_of_json(value_of_input.plain);
  end if;
  return case jsonb_typeof(value_of_input.plain)
    when 'null' then case when not value_of_input.is_required then '{"N": 0}'::jsonb end
    when 'boolean' then case
      when 'bool' = any (value_of_input.types) then jsonb_build_object('B', value_of_input.plain) end
    when 'number' then private.value_of_number(value_of_input.plain::numeric, value_of_input.types)
    when 'string' then private.value_of_text(value_of_input.plain #>> '{}', value_of_input.types)
    else case
      when jsonb_typeof(value_of_input.plain) = any (value_of_input.types)
        then private.value_of_json(value_of_input.plain) end
  end;
end;
$$;
comment on function private.value_of_input(jsonb, text[], boolean) is
  'Converts readable JSON to a value for an input of these types, as fromReadableJson of types/values/json does. Null if the JSON fits none of the types. An optional input accepts null.';

create function private.check_plain_json(plain jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_measure private.json_measure;
begin
  -- Two quick tests come first, because measuring takes much longer. The first test compares the stored size: jsonb
  -- takes at most six times the bytes of its text. The second test counts the values, with jsonb_path_query_array,
  -- because jsonb_path_query would take quadratic time.
  if pg_column_size(check_plain_json.plain) > 6 * private.limit_inputs_bytes()
    or jsonb_array_length(jsonb_path_query_array(check_plain_json.plain, 'strict $.**.type()'))
      > private.limit_plain_values()
  then
    v_measure.fault := 'size';
  else
    -- Allow four times the limit of inputs here, because a number may have more digits as jsonb text than in the
    -- resulting value. For example, 1e300 has 301 digits as jsonb text, but becomes the value {"F": "1e300"}.
    v_measure := private.measure_json(check_plain_json.plain, 4 * private.limit_inputs_bytes());
  end if;
  if v_measure.fault = 'number' then
    perform private.fail('inputs_invalid', format('values%s: %s.', v_measure.path, v_measure.message));
  elsif v_measure.fault = 'size' then
    perform private.fail('inputs_too_large',
      format('values: larger than %s', private.size_text(private.limit_inputs_bytes())));
  end if;
  if v_measure.fault is null
    and jsonb_path_exists(
      check_plain_json.plain, 'strict $.** ? (@ >= 179769313486231580793e288 || @ <= -179769313486231580793e288)'
    )
  then
    perform private.fail('inputs_invalid', 'values: each number must be within the range of a 64-bit float.');
  end if;
end;
$$;
comment on function private.check_plain_json(jsonb) is
  'Refuses plain JSON that is too large for a value, or that has numbers beyond the range of floats or with too many digits: 400 inputs_invalid, 413 inputs_too_large. The calling function refuses JSON that is too deep.';

create function private.check_values(plain jsonb, inputs jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- The most faults that an error lists.
  v_most constant integer := 100;
  v_faults jsonb;
begin
  if jsonb_typeof(check_values.plain) <> 'object' then
    perform private.fail('inputs_invalid', 'values: must be an object of plain JSON, such as {"amount": 1.5}.');
  end if;
  perform private.check_plain_json(check_values.plain);
  select jsonb_agg(
    jsonb_build_object('path', 'values.' || private.shorten(f.key), 'message', f.message) order by f.key
  ) into v_faults
  from (
    select v.key,
      case when check_values.inputs ? v.key then 'is also in inputs: give it only once'
        else format('is nested deeper than %s levels', private.limit_value_levels()) end as message
    from jsonb_each(check_values.plain) as v
    where check_values.inputs ? v.key or private.is_too_deep(v.value)
    order by v.key limit v_most
  ) as f;
  perform private.refuse_faults('inputs_invalid', coalesce(v_faults, '[]'));
end;
$$;
comment on function private.check_values(jsonb, jsonb) is
  'Refuses the plain values of a start if they are not an object, are too large or too deep, or repeat a name of inputs. Call this function before reading the flow''s inputs. 400 inputs_invalid, 413 inputs_too_large.';

create function private.inputs_of_values(plain jsonb, interface private.flow_snapshot_interfaces)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_most constant integer := 100;
  v_inputs jsonb;
  v_faults jsonb;
  v_names text[];
begin
  with given as materialized (
    select v.key as name, i.input is not null as is_known,
      array(select jsonb_array_elements_text(i.input -> 'type_bounds')) as types,
      private.value_of_input(
        v.value, array(select jsonb_array_elements_text(i.input -> 'type_bounds')),
        coalesce((i.input ->> 'required')::boolean, false)
      ) as value
    from jsonb_each(inputs_of_values.plain) as v
    left join jsonb_array_elements((inputs_of_values.interface).inputs) as i (input) on i.input ->> 'name' = v.key
  )
  select
    -- Build the object as text, because jsonb_object_agg takes quadratic time for values that are objects with many
    -- members.
    (select json_object_agg(g.name, g.value)::jsonb from given as g where g.value is not null),
    (
      select jsonb_agg(jsonb_build_object('path', 'values.' || private.shorten(f.name), 'message', case
        when f.is_known then 'must be ' || array_to_string(f.types, ' or ') else 'the flow has no such input' end)
          order by f.name)
      from (select g.* from given as g where g.value is null or not g.is_known order by g.name limit v_most) as f
    )
  into v_inputs, v_faults;
  if v_faults is not null then
    v_names := array(
      select i.input ->> 'name'
        from jsonb_array_elements((inputs_of_values.interface).inputs) with ordinality as i (input, position)
      order by i.position
    );
    perform private.refuse_faults('inputs_invalid', v_faults, format(
      'The flow has these inputs: %s. GET /deployment/read returns the json_schema of each.',
      private.quote_input_names(v_names)
    ));
  end if;
  return coalesce(v_inputs, '{}');
end;
$$;
comment on function private.inputs_of_values(jsonb, private.flow_snapshot_interfaces) is
  'Converts the plain values of a start to inputs, by the types of the flow''s inputs. 400 inputs_invalid lists the first 100 values that do not fit their input or that belong to no input, and the names of the flow''s inputs.';

create function private.inputs_of_start(
  deployment public.flow_deployments, inputs jsonb, plain jsonb, waits boolean default true
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_inputs jsonb := inputs_of_start.inputs;
begin
  if inputs_of_start.plain is not null then
    v_inputs := v_inputs
      || private.inputs_of_values(
        inputs_of_start.plain,
        private.snapshot_interface((inputs_of_start.deployment).snapshot_hash, inputs_of_start.waits)
      );
    perform private.check_inputs(v_inputs);
  end if;
  perform private.check_input_names(v_inputs, (inputs_of_start.deployment).input_names);
  return v_inputs;
end;
$$;
comment on function private.inputs_of_start(public.flow_deployments, jsonb, jsonb, boolean) is
  'The inputs of a start: its tagged inputs, and its plain values converted by the flow''s input types. If waits is false, waits for no other transaction. 400 inputs_invalid, 413 inputs_too_large. Definer, because no API role may access snapshots.';
