select plan(3);

select test.create_user(name) from unnest('{owner,starter,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();
update public.flow_deployments set start_permission = 'Authenticated' where id = test.kept('deployment')::uuid;
select test.sign_in(test.user_id('starter'));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_in(test.user_id('other'));
select test.start_and_keep('others', test.kept('deployment')::uuid);
select test.sign_out();
select public.claim_flow_runs(1, 60);
select public.checkpoint_flow_run(test.kept('run')::uuid, 1, 60, test.progress(test.kept('run')::uuid, children => jsonb_build_array(
  test.child(gen_random_uuid(), test.kept('run')::uuid, 1, 'running')
)));

create temporary view starter as
  select r.started_by from public.flow_run as r
  where test.kept('run')::uuid in (r.id, r.parent_flow_run_id);
select results_eq('select * from starter', array[test.user_id('starter'), test.user_id('starter')], 'a run and its called runs name their starter');
delete from auth.users where id = test.user_id('starter');
select results_eq('select * from starter', '{null,null}'::uuid[], 'when the starter is deleted, the runs stay without a starter');
select is(r.started_by, test.user_id('other'), 'runs of other starters still name their starter') from public.flow_run as r where r.id = test.kept('others')::uuid;

select * from finish();
