-- What a node definition is. types/node_definition.ts says the same in zod; tests/sql/node_definition_agreement.test.ts compares them.

create function private.json_faults(value jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  -- Half-way between the greatest double and 2^1024: from here on a double is infinite.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- Without the values that hold others, of which every level copies what is in it. (What jsonb_path_query gives it takes from the
  -- beginning of a list, which moves all the rest.)
  select coalesce(sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= 262144 then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= 64
    )
    select
      -- The UTF-8 bytes of strings and member names, and 8 for each value: a size that TypeScript counts alike.
      sum(8 + octet_length(part.name) + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end),
      bool_or(
        part.depth > 64 or length(part.name) > 256
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > 262144 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Where a path is told it is built, of bounded pieces: a long name would be copied to all that is below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step, length(m.key) > 256 as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= 64
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > 64 then 'is nested deeper than 64 levels'
          when part.is_named_too_long then 'has a name of more than 256 characters'
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'takes a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]')
    from (select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100) as first
  );
end;
$$;
comment on function private.json_faults(jsonb) is
  'What is wrong with a JSON value whatever it means: nested too deeply, too large, with names that are too long, or no I-JSON (RFC 7493), as an array of {path, message}, the first 100; empty when nothing is. Its texts need no check: jsonb takes no NUL and no lone surrogates.';
grant execute on function private.json_faults(jsonb) to authenticated, service_role;

create function private.shape_faults(value jsonb, shape jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape, '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'takes ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array' else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$$;
comment on function private.shape_faults(jsonb, jsonb) is
  'Where a JSON value differs from a shape, as an array of {path, message}, the first 100; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';
grant execute on function private.shape_faults(jsonb, jsonb) to authenticated, service_role;

create function private.node_definition_shape()
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select '{
    "type!": "string",
    "data!": {
      "node_id!": "string",
      "version!": "string",
      "display_name!": "string",
      "node_definition_version": "string",
      "unique_id": "string",
      "description": "string",
      "tags": ["string"],
      "related_to": [{"id": "string", "type": "string", "relationship": "string"}],
      "resources": {"source_code_url": "string", "documentation_url": "string"},
      "usage": {
        "license": "string",
        "license_url": "string",
        "pricing": {
          "currency": "string",
          "purchase_price": "number",
          "price_per_run": "number",
          "custom": {"unit": "string", "value": "string"}
        }
      },
      "authors": [{"name": "string", "contact": "string"}],
      "design": {
        "width": "number",
        "height": "number",
        "icon_url": "string",
        "backgroundColor": "string",
        "backgroundColorDark": "string"
      },
      "options": {},
      "instruction_info": {"before": ["string"], "signature": "string", "after": ["string"]},
      "width": "number",
      "height": "number",
      "backgroundColor": "string",
      "backgroundColorDark": "string"
    },
    "sources!": [{"name!": "string", "type!": "string", "optional": "boolean", "tooltip": "string"}],
    "targets!": [{
      "name!": "string",
      "type_bounds!": ["string"],
      "required": "boolean",
      "passthrough": "boolean",
      "tooltip": "string"
    }],
    "targets_form.json_schema": {},
    "targets_form.ui_schema": {},
    "targets_form.extra": {}
  }'::jsonb;
$$;
comment on function private.node_definition_shape() is 'The shape of a node definition, as private.shape_faults takes it.';
grant execute on function private.node_definition_shape() to authenticated, service_role;

create function private.node_definition_faults(definition jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
begin
  -- What is within the limit takes less than this: what costs much isn't even looked at.
  if pg_column_size(v_definition) > 1048576 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  -- A row has null for the columns that its definition leaves out: the size must not depend on it.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; there are: ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name)))
    union all
    -- Numbers and booleans that PostgREST writes into the text column arrive as their text.
    select 'type', 'takes a name: a letter, then letters, digits, _ and -, 64 at most, but neither true nor false'
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]{0,63}$'
    union all
    select 'data.' || l.name, format('takes 1 to %s characters', l.longest)
    from (values ('node_id', 200), ('version', 100)) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    -- A ui_schema alone defines no form; real records have one.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1), 'takes at most 256 characters'
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > 256
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$$;
comment on function private.node_definition_faults(jsonb) is
  'What is wrong with a node definition, as an array of {path, message}, the first 100; empty when nothing is.';
grant execute on function private.node_definition_faults(jsonb) to authenticated, service_role;

create function private.check_node_definition(definition jsonb)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail(400, 'node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      -- The first ones tell enough.
      details => jsonb_path_query_array(v_faults, '$[0 to 19]'),
      hint => format('This is the definition of node %s.', to_jsonb(private.shorten(check_node_definition.definition #>> '{data,node_id}', 200))));
  end if;
end;
$$;
comment on function private.check_node_definition(jsonb) is
  'Refuses what is no node definition: 400 node_definition_invalid, whose details are a list of {path, message}.';
grant execute on function private.check_node_definition(jsonb) to authenticated, service_role;
