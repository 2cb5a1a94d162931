select plan(13);

select test.create_user('owner');
insert into public.nodes (type, data, sources, targets)
select 'native', jsonb_build_object('node_id', name, 'version', '1', 'display_name', ''), '[]', '[]'
from unnest(array['note', 'interflow']) as name;
select test.keep('called', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'note'), test.node('b', 'chart'))));
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(
  test.node('a', 'table'), test.node('b', 'interflow', form_data => jsonb_build_object('id', test.kept('called')::integer))
)));
select test.keep('warnings', jsonb_build_array(
  jsonb_build_object('flow_id', test.kept('flow')::integer, 'code', 'node_not_implemented', 'path', 'nodes[0].data.node_id',
    'message', 'this project has no node "table", so the run fails at it'),
  jsonb_build_object('flow_id', test.kept('called')::integer, 'code', 'node_not_implemented', 'path', 'nodes[1].data.node_id',
    'message', 'this project has no node "chart", so the run fails at it')
));

select test.sign_in(test.user_id('owner'));
select is(
  public.deploy_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb,
  'a deploy reports the warnings of the flow and of the flows that it calls'
);
select is(public.start_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb, 'a start of the flow reports the same warnings');
select is(
  test.error(format('select public.%s(%s, strict => true)', name, test.kept('flow'))),
  jsonb_build_object('code', 'flow_invalid', 'status', 422, 'hint', null, 'details', test.kept('warnings')::jsonb,
    'message', 'The flow has warnings, which strict doesn''t allow: this project has no node "table", so the run fails at it.'),
  format('with strict, %s is refused with the warnings', name)
)
from (values ('deploy_flow'), ('start_flow')) as f (name);
select is(test.row_count('select from public.flow_deployments'), 1::bigint, 'a strict deploy makes no deployment');
select is(test.row_count('select from public.flow_run'), 1::bigint, 'a strict start makes no run');

select test.sign_out();
select is(test.row_count('select from private.flow_snapshot_warnings'), 1::bigint, 'warnings are stored with the snapshot');
update private.flow_snapshot_warnings set warnings = '[]' where true;
select test.sign_in(test.user_id('owner'));
select is(public.start_flow(test.kept('flow')::integer, strict => true) -> 'warnings', '[]', 'stored warnings are not computed again');

select test.sign_out();
insert into public.nodes (type, data, sources, targets)
values ('native', '{"node_id": "table", "version": "1", "display_name": ""}', '[]', '[]');
select test.sign_in(test.user_id('owner'));
select is(
  public.start_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb - 0,
  'warnings are computed again when the service role has added a definition'
);
select test.sign_out();
select test.keep('version', (select version from private.native_nodes));
insert into public.nodes (type, data, sources, targets)
values ('native', '{"node_id": "table", "version": "1", "display_name": ""}', '[]', '[]')
on conflict (owner_key, node_id, version) do update set data = excluded.data;
select test.sign_in(test.user_id('owner'));
insert into public.nodes (type, data, sources, targets)
values ('native', '{"node_id": "chart", "version": "1", "display_name": ""}', '[]', '[]');
select is(
  public.start_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb - 0,
  'definitions of users do not change the warnings'
);
select test.sign_out();
select is((select version::text from private.native_nodes), test.kept('version'), 'definitions of users do not change the version');
delete from public.nodes where node_id = 'table' and user_id is null;
select test.sign_in(test.user_id('owner'));
select is(public.start_flow(test.kept('flow')::integer) -> 'warnings', test.kept('warnings')::jsonb, 'the deletion of a public definition changes the warnings');

-- Equal flows share a snapshot, but a warning must not name the other flow.
select test.keep('equal', test.create_flow(test.user_id('owner'), nodes)) from public.flows where id = test.kept('flow')::integer;
select is(
  public.deploy_flow(test.kept('equal')::integer) #> '{warnings,0,flow_id}', to_jsonb(test.kept('equal')::integer),
  'warnings name each flow by its own id'
);

select * from finish();
