-- These statements end in time only if their time grows more slowly than the square of the size of a flow.
select plan(6);

create function pg_temp.input(label text) returns jsonb language sql as $$
  select test.node('i ' || input.label, 'flow_input', '{out}', '{}', jsonb_build_object('label', input.label));
$$;
create function pg_temp.described(entry jsonb, flows jsonb default '{}') returns jsonb language sql as $$
  select d.inputs from private.describe_snapshot(jsonb_build_object('entry', described.entry, 'flows', described.flows)) as d;
$$;

-- One input feeds all ports of ten nodes. The last node accepts the fewest types.
select is(
  pg_temp.described(jsonb_build_object(
    'nodes', jsonb_build_array(pg_temp.input('a')) || (
      select jsonb_agg(jsonb_set(
        test.node('t' || n, 'taker', '{}', array(select 'x' || p from generate_series(1, 1000) as p)),
        '{data,targets,999,type_bounds}', case n when 10 then '["u8"]'::jsonb else '["u64"]' end
      )) from generate_series(1, 10) as n
    ),
    'edges', (select jsonb_agg(test.edge('i a', 'out', 't' || n, 'x' || p)) from generate_series(1, 10) as n, generate_series(1, 1000) as p)
  )) #> '{0,type_bounds}',
  '["u8"]', 'an input may feed 10,000 ports'
);

-- Each node passes its input through to the next node.
select is(
  pg_temp.described(jsonb_build_object(
    'nodes', jsonb_build_array(pg_temp.input('a')) || (
      select jsonb_agg(jsonb_set(jsonb_set(
        test.node('t' || n, 'taker', '{}', '{x}'), '{data,targets,0,passthrough}', 'true'), '{data,targets,0,type_bounds}',
        case n when 9999 then '["u8"]'::jsonb else '["free"]' end
      )) from generate_series(1, 9999) as n
    ),
    'edges', jsonb_build_array(test.edge('i a', 'out', 't1', 'x')) || (
      select jsonb_agg(test.edge('t' || n, 'x', 't' || n + 1, 'x') || jsonb_build_object('sourceHandle', format('passthrough-t%s.x', n)))
      from generate_series(1, 9998) as n
    )
  )) #> '{0,type_bounds}',
  '["u8"]', 'a value may be handed on 9,998 times'
);

-- A flow calls itself and passes each input to the next input, the last to the first. Only the last input feeds a port,
-- so all inputs must get the types of this port.
create function pg_temp.ring(size integer) returns jsonb language sql as $$
  select jsonb_build_object(
    'nodes', (select jsonb_agg(pg_temp.input('a' || n)) from generate_series(1, ring.size) as n) || jsonb_build_array(
      test.node('call', 'interflow', '{}', array(select 'a' || n from generate_series(1, ring.size) as n), '{"id": 7}'),
      jsonb_set(test.node('t', 'taker', '{}', '{x}'), '{data,targets,0,type_bounds}', '["u8"]')
    ),
    'edges', (
      select jsonb_agg(test.edge('i a' || n, 'out', 'call', 'a' || n % ring.size + 1)) from generate_series(1, ring.size) as n
    ) || jsonb_build_array(test.edge('i a' || ring.size, 'out', 't', 'x'))
  );
$$;
select is(
  (
    select count(*)::integer
    from jsonb_array_elements(pg_temp.described(pg_temp.ring(1000), jsonb_build_object('7', pg_temp.ring(1000)))) as i
    where i -> 'type_bounds' = '["u8"]'
  ),
  1000, 'a flow that calls itself may shift 1,000 inputs'
);

-- Each of 2,000 flows passes its input to the next flow. Only the last flow has a port that refuses values.
create function pg_temp.link(number integer) returns jsonb language sql as $$
  select jsonb_build_object(
    'nodes', jsonb_build_array(pg_temp.input('a'), case link.number
      when 2000 then jsonb_set(test.node('t', 'taker', '{}', '{a}'), '{data,targets,0,type_bounds}', '["u8"]')
      else test.node('t', 'interflow', '{}', '{a}', jsonb_build_object('id', link.number + 1)) end),
    'edges', jsonb_build_array(test.edge('i a', 'out', 't', 'a'))
  );
$$;
select is(
  pg_temp.described(pg_temp.link(0), (select jsonb_object_agg(n, pg_temp.link(n)) from generate_series(1, 2000) as n)) #> '{0,type_bounds}',
  '["u8"]', 'a value may be passed on by 2,000 flows'
);

-- Each input feeds a port, and no two ports have the same bounds.
create temporary table kind as
  select v.name, row_number() over (order by v.name) - 1 as bit from private.port_types() as v where v.name <> 'free' group by v.name limit 14;
create function pg_temp.bounds(number integer) returns jsonb language sql as $$
  select jsonb_agg(k.name) from kind as k where (bounds.number >> k.bit::integer) & 1 = 1;
$$;
select is(
  jsonb_array_length(pg_temp.described(jsonb_build_object(
    'nodes', (select jsonb_agg(pg_temp.input('a' || n)) from generate_series(1, 9000) as n) || (
      select jsonb_agg(test.node('t' || n, 'taker') || jsonb_build_object('data', test.node('t' || n, 'taker') -> 'data' || jsonb_build_object('targets', (
        select jsonb_agg(jsonb_build_object(
          'id', 't' || n || '.x' || p, 'name', 'x' || p, 'required', true, 'passthrough', false, 'type_bounds', pg_temp.bounds(n * 1000 + p)
        )) from generate_series(1, 1000) as p
      )))) from generate_series(0, 8) as n
    ),
    'edges', (
      select jsonb_agg(test.edge('i a' || n * 1000 + p, 'out', 't' || n, 'x' || p)) from generate_series(0, 8) as n, generate_series(1, 1000) as p
    )
  ))),
  9000, 'each of 9,000 inputs may take other types'
);

-- All outputs of a node may have the same name.
select is(
  (
    select jsonb_array_length(d.outputs)
    from private.describe_snapshot(jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
      'nodes', jsonb_build_array(jsonb_set(test.node('s', 'taker'), '{data,sources}', (
        select jsonb_agg(jsonb_build_object('id', 's.' || n, 'name', 'x', 'type', 'free')) from generate_series(1, 1000) as n
      ))) || (
        select jsonb_agg(test.node('o' || n, 'flow_output', '{}', '{x}', jsonb_build_object('label', 'o' || n))) from generate_series(1, 9000) as n
      ),
      'edges', (select jsonb_agg(test.edge('s', (n % 1000 + 1)::text, 'o' || n, 'x')) from generate_series(1, 9000) as n)
    ))) as d
  ),
  9000, '1,000 outputs with one name may feed 9,000 flow outputs'
);

select * from finish();
