select plan(30);

create function pg_temp.fault(cases jsonb, sources text[] default '{}') returns text language sql as $$
  select private.flow_findings(
    jsonb_build_array(test.node('s', 'switch', sources, '{value}', jsonb_build_object('cases', cases))), '[]'
  ) #>> '{0,message}';
$$;

select is(pg_temp.fault(cases), null, format('%s passes', left(cases::text, 60)))
from (values
  (jsonb '[{"name": "a", "operator": "is_null"}]'),
  ('[{"name": "a", "operator": "eq", "compare_to": null}, {"name": "b", "operator": "gt", "compare_to": 1e30, "field": "x.0.y"}]'),
  ('[{"name": "a", "operator": "is_empty", "field": "", "compare_to": 5}, {"name": "__proto__", "operator": "ne", "field": null, "compare_to": []}]'),
  ((select jsonb_agg(jsonb_build_object('name', n::text, 'operator', 'is_true')) from generate_series(1, 100) as n))
) as good (cases);

select is(
  pg_temp.fault(cases), 'data.targets_form.form_data.cases: must be an array of 1 to 100 cases',
  format('%s is no list of cases', left(cases::text, 20))
)
from (values
  (jsonb 'null'), ('{}'), ('[]'), ('"a"'),
  ((select jsonb_agg(jsonb_build_object('name', n::text, 'operator', 'is_true')) from generate_series(1, 101) as n))
) as bad (cases);

select is(
  pg_temp.fault(jsonb_build_array('{"name": "first", "operator": "is_null"}'::jsonb, bad.one)),
  'data.targets_form.form_data.cases[1]' || bad.fault, format('%s is refused', left(bad.one::text, 60))
)
from (values
  (jsonb '3', ': must be an object'),
  ('{"operator": "is_null"}', '.name: must be a text of 1 to 256 characters other than default'),
  ('{"name": "", "operator": "is_null"}', '.name: must be a text of 1 to 256 characters other than default'),
  ('{"name": "default", "operator": "is_null"}', '.name: must be a text of 1 to 256 characters other than default'),
  (jsonb_build_object('name', repeat('x', 257), 'operator', 'is_null'), '.name: must be a text of 1 to 256 characters other than default'),
  ('{"name": "a"}', '.operator: there is no such operator'),
  ('{"name": "a", "operator": "is"}', '.operator: there is no such operator'),
  ('{"name": "a", "operator": ["is_null"]}', '.operator: there is no such operator'),
  ('{"name": "a", "operator": "is_null", "field": 3}', '.field: must be names with single dots between them, 1024 characters at most'),
  ('{"name": "a", "operator": "is_null", "field": "a..b"}', '.field: must be names with single dots between them, 1024 characters at most'),
  ('{"name": "a", "operator": "is_null", "field": ".a"}', '.field: must be names with single dots between them, 1024 characters at most'),
  (jsonb_build_object('name', 'a', 'operator', 'is_null', 'field', repeat('x', 1025)), '.field: must be names with single dots between them, 1024 characters at most'),
  ('{"name": "a", "operator": "eq"}', '.compare_to: is missing'),
  ('{"name": "a", "operator": "lt", "compare_to": "1"}', '.compare_to: must be a number for this operator'),
  ('{"name": "a", "operator": "ends_with", "compare_to": 1}', '.compare_to: must be a text for this operator')
) as bad (one, fault);

select is(
  pg_temp.fault('[{"name": "a", "operator": "is_null"}, {"name": "a", "operator": "is_true"}]'),
  'data.targets_form.form_data.cases: two cases have the name "a"', 'names must differ'
);
select is(
  pg_temp.fault('[{"name": "a", "operator": "is_null"}]', '{a,default}'), null, 'the outputs are the cases and default'
);
select is(
  pg_temp.fault('[{"name": "a", "operator": "is_null"}]', '{a,b}'), 'data.sources: there is no case "b"',
  'an output that is no case is refused'
);
select is(
  private.flow_findings(jsonb_build_array(test.node('s', 'switch', type => 'mock')), '[]'), '[]', 'a mock switch is not checked'
);
select is(
  (private.flow_findings(jsonb_build_array(test.node('a', 'x'), test.node('s', 'switch')), '[]') -> 0) - 'message',
  '{"code": "node_malformed", "path": "nodes[1]"}', 'the finding names the node'
);
select is(length(pg_temp.fault(jsonb_build_array(jsonb_build_object('name', 'a', 'operator', 'is_null')), array[repeat('x', 256)])) < 250, true, 'a long name is cut in the finding');

select * from finish();
