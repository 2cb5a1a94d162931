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
