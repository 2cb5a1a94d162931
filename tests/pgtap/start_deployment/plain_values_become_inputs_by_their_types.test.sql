select plan(57);

select test.create_user('owner');
-- For each row, the flow has an input and a node. The input feeds a port of the node that accepts the types in
-- `bounds`.
create temporary table kinds as
select k.name, k.bounds, row_number() over () as number from (values
  ('u8', '["u8"]'), ('u64', '["u64"]'), ('u128', '["u128"]'), ('i8', '["i8"]'), ('i64', '["i64"]'), ('i128', '["i128"]'), ('decimal', '["decimal"]'),
  ('f32', '["f32"]'), ('f64', '["f64"]'), ('bool', '["bool"]'), ('string', '["string"]'), ('pubkey', '["pubkey"]'), ('keypair', '["keypair"]'),
  ('signature', '["signature"]'), ('bytes', '["bytes"]'), ('object', '["object"]'), ('array', '["array"]'), ('free', '["free"]'),
  ('seed', '["string", "pubkey"]'), ('amount', '["u64", "decimal"]'), ('optional', '["u8"]')
) as k (name, bounds);
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  (select jsonb_agg(test.node(k.name, 'flow_input', '{out}', '{}', jsonb_build_object('label', k.name))) from kinds as k)
  || (select jsonb_agg(jsonb_set(jsonb_set(test.node('to ' || k.name, 'taker', '{}', '{in}'), '{data,targets,0,type_bounds}', k.bounds::jsonb),
    '{data,targets,0,required}', to_jsonb(k.name <> 'optional'))) from kinds as k),
  (select jsonb_agg(test.edge(k.name, 'out', 'to ' || k.name, 'in')) from kinds as k)
));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));

-- Returns the input that a start stores for one plain value, or the code of its refusal.
create function pg_temp.stored(name text, plain jsonb) returns text language plpgsql as $$
declare
  v_id uuid;
begin
  v_id := public.start_deployment(id => test.kept('deployment')::uuid, "values" => jsonb_build_object(stored.name, stored.plain)) ->> 'flow_run_id';
  return (select r.inputs -> 'M' -> stored.name from public.flow_run as r where r.id = v_id);
exception when sqlstate 'PGRST' then
  return sqlerrm::json ->> 'code';
end;
$$;

select is(pg_temp.stored(c.name, c.plain::jsonb), c.stored, format('%s of %s is %s', c.plain, c.name, c.stored))
from (values
  ('u8', '255', '{"U": "255"}'), ('u8', '256', 'inputs_invalid'), ('u8', '-1', 'inputs_invalid'), ('u8', '1.5', 'inputs_invalid'),
  ('u8', '2.0', '{"U": "2"}'), ('u8', '"7"', '{"U": "7"}'), ('u8', '"x"', 'inputs_invalid'), ('u8', 'null', 'inputs_invalid'),
  ('u8', 'true', 'inputs_invalid'), ('u8', '[1]', 'inputs_invalid'),
  ('u64', '18446744073709551615', '{"U": "18446744073709551615"}'), ('u64', '"18446744073709551615"', '{"U": "18446744073709551615"}'),
  ('u64', '18446744073709551616', 'inputs_invalid'),
  ('u128', '5', '{"U": "5"}'), ('u128', '18446744073709551616', '{"U1": "18446744073709551616"}'),
  ('i8', '-128', '{"I": "-128"}'), ('i8', '-129', 'inputs_invalid'), ('i64', '7', '{"I": "7"}'),
  ('i128', '-9223372036854775809', '{"I1": "-9223372036854775809"}'),
  ('decimal', '1.50', '{"D": "1.50"}'), ('decimal', '2', '{"D": "2"}'), ('decimal', '"0.1"', '{"D": "0.1"}'), ('decimal', '1e-3', '{"D": "0.001"}'),
  ('decimal', '79228162514264337593543950335', '{"D": "79228162514264337593543950335"}'),
  ('decimal', '79228162514264337593543950336', 'inputs_invalid'), ('decimal', '1e-29', 'inputs_invalid'),
  ('f64', '5', '{"F": "5.0"}'), ('f64', '1e16', '{"F": "1e16"}'), ('f64', '1.5e-7', '{"F": "1.5e-7"}'), ('f64', '0.1', '{"F": "0.1"}'),
  ('f64', '"0.1"', 'inputs_invalid'), ('f64', '1e-400', '{"F": "0.0"}'), ('f64', '1e309', 'inputs_invalid'), ('f32', '1e39', 'inputs_invalid'),
  ('bool', 'false', '{"B": false}'), ('bool', '"false"', 'inputs_invalid'),
  ('string', '"12"', '{"S": "12"}'), ('string', '12', 'inputs_invalid'),
  ('pubkey', '"11111111111111111111111111111111"', '{"B3": "11111111111111111111111111111111"}'), ('pubkey', '"1111"', 'inputs_invalid'),
  ('keypair', '"11111111111111111111111111111111"', '{"M": {"public_key": {"B3": "11111111111111111111111111111111"}}}'),
  ('keypair', to_json(repeat('1', 64))::text, format('{"B6": "%s"}', repeat('1', 64))),
  ('signature', to_json(repeat('1', 64))::text, format('{"B6": "%s"}', repeat('1', 64))),
  ('bytes', '"AQID"', '{"BY": "AQID"}'), ('bytes', '"A"', 'inputs_invalid'),
  ('object', '{"a": [1, -1, 1.5, "x", null, true, {}]}',
    '{"M": {"a": {"A": [{"U": "1"}, {"I": "-1"}, {"D": "1.5"}, {"S": "x"}, {"N": 0}, {"B": true}, {"M": {}}]}}}'),
  ('object', '[]', 'inputs_invalid'), ('array', '[]', '{"A": []}'),
  ('free', 'null', '{"N": 0}'), ('free', '1e40', '{"F": "1e40"}'),
  ('seed', '"11111111111111111111111111111111"', '{"B3": "11111111111111111111111111111111"}'), ('seed', '"config"', '{"S": "config"}'),
  ('amount', '1', '{"D": "1"}'), ('amount', '1.5', '{"D": "1.5"}'),
  ('optional', 'null', '{"N": 0}')
) as c (name, plain, stored);

select is(
  test.error($$ select public.start_deployment(id => test.kept('deployment')::uuid,
    "values" => '{"u8": 256, "bool": 1, "seed": 5, "none": 1, "free": 1}') $$) - 'hint',
  '{"code": "inputs_invalid", "status": 400, "message": "values.bool: must be bool.", "details": [
    {"path": "values.bool", "message": "must be bool"}, {"path": "values.none", "message": "the flow has no such input"},
    {"path": "values.seed", "message": "must be string or pubkey"}, {"path": "values.u8", "message": "must be u8"}
  ]}',
  'all values that do not fit are listed'
);
select is(
  test.error($$ select public.start_deployment(id => test.kept('deployment')::uuid,
    inputs => '{"u8": {"U": "1"}, "free": {"U": "1"}}', "values" => '{"u8": 1, "i8": 1}') $$) -> 'details',
  '[{"path": "values.u8", "message": "is also in inputs: give it only once"}]',
  'a name may be in inputs or in values, but not in both'
);

select * from finish();
