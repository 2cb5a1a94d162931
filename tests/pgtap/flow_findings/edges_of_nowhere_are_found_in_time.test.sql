-- Each end of an edge is looked up once, however many mock nodes there are. So the search ends before the statement
-- timeout of the API roles (8 s).
select plan(1);

select test.keep('nodes', (
  select jsonb_agg(test.node('m', 'x', type => 'mock') || jsonb_build_object('id', gen_random_uuid())) from generate_series(1, 10000)
));
select test.keep('edges', (
  select jsonb_agg(jsonb_build_object('source', 'nobody' || n, 'target', 'nothing' || n)) from generate_series(1, 50000) as n
));
set local statement_timeout = '20s';
select is(
  jsonb_array_length(private.flow_findings(test.kept('nodes')::jsonb, test.kept('edges')::jsonb)), 1001,
  '50,000 edges between missing nodes, beside 10,000 mock nodes, are found'
);

select * from finish();
