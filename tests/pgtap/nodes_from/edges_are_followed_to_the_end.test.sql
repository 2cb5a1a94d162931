select plan(5);

create function pg_temp.edges(variadic pairs text[]) returns jsonb language sql as $$
  select jsonb_agg(jsonb_build_object('source', split_part(p.pair, '>', 1), 'target', split_part(p.pair, '>', 2)))
  from unnest(edges.pairs) as p (pair);
$$;
create function pg_temp.reached(edges jsonb, starts text[], is_backwards boolean default false) returns text[] language sql as $$
  select array_agg(r.id order by r.id) from unnest(private.nodes_from(edges, starts, is_backwards)) as r (id);
$$;

select is(pg_temp.reached(pg_temp.edges('a>b', 'b>c', 'd>c'), '{a}'), '{a,b,c}', 'the nodes behind a start are reached');
select is(pg_temp.reached(pg_temp.edges('a>b', 'b>c', 'd>c'), '{c}', true), '{a,b,c,d}', 'backwards, those before it');
select is(pg_temp.reached('[]', '{a,b}'), '{a,b}', 'the starts are always reached');
select is(pg_temp.reached(pg_temp.edges('a>b', 'a>c', 'b>d', 'c>d', 'd>a'), '{a,d}'), '{a,b,c,d}', 'each node is listed once, also in a circle');

-- This statement ends in time only if its time grows more slowly than the square of the length.
select is(
  cardinality(private.nodes_from(
    (select jsonb_agg(jsonb_build_object('source', n::text, 'target', (n + 1)::text)) from generate_series(1, 40000) as n), '{1}', false
  )), 40001, 'a chain may have 40,000 edges'
);

select * from finish();
