-- The body is a single expression, so that the planner can inline this function.
create function private.edge_expression(edge jsonb)
returns text
language sql immutable security invoker
return nullif(edge -> 'data' ->> 'expression', '');
comment on function private.edge_expression(jsonb) is
  'The expression of an edge. The target of the edge gets the result of the expression. Null if the edge has no expression. An empty text, which editors may store, counts as no expression.';

create function private.edge_expression_findings(edges jsonb)
returns jsonb
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- Most flows have no expressions. For them, this cheap test is enough.
  if not jsonb_path_exists(edge_expression_findings.edges, '$[*].data.expression ? (@ != null)') then
    return '[]';
  end if;
  return (
    with expression as materialized (
      select e.position - 1 as index, e.edge #> '{data,expression}' as expression
      from jsonb_array_elements(edge_expression_findings.edges) with ordinality as e (edge, position)
      where e.edge #> '{data,expression}' not in ('null', '""')
    )
    select coalesce(jsonb_agg(
      jsonb_build_object('code', f.code, 'path', f.path, 'message', f.message) order by f.index
    ), '[]')
    from (
      select -1 as index, 'flow_too_large' as code, 'edges' as path, format(
        'a flow may have at most %s edges with expressions, and this one has %s',
        private.limit_flow_expressions(), count(*)
      ) as message
      from expression having count(*) > private.limit_flow_expressions()
      union all
      select x.index, 'edge_malformed', format('edges[%s].data.expression', x.index),
        format('data.expression: must be a text of at most %s characters', private.limit_expression_characters())
      from expression as x
      where jsonb_typeof(x.expression) <> 'string'
        or length(x.expression #>> '{}') > private.limit_expression_characters()
      order by index limit private.limit_listed_findings() + 1
    ) as f
  );
end;
$$;
comment on function private.edge_expression_findings(jsonb) is
  'Findings for private.flow_findings(): too many expressions, and expressions that are too long or not a text. The deploy route checks whether expressions parse.';
