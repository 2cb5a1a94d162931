select plan(26);

create function pg_temp.fault(inputs text[], outputs text[] default '{out}', node_id text default 'rhai_script')
returns text language sql as $$
  select private.flow_findings(
    jsonb_build_array(test.node('s', fault.node_id, fault.outputs, fault.inputs, '{"source": "1"}')), '[]'
  ) #>> '{0,message}';
$$;
create function pg_temp.names(count integer) returns text[] language sql as $$
  select array_agg('a' || n) from generate_series(1, names.count) as n;
$$;

select is(pg_temp.fault(names), null, format('%s pass', left(names::text, 60)))
from (values
  ('{}'::text[]), ('{a,b}'), ('{_a,a_1,__proto__,constructor,toString,LET}'), (pg_temp.names(32)), (array[repeat('x', 254)])
) as good (names);
select is(pg_temp.fault('{a}', '{a,b}'), null, 'an output may have the name of an input');
select is(pg_temp.fault('{}', pg_temp.names(32)), null, '32 outputs pass');

select is(pg_temp.fault(array['ok', bad.name]), 'data.targets: ' || bad.fault, format('%s is refused', to_jsonb(left(bad.name, 40))))
from (values
  ('a b', 'the name "a b" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  ('', 'the name "" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  ('1a', 'the name "1a" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  ('_', 'the name "_" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  (E'a\n', 'the name "a\n" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  ('é', 'the name "é" of an input must have only letters from A to Z, digits and _, and a letter before its first digit'),
  ('let', '"let" has a meaning in scripts, so no input may have this name'),
  ('type_of', '"type_of" has a meaning in scripts, so no input may have this name'),
  ('source', '"source" has a meaning in scripts, so no input may have this name'),
  ('ok', 'two inputs have the name "ok"'),
  (repeat('x', 257), 'the id and the name of a target may have at most 256 characters'),
  (repeat('x', 10000), 'the id and the name of a target may have at most 256 characters')
) as bad (name, fault);

select is(
  pg_temp.fault(pg_temp.names(33)), 'data.targets: a script may have at most 32 inputs', '33 inputs are too many'
);
select is(
  pg_temp.fault('{}', pg_temp.names(1000), 'javascript'), 'data.sources: a script may have at most 32 outputs',
  '1,000 outputs are too many'
);
select is(pg_temp.fault('{a}', '{b,ENV}'), 'data.sources: "ENV" has a meaning in scripts, so no output may have this name', 'outputs are checked');
select is(pg_temp.fault('{an input,class,source}', '{out}', 'javascript'), null, 'a JavaScript may have inputs with any name');
select is(
  pg_temp.fault('{a}', '{b,b}', 'javascript'), 'data.sources: two outputs have the name "b"', 'the names of a JavaScript must differ, too'
);
select is(pg_temp.fault('{source,a,b c}', '{u}', 'rhai_script_1x1'), null, 'the ports of a script with a fixed size are not checked');
select is(
  private.flow_findings(jsonb_build_array(jsonb_set(
    test.node('s', 'rhai_script', pg_temp.names(32) || '{error}', '{}', '{"source": "1"}'), '{data,on_error}', '"output"'
  )), '[]'), '[]', 'the error output is no output of the script'
);

select * from finish();
