-- Compares the values in the form of a node with the types of its inputs, in words for the people who fill in the form.

create function private.words_of_types(types jsonb)
returns text
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(string_agg(w.words, ' or ' order by w.place), 'any value')
  from (
    select t.words, min(t.place) as place
    from (
      select b.place, case
        when p.name ~ '^[ui][0-9]+$' then format(
          'a whole number from %s to %s', s.range ->> 'minimum', s.range ->> 'maximum'
        )
        when p.name in ('decimal', 'f32', 'f64') then 'a number'
        when p.name in ('address', 'pubkey') then 'a public key'
        else (
          '{"bool": "true or false", "string": "a text", "keypair": "a wallet", "signature": "a signature",
            "bytes": "bytes", "object": "a map", "array": "a list"}'::jsonb
        ) ->> p.name
      end as words
      from jsonb_array_elements_text(words_of_types.types) with ordinality as b (name, place)
      left join private.port_types() as p on p.name = b.name
      cross join lateral (select coalesce(p.json_schema #> '{anyOf,0}', p.json_schema) as range) as s
    ) as t
    where t.words is not null
    group by t.words
  ) as w;
$$;
comment on function private.words_of_types(jsonb) is 'The types of an input in words, such as "a whole number from 0 to 255".';

create function private.form_value_fault(value jsonb, types jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_names constant text[] := array(select jsonb_array_elements_text(form_value_fault.types));
  v_kind constant text := jsonb_typeof(form_value_fault.value);
  v_text constant text := form_value_fault.value #>> '{}';
  v_numbers constant text[] := array(select n.name from unnest(v_names) as n (name) where n.name ~ '^([uif][0-9]+|decimal)$');
begin
  if v_kind = 'null' or v_names = '{}' or exists (
    select from unnest(v_names) as n (name)
    where n.name in ('free', 'json') or n.name not in (select t.name from private.port_types() as t)
  ) then
    return null;
  end if;
  return case when not case v_kind
    when 'boolean' then 'bool' = any (v_names)
    when 'number' then
      'bytes' = any (v_names) or private.value_of_number(v_text::numeric, v_numbers) is not null
    when 'array' then v_names && '{array,bytes,pubkey,keypair,signature}'
    when 'object' then v_names && '{object,pubkey,keypair}'
    else v_names && '{string,address,bytes}'
      or 'decimal' = any (v_numbers) and pg_input_is_valid(v_text, 'numeric')
      or v_names && '{pubkey,keypair}' and private.is_base58(v_text, 32)
      or v_names && '{pubkey,keypair,signature}' and private.is_base58(v_text, 64)
  end
    then format(
      'must be %s, but is %s; the run fails at the node', private.words_of_types(form_value_fault.types),
      -- Texts may be secrets, so the message does not quote them.
      case v_kind when 'boolean' then v_text when 'number' then private.shorten(v_text, 40)
        when 'array' then 'a list' when 'object' then 'a map' when 'string' then 'a text' end
    )
  end;
end;
$$;
comment on function private.form_value_fault(jsonb, jsonb) is
  'What is wrong with a value in the form of a node for an input with these types; null if nothing is, or if only the run can tell.';

create function private.answered_by_fault(form_data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_given constant jsonb := answered_by_fault.form_data -> 'answered_by';
begin
  return case
    when v_given is null or v_given in ('"owner"', '"starter"', '"anyone_with_the_link"') then null
    when jsonb_typeof(v_given) = 'array' and jsonb_array_length(v_given) between 1 and private.limit_input_answerers()
      and not exists (
        select from jsonb_array_elements(v_given) as a (address)
        where jsonb_typeof(a.address) <> 'string' or length(a.address #>> '{}') > 320
          or a.address #>> '{}' !~ '^[^\s@]+@[^\s@]+$'
      )
      then null
    else format(
      'must be owner, starter, anyone_with_the_link, or a list of 1 to %s e-mail addresses; the run fails at the node',
      private.limit_input_answerers()
    )
  end;
end;
$$;
comment on function private.answered_by_fault(jsonb) is
  'What is wrong with the choice of who may answer in the form of a node api_input; null if nothing is.';
