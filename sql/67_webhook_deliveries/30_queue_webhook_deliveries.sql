-- Called by the transaction that has the news: private.end_flow_runs, the one place where root runs end, and
-- private.store_signature_requests. Both know without another look whether the run has on_end.

create function private.queue_webhook_deliveries(news jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while the tables were empty.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  with told as materialized (
    select r.user_id, r.id as flow_run_id, r.deployment_id, n.event, j.on_end ->> 'url' as url, jsonb_build_object(
      'type', 'flow_run.' || n.event,
      'timestamp', to_jsonb(clock_timestamp()),
      'data', jsonb_build_object(
        'flow_run_id', r.id, 'deployment_id', r.deployment_id, 'flow_id', r.flow_id, 'schedule_id', r.schedule_id, 'status', r.status,
        'created_at', r.created_at, 'start_time', r.start_time, 'end_time', r.end_time
      ) || n.data
    ) as payload
    from jsonb_to_recordset(queue_webhook_deliveries.news) as n (flow_run_id uuid, event text, data jsonb)
    join private.flow_run_jobs as j on j.flow_run_id = n.flow_run_id
    join public.flow_run as r on r.id = n.flow_run_id
    where j.on_end -> 'events' ? n.event
  ), owner as materialized (
    select o.user_id, private.quota_use('pending_webhooks', o.user_id) >= private.quota('pending_webhooks') as is_full
    from (select distinct t.user_id from told as t) as o
  )
  insert into public.webhook_deliveries (user_id, flow_run_id, deployment_id, event, url, payload, status, next_attempt_at, last_error)
  select
    t.user_id, t.flow_run_id, t.deployment_id, t.event, t.url, t.payload,
    case when o.is_full then 'failed' else 'pending' end, case when not o.is_full then clock_timestamp() end,
    case when o.is_full then 'quota_exceeded: as many webhooks as a user may have are pending' end
  from told as t join owner as o on o.user_id = t.user_id;
end;
$$;
comment on function private.queue_webhook_deliveries(jsonb) is
  'Stores the messages that on_end of runs asks for, of the news [{flow_run_id, event, data}]. A run never waits or fails because of them: what an owner''s quota has no room for is stored as failed. Definer: only functions write deliveries, and jobs are private.';

create function private.queue_end_webhooks(run_ids uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
begin
  perform private.queue_webhook_deliveries((
    select jsonb_agg(jsonb_build_object(
      'flow_run_id', r.id, 'event', r.status, 'data', jsonb_build_object('error_code', r.error_code)
    ))
    from public.flow_run as r where r.id = any (queue_end_webhooks.run_ids)
  ));
end;
$$;
comment on function private.queue_end_webhooks(uuid[]) is
  'Stores the messages that say how these root runs ended. Neither outputs nor texts of errors are told: whoever is to know them reads the run. Definer: only functions write deliveries.';

create function private.queue_signature_webhooks(run public.flow_run, request_ids uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (select from private.flow_run_jobs as j where j.flow_run_id = run.id and j.on_end is not null) then
    perform private.queue_webhook_deliveries(jsonb_build_array(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'signature_request', 'data', jsonb_build_object('signature_requests', (
        select jsonb_agg(jsonb_build_object('id', s.id, 'pubkey', s.pubkey, 'expires_at', s.expires_at) order by s.id)
        from public.signature_requests as s where s.id = any (queue_signature_webhooks.request_ids)
      ))
    )));
  end if;
end;
$$;
comment on function private.queue_signature_webhooks(public.flow_run, uuid[]) is
  'Stores the message that a root run asks for these signatures: one for all that a transaction lacks. Definer: only functions write deliveries.';
