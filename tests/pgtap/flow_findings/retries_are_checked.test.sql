select plan(49);

create function pg_temp.fault(retry jsonb) returns text language sql as $$
  select private.flow_findings(jsonb_build_array(jsonb_set(test.node('a', 'x'), '{data,retry}', retry)), '[]') #>> '{0,message}';
$$;

select is(pg_temp.fault(retry), null, format('%s passes', retry))
from (values
  (jsonb 'null'), ('{"max_attempts": 1}'), ('{"max_attempts": 20, "delay_ms": 600000, "backoff": 10, "max_delay_ms": 600000}'),
  ('{"max_attempts": 3.0, "delay_ms": 0, "backoff": 1, "max_delay_ms": 0}'), ('{"max_attempts": 2e0, "backoff": 1.5}')
) as good (retry);

select is(pg_temp.fault(retry), 'data.retry: must be an object', format('%s is no object', retry))
from (values (jsonb '3'), ('"3"'), ('true'), ('[]'), ('[{"max_attempts": 3}]')) as bad (retry);

select is(
  pg_temp.fault(jsonb_build_object('max_attempts', 3, member, value)), format('data.retry.%s: must be %s', member, rule),
  format('%s %s is found', member, left(value::text, 20))
)
from (values
  ('max_attempts', 'an integer from 1 to 20', jsonb '[0, -1, 21, 1.5]'), ('delay_ms', 'an integer from 0 to 600000', '[-1, 600001, 0.5]'),
  ('backoff', 'a number from 1 to 10', '[0, 0.99, -2, 10.01]'), ('max_delay_ms', 'an integer from 0 to 600000', '[-1, 600001, 0.1]')
) as member (member, rule, values)
cross join lateral jsonb_array_elements(
  values || '[1e308, -1e308, "3", null, true]'
) as bad (value);

select is(pg_temp.fault('{}'), 'data.retry.max_attempts: must be an integer from 1 to 20', 'max_attempts is mandatory');
select is(
  pg_temp.fault('{"max_attempts": 3, "retries": 3}'),
  'data.retry: there is no member "retries", only max_attempts, delay_ms, backoff and max_delay_ms', 'an unknown member is refused'
);
select is(
  length(pg_temp.fault(jsonb_build_object('max_attempts', 3, repeat('x', 100000), 3))) < 250, true, 'a long name is shortened'
);
select is(
  pg_temp.fault((select jsonb_object_agg('m' || n, n) || '{"max_attempts": 3}' from generate_series(1, 100000) as n)),
  'data.retry: there is no member "m1", only max_attempts, delay_ms, backoff and max_delay_ms', 'only the first of many unknown members is named'
);
select is(
  private.flow_findings(jsonb_build_array(test.node('b', 'x'), jsonb_set(test.node('a', 'x'), '{data,retry}', '1')), '[]') -> 0,
  '{"code": "node_malformed", "path": "nodes[1]", "message": "data.retry: must be an object"}', 'the finding names the node'
);

select * from finish();
