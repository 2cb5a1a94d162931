-- The author of a flow may describe an input in the form data of its flow_input: type, title, help, required and
-- choices. An input with one of these members is typed: starts are checked by its description, and get its default.
-- Other inputs have none of this.

create function private.input_description(form_data jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(m.name, form_data -> m.name), '{}')
  from unnest('{type,title,help,required,choices}'::text[]) as m (name)
  -- An editor may store an empty field.
  where coalesce(form_data -> m.name, 'null') not in ('null', '""', 'false', '[]');
$$;
comment on function private.input_description(jsonb) is
  'The members with which the form data of a flow_input describes its input; {} for an input that is not typed.';

create function private.typed_input_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_form constant jsonb := case jsonb_typeof(typed_input_fault.data #> '{targets_form,form_data}')
    when 'object' then typed_input_fault.data #> '{targets_form,form_data}' else '{}' end;
  v_typed constant jsonb := private.input_description(v_form);
  v_default constant jsonb := nullif(v_form -> 'form_label', 'null');
  v_choice jsonb;
  v_fault text := case
    when v_typed = '{}' then null
    when v_typed ? 'type' and not exists (
      select from private.input_types() as t where to_jsonb(t.name) = v_typed -> 'type'
    ) then 'type: must be ' || (select string_agg(t.name, ', ') from private.input_types() as t)
    when v_typed ? 'title' and (
      jsonb_typeof(v_typed -> 'title') <> 'string'
        or length(v_typed ->> 'title') > private.limit_flow_input_title_characters()
    ) then format('title: must be a text of at most %s characters', private.limit_flow_input_title_characters())
    when v_typed ? 'help' and (
      jsonb_typeof(v_typed -> 'help') <> 'string'
        or length(v_typed ->> 'help') > private.limit_flow_input_help_characters()
    ) then format('help: must be a text of at most %s characters', private.limit_flow_input_help_characters())
    when v_typed ? 'required' and v_typed -> 'required' <> 'true' then 'required: must be true or false'
    when v_typed ? 'choices' and (
      jsonb_typeof(v_typed -> 'choices') <> 'array'
      or jsonb_array_length(v_typed -> 'choices') > private.limit_flow_input_choices()
      or jsonb_path_exists(
        v_typed -> 'choices', 'strict $[*] ? (@.type() != "string" && @.type() != "number" && @.type() != "boolean")'
      )
      or exists (
        select from jsonb_array_elements_text(v_typed -> 'choices') as c (choice)
        where length(c.choice) > private.limit_flow_input_title_characters()
      )
    ) then format(
      'choices: must be a list of at most %s texts, numbers or booleans of at most %s characters',
      private.limit_flow_input_choices(), private.limit_flow_input_title_characters()
    )
    when v_default is not null and octet_length(v_default::text) > private.limit_flow_input_default_bytes()
      then format('form_label: the default must have at most %s bytes of JSON', private.limit_flow_input_default_bytes())
    when v_default is not null and private.is_too_deep(v_default)
      then format('form_label: the default is nested deeper than %s levels', private.limit_value_levels())
  end;
begin
  if v_fault is null and v_typed ?| '{type,choices}' then
    for v_choice in select c.choice from jsonb_array_elements(v_typed -> 'choices') as c (choice) loop
      v_fault := coalesce(v_fault, 'choices: each ' || private.plain_value_fault(v_choice, v_typed - 'choices'));
    end loop;
    v_fault := coalesce(v_fault, 'form_label: the default ' || private.plain_value_fault(v_default, v_typed));
  end if;
  return 'data.targets_form.form_data.' || v_fault;
end;
$$;
comment on function private.typed_input_fault(jsonb) is
  'The fault of a flow_input''s type, title, help, required, choices or default, or null. `data` is the node''s data. A default is checked only for an input with a type or choices.';

create function private.typed_inputs(nodes jsonb)
returns jsonb
language sql immutable security invoker
set search_path = ''
as $$
  select jsonb_object_agg(t.name, t.typed || case
    when t.default_value is null then '{}' else jsonb_build_object('default', t.default_value)
  end)
  from (
    select i.name, (array_agg(i.typed order by i.position) filter (where i.typed <> '{}'))[1] as typed,
      (array_agg(i.default_value order by i.position) filter (where i.default_value <> 'null'))[1] as default_value
    from (
      select private.port_label(n.node -> 'data') as name, n.position, private.input_description(f.form_data) as typed,
        f.form_data -> 'form_label' as default_value
      from jsonb_array_elements(typed_inputs.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node #> '{data,targets_form,form_data}' as form_data offset 0) as f
      where n.node #>> '{data,type}' = 'native' and n.node #>> '{data,node_id}' = 'flow_input'
    ) as i
    group by i.name
  ) as t
  where t.typed is not null;
$$;
comment on function private.typed_inputs(jsonb) is
  'The typed inputs of a graph, {"<name>": {type, title, help, required, choices, default}}; null if no input is typed. If several nodes have the same label, the first that describes the input counts, and the first default. The nodes must have no faults.';
