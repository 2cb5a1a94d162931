-- The search follows each edge only once, so it ends long before the statement timeout of the API roles (8 s).
select plan(2);

set local statement_timeout = '20s';
select test.keep('ring', array_to_json(private.flow_cycle(
  array_agg('n' || n), array_agg('n' || n), array_agg('n' || (n % 20000) + 1)
))::text)
from generate_series(1, 20000) as n;
select is(json_array_length(test.kept('ring')::json), 20000, 'a cycle of 20,000 nodes is found completely');

select is(
  private.flow_cycle('{a,b,c,d}', '{a,b,c,d}', '{b,c,b,a}'), '{c,b}', 'only the ring of a graph with further nodes is returned'
);

select * from finish();
