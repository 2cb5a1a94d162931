select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
insert into private.flow_snapshots (hash, data) values (sha256('nobody'), '{}');

create temporary view snapshots as select data from private.flow_snapshots;
select is(public.sweep_runner() -> 'snapshots', '1', 'what nothing points at goes');
select isnt_empty('select from snapshots', 'what a deployment and a run point at stays');

delete from public.flow_deployments where id = test.kept('deployment')::uuid;
select is(public.sweep_runner() -> 'snapshots', '0', 'what a run points at stays');

select test.end_run(test.kept('run')::uuid, age => '29 days');
select is(public.sweep_runner() -> 'snapshots', '0', 'also when the run has ended');

select test.end_run(test.kept('run')::uuid, age => '31 days');
select is(public.sweep_runner() -> 'snapshots', '1', 'with the last run it goes');
select is_empty('select from snapshots', 'and none is left');

select * from finish();
