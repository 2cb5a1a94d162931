select plan(16);

select test.create_user('owner');
insert into public.nodes (type, data, sources, targets) values (
  'native', '{"node_id": "ai_agent", "version": "1", "display_name": "", "effects": "none"}', '[]', '[]'
);

create function pg_temp.tool(node_id text, members jsonb default '{}', type text default 'openapi') returns jsonb
language sql stable
return jsonb_build_object('name', node_id, 'node', jsonb_build_object('type', type, 'node_id', node_id, 'version', '1') || members);
create function pg_temp.agent(name text, tools jsonb) returns jsonb
language sql stable
return test.node(name, 'ai_agent', form_data => jsonb_build_object('tools', tools));
create function pg_temp.define(node_id text, effects text, type text default 'openapi', implementation jsonb default '{"path": "/charges"}')
returns void language sql as $$
  insert into public.nodes (type, data, sources, targets) values (
    define.type,
    jsonb_build_object(
      'node_id', define.node_id, 'version', '1', 'display_name', 'Charge', 'description', 'Charges an account.',
      'effects', define.effects, 'implementation', define.implementation
    ),
    '[{"name": "body", "type": "free", "tooltip": "text"}]',
    '[{"name": "amount", "type_bounds": ["decimal"], "required": true, "tooltip": "In euros"}]'
  );
$$;
-- Replaces the nodes of the flow, and returns its new snapshot.
create function pg_temp.snap(variadic nodes jsonb[]) returns jsonb language plpgsql as $$
declare
  v_hash bytea;
begin
  update public.flows set nodes = to_jsonb(snap.nodes) where id = test.kept('flow')::integer;
  v_hash := test.take_snapshot(test.kept('flow')::integer);
  return (select s.data from private.flow_snapshots as s where s.hash = v_hash);
end;
$$;
create function pg_temp.warnings(data jsonb) returns text[] language sql as $$
  select coalesce(array_agg(concat_ws(' ', w ->> 'code', w ->> 'path') order by w ->> 'path'), '{}')
  from private.warnings_of_data(warnings.data) as d cross join lateral jsonb_array_elements(d.warnings) as w;
$$;
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(pg_temp.agent('a', '[]'))));

-- Without a definition
select test.keep('missing', pg_temp.snap(pg_temp.agent('a', jsonb_build_array(
  pg_temp.tool('charge', '{"definition": "forged", "form_data": {"account": "shop", "note": null}}'),
  jsonb_build_object('name', 'called', 'flow', test.kept('called')::integer)
))));
select is(
  test.kept('missing')::jsonb #> '{entry,nodes,0,data,targets_form,form_data,tools}', jsonb_build_array(
    pg_temp.tool('charge', '{"form_data": {"account": "shop", "note": null}}'),
    jsonb_build_object('name', 'called', 'flow', test.kept('called')::integer)
  ), 'a tool without a definition is frozen without one, whatever its form says'
);
select is(test.kept('missing')::jsonb ? 'definitions', false, 'then the snapshot has no definitions');
select is(
  pg_temp.warnings(test.kept('missing')::jsonb),
  '{"node_not_implemented nodes[0].data.targets_form.form_data.tools[0].node"}', 'a missing definition is a warning'
);

