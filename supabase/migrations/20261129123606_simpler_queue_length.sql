SET local check_function_bodies = off;

DROP FUNCTION "private"."await_queue_check"();

DROP FUNCTION "private"."is_queue_count_due"();

DROP FUNCTION "private"."lock_queue_check"(boolean);

DROP FUNCTION "private"."queue_clock"();

DROP SEQUENCE "private"."limited_starts";

DROP SEQUENCE "private"."queue_check_start";

DROP SEQUENCE "private"."queue_refused_owner";

CREATE OR REPLACE FUNCTION private.admit_start (
  deployment public.flow_deployments,
  caller     private.caller,
  runs       integer
)
  RETURNS text[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_shares text[];
begin
  -- While the queue has room, on average one of max_queue_length / 100 starts counts its runs. The limit is read here,
  -- because a call of private.max_queue_length() would take most of the time of this check.
  if admit_start.runs > 0 and (
    pg_sequence_last_value('private.queue_full_until') > 0
    or random() * coalesce((select s.max_length from private.queue_settings as s), private.limit_queue_length()) < 100
  ) then
    perform private.check_queue_length(admit_start.deployment.user_id);
  end if;
  -- A start by a webhook has the owner's user id, but anybody with the webhook's URL may make it. So starts by webhooks
  -- are counted.
  if admit_start.deployment.user_id is distinct from admit_start.caller.user_id
    or admit_start.caller.webhook_id is not null then
    v_shares := private.start_shares(admit_start.caller);
  end if;
  if v_shares is not null then
    perform private.count_start(admit_start.deployment, v_shares, admit_start.runs);
  end if;
  return v_shares;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_queue_length (
  owner_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_length integer := private.max_queue_length();
  v_now bigint := extract(epoch from clock_timestamp()) * 1000;
  v_length integer;
begin
  if coalesce(pg_sequence_last_value('private.queue_full_until'), 0) <= v_now then
    -- The time is in a sub-select, so that Postgres uses the index and does not read jobs that are due later.
    select count(*) into v_length
    from (
      select from private.flow_run_jobs as j where j.state in ('ready', 'lost')
      union all
      select from private.flow_run_jobs as j
      where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
      union all
      select from private.flow_run_jobs as j where j.claim_number = 0 and j.state in ('blocked', 'sleeping')
      limit v_max_length
    ) as queued;
    if v_length < v_max_length then
      perform setval('private.queue_full_until', 0);
      return;
    end if;
    -- The higher the limit, the longer a count takes. So the result holds for v_max_length / 100 milliseconds.
    perform setval('private.queue_full_until', v_now + v_max_length / 100);
  end if;
  perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_if_owner_fills_queue (
  owner_id   uuid,
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_share integer := ceil(refuse_if_owner_fills_queue.max_length / 10.0);
  v_count integer;
begin
  -- Counts at most v_share runs, by indexes. Runs that wait because of a limit by key count, too.
  select count(*) into v_count
  from (
    (
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.state in ('ready', 'lost')
      order by j.turn limit v_share
    )
    union all
    select from private.flow_run_jobs as j
    where j.user_id = refuse_if_owner_fills_queue.owner_id and j.claim_number = 0 and j.state in ('blocked', 'sleeping')
    limit v_share
  ) as own;
  if v_count >= v_share then
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.set_max_queue_length (
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if coalesce(set_max_queue_length.max_length < 0, true) then
    perform private.fail('request_invalid', 'max_length must be an integer from 0 to 2^31-1.');
  end if;
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts the queue.
  perform setval('private.queue_full_until', 1);
end;
$function$;

COMMENT ON SEQUENCE "private"."queue_full_until" IS 'A time in milliseconds since 1970; 0 while the queue has room. Until this time, starts assume that the queue is full, because a count found it full. After this time, each start counts the runs again.';
