select plan(18);

select test.create_user('owner'), test.create_user('starter');
select test.keep('flow', test.create_flow(test.user_id('owner'), test.inputs('item')));
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
update public.flow_deployments
set start_permission = 'Authenticated', max_runs_in_flight = 1, on_end = '{"url": "https://example.com/told", "events": ["failed"]}',
  fees = '[["da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs", 5]]', chain_network = '{"url": "https://example.com/secret", "cluster": "devnet"}';
select test.sign_in(test.user_id('starter'));
select test.keep('failed', public.start_deployment(id => test.kept('deployment')::uuid, inputs => '{"item": {"S": "tea"}}') ->> 'flow_run_id');
select test.claim_all();
select test.sign_out();
select private.store_transaction(test.kept('failed')::uuid, 1, test.transaction(test.kept('failed')::uuid, wire => 'AQID') || '{"has_fees": true}', '[]');
update private.flow_run_transactions set outcome = 'failed' where true;
select private.end_flow_run(test.kept('failed')::uuid, 'failed', errors => '{x}');
update public.flow_run set schedule_id = gen_random_uuid(), webhook_id = gen_random_uuid() where id = test.kept('failed')::uuid;
delete from public.flow_deployments where id = test.kept('deployment')::uuid;

-- A start by another user has reached the limit of the deployment. The owner can still redrive a run, because redrives
-- do not count towards this limit.
select test.sign_in(test.user_id('owner'));
select test.keep('redriven', public.redrive_flow_run(test.kept('failed')::uuid) ->> 'flow_run_id');
select test.sign_out();
create temporary view pair as
  select f as old, r as new, j as old_job, k as new_job
  from public.flow_run as f, public.flow_run as r, private.flow_run_jobs as j, private.flow_run_jobs as k
  where f.id = test.kept('failed')::uuid and r.id = test.kept('redriven')::uuid and j.flow_run_id = f.id and k.flow_run_id = r.id;
select is((new).redriven_from, (old).id, 'the redrive names the run') from pair;
select is(
  to_jsonb(new) - '{id,created_at,status,start_time,end_time,output,errors,not_run,redriven_from,schedule_id,webhook_id}'::text[],
  to_jsonb(old) - '{id,created_at,status,start_time,end_time,output,errors,not_run,redriven_from,schedule_id,webhook_id}'::text[], 'the redrive has the settings, inputs and starter of the run'
) from pair;
select is((new_job).snapshot_hash, (old_job).snapshot_hash, 'the redrive has the graph of the run') from pair;
select is((new_job).settings, (old_job).settings, 'the redrive has the settings of the run that the runner reads') from pair;
select is(num_nonnulls((new).schedule_id, (new).webhook_id), 0, 'the redrive was started by neither the schedule nor the webhook of the run') from pair;
select is((new_job).settings -> 'on_end', '{"url": "https://example.com/told", "events": ["failed"]}', 'on_end of the run applies to the redrive, too') from pair;
select is((new_job).counted_deployment_id, null, 'the redrive is a start by the owner and counts for no limit') from pair;
select is((new).fees, '[["da18mgixFBWYWT1xx4YoiGBpa24ZHhKZ3ETLeDpf8Bs", 5]]', 'the redrive pays fees that were not paid yet') from pair;
select is((new_job).redriven_from, array[(old).id], 'the redrive takes executions over from the run') from pair;

select is(array_agg(w.flow_run_id), array[(old).id], 'the failed run has made a message') from pair, public.webhook_deliveries as w group by (old).id;
-- No worker claimed the first redrive, so it took over nothing from the failed run. So the next redrive reads both: the
-- first redrive and the failed run.
select private.end_flow_run(test.kept('redriven')::uuid, 'stopped');
select test.sign_in(test.user_id('owner'));
select test.keep('second', public.redrive_flow_run(test.kept('redriven')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(
  j.redriven_from, array[test.kept('redriven'), test.kept('failed')]::uuid[], 'a redrive of a redrive that ended too early continues both runs'
) from private.flow_run_jobs as j where j.flow_run_id = test.kept('second')::uuid;
select test.claim_all();
select private.store_transaction(test.kept('second')::uuid, 1, test.transaction(test.kept('second')::uuid, 'b', wire => 'AQID') || '{"has_fees": true}', '[]');
update private.flow_run_transactions set outcome = 'confirmed', signature = repeat('1', 64) where flow_run_id = test.kept('second')::uuid;
select public.finish_flow_run(
  test.kept('second')::uuid, 1, 'failed', null, '{x}', null, test.progress(test.kept('second')::uuid) || '{"is_complete": true}'
);
select test.sign_in(test.user_id('owner'));
select test.keep('third', public.redrive_flow_run(test.kept('second')::uuid) ->> 'flow_run_id');
select test.sign_out();
select is(j.redriven_from, array[test.kept('second')]::uuid[], 'a redrive of a complete redrive continues only this run') from private.flow_run_jobs as j where j.flow_run_id = test.kept('third')::uuid;
select is(r.fees, '[]', 'fees that were paid are not due any more') from public.flow_run as r where r.id = test.kept('third')::uuid;
select is(j.settings -> 'fees', '[]', 'the settings for the runner have no fees either') from private.flow_run_jobs as j where j.flow_run_id = test.kept('third')::uuid;

-- Redrive again and again without a claim, until the next redrive would have to read more than four earlier runs.
do $$
declare
  v_id uuid := test.kept('third');
begin
  for v_round in 1..3 loop
    perform private.end_flow_run(v_id, 'stopped');
    perform test.sign_in(test.user_id('owner'));
    v_id := public.redrive_flow_run(v_id) ->> 'flow_run_id';
    perform test.sign_out();
  end loop;
  perform private.end_flow_run(v_id, 'stopped');
  perform test.keep('last', v_id);
end;
$$;
select test.sign_in(test.user_id('owner'));
select is(
  test.error(format('select public.redrive_flow_run(%L)', test.kept('last'))) - '{message,hint}'::text[],
  '{"code": "run_not_redrivable", "status": 409, "details": {"reason": "cut_short"}}', 'a run can''t be redriven if it would have to continue more than four runs'
);
select test.sign_out();

-- started_by becomes null when the starter is deleted. The run can still be redriven.
select test.sign_in(test.user_id('owner'));
select test.keep('deployment', test.deploy(test.kept('flow')::integer));
select test.start_and_keep('own', test.kept('deployment')::uuid);
select test.sign_out();
select private.end_flow_run(test.kept('own')::uuid, 'failed', errors => '{x}');
update public.flow_run set started_by = null where id = test.kept('own')::uuid;
select test.sign_in(test.user_id('owner'));
select test.keep('redriven', public.redrive_flow_run(test.kept('own')::uuid) ->> 'flow_run_id');
select is((select r.started_by from public.flow_run as r where r.id = test.kept('redriven')::uuid), null, 'the redrive then has no starter, either');
select is(
  test.error_code(format('select public.redrive_flow_run(%L, false, %L)', test.kept('own'), repeat('x', 256))), 'idempotency_key_invalid', 'a long idempotency key is refused'
);
select test.sign_in_as_role('anon');
select is(test.error_code(format('select public.redrive_flow_run(%L)', test.kept('own'))), 'unauthenticated', 'a caller who is not a user is refused');

select * from finish();
