-- The transaction that ends a run, or asks for signatures or for an input, also stores the message about this event.
-- Three functions call queue_webhook_deliveries: private.end_flow_runs (which ends all root runs),
-- private.store_signature_requests and private.store_api_inputs.

-- Stores every message, even if the owner's quota is used up. Claims check the quota later, so that a run never waits
-- for its messages.
create function private.queue_webhook_deliveries(news jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into public.webhook_deliveries (
    user_id, flow_run_id, deployment_id, is_started_by_owner, event, url, headers, payload
  )
  select
    r.user_id, r.id, r.deployment_id, r.started_by is not distinct from r.user_id and r.webhook_id is null, n.event,
    coalesce(n.url, j.settings -> 'on_end' ->> 'url'), coalesce(n.headers, '{}'),
    jsonb_build_object(
      'type', 'flow_run.' || n.event,
      'timestamp', to_jsonb(clock_timestamp()),
      'data', jsonb_build_object(
        'flow_run_id', r.id, 'deployment_id', r.deployment_id, 'flow_id', r.flow_id, 'schedule_id', r.schedule_id,
        'status', r.status,
        'created_at', r.created_at, 'start_time', r.start_time, 'end_time', r.end_time
      ) || n.data
    )
  from jsonb_to_recordset(queue_webhook_deliveries.news) as n (
    flow_run_id uuid, event text, data jsonb, url text, headers jsonb
  )
  join private.flow_run_jobs as j on j.flow_run_id = n.flow_run_id
  join public.flow_run as r on r.id = n.flow_run_id
  where n.url is not null or j.settings -> 'on_end' -> 'events' ? n.event;
end;
$$;
comment on function private.queue_webhook_deliveries(jsonb) is
  'Stores a message for each item of `news`, [{flow_run_id, event, data, url, headers}]. flow_run_id is a root run. If an item has no url, its message goes to the address in on_end, provided that on_end names the event. Definer, because no API role may write deliveries or access jobs.';

create function private.queue_end_webhooks(run_ids uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
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
  'Stores the messages about the ends of these root runs. A message contains neither outputs nor error texts; authorised receivers can read both from the run. Definer, because no API role may write deliveries.';

create function private.queue_signature_webhooks(run public.flow_run, request_ids bigint[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  if exists (
    select from private.flow_run_jobs as j
    where j.flow_run_id = run.id and jsonb_typeof(j.settings -> 'on_end') = 'object'
  ) then
    perform private.queue_webhook_deliveries(jsonb_build_array(jsonb_build_object(
      'flow_run_id', run.id, 'event', 'signature_request', 'data', jsonb_build_object('signature_requests', (
        select jsonb_agg(
          jsonb_build_object('id', s.id, 'kind', s.kind, 'pubkey', s.pubkey, 'expires_at', s.expires_at)
            order by s.created_at, s.id
        )
        from public.signature_requests as s where s.id = any (queue_signature_webhooks.request_ids)
      ))
    )));
  end if;
end;
$$;
comment on function private.queue_signature_webhooks(public.flow_run, bigint[]) is
  'Stores one message about all signatures that a transaction of a root run lacks. Definer, because no API role may write deliveries.';
