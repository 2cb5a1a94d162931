select plan(6);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.keep(name, public.start_deployment(id => test.kept('deployment')::uuid) ->> 'flow_run_id')
from unnest('{live,succeeded,failed,stopped,deleted}'::text[]) as name;
select test.sign_out();
update public.flow_run set status = 'succeeded', start_time = now(), end_time = now() where id = test.kept('succeeded')::uuid;
update public.flow_run set status = 'failed', errors = '{a failed}', end_time = now() where id = test.kept('failed')::uuid;
update public.flow_run set status = 'stopped', end_time = now() where id = test.kept('stopped')::uuid;
delete from public.flow_run where id = test.kept('deleted')::uuid;
select test.keep('ended', jsonb_agg(to_jsonb(r) order by r.id)) from public.flow_run as r where r.end_time is not null;
select is(count(*), 5::bigint, 'five messages wait') from pgmq.q_flow_runs;

select test.sign_in_as_role('service_role');
select results_eq(
  'select flow_run_id from public.claim_flow_runs(10, 0)', $$ values (test.kept('live')::uuid) $$,
  'only the run that has not ended is claimed'
);

select test.sign_out();
select results_eq(
  $$ select message ->> 'flow_run_id' from pgmq.q_flow_runs $$, $$ values (test.kept('live')) $$, 'the messages of the others are gone'
);
select is(jsonb_agg(to_jsonb(r) order by r.id), test.kept('ended')::jsonb, 'ended runs stay as they ended') from public.flow_run as r
where r.end_time is not null;
select results_eq(
  'select j.attempt, count(*) from private.flow_run_jobs as j group by 1 order by 1', 'values (0, 3::bigint), (1, 1)',
  'and their claims are not counted'
);

-- A deleted flow's or user's runs.
delete from auth.users where id = test.user_id('owner');
select test.sign_in_as_role('service_role');
select public.claim_flow_runs(10, 0);
select test.sign_out();
select is_empty('select * from pgmq.q_flow_runs', 'with their user the last message goes');

select * from finish();
