select plan(27);

select test.keep('node', test.node('a', 'x', '{out}', '{in}'));
create function pg_temp.fault(node jsonb) returns text language sql as $$
  select string_agg(format('%s %s', f ->> 'code', f ->> 'message'), ', ')
  from jsonb_array_elements(private.flow_findings(jsonb_build_array(node), '[]')) as f;
$$;

select is(pg_temp.fault(test.kept('node')::jsonb), null, 'a node as the editor saves it has no fault');
select is(pg_temp.fault(jsonb_set(test.kept('node')::jsonb, path::text[], value)), null, format('%s %s passes', path, value))
from (values
  ('{data,type}', jsonb '"deno"'),
  ('{data,type}', '"WASM"'),
  ('{data,type}', '"mock"'),
  ('{data,sources}', '[]'),
  ('{data,targets}', '[]'),
  ('{data,targets_form,form_data}', 'null'),
  ('{data,display_name}', 'null'),
  ('{data,anything}', '{"else": 1}')
) as good (path, value);

select is(pg_temp.fault(node), 'node_malformed a node must be an object', format('%s is not a node', node))
from (values (jsonb '"text"'), ('null'), ('[]')) as bad (node);

select is(
  pg_temp.fault(jsonb_set(test.kept('node')::jsonb, path::text[], value)), 'node_malformed ' || fault, format('%s %s is found', path, value)
)
from (values
  ('{id}', jsonb '"a"', 'id: must be a UUID in lower case with hyphens'),
  ('{id}', '1', 'id: must be a UUID in lower case with hyphens'),
  ('{id}', 'null', 'id: must be a UUID in lower case with hyphens'),
  ('{data}', '[]', 'data: must be an object'),
  ('{data,type}', '"wasm"', 'data.type: must be native, openapi, mcp, solana, deno, WASM or mock'),
  ('{data,type}', 'null', 'data.type: must be native, openapi, mcp, solana, deno, WASM or mock'),
  ('{data,node_id}', '1', 'data.node_id: must be a string'),
  ('{data,sources}', '{}', 'data.sources: must be an array'),
  ('{data,targets}', 'null', 'data.targets: must be an array')
) as bad (path, value, fault);

select is(
  pg_temp.fault(test.kept('node')::jsonb #- path::text[]), 'node_malformed ' || fault, format('a node without %s is found', path)
)
from (values
  ('{id}', 'id: must be a UUID in lower case with hyphens'),
  ('{data}', 'data: must be an object'),
  ('{data,node_id}', 'data.node_id: must be a string'),
  ('{data,sources}', 'data.sources: must be an array'),
  ('{data,targets_form,form_data}', 'data.targets_form.form_data: is missing')
) as bad (path, fault);

select is(
  test.findings(jsonb_build_array(test.kept('node')::jsonb, '{}', test.kept('node')::jsonb, 'null'), '[{}]'),
  '{node_malformed nodes[1],node_malformed nodes[3]}', 'every malformed node is found, and nothing else is checked then'
);

select * from finish();
