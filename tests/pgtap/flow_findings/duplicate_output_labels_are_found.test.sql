select plan(7);

create function pg_temp.outputs(variadic labels text[]) returns jsonb language sql as $$
  select jsonb_agg(test.node('o' || position, 'flow_output', '{}', array[label], jsonb_build_object('label', label)) order by position)
  from unnest(labels) with ordinality as l (label, position);
$$;

select is(test.findings(pg_temp.outputs('sum', 'Sum', 'sum ', '')), '{}', 'different labels pass');
select is(
  private.flow_findings(pg_temp.outputs('sum', 'product', 'sum'), '[]'),
  '[{
    "code": "output_label_duplicate", "path": "nodes[2].data.targets_form.form_data.label",
    "message": "two flow outputs have the label \"sum\""
  }]',
  'the second output with a label is found'
);
select is(
  test.findings(pg_temp.outputs('a', 'b', 'a', 'b', 'a')),
  '{output_label_duplicate nodes[3].data.targets_form.form_data.label,output_label_duplicate nodes[4].data.targets_form.form_data.label}',
  'each repeated label is one finding'
);
select is(
  test.findings(jsonb_set(pg_temp.outputs('a', 'b'), '{1,data,targets}', pg_temp.outputs('a') #> '{0,data,targets}')), '{}',
  'the label counts, not the name of the port'
);
select is(
  test.findings(pg_temp.outputs('a') || test.node('i', 'flow_input', '{a}', form_data => '{"label": "a"}')), '{}',
  'an input with the same label is no finding'
);
select is(
  test.findings(pg_temp.outputs('a') || test.node('m', 'flow_output', '{}', '{a}', '{"label": "a"}', type => 'mock')), '{}',
  'a mock output with the same label is no finding'
);
select is(
  test.findings(pg_temp.outputs('a') || test.node('d', 'flow_output', '{}', '{a}', '{"label": "a"}', type => 'deno')), '{}',
  'a script that calls itself flow_output is no finding'
);

select * from finish();
