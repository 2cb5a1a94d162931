select plan(44);

create function pg_temp.fault(form jsonb, type text default 'native') returns text language sql as $$
  select private.flow_findings(
    jsonb_build_array(test.node('a', 'flow_input', '{out}', '{}', '{"label": "a"}' || fault.form, type => fault.type)), '[]'
  ) #>> '{0,message}';
$$;

select is(pg_temp.fault(f.form::jsonb), null, format('%s passes', f.form)) from (values
  ('{}'), ('{"form_label": {"x": [1]}}'),
  ('{"type": "", "title": "", "help": "", "required": false, "choices": []}'),
  ('{"type": null, "title": null, "help": null, "required": null, "choices": null}'),
  ('{"type": "text", "title": "Name", "help": "Yours", "required": true, "choices": ["a", "b"], "form_label": "a"}'),
  ('{"type": "number", "choices": [1, 1.5], "form_label": 1.50}'), ('{"type": "integer", "form_label": 5}'),
  ('{"type": "boolean", "form_label": false}'), ('{"type": "date", "form_label": "2024-02-29"}'),
  ('{"type": "email", "form_label": "ada@example.com"}'), ('{"type": "url", "form_label": "https://example.com/a?b=c"}'),
  ('{"type": "list", "form_label": [1, "a"]}'), ('{"type": "object", "form_label": {}}'), ('{"type": "json", "form_label": [true]}'),
  ('{"type": "public_key", "form_label": "11111111111111111111111111111111"}'), ('{"choices": [1, "a", true], "form_label": true}'),
  ('{"required": true, "form_label": {"any": "thing"}}')
) as f (form);

select is(pg_temp.fault(f.form::jsonb), 'data.targets_form.form_data.' || f.fault, format('%s is refused', f.form)) from (values
  ('{"type": "string"}', 'type: must be text, number, integer, boolean, date, email, url, list, object, public_key, json'),
  ('{"type": 5}', 'type: must be text, number, integer, boolean, date, email, url, list, object, public_key, json'),
  ('{"title": 5}', 'title: must be a text of at most 200 characters'),
  (format('{"title": "%s"}', repeat('x', 201)), 'title: must be a text of at most 200 characters'),
  ('{"help": ["x"]}', 'help: must be a text of at most 1000 characters'),
  (format('{"help": "%s"}', repeat('x', 1001)), 'help: must be a text of at most 1000 characters'),
  ('{"required": "yes"}', 'required: must be true or false'),
  ('{"choices": "a"}', 'choices: must be a list of at most 100 texts, numbers or booleans of at most 200 characters'),
  ('{"choices": [[1]]}', 'choices: must be a list of at most 100 texts, numbers or booleans of at most 200 characters'),
  ('{"choices": [null]}', 'choices: must be a list of at most 100 texts, numbers or booleans of at most 200 characters'),
  (format('{"choices": ["%s"]}', repeat('x', 201)), 'choices: must be a list of at most 100 texts, numbers or booleans of at most 200 characters'),
  ((select format('{"choices": %s}', jsonb_agg(n)) from generate_series(1, 101) as n), 'choices: must be a list of at most 100 texts, numbers or booleans of at most 200 characters'),
  ('{"type": "number", "choices": [1, "b"]}', 'choices: each must be a number'),
  ('{"type": "list", "choices": ["b"]}', 'choices: each must be a list'),
  ('{"choices": ["a", "b"], "form_label": "c"}', 'form_label: the default must be one of the choices: "a", "b"'),
  ('{"type": "text", "form_label": 5}', 'form_label: the default must be a text'),
  ('{"type": "integer", "form_label": 1.5}', 'form_label: the default must be a whole number'),
  ('{"type": "boolean", "form_label": "yes"}', 'form_label: the default must be true or false'),
  ('{"type": "date", "form_label": "2023-02-29"}', 'form_label: the default must be a date such as 2026-11-29'),
  ('{"type": "date", "form_label": "today"}', 'form_label: the default must be a date such as 2026-11-29'),
  ('{"type": "email", "form_label": "ada"}', 'form_label: the default must be an e-mail address'),
  ('{"type": "url", "form_label": "javascript:alert(1)"}', 'form_label: the default must be an http or https address'),
  ('{"type": "object", "form_label": []}', 'form_label: the default must be an object'),
  ('{"type": "public_key", "form_label": "1111"}', 'form_label: the default must be a public key: base58 of 32 bytes'),
  (format('{"type": "text", "form_label": "%s"}', repeat('x', 4096)), 'form_label: the default must have at most 4096 bytes of JSON')
) as f (form, fault);

select is(pg_temp.fault('{"type": "string"}', 'mock'), null, 'a mock node is not checked');
select is(
  private.flow_findings(jsonb_build_array(test.node('a', 'const', '{out}', '{}', '{"type": "JSON"}')), '[]'), '[]',
  'other nodes may have a type in their form data'
);

select * from finish();
