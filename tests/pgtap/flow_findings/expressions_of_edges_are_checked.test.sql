select plan(12);

create function pg_temp.graph() returns jsonb language sql as $$
  select jsonb_build_array(test.node('a', 'x', '{out}'), test.node('b', 'y', '{}', '{in}'));
$$;
create function pg_temp.edge(data jsonb) returns jsonb language sql as $$
  select jsonb_build_array(test.edge('a', 'out', 'b', 'in') || jsonb_build_object('data', data));
$$;

select is(test.findings(pg_temp.graph(), pg_temp.edge(data)), '{}', format('%s passes', left(data::text, 40)))
from (values
  (jsonb '{"expression": "a.b"}'), ('{"expression": null}'), ('{"expression": ""}'), ('{}'), ('null'), ('"x"'), ('[1]'),
  (jsonb_build_object('expression', repeat('x', 10000)))
) as good (data);
select is(
  test.findings(pg_temp.graph(), pg_temp.edge(data)), '{"edge_malformed edges[0].data.expression"}', format('%s is found', left(data::text, 40))
)
from (values (jsonb '{"expression": 1}'), (jsonb_build_object('expression', repeat('x', 10001)))) as bad (data);
select is(
  test.findings(pg_temp.graph(), (select jsonb_agg(pg_temp.edge('{"expression": "a"}') -> 0) from generate_series(1, 1001))),
  '{"flow_too_large edges"}', 'more than 1,000 expressions are found'
);
select is(
  private.reduce_edges(pg_temp.edge('{"expression": "a \"b\"", "label": "left out"}')),
  (pg_temp.edge('{"expression": "a \"b\""}'))::text, 'a snapshot has only the expression of an edge''s data'
);

select * from finish();
