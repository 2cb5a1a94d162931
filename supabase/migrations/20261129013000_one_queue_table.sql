SET local check_function_bodies = off;

-- The queue moves from the table pgmq.q_flow_runs into private.flow_run_jobs. Until this transaction commits, starts,
-- claims and writes of workers wait. A call that has already begun to wait for the old queue fails once.
--
-- Heartbeats lock the jobs before the messages, and waiting claims read the messages. So wait for the messages first.
-- Then another transaction may have locked jobs and wait for the messages: release both, and try again.
DO $$
BEGIN
  FOR try IN 1..1000 LOOP
    BEGIN
      LOCK TABLE pgmq.q_flow_runs IN ACCESS EXCLUSIVE MODE;
      LOCK TABLE private.flow_run_jobs IN ACCESS EXCLUSIVE MODE NOWAIT;
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.01);
    END;
  END LOOP;
  RAISE EXCEPTION 'The queue is in use: stop the workers for a moment, then apply this migration again.';
END
$$;

DROP TRIGGER "_500_delete_message" ON "private"."flow_run_jobs";

DROP TRIGGER "flow_run_jobs_count_delete" ON "private"."flow_run_jobs";

DROP TRIGGER "flow_run_jobs_count_end" ON "private"."flow_run_jobs";

DROP INDEX "private"."flow_run_jobs_redriven_idx_pending";

DROP INDEX "private"."flow_run_jobs_sleeps_until_idx";

DROP INDEX "private"."flow_run_jobs_user_id_idx_pending";

DROP VIEW "private"."awake_jobs";

DROP FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, boolean, bigint);

DROP FUNCTION "private"."delete_stray_messages"(integer);

DROP FUNCTION "private"."end_claim"(uuid, integer);

DROP FUNCTION "private"."end_flow_runs"(uuid[], bigint[], jsonb);

DROP FUNCTION "private"."has_claimable_run"(interval);

DROP FUNCTION "private"."is_queue_count_due"(bigint);

DROP FUNCTION "private"."lock_next_flow_runs"(integer, uuid[], uuid);

DROP FUNCTION "private"."lock_queued_run"(uuid);

DROP FUNCTION "private"."next_owners"(uuid, integer, uuid[]);

DROP FUNCTION "private"."set_visible_after"(bigint[], integer);

DROP FUNCTION "private"."store_job_progress"(uuid, jsonb);

DROP FUNCTION "private"."tg_flow_run_jobs__after_delete"();

DROP FUNCTION "private"."wake_due_flow_runs"();

CREATE TYPE "private"."job_state" AS ENUM (
  'ready',
  'lost',
  'held',
  'sleeping',
  'waiting',
  'ended'
);

-- These defaults are constants, so the rows of ended runs are not written.
ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_asleep_while_nobody_holds_it",
  DROP CONSTRAINT "flow_run_jobs_held_while_pending",
  DROP COLUMN "turn",
  ADD COLUMN "state" private.job_state NOT NULL DEFAULT 'ended'::private.job_state,
  ADD COLUMN "due_at" timestamp WITH time zone,
  ADD COLUMN "turn" timestamp WITH time zone NOT NULL DEFAULT '-infinity';

-- A run whose message was deleted by hand can be claimed again. Within an owner, the ready runs keep their order,
-- because the time from which a message is visible increases with its place.
UPDATE private.flow_run_jobs AS j
SET
  state = CASE
    WHEN p.is_visible AND j.is_held THEN 'lost'
    WHEN p.is_visible THEN 'ready'
    WHEN j.is_held THEN 'held'
    WHEN p.status = 'waiting' THEN 'waiting'
    ELSE 'sleeping'
  END::private.job_state,
  due_at = CASE WHEN j.is_held OR NOT p.is_visible THEN coalesce(p.vt, now()) END,
  turn = CASE WHEN p.is_visible AND NOT j.is_held THEN coalesce(p.vt, p.created_at) ELSE p.created_at END
FROM (
  SELECT pending.flow_run_id, r.status, r.created_at, m.vt, m.vt IS NULL OR m.vt <= now() AS is_visible
  FROM private.flow_run_jobs AS pending
  JOIN public.flow_run AS r ON r.id = pending.flow_run_id
  LEFT JOIN pgmq.q_flow_runs AS m ON m.msg_id = pending.message_id
  WHERE pending.message_id IS NOT NULL
) AS p
WHERE j.flow_run_id = p.flow_run_id;

ALTER TABLE "private"."flow_run_jobs"
  DROP COLUMN "is_held",
  DROP COLUMN "message_id",
  DROP COLUMN "sleeps_until",
  ALTER COLUMN "state" SET DEFAULT 'ready'::private.job_state,
  ALTER COLUMN "turn" SET DEFAULT clock_timestamp();

DROP TABLE "private"."last_claim";

DROP SEQUENCE "private"."queue_check_message";

SELECT pgmq.drop_queue('flow_runs');

-- Other parts of a project may use pgmq. If no queue is left, nothing does.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pgmq.meta) THEN
    DROP EXTENSION pgmq;
  END IF;
EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN
  RAISE NOTICE 'The extension pgmq stays, because other objects depend on it or another role owns it.';
END
$$;

CREATE SEQUENCE "private"."last_owner" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE SEQUENCE "private"."limited_starts" AS bigint INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1 NO CYCLE;

