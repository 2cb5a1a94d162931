-- An expression, so that a planner can put it in place of the call.
create function private.edge_expression(edge jsonb)
returns text
language sql immutable security invoker
return nullif(edge -> 'data' ->> 'expression', '');
comment on function private.edge_expression(jsonb) is
  'The expression of an edge, which computes what the target gets from each value; null for none. Editors may keep an empty one.';

create function private.edge_expression_findings(edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_findings jsonb;
begin
  -- Few flows have expressions. All others are not looked at further.
  if not jsonb_path_exists(edge_expression_findings.edges, '$[*].data.expression ? (@ != null)') then
    return '[]';
  end if;
  with expression as materialized (
    select e.position - 1 as index, e.edge #> '{data,expression}' as expression
    from jsonb_array_elements(edge_expression_findings.edges) with ordinality as e (edge, position)
    where e.edge #> '{data,expression}' not in ('null', '""')
  )
  select jsonb_agg(to_jsonb(finding) order by finding.index) into v_findings
  from (
    select 'edge_malformed' as code, format('edges[%s].data.expression', x.index) as path,
      format('data.expression: must be a text of at most %s characters', private.limit_expression_characters())
        as message, x.index
    from expression as x
    where jsonb_typeof(x.expression) <> 'string'
      or length(x.expression #>> '{}') > private.limit_expression_characters()
    union all
    select 'flow_too_large', 'edges', format(
      'a flow may have at most %s edges with expressions, and this one has %s',
      private.limit_flow_expressions(), count(*)
    ), -1
    from expression as x having count(*) > private.limit_flow_expressions()
    order by 4 limit private.limit_listed_findings() + 1
  ) as finding;
  return coalesce(
    (select jsonb_agg(f - 'index' order by n) from jsonb_array_elements(v_findings) with ordinality as a (f, n)), '[]'
  );
end;
$$;
comment on function private.edge_expression_findings(jsonb) is
  'The findings of flow_findings about expressions that are too long, too many or no texts. Whether one parses is checked by the route that deploys.';
