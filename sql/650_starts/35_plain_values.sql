-- The plain values of a start: sql/200_values/35_plain_values.sql converts each of them.

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

create function private.inputs_of_values(plain jsonb, interface private.flow_snapshot_interfaces, typed jsonb)
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
        when f.is_known then coalesce(
          private.plain_value_fault(inputs_of_values.plain -> f.name, inputs_of_values.typed -> f.name),
          'must be ' || array_to_string(f.types, ' or ')
        )
        else 'the flow has no such input' end)
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
comment on function private.inputs_of_values(jsonb, private.flow_snapshot_interfaces, jsonb) is
  'Converts the plain values of a start to inputs, by the types of the flow''s inputs. 400 inputs_invalid lists the first 100 values that do not fit their input or that belong to no input, and the names of the flow''s inputs.';

create function private.complete_inputs(inputs jsonb, typed jsonb, member text)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_defaults jsonb;
  v_faults jsonb;
begin
  with given as materialized (
    select t.key as name, t.value as typed, complete_inputs.inputs -> t.key as value,
      coalesce(complete_inputs.inputs -> t.key = '{"N": 0}', true) as is_absent
    from jsonb_each(complete_inputs.typed) as t
  ),
  fault as (
    select g.name, case when g.typed ? 'default' and g.is_absent then null
      when g.typed ? 'required' and (g.is_absent or g.value = '{"S": ""}') then 'must be given'
      when not g.is_absent then private.typed_value_fault(g.value, g.typed)
    end as message
    from given as g
  )
  select
    (
      select jsonb_object_agg(g.name, private.value_of_type(g.typed -> 'default', g.typed ->> 'type'))
      from given as g where g.is_absent and g.typed ? 'default'
    ),
    (
      select jsonb_agg(jsonb_build_object(
        'path', complete_inputs.member || '.' || private.shorten(f.name), 'message', f.message
      ) order by f.name)
      from (
        select f.* from fault as f where f.message is not null
        order by f.name limit private.limit_listed_faults()
      ) as f
    )
  into v_defaults, v_faults;
  perform private.refuse_faults('inputs_invalid', coalesce(v_faults, '[]'));
  return complete_inputs.inputs || coalesce(v_defaults, '{}');
end;
$$;
comment on function private.complete_inputs(jsonb, jsonb, text) is
  'Checks the inputs of a start by the types of the flow''s inputs, and adds the defaults of those that are absent or null. `typed` is from private.typed_inputs(), and `member` the member of the start that an error names. 400 inputs_invalid.';

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
        private.snapshot_interface((inputs_of_start.deployment).snapshot_hash, inputs_of_start.waits),
        (inputs_of_start.deployment).typed_inputs
      );
    perform private.check_inputs(v_inputs);
  end if;
  perform private.check_input_names(v_inputs, (inputs_of_start.deployment).input_names);
  if (inputs_of_start.deployment).typed_inputs is not null then
    v_inputs := private.complete_inputs(
      v_inputs, (inputs_of_start.deployment).typed_inputs,
      case when inputs_of_start.plain is null then 'inputs' else 'values' end
    );
    perform private.check_inputs(v_inputs);
  end if;
  return v_inputs;
end;
$$;
comment on function private.inputs_of_start(public.flow_deployments, jsonb, jsonb, boolean) is
  'The inputs of a start: its tagged inputs, its plain values converted by the flow''s input types, and the defaults of typed inputs. If waits is false, waits for no other transaction. 400 inputs_invalid, 413 inputs_too_large. Definer, because no API role may access snapshots.';
