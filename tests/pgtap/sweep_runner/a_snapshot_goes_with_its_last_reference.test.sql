select plan(6);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.start_and_keep('run', test.kept('deployment')::uuid);
select test.sign_out();
insert into private.flow_snapshots (hash, data) values (sha256('nobody'), '{}');

create temporary view snapshots as select data from private.flow_snapshots;
select is(public.sweep_runner() -> 'snapshots', '1', 'a snapshot that is not needed is deleted');
select isnt_empty('select from snapshots', 'snapshots that a deployment or a run needs are kept');

delete from public.flow_deployments where id = test.kept('deployment')::uuid;
select is(public.sweep_runner() -> 'snapshots', '0', 'a snapshot of a queued run stays');

select test.sign_in_as_role('service_role');
select public.claim_flow_runs(1, 60);
select is(public.sweep_runner() -> 'snapshots', '0', 'a snapshot of a run that a worker holds stays');
select public.finish_flow_run(test.kept('run')::uuid, 1, 'succeeded', null, null, null, test.progress(test.kept('run')::uuid));
select is(public.sweep_runner() -> 'snapshots', '1', 'when the last run has ended, its snapshot is deleted');
select test.sign_out();
select is_empty('select from snapshots', 'no snapshot is left');

select * from finish();
