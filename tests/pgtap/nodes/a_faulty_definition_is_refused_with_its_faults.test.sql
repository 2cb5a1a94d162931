select plan(5);

select test.sign_in_as_role('service_role');
select is(
  test.error($$ insert into public.nodes (type, data, sources, targets)
    values ('native', '{"node_id": "n", "display_name": 5}', '[{"name": "a", "type": "free"}, {}]', '{}') $$),
  '{
    "code": "node_definition_invalid", "status": 400, "message": "data.display_name: must be a string.",
    "details": [
      {"path": "data.display_name", "message": "must be a string"},
      {"path": "data.version", "message": "is missing"},
      {"path": "sources[1].name", "message": "is missing"},
      {"path": "sources[1].type", "message": "is missing"},
      {"path": "targets", "message": "must be an array"}
    ],
    "hint": "This is the definition of node \"n\"."
  }',
  'the error lists all faults'
);
select is(
  test.error($$ insert into public.nodes (type, data, sources, targets)
    values ('', '{"node_id": "", "version": "1", "display_name": ""}', '[{"name": "", "type": ""}, {"name": "", "type": ""}]', '[]') $$)
    -> 'details',
  '[
    {"path": "data.node_id", "message": "must have 1 to 200 characters"},
    {"path": "sources[1].name", "message": "another port has the name \"\""},
    {"path": "type", "message": "must be at most 64 letters, digits, _ and -, start with a letter, and not be true or false"}
  ]',
  'when the types are right, the error lists faults of the other rules'
);
select is(
  test.error('insert into public.nodes default values') #>> '{details,0,path}', 'data', 'an empty definition is refused'
);
insert into public.nodes (type, data, sources, targets)
values ('native', '{"node_id": "n", "version": "1", "display_name": ""}', '[]', '[]');
select is(
  test.error($$ update public.nodes set "targets_form.json_schema" = '{}' where node_id = 'n' $$) ->> 'message',
  'targets_form.ui_schema: is missing: targets_form.json_schema needs it.', 'an update that makes a definition faulty is refused'
);
select test.sign_out();
select is(
  test.error_code($$ update public.nodes set data = '{}' where node_id = 'n' $$), 'node_definition_invalid', 'the rules hold for every role'
);

select * from finish();
