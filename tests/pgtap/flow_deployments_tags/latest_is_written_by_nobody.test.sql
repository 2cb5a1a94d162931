select plan(27);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('neighbour', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('old', test.deploy(test.kept('flow')::integer));
select test.keep('new', test.deploy(test.kept('flow')::integer));
select test.keep('neighbours', test.deploy(test.kept('neighbour')::integer));
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('old')::uuid);
delete from public.flow_deployments where entrypoint = test.kept('neighbour')::integer;

create temporary table attempts (title text, statement text);
insert into attempts values
  ('move', $$ update public.flow_deployments_tags set deployment_id = test.kept('old')::uuid where tag = 'latest' $$),
  ('rename', $$ update public.flow_deployments_tags set tag = 'newest' where tag = 'latest' $$),
  ('rename another tag to', $$ update public.flow_deployments_tags set tag = 'latest' where tag = 'stable' $$),
  ('delete', $$ delete from public.flow_deployments_tags where tag = 'latest' $$),
  ('delete, with all tags,', $$ delete from public.flow_deployments_tags where true $$),
  ('insert', $$ insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    values (test.user_id('owner'), test.kept('flow')::integer, 'latest', test.kept('old')::uuid) $$),
  ('insert, where it is missing,', $$ insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    values (test.user_id('owner'), test.kept('neighbour')::integer, 'latest', test.kept('old')::uuid) $$),
  ('upsert', $$ insert into public.flow_deployments_tags (user_id, entrypoint, tag, deployment_id)
    values (test.user_id('owner'), test.kept('flow')::integer, 'latest', test.kept('old')::uuid)
    on conflict (entrypoint, tag) do update set deployment_id = excluded.deployment_id $$);
grant select on attempts to public;

select test.sign_in(test.user_id('owner'));
select is(test.error_code(statement), 'tag_latest_protected', format('the owner can''t %s latest', title)) from attempts;

select test.sign_in(test.user_id('other'));
select is(test.row_count(statement), 0::bigint, format('another user can''t %s latest', title))
from attempts where statement !~ 'insert';
select isnt(test.error_code(statement), null, format('another user can''t %s latest', title)) from attempts where statement ~ 'insert';

select test.sign_in_as_role('service_role');
select is(test.error(statement) ->> 'status', '409', format('the service role can''t %s latest', title)) from attempts;

select results_eq(
  'select tag, deployment_id from public.flow_deployments_tags order by tag',
  $$ values ('latest', test.kept('new')::uuid), ('stable', test.kept('old')::uuid) $$,
  'the tags have not changed'
);
select is(
  test.row_count($$ delete from public.flow_deployments_tags where tag <> 'latest' $$), 1::bigint, 'other tags can be deleted'
);
select is(
  test.error($$ delete from public.flow_deployments_tags where tag = 'latest' $$),
  '{
    "code": "tag_latest_protected", "status": 409, "details": null,
    "message": "The tag latest always names the newest deployment: it can''t be set, moved, renamed or deleted.",
    "hint": "Use a tag of your own. You may change the description of latest."
  }',
  'the error says what to do instead'
);

select * from finish();
