select plan(7);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner'), jsonb_build_array(test.node('a', 'note'))));
create function pg_temp.history() returns jsonb language sql as 'select public.flow_history(test.kept(''flow'')::integer)';

grant execute on function pg_temp.history() to public;
select test.sign_in(test.user_id('owner'));
select is(pg_temp.history(), '[]', 'a new flow has no versions');
select test.keep('first', test.deploy(test.kept('flow')::integer));
select is(
  (pg_temp.history() -> 0) - '{id,bytes,saved_at,created_at}'::text[],
  jsonb_build_object('name', null, 'is_current', true, 'deployment_id', test.kept('first'), 'tags', '["latest"]'::jsonb),
  'a deploy makes a version, which is also the saved one'
);
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('first')::uuid);
update public.flows set nodes = jsonb_build_array(test.node('b', 'note')), updated_at = now() where true;
select test.keep('second', test.deploy(test.kept('flow')::integer)), test.keep('third', test.deploy(test.kept('flow')::integer));
select is(jsonb_array_length(pg_temp.history()), 2, 'two deployments with equal contents have one version');
select results_eq(
  $$ select v ->> 'deployment_id', v -> 'tags', v -> 'is_current' from jsonb_array_elements(pg_temp.history()) as v order by v -> 'id' $$,
  $$ values (test.kept('first'), jsonb '["stable"]', jsonb 'false'), (test.kept('third'), '["latest"]', 'true') $$,
  'each version has its newest deployment and its tags'
);
-- Moving a node changes no snapshot, but it changes the drawing.
update public.flows set nodes = jsonb_build_array(test.node('b', 'note') || '{"position": {"x": 9, "y": 9}}') where true;
select is(jsonb_path_query_array(pg_temp.history(), '$[*].is_current'), '[false, false]', 'after an edit no version is current');
delete from public.flow_deployments where true;
select is(jsonb_path_query_array(pg_temp.history(), '$[*].deployment_id'), '[null, null]', 'deleted deployments are not named');
select is(jsonb_path_query_array(pg_temp.history(), '$[*].tags[*]'), '[]', 'tags of deleted deployments are not listed');

select * from finish();
