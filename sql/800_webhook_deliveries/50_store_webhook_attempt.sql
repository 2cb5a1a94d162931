create function private.webhook_retry_delay(failures integer, retry_after_seconds integer)
returns interval
language plpgsql volatile security invoker
set search_path = ''
as $$
declare
  v_delays constant interval[] := '{5 seconds,5 minutes,30 minutes,2 hours,5 hours,10 hours,14 hours}';
  v_delay interval := v_delays[webhook_retry_delay.failures];
begin
  return greatest(
    -- Vary the delay by up to a tenth, so that deliveries that failed together are not tried again together.
    v_delay * (0.9 + 0.2 * random()),
    case when webhook_retry_delay.retry_after_seconds > 0
      then make_interval(secs => least(webhook_retry_delay.retry_after_seconds, 86400)) end
  );
end;
$$;
comment on function private.webhook_retry_delay(integer, integer) is
  'The delay after this number of failed attempts. If Retry-After asks for a longer delay, that delay applies, up to one day. The delays are the first seven in the example schedule of Standard Webhooks 1.0.0. Together they take about 32 hours.';

create function private.disable_gone_webhook(user_id uuid, url text)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Skip rows that other transactions have locked: two answers with 410 may come at the same time, and must not wait
  -- for each other. The next 410 from this address finds the skipped rows.
  update public.flow_deployments as d set on_end = null
  where d.id = any (array(
    select g.id from public.flow_deployments as g
    where g.user_id = disable_gone_webhook.user_id and g.on_end ->> 'url' = disable_gone_webhook.url
    for no key update skip locked
  ));
  update public.webhook_deliveries as d
  set status = 'failed', next_attempt_at = null, last_error = 'The address has answered another message with 410 Gone.'
  where d.id = any (array(
    select g.id from public.webhook_deliveries as g
    where g.user_id = disable_gone_webhook.user_id and g.status = 'pending' and not g.is_held
      and g.url = disable_gone_webhook.url
    for no key update skip locked
  ));
end;
$$;
comment on function private.disable_gone_webhook(uuid, text) is
  'Stops the outgoing webhooks of an owner to an address that answered 410 Gone. Removes on_end of the deployments that name the address, and marks the pending deliveries to this address as failed. Definer, because no API role may write deliveries.';

create function private.store_webhook_attempt(
  id uuid, attempt integer, http_status integer, response text, error text, retry_after_seconds integer
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_delivery public.webhook_deliveries;
  v_status text;
begin
  select d.* into v_delivery from public.webhook_deliveries as d
  where d.id = store_webhook_attempt.id and d.attempts = store_webhook_attempt.attempt and d.is_held
  for no key update;
  if not found then
    -- Another worker has claimed the delivery, or its run was deleted.
    return;
  end if;
  v_status := case
    when store_webhook_attempt.http_status between 200 and 299 then 'delivered'
    when store_webhook_attempt.http_status = 410 or v_delivery.attempts >= v_delivery.max_attempts then 'failed'
    else 'pending'
  end;
  update public.webhook_deliveries as d
  set
    status = v_status, is_held = false,
    next_attempt_at = case when v_status = 'pending'
      then clock_timestamp()
        + private.webhook_retry_delay(8 - d.max_attempts + d.attempts, store_webhook_attempt.retry_after_seconds)
    end,
    last_http_status = store_webhook_attempt.http_status, last_response = left(store_webhook_attempt.response, 1000),
    last_error = case when v_status <> 'delivered' then left(coalesce(
      store_webhook_attempt.error,
      case when store_webhook_attempt.http_status = 410 and v_delivery.event <> 'api_input'
        then 'The address answered with 410 Gone, so on_end was removed from the deployments that name this address.'
      end,
      format(
        'The address answered with the status %s, but a status from 200 to 299 is needed.', store_webhook_attempt.http_status
      )
    ), 1000) end
  where d.id = v_delivery.id;
  -- The address of an api_input may come from an input of the run, so the starter of the run may have chosen it. A
  -- 410 from this address must not disable the owner's webhooks.
  if store_webhook_attempt.http_status = 410 and v_delivery.event <> 'api_input' then
    perform private.disable_gone_webhook(v_delivery.user_id, v_delivery.url);
  end if;
end;
$$;
comment on function private.store_webhook_attempt(uuid, integer, integer, text, text, integer) is
  'Implements public.store_webhook_attempt. Definer, because no API role may write deliveries.';
grant execute on function private.store_webhook_attempt(uuid, integer, integer, text, text, integer) to service_role;

-- An answer with a status from 200 to 299 means that the message is delivered. A 410 ends the delivery. If on_end named
-- the address, a 410 also removes on_end of all deployments of the owner that name it. After any other result, the
-- delivery is tried again, but not before Retry-After. There are at most eight attempts, in about 32 hours. A report
-- about an older claim changes nothing.
create function public.store_webhook_attempt(
  id uuid, attempt integer, http_status integer default null, response text default null, error text default null,
  retry_after_seconds integer default null
)
returns void
language sql volatile security invoker
set search_path = ''
as $$
  select private.store_webhook_attempt(id, attempt, http_status, response, error, retry_after_seconds);
$$;
comment on function public.store_webhook_attempt(uuid, integer, integer, text, text, integer) is
  'For the runner: reports the result of a claimed delivery: the status and the beginning of the answer, or an error.';
grant execute on function public.store_webhook_attempt(uuid, integer, integer, text, text, integer) to service_role;
