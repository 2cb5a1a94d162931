select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(
  test.user_id('owner'), jsonb_build_array(test.node('in', 'flow_input', '{out}', '{}', '{"label": "a"}'), test.node('t', 'taker', '{}', '{x}')),
  jsonb_build_array(test.edge('in', 'out', 't', 'x'))
));
select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
create function pg_temp.input() returns jsonb language sql as $$
  select public.read_deployment(flow => test.kept('flow')::integer) #> '{inputs,0}';
$$;
grant execute on function pg_temp.input() to public;

select is(pg_temp.input() -> 'type_bounds', '["free"]', 'without a definition the port comes from the flow''s JSON');
select test.sign_in_as_role('service_role');
insert into public.nodes (type, data, sources, targets, "targets_form.json_schema", "targets_form.ui_schema") values (
  'native', '{"node_id": "taker", "version": "1", "display_name": ""}', '[]',
  '[{"name": "x", "type_bounds": ["u8"], "required": true, "tooltip": "How many"}]',
  '{"type": "object", "properties": {"x": {"title": "Count", "minimum": 1, "maximum": 9, "default": 3, "description": 5}}}', '{}'
);
select test.sign_in(test.user_id('owner'));
select is(
  pg_temp.input(),
  '{"name": "a", "description": "How many", "type_bounds": ["u8"], "required": true, "default": null,
    "json_schema": {"type": "integer", "minimum": 1, "maximum": 9, "title": "Count"}}',
  'with a definition the port comes from the definition, with the description in its form'
);
select test.sign_out();
select is(
  private.schema_hint('{"enum": ["S", 2, true], "minLength": 1, "maxLength": 2, "format": "email", "pattern": "(a+)+", "default": "S", "title": 5}'),
  '{"enum": ["S", 2, true], "minLength": 1, "maxLength": 2, "format": "email"}', 'the description has choices, lengths and formats, but no patterns'
);
select is(
  array(
    select private.schema_hint(jsonb_build_object('format', 'regex', 'enum', v.value))
    from unnest(array['[]', '["a", {}]', '[null]', '"a"', to_jsonb(array_fill('x'::text, array[101])), to_jsonb(array[repeat('x', 4096)])]::jsonb[]) as v (value)
  ),
  array_fill('{}'::jsonb, array[6]), 'the description leaves out anything but a short list of choices'
);
select is((select count(*) from private.flow_snapshot_interfaces), 1::bigint, 'the description is stored once');

select * from finish();
