select plan(4);

create function pg_temp.described(type text) returns jsonb
language sql stable
return jsonb_set(
  test.node('a', 'x', '{signature}', '{submit}', type => described.type),
  '{data,targets_form,form_data}', '{"connection": "shop"}'
);

select is(private.is_described(t.type), true, format('nodes of type %s are described', t.type))
from (values ('openapi'), ('solana')) as t (type);
select results_eq(
  $$select t.type, count(u.name) from (values ('openapi'), ('solana')) as t (type)
    left join lateral private.connection_uses(jsonb_build_array(pg_temp.described(t.type))) as u on true
    group by t.type order by t.type$$,
  $$values ('openapi', 1::bigint), ('solana', 0::bigint)$$,
  'only a node that requests an address takes a connection'
);
select results_eq(
  $$select t.type, count(d.id) from (values ('openapi'), ('solana')) as t (type)
    left join lateral private.data_nodes(jsonb_build_array(pg_temp.described(t.type)), '[]', '{}') as d on d.sends
    group by t.type order by t.type$$,
  $$values ('openapi', 1::bigint), ('solana', 0::bigint)$$,
  'an instruction sends no request'
);

select * from finish();
