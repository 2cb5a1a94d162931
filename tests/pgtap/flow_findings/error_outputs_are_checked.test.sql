select plan(14);

create function pg_temp.fault(on_error jsonb, node jsonb default test.node('a', 'x', '{out,error}')) returns text language sql as $$
  select private.flow_findings(jsonb_build_array(jsonb_set(node, '{data,on_error}', on_error)), '[]') #>> '{0,message}';
$$;

select is(pg_temp.fault(on_error), null, format('%s passes', on_error)) from (values (jsonb 'null'), ('"output"')) as good (on_error);
select is(pg_temp.fault(on_error), 'data.on_error: must be "output", or left out', format('%s is refused', on_error))
from (values (jsonb '"stop"'), ('true'), ('3'), ('{}'), ('["output"]')) as bad (on_error);

select is(
  pg_temp.fault('"output"', node), 'data.on_error: the node already has an output "error", so it can''t have on_error', description
)
from (values
  (test.node('a', 'flow_input', '{x}', '{}', '{"label": "error"}'), 'a flow input has the label error'),
  (test.node('a', 'flow_input', '{error}'), 'a node whose only output is named error'),
  (test.node('a', 'switch', '{error}', '{value}', '{"cases": [{"name": "error", "operator": "is_null"}]}'), 'a case of a switch has the name error')
) as bad (node, description);
select is(
  pg_temp.fault('"output"', test.node('a', 'flow_input', '{error}', '{}', '{"label": "x"}')), null, 'the label of the output counts, and not its name'
);
select is(
  pg_temp.fault('"output"', test.node('a', 'switch', '{error,b}', '{value}', '{"cases": [{"name": "b", "operator": "is_null"}]}')),
  null, 'a switch may have the output error beside its cases'
);
select is(
  pg_temp.fault('null', test.node('a', 'switch', '{error,b}', '{value}', '{"cases": [{"name": "b", "operator": "is_null"}]}')),
  'data.sources: there is no case "error"', 'a switch that does not handle its failures has no output error'
);
select is(
  pg_temp.fault('"output"', test.node('a', 'flow_input', '{error}', type => 'mock')), null, 'a mock node is not checked'
);

select * from finish();
