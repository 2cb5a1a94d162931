select plan(10);

select test.create_user('owner');
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.create_flow(test.user_id('owner'))));
select test.sign_out();

create function pg_temp.metric(name text) returns jsonb language sql as 'select public.runner_metrics() -> $1';

select is(
  public.runner_metrics(),
  '{"queue_length": 0, "oldest_queued_seconds": null, "delayed": 0, "running": 0, "waiting": 0, "blocked": 0, "failed_last_hour": 0, "pending_webhooks": 0}',
  'for an empty queue all counts are 0'
);

select test.sign_in(test.user_id('owner'));
select test.start_and_keep(name, test.kept('deployment')::uuid)
from unnest('{queued,held,lapsed,delayed,waiting,failed,failed_before,stopped,succeeded}'::text[]) as name;
select test.sign_out();

-- Claim all runs except `queued`. Then bring each run into the state that is its name.
create temporary view job as
  select j.*, r.name from private.flow_run_jobs as j
  join unnest('{queued,held,lapsed,delayed,waiting,failed,failed_before,stopped,succeeded}'::text[]) as r (name)
    on test.kept(r.name) = j.flow_run_id::text;
select public.claim_flow_runs(10, 60);
select public.release_flow_run(flow_run_id, 1, '{}') from job where name = 'queued';
update private.flow_run_jobs set due_at = clock_timestamp() - interval '90 seconds' where flow_run_id = test.kept('lapsed')::uuid;
select public.release_flow_run(flow_run_id, 1, '{}', 60) from job where name = 'delayed';
select test.ask(test.kept('waiting')::uuid, test.request());
select test.suspend(test.kept('waiting')::uuid);
select public.finish_flow_run(
  flow_run_id, 1, case name when 'failed_before' then 'failed' else name end, null,
  case when name in ('failed', 'failed_before', 'stopped') then '{a failed}'::text[] end, null, '{}'
)
from job where name in ('failed', 'failed_before', 'stopped', 'succeeded');
update private.flow_run_jobs set failed_at = failed_at - interval '59 minutes' where flow_run_id = test.kept('failed')::uuid;
update private.flow_run_jobs set failed_at = failed_at - interval '61 minutes' where flow_run_id = test.kept('failed_before')::uuid;
-- Called runs do not count separately from their roots.
insert into public.flow_run (user_id, flow_id, inputs, chain_network, status, start_time, end_time, errors, parent_flow_run_id, parent_node_id, parent_times)
select r.user_id, r.flow_id, r.inputs, r.chain_network, child.status, now(), child.end_time, child.errors, r.id, gen_random_uuid(), 0
from public.flow_run as r cross join (values
  ('waiting', null::timestamptz, null::text[]), ('failed', now(), '{b failed}')
) as child (status, end_time, errors)
where r.id = test.kept('waiting')::uuid;

select is(pg_temp.metric('queue_length'), '2', 'a new run and a run whose worker was lost are in the queue');
select ok((pg_temp.metric('oldest_queued_seconds'))::numeric between 90 and 100, 'the run that has waited longest determines the age');
select is(pg_temp.metric('delayed'), '1', 'one run was released for later');
select is(pg_temp.metric('running'), '1', 'a worker holds one run');
select is(pg_temp.metric('waiting'), '1', 'one run waits');
select is(pg_temp.metric('failed_last_hour'), '1', 'one run has failed in the last hour; an earlier failure and a stop do not count');

update private.flow_run_jobs set settings = settings || '{"on_end": {"url": "https://example.com/", "events": ["stopped"]}}' where flow_run_id in (test.kept('queued')::uuid, test.kept('held')::uuid);
select private.end_flow_run(test.kept(name)::uuid, 'stopped') from unnest('{queued,held}'::text[]) as name;
update public.webhook_deliveries set status = 'delivered', next_attempt_at = null where flow_run_id = test.kept('held')::uuid;
select is(pg_temp.metric('pending_webhooks'), '1', 'one webhook was not delivered yet');

select private.answer_signature_request(s.id, repeat('1', 64), null) from public.signature_requests as s;
select is(pg_temp.metric('waiting'), '0', 'a run whose signatures have come does not wait any more');
select is(pg_temp.metric('queue_length'), '2', 'it is in the queue');

select * from finish();
