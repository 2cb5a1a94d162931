create function private.plain_scalar(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_tag constant text := (select k.tag from jsonb_object_keys(plain_scalar.value) as k (tag) limit 1);
  v_text constant text := plain_scalar.value ->> v_tag;
begin
  return case
    when v_tag in ('S', 'B3', 'B6', 'B') then plain_scalar.value -> v_tag
    when v_tag in ('U', 'I', 'U1', 'I1', 'F', 'D') and length(v_text) <= private.limit_number_characters()
      and pg_input_is_valid(v_text, 'numeric') and v_text !~* '^[-+]?(nan|inf)' then to_jsonb(v_text::numeric)
  end;
end;
$$;
comment on function private.plain_scalar(jsonb) is
  'The text, number or boolean in a tagged value as JSON; null for other values.';

-- `typed` is {type, choices}, each of which may be missing.
create function private.typed_value_fault(value jsonb, typed jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_tag constant text := (select k.tag from jsonb_object_keys(typed_value_fault.value) as k (tag) limit 1);
  v_text constant text := typed_value_fault.value ->> v_tag;
  v_tags text[];
  v_words text;
begin
  select t.tags, t.words into v_tags, v_words
  from private.input_types() as t where t.name = typed_value_fault.typed ->> 'type';
  if v_tag <> all (v_tags) or not (case typed_value_fault.typed ->> 'type'
    when 'date' then v_text ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' and pg_input_is_valid(v_text, 'date')
    when 'email' then length(v_text) <= 320 and v_text ~ '^[^\s@]+@[^\s@]+$'
    when 'url' then length(v_text) <= private.limit_url_characters() and v_text ~* '^https?://[^\s/?#]\S*$'
    when 'public_key' then private.is_public_key(v_text)
    else true
  end) then
    return 'must be ' || v_words;
  end if;
  if not coalesce(
    typed_value_fault.typed -> 'choices' @> jsonb_build_array(private.plain_scalar(typed_value_fault.value)),
    not typed_value_fault.typed ? 'choices'
  ) then
    return 'must be one of the choices: ' || (
      select string_agg(private.shorten(c.choice::text, 100), ', ' order by c.place)
        || case when jsonb_array_length(typed_value_fault.typed -> 'choices') > private.limit_listed_faults()
          then ' and others' else '' end
      from jsonb_array_elements(typed_value_fault.typed -> 'choices') with ordinality as c (choice, place)
      where c.place <= private.limit_listed_faults()
    );
  end if;
  return null;
end;
$$;
comment on function private.typed_value_fault(jsonb, jsonb) is
  'What is wrong with a tagged value for an input with this type and these choices; null if nothing is.';

create function private.value_of_type(plain jsonb, type text)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select private.value_of_input(
    value_of_type.plain,
    array[coalesce((select t.port_type from private.input_types() as t where t.name = value_of_type.type), 'free')],
    false
  );
$$;
comment on function private.value_of_type(jsonb, text) is
  'Converts readable JSON to a value for an input of this type, or of any type if it is null. Null if the JSON does not fit.';

create function private.plain_value_fault(plain jsonb, typed jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_value constant jsonb := private.value_of_type(plain_value_fault.plain, plain_value_fault.typed ->> 'type');
begin
  return case
    when plain_value_fault.plain is null then null
    when v_value is null then 'must be ' || (
      select t.words from private.input_types() as t where t.name = plain_value_fault.typed ->> 'type'
    )
    else private.typed_value_fault(v_value, plain_value_fault.typed)
  end;
end;
$$;
comment on function private.plain_value_fault(jsonb, jsonb) is
  'What is wrong with readable JSON for an input with this type and these choices; null if nothing is.';
