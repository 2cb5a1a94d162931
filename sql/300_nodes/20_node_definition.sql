-- Checks node definitions. types/node_definition.ts has the same rules in zod. The test
-- tests/sql/node_definition_agreement.test.ts compares the results of SQL and zod.

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
      "effects": "string",
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
comment on function private.node_definition_shape() is
  'The shape of a node definition, in the form that private.shape_faults() takes.';
grant execute on function private.node_definition_shape() to authenticated, service_role;

create function private.node_definition_faults(definition jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
  v_measure private.json_measure;
begin
  -- If a definition is within the limit, its jsonb takes at most four times the limit. Refuse larger definitions before
  -- the slow checks.
  if pg_column_size(v_definition) > 4 * private.limit_definition_bytes() then
    return jsonb_build_array(jsonb_build_object(
      'path', '', 'message', format('holds more than %s', private.size_text(private.limit_definition_bytes()))
    ));
  end if;
  -- In a row of the table nodes, the columns of missing members are null. These nulls must not count towards the size.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    -- Like the zod schema, private.json_faults() counts 8 bytes for each number, but the text of a number may have 50
    -- times as many bytes. So the limit for the text is 64 times the limit for the counted bytes.
    v_measure := private.measure_json(v_definition, 64 * private.limit_definition_bytes());
    if v_measure.fault is not null then
      v_faults := jsonb_build_array(
        jsonb_build_object('path', ltrim(v_measure.path, '.'), 'message', v_measure.message)
      );
    end if;
  end if;
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member; the members are ' || (
      select string_agg(rtrim(s.name, '!'), ', ' order by rtrim(s.name, '!') collate "C")
      from jsonb_object_keys(private.node_definition_shape()) as s (name)
    )
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (
      array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name))
    )
    union all
    -- PostgREST turns numbers and booleans into text before it writes them into the column `type`. So refuse texts that
    -- may come from a number or boolean.
    select 'type', format(
      'must be at most %s letters, digits, _ and -, start with a letter, and not be true or false',
      private.limit_definition_type_characters()
    )
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]*$'
      or length(v_definition ->> 'type') > private.limit_definition_type_characters()
    union all
    select 'data.' || l.name, format('must have 1 to %s characters', l.longest)
    from (values
      ('node_id', private.limit_node_id_characters()), ('version', private.limit_definition_version_characters())
    ) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    select 'data.effects', 'must be none, idempotent or once'
    where v_definition -> 'data' ->> 'effects' not in ('none', 'idempotent', 'once')
    union all
    select 'data.implementation', i.fault
    from (select private.implementation_fault(v_definition -> 'data' -> 'implementation')) as i (fault)
    where private.is_described(v_definition ->> 'type') and i.fault is not null
    union all
    -- A ui_schema without a json_schema defines no form. Accept such a ui_schema, because some definitions from other
    -- servers have one.
    select 'targets_form.ui_schema', 'is missing: targets_form.json_schema needs it'
    where v_definition ->> 'targets_form.ui_schema' is null and v_definition ->> 'targets_form.json_schema' is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1),
      format('another port has the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1),
      format('must have at most %s characters', private.limit_definition_name_characters())
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > private.limit_definition_name_characters()
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
end;
$$;
comment on function private.node_definition_faults(jsonb) is
  'The first 100 faults of a node definition, [{path, message}]; [] if there are none.';
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
    perform private.fail('node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      details => private.first_elements(v_faults, private.limit_listed_faults()),
      hint => format(
        'This is the definition of node %s.',
        to_jsonb(private.shorten(
          check_node_definition.definition #>> '{data,node_id}', private.limit_node_id_characters()
        ))
      ));
  end if;
end;
$$;
comment on function private.check_node_definition(jsonb) is
  'Refuses an invalid node definition: 400 node_definition_invalid, whose details are a list of {path, message}.';
grant execute on function private.check_node_definition(jsonb) to authenticated, service_role;
