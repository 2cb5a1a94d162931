select plan(17);

select test.create_user('owner');
select test.create_user('other');

-- Makes the definition `charge` of version 1 with these effects.
create function pg_temp.define(effects text, path text default '/charges') returns void
language plpgsql as $$
begin
  insert into public.nodes (type, data, sources, targets) values (
    'openapi',
    jsonb_build_object(
      'node_id', 'charge', 'version', '1', 'display_name', 'Charge', 'description', 'a text for editors',
      'effects', define.effects, 'implementation', jsonb_build_object('path', define.path)
    ),
    '[{"name": "body", "type": "free", "tooltip": "text"}]',
    '[{"name": "amount", "type_bounds": ["decimal"], "required": true, "tooltip": "text"}]'
  );
end;
$$;
grant execute on function pg_temp.define(text, text) to authenticated;
create function pg_temp.charge(name text, version text default '1') returns jsonb
language sql stable
return jsonb_set(test.node(name, 'charge', '{body}', '{amount}', type => 'openapi'), '{data,version}', to_jsonb(version));
create function pg_temp.warnings(flow_id integer) returns text[]
language sql volatile
as $$
  select coalesce(array_agg(w ->> 'code' order by w ->> 'code'), '{}')
  from jsonb_array_elements((
    select w.warnings from private.current_snapshot_warnings(test.take_snapshot(flow_id)) as w
  )) as w;
$$;

select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(pg_temp.charge('a'), pg_temp.charge('b'))));
select test.keep('missing', test.take_snapshot(test.kept('flow')::integer));
select is(
  (select data ? 'definitions' or data #> '{entry,nodes,0,data}' ? 'definition' from private.flow_snapshots where hash = test.kept('missing')::bytea),
  false, 'a node without a definition is frozen without one'
);
select is(pg_temp.warnings(test.kept('flow')::integer), '{node_not_implemented,node_not_implemented}', 'a missing definition is a warning');

select pg_temp.define('none', path => '/public');
select test.keep('public', test.take_snapshot(test.kept('flow')::integer));
select is(
  (select jsonb_path_query_array(data, '$.definitions.*.data.implementation.path') from private.flow_snapshots where hash = test.kept('public')::bytea),
  '["/public"]', 'two nodes share one frozen definition'
);
select test.sign_in(test.user_id('owner'));
select pg_temp.define('once');
select test.sign_out();
select test.keep('own', test.take_snapshot(test.kept('flow')::integer));
select is(
  (select data -> 'definitions' -> (data #>> '{entry,nodes,1,data,definition}') from private.flow_snapshots where hash = test.kept('own')::bytea),
  '{"type": "openapi", "data": {"node_id": "charge", "version": "1", "effects": "once", "implementation": {"path": "/charges"}},
    "sources": [{"name": "body", "type": "free"}],
    "targets": [{"name": "amount", "required": true, "type_bounds": ["decimal"]}]}'::jsonb,
  'the owner''s definition comes first, and loses its texts for editors'
);
select is(
  (select sha256(convert_to(data::text, 'UTF8')) = hash from private.flow_snapshots where hash = test.kept('own')::bytea),
  true, 'the hash of a snapshot is that of its text'
);
select is(
  pg_temp.warnings(test.kept('flow')::integer), '{input_missing,input_missing}',
  'a required input of the definition without a value is a warning'
);
select is(
  (select array_agg(a.node_id order by a.node_id) from private.flow_snapshots as s cross join lateral private.acting_nodes_of(s.data) as a where s.hash = test.kept('own')::bytea),
  (select array_agg(n order by n) from unnest(array[test.node_id('a'), test.node_id('b')]) as n), 'effects come from the frozen definition'
);
select is(
  (select count(*) from private.flow_snapshots as s cross join lateral private.acting_nodes_of(s.data) where s.hash = test.kept('public')::bytea),
  0::bigint, 'a definition with the effects none does not act'
);

-- Edits and deletions
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select is(public.flow_has_changed(test.kept('deployment')::uuid), false, 'a deployment with the same definition has not changed');
update public.nodes set data = jsonb_set(data, '{implementation,path}', '"/v2/charges"') where user_id = test.user_id('owner');
select is(public.flow_has_changed(test.kept('deployment')::uuid), true, 'an edited definition changes the flow');
select test.sign_out();
select is(
  (select jsonb_path_query_array(s.data, '$.definitions.*.data.implementation.path') from public.flow_deployments as d
    join private.flow_snapshots as s on s.hash = d.snapshot_hash where d.id = test.kept('deployment')::uuid),
  '["/charges"]', 'an edit changes no deployment'
);
select test.keep('edited', test.take_snapshot(test.kept('flow')::integer));
select is(
  (select array_agg(c.change) from private.changed_nodes(
    (select data -> 'entry' from private.flow_snapshots where hash = test.kept('own')::bytea),
    (select data -> 'entry' from private.flow_snapshots where hash = test.kept('edited')::bytea)
  ) as c),
  '{data,data}', 'a redrive sees that a definition differs'
);

-- A large flow keeps its snapshot between starts, unless it has described nodes.
select test.keep('large', test.create_flow(test.user_id('owner'), jsonb_build_array(
  pg_temp.charge('a'), test.node('text', 'const', form_data => jsonb_build_object('type', 'text', 'value', (
    select string_agg(md5(n::text), '') from generate_series(1, 4000) as n
  )))
)));
select test.take_snapshot(test.kept('large')::integer);
select is(test.row_count('select from private.flow_current_snapshots'), 0::bigint, 'the snapshot of a flow with described nodes is not kept for later starts');

-- Connections
select is(
  (select array_agg(u.name) from private.connection_uses(jsonb_build_array(
    jsonb_set(pg_temp.charge('a'), '{data,targets_form,form_data}', '{"connection": "bank"}')
  )) as u),
  '{bank}', 'an operation may name a connection'
);

-- Faults
select is(test.findings(jsonb_build_array(pg_temp.charge('a') #- '{data,version}')), '{"node_malformed nodes[0]"}', 'a described node needs a version');
select is(
  private.node_definition_faults('{"type": "openapi", "data": {"node_id": "a", "version": "1", "display_name": "A"}, "sources": [], "targets": []}'),
  '[{"path": "data.implementation", "message": "is missing"}]', 'a described definition needs an implementation'
);
select is(
  private.node_definition_faults(jsonb_build_object('type', 'openapi', 'sources', '[]'::jsonb, 'targets', '[]'::jsonb, 'data', jsonb_build_object(
    'node_id', 'a', 'version', '1', 'display_name', 'A', 'implementation', jsonb_build_object('x', repeat('x', 131056))
  ))),
  '[{"path": "data.implementation", "message": "holds more than 128 KiB"}]', 'an implementation has at most 128 KiB'
);

select * from finish();
