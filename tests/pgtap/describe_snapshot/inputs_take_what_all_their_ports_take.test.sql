select plan(24);

-- Makes a node with one input port. bounds are the types that the port accepts. The port may be required, and may be a
-- passthrough.
create function pg_temp.taker(name text, bounds jsonb, is_required boolean default true, is_handed_on boolean default false) returns jsonb
language sql as $$
  select jsonb_set(test.node(taker.name, 'taker', '{}', '{x}'), '{data,targets,0}', jsonb_build_object(
    'id', taker.name || '.x', 'name', 'x', 'type_bounds', taker.bounds, 'required', taker.is_required, 'passthrough', taker.is_handed_on
  ));
$$;
create function pg_temp.input(name text, label text default 'a', form jsonb default '{}') returns jsonb language sql as $$
  select test.node(input.name, 'flow_input', '{out}', '{}', jsonb_build_object('label', input.label) || input.form);
$$;
create function pg_temp.graph(nodes jsonb, edges jsonb default '[]') returns jsonb language sql as $$
  select jsonb_build_object('nodes', graph.nodes, 'edges', graph.edges);
$$;
create function pg_temp.inputs(entry jsonb, flows jsonb default '{}') returns jsonb language sql as $$
  select d.inputs from private.describe_snapshot(jsonb_build_object('entry', inputs.entry, 'flows', inputs.flows)) as d;
$$;
-- Returns the types that an input of the flow accepts if it feeds several ports, one with each of these bounds.
create function pg_temp.common(variadic bounds jsonb[]) returns jsonb language sql as $$
  select pg_temp.inputs(pg_temp.graph(
    jsonb_build_array(pg_temp.input('i')) || (select jsonb_agg(pg_temp.taker('t' || b.position, b.bound)) from unnest(common.bounds) with ordinality as b (bound, position)),
    (select jsonb_agg(test.edge('i', 'out', 't' || b.position, 'x')) from unnest(common.bounds) with ordinality as b (bound, position))
  )) #> '{0,type_bounds}';
$$;

select is(pg_temp.common('["u64"]'), '["u64"]', 'an input accepts the type of its port');
select is(pg_temp.common('["free"]'), '["free"]', 'a port may accept any type');
select is(pg_temp.common('["kv"]'), '["free"]', 'a port with an unknown type accepts any type');
select is(pg_temp.common('[]'), '["free"]', 'a port without types accepts any type');
select is(pg_temp.common('["u64"]', '["u8"]', '["free"]'), '["u8"]', 'the input has the narrower number type');
select is(pg_temp.common('["u16"]', '["i64"]'), '["u16"]', 'an input for a signed and an unsigned integer port has the unsigned type');
select is(pg_temp.common('["decimal"]', '["u64"]', '["f64"]'), '["u64"]', 'a port of decimals accepts integers');
select is(pg_temp.common('["string"]', '["pubkey"]'), '["address"]', 'a key as text fits both a text port and a key port');
select is(pg_temp.common('["keypair"]', '["pubkey"]'), '["keypair"]', 'a wallet suits keys');
select is(pg_temp.common('["bytes"]', '["string"]'), '["string"]', 'a text suits bytes');
select is(pg_temp.common('["bytes"]', '["pubkey"]'), '["pubkey"]', 'a key suits bytes');
select is(pg_temp.common('["bytes"]', '["keypair"]'), '["signature"]', '64 bytes fit both ports, but the map of a wallet does not');
select is(pg_temp.common('["string", "pubkey"]'), '["string", "pubkey"]', 'a port may accept several types');
select is(pg_temp.common('["string", "pubkey"]', '["pubkey", "bool"]'), '["pubkey"]', 'an input has the types that all its ports accept');
select is(pg_temp.common('["json"]', '["free"]'), '["json"]', 'JSON is narrower than any type');
select is(pg_temp.common('["string"]', '["u64"]'), '["free"]', 'if no type fits all ports, the input has any type');

