select plan(15);

create function pg_temp.input(form jsonb, name text default 'i') returns jsonb language sql as $$
  select test.node(input.name, 'flow_input', '{out}', '{}', '{"label": "a"}' || input.form);
$$;
create function pg_temp.taker(bounds jsonb, is_required boolean default false) returns jsonb language sql as $$
  select jsonb_set(jsonb_set(test.node('t', 'taker', '{}', '{x}'), '{data,targets,0,type_bounds}', taker.bounds), '{data,targets,0,required}', to_jsonb(taker.is_required));
$$;
create function pg_temp.described(variadic nodes jsonb[]) returns jsonb language sql as $$
  select d.inputs -> 0 from private.describe_snapshot(jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
    'nodes', to_jsonb(described.nodes), 'edges', jsonb_build_array(test.edge('i', 'out', 't', 'x'))
  ))) as d;
$$;
create function pg_temp.bounds(type text, bounds jsonb) returns jsonb language sql as $$
  select pg_temp.described(pg_temp.input(jsonb_build_object('type', bounds.type)), pg_temp.taker(bounds.bounds)) -> 'type_bounds';
$$;

select is(
  pg_temp.described(pg_temp.input('{"type": "email", "title": "Your address", "help": "We write to it.", "required": true}'), pg_temp.taker('["free"]')),
  '{"name": "a", "description": "We write to it.", "type_bounds": ["string"], "required": true, "default": null,
    "json_schema": {"type": "string", "format": "email", "title": "Your address", "description": "We write to it."}}',
  'label, help text, type and required'
);
select is(
  pg_temp.described(pg_temp.input('{"type": "integer", "required": true, "choices": [1, 2], "form_label": 2}'), pg_temp.taker('["free"]')),
  '{"name": "a", "description": "", "type_bounds": ["i128"], "required": false, "default": 2, "json_schema": {"description": "", "enum": [1, 2]}}',
  'an input with a default is not required; choices take the place of ranges'
);
select is(pg_temp.bounds('text', '["pubkey"]'), '["address"]', 'a text for a port of public keys is an address');
select is(pg_temp.bounds('number', '["u8"]'), '["u8"]', 'a number for a port of small numbers is a small number');
select is(pg_temp.bounds('boolean', '["free"]'), '["bool"]', 'a port of any type changes nothing');
select is(pg_temp.bounds('list', '["u8"]'), '["array"]', 'the type of the author counts where a port takes nothing of it');
select is(
  pg_temp.described(pg_temp.input('{"title": "Size"}'), pg_temp.taker('["u8"]', true)) - 'json_schema',
  '{"name": "a", "description": "", "type_bounds": ["u8"], "required": true, "default": null}',
  'without a type, the ports say what the input takes'
);
select is(
  pg_temp.described(pg_temp.input('{}'), pg_temp.input('{"help": "First"}', 'j'), pg_temp.input('{"help": "Second", "form_label": 5}', 'k'), pg_temp.taker('["u8"]'))
    - '{name,type_bounds,json_schema}'::text[],
  '{"description": "First", "required": false, "default": 5}', 'the first node that describes the input counts'
);
select is(private.typed_inputs(jsonb_build_array(pg_temp.input('{"form_label": 5}'))), null, 'a default alone describes nothing');
select is(
  private.typed_inputs(jsonb_build_array(pg_temp.input('{"required": true}'), pg_temp.input('{"type": "text", "form_label": "x"}', 'j'))),
  '{"a": {"required": true, "default": "x"}}', 'the description and the default may be of different nodes'
);

-- The help of a node that decides is about its own work, and not for those who start the flow.
create function pg_temp.help_of(node_id text) returns text language sql as $$
  select d.inputs #>> '{0,description}' from private.describe_snapshot(jsonb_build_object('flows', '{}'::jsonb, 'entry', jsonb_build_object(
    'nodes', jsonb_build_array(pg_temp.input('{}'), test.node('t', help_of.node_id, '{}', '{x}')),
    'edges', jsonb_build_array(test.edge('i', 'out', 't', 'x'))
  ))) as d;
$$;
insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', n.node_id, 'version', '1', 'display_name', ''), '[]',
  '[{"name": "x", "type_bounds": ["string"], "required": true, "tooltip": "What is compared"}]'
from unnest('{branch,switch,gate,helper}'::text[]) as n (node_id);
select is(pg_temp.help_of(n.node_id), n.help, format('the help of a %s', n.node_id))
from (values ('branch', ''), ('gate', ''), ('helper', 'What is compared')) as n (node_id, help);

create function pg_temp.problems(type text) returns text[] language sql as $$
  select array(
    select w.warning ->> 'message' from jsonb_array_elements(private.flow_warnings(
      jsonb_build_array(pg_temp.input(jsonb_build_object('type', problems.type)), test.node('t', 'helper', '{}', '{x}')),
      jsonb_build_array(test.edge('i', 'out', 't', 'x')), '{}'
    )) as w (warning) where w.warning ->> 'code' = 'edge_types_differ'
  );
$$;
select is(pg_temp.problems('email'), '{}', 'a text fits an input for texts');
select is(
  pg_temp.problems('boolean'),
  array['the port "a" gives bool, but the input "x" takes string; the value can''t be converted, so the run fails at the target'],
  'an edge is checked by the type that the author chose'
);

select * from finish();
