select plan(11);

insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', d.node_id, 'version', '1', 'display_name', ''), d.sources, d.targets
from (values
  ('count', jsonb '[{"name": "n", "type": "u64"}]', jsonb '[]'),
  ('take', '[]', '[
    {"name": "bytes", "type_bounds": ["bytes"], "required": false},
    {"name": "free", "type_bounds": [], "required": false},
    {"name": "u8", "type_bounds": ["u8", "bool"], "required": false},
    {"name": "kv", "type_bounds": ["bytes", "kv"], "required": false}
  ]'),
  ('pass', '[]', '[
    {"name": "f64", "type_bounds": ["f64"], "required": false, "passthrough": true},
    {"name": "key", "type_bounds": ["pubkey"], "required": false, "passthrough": true}
  ]'),
  ('wallet', '[{"name": "pubkey", "type": "pubkey"}]', '[]'),
  ('pay', '[]', '[{"name": "payer", "type_bounds": ["keypair"], "required": false}]'),
  ('rhai_script_1x1', '[{"name": "u", "type": "u64"}]', '[]')
) as d (node_id, sources, targets);

create function pg_temp.warnings(edge jsonb) returns text[] language sql as $$
  select coalesce(array_agg(format('%s %s', w.warning ->> 'code', w.warning ->> 'path') order by w.position), '{}')
  from jsonb_array_elements(private.flow_warnings(
    jsonb_build_array(
      test.node('count', 'count', '{n}'), test.node('take', 'take', '{}', '{bytes,free,u8,kv}'),
      test.node('pass', 'pass', '{}', '{f64,key}'), test.node('wallet', 'wallet', '{pubkey}'),
      test.node('pay', 'pay', '{}', '{payer}'), test.node('script', 'rhai_script_1x1', '{u}')
    ),
    jsonb_build_array(warnings.edge),
    '{}'
  )) with ordinality as w (warning, position);
$$;

select is(pg_temp.warnings(edge), expected, description)
from (values
  (test.edge('count', 'n', 'take', 'bytes'), '{edge_types_differ edges[0]}'::text[], 'an integer never becomes bytes'),
  (test.edge('count', 'n', 'take', 'free'), '{}', 'an input without types takes it'),
  (test.edge('count', 'n', 'take', 'u8'), '{}', 'one matching type of an input is enough, and a number may be small'),
  (test.edge('count', 'n', 'take', 'kv'), '{}', 'an unknown type gets no warning'),
  (test.edge('wallet', 'pubkey', 'pay', 'payer'), '{edge_types_differ edges[0]}', 'a bare public key is no wallet'),
  (test.edge('script', 'u', 'take', 'bytes'), '{}', 'types in the flow''s JSON are not enforced, so they get no warning'),
  (test.edge('pass', 'f64', 'take', 'u8') || '{"sourceHandle": "passthrough-pass.f64"}', '{}', 'an input passes on what it accepts'),
  (test.edge('pass', 'key', 'pay', 'payer') || '{"sourceHandle": "passthrough-pass.key"}',
    '{edge_types_differ edges[0]}', 'a key pair that is passed on as a public key')
) as e (edge, expected, description);
select is(
  private.flow_warnings(
    jsonb_build_array(test.node('count', 'count', '{n}'), test.node('take', 'take', '{}', '{bytes}')),
    jsonb_build_array(test.edge('count', 'n', 'take', 'bytes')),
    '{}'
  ) #>> '{0,message}',
  'the port "n" gives u64, but the input "bytes" takes bytes; the value can''t be converted, so the run fails at the target',
  'the message names both ports and their types'
);

-- A comparison takes much longer than a look-up.
select test.track_functions();
select is(
  jsonb_array_length(private.flow_warnings(
    (select jsonb_agg(n) from generate_series(1, 50) as i, unnest(array[
      test.node('count ' || i, 'count', '{n}'), test.node('take ' || i, 'take', '{}', '{bytes,u8}')
    ]) as n),
    (select jsonb_agg(e) from generate_series(1, 50) as i, unnest(array[
      test.edge('count ' || i, 'n', 'take ' || i, 'bytes'), test.edge('count ' || i, 'n', 'take ' || i, 'u8')
    ]) as e),
    '{}'
  )), 50, 'each edge between such ports gets the warning'
);
select is(
  (select f.calls from pg_stat_xact_user_functions as f where f.funcname = 'do_types_meet'), 2::bigint,
  'the types of many edges are compared once for each pair of types'
);

select * from finish();
