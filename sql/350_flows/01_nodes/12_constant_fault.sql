create function private.constant_fault(form_data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form constant jsonb := constant_fault.form_data;
  v_value constant jsonb := v_form -> 'value';
  v_kind constant text := coalesce(jsonb_typeof(v_value), 'missing');
  v_text constant text := case v_kind when 'string' then v_value #>> '{}' end;
begin
  -- A bare text is the constant itself. The runner reads a list of addresses (File) as it is.
  if jsonb_typeof(v_form) = 'string' or v_form ->> 'type' = 'File' and v_kind <> 'missing' then
    return null;
  end if;
  if jsonb_typeof(v_form -> 'type') is distinct from 'string' then
    return 'form_data must have the members type and value';
  end if;
  -- Types of other names come from other editors, and have a value with its tag.
  if v_kind = 'object' and v_form ->> 'type' <> 'JSON'
    or v_form ->> 'type' not in ('text', 'number', 'decimal', 'boolean', 'JSON', 'null', 'bytes', 'key') then
    return case when v_kind = 'missing' then 'form_data must have the members type and value'
      else 'form_data.value' || private.bad_value(v_value, private.limit_value_levels()) end;
  end if;
  return 'form_data.value: must be ' || case v_form ->> 'type'
    when 'text' then case when v_kind not in ('string', 'missing') then 'a text' end
    when 'number' then case when v_kind <> 'number' then 'a number' end
    when 'decimal' then
      case
        when v_text ~ '^[-+]?([0-9]{1,60}([.][0-9]{0,60})?|[.][0-9]{1,60})$'
          and abs(v_text::numeric) <= 79228162514264337593543950335 then null
        else 'a decimal, such as 2.50'
      end
    when 'boolean' then case when v_kind <> 'boolean' then 'true or false' end
    when 'JSON' then case when v_text is json is not true then 'a text that holds JSON' end
    when 'bytes' then
      case when v_text is null or v_text <> '' and length(v_text) <= 8192 and not private.is_base64(v_text)
        then 'bytes in base64, such as AQID' end
    when 'key' then
      case when private.is_base58(v_text, 32) or private.is_base58(v_text, 64) then null
        else 'a public key, or a key pair of 64 bytes, in base58' end
  end;
end;
$$;
comment on function private.constant_fault(jsonb) is
  'The reason why a run can''t read the form data of a node const; null if it can. The runner has the same rule (runner/nodes/const/), and also checks the numbers in values with a tag.';
