create function private.types_of_mask(mask bigint)
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_names text[];
begin
  -- The JSON of a port type can become values of several kinds. A type fits if the mask contains all of these kinds.
  -- Drop a fitting type if another fitting type takes all its kinds of values and more.
  with fitting as (
    select t.name, t.place, t.takes & types_of_mask.mask as covered
    from private.port_types() as t where t.makes & types_of_mask.mask = t.makes
  )
  select array_agg(f.name order by f.place) into v_names
  from fitting as f
  where not exists (
    select from fitting as wider where wider.covered <> f.covered and wider.covered & f.covered = f.covered
  );
  return coalesce(v_names, '{free}');
end;
$$;
comment on function private.types_of_mask(bigint) is
  'The names of the widest port types whose values all have kinds in the mask; free if there is no such type.';

create function private.mask_of_bounds(type_bounds jsonb)
returns bigint
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_free constant bigint := (select t.takes from private.port_types() as t where t.name = 'free');
begin
  return coalesce(
    (
      select bit_or(coalesce(t.takes, v_free))
      from jsonb_array_elements(mask_of_bounds.type_bounds) as b (name)
      left join private.port_types() as t on t.name = b.name #>> '{}'
    ),
    v_free
  );
end;
$$;
comment on function private.mask_of_bounds(jsonb) is
  'The kinds of values that a port with these type_bounds always accepts, as a mask of private.port_types(). A port without bounds accepts all kinds.';

create function private.do_types_meet(given jsonb, wanted jsonb, is_passed_on boolean)
returns boolean
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- An unknown type gives and accepts every kind of value, as free does.
  v_every constant bigint := (select t.gives from private.port_types() as t where t.name = 'free');
begin
  return coalesce((
    -- If is_passed_on is true, the edge begins at an input, which sends on each value that it receives. So the edge
    -- gives the kinds of values that the input accepts. Exception: if the first type of the input is pubkey, the edge
    -- gives a public key.
    select bit_or(coalesce(
      case when do_types_meet.is_passed_on and not (g.position = 1 and g.name = 'pubkey') then t.accepts
        else t.gives end, v_every
    ))
    from jsonb_array_elements_text(do_types_meet.given) with ordinality as g (name, position)
    left join private.port_types() as t on t.name = g.name
  ), v_every) & coalesce((
    select bit_or(coalesce(t.accepts, v_every))
    from jsonb_array_elements_text(do_types_meet.wanted) as w (name)
    left join private.port_types() as t on t.name = w.name
  ), v_every) <> 0;
end;
$$;
comment on function private.do_types_meet(jsonb, jsonb, boolean) is
  'Whether an edge may lead from a port with the types `given` to an input with the types `wanted`. If `is_passed_on` is true, the edge begins at an input, which sends on the values that it receives. typesMeet of types/values/port_types.ts has the same rule.';

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
      when 'enum' then jsonb_typeof(m.value) = 'array'
        and jsonb_path_exists(m.value, 'strict $.size() ? (@ > 0 && @ <= 100)')
        and octet_length(m.value::text) <= 4096
        and not jsonb_path_exists(
          m.value, '$[*] ? (@.type() != "string" && @.type() != "number" && @.type() != "boolean")'
        )
    end
  );
end;
$$;
comment on function private.schema_hint(jsonb) is
  'The members of an input''s form schema that also apply to the inputs of a start: title, bounds of a number or of a text''s length, the choices of a short list, and the formats email, uri and date.';
