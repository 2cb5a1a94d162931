create table private.last_webhook_claim (
  id boolean primary key default true,
  user_id uuid not null,
  constraint last_webhook_claim_single check (id)
);
comment on table private.last_webhook_claim is
  'One row: the last owner whose deliveries a claim searched. The next claim begins with the owner after this one, so that owners take turns.';

create function private.has_due_webhook()
returns boolean
language plpgsql stable security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  -- A constant is needed, because an index can't be searched for the result of a volatile function.
  v_now constant timestamptz := clock_timestamp();
begin
  return exists (select from public.webhook_deliveries as d where d.status = 'pending' and d.next_attempt_at <= v_now);
end;
$$;
comment on function private.has_due_webhook() is
  'Whether any delivery is due. Definer, because it reads deliveries of all users.';
grant execute on function private.has_due_webhook() to service_role;

create function private.claim_webhook_deliveries(max_deliveries integer, lease_seconds integer)
returns table (id uuid, attempt integer, url text, headers jsonb, body text)
language plpgsql volatile security definer
set search_path = ''
set enable_seqscan = off
as $$
declare
  v_now constant timestamptz := clock_timestamp();
  v_no_user_id constant uuid := '00000000-0000-0000-0000-000000000000';
  v_last_user_id uuid;
  v_user_id uuid;
  v_next_user_id uuid;
  v_next_at timestamptz;
  v_is_second_round boolean := false;
  v_ids uuid[] := '{}';
begin
  -- In most calls no delivery is due. Then this search of the index is all the work.
  if not private.has_due_webhook() then
    return;
  end if;
  -- Run only one claim at a time, so that each claim counts the posts that earlier claims began.
  perform pg_advisory_xact_lock(hashtext('private.claim_webhook_deliveries'));
  v_last_user_id := coalesce((select l.user_id from private.last_webhook_claim as l), v_no_user_id);
  v_user_id := v_last_user_id;
  -- Search at most a thousand owners, and skip owners whose pending deliveries are not due.
  for v_step in 1..1000 loop
    -- Search in the order of one index, so that the search reads one row for each owner.
    select d.user_id, d.next_attempt_at into v_next_user_id, v_next_at
    from public.webhook_deliveries as d where d.status = 'pending' and d.user_id > v_user_id
    order by d.user_id, d.next_attempt_at, d.id limit 1;
    if v_next_user_id is null and not v_is_second_round then
      v_is_second_round := true;
      v_user_id := v_no_user_id;
      continue;
    end if;
    exit when v_next_user_id is null or v_is_second_round and v_next_user_id > v_last_user_id;
    v_user_id := v_next_user_id;
    continue when v_next_at > v_now;
    v_ids := v_ids
      || private.due_webhooks_of(v_user_id, claim_webhook_deliveries.max_deliveries - cardinality(v_ids), v_now);
    exit when cardinality(v_ids) >= claim_webhook_deliveries.max_deliveries;
  end loop;
  insert into private.last_webhook_claim as l (user_id) values (v_user_id)
  on conflict on constraint last_webhook_claim_pkey do update set user_id = excluded.user_id;

  -- An attempt counts even if no worker has reported its result. So a delivery that crashes its workers is claimed only
  -- a limited number of times.
  update public.webhook_deliveries as d
  set status = 'failed', next_attempt_at = null, is_held = false,
    last_error = 'worker_lost: the workers that sent this message were lost'
  where d.id = any (v_ids) and d.attempts >= d.max_attempts + 8;
  return query
  with claimed as (
    update public.webhook_deliveries as d
    set
      attempts = d.attempts + 1, is_held = true, last_attempt_at = v_now,
      next_attempt_at = v_now + make_interval(secs => claim_webhook_deliveries.lease_seconds)
    where d.id = any (v_ids) and d.status = 'pending'
    returning d.*
  ), message as (
    select c.id, c.attempts, c.url, c.headers, c.payload::text as body,
      floor(extract(epoch from v_now))::bigint::text as sent_at,
      (c.payload #>> '{data,flow_id}')::integer as flow_id, j.chain_depth + 1 as chain_depth
    from claimed as c join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  )
  select m.id, m.attempts, m.url, m.headers || jsonb_build_object(
    'webhook-id', m.id, 'webhook-timestamp', m.sent_at,
    'webhook-signature', private.webhook_signature(concat_ws('.', m.id, m.sent_at, m.body), m.flow_id),
    'flow-chain-depth', m.chain_depth::text
  ), m.body
  from message as m
  order by array_position(v_ids, m.id);
end;
$$;
comment on function private.claim_webhook_deliveries(integer, integer) is
  'Implements public.claim_webhook_deliveries. Definer, because it reads deliveries of all users and private secrets.';
grant execute on function private.claim_webhook_deliveries(integer, integer) to service_role;

-- Claims up to max_deliveries due deliveries for lease_seconds. Owners take turns, and so do the deployments of an
-- owner. An owner has at most four posts under way, and at most three of them are about runs that others started.
-- `headers` has the delivery's own headers, the headers of Standard Webhooks, and Flow-Chain-Depth, by which
-- incoming webhooks detect loops. The signature is made for this attempt. Report the result to
-- store_webhook_attempt. If there is no report by the end of the lease, the delivery can be claimed again.
create function public.claim_webhook_deliveries(max_deliveries integer, lease_seconds integer)
returns table (id uuid, attempt integer, url text, headers jsonb, body text)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.claim_webhook_deliveries(max_deliveries, lease_seconds);
$$;
comment on function public.claim_webhook_deliveries(integer, integer) is
  'For the runner: claims up to max_deliveries due outgoing webhooks for lease_seconds, with the signed headers of this attempt. Owners and their deployments take turns. Report the result to store_webhook_attempt.';
grant execute on function public.claim_webhook_deliveries(integer, integer) to service_role;