-- With definitions
select pg_temp.define('charge', 'none');
select test.sign_in(test.user_id('owner'));
insert into public.nodes (type, data, sources, targets)
select n.type, jsonb_set(n.data, '{effects}', '"once"'), n.sources, n.targets from public.nodes as n where n.data ->> 'node_id' = 'charge';
select test.sign_out();
select pg_temp.define('move', 'none', 'solana', '{"kind": "instruction"}');
select test.keep('frozen', pg_temp.snap(
  jsonb_set(test.node('node', 'charge', '{body}', '{amount}', type => 'openapi'), '{data,version}', '"1"'),
  pg_temp.agent('a', jsonb_build_array(pg_temp.tool('charge', '{"form_data": {"connection": "bank"}}')))
));
select is(
  test.kept('frozen')::jsonb -> 'definitions'
    -> (test.kept('frozen')::jsonb #>> '{entry,nodes,1,data,targets_form,form_data,tools,0,node,definition}'),
  '{"type": "openapi", "data": {"node_id": "charge", "version": "1", "effects": "once", "description": "Charges an account.",
      "implementation": {"path": "/charges"}},
    "sources": [{"name": "body", "type": "free"}],
    "targets": [{"name": "amount", "required": true, "type_bounds": ["decimal"], "tooltip": "In euros"}]}'::jsonb,
  'a tool refers to the owner''s definition, with the texts for the model'
);
select is(
  (select count(*) from jsonb_object_keys(test.kept('frozen')::jsonb -> 'definitions')), 2::bigint,
  'a node of the same definition keeps the definition without these texts'
);
select is(
  pg_temp.warnings(test.kept('frozen')::jsonb), '{"input_missing nodes[0]"}',
  'the model gives the required inputs of a tool'
);
select is(
  (select d.connections from private.warnings_of_data(test.kept('frozen')::jsonb) as d),
  '{"bank": {"path": "nodes[1].data.targets_form.form_data.tools[0].node.form_data.connection"}}'::jsonb,
  'the connection of a tool is a connection of the deployment'
);
select is(
  array(select a.node_id from private.acting_nodes_of(test.kept('frozen')::jsonb) as a order by a.node_id),
  array(select n from unnest(array[test.node_id('node'), test.node_id('a')]) as n order by n), 'an agent has the effects of its nodes'
);
select is(
  (select count(*) from private.acting_nodes_of(jsonb_set(test.kept('frozen')::jsonb, '{definitions}', (
    select jsonb_object_agg(d.key, jsonb_set(d.value, '{data,effects}', '"none"'))
    from jsonb_each(test.kept('frozen')::jsonb -> 'definitions') as d
  )))), 0::bigint, 'an agent whose tools only read does not act'
);
select is(
  pg_temp.warnings(pg_temp.snap(pg_temp.agent('a', jsonb_build_array(
    pg_temp.tool('move', type => 'solana'), pg_temp.tool('http_request', type => 'native'), '{"node": "charge"}'::jsonb
  )))),
  array(
    select format('node_not_implemented nodes[0].data.targets_form.form_data.tools[%s].node', i) from generate_series(0, 2) as i
  ), 'an instruction, a native node and nonsense are told'
);
select is(
  (pg_temp.snap(test.node('n', 'note', form_data => jsonb_build_object('tools', jsonb_build_array(pg_temp.tool('charge'))))))
    ? 'definitions', false, 'only agents have tools'
);

-- Edits
select pg_temp.snap(pg_temp.agent('a', jsonb_build_array(pg_temp.tool('charge'))));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select is(public.flow_has_changed(test.kept('deployment')::uuid), false, 'a deployment with the same definition has not changed');
select test.sign_out();
select test.keep('before', pg_temp.snap(pg_temp.agent('a', jsonb_build_array(pg_temp.tool('charge')))));
update public.nodes set targets = jsonb_set(targets, '{0,tooltip}', '"In cents"') where user_id = test.user_id('owner');
select test.sign_in(test.user_id('owner'));
select is(public.flow_has_changed(test.kept('deployment')::uuid), true, 'an edited text for the model changes the flow');
select test.sign_out();
select is(
  (select array_agg(c.change) from private.changed_nodes(
    test.kept('before')::jsonb -> 'entry',
    pg_temp.snap(pg_temp.agent('a', jsonb_build_array(pg_temp.tool('charge')))) -> 'entry'
  ) as c),
  '{data}', 'a redrive sees that a definition differs'
);

-- A large flow keeps its snapshot between starts, unless it has described tools.
select pg_temp.snap(pg_temp.agent('a', jsonb_build_array(pg_temp.tool('charge'))), test.node('text', 'const', form_data => jsonb_build_object(
  'type', 'text', 'value', (select string_agg(md5(n::text), '') from generate_series(1, 4000) as n)
)));
select is(test.row_count('select from private.flow_current_snapshots'), 0::bigint, 'the snapshot of a flow with described tools is not kept for later starts');
select is(
  test.findings(jsonb_build_array(pg_temp.agent('a', '[{"name": "x", "node": null, "flow": null}]'))),
  '{}', 'a tool that is nothing is no fault of the graph itself'
);

select * from finish();
