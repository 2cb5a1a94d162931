-- node_run and not_run store node ids as uuid. Two ids that differ only in spelling would be the same uuid there.
select plan(4);

select test.keep('a', test.node('a', 'x'));

select is(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('a')::jsonb || jsonb_build_object('id', test.node_id('b')))), '{}',
  'a node with another id is no finding'
);
select isnt(
  test.findings(jsonb_build_array(test.kept('a')::jsonb, test.kept('a')::jsonb || jsonb_build_object('id', id))), '{}',
  id || ' is found'
)
from (values
  (upper(test.node_id('a')::text)),
  (replace(test.node_id('a')::text, '-', '')),
  (format('{%s}', test.node_id('a')))
) as spelling (id);

select * from finish();
