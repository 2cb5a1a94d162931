create function private.redeliver_webhook(id uuid)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.require_user();
begin
  update public.webhook_deliveries as d
  set
    -- Use the address that on_end of the deployment has now, because the owner may have corrected it. A message of the
    -- event api_input has an address of its own, and keeps it.
    url = coalesce((
      select f.on_end ->> 'url' from public.flow_deployments as f
      where f.id = d.deployment_id and d.event <> 'api_input'
    ), d.url),
    status = 'pending', max_attempts = d.attempts + 8, next_attempt_at = clock_timestamp(), is_held = false
  where d.id = redeliver_webhook.id and d.user_id = v_user_id
    and not (d.is_held and d.next_attempt_at > clock_timestamp());
  if found then
    perform private.check_quota('pending_webhooks', v_user_id);
  elsif not exists (
    select from public.webhook_deliveries as d where d.id = redeliver_webhook.id and d.user_id = v_user_id
  ) then
    perform private.fail('webhook_delivery_not_found', 'There is no such delivery.');
  end if;
end;
$$;
comment on function private.redeliver_webhook(uuid) is
  'Implements public.redeliver_webhook. Definer, because no API role may write deliveries.';
grant execute on function private.redeliver_webhook(uuid) to anon, authenticated, service_role;

-- Posts to the address that on_end of the deployment has now, or to the old address if on_end is null. A message of the
-- event api_input has an address of its own, and goes there again. The delivery gets as many attempts as a new one. If
-- a worker is making an attempt now, this call changes nothing.
create function public.redeliver_webhook(id uuid)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.redeliver_webhook(id);
$$;
comment on function public.redeliver_webhook(uuid) is
  'Posts an outgoing webhook of the caller''s run again, with the same webhook-id, even if it was delivered or has failed. 401; 404 webhook_delivery_not_found, also for another user''s delivery; 409 quota_exceeded.';
grant execute on function public.redeliver_webhook(uuid) to anon, authenticated, service_role;
