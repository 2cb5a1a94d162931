SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.typed_value_fault (
  value jsonb,
  typed jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
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
$function$;
