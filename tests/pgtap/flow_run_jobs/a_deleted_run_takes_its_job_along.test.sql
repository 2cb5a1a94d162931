select plan(6);

select test.create_user(name) from unnest('{owner,other}'::text[]) as name;
select test.sign_in(test.user_id('owner'));
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept('deployment')::uuid) from unnest('{queued,held,ended,last}'::text[]) as name;
select test.keep(name, public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id') from unnest('{of_flow,of_flow_too}'::text[]) as name;
select test.sign_in(test.user_id('other'));
select test.start_and_keep('others', test.deploy(test.create_flow(test.user_id('other'))));
select test.sign_out();
select public.claim_flow_runs(10, 60);
select public.release_flow_run(test.kept('queued')::uuid, 1, '{}');
select public.finish_flow_run(test.kept('ended')::uuid, 1, 'succeeded', null, null, null, '{}');

create temporary view queued as
  select name from unnest('{queued,held,ended,last,of_flow,of_flow_too,others}'::text[]) as name
  where test.kept(name)::uuid in (select j.flow_run_id from private.flow_run_jobs as j where j.state <> 'ended');
select set_eq('select name from queued', '{queued,held,last,of_flow,of_flow_too,others}'::text[], 'six runs are in the queue');
delete from public.flow_run where id in (test.kept('queued')::uuid, test.kept('held')::uuid, test.kept('ended')::uuid);
select set_eq('select name from queued', '{last,of_flow,of_flow_too,others}'::text[], 'deleted runs, queued or held, have no job');
select is(
  test.error_code($$ select public.checkpoint_flow_run(test.kept('held')::uuid, 1, 60, '{}') $$), 'claim_lost', 'the worker of a deleted run has lost its claim'
);

-- Users have no rights in the queue. Nevertheless, if a user deletes a flow, the jobs of its runs must be deleted.
select test.sign_in(test.user_id('owner'));
delete from public.flows where id = test.kept('flow')::integer;
select test.sign_out();
select set_eq('select name from queued', '{last,others}'::text[], 'the jobs of the runs of a deleted flow are deleted');
delete from auth.users where id = test.user_id('owner');
select set_eq('select name from queued', '{others}'::text[], 'the jobs of the runs of a deleted user are deleted');
select is(count(*), 1::bigint, 'the jobs of deleted runs are deleted') from private.flow_run_jobs;

select * from finish();
