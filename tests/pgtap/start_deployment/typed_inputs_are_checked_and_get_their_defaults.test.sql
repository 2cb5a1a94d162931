select plan(40);

select test.create_user('owner');
create temporary table typed as select t.name, t.form::jsonb as form from (values
  ('text', '{"type": "text"}'), ('number', '{"type": "number"}'), ('integer', '{"type": "integer"}'), ('boolean', '{"type": "boolean"}'),
  ('date', '{"type": "date"}'), ('email', '{"type": "email"}'), ('url', '{"type": "url"}'), ('list', '{"type": "list"}'),
  ('object', '{"type": "object"}'), ('key', '{"type": "public_key"}'), ('json', '{"type": "json"}'),
  ('size', '{"type": "text", "choices": ["S", "M"], "form_label": "M"}'), ('count', '{"type": "number", "choices": [1, 2.5]}'),
  ('must', '{"required": true}'), ('day', '{"type": "date", "required": true, "form_label": "2026-11-29"}'),
  ('free', '{}'), ('titled', '{"title": "Titled", "form_label": {"a": 1}}')
) as t (name, form);
select test.keep('flow', test.create_flow(
  test.user_id('owner'),
  (select jsonb_agg(test.node(t.name, 'flow_input', '{out}', '{}', jsonb_build_object('label', t.name) || t.form)) from typed as t)
));
select test.keep('plain_flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'flow_input', '{out}', '{}', '{"label": "a", "form_label": 5}')
)));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.keep('plain_deployment', test.deploy(test.kept('plain_flow')::integer));

-- Returns an input that a start stores, or the first fault of the refusal.
create function pg_temp.stored(name text, tagged jsonb, plain jsonb default null) returns text language plpgsql as $$
declare
  v_id uuid;
begin
  v_id := public.start_deployment(
    id => test.kept('deployment')::uuid,
    inputs => case when stored.name = 'must' then '{}'::jsonb else '{"must": {"B": true}}' end
      || coalesce(jsonb_build_object(stored.name, stored.tagged), '{}'),
    "values" => stored.plain
  ) ->> 'flow_run_id';
  return (select r.inputs -> 'M' -> stored.name from public.flow_run as r where r.id = v_id);
exception when sqlstate 'PGRST' then
  return concat_ws(' ', sqlerrm::json ->> 'code', sqlerrm::json ->> 'message');
end;
$$;

select is(pg_temp.stored(c.name, c.tagged::jsonb), coalesce(c.stored, c.tagged::jsonb::text), format('%s for %s', c.tagged, c.name))
from (values
  ('text', '{"S": ""}', null), ('text', '{"U": "5"}', 'inputs_invalid inputs.text: must be a text.'),
  ('number', '{"U": "5"}', null), ('number', '{"F": "1e16"}', null), ('number', '{"S": "5"}', 'inputs_invalid inputs.number: must be a number.'),
  ('integer', '{"I": "-5"}', null), ('integer', '{"D": "5"}', 'inputs_invalid inputs.integer: must be a whole number.'),
  ('boolean', '{"B": false}', null), ('boolean', '{"S": "true"}', 'inputs_invalid inputs.boolean: must be true or false.'),
  ('date', '{"S": "2024-02-29"}', null), ('date', '{"S": "2023-02-29"}', 'inputs_invalid inputs.date: must be a date such as 2026-11-29.'),
  ('email', '{"S": "ada@example.com"}', null), ('email', '{"S": "ada"}', 'inputs_invalid inputs.email: must be an e-mail address.'),
  ('url', '{"S": "HTTP://x"}', null), ('url', '{"S": "file:///etc"}', 'inputs_invalid inputs.url: must be an http or https address.'),
  ('list', '{"A": []}', null), ('list', '{"M": {}}', 'inputs_invalid inputs.list: must be a list.'),
  ('object', '{"M": {}}', null), ('object', '{"A": []}', 'inputs_invalid inputs.object: must be an object.'),
  ('key', '{"B3": "11111111111111111111111111111111"}', null), ('key', '{"S": "11111111111111111111111111111111"}', null),
  ('key', '{"S": "1111"}', 'inputs_invalid inputs.key: must be a public key: base58 of 32 bytes.'),
  ('json', '{"A": []}', null), ('text', '{"N": 0}', null), ('free', '{"U": "5"}', null),
  ('size', '{"S": "S"}', null), ('size', '{"S": "L"}', 'inputs_invalid inputs.size: must be one of the choices: "S", "M".'),
  ('size', '{"N": 0}', '{"S": "M"}'), ('count', '{"U": "1"}', null), ('count', '{"D": "2.50"}', null),
  ('count', '{"F": "2.6"}', 'inputs_invalid inputs.count: must be one of the choices: 1, 2.5.'),
  ('count', '{"F": "NaN"}', 'inputs_invalid inputs.count: must be one of the choices: 1, 2.5.'),
  ('must', '{"N": 0}', 'inputs_invalid inputs.must: must be given.'), ('must', '{"S": ""}', 'inputs_invalid inputs.must: must be given.')
) as c (name, tagged, stored);

select test.keep('run', public.start_deployment(id => test.kept('deployment')::uuid, "values" => '{"must": 1}') ->> 'flow_run_id');
select is(
  (select r.inputs from public.flow_run as r where r.id = test.kept('run')::uuid),
  '{"M": {"must": {"U": "1"}, "size": {"S": "M"}, "day": {"S": "2026-11-29"}, "titled": {"M": {"a": {"U": "1"}}}}}',
  'the run has the defaults of typed inputs'
);
select is(
  test.error($$ select public.start_deployment(id => test.kept('deployment')::uuid,
    "values" => '{"number": "x", "key": "1", "date": 5, "none": 1}') $$) -> 'details',
  '[{"path": "values.date", "message": "must be a date such as 2026-11-29"}, {"path": "values.key", "message": "must be a public key: base58 of 32 bytes"},
    {"path": "values.none", "message": "the flow has no such input"}, {"path": "values.number", "message": "must be a number"}]',
  'plain values of another type'
);
select is(
  test.error($$ select public.start_deployment(id => test.kept('deployment')::uuid, "values" => '{"size": "L", "date": "x"}') $$) -> 'details',
  '[{"path": "values.date", "message": "must be a date such as 2026-11-29"}, {"path": "values.must", "message": "must be given"},
    {"path": "values.size", "message": "must be one of the choices: \"S\", \"M\""}]',
  'all faults are listed'
);
select is(
  test.error($$ select public.start_flow(flow_id => test.kept('flow')::integer, inputs => '{"text": {"B": true}}') $$) -> 'details',
  '[{"path": "inputs.must", "message": "must be given"}, {"path": "inputs.text", "message": "must be a text"}]',
  'starts of the drawn flow are checked'
);
select is(
  test.error($$ insert into public.flow_schedules (deployment_id, cron, "values") values (test.kept('deployment')::uuid, '0 8 * * *', '{"size": "M"}') $$) -> 'details',
  '[{"path": "values.must", "message": "must be given"}]', 'schedules are checked'
);
select test.keep('run', public.start_deployment(id => test.kept('plain_deployment')::uuid) ->> 'flow_run_id');
select is(
  (select r.inputs from public.flow_run as r where r.id = test.kept('run')::uuid),
  '{"M": {}}', 'an input that is not typed has no default in its run'
);

select * from finish();