select is(
  pg_temp.inputs(pg_temp.graph(jsonb_build_array(
    pg_temp.input('i', 'a', '{"form_label": {"x": 1}}'), pg_temp.input('j', 'b', '{"form_label": null}'), pg_temp.input('k', 'c'),
    pg_temp.input('l', 'd'), pg_temp.taker('t', '["bool"]'), pg_temp.taker('u', '["bool"]'), pg_temp.taker('v', '["bool"]', false)
  ), jsonb_build_array(test.edge('i', 'out', 't', 'x'), test.edge('j', 'out', 'u', 'x'), test.edge('k', 'out', 'v', 'x')))),
  '[
    {"name": "a", "description": "", "type_bounds": ["bool"], "required": false, "default": {"x": 1}, "json_schema": {"type": "boolean"}},
    {"name": "b", "description": "", "type_bounds": ["bool"], "required": true, "default": null, "json_schema": {"type": "boolean"}},
    {"name": "c", "description": "", "type_bounds": ["bool"], "required": false, "default": null, "json_schema": {"type": "boolean"}},
    {"name": "d", "description": "", "type_bounds": ["free"], "required": false, "default": null, "json_schema": {}}
  ]',
  'an input is required if a port requires it and the flow has no default for it'
);
select is(
  pg_temp.inputs(pg_temp.graph(jsonb_build_array(
    pg_temp.input('i', 'a', '{"form_label": 5}'), pg_temp.input('j', 'a'), pg_temp.taker('t', '["u64"]'), pg_temp.taker('u', '["decimal"]')
  ), jsonb_build_array(test.edge('i', 'out', 't', 'x'), test.edge('j', 'out', 'u', 'x')))) #>> '{0,type_bounds}',
  '["u64"]', 'nodes with the same label are one input'
);

select is(
  (pg_temp.inputs(pg_temp.graph(
    jsonb_build_array(pg_temp.input('i')) || (select jsonb_agg(pg_temp.taker('t' || n, (case n when 100 then '["u8"]' else '["free"]' end)::jsonb, n = 100, true)) from generate_series(1, 100) as n),
    jsonb_build_array(test.edge('i', 'out', 't1', 'x')) || (
      select jsonb_agg(test.edge('t' || n, 'x', 't' || n + 1, 'x') || jsonb_build_object('sourceHandle', format('passthrough-t%s.x', n)))
      from generate_series(1, 99) as n
    )
  )) -> 0) - '{name,description,json_schema,default}'::text[],
  '{"type_bounds": ["u8"], "required": true}', 'a value that nodes pass on must fit the last port'
);
select is(
  pg_temp.inputs(pg_temp.graph(
    jsonb_build_array(pg_temp.input('i'), pg_temp.taker('t', '["pubkey"]', true, true), pg_temp.taker('u', '["keypair"]')),
    jsonb_build_array(test.edge('i', 'out', 't', 'x'), test.edge('t', 'x', 'u', 'x') || '{"sourceHandle": "passthrough-t.x"}')
  )) #>> '{0,type_bounds}',
  '["pubkey"]', 'a key that is handed on is a public key from there on'
);

-- i of the entry → input b of flow 7 → input c of flow 8 → input b of flow 7 again.
select is(
  pg_temp.inputs(
    pg_temp.graph(
      jsonb_build_array(pg_temp.input('i'), test.node('call', 'interflow', '{}', '{b}', '{"id": 7}'), pg_temp.taker('t', '["decimal"]')),
      jsonb_build_array(test.edge('i', 'out', 'call', 'b'), test.edge('i', 'out', 't', 'x'))
    ),
    jsonb_build_object(
      '7', pg_temp.graph(
        jsonb_build_array(pg_temp.input('j', 'b'), test.node('call', 'interflow', '{}', '{c}', '{"id": "8"}')),
        jsonb_build_array(test.edge('j', 'out', 'call', 'c'))
      ),
      '8', pg_temp.graph(
        jsonb_build_array(pg_temp.input('k', 'c'), test.node('call', 'interflow', '{}', '{b}', '{"id": 7}'), pg_temp.taker('u', '["u16"]')),
        jsonb_build_array(test.edge('k', 'out', 'call', 'b'), test.edge('k', 'out', 'u', 'x'))
      )
    )
  ) #>> '{0,type_bounds}',
  '["u16"]', 'ports of called flows count, also where flows call each other in a ring'
);
select is(
  pg_temp.inputs(pg_temp.graph(
    jsonb_build_array(pg_temp.input('i'), test.node('call', 'interflow', '{}', '{b}', '{"id": 99999999999}')),
    jsonb_build_array(test.edge('i', 'out', 'call', 'b'))
  )) #>> '{0,type_bounds}',
  '["free"]', 'a call of a flow that is not there says nothing'
);

select is(
  (select array_agg(i.input ->> 'default' is null order by i.position) from jsonb_array_elements(pg_temp.inputs(pg_temp.graph(
    (select jsonb_agg(pg_temp.input('i' || n, 'a' || n, jsonb_build_object('form_label', repeat('x', n)))) from generate_series(4093, 4096) as n)
  ))) with ordinality as i (input, position)),
  '{f,f,t,t}', 'a default of more than 4096 bytes of JSON is not shown'
);
select is(
  (select count(*) filter (where i.input ->> 'default' is not null)::integer from jsonb_array_elements(pg_temp.inputs(pg_temp.graph(
    (select jsonb_agg(pg_temp.input('i' || n, 'a' || n, jsonb_build_object('form_label', repeat('x', 4094)))) from generate_series(1, 300) as n)
  ))) as i (input)),
  256, 'at most a megabyte of defaults is returned'
);

select * from finish();
