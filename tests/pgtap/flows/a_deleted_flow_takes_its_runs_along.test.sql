select plan(5);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('caller', test.create_flow(test.user_id('owner')));
select test.keep('normal', test.create_run(test.kept('flow')::integer));
select test.keep('deployed', test.create_run(test.kept('flow')::integer, deployment_id => gen_random_uuid()));
select test.keep('parent', test.create_run(test.kept('caller')::integer));
select test.keep('child', test.create_run(test.kept('flow')::integer));
update public.flow_run
set parent_flow_run_id = test.kept('parent')::uuid, parent_node_id = gen_random_uuid(), parent_times = 0
where id = test.kept('child')::uuid;

create temporary view remaining as
  select name from unnest('{normal,deployed,parent,child}'::text[]) as name
  where exists (select from public.flow_run as r where r.id = test.kept(name)::uuid);

select test.sign_in(test.user_id('owner'));
select is(test.row_count('select from public.flow_run'), 4::bigint, 'the owner sees the four runs');
select is(
  test.row_count($$ delete from public.flows where id = test.kept('flow')::integer $$), 1::bigint,
  'a flow that has only runs can be deleted by its owner, who can''t delete runs'
);

select test.sign_out();
select set_eq(
  'select name from remaining', array['parent', 'child'],
  'the root runs of the deleted flow are deleted, also those of deleted deployments; called runs in another flow''s run stay'
);

select test.sign_in(test.user_id('owner'));
select is(test.row_count('delete from public.flows'), 1::bigint, 'the calling flow can be deleted as well');
select test.sign_out();
select is_empty('select name from remaining', 'called runs are deleted with their parent run');

select * from finish();