CREATE SEQUENCE "private"."queue_check_start" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE OR REPLACE FUNCTION private.admit_start (
  deployment public.flow_deployments,
  caller     private.caller,
  is_by_node boolean
)
  RETURNS text[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_shares text[];
begin
  -- A start by a webhook has the owner's user id, but anybody with the webhook's URL may make it. So starts by webhooks
  -- are counted.
  if admit_start.deployment.user_id is distinct from admit_start.caller.user_id
    or admit_start.caller.webhook_id is not null then
    v_shares := private.start_shares(admit_start.caller);
  end if;
  if (v_shares is not null or admit_start.is_by_node) and private.is_queue_count_due() then
    perform private.check_queue_length(admit_start.deployment.user_id);
  end if;
  if v_shares is not null then
    perform private.count_start(admit_start.deployment, v_shares);
  end if;
  return v_shares;
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_input (
  token           text,
  outcome         text,
  value           jsonb,
  idempotency_key text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_answer private.api_inputs;
  v_stored private.api_inputs;
begin
  v_answer.token_hash := sha256(convert_to(answer_input.token, 'UTF8'));
  v_answer.outcome := answer_input.outcome;
  v_answer.value := answer_input.value;
  v_answer.idempotency_key_hash := sha256(convert_to(answer_input.idempotency_key, 'UTF8'));
  -- Lock the job first, as claims, stops and ends of runs do. So if two answers arrive at once, the second sees the
  -- outcome of the first.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = (
    select a.root_flow_run_id from private.api_inputs as a where a.token_hash = v_answer.token_hash
  )
  for no key update;
  select a.* into v_stored from private.api_inputs as a where a.token_hash = v_answer.token_hash;

  if v_stored.outcome in ('submitted', 'cancelled') then
    if (v_stored.outcome, v_stored.value, v_stored.idempotency_key_hash) is not distinct from (v_answer.outcome,
      v_answer.value, v_answer.idempotency_key_hash)
      and answer_input.idempotency_key is not null
    then
      return;
    end if;
    perform private.fail('pending_input_answered',
      'This input was already submitted or cancelled: its URL works only once.',
      hint => 'Send requests with an Idempotency-Key: then you can repeat a request whose response was lost.');
  end if;
  if v_stored.id is null or not private.end_open_input(v_stored.root_flow_run_id, v_answer) then
    perform private.fail_for_unknown_input();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.answer_signature_request (
  id        bigint,
  signature text,
  new_msg   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := (
    select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id
  );
  v_request public.signature_requests;
begin
  -- Lock the job first, as claims, stops and suspensions do. So if two answers arrive at once, the second sees the
  -- first. If a worker suspends the run at the same time, either the suspension sees this answer, or this answer wakes
  -- the run.
  perform from private.flow_run_jobs as j where j.flow_run_id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail('signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answerable(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.wake_flow_run(v_run_id);
  end if;
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
  v_max_length integer;
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_is_counting boolean;
  v_start bigint;
  v_length integer;
begin
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, private.max_queue_length());
    return;
  end if;
  -- If the last count found room, and another transaction is counting now, this start succeeds without waiting for the
  -- result. The limit may be exceeded by a hundredth anyway, and few runs start during a count.
  v_is_counting := private.lock_queue_check(wait => false);
  if not v_is_counting then
    if not v_was_full then
      return;
    end if;
    perform private.await_queue_check();
  end if;
  -- Read the limit, and read the sequences again: another transaction may have changed them while it held the lock.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  v_start := coalesce(pg_sequence_last_value('private.limited_starts'), 0);
  if v_start < pg_sequence_last_value('private.queue_check_start') then
    return;
  end if;
  -- The transaction that held the lock did not count, so this start still treats the queue as full. The next start
  -- counts the queue.
  if not v_is_counting then
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
    return;
  end if;
  -- The time is in a sub-select, so that Postgres uses the index and does not read jobs that are due later.
  select count(*) into v_length
  from (
    select from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union all
    select from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
    limit v_max_length
  ) as queued;
  -- The higher the limit, the longer a count takes, so counts are rarer. While the queue has room, the next count comes
  -- after v_max_length / 100 starts. While the queue is full, the next count comes after v_max_length / 100
  -- milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_refused_owner', 0),
      setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_if_owner_fills_queue(check_queue_length.owner_id, v_max_length);
  else
    perform setval('private.queue_full_until', 0),
      setval('private.queue_check_start', v_start + greatest(v_max_length / 100, 1));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.checkpoint_flow_run (
  flow_run_id   uuid,
  claim_number  integer,
  lease_seconds integer,
  progress      jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.claim_number, checkpoint_flow_run.progress
  );
  perform private.store_job_progress(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress, 'held', checkpoint_flow_run.lease_seconds
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs          integer,
  lease_seconds     integer,
  known_snapshots   text[],
  max_lost_claims   integer,
  wait_ms           integer,
  owners_with_slots uuid[]  DEFAULT NULL::uuid[]
)
  RETURNS TABLE (
    flow_run_id          uuid,
    claim_number         integer,
    lost_claim_count     integer,
    flow_id              integer,
    user_id              uuid,
    started_by           text,
    inputs               jsonb,
    settings             jsonb,
    snapshot_hash        text,
    snapshot             text,
    work_ms              bigint,
    stop                 jsonb,
    output_bytes         bigint,
    earlier_output_bytes bigint
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET enable_bitmapscan TO 'off'
  SET enable_sort TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  v_began timestamptz := clock_timestamp();
  v_waited_seconds double precision;
  v_tries integer := 0;
  v_run_ids uuid[];
begin
  -- Wait until a run is claimable. Each pass reads two entries of indexes, and locks no row.
  while not private.has_claimable_run() loop
    v_waited_seconds := date_part('epoch', clock_timestamp() - v_began);
    if (v_waited_seconds * 1000 < claim_flow_runs.wait_ms) is not true
      -- Only one claim waits at a time, because a waiting claim holds a connection that starts could use.
      or not pg_try_advisory_xact_lock(hashtext('private.claim_flow_runs'), 1)
    then
      return;
    end if;
    perform pg_sleep(greatest(v_waited_seconds / 20, 0.001));
  end loop;
  loop
    v_run_ids := private.take_jobs(
      claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.max_lost_claims,
      claim_flow_runs.owners_with_slots
    );
    exit when v_run_ids <> '{}' or claim_flow_runs.max_runs = 0;
    -- If runs are claimable, but other transactions have locked their jobs, most of these are claims, which end within
    -- milliseconds. They may leave runs, so try again. Otherwise the worker would think that the queue is empty.
    v_tries := v_tries + 1;
    if v_tries > 20 or not private.has_claimable_run(claim_flow_runs.owners_with_slots) then
      return;
    end if;
    perform pg_sleep(0.001);
  end loop;

  return query
  with started as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    where r.id = any (v_run_ids) and r.status <> 'running'
    returning private.announce_run_news(r.id, 'events')
  )
  select
    r.id, j.claim_number, j.lost_claim_count, r.flow_id, r.user_id,
    coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    j.settings,
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null
      else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    j.output_bytes,
    case when j.redriven_from is not null or j.settings #> '{partial_config,runs}' <> '{}' then (
      -- A redrive also reads the inputs of the earlier runs. The inputs are assumed to be as large as the outputs.
      select coalesce(sum(e.output_bytes), 0)::bigint * case when j.redriven_from is null then 1 else 2 end
      from private.flow_run_jobs as e
      where e.flow_run_id = any (j.redriven_from || array(
        select distinct n.run_id::uuid
        from jsonb_each_text(j.settings #> '{partial_config,runs}') as n (node_id, run_id)
      ))
    ) end
  from unnest(v_run_ids) with ordinality as t (flow_run_id, place)
  join private.flow_run_jobs as j on j.flow_run_id = t.flow_run_id
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  order by t.place;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_token_claims (
  token text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_signature constant text := right(claim_token_claims.token, 64);
  v_signed constant text := left(claim_token_claims.token, -65);
  v_parts constant text[] := string_to_array(v_signed, '_');
  v_run_id uuid;
  v_claims jsonb;
begin
  if claim_token_claims.token !~ '^fc_[0-9a-f]{32}_[0-9]{1,10}_[0-9]{1,12}_[0-9a-f]{64}$' then
    perform private.fail('token_invalid', 'The claim token is malformed.');
  end if;
  if not private.is_signed(convert_to(v_signed, 'UTF8'), decode(v_signature, 'hex')) then
    perform private.fail('token_invalid', 'The claim token is not valid: it was changed, or is of another project.');
  end if;
  if to_timestamp(v_parts[4]::bigint) <= clock_timestamp() then
    perform private.fail('token_invalid', 'The claim token has expired.');
  end if;
  v_run_id := v_parts[2];
  -- If the owner of the run is banned, the token is refused. In the same way, Auth issues no access tokens to a banned
  -- user.
  select jsonb_build_object(
    'sub', u.id, 'role', 'authenticated', 'aud', 'authenticated', 'is_anonymous', u.is_anonymous,
    'claimed_run_id', v_run_id, 'chain_depth', j.chain_depth + 1
  ) into v_claims
  from private.flow_run_jobs as j
  join auth.users as u on u.id = j.user_id and u.deleted_at is null and u.banned_until > now() is not true
  where j.flow_run_id = v_run_id and j.claim_number = v_parts[3]::integer and j.state in ('held', 'lost');
  if v_claims is null then
    perform private.fail('token_invalid',
      'The claim of this token is over: the run has ended, was released or claimed again, '
        'or its owner has been deleted or banned.'
    );
  end if;
  return v_claims;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claimable_since (
  job private.flow_run_jobs
)
  RETURNS timestamp WITH time zone
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((job).state = 'ready'::private.job_state) THEN (job).turn
             ELSE (job).due_at
         END
  AS due_at;
END;

CREATE OR REPLACE FUNCTION private.end_claim (
  flow_run_id   uuid,
  progress      jsonb,
  delay_seconds integer,
  delayed_state private.job_state
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_is_delayed boolean := end_claim.delay_seconds > 0;
  v_is_told boolean;
begin
  if v_is_delayed then
    -- If the run must stop, or if one of its inputs was answered, the run must not sleep now. The stop or the answer
    -- arrived while the worker held the run, so it did not wake the run.
    select j.stop_requested_at is null and not j.has_ended_inputs into v_is_delayed
    from private.flow_run_jobs as j where j.flow_run_id = end_claim.flow_run_id;
  end if;
  if v_is_delayed then
    return private.store_job_progress(
      end_claim.flow_run_id, end_claim.progress, end_claim.delayed_state, end_claim.delay_seconds
    );
  end if;
  v_is_told := private.announce_claimable_run();
  return private.store_job_progress(end_claim.flow_run_id, end_claim.progress, 'ready', null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_run (
  flow_run_id uuid,
  status      text,
  output      jsonb  DEFAULT NULL::jsonb,
  errors      text[] DEFAULT NULL::text[],
  not_run     uuid[] DEFAULT NULL::uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.end_flow_runs(
    array[end_flow_run.flow_run_id],
    jsonb_build_array(jsonb_build_object(
      'flow_run_id', end_flow_run.flow_run_id, 'status', end_flow_run.status, 'output', end_flow_run.output,
      'errors', end_flow_run.errors, 'not_run', end_flow_run.not_run
    ))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_runs (
  run_ids uuid[],
  results jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  v_has_called_runs boolean;
  v_has_requests boolean;
  v_told_ids uuid[];
  v_has_inputs boolean;
begin
  -- Runs end in the order of run_ids. At the commit, the ended runs are subtracted from the usage of their
  -- deployments in the same order.
  with result as materialized (
    select f.*
    from jsonb_to_recordset(end_flow_runs.results) as f (
      flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    where f.flow_run_id = any (end_flow_runs.run_ids)
    order by array_position(end_flow_runs.run_ids, f.flow_run_id)
  ), ended_run as (
    update public.flow_run as r
    set
      status = f.status, output = coalesce(f.output, '{"M": {}}'), errors = f.errors,
      error_code = private.error_code(f.errors[1]), not_run = coalesce(f.not_run, private.nodes_not_run(r, r.id)),
      end_time = clock_timestamp()
    from result as f
    where r.id = f.flow_run_id and r.id = any (end_flow_runs.run_ids) and r.end_time is null
  ), ended_job as (
    update private.flow_run_jobs as j
    set
      state = 'ended', due_at = null,
      work_ms = greatest(j.work_ms, (f.progress ->> 'work_ms')::bigint),
      failed_at = case f.status when 'failed' then clock_timestamp() end,
      is_complete = coalesce((f.progress ->> 'is_complete')::boolean, false)
    from result as f
    where j.flow_run_id = f.flow_run_id and j.flow_run_id = any (end_flow_runs.run_ids)
    returning j.flow_run_id, jsonb_typeof(j.settings -> 'on_end') = 'object' as has_on_end
  )
  select array_agg(j.flow_run_id) filter (where j.has_on_end) into v_told_ids from ended_job as j;

  select
    exists (select from public.flow_run as r where r.parent_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.signature_requests as s where s.root_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids))
  into v_has_called_runs, v_has_requests, v_has_inputs;
  -- Called runs must end with the root run at the latest. Some called runs may not have ended yet, because no worker
  -- continued them before the end of the root run.
  if v_has_called_runs then
    perform private.end_called_runs(f.flow_run_id, f.status)
    from jsonb_to_recordset(end_flow_runs.results) as f (flow_run_id uuid, status text)
    where f.flow_run_id = any (end_flow_runs.run_ids);
  end if;
  -- Let the open requests expire, so that their readers see that no answer is needed any more.
  if v_has_requests then
    update public.signature_requests as s set expires_at = clock_timestamp()
    where s.root_flow_run_id = any (end_flow_runs.run_ids) and s.signature is null and s.expires_at > clock_timestamp();
  end if;
  if v_has_inputs then
    delete from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids);
  end if;
  if v_told_ids is not null then
    perform private.queue_end_webhooks(v_told_ids);
  end if;
  perform private.announce_run_news(u.id, 'ends'), private.announce_run_news(u.id, 'events')
  from unnest(end_flow_runs.run_ids) as u (id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_open_input (
  root_flow_run_id uuid,
  answer           private.api_inputs
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_most constant bigint := private.limit_answers_bytes();
  v_bytes bigint := coalesce(octet_length((end_open_input.answer).value::text), 0);
  v_job private.flow_run_jobs;
begin
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A run that has ended or is being stopped accepts no answers.
  if v_job.state = 'ended' or v_job.stop_requested_at is not null then
    return false;
  end if;
  update private.api_inputs as a
  set outcome = answer.outcome, value = answer.value, idempotency_key_hash = answer.idempotency_key_hash
  where a.token_hash = answer.token_hash and a.outcome is null and a.expires_at > clock_timestamp();
  if not found then
    return false;
  end if;
  if v_job.input_bytes + v_bytes > v_most then
    perform private.fail('inputs_too_large',
      format('value: all answers to one run together must have at most %s of JSON.', private.size_text(v_most)));
  end if;
  delete from public.pending_inputs as p
  where p.id = (select a.id from private.api_inputs as a where a.token_hash = answer.token_hash);
  update private.flow_run_jobs as j
  set input_bytes = j.input_bytes + v_bytes, has_ended_inputs = true
  where j.flow_run_id = end_open_input.root_flow_run_id;
  -- A worker that holds the run learns of the answer at its next heartbeat. If the worker releases the run first,
  -- another worker can claim it at once.
  perform private.wake_flow_run(end_open_input.root_flow_run_id);
  return true;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  deployment      public.flow_deployments,
  caller          private.caller,
  inputs          jsonb,
  plain           jsonb,
  action_signer   text,
  idempotency_key text,
  request         jsonb,
  schedule_id     uuid                    DEFAULT NULL::uuid,
  settings        jsonb                   DEFAULT NULL::jsonb,
  flow            public.flows            DEFAULT NULL::public.flows
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_is_announced boolean;
  v_shares text[];
  v_started jsonb;
  v_inputs jsonb := enqueue_run.inputs;
  -- Null if no node makes the request.
  v_node_depth constant integer := private.chain_depth_of_node();
  v_settings jsonb := enqueue_run.settings;
begin
  perform private.check_inputs(v_inputs);
  if enqueue_run.plain is not null then
    perform private.check_values(enqueue_run.plain, v_inputs);
  end if;
  if not private.is_public_key(enqueue_run.action_signer) then
    perform private.fail('action_signer_invalid', '`action_signer` must be a public key: base58 of 32 bytes.');
  end if;
  if enqueue_run.idempotency_key is not null then
    v_earlier_run_id := private.claim_idempotency_key(
      enqueue_run.caller, enqueue_run.idempotency_key, enqueue_run.request, v_run_id
    );
    if v_earlier_run_id is not null then
      return jsonb_build_object('flow_run_id', v_earlier_run_id, 'token', private.run_token(v_earlier_run_id));
    end if;
  end if;
  -- Check the inputs and settings after the key. A repeated start must find its run even if the flow now has other
  -- inputs, or if a run that partial_config names has been deleted. Nearly all starts have only tagged inputs that the
  -- flow knows. Such starts need no further check. This condition finds them: it compares each name with each name,
  -- which is quick if the flow has few inputs.
  if (
    enqueue_run.plain is null and cardinality(enqueue_run.deployment.input_names) <= 100
      and v_inputs - enqueue_run.deployment.input_names = '{}'
  ) is not true then
    v_inputs := private.inputs_of_start(enqueue_run.deployment, v_inputs, enqueue_run.plain);
  end if;
  if (enqueue_run.flow).id is not null then
    v_settings := private.flow_start_settings(
      enqueue_run.deployment, enqueue_run.flow, enqueue_run.action_signer,
      enqueue_run.request -> 'environment', enqueue_run.request -> 'partial_config'
    );
  elsif v_settings is null then
    v_settings := private.run_settings(enqueue_run.deployment)
      || jsonb_build_object('action_signer', enqueue_run.action_signer);
  end if;

  v_shares := private.admit_start(enqueue_run.deployment, enqueue_run.caller, v_node_depth is not null);
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, started_by, started_by_public_key,
    started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (auth.jwt() ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, counted_deployment_id, counted_shares, turn, chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_now,
    coalesce(enqueue_run.caller.chain_depth, v_node_depth, 0)
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first call of run_token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  v_is_announced := private.announce_claimable_run();
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_flow_runs (
  results jsonb
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  SET jit TO 'off'
  AS $function$
declare
  v_run_ids uuid[];
  v_user_ids uuid[];
  v_progresses jsonb[];
  v_positions bigint[];
  v_numbers_events boolean[];
  v_results jsonb := finish_flow_runs.results;
begin
  select array_agg(held.flow_run_id), array_agg(held.user_id), array_agg(held.progress),
    array_agg(held.position), array_agg(held.numbers_events)
  into v_run_ids, v_user_ids, v_progresses, v_positions, v_numbers_events
  from (
    select j.flow_run_id, j.user_id, f.progress, f.position,
      -- False if the run's events need not be stored, because private.unnumbered_events can compute them later. This is
      -- so if this result has all events of the run in their order, and the run is short and has no called runs,
      -- executions of earlier runs, or inputs.
      (
        (f.progress -> 'is_in_order')::boolean is not true
        or jsonb_array_length(f.progress -> 'node_runs') + jsonb_array_length(f.progress -> 'logs') > 100
        or f.progress -> 'children' <> '[]' or f.progress -> 'taken_over' <> '[]' or f.progress -> 'inputs' <> '[]'
        -- If this were an `exists`, Postgres could keep a plan that it made while the table was empty, and read the
        -- whole table.
        or coalesce((select true from private.flow_run_events as e where e.root_flow_run_id = j.flow_run_id limit 1), false)
      ) is not false as numbers_events
    from rows from (
      jsonb_to_recordset(finish_flow_runs.results) as (flow_run_id uuid, claim_number integer, progress jsonb)
    ) with ordinality as f (flow_run_id, claim_number, progress, position)
    -- This lateral query searches an index for each result. For a plain join, Postgres could keep a plan that reads all
    -- jobs. Skip jobs that other transactions have locked. If this transaction waited for a job while it holds locks on
    -- other jobs, it could cause a deadlock. If a transaction has just changed the job, Postgres reads the job again, so
    -- this query sees the newest claim.
    cross join lateral (
      select job.flow_run_id, job.user_id, job.counted_deployment_id, job.counted_shares
      from private.flow_run_jobs as job
      where job.flow_run_id = f.flow_run_id and job.claim_number = f.claim_number and job.state <> 'ended'
      for no key update skip locked
    ) as j
    -- At the commit, a trigger subtracts each ended run from its deployment's usage, in the order of these rows. To
    -- prevent deadlocks, all transactions use the same order.
    order by j.counted_deployment_id, j.counted_shares
  ) as held;
  if v_run_ids is not null then
    -- Keep only the results that are stored here, by their positions. Run ids are not enough: a worker whose lease has
    -- ended may claim its own run again, and report both claims in one call.
    if cardinality(v_run_ids) < jsonb_array_length(v_results) then
      -- Build the list as text, because jsonb_agg takes quadratic time for an object with many members, such as an
      -- output.
      v_results := (
        select json_agg(v_results -> (p.position - 1)::integer)::jsonb from unnest(v_positions) as p (position)
      );
    end if;
    perform private.store_progress_of(v_run_ids, v_user_ids, v_progresses, v_numbers_events);
    perform private.end_flow_runs(v_run_ids, v_results);
  end if;
  return coalesce(v_run_ids, '{}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_events (
  flow_run_id uuid,
  after       integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_root public.flow_run := private.run_for_caller(private.root_run_id(flow_run_events.flow_run_id));
  v_caller private.caller := private.caller();
  v_is_owner boolean := v_root.user_id is not distinct from v_caller.user_id;
  v_page jsonb;
begin
  if (flow_run_events.after >= 0) is not true then
    perform private.fail('request_invalid',
      'after: must be an integer from 0 to 2147483647: the id of an event, or 0.');
  end if;
  v_page := private.run_events(v_root, flow_run_events.after, 32768);
  if flow_run_events.after > (v_page ->> 'newest')::integer then
    perform private.fail('request_invalid',
      'after: must be the id of an event of this run, but it is greater than the id of the newest event.');
  end if;
  return (v_page - 'newest') || jsonb_build_object(
    'flow_run_id', v_root.id, 'is_owner', v_is_owner, 'owner_id', v_root.user_id,
    'caller', coalesce(v_caller.user_id, v_caller.run_id),
    'is_guest', v_caller.user_id is null or v_caller.is_anonymous,
    'is_overdue', private.is_overdue(v_root.id),
    'events', (
      select coalesce(jsonb_agg(
        case when v_is_owner
          then e.event || jsonb_build_object('data', (e.event -> 'data') || (e.event -> 'owner')) else e.event
        end - 'owner'
        order by e.position
      ), '[]')
      from jsonb_array_elements(v_page -> 'events') with ordinality as e (event, position)
      where v_is_owner or e.event ->> 'event' <> 'log'
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.run_for_caller(flow_run_result.flow_run_id);
begin
  return jsonb_build_object(
    'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'is_overdue', v_run.end_time is null and private.is_overdue(private.root_run_id(v_run.id))
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_claimable_run (
  left_out_owners uuid[] DEFAULT NULL::uuid[]
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  if has_claimable_run.left_out_owners is null then
    if exists (select from private.flow_run_jobs as j where j.state in ('ready', 'lost')) then
      return true;
    end if;
  elsif private.ready_owners(null, null, 1, has_claimable_run.left_out_owners) <> '{}' then
    return true;
  end if;
  return exists (
    select from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
      and (j.user_id = any (has_claimable_run.left_out_owners)) is not true
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    is_lost          boolean,
    stop             jsonb,
    has_ended_inputs boolean
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Skip jobs that another transaction has locked, because they need no heartbeat: a checkpoint, release, claim or end
  -- sets the state itself. A job that was lost is held again, because the newest claim is still alive.
  update private.flow_run_jobs as j
  set state = 'held', due_at = clock_timestamp() + make_interval(secs => heartbeat_flow_runs.lease_seconds)
  where j.flow_run_id = any (array(
    select held.flow_run_id
    from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
    join private.flow_run_jobs as held on held.flow_run_id = c.flow_run_id and held.claim_number = c.claim_number
    where held.state in ('held', 'lost')
    for no key update of held skip locked
  ));

  return query
  select c.flow_run_id, j.claim_number is distinct from c.claim_number or j.state = 'ended',
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end,
    coalesce(j.has_ended_inputs, false)
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, claim_number integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.claim_number is distinct from c.claim_number or j.state = 'ended'
    or j.stop_requested_at is not null or j.has_ended_inputs;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_overdue (
  flow_run_id uuid
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(
    private.claimable_since(j) <= clock_timestamp() - interval '2 seconds', false
  )
  from private.flow_run_jobs as j where j.flow_run_id = is_overdue.flow_run_id;
$function$;

CREATE OR REPLACE FUNCTION private.is_queue_count_due()
  RETURNS boolean
  LANGUAGE sql
BEGIN ATOMIC
 SELECT ((nextval('private.limited_starts'::regclass) < pg_sequence_last_value('private.queue_check_start'::regclass)) IS NOT TRUE);
END;

CREATE OR REPLACE FUNCTION private.last_owner_at (
  owner_position bigint
)
  RETURNS uuid
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((lpad(to_hex(((owner_position << 1) | (1)::bigint)), 16, '0'::text) || 'ffffffffffffffff'::text))::uuid
  AS uuid;
END;

CREATE OR REPLACE FUNCTION private.lock_claimed_run (
  flow_run_id  uuid,
  claim_number integer
)
  RETURNS public.flow_run
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run;
  v_claim_number integer;
begin
  select j.claim_number into v_claim_number
  from private.flow_run_jobs as j
  where j.flow_run_id = lock_claimed_run.flow_run_id and j.state <> 'ended'
  for no key update;
  if v_claim_number is distinct from lock_claimed_run.claim_number then
    perform private.refuse_lost_claim();
  end if;
  select r.* into v_run from public.flow_run as r where r.id = lock_claimed_run.flow_run_id;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_claim_token (
  flow_run_id  uuid,
  claim_number integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_seconds constant integer := private.limit_claim_token_seconds();
begin
  perform from private.flow_run_jobs as j
  where j.flow_run_id = make_claim_token.flow_run_id and j.claim_number = make_claim_token.claim_number
    and j.state in ('held', 'lost');
  if not found then
    perform private.refuse_lost_claim();
  end if;
  return jsonb_build_object(
    'token', private.claim_token(
      make_claim_token.flow_run_id, make_claim_token.claim_number, clock_timestamp() + make_interval(secs => v_seconds),
      private.run_token_secret()
    ),
    'seconds', v_seconds
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.make_due_jobs_ready()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Nearly always, no job is due. Then this function reads one entry of the index, and locks nothing.
  if (
    select j.due_at from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') order by j.due_at limit 1
  ) <= clock_timestamp() is not true then
    return;
  end if;
  -- Skip locked jobs: the transaction that holds the lock changes the state, or the next call does.
  update private.flow_run_jobs as j
  set
    state = case when j.state = 'held' then 'lost' else 'ready' end::private.job_state,
    turn = case when j.state = 'held' then j.turn else j.due_at end,
    due_at = case when j.state = 'held' then j.due_at end
  where j.flow_run_id = any (array(
    select due.flow_run_id from private.flow_run_jobs as due
    where due.state in ('held', 'sleeping', 'waiting') and due.due_at <= (select clock_timestamp())
    order by due.due_at limit 1000
    for no key update skip locked
  ));
end;
$function$;

CREATE OR REPLACE FUNCTION private.owner_position (
  user_id uuid
)
  RETURNS bigint
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT ((((('x'::text || "left"(replace((user_id)::text, '-'::text, ''::text), 16)))::bit(64))::bigint >> 1) & '9223372036854775807'::bigint);
END;

CREATE OR REPLACE FUNCTION private.pending_input_owners (
  tokens text[]
)
  RETURNS uuid[]
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
  select array_agg(j.user_id order by t.place)
  from unnest(pending_input_owners.tokens) with ordinality as t (token, place)
  left join private.api_inputs as a on a.token_hash = sha256(convert_to(t.token, 'UTF8'))
  left join private.flow_run_jobs as j on j.flow_run_id = a.root_flow_run_id and (
    a.outcome in ('submitted', 'cancelled')
    or a.outcome is null and a.expires_at > clock_timestamp() and j.state <> 'ended'
      and j.stop_requested_at is null
  );
$function$;

CREATE OR REPLACE FUNCTION private.pending_signature_request (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := private.root_run_for_caller(pending_signature_request.flow_run_id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail('signature_request_not_found', 'The run has ended, so it asks for no signature.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'kind', s.kind, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey,
        'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures',
        s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.is_overdue(v_run_id)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.read_claimed_connection (
  claim jsonb,
  name  text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run constant public.flow_run := private.lock_claimed_run(
    (read_claimed_connection.claim ->> 'flow_run_id')::uuid, (read_claimed_connection.claim ->> 'claim_number')::integer
  );
  v_connection public.connections;
begin
  select c.* into v_connection
  from private.flow_run_jobs as j
  join public.connections as c
    on c.id = (j.settings -> 'connections' ->> read_claimed_connection.name)::uuid and c.user_id = v_run.user_id
  where j.flow_run_id = v_run.id and j.state in ('held', 'lost');
  if not found then
    return null;
  end if;
  -- The time is written at most once a minute. If several runs read the secret at the same time, only one of them
  -- writes the time, and the others do not wait.
  update public.connections as c set last_used_at = now()
  where c.id = (
    select o.id from public.connections as o
    where o.id = v_connection.id and (o.last_used_at < now() - interval '1 minute') is not false
    for no key update skip locked
  );
  return private.with_secret(v_connection);
end;
$function$;

CREATE OR REPLACE FUNCTION private.ready_owners (
  after_owner     uuid,
  until_owner     uuid,
  max_owners      integer,
  left_out_owners uuid[]
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_after uuid := coalesce(ready_owners.after_owner, '00000000-0000-0000-0000-000000000000');
  v_after_turn timestamptz := case when ready_owners.after_owner is null then '-infinity' else 'infinity' end;
  v_until uuid := coalesce(ready_owners.until_owner, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
begin
  return array(
    -- Each step searches the index for the next owner. So an owner costs one search, however many runs the owner has.
    with recursive owner as (
      (
        select j.user_id from private.flow_run_jobs as j
        where j.state in ('ready', 'lost') and (j.user_id, j.turn) > (v_after, v_after_turn) and j.user_id <= v_until
        order by j.user_id, j.turn limit 1
      )
      union all
      select next_owner.user_id
      from owner cross join lateral (
        select j.user_id from private.flow_run_jobs as j
        where j.state in ('ready', 'lost') and j.user_id > owner.user_id and j.user_id <= v_until
        order by j.user_id limit 1
      ) as next_owner
    )
    select owner.user_id from owner
    where (owner.user_id = any (ready_owners.left_out_owners)) is not true
    limit ready_owners.max_owners
  );
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
  -- This clears the sign bit, because the sequence has no negative values.
  v_owner bigint := hashtextextended(refuse_if_owner_fills_queue.owner_id::text, 0) & 9223372036854775807;
  v_is_known boolean := coalesce(
    pg_sequence_last_value('private.queue_refused_owner') = v_owner
      and private.queue_clock() < pg_sequence_last_value('private.queue_full_until'),
    false
  );
begin
  -- If the last refused start was for the same owner, refuse this start without counting the owner's runs. A count may
  -- read as many runs as a tenth of the limit.
  if v_is_known then
    v_count := v_share;
  else
    -- Counts at most v_share runs, by the index on user_id and turn.
    select count(*) into v_count
    from (
      select from private.flow_run_jobs as j
      where j.user_id = refuse_if_owner_fills_queue.owner_id and j.state in ('ready', 'lost')
      order by j.turn limit v_share
    ) as own;
  end if;
  if v_count >= v_share then
    if not v_is_known then
      perform setval('private.queue_refused_owner', v_owner);
    end if;
    perform private.fail('queue_full', 'More runs wait to be executed than this project allows.',
      jsonb_build_object('limit', 'max_queue_length', 'value', refuse_if_owner_fills_queue.max_length),
      'Try again after as many seconds as Retry-After says.', '{"Retry-After": "10"}');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.release_flow_run (
  flow_run_id   uuid,
  claim_number  integer,
  progress      jsonb,
  delay_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_is_waiting boolean;
begin
  perform private.store_progress(
    release_flow_run.flow_run_id, release_flow_run.claim_number, release_flow_run.progress
  );
  v_is_waiting := release_flow_run.delay_seconds > 0
    and exists (select from public.pending_inputs as p where p.root_flow_run_id = release_flow_run.flow_run_id);
  if private.end_claim(
    release_flow_run.flow_run_id, release_flow_run.progress, release_flow_run.delay_seconds,
    case when v_is_waiting then 'waiting' else 'sleeping' end::private.job_state
  ) and v_is_waiting then
    update public.flow_run as r set status = 'waiting' where r.id = release_flow_run.flow_run_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- clock_timestamp() is in sub-selects, because a volatile function in a condition prevents the use of an index.
  -- Runs that may be claimed and runs whose state ends later have different indexes, so they are read separately.
  with queued as not materialized (
    select j.* from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union all
    select j.* from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at <= (select clock_timestamp())
  ),
  queue as (
    select count(*) as length, (select clock_timestamp()) - min(private.claimable_since(q)) as age from queued as q
  ),
  undue as (
    select count(*) filter (where j.state = 'held') as running, count(*) filter (where j.state = 'sleeping') as delayed,
      count(*) filter (where j.state = 'waiting') as waiting
    from private.flow_run_jobs as j
    where j.state in ('held', 'sleeping', 'waiting') and j.due_at > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', undue.delayed,
    'running', undue.running,
    'waiting', undue.waiting,
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    ),
    'pending_webhooks', (select count(*) from public.webhook_deliveries as d where d.status = 'pending')
  )
  from queue cross join undue;
$function$;

CREATE OR REPLACE FUNCTION private.runs_being_redriven()
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select unnest(j.redriven_from) from private.flow_run_jobs as j
  where j.redriven_from is not null and j.state <> 'ended';
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
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- After the commit, the next start counts the queue again, and other starts wait for its result.
  perform setval('private.queue_refused_owner', 0), setval('private.queue_check_start', 0),
    setval('private.queue_full_until', 1);
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshots_of_pending_runs()
  RETURNS bytea[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return array(
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('ready', 'lost')
    union
    select j.snapshot_hash from private.flow_run_jobs as j where j.state in ('held', 'sleeping', 'waiting')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.stop_flow_run (
  flow_run_id     uuid,
  reason          text,
  timeout_millies integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := private.root_run_for_caller(stop_flow_run.flow_run_id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and private.limit_stop_timeout_ms() then
    perform private.fail('request_invalid',
      format('timeout_millies must be an integer from 0 to %s.', private.limit_stop_timeout_ms()));
  end if;
  if char_length(stop_flow_run.reason) > private.limit_stop_reason_characters() then
    perform private.fail('request_invalid',
      format('reason must have at most %s characters.', private.limit_stop_reason_characters()));
  end if;
  -- Lock the job first, as claims do, so that no claim begins before the commit. If the run was never claimed, it can
  -- then end here. Otherwise its worker will read the stop request.
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id for no key update;
  if (v_job.state <> 'ended') is not true then
    return;
  end if;
  update private.flow_run_jobs as j
  set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason,
    stop_timeout_millies = stop_flow_run.timeout_millies
  where j.flow_run_id = v_run_id and j.stop_requested_at is null;
  if found then
    update public.flow_run as r
    set stopped_by = case when r.user_id = (private.caller()).user_id then 'owner' else 'starter' end
    where r.id = v_run_id;
  end if;
  if v_job.claim_number = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
    return;
  end if;
  -- Delete the inputs, so that nobody can answer them any more.
  delete from public.pending_inputs as p where p.root_flow_run_id = v_run_id;
  perform private.wake_flow_run(v_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_job_progress (
  flow_run_id uuid,
  progress    jsonb,
  next_state  private.job_state,
  seconds     integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_job_progress.progress ->> 'work_ms')::bigint),
    output_bytes = greatest(j.output_bytes, (store_job_progress.progress ->> 'output_bytes')::bigint),
    state = store_job_progress.next_state,
    due_at = case
      when store_job_progress.next_state <> 'ready'
        then clock_timestamp() + make_interval(secs => store_job_progress.seconds)
    end,
    -- The next turn of a released run comes after the other runs of its owner, including new runs. In this way, a long
    -- run takes turns with new runs.
    turn = case when store_job_progress.next_state = 'held' then j.turn else clock_timestamp() end,
    -- If a node has ended, the run makes progress, so the count of lost workers begins again. A worker that releases
    -- the run was not lost, either. Perhaps another run crashed the earlier workers. Without the reset, this run would
    -- stay a suspect, and would be executed alone after every release.
    lost_claim_count = case
      when store_job_progress.next_state <> 'held'
        or jsonb_path_exists(store_job_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0
      else j.lost_claim_count
    end
  -- A checkpoint may arrive after the release, and a release may be repeated. Both must change nothing.
  where j.flow_run_id = store_job_progress.flow_run_id and j.state in ('held', 'lost');
  return found;
end;
$function$;

CREATE OR REPLACE FUNCTION private.suspend_flow_run (
  flow_run_id   uuid,
  claim_number  integer,
  progress      jsonb,
  delay_seconds integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_seconds integer;
begin
  perform private.store_progress(
    suspend_flow_run.flow_run_id, suspend_flow_run.claim_number, suspend_flow_run.progress
  );
  -- store_progress has locked the job. So this query sees all earlier answers, and end_claim sees an earlier stop. A
  -- later answer or stop waits for the lock, finds that no worker holds the run, and wakes the run. If no request is
  -- unanswered, the delay is 0. If some requests are open, the delay ends when the first of them expires. If all
  -- unanswered requests have expired, the delay is a second: with a delay of 0, a worker with a slow clock would
  -- suspend the run again at once.
  select case when count(*) = 0 then 0 else coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), 1
  ) end into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  v_seconds := least(v_seconds, suspend_flow_run.delay_seconds);
  if private.end_claim(suspend_flow_run.flow_run_id, suspend_flow_run.progress, greatest(v_seconds, 0), 'waiting') then
    update public.flow_run as r set status = 'waiting' where r.id = suspend_flow_run.flow_run_id;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.sweep_runner (
  max_age  interval DEFAULT '30 days'::interval,
  max_runs integer  DEFAULT 1000
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
declare
  v_runs bigint;
  v_keys bigint;
  v_idle_shares bigint;
  v_snapshots bigint;
begin
  perform private.check_sweep_arguments(sweep_runner.max_age, sweep_runner.max_runs);
  v_runs := private.delete_old_runs(sweep_runner.max_age, sweep_runner.max_runs);
  v_keys := private.delete_old_idempotency_keys(sweep_runner.max_runs);
  v_idle_shares := private.delete_idle_usage(sweep_runner.max_runs);
  perform private.delete_usage_of_deleted_deployments(sweep_runner.max_runs);
  -- Claims do this, too. Without a worker, the metrics and the limit of the queue still read few due jobs.
  perform private.make_due_jobs_ready();
  -- This step comes last, because a start that needs one of these snapshots waits until the transaction ends.
  v_snapshots := private.delete_unused_snapshots(sweep_runner.max_runs);
  return jsonb_build_object(
    -- There are no messages any more. The member stays for callers of the former release.
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', 0, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_snapshots, v_idle_shares)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_api_inputs (
  flow_run_id  uuid,
  claim_number integer,
  executions   jsonb
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.lock_claimed_run(take_api_inputs.flow_run_id, take_api_inputs.claim_number);
begin
  -- An answer sets has_ended_inputs under the lock of the job, which this transaction holds. So no answer can
  -- arrive between this reset and the query below.
  update private.flow_run_jobs as j set has_ended_inputs = false where j.flow_run_id = v_run.id and j.has_ended_inputs;
  -- Only this statement, under the same lock, stores that an input has expired. From then on, the input accepts no
  -- answer, even if the clock is set back.
  with expired as (
    update private.api_inputs as a
    set outcome = 'expired'
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    where (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times) and a.root_flow_run_id = v_run.id
      and a.outcome is null and a.expires_at <= clock_timestamp()
    returning a.id
  )
  delete from public.pending_inputs as p using expired where p.id = expired.id;
  return (
    select coalesce(json_agg(json_build_object(
      'flow_run_id', a.flow_run_id, 'node_id', a.node_id, 'times', a.times, 'outcome', a.outcome, 'value', a.value,
      'left_ms', greatest(ceil(extract(epoch from a.expires_at - clock_timestamp()) * 1000), 0)::bigint
    )), '[]')
    from jsonb_to_recordset(take_api_inputs.executions) as e (flow_run_id uuid, node_id uuid, times integer)
    join private.api_inputs as a on (a.flow_run_id, a.node_id, a.times) = (e.flow_run_id, e.node_id, e.times)
    where a.root_flow_run_id = v_run.id
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_jobs (
  max_runs          integer,
  lease_seconds     integer,
  max_lost_claims   integer,
  owners_with_slots uuid[]
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_after uuid := private.last_owner_at(pg_sequence_last_value('private.last_owner'));
  v_left integer := take_jobs.max_runs;
  -- The owners who give this claim no further run.
  v_left_out uuid[] := take_jobs.owners_with_slots;
  v_owners uuid[];
  v_runs_per_owner integer;
  v_ids uuid[];
  v_last_owner uuid;
  v_givers uuid[];
  v_has_suspect boolean;
  v_failed_ids uuid[];
  v_taken uuid[] := '{}';
begin
  perform private.make_due_jobs_ready();
  while v_left <> 0 loop
    -- The owners after the last one, and then the first owners, up to the last one.
    v_owners := private.ready_owners(v_after, null, v_left, v_left_out);
    if cardinality(v_owners) < v_left and v_after is not null then
      v_owners := v_owners || private.ready_owners(null, v_after, v_left - cardinality(v_owners), v_left_out);
    end if;
    exit when v_owners = '{}';
    v_runs_per_owner := case
      when take_jobs.owners_with_slots is null then ceil(v_left::double precision / cardinality(v_owners))
      -- A claim for reserved slots gives each owner only one run, so that slots are left for other owners.
      else 1
    end;
    -- Lock the jobs in rounds: the first job of each owner in the order of owners, then the second of each, and so on.
    -- If another transaction has just changed a job and committed, Postgres reads the job again. If it still has the
    -- lock, the job is skipped. If a suspect crashes its worker, all runs that were claimed with it lose the worker. So
    -- a claim ends before a suspect, and takes a suspect only if it comes first, and then alone.
    select
      array_agg(c.flow_run_id order by c.place) filter (where c.is_taken),
      (array_agg(c.user_id order by c.place desc) filter (where c.is_taken))[1],
      array_agg(c.user_id) filter (where c.round = v_runs_per_owner),
      bool_or(c.is_suspect)
    into v_ids, v_last_owner, v_givers, v_has_suspect
    from (
      select p.*, not bool_or(p.is_suspect) over (order by p.place) or p.place = 1 and v_taken = '{}' as is_taken
      from (
        select own.*, o.user_id, row_number() over (order by own.round, o.position) as place
        from unnest(v_owners) with ordinality as o (user_id, position)
        cross join lateral (
          select free.flow_run_id, free.is_suspect, row_number() over (order by free.turn) as round
          from (
            select j.flow_run_id, j.turn, j.lost_claim_count + (j.state = 'lost')::integer >= 2 as is_suspect
            from private.flow_run_jobs as j
            where j.user_id = o.user_id and j.state in ('ready', 'lost')
            order by j.turn
            limit v_runs_per_owner
            for no key update skip locked
          ) as free
        ) as own
        order by own.round, o.position
        limit v_left
      ) as p
    ) as c;
    if v_ids is not null then
      perform setval('private.last_owner', private.owner_position(v_last_owner));
      v_after := v_last_owner;
      with held as (
        update private.flow_run_jobs as j
        set
          state = 'held', due_at = clock_timestamp() + make_interval(secs => take_jobs.lease_seconds),
          claim_number = j.claim_number + 1,
          lost_claim_count = j.lost_claim_count + (j.state = 'lost')::integer
        where j.flow_run_id = any (v_ids)
        returning j.flow_run_id, j.lost_claim_count
      )
      select array_agg(h.flow_run_id) into v_failed_ids
      from held as h where h.lost_claim_count > take_jobs.max_lost_claims;
      if v_failed_ids is not null then
        perform private.end_flow_run(j.flow_run_id, 'failed', errors => array[format(
          'worker_lost: %s workers in a row were lost while they executed this run', j.lost_claim_count
        )])
        from private.flow_run_jobs as j where j.flow_run_id = any (v_failed_ids);
        v_ids := array(
          select t.flow_run_id from unnest(v_ids) with ordinality as t (flow_run_id, place)
          where t.flow_run_id <> all (v_failed_ids) order by t.place
        );
      end if;
      v_taken := v_taken || v_ids;
    end if;
    exit when v_has_suspect and v_taken <> '{}';
    -- Other owners may have runs if this pass found as many owners as it asked for. Of its owners, only those who gave
    -- v_runs_per_owner runs may have more.
    exit when cardinality(v_owners) < v_left and (v_givers is null or take_jobs.owners_with_slots is not null);
    v_left := take_jobs.max_runs - cardinality(v_taken);
    v_left_out := v_left_out || case
      when take_jobs.owners_with_slots is not null then v_owners
      else array(select o.user_id from unnest(v_owners) as o (user_id) where (o.user_id = any (v_givers)) is not true)
    end;
  end loop;
  return v_taken;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flows__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Lock the jobs before the runs, as every transaction does that writes runs that have not ended. So claims and this
  -- deletion can't deadlock.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = any (array(
    select r.id from public.flow_run as r
    where r.flow_id = old.id and r.parent_flow_run_id is null and r.end_time is null
  ))
  order by j.flow_run_id
  for no key update;
  -- A called run must stay as long as its parent run, even if the called flow is deleted. A foreign key would delete it
  -- with the called flow.
  delete from public.flow_run as r where r.flow_id = old.id and r.parent_flow_run_id is null;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_users__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Lock the jobs before the runs, as every transaction does that writes runs that have not ended. From here on, no
  -- worker adds called runs, which have the same starter.
  perform from private.flow_run_jobs as j
  where j.flow_run_id = any (array(
    select r.id from public.flow_run as r where r.started_by = old.id and r.end_time is null
  ))
  order by j.flow_run_id
  for no key update;
  update public.flow_run as r set started_by = null where r.started_by = old.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.wake_flow_run (
  flow_run_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_is_told boolean;
begin
  update private.flow_run_jobs as j set state = 'ready', due_at = null, turn = clock_timestamp()
  where j.flow_run_id = wake_flow_run.flow_run_id and j.state in ('sleeping', 'waiting');
  if found then
    v_is_told := private.announce_claimable_run();
  end if;
end;
$function$;

ALTER TABLE "private"."flow_run_jobs"
  ADD CONSTRAINT "flow_run_jobs_due_at_given" CHECK (((due_at IS
    NOT NULL) = (state = ANY (ARRAY['held'::private.job_state, 'lost'::private.job_state, 'sleeping'::private.job_state, 'waiting'::private.job_state]))));

CREATE INDEX flow_run_jobs_due_at_idx ON private.flow_run_jobs USING btree (due_at)
  WHERE (state = ANY (ARRAY['held'::private.job_state, 'sleeping'::private.job_state, 'waiting'::private.job_state]));

CREATE INDEX flow_run_jobs_redriven_idx_pending ON private.flow_run_jobs USING btree (flow_run_id)
  WHERE ((redriven_from IS NOT NULL) AND (state <> 'ended'::private.job_state));

CREATE INDEX flow_run_jobs_user_id_idx_ready ON private.flow_run_jobs USING btree (user_id, turn)
  WHERE (state = ANY (ARRAY['ready'::private.job_state, 'lost'::private.job_state]));

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_delete
  AFTER DELETE ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.state <> 'ended'::private.job_state)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_end
  AFTER UPDATE OF state ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.state <> 'ended'::private.job_state) AND (new.state = 'ended'::private.job_state)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

COMMENT ON COLUMN "private"."flow_run_jobs"."due_at" IS 'The time at which the state ends by itself: a held run is then lost, a sleeping or waiting run is ready. While the state is lost, the time at which the lease ended. Null if the run is ready or has ended.';

COMMENT ON COLUMN "private"."flow_run_jobs"."lost_claim_count" IS 'How many workers in a row were lost while they held the run. The claim of a lost run adds one. The end of a node or a release of the run sets the number to 0.';

COMMENT ON COLUMN "private"."flow_run_jobs"."state" IS 'ready and lost: a worker may claim the run. held: a worker has the run. sleeping: the run was released until due_at. waiting: like sleeping, but a signature or an input may wake the run earlier. ended: the run has ended.';

COMMENT ON COLUMN "private"."flow_run_jobs"."turn" IS 'The time at which the run was queued: started, released, woken, or due after its sleep. An owner''s runs are claimed in this order. A lost run keeps its turn, so it is claimed before the runs that were queued later.';

COMMENT ON FUNCTION "private"."add_run_events"(private.new_run_event[]) IS 'Adds events to their root runs, and notifies the watching sessions when the transaction commits. The caller has locked the jobs of the root runs and stored the rows that the events name. Definer, because no API role may write events.';

COMMENT ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, boolean) IS 'Counts a start for the limits, and returns the shares for which it counts. Returns null for the owner, whose starts are not counted. 429 queue_full, start_limit_reached. Definer, because no API role may access usage and queue.';

COMMENT ON FUNCTION "private"."checkpoint_flow_run"(uuid, integer, integer, jsonb) IS 'Implements public.checkpoint_flow_run. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."claim_flow_runs"(integer, integer, text[], integer, integer, uuid[]) IS 'Implements public.claim_flow_runs. Definer, because no API role may access jobs and snapshots.';

COMMENT ON FUNCTION "private"."claimable_since"(private.flow_run_jobs) IS 'The time from which a worker may claim the run; null if the run has ended. A later time for a run that is held, sleeps or waits.';

COMMENT ON FUNCTION "private"."end_claim"(uuid, jsonb, integer, private.job_state) IS 'Ends a claim of a run that has not ended, with its last progress. The run has the delayed_state for delay_seconds. It may be claimed at once if there is no delay, if it must stop, or if one of its inputs was answered. Returns false if the claim was already released. The caller has locked the job. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) IS 'Ends a run for which no worker reports a result. The caller has locked the job of the run. Definer, because no API role may write runs.';

COMMENT ON FUNCTION "private"."end_flow_runs"(uuid[], jsonb) IS 'Ends root runs whose jobs the caller has locked. Definer, because no API role may write runs.';

COMMENT ON FUNCTION "private"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) IS 'Implements public.finish_flow_run. Definer, because no API role may write runs or access jobs.';

COMMENT ON FUNCTION "private"."finish_flow_runs"(jsonb) IS 'Implements public.finish_flow_runs. Definer, because no API role may write runs or access jobs.';

COMMENT ON FUNCTION "private"."has_claimable_run"(uuid[]) IS 'True if a run of an owner who is not left out may be claimed now. Locks nothing.';

COMMENT ON FUNCTION "private"."heartbeat_flow_runs"(jsonb, integer) IS 'Implements public.heartbeat_flow_runs. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."is_overdue"(uuid) IS 'True if this root run has waited for a worker for 2 seconds, so that the runner should be called. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."is_queue_count_due"() IS 'Numbers a start. True if this start must count the queue. Most starts need no count, because the next count is due only after many starts.';

COMMENT ON FUNCTION "private"."last_owner_at"(bigint) IS 'The greatest id whose private.owner_position() is this number.';

COMMENT ON FUNCTION "private"."lock_claimed_run"(uuid, integer) IS 'Locks the job of a run and returns the run if the claim is the newest claim of the run and the run has not ended. Otherwise 409 claim_lost. Each write of a worker begins with this call. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."make_due_jobs_ready"() IS 'Changes the state of at most a thousand jobs whose time has come: held jobs are lost, sleeping and waiting jobs are ready. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."owner_position"(uuid) IS 'The first 63 bits of an owner''s id, as a number.';

COMMENT ON FUNCTION "private"."ready_owners"(uuid, uuid, integer, uuid[]) IS 'At most max_owners owners who have a run that is ready or lost, in the order of their ids: those after after_owner, up to until_owner. Null means no bound. Leaves out left_out_owners. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."refuse_if_owner_fills_queue"(uuid, integer) IS 'Called when the queue is full. Raises 429 queue_full if the runs of this owner that wait to be claimed are at least a tenth of the limit. Definer, because no API role may access the queue.';

COMMENT ON FUNCTION "private"."release_flow_run"(uuid, integer, jsonb, integer) IS 'Implements public.release_flow_run. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."runner_metrics"() IS 'Implements public.runner_metrics. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."store_job_progress"(uuid, jsonb, private.job_state, integer) IS 'Stores the part {work_ms, output_bytes} of the progress in the job of a held run, and its next state, which lasts for so many seconds. Returns false if the claim was already released. The caller has locked the job. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."store_progress_of"(uuid[], uuid[], jsonb[], boolean[]) IS 'Stores the progress of runs whose jobs the caller has locked. Definer, because no API role may write these tables.';

COMMENT ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb, integer) IS 'Implements public.suspend_flow_run. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."take_jobs"(integer, integer, integer, uuid[]) IS 'Chooses at most max_runs runs to claim next, and holds their jobs for lease_seconds. Returns the runs in the order in which they are claimed. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "private"."wake_flow_run"(uuid) IS 'If the run sleeps or waits, makes it claimable at once. The caller has locked the run''s job. Definer, because no API role may access jobs.';

COMMENT ON FUNCTION "public"."flow_run_result"(uuid) IS 'The state of a run, {status, output, errors, is_overdue}, for its owner, its starter and the holder of its token. is_overdue: the run has waited in the queue for 2 seconds, so the runner should be called. 401; 404 flow_run_not_found.';

COMMENT ON SEQUENCE "private"."last_owner" IS 'The position (private.owner_position) of the owner whose run was claimed last. Owners take turns in the order of their ids: the next claim begins after this position. A sequence, so that each claim sees at once what the claim before it has taken, and no claim waits for another.';

COMMENT ON SEQUENCE "private"."limited_starts" IS 'Counts the starts that a full queue refuses: starts by nodes, and by callers other than the owner.';

COMMENT ON SEQUENCE "private"."queue_check_start" IS 'A number of private.limited_starts. Starts with lower numbers assume that the queue has room. The next start with this number or a higher one counts the runs in the queue.';

COMMENT ON TABLE "private"."flow_run_jobs" IS 'The queue: for each root run its state in the queue, and the data that the runner needs and that readers of flow_run must not see. A job stays after its run has ended. Every transaction that writes a run that has not ended locks its job first.';

COMMENT ON TYPE "private"."job_state" IS 'What the queue does with a run: see the comment of private.flow_run_jobs.state.';

REVOKE ALL ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."admit_start"(public.flow_deployments, private.caller, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claimable_since"(private.flow_run_jobs) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claimable_since"(private.flow_run_jobs) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claimable_since"(private.flow_run_jobs) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_claim"(uuid, jsonb, integer, private.job_state) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_claim"(uuid, jsonb, integer, private.job_state) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_claim"(uuid, jsonb, integer, private.job_state) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_flow_runs"(uuid[], jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_flow_runs"(uuid[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_flow_runs"(uuid[], jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_claimable_run"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_claimable_run"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_claimable_run"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_overdue"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_overdue"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_overdue"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_queue_count_due"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_queue_count_due"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_queue_count_due"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."last_owner_at"(bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."last_owner_at"(bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."last_owner_at"(bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."make_due_jobs_ready"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."make_due_jobs_ready"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."make_due_jobs_ready"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."owner_position"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."owner_position"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."owner_position"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."ready_owners"(uuid, uuid, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ready_owners"(uuid, uuid, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."ready_owners"(uuid, uuid, integer, uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_job_progress"(uuid, jsonb, private.job_state, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_job_progress"(uuid, jsonb, private.job_state, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_job_progress"(uuid, jsonb, private.job_state, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_jobs"(integer, integer, integer, uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_jobs"(integer, integer, integer, uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_jobs"(integer, integer, integer, uuid[]) TO "postgres";
