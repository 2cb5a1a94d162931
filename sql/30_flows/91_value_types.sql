create function private.value_types()
returns table (name text, mask bigint, place integer, json_schema jsonb)
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- Kinds of values, a bit each: integers from 0 of 8 to 128 bits, negative ones of 8 to 128 bits, and so on. What two types have in
  -- common is the `and` of their masks, and what either takes the `or`.
  v_unsigned constant bigint[] := array[1, 3, 7, 15, 31];
  v_signed constant bigint[] := array[33, 99, 231, 495, 1023];
  v_decimal constant bigint := 495 + (1 << 10);
  v_f32 constant bigint := v_decimal + (1 << 11);
  v_f64 constant bigint := v_f32 + (1 << 12);
  v_bool constant bigint := 1 << 13;
  v_text constant bigint := 1 << 14;
  -- The text of a public key, which nodes take where they want a text, and where they want a key.
  v_key_text constant bigint := 1 << 15;
  v_key constant bigint := 1 << 16;
  -- A wallet whose key is not here: somebody is asked to sign.
  v_adapter constant bigint := 1 << 17;
  v_64_bytes constant bigint := 1 << 18;
  v_bytes constant bigint := 1 << 19;
  v_object constant bigint := 1 << 20;
  v_array constant bigint := 1 << 21;
  -- Two bits that tell free from json, and string from the texts that bytes take.
  v_free constant bigint := 1 << 22;
  v_string constant bigint := 1 << 24;
  v_all constant bigint := (1 << 23) - 1 + v_string;
begin
  return query values
    ('u8', v_unsigned[1], 1, '{"type": "integer", "minimum": 0, "maximum": 255}'::jsonb),
    ('u16', v_unsigned[2], 2, '{"type": "integer", "minimum": 0, "maximum": 65535}'),
    ('u32', v_unsigned[3], 3, '{"type": "integer", "minimum": 0, "maximum": 4294967295}'),
    ('u64', v_unsigned[4], 4, '{"anyOf": [{"type": "integer", "minimum": 0, "maximum": 18446744073709551615}, {"type": "string", "pattern": "^[0-9]{1,20}$"}]}'),
    ('u128', v_unsigned[5], 5, '{"anyOf": [{"type": "integer", "minimum": 0, "maximum": 340282366920938463463374607431768211455}, {"type": "string", "pattern": "^[0-9]{1,39}$"}]}'),
    ('i8', v_signed[1], 6, '{"type": "integer", "minimum": -128, "maximum": 127}'),
    ('i16', v_signed[2], 7, '{"type": "integer", "minimum": -32768, "maximum": 32767}'),
    ('i32', v_signed[3], 8, '{"type": "integer", "minimum": -2147483648, "maximum": 2147483647}'),
    ('i64', v_signed[4], 9, '{"anyOf": [{"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807}, {"type": "string", "pattern": "^-?[0-9]{1,19}$"}]}'),
    ('i128', v_signed[5], 10, '{"anyOf": [{"type": "integer", "minimum": -170141183460469231731687303715884105728, "maximum": 170141183460469231731687303715884105727}, {"type": "string", "pattern": "^-?[0-9]{1,39}$"}]}'),
    ('decimal', v_decimal, 11, '{"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^-?[0-9]{1,29}([.][0-9]{1,28})?$"}]}'),
    ('f32', v_f32, 12, '{"type": "number"}'),
    ('f64', v_f64, 13, '{"type": "number"}'),
    ('bool', v_bool, 14, '{"type": "boolean"}'),
    -- Twice, since what string and bytes have in common is string as well, and yet is not all that string is.
    ('string', v_text + v_key_text + v_string, 15, '{"type": "string"}'),
    ('string', v_text + v_key_text, 15, '{"type": "string"}'),
    ('address', v_key_text, 16, '{"type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'),
    ('pubkey', v_key_text + v_key + v_adapter + v_64_bytes, 17, '{"type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]{32,44}$"}'),
    ('keypair', v_adapter + v_64_bytes, 18, '{"type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]{32,88}$"}'),
    ('signature', v_64_bytes, 19, '{"type": "string", "pattern": "^[1-9A-HJ-NP-Za-km-z]{64,88}$"}'),
    ('bytes', v_text + v_key_text + v_key + v_adapter + v_64_bytes + v_bytes, 20, '{"type": "string", "contentEncoding": "base64"}'),
    ('object', v_object, 21, '{"type": "object"}'),
    ('array', v_array, 22, '{"type": "array"}'),
    ('json', v_all - v_free, 23, '{}'),
    ('free', v_all, 24, '{}');
end;
$$;
comment on function private.value_types() is
  'The types that ports name in type_bounds: which kinds of values each takes, as a mask, their order in answers, and the JSON Schema of the plain JSON that stands for such a value. A name that is not here stands for free.';

create function private.types_of_mask(mask bigint)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_names text[];
begin
  -- Without the types that another one in the list includes.
  with fitting as (
    select t.name, t.mask, t.place from private.value_types() as t where t.mask & types_of_mask.mask = t.mask
  )
  select array_agg(distinct_name.name order by distinct_name.place) into v_names
  from (
    select distinct f.name, f.place from fitting as f
    where not exists (select from fitting as wider where wider.mask <> f.mask and wider.mask & f.mask = f.mask)
  ) as distinct_name;
  return coalesce(v_names, '{free}');
end;
$$;
comment on function private.types_of_mask(bigint) is
  'The names of the widest types whose values are all in the mask; free when there is none, since nothing holds an edge to the types of its ends.';

create function private.mask_of_bounds(type_bounds jsonb)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_free constant bigint := (1 << 23) - 1 + (1 << 24);
begin
  return coalesce(
    (
      select bit_or(coalesce(t.mask, v_free))
      from jsonb_array_elements(mask_of_bounds.type_bounds) as b (name) left join private.value_types() as t on t.name = b.name #>> '{}'
    ),
    v_free
  );
end;
$$;
comment on function private.mask_of_bounds(jsonb) is 'The values that a port of these type_bounds takes, as a mask of private.value_types(). Without bounds it takes all.';

create function private.schema_hint(property jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  return (
    select coalesce(jsonb_object_agg(m.key, m.value), '{}')
    from jsonb_each(case jsonb_typeof(schema_hint.property) when 'object' then schema_hint.property else '{}' end) as m
    where case m.key
      when 'title' then jsonb_typeof(m.value) = 'string' and length(m.value #>> '{}') <= 200
      when 'minimum' then jsonb_typeof(m.value) = 'number'
      when 'maximum' then jsonb_typeof(m.value) = 'number'
      when 'minLength' then jsonb_typeof(m.value) = 'number'
      when 'maxLength' then jsonb_typeof(m.value) = 'number'
      when 'format' then m.value in ('"email"', '"uri"', '"date"')
      when 'enum' then jsonb_typeof(m.value) = 'array' and jsonb_path_exists(m.value, 'strict $.size() ? (@ > 0 && @ <= 100)')
        and octet_length(m.value::text) <= 4096
        and not jsonb_path_exists(m.value, '$[*] ? (@.type() != "string" && @.type() != "number" && @.type() != "boolean")')
    end
  );
end;
$$;
comment on function private.schema_hint(jsonb) is 'What the form of a node definition says of one of its inputs that holds for whoever starts a flow: title, bounds of a number or of a text''s length, the choices of a short list, and the formats email, uri and date.';
