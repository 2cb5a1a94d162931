select plan(9);

select test.create_user('owner');
select test.keep('flow', test.create_flow(test.user_id('owner')));
select test.sign_in(test.user_id('owner'));
select test.keep('failed', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select test.sign_out();
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
select is(public.sweep_runner() -> 'snapshots', '0', 'the snapshot of a failed run stays');

select test.sign_in(test.user_id('owner'));
select test.keep('redriven', public.redrive_flow_run(test.kept('failed')::uuid) ->> 'flow_run_id');
select test.sign_out();
select test.keep('old', private.uuid_v7(now() - interval '90 days'));
update public.flow_run set redriven_from = null where id = test.kept('redriven')::uuid;
update public.flow_run set id = test.kept('old')::uuid, end_time = now() - interval '89 days' where id = test.kept('failed')::uuid;
update private.flow_run_jobs set flow_run_id = test.kept('old')::uuid where flow_run_id = test.kept('failed')::uuid;
update public.flow_run set redriven_from = test.kept('old')::uuid where id = test.kept('redriven')::uuid;
update private.flow_run_jobs set redriven_from = array[test.kept('old')]::uuid[] where flow_run_id = test.kept('redriven')::uuid;

select is(public.sweep_runner() -> 'runs', '0', 'a run that is being redriven stays');
select private.end_flow_run(test.kept('redriven')::uuid, 'stopped');
select is(public.sweep_runner() -> 'runs', '1', 'the run is deleted after its redrive has ended');
select is(r.redriven_from, null, 'the redrive does not name the deleted run any more') from public.flow_run as r where r.id = test.kept('redriven')::uuid;
select is(count(*), 1::bigint, 'the redrive stays') from public.flow_run as r where r.id = test.kept('redriven')::uuid;
select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select public.redrive_flow_run(%L)', test.kept('redriven'))) - '{message,hint}'::text[],
  '{"code": "run_not_redrivable", "status": 409, "details": {"reason": "deleted"}}', 'a deleted run can not be taken over, so its redrive would repeat what succeeded'
);
select test.keep('stopped', public.start_flow(test.kept('flow')::integer) ->> 'flow_run_id');
select public.stop_flow_run(test.kept('stopped')::uuid);
select test.sign_out();
delete from public.flow_run where id = test.kept('redriven')::uuid;
select is(public.sweep_runner() -> 'snapshots', '0', 'the snapshot of a stopped run stays, even if the run was never claimed');
delete from private.flow_snapshots where true;
select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select public.redrive_flow_run(%L)', test.kept('stopped'))) -> 'details', '{"reason": "snapshot_deleted"}', 'without the snapshot the run can not be redriven'
);
select test.sign_out();
delete from public.flow_run where id = test.kept('stopped')::uuid;
select is_empty('select from private.flow_run_jobs', 'the jobs are deleted with the runs');

select * from finish();
