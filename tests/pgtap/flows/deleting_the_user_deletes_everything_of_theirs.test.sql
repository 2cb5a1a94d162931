select plan(6);

select test.create_user('owner');
select test.create_user('other');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('second', test.create_flow(test.user_id('owner')));
select test.keep('foreign', test.create_flow(test.user_id('other')));

select test.sign_in(test.user_id('other'));
select test.keep('foreign_deployment', test.deploy(test.kept('foreign')::integer));

select test.sign_in(test.user_id('owner'));
select test.deploy(test.kept('flow')::integer);
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.deploy(test.kept('second')::integer);
insert into public.flow_deployments_tags (entrypoint, tag, deployment_id)
values (test.kept('flow')::integer, 'stable', test.kept('deployment')::uuid);
select public.start_deployment(id => test.kept('deployment')::uuid);

select test.sign_out();
select test.create_run(test.kept('flow')::integer);
select test.create_run(test.kept('flow')::integer, started_by => test.user_id('other'));
select test.keep('foreign_run', test.create_run(test.kept('foreign')::integer, started_by => test.user_id('owner')));

create temporary view owned as
  select 'flows' as what, user_id from public.flows
  union all select 'deployments', user_id from public.flow_deployments
  union all select 'tags', user_id from public.flow_deployments_tags
  union all select 'runs', user_id from public.flow_run
  union all select 'jobs', r.user_id from private.flow_run_jobs as j left join public.flow_run as r on r.id = j.flow_run_id;

select results_eq(
  $$ select what, count(*) from owned where user_id = test.user_id('owner') group by what order by what $$,
  $$ values ('deployments', 3::bigint), ('flows', 2), ('jobs', 1), ('runs', 3), ('tags', 3) $$,
  'the owner has rows in every table'
);

select is(
  test.row_count($$ delete from auth.users where id = test.user_id('owner') $$), 1::bigint,
  'a user with deployed flows, tags and runs can be deleted'
);
select is_empty(
  $$ select * from owned where user_id is distinct from test.user_id('other') $$, 'nothing of theirs is left'
);
select results_eq(
  $$ select what, count(*) from owned group by what order by what $$,
  $$ values ('deployments', 1::bigint), ('flows', 1), ('runs', 1), ('tags', 1) $$,
  'everything of the other user is left'
);
select results_eq(
  $$ select id, started_by from public.flow_run $$, $$ values (test.kept('foreign_run')::uuid, null::uuid) $$,
  'a run of another user''s flow stays, without its deleted starter'
);
select results_eq(
  $$ select deployment_id from public.flow_deployments_tags where tag = 'latest' $$,
  $$ values (test.kept('foreign_deployment')::uuid) $$,
  'latest of the other user has not moved'
);

select * from finish();
