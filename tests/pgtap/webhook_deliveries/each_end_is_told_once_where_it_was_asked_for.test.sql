select plan(9);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('all', test.deploy_telling());
select test.keep('failures', test.deploy_telling('{failed}', 'http://127.0.0.1:9/failures'));
select test.keep('none', test.deploy(test.create_flow(test.user_id('owner'))));
select test.start_and_keep(name, test.kept(deployment)::uuid)
from (values ('succeeded', 'all'), ('failed', 'all'), ('stopped', 'all'), ('fine', 'failures'), ('bad', 'failures'), ('silent', 'none')) as r (name, deployment);
select test.start_and_keep('unclaimed', test.kept('all')::uuid);
select public.stop_flow_run(test.kept('unclaimed')::uuid);
-- Runs copied on_end at their start, so this update does not change their deliveries.
update public.flow_deployments set on_end = null where id = test.kept('failures')::uuid;
select test.sign_out();
select test.claim_all();

select public.finish_flow_runs((
  select jsonb_agg(jsonb_build_object(
    'flow_run_id', test.kept(e.name), 'claim_number', 1, 'status', e.status, 'errors', e.errors, 'output', '{"M": {"secret": {"S": "x"}}}'::jsonb,
    'not_run', '[]'::jsonb, 'progress', test.progress(test.kept(e.name)::uuid)
  ))
  from (values
    ('succeeded', 'succeeded', null::text[]), ('failed', 'failed', array['my node ' || gen_random_uuid() || '#2: input_expired: 500 secret']),
    ('stopped', 'stopped', array['canceled']), ('fine', 'succeeded', null), ('bad', 'failed', '{no code here}'), ('silent', 'failed', '{a}')
  ) as e (name, status, errors)
));
select results_eq(
  $$ select d.flow_run_id, d.event, d.url from public.webhook_deliveries as d order by d.event, d.url desc, d.flow_run_id $$,
  $$ select test.kept(name)::uuid, event, url from (values
    ('bad', 'failed', 'http://127.0.0.1:9/failures'), ('failed', 'failed', 'https://example.com/hook'),
    ('stopped', 'stopped', 'https://example.com/hook'), ('succeeded', 'succeeded', 'https://example.com/hook'),
    ('unclaimed', 'stopped', 'https://example.com/hook')
  ) as t (name, event, url) order by event, url desc, test.kept(name)::uuid $$,
  'each end of a run sends the messages that on_end named when the run started'
);
select is(
  (select d.payload - 'timestamp' from public.webhook_deliveries as d where d.flow_run_id = test.kept('failed')::uuid),
  (
    select jsonb_build_object('type', 'flow_run.failed', 'data', jsonb_build_object(
      'flow_run_id', r.id, 'deployment_id', r.deployment_id, 'flow_id', r.flow_id, 'schedule_id', null, 'status', 'failed',
      'error_code', 'input_expired', 'created_at', r.created_at, 'start_time', r.start_time, 'end_time', r.end_time
    ))
    from public.flow_run as r where r.id = test.kept('failed')::uuid
  ),
  'the message has ids, times, status and code'
);
select is(
  (select (d.payload ->> 'timestamp')::timestamptz between r.end_time and clock_timestamp() from public.webhook_deliveries as d
    join public.flow_run as r on r.id = d.flow_run_id where r.id = test.kept('failed')::uuid),
  true, 'the timestamp is the time of the event'
);
select is_empty($$ select from public.webhook_deliveries as d where d.payload::text like '%secret%' $$, 'messages contain neither outputs nor error texts');
select results_eq(
  $$ select d.payload #> '{data,error_code}' from public.webhook_deliveries as d where d.event <> 'failed' or d.url like '%failures' group by 1 $$,
  $$ values ('null'::jsonb) $$, 'the code is null if the error has no code'
);
select is(
  (select count(*) from public.webhook_deliveries as d where d.status = 'pending' and d.attempts = 0 and d.next_attempt_at <= clock_timestamp()), 5::bigint,
  'all messages are due at once'
);

select is(
  (select array_agg(d.user_id) from (select distinct w.user_id from public.webhook_deliveries as w) as d), array[test.user_id('owner')], 'the deliveries belong to the owner of the flow'
);

delete from public.flow_run where id = test.kept('bad')::uuid;
select is_empty($$ select from public.webhook_deliveries as d where d.event = 'failed' and d.url like '%failures' $$, 'a delivery is deleted with its run');
select lives_ok($$ delete from auth.users where id = test.user_id('owner') $$, 'the owner can be deleted, with the deliveries');

select * from finish();
