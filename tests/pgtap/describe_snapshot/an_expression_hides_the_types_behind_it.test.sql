select plan(4);

create function pg_temp.described(data jsonb) returns jsonb language sql as $$
  select jsonb_build_array(d.inputs #> '{0,type_bounds}', d.inputs #> '{0,required}', d.outputs #> '{0,type}')
  from private.describe_snapshot(jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
    'nodes', jsonb_build_array(
      test.node('i', 'flow_input', '{n}', form_data => '{"label": "n"}'),
      jsonb_set(test.node('s', 'javascript', '{u}', '{a}'), '{data,targets,0,type_bounds}', '["u64"]'),
      test.node('o', 'flow_output', '{}', '{out}', '{"label": "out"}')
    ),
    'edges', jsonb_build_array(test.edge('i', 'n', 's', 'a') || data, test.edge('s', 'u', 'o', 'out') || data)
  ))) as d;
$$;

select is(pg_temp.described('{}') -> 0, '["u64"]', 'an input has the type of the port that it feeds');
select is(pg_temp.described('{"data": {"expression": "$"}}') -> 0, '["free"]', 'behind an expression, an input has any type');
select is(pg_temp.described('{"data": {"expression": "$"}}') -> 1, 'false', 'behind an expression, the flow does not require the input');
select is(pg_temp.described('{"data": {"expression": "$"}}') -> 2, '"free"', 'an output behind an expression has any type');

select * from finish();
