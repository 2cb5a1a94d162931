select plan(19);

create function pg_temp.message(nodes jsonb, edges jsonb default '[]') returns text language sql as $$
  select private.flow_findings(nodes, edges) #>> '{0,message}';
$$;

select is(
  private.flow_findings((select jsonb_agg('{}'::jsonb) from generate_series(1, 10001)), '[]'),
  '[{"code": "flow_too_large", "path": "nodes", "message": "a flow may have at most 10000 nodes, and this one has 10001"}]',
  'a flow with more than 10,000 nodes is not checked further'
);
select is(
  private.flow_findings('[]', (select jsonb_agg('{}'::jsonb) from generate_series(1, 50001))) #>> '{0,code}', 'flow_too_large',
  'a flow with more than 50,000 edges is not checked further'
);

select test.keep('source', test.node('a', 'x', '{out}') #> '{data,sources,0}');
select test.keep('target', test.node('a', 'x', '{}', '{in}') #> '{data,targets,0}');
select is(
  pg_temp.message(jsonb_build_array(jsonb_set(test.node('a', 'x'), array['data', side],
    (select jsonb_agg(test.kept(port)::jsonb || jsonb_build_object('n', n)) from generate_series(1, 1001) as n)))),
  format('data.%s: must have at most 1000 %1$s', side), format('a node has 1,000 %s at most', side)
)
from (values ('sources', 'source'), ('targets', 'target')) as p (side, port);
select is(
  test.findings(jsonb_build_array('null', 1, '{}', '{"data": [1]}', jsonb_set(test.node('a', 'x'), '{data,targets}',
    (select jsonb_agg('"in"'::jsonb) from generate_series(1, 1001)))), '[]'),
  '{node_malformed nodes[4]}', 'other faults of nodes are found only if the numbers of ports are valid'
);
select is(
  private.flow_findings(
    (select jsonb_agg(jsonb_build_object('data', jsonb_build_object(
      case when n % 2 = 0 then 'sources' else 'targets' end, (select jsonb_agg(0) from generate_series(1, 1001))
    ))) from generate_series(1, 2) as n), '[]'
  ),
  '[{"code": "node_malformed", "path": "nodes[0]", "message": "data.targets: must have at most 1000 targets"},
    {"code": "node_malformed", "path": "nodes[1]", "message": "data.sources: must have at most 1000 sources"}]',
  'each node with too many ports is found'
);
select is(
  pg_temp.message(jsonb_build_array(jsonb_set(test.node('a', 'x'), array['data', side],
    jsonb_build_array(test.kept(port)::jsonb || jsonb_build_object(member, repeat(E'ü\n', 128) || rest))))),
  case when rest <> '' then format('data.%s: the id and the name of a %s may have at most 256 characters', side, port) end,
  format('the %s of a %s with %s characters is %s', member, port, 256 + length(rest), case when rest = '' then 'accepted' else 'found' end)
)
from (values ('sources', 'source'), ('targets', 'target')) as p (side, port), (values ('id'), ('name')) as m (member), (values (''), ('x')) as r (rest);
select is(
  pg_temp.message(jsonb_build_array(test.node('a', 'x', array[repeat(E'ü\n', 126) || 'xx'], array[repeat('y', 254)]))), null,
  'names of 254 characters in ids of 256 characters are accepted'
);
select is(pg_temp.message(jsonb_build_array(test.node('a', repeat('x', 201)))), 'data.node_id: must have at most 200 characters', 'a long node_id is found');
select is(
  pg_temp.message(jsonb_build_array(test.node('a', 'flow_input', form_data => jsonb_build_object('label', repeat('x', 257))))),
  'data.targets_form.form_data.label: must have at most 256 characters', 'a long label is found'
);
select is(
  test.findings(
    jsonb_build_array(test.node('a', 'x', '{out}'), test.node('b', 'x')) || (
      select jsonb_agg(test.node('c' || n, 'x', '{}', array['in' || n])) from generate_series(1, 1001) as n
    ),
    (select jsonb_agg(test.edge('a', 'out', 'c' || n, 'in' || n) || jsonb_build_object('target', test.node_id('b'))) from generate_series(1, 1001) as n)
  ), '{node_edges_too_many nodes[1]}', 'edges count for the node that they lead to, even if they name handles of other nodes'
);
select is(
  (
    select bool_and(length(f ->> 'message') < 150)
    from jsonb_array_elements(private.flow_findings(
      jsonb_build_array(test.node('a', 'x')),
      (select jsonb_agg(jsonb_build_object('source', repeat('s', 9999), 'target', repeat('t', 9999))) from generate_series(1, 10))
    )) as f
  ), true, 'names in findings are shortened'
);

select * from finish();
