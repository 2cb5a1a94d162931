select plan(2);

select is(
  private.flow_warnings(jsonb_build_array(
    test.node('a', 'const', '{Source}', '{}', '{"type": "number", "value": "three"}'),
    test.node('b', 'const', '{Source}', '{}', '{"type": "decimal", "value": "2.50"}'),
    test.node('c', 'const', '{Source}', '{}', '{"type": "Decimal", "value": {"D": "2.50"}}')
  ), '[]', '[]') -> 0,
  '{"code": "constant_invalid", "path": "nodes[0].data.targets_form.form_data", "message": "the run fails at the node: form_data.value: must be a number"}',
  'the fault is named'
);
select is(jsonb_array_length(private.flow_warnings(jsonb_build_array(
  test.node('b', 'const', '{Source}', '{}', '{"type": "null"}'), test.node('c', 'const', '{Source}', '{}', '"bare text"')
), '[]', '[]')), 0, 'other constants have no warning');

select * from finish();
