select plan(12);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.deploy_limited();
select test.start_and_keep('own', test.kept('deployment')::uuid);
select is(test.in_flight(), 0::bigint, 'runs of the owner do not count');

select test.sign_in_as_role('anon');
select test.keep(name, test.start_by_key())
from unnest('{finished,failed,lost,stopped,deleted,waiting}'::text[]) as name;
select is(test.in_flight(), 6::bigint, 'runs that others started count');

select test.sign_in_as_role('service_role');
select public.claim_flow_runs(100, 60, max_lost_claims => null);
select is(test.in_flight(), 6::bigint, 'runs that a worker holds count, too');
select public.finish_flow_run(test.kept('finished')::uuid, 1, 'succeeded', '{"M": {}}', null, null, test.progress(test.kept('finished')::uuid));
select is(test.in_flight(), 5::bigint, 'a run that has succeeded does not count any more');
select public.finish_flow_run(
  test.kept('failed')::uuid, 1, 'failed', '{"M": {}}', '{it failed}', null,
  test.progress(test.kept('failed')::uuid, children => jsonb_build_array(
    test.child(gen_random_uuid(), test.kept('failed')::uuid, (select f.id from public.flows as f))
  ))
);
select is(test.in_flight(), 4::bigint, 'a run that has failed does not count any more, and its called runs never did');
select public.suspend_flow_run(test.kept('waiting')::uuid, 1, test.progress(test.kept('waiting')::uuid));
select is(test.in_flight(), 4::bigint, 'a waiting run counts');

select test.sign_out();
select private.end_flow_run(test.kept('lost')::uuid, 'failed', null, '{worker_lost}', null);
select is(test.in_flight(), 3::bigint, 'a run that lost its workers does not count any more');
select private.end_flow_run(test.kept('stopped')::uuid, 'stopped', null, null, null);
select is(test.in_flight(), 2::bigint, 'a stopped run does not count any more');
delete from public.flow_run as r where r.id = test.kept('deleted')::uuid;
select is(test.in_flight(), 1::bigint, 'a deleted run does not count any more');

update public.flow_run as r set end_time = now() - interval '31 days' where r.end_time is not null;
select private.sweep_runner();
select is(test.in_flight(), 1::bigint, 'a sweep changes nothing, because it deletes only runs that have ended');

select private.end_flow_run(test.kept('own')::uuid, 'stopped', null, null, null);
select is(test.in_flight(), 1::bigint, 'the end of a run of the owner changes nothing');
select private.end_flow_run(test.kept('waiting')::uuid, 'stopped', null, null, null);
select is(test.in_flight(), 0::bigint, 'when all runs have ended, no run counts');

select * from finish();
