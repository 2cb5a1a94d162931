select plan(16);

create function pg_temp.fault(timeout jsonb) returns text language sql as $$
  select private.flow_findings(jsonb_build_array(jsonb_set(test.node('a', 'x'), '{data,timeout_ms}', timeout)), '[]') #>> '{0,message}';
$$;

select is(pg_temp.fault(timeout), null, format('%s passes', timeout))
from (values (jsonb 'null'), ('1'), ('604800000'), ('5e3'), ('10.0')) as good (timeout);
select is(pg_temp.fault(timeout), 'data.timeout_ms: must be an integer from 1 to 604800000', format('%s is refused', left(timeout::text, 20)))
from (values
  (jsonb '0'), ('-1'), ('604800001'), ('0.5'), ('1e308'), ('1e-9'), ('"1000"'), ('true'), ('{}'), ('[1000]'), ('""')
) as bad (timeout);

select * from finish();
