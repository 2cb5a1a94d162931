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
    -- The address may be what was wrong.
    url = coalesce((select f.on_end ->> 'url' from public.flow_deployments as f where f.id = d.deployment_id), d.url),
    status = 'pending', max_attempts = d.attempts + 8, next_attempt_at = clock_timestamp(), is_held = false
  where d.id = redeliver_webhook.id and d.user_id = v_user_id and not (d.is_held and d.next_attempt_at > clock_timestamp());
  if found then
    perform private.check_quota('pending_webhooks', v_user_id);
  elsif not exists (select from public.webhook_deliveries as d where d.id = redeliver_webhook.id and d.user_id = v_user_id) then
    perform private.fail('webhook_delivery_not_found', 'There is no such delivery.');
  end if;
end;
$$;
comment on function private.redeliver_webhook(uuid) is 'Does what public.redeliver_webhook says. Definer: only functions write deliveries.';
grant execute on function private.redeliver_webhook(uuid) to anon, authenticated, service_role;

create function public.redeliver_webhook(id uuid)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.redeliver_webhook(redeliver_webhook.id);
$$;
comment on function public.redeliver_webhook(uuid) is
  'Has a webhook of the caller''s run posted once more, with the same webhook-id, whatever became of it: to the address in on_end of the deployment now, or the same one if there is none. It is retried like a new one. One that is under way stays as it is. 401; 404 webhook_delivery_not_found, also for somebody else''s; 409 quota_exceeded.';
grant execute on function public.redeliver_webhook(uuid) to anon, authenticated, service_role;
