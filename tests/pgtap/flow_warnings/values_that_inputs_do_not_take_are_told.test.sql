select plan(45);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', 'take', 'version', '1', 'display_name', ''), '[]',
  jsonb_agg(jsonb_build_object('name', p.name, 'type_bounds', p.bounds::jsonb, 'required', false))
from (values
  ('u8', '["u8"]'), ('i64', '["i64"]'), ('decimal', '["decimal"]'), ('f64', '["f64"]'), ('bool', '["bool"]'), ('string', '["string"]'),
  ('pubkey', '["pubkey"]'), ('keypair', '["keypair"]'), ('bytes', '["bytes"]'), ('object', '["object"]'), ('array', '["array"]'),
  ('free', '["free"]'), ('json', '["json"]'), ('none', '[]'), ('kv', '["kv"]'), ('either', '["string", "u8"]')
) as p (name, bounds);
insert into public.nodes (type, data, sources, targets) values
  ('native', '{"node_id": "give", "version": "1", "display_name": ""}', '[{"name": "x", "type": "free"}]', '[]'),
  ('native', '{"node_id": "api_input", "version": "1", "display_name": ""}', '[]', '[]');

create function pg_temp.fault(form jsonb, edges jsonb default '[]', node_id text default 'take') returns text language sql as $$
  select string_agg(format('%s %s %s', w.warning ->> 'code', w.warning ->> 'path', w.warning ->> 'message'), '; ')
  from jsonb_array_elements(private.flow_warnings(
    jsonb_build_array(test.node('t', fault.node_id, '{}', '{u8}', fault.form), test.node('g', 'give', '{x}')), fault.edges, '{}'
  )) as w (warning);
$$;
create function pg_temp.fault_of(name text, value jsonb) returns text language sql as $$
  select substr(pg_temp.fault(jsonb_build_object(fault_of.name, fault_of.value)), length('value_type_differs nodes[0].data.targets_form.form_data.' || fault_of.name) + 2);
$$;

select is(pg_temp.fault_of(v.name, v.value::jsonb), null, format('%s takes %s', v.name, v.value)) from (values
  ('u8', '255'), ('u8', '2.0'), ('u8', 'null'), ('i64', '-5'), ('decimal', '1.5'), ('decimal', '"1e3"'), ('f64', '1.5'), ('bool', 'true'), ('string', '""'),
  ('pubkey', '"11111111111111111111111111111111"'), ('pubkey', '{"public_key": "x"}'), ('keypair', to_json(repeat('1', 64))::text), ('bytes', '[1, 2]'),
  ('bytes', '"text"'), ('object', '{}'), ('array', '[]'), ('free', '[1]'), ('json', 'true'), ('none', '5'), ('kv', '5'), ('either', '5'), ('either', '"x"'),
  ('unknown', '{"a": 1}')
) as v (name, value);
select is(pg_temp.fault_of(v.name, v.value::jsonb), v.fault || '; the run fails at the node', format('%s does not take %s', v.name, v.value)) from (values
  ('u8', '256', 'must be a whole number from 0 to 255, but is 256'), ('u8', '"5"', 'must be a whole number from 0 to 255, but is a text'),
  ('u8', '1.5', 'must be a whole number from 0 to 255, but is 1.5'), ('u8', 'true', 'must be a whole number from 0 to 255, but is true'),
  ('decimal', '"x"', 'must be a number, but is a text'), ('f64', '"5"', 'must be a number, but is a text'), ('bool', '"true"', 'must be true or false, but is a text'),
  ('string', '5', 'must be a text, but is 5'), ('string', '["x"]', 'must be a text, but is a list'), ('pubkey', '"1111"', 'must be a public key, but is a text'),
  ('keypair', '5', 'must be a wallet, but is 5'), ('object', '[]', 'must be a map, but is a list'), ('array', '{}', 'must be a list, but is a map'),
  ('either', '[]', 'must be a text or a whole number from 0 to 255, but is a list')
) as v (name, value, fault);
select is(pg_temp.fault('{"u8": "x"}', jsonb_build_array(test.edge('g', 'x', 't', 'u8'))), null, 'an edge brings another value');

select is(pg_temp.fault(v.form::jsonb, node_id => 'api_input'), null, format('%s says who may answer', v.form)) from (values
  ('{}'), ('{"answered_by": "owner"}'), ('{"answered_by": ["ann@example.com"]}')
) as v (form);
select is(
  pg_temp.fault(v.form::jsonb, node_id => 'api_input'),
  'answered_by_invalid nodes[0].data.targets_form.form_data.answered_by must be owner, starter, anyone_with_the_link, '
    || 'or a list of 1 to 50 e-mail addresses; the run fails at the node',
  format('%s does not say who may answer', v.form)
) from (values ('{"answered_by": null}'), ('{"answered_by": "everybody"}'), ('{"answered_by": []}'), ('{"answered_by": ["ann"]}')) as v (form);

select * from finish();
