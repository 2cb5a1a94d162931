create function private.switch_fault(data jsonb)
returns text
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_cases constant jsonb := switch_fault.data #> '{targets_form,form_data,cases}';
begin
  if jsonb_typeof(v_cases) is distinct from 'array'
    or jsonb_array_length(v_cases) not between 1 and private.limit_switch_cases()
  then
    return format(
      'data.targets_form.form_data.cases: must be an array of 1 to %s cases', private.limit_switch_cases()
    );
  end if;
  return coalesce(
    (
      select format('data.targets_form.form_data.cases[%s]%s', c.position - 1, f.fault)
      from jsonb_array_elements(v_cases) with ordinality as c (one, position)
      cross join lateral (select case
        when jsonb_typeof(c.one) <> 'object' then ': must be an object'
        when jsonb_typeof(c.one -> 'name') is distinct from 'string'
            or length(c.one ->> 'name') not between 1 and private.limit_port_name_characters()
            or c.one ->> 'name' = 'default'
          then format(
            '.name: must be a text of 1 to %s characters other than default', private.limit_port_name_characters()
          )
        -- These are the operators of runner/conditions/condition.ts. A test compares both lists.
        when (c.one ->> 'operator' = any (
            '{is_null,is_not_null,is_true,is_false,is_empty,is_not_empty,eq,ne,gt,lt,gte,lte,contains,starts_with,ends_with}'
          )) is not true
          then '.operator: there is no such operator'
        when jsonb_typeof(coalesce(nullif(c.one -> 'field', 'null'), '""')) <> 'string'
            or length(c.one ->> 'field') > private.limit_field_path_characters()
            or '.' || (c.one ->> 'field') || '.' like '%..%' and c.one ->> 'field' <> ''
          then format(
            '.field: must be names with single dots between them, %s characters at most',
            private.limit_field_path_characters()
          )
        when not c.one ? 'compare_to' and c.one ->> 'operator' not like 'is\_%'
          then '.compare_to: is missing'
        when c.one ->> 'operator' in ('gt', 'lt', 'gte', 'lte') and jsonb_typeof(c.one -> 'compare_to') <> 'number'
          then '.compare_to: must be a number for this operator'
        when c.one ->> 'operator' in ('starts_with', 'ends_with') and jsonb_typeof(c.one -> 'compare_to') <> 'string'
          then '.compare_to: must be a text for this operator'
      end) as f (fault)
      where f.fault is not null
      order by c.position limit 1
    ),
    (
      select format(
        'data.targets_form.form_data.cases: two cases have the name %s', to_jsonb(private.shorten(c.one ->> 'name'))
      )
      from jsonb_array_elements(v_cases) as c (one) group by c.one ->> 'name' having count(*) > 1 limit 1
    ),
    (
      select format('data.sources: there is no case %s', to_jsonb(private.shorten(s.port ->> 'name')))
      from jsonb_array_elements(switch_fault.data -> 'sources') as s (port)
      where s.port ->> 'name' not in (
        select c.one ->> 'name' from jsonb_array_elements(v_cases) as c (one) union all select 'default'
      ) and not (s.port ->> 'name' = 'error' and switch_fault.data -> 'on_error' is not distinct from '"output"')
      limit 1
    )
  );
end;
$$;
comment on function private.switch_fault(jsonb) is
  'The first fault in the cases or outputs of a switch node; null without a fault. Each output must have the name of a case, or the name `default`. If data.on_error is "output", an output may also have the name `error`. `data` is the node''s data. private.port_fault() must have found no fault in it.';
