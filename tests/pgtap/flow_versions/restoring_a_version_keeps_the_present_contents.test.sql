select plan(12);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), '["old"]'));
update public.flows set environment = '{"A": "old"}', updated_at = now() - interval '1 hour' where true;
-- Delete the version that this update has stored.
delete from public.flow_versions where true;

select test.sign_in(test.user_id('owner'));
select test.keep('old', public.keep_flow_version(test.kept('flow')::integer));
update public.flows set nodes = '["new"]', edges = '[1]', environment = '{}', name = 'new name', is_public = true where true;
select is(
  test.error_code(format('select public.restore_flow_version(%s, now() - interval ''1 minute'')', test.kept('old'))), 'flow_changed',
  'a flow that was saved meanwhile is not overwritten'
);
select is((select f.nodes from public.flows as f), '["new"]', 'the refused restore changes nothing');
select test.keep('restored', public.restore_flow_version(test.kept('old')::bigint, now()));
select results_eq(
  'select nodes, edges, environment from public.flows', $$ values (jsonb '["old"]', jsonb '[]', jsonb '{"A": "old"}') $$,
  'the flow has the contents of the version, its environment included'
);
select results_eq(
  'select name, is_public from public.flows', $$ values ('new name', true) $$, 'name and sharing of the flow are no parts of a version'
);
select is((test.kept('restored')::jsonb ->> 'updated_at')::timestamptz, now(), 'the answer has the time of the save');
select is(
  (select v.nodes from public.flow_versions as v where v.id = (test.kept('restored')::jsonb ->> 'kept_version_id')::bigint), '["new"]',
  'the answer has the id of the version with the previous contents'
);
select lives_ok(
  format('select public.restore_flow_version(%s)', test.kept('restored')::jsonb ->> 'kept_version_id'), 'restoring this version undoes the restore'
);
select results_eq('select nodes, edges from public.flows', $$ values (jsonb '["new"]', jsonb '[1]') $$, 'nodes and edges are as before the restore');
select is((select count(*) from public.flow_versions), 2::bigint, 'equal contents are kept only once');

-- A flow has at most a hundred versions. A restore stores one more, so the oldest one is deleted, even if it is the
-- restored one.
select test.sign_out();
alter table public.flow_versions disable trigger _100_refuse_read_only;
update public.flow_versions set created_at = created_at - interval '1 day' where id = test.kept('old')::bigint;
select test.sign_in(test.user_id('owner'));
do $$ begin for i in 1..98 loop
  update public.flows set nodes = to_jsonb(array[i]) where true;
  perform public.keep_flow_version(test.kept('flow')::integer);
end loop; end $$;
update public.flows set nodes = '["newest"]' where true;
select lives_ok(format('select public.restore_flow_version(%s)', test.kept('old')), 'the oldest version is restored, although it must be deleted to make room');
select is((select f.nodes from public.flows as f), '["old"]', 'the flow has the contents of the oldest version');
select is((select count(*) from public.flow_versions), 100::bigint, 'a hundred versions are left');

select * from finish();
