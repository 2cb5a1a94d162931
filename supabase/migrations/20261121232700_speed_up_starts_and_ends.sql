SET local check_function_bodies = off;

DROP INDEX "private"."flow_run_jobs_message_id_idx_pending";

DROP INDEX "private"."flow_run_jobs_snapshot_hash_idx";

DROP INDEX "public"."flow_run_end_time_idx_root_errors";

DROP INDEX "public"."flow_run_end_time_idx_roots";

ALTER TABLE "private"."deployment_usage"
  DROP CONSTRAINT "deployment_usage_reserved_natural";

ALTER TABLE "private"."deployment_usage"
  DROP CONSTRAINT "deployment_usage_starts_natural";

ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_attempt_natural";

ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_lost_claim_count_natural";

ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_snapshot_hash_fkey";

ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_work_ms_natural";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_action_identity_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_action_signer_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_child_without_deployment";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_end_time_matches_status";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_errors_match_status";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_errors_not_empty";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_fees_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_output_after_end";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_parent_complete";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_start_time_matches_status";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_started_by_public_key_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_status_known";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_user_id_fkey";

DROP FUNCTION "private"."bad_value"(jsonb, text, integer);

DROP FUNCTION "private"."check_inputs"(jsonb);

DROP FUNCTION "private"."check_start"(jsonb, text);

DROP FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]);

DROP FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer);

DROP FUNCTION "private"."pick_flow_runs"(integer);

DROP FUNCTION "private"."store_child_runs"(public.flow_run, jsonb);

-- What the diff would do by dropping the column: the times of the runs that are there stay.
ALTER TABLE "public"."flow_run"
  ALTER COLUMN "created_at" DROP EXPRESSION;

ALTER TABLE "public"."flow_run"
  SET (fillfactor=70);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "failed_at" timestamp WITH time zone;

ALTER TABLE "public"."flow_run"
  ALTER COLUMN "created_at" SET DEFAULT clock_timestamp();

CREATE OR REPLACE FUNCTION private.answer_signature_request (
  id        uuid,
  signature text,
  new_msg   text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_id uuid := (select s.root_flow_run_id from public.signature_requests as s where s.id = answer_signature_request.id);
  v_request public.signature_requests;
begin
  -- The lock that claims, stops and suspensions take too, and first: of two answers one finds the other, and a run that is being
  -- suspended either sees the answer or is woken by it.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select s.* into v_request from public.signature_requests as s where s.id = answer_signature_request.id;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answer(v_request, answer_signature_request.new_msg);

  update public.signature_requests as s
  set signature = answer_signature_request.signature, new_msg = nullif(answer_signature_request.new_msg, s.msg)
  where s.id = v_request.id;
  if not exists (select from private.open_signature_requests(v_run_id)) then
    perform private.hide_messages(array[j.message_id], 0)
    from private.flow_run_jobs as j where j.flow_run_id = v_run_id and not j.is_held;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.bad_value (
  value jsonb,
  depth integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return ': nested too deeply';
  end if;
  v_tag := jsonb_path_query_first(bad_value.value, 'strict $.keyvalue().key', silent => true) #>> '{}';
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': a value is an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': takes a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: takes true or false' end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then '.N: takes 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: takes an array';
      end if;
      for v_member in select e.value, e.ordinality - 1 as index from jsonb_array_elements(v_payload) with ordinality as e loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_member.index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: takes an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', v_member.key, v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(v_tag));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.caller (
  OUT user_id uuid,
  OUT is_anonymous boolean,
  OUT run_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  user_id := private.claimed_user_id();
  is_anonymous := private.is_anonymous_sign_in();
  run_id := private.token_run_id();
  if user_id is not null and not exists (select from auth.users as u where u.id = caller.user_id) then
    perform private.refuse_deleted_user();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_pairs jsonb;
  v_bad text;
begin
  if check_inputs.inputs = '{}' then
    return '{}';
  end if;
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- Expressions, no query: every start goes through here, and a query would cost it as much as two indexes.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || (v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
  return check_inputs.inputs;
end;
$function$;

CREATE OR REPLACE FUNCTION private.checkpoint_flow_run (
  flow_run_id       uuid,
  attempt           integer,
  lease_seconds     integer,
  progress          jsonb,
  hand_back_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.progress);
  perform private.count_progress(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.progress);
  if checkpoint_flow_run.hand_back_seconds is not null then
    perform private.give_back_flow_run(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.hand_back_seconds);
  else
    perform private.hide_messages(
      array(select j.message_id from private.flow_run_jobs as j where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held),
      checkpoint_flow_run.lease_seconds
    );
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[],
  max_lost_claims integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    attempt          integer,
    lost_claim_count integer,
    flow_id          integer,
    user_id          uuid,
    started_by       text,
    inputs           jsonb,
    settings         jsonb,
    snapshot_hash    text,
    snapshot         text,
    work_ms          bigint,
    stop             jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET plan_cache_mode TO 'force_generic_plan'
  SET enable_seqscan TO 'off'
  SET enable_hashjoin TO 'off'
  SET enable_mergejoin TO 'off'
  AS $function$
declare
  v_run_ids uuid[];
  v_lost_id uuid;
  v_lost_claim_count integer;
  v_message_ids bigint[];
  v_turn bigint;
begin
  -- Idle workers neither wait for each other nor look at runs that are due later.
  if not private.has_queued_run() then
    return;
  end if;
  -- One claim at a time: each sees what the others left, and none comes back empty-handed while there is work.
  perform pg_advisory_xact_lock(hashtext('private.claim_flow_runs'));
  loop
    select array_agg(p.flow_run_id) filter (where (p.lost_claim_count > claim_flow_runs.max_lost_claims) is not true),
      (array_agg(p.flow_run_id order by p.lost_claim_count desc) filter (where p.lost_claim_count > claim_flow_runs.max_lost_claims))[1],
      max(p.lost_claim_count)
    into v_run_ids, v_lost_id, v_lost_claim_count
    from private.pick_flow_runs(claim_flow_runs.max_runs) as p;
    exit when v_lost_id is null;
    perform private.end_flow_run(v_lost_id, 'failed', null, array[format(
      'worker_lost: %s workers in a row were lost while they executed this run', v_lost_claim_count
    )], null);
  end loop;
  if v_run_ids is null then
    return;
  end if;

  update public.flow_run as r
  set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
  where r.id = any (v_run_ids) and r.status <> 'running';
  with claimed as (
    update private.flow_run_jobs as j
    set attempt = j.attempt + 1, lost_claim_count = j.lost_claim_count + j.is_held::integer, is_held = true
    where j.flow_run_id = any (v_run_ids)
    returning j.message_id, j.turn
  )
  select array_agg(claimed.message_id), max(claimed.turn) into v_message_ids, v_turn from claimed;
  perform private.hide_messages(v_message_ids, claim_flow_runs.lease_seconds);
  if v_turn > coalesce(pg_sequence_last_value('private.flow_run_turn'), 0) then
    perform setval('private.flow_run_turn', v_turn);
  end if;

  return query
  select
    r.id, j.attempt, j.lost_claim_count, r.flow_id, r.user_id, coalesce(r.started_by::text, r.started_by_public_key), r.inputs,
    jsonb_build_object(
      'output_instructions', r.output_instructions, 'action_identity', r.action_identity, 'action_signer', r.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(r.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', r.chain_network || jsonb_build_object('url', j.chain_url)
    ),
    encode(j.snapshot_hash, 'hex'),
    case when encode(j.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    j.work_ms,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from private.flow_run_jobs as j
  join public.flow_run as r on r.id = j.flow_run_id
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  where j.flow_run_id = any (v_run_ids)
  order by j.turn, j.message_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.claimed_user_id()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := private.request_claims();
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.fail(401, 'token_invalid', 'This needs a user: the service role is nobody in particular.',
      hint => 'Send the access token of the user on whose behalf you call.');
  end if;
  return v_claims ->> 'sub';
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_progress (
  flow_run_id uuid,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (count_progress.progress ->> 'work_ms')::bigint),
    -- It gets somewhere: whatever ended the workers before, it is not what they were doing.
    lost_claim_count = case
      when jsonb_path_exists(count_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = count_progress.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id integer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, private.take_snapshot(v_flow.id),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return v_deployment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_run (
  flow_run_id uuid,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  work_ms     bigint DEFAULT 0
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint := (select j.message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id);
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
  if exists (select from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id) then
    with recursive child as (
      select r.id, r.end_time from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id
      union all
      select r.id, r.end_time from child join public.flow_run as r on r.parent_flow_run_id = child.id
    )
    update public.flow_run as r
    set
      status = case end_flow_run.status when 'stopped' then 'stopped' else 'failed' end,
      errors = case end_flow_run.status when 'stopped' then null else array['the run that called this flow has ended'] end,
      output = '{"M": {}}', not_run = private.not_begun_nodes(r, end_flow_run.flow_run_id), end_time = clock_timestamp()
    from child
    where r.id = child.id and child.end_time is null;
  end if;

  -- Whoever reads them sees that nobody waits for an answer any more.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  -- The job before its message, as heartbeats lock them.
  update private.flow_run_jobs as j
  set
    message_id = null, is_held = false, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
    failed_at = case end_flow_run.status when 'failed' then clock_timestamp() end
  where j.flow_run_id = end_flow_run.flow_run_id;
  delete from pgmq.q_flow_runs as m where m.msg_id = v_message_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  user_id               uuid,
  flow_id               integer,
  inputs                jsonb,
  chain_network         jsonb,
  snapshot_hash         bytea,
  started_by            uuid,
  started_by_public_key text    DEFAULT NULL::text,
  deployment_id         uuid    DEFAULT NULL::uuid,
  output_instructions   boolean DEFAULT false,
  action_identity       text    DEFAULT NULL::text,
  action_signer         text    DEFAULT NULL::text,
  fees                  jsonb   DEFAULT '[]'::jsonb,
  max_starts_per_minute integer DEFAULT NULL::integer,
  max_runs_in_flight    integer DEFAULT NULL::integer,
  idempotency_key       text    DEFAULT NULL::text,
  request               jsonb   DEFAULT NULL::jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_now timestamptz := clock_timestamp();
  v_new_id uuid := private.uuid_v7(v_now);
  v_run_id uuid := v_new_id;
  v_counted_id uuid;
  v_message_id bigint;
begin
  if enqueue_run.action_signer is not null and not private.is_public_key(to_jsonb(enqueue_run.action_signer)) then
    perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
  end if;
  if enqueue_run.idempotency_key is not null then
    v_run_id := private.claim_idempotency_key(
      coalesce('user:' || enqueue_run.started_by, 'key:' || enqueue_run.started_by_public_key), enqueue_run.idempotency_key,
      enqueue_run.request, v_new_id
    );
  end if;
  if v_run_id = v_new_id then
    if enqueue_run.max_starts_per_minute is not null then
      v_counted_id := private.count_start(
        enqueue_run.deployment_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight
      );
    end if;
    insert into public.flow_run (
      id, created_at, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
      output_instructions, action_identity, action_signer, fees, chain_network
    ) values (
      v_run_id, v_now, enqueue_run.user_id, enqueue_run.flow_id, enqueue_run.deployment_id, enqueue_run.started_by,
      enqueue_run.started_by_public_key, jsonb_build_object('M', enqueue_run.inputs), enqueue_run.output_instructions,
      enqueue_run.action_identity, enqueue_run.action_signer, enqueue_run.fees,
      jsonb_build_object('cluster', enqueue_run.chain_network -> 'cluster')
    );
    -- As pgmq.send does, by a statement that it writes and plans at each call: five times the cost of the insert.
    insert into pgmq.q_flow_runs (vt, message) values (clock_timestamp(), jsonb_build_object('flow_run_id', v_run_id))
    returning msg_id into v_message_id;
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, turn)
    values (
      v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id, v_counted_id,
      private.next_turn(enqueue_run.user_id)
    );
  end if;
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_flow_run (
  flow_run_id uuid,
  attempt     integer,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[],
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.store_progress(finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.progress);
  perform private.end_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.status, finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run,
    (finish_flow_run.progress ->> 'work_ms')::bigint
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.finish_flow_runs (
  results jsonb
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_result record;
  v_finished uuid[] := '{}';
begin
  for v_result in
    select f.*
    from jsonb_to_recordset(finish_flow_runs.results) as f (
      flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    cross join lateral (
      select j.counted_deployment_id
      from public.flow_run as r
      join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.id = f.flow_run_id and r.end_time is null and j.attempt = f.attempt
      -- A run that somebody else has locked is left: whoever holds some and waits for others might wait in a circle.
      for no key update of r skip locked
    ) as held
    -- In this order the ends are counted for their deployments when the transaction commits.
    order by held.counted_deployment_id
  loop
    perform private.finish_flow_run(
      v_result.flow_run_id, v_result.attempt, v_result.status, v_result.output, v_result.errors, v_result.not_run, v_result.progress
    );
    v_finished := v_finished || v_result.flow_run_id;
  end loop;
  return v_finished;
end;
$function$;

CREATE OR REPLACE FUNCTION private.give_back_flow_run (
  flow_run_id   uuid,
  delay_seconds integer
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  -- What was given back stays so, whatever of the claim arrives late.
  update private.flow_run_jobs as j
  set
    is_held = false,
    -- Its worker lives: the next loss is the first in a row. Else runs that were there when others ended their workers would be
    -- suspects for as long as they wait, each executed alone while all others are given back.
    lost_claim_count = 0,
    -- Whoever came meanwhile goes first, of the same owner too: many runs in slices are one owner's turn, as new ones are.
    turn = greatest(private.next_turn(j.user_id), (select t.last_value + 1 from private.flow_run_turn as t))
  where j.flow_run_id = give_back_flow_run.flow_run_id and j.is_held
  returning j.message_id into v_message_id;
  perform private.hide_messages(array[v_message_id], give_back_flow_run.delay_seconds);
  return v_message_id is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.heartbeat_flow_runs (
  claims        jsonb,
  lease_seconds integer
)
  RETURNS TABLE (
    flow_run_id uuid,
    is_lost     boolean,
    stop        jsonb
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Jobs are locked, so that a run that is being given back stays so; what is locked is being checkpointed, claimed or ended,
  -- which sets its message itself.
  perform private.hide_messages(
    array(
      select j.message_id
      from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
      join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id and j.attempt = c.attempt
      where j.is_held
      for no key update of j skip locked
    ),
    heartbeat_flow_runs.lease_seconds
  );

  return query
  select c.flow_run_id, j.attempt is distinct from c.attempt or j.message_id is null,
    case when j.stop_requested_at is not null
      then jsonb_build_object('reason', j.stop_reason, 'timeout_millies', j.stop_timeout_millies)
    end
  from jsonb_to_recordset(heartbeat_flow_runs.claims) as c (flow_run_id uuid, attempt integer)
  left join private.flow_run_jobs as j on j.flow_run_id = c.flow_run_id
  where j.attempt is distinct from c.attempt or j.message_id is null or j.stop_requested_at is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.hide_messages (
  message_ids bigint[],
  seconds     integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- pgmq.set_vt does it for one message, by a statement that it writes and plans at each call: five times the cost of the update.
  update pgmq.q_flow_runs as m
  set vt = clock_timestamp() + make_interval(secs => hide_messages.seconds)
  where m.msg_id = any (hide_messages.message_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_anonymous_sign_in()
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return coalesce((private.request_claims() ->> 'is_anonymous')::boolean, false);
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_public_key (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
declare
  v_text text := is_public_key.value #>> '{}';
begin
  if jsonb_typeof(is_public_key.value) <> 'string' or v_text !~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$' then
    return false;
  end if;
  -- The alphabet is in the order of its characters, so numbers of as many digits compare as texts, here with 256^31 and 256^32. Every
  -- start of a caller with a public key asks this, and to decode takes fifty times as long; only zero bytes, which are ones, need it.
  return case
    when v_text like '1%' then octet_length(private.decode_base58(v_text)) = 32
    when length(v_text) = 43 then v_text collate "C" >= '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
    else length(v_text) = 44 and v_text collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_run_status (
  status     text,
  start_time timestamp with time zone,
  end_time   timestamp with time zone,
  output     jsonb,
  errors     text[]
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  case is_run_status.status
    when 'queued' then return num_nonnulls(is_run_status.start_time, is_run_status.end_time, is_run_status.output, is_run_status.errors) = 0;
    when 'running', 'waiting' then
      return is_run_status.start_time is not null and num_nonnulls(is_run_status.end_time, is_run_status.output, is_run_status.errors) = 0;
    when 'succeeded' then
      return is_run_status.start_time is not null and is_run_status.end_time is not null and is_run_status.errors is null;
    when 'failed' then return is_run_status.end_time is not null and coalesce(cardinality(is_run_status.errors) > 0, false);
    when 'stopped' then return is_run_status.end_time is not null and coalesce(cardinality(is_run_status.errors) > 0, true);
    else return false;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_write_item (
  claim  jsonb,
  effect jsonb,
  store  text,
  key    text,
  value  jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_write_item.claim);
  v_output jsonb := private.lock_effect(kv_write_item.effect, v_user_id);
  v_bad text;
  v_old_value jsonb;
begin
  if v_output is not null then
    return v_output #> '{M,old_value}';
  end if;
  v_bad := private.bad_value(kv_write_item.value, 64);
  if v_bad is not null then
    perform private.fail(400, 'kv_value_invalid', 'value' || v_bad);
  end if;

  -- Writers of one user take turns: what is read here is what is replaced.
  perform from private.kv_usage as u where u.user_id = v_user_id for no key update;
  if not exists (select from public.kv_stores as s where s.user_id = v_user_id and s.name = kv_write_item.store) then
    perform private.kv_store_missing(kv_write_item.store);
  end if;
  select i.value into v_old_value
  from public.kv_items as i
  where i.user_id = v_user_id and i.store = kv_write_item.store and i.key = kv_write_item.key;
  begin
    insert into public.kv_items (user_id, store, key, value)
    values (v_user_id, kv_write_item.store, kv_write_item.key, kv_write_item.value)
    on conflict on constraint kv_items_pkey do update set value = excluded.value;
  exception when check_violation then
    perform private.fail(400, 'kv_key_invalid', 'A key takes 1 to 1024 bytes.');
  end;

  perform private.keep_effect(kv_write_item.effect, jsonb_build_object(
    'M', case when v_old_value is null then '{}' else jsonb_build_object('old_value', v_old_value) end
  ));
  return v_old_value;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_caller()
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.claimed_user_id();
begin
  if v_user_id is not null then
    perform from auth.users as u where u.id = v_user_id for key share;
    if not found then
      perform private.refuse_deleted_user();
    end if;
  end if;
  return v_user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_user()
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_caller();
begin
  if v_user_id is null then
    perform private.unauthenticated();
  end if;
  return v_user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.next_turn (
  user_id uuid
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  return greatest(
    coalesce(pg_sequence_last_value('private.flow_run_turn'), 0),
    (select max(j.turn) + 1 from private.flow_run_jobs as j where j.user_id = next_turn.user_id and j.message_id is not null)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.pending_snapshots()
  RETURNS bytea[]
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  return array(select distinct j.snapshot_hash from private.flow_run_jobs as j where j.message_id is not null);
end;
$function$;

CREATE OR REPLACE FUNCTION private.pick_flow_runs (
  max_runs integer
)
  RETURNS TABLE (
    flow_run_id      uuid,
    lost_claim_count integer
  )
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run_ids uuid[];
  v_lost_claim_counts integer[];
begin
  select array_agg(free.flow_run_id), array_agg(free.lost_claim_count) into v_run_ids, v_lost_claim_counts
  from (
    select j.flow_run_id, j.lost_claim_count + j.is_held::integer as lost_claim_count
    from private.flow_run_jobs as j
    join pgmq.q_flow_runs as m on m.msg_id = j.message_id
    join public.flow_run as r on r.id = j.flow_run_id
    where j.message_id is not null and m.vt <= clock_timestamp()
    order by j.turn, j.message_id
    limit pick_flow_runs.max_runs
    -- All three rows: what an older claim, a stop or a heartbeat has just changed is looked at anew, and whom one of them is
    -- changing now is no worker's to take over.
    for no key update skip locked
  ) as free;
  -- A run that lost two workers may be what ended them: it goes alone, so that it takes no others along, when it is the first.
  if v_lost_claim_counts[1] >= 2 then
    v_run_ids := v_run_ids[:1];
  elsif 2 <= any (v_lost_claim_counts) then
    -- Others take the places of those that have to wait for that.
    v_run_ids := array(
      select j.flow_run_id
      from private.flow_run_jobs as j
      join pgmq.q_flow_runs as m on m.msg_id = j.message_id
      join public.flow_run as r on r.id = j.flow_run_id
      where j.message_id is not null and m.vt <= clock_timestamp() and j.lost_claim_count + j.is_held::integer < 2
      order by j.turn, j.message_id
      limit pick_flow_runs.max_runs
      for no key update skip locked
    );
  end if;
  return query
  select j.flow_run_id, j.lost_claim_count + j.is_held::integer from private.flow_run_jobs as j where j.flow_run_id = any (v_run_ids);
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_deleted_user()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(401, 'token_invalid', 'The user of this access token does not exist any more.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.runner_jobs (
  max_age interval
)
  RETURNS TABLE (
    name     text,
    schedule text,
    command  text
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  values
    ('flow_runner_poke', '10 seconds', 'select private.poke_runner()'),
    -- A job is one transaction, which deletes a bounded number of rows, in half a second: so often, as many as 166 starts a second make.
    ('flow_runner_sweep', '* * * * *', format('select private.sweep_runner(max_age => %L::interval, max_runs => 10000)', runner_jobs.max_age)),
    -- pg_cron itself keeps what it has run for ever.
    ('flow_runner_history', '17 3 * * *', 'delete from cron.job_run_details as d using cron.job as j '
      'where j.jobid = d.jobid and j.jobname in (''flow_runner_poke'', ''flow_runner_sweep'', ''flow_runner_history'') '
      'and d.end_time < now() - interval ''1 day''');
$function$;

CREATE OR REPLACE FUNCTION private.runner_metrics()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- The time as a sub-select: a volatile function in a condition would keep the indexes from being used.
  with queue as (
    select count(*) as length, (select clock_timestamp()) - min(m.vt) as age
    from pgmq.q_flow_runs as m
    where m.vt <= (select clock_timestamp())
  ),
  hidden as (
    select count(*) filter (where j.is_held) as running,
      count(*) filter (where not j.is_held and r.status <> 'waiting') as delayed
    from pgmq.q_flow_runs as m
    join private.flow_run_jobs as j on j.message_id = m.msg_id and j.message_id is not null
    join public.flow_run as r on r.id = j.flow_run_id
    where m.vt > (select clock_timestamp())
  )
  select jsonb_build_object(
    'queue_length', queue.length,
    'oldest_queued_seconds', round(extract(epoch from queue.age), 3),
    'delayed', hidden.delayed,
    'running', hidden.running,
    'waiting', (
      -- A sub-select is a look at the key for each run that has not ended; a join might read all runs.
      select count(*) from private.flow_run_jobs as j
      where j.message_id is not null and (select r.status from public.flow_run as r where r.id = j.flow_run_id) = 'waiting'
    ),
    'failed_last_hour', (
      select count(*) from private.flow_run_jobs as j where j.failed_at > (select clock_timestamp()) - interval '1 hour'
    )
  )
  from queue cross join hidden;
$function$;

CREATE OR REPLACE FUNCTION private.start_deployment (
  id              uuid,
  flow            integer,
  tag             text,
  inputs          jsonb,
  action_signer   text,
  public_key      text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_caller();
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if (start_deployment.id is null) = (start_deployment.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if start_deployment.tag is not null and start_deployment.flow is null then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
  if v_user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif not private.is_public_key(to_jsonb(start_deployment.public_key)) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment, and so its snapshot, stays until the run is stored; deploys, customising and other starts don't wait.
  -- After the caller, as the deletion of a user goes: whoever had the deployment already would wait for the user in a circle.
  loop
    select d.* into v_deployment
    from public.flow_deployments as d
    where d.id = coalesce(start_deployment.id, (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    ))
    for key share;
    -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
    exit when found or start_deployment.id is not null or not exists (
      select from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    );
  end loop;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_user_id, false)
    when 'Authenticated' then v_user_id is not null and (v_deployment.user_id = v_user_id or not private.is_anonymous_sign_in())
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;

  if start_deployment.idempotency_key is not null then
    v_request := jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    );
  end if;
  return private.enqueue_run(
    user_id => v_deployment.user_id, flow_id => v_deployment.entrypoint, deployment_id => v_deployment.id,
    started_by => v_user_id,
    started_by_public_key => case when v_user_id is null then start_deployment.public_key end,
    inputs => private.check_inputs(coalesce(start_deployment.inputs, '{}')),
    output_instructions => v_deployment.output_instructions, action_identity => v_deployment.action_identity,
    action_signer => start_deployment.action_signer, fees => v_deployment.fees,
    chain_network => v_deployment.chain_network, snapshot_hash => v_deployment.snapshot_hash,
    max_starts_per_minute => case when v_deployment.user_id is distinct from v_user_id then v_deployment.max_starts_per_minute end,
    max_runs_in_flight => v_deployment.max_runs_in_flight,
    idempotency_key => start_deployment.idempotency_key, request => v_request
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => private.check_inputs(coalesce(start_flow.inputs, '{}')), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => private.take_snapshot(v_flow.id),
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
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
  v_run_id uuid := private.root_run_id((private.run_for_caller(stop_flow_run.flow_run_id)).id);
  v_job private.flow_run_jobs;
begin
  if stop_flow_run.timeout_millies not between 0 and 300000 then
    perform private.fail(400, 'request_invalid', 'timeout_millies: takes an integer from 0 to 300000.');
  end if;
  if char_length(stop_flow_run.reason) > 1000 then
    perform private.fail(400, 'request_invalid', 'reason: takes at most 1000 characters.');
  end if;
  -- The lock that claims take too, and first: a run is either not begun yet, or its worker gets to know.
  perform from public.flow_run as r where r.id = v_run_id for no key update;
  select j.* into v_job from private.flow_run_jobs as j where j.flow_run_id = v_run_id;
  if v_job.message_id is null then
    return;
  elsif v_job.attempt = 0 then
    perform private.end_flow_run(v_run_id, 'stopped', null, null, null);
  else
    update private.flow_run_jobs as j
    set stop_requested_at = clock_timestamp(), stop_reason = stop_flow_run.reason, stop_timeout_millies = stop_flow_run.timeout_millies
    where j.flow_run_id = v_run_id and j.stop_requested_at is null;
    if not v_job.is_held then
      -- Nobody has it now, and it may wait for a time to come.
      perform private.hide_messages(array[v_job.message_id], 0);
    end if;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_child_runs (
  run      public.flow_run,
  children jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.flow_run as r (
    id, created_at, user_id, flow_id, status, started_by, started_by_public_key, inputs, output, errors, not_run, start_time, end_time,
    parent_flow_run_id, parent_node_id, parent_times, chain_network
  )
  select
    c.id, private.uuid_v7_time(c.id), run.user_id, c.flow_id, c.status, run.started_by, run.started_by_public_key, c.inputs, c.output, c.errors, c.not_run,
    c.start_time, c.end_time, c.parent_flow_run_id, c.parent_node_id, c.parent_times, run.chain_network
  from jsonb_to_recordset(store_child_runs.children) as c (
    id uuid, flow_id integer, status text, inputs jsonb, output jsonb, errors text[], not_run uuid[], start_time timestamptz,
    end_time timestamptz, parent_flow_run_id uuid, parent_node_id uuid, parent_times integer
  )
  on conflict on constraint flow_run_pkey do update
  set status = excluded.status, output = excluded.output, errors = excluded.errors, not_run = excluded.not_run, end_time = excluded.end_time
  -- A request that was held up takes nothing back.
  where r.end_time is null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_progress (
  flow_run_id uuid,
  attempt     integer,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.hold_flow_run(store_progress.flow_run_id, store_progress.attempt);
begin
  if store_progress.progress -> 'children' <> '[]' then
    perform private.store_child_runs(v_run, store_progress.progress -> 'children');
  end if;

  if store_progress.progress -> 'node_runs' <> '[]' then
    insert into public.node_run as n (flow_run_id, node_id, times, user_id, start_time, end_time, input, output, errors)
    select p.flow_run_id, p.node_id, p.times, v_run.user_id, p.start_time, p.end_time, p.input, p.output, p.errors
    from jsonb_to_recordset(store_progress.progress -> 'node_runs') as p (
      flow_run_id uuid, node_id uuid, times integer, start_time timestamptz, end_time timestamptz, input jsonb, output jsonb, errors text[]
    )
    on conflict on constraint node_run_pkey do update
    set end_time = excluded.end_time, output = excluded.output, errors = excluded.errors
    -- A request that was held up takes nothing back, nor does the news that a node has begun. One that goes on may have put
    -- something out already.
    where n.end_time is null and (excluded.end_time is not null or excluded.output is not null);
  end if;

  if store_progress.progress -> 'transactions' <> '[]' then
    update private.flow_run_transactions as t
    set outcome = p.outcome, signature = p.signature
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (
      flow_run_id uuid, node_id uuid, times integer, outcome text, signature text
    )
    where t.flow_run_id = p.flow_run_id and t.node_id = p.node_id and t.times = p.times and t.outcome is null;
    -- Else one that nobody needs an answer to any more, such as that of an action whose signer just sent it, stands before the
    -- next transaction's: it would be the one that wallets are told, and keep the run from going on when those are answered.
    update public.signature_requests as s
    set expires_at = clock_timestamp()
    from jsonb_to_recordset(store_progress.progress -> 'transactions') as p (flow_run_id uuid, node_id uuid, times integer)
    where s.flow_run_id = p.flow_run_id and s.node_id = p.node_id and s.times = p.times
      and s.signature is null and s.expires_at > clock_timestamp();
  end if;

  if store_progress.progress -> 'logs' <> '[]' then
    insert into public.flow_run_logs (flow_run_id, log_index, user_id, node_id, times, time, log_level, module, content)
    select l.flow_run_id, l.log_index, v_run.user_id, l.node_id, l.times, l.time, l.log_level, l.module, l.content
    from jsonb_to_recordset(store_progress.progress -> 'logs') as l (
      flow_run_id uuid, log_index integer, node_id uuid, times integer, time timestamptz, log_level text, module text, content text
    )
    on conflict on constraint flow_run_logs_pkey do nothing;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.suspend_flow_run (
  flow_run_id uuid,
  attempt     integer,
  progress    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_seconds integer;
begin
  perform private.store_progress(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
  perform private.count_progress(suspend_flow_run.flow_run_id, suspend_flow_run.progress);
  -- The run is locked: an answer or a stop has come before, or finds nobody who holds it. A request that has expired is open to a
  -- worker whose clock is behind: without a second between, it would give the run back on and on.
  select coalesce(
    ceil(extract(epoch from min(s.expires_at) filter (where s.expires_at > clock_timestamp()) - clock_timestamp())), least(count(*), 1)
  ) into v_seconds
  from public.signature_requests as s
  join private.flow_run_transactions as t on (t.flow_run_id, t.node_id, t.times) = (s.flow_run_id, s.node_id, s.times)
  where s.root_flow_run_id = suspend_flow_run.flow_run_id and s.signature is null and t.outcome is null;
  if exists (
    select from private.flow_run_jobs as j where j.flow_run_id = suspend_flow_run.flow_run_id and j.stop_requested_at is not null
  ) then
    v_seconds := 0;
  end if;
  if private.give_back_flow_run(suspend_flow_run.flow_run_id, greatest(v_seconds, 0)) then
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
  v_messages bigint;
  v_snapshots bigint;
  v_hashes bytea[];
  v_used_hashes bytea[];
begin
  perform private.check_sweep(sweep_runner.max_age, sweep_runner.max_runs);

  -- Whatever a transaction under way has locked is left for the next sweep, so that nobody waits for a sweep that waits. `offset 0`
  -- keeps `not exists` a look at an index for each row; a join would read all of it.
  delete from public.flow_run as r
  where r.id = any (array(
    select old.id from public.flow_run as old
    -- The ids tell when runs were made, which is before they ended: no index of the ends is needed, which starts would pay for.
    where old.id < (select private.uuid_v7(greatest(now() - sweep_runner.max_age, 'epoch')))
      and old.parent_flow_run_id is null and old.end_time < now() - sweep_runner.max_age
    order by old.id limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_runs = row_count;

  delete from private.idempotency_keys as k
  where k.key_hash = any (array(
    select old.key_hash from private.idempotency_keys as old
    where old.created_at < now() - interval '24 hours'
    order by old.created_at limit sweep_runner.max_runs
    for update skip locked
  ));
  get diagnostics v_keys = row_count;

  select count(*) into v_messages
  from unnest(array(
    select m.msg_id from pgmq.q_flow_runs as m
    where not exists (select from private.flow_run_jobs as j where j.message_id = m.msg_id and j.message_id is not null)
    limit sweep_runner.max_runs
    for update skip locked
  )) as leftover (id)
  where pgmq.delete('flow_runs', leftover.id);

  -- What the end of a run had locked when its deployment was deleted.
  delete from private.deployment_usage as u
  where (u.deployment_id, u.slot) in (
    select old.deployment_id, old.slot from private.deployment_usage as old
    where not exists (select from public.flow_deployments as d where d.id = old.deployment_id offset 0)
    limit sweep_runner.max_runs
    for update skip locked
  );

  -- Last, since a start of the same graph waits for it. From the lock on nobody can take a snapshot anew; whoever took it before
  -- is seen in this order: a deployment that is gone by the first look has had its starts committed by the second.
  v_used_hashes := private.pending_snapshots();
  v_hashes := array(
    select s.hash from private.flow_snapshots as s
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash offset 0)
      and s.hash <> all (v_used_hashes)
    limit sweep_runner.max_runs
    for update skip locked
  );
  v_hashes := array(
    select u.hash from unnest(v_hashes) as u (hash)
    where not exists (select from public.flow_deployments as d where d.snapshot_hash = u.hash offset 0)
  );
  v_used_hashes := private.pending_snapshots();
  delete from private.flow_snapshots as s where s.hash = any (v_hashes) and s.hash <> all (v_used_hashes);
  get diagnostics v_snapshots = row_count;

  return jsonb_build_object(
    'runs', v_runs, 'idempotency_keys', v_keys, 'messages', v_messages, 'snapshots', v_snapshots,
    'has_more', sweep_runner.max_runs <= greatest(v_runs, v_keys, v_messages, v_snapshots)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Not what an end of a run has locked, who may hold more of them, in another order: a sweep takes it along.
  delete from private.deployment_usage as u
  where u.deployment_id = old.id and u.slot in (
    select free.slot from private.deployment_usage as free where free.deployment_id = old.id for update skip locked
  );
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.uuid_v7 (
  at timestamp with time zone DEFAULT clock_timestamp()
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  -- A double holds the microseconds of our time; the numeric of extract would cost more than all the rest.
  v_microseconds bigint := round(date_part('epoch', uuid_v7.at) * 1000000);
begin
  -- 48 bits of milliseconds, version 7 with 12 bits of the millisecond's fraction, before 64 bits of a random UUID's second half,
  -- which already starts with the variant bits. The milliseconds stand 16 bits up: 2^12 times of them are in the fraction's sum.
  return encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(v_microseconds * 512 / 125 + v_microseconds / 1000 * 61440 + 28672) from 1 for 8
    ),
    'hex'
  )::uuid;
end;
$function$;

CREATE OR REPLACE FUNCTION public.finish_flow_runs (
  results jsonb
)
  RETURNS uuid[]
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.finish_flow_runs(finish_flow_runs.results);
end;
$function$;

REVOKE ALL ON FUNCTION "public"."finish_flow_runs"(jsonb) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_parent_complete"
    CHECK ((((num_nonnulls(parent_flow_run_id, parent_node_id, parent_times) % 3) = 0) AND (num_nulls(parent_flow_run_id, deployment_id) > 0)));

CREATE INDEX flow_run_jobs_failed_at_idx ON private.flow_run_jobs USING btree (failed_at)
  WHERE (failed_at IS NOT NULL);

COMMENT ON COLUMN "private"."flow_run_jobs"."failed_at" IS 'When the run failed, if it did, for the metrics: an index of flow_run''s own ends would be written at the end of every run.';

COMMENT ON COLUMN "private"."flow_run_jobs"."snapshot_hash" IS 'What the run executes. No foreign key, which every start would pay for: sweep_runner, which alone deletes snapshots, leaves those of runs that have not ended.';

COMMENT ON COLUMN "public"."flow_run"."created_at" IS 'The time in the id, which whoever makes the run gives for both.';

COMMENT ON COLUMN "public"."flow_run"."user_id" IS 'The owner of the flow. No foreign key, which every start would pay for: runs go with their flow, and flows with their owner.';

COMMENT ON FUNCTION "private"."bad_value"(jsonb, integer) IS 'What is wrong with a tagged value, after the path to it (''.A[0].S: takes a string''), or null. Checks tags and JSON types down to `depth` levels; ranges are the door''s and the runner''s.';

COMMENT ON FUNCTION "private"."check_inputs"(jsonb) IS 'The inputs of a flow; refuses those that are not an object of one-tag values, 64 levels deep and 1 MiB at most: 400 inputs_invalid, 413 inputs_too_large.';

COMMENT ON FUNCTION "private"."claimed_user_id"() IS 'Whom the credential names, who may have been deleted since; null where it names nobody. 401 token_invalid for the service role.';

COMMENT ON FUNCTION "private"."count_progress"(uuid, jsonb) IS 'Notes how long a run that goes on has been worked on, and that its worker was not lost with it. Definer: jobs are private.';

COMMENT ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[], bigint) IS 'Ends a root run with its result, what is left of its children, and its open signature requests, and takes its message out of the queue. A null not_run is made of the snapshot. Definer: the one place where runs end.';

COMMENT ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) IS
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."finish_flow_runs"(jsonb) IS 'Does what public.finish_flow_runs says. Definer: nobody else ends runs, and the queue is private.';

COMMENT ON FUNCTION "private"."hide_messages"(bigint[], integer) IS 'Keeps messages from being claimed for so many seconds from now, and no longer. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."is_anonymous_sign_in"() IS 'Whether the caller is a user by one of Supabase''s anonymous sign-ins.';

COMMENT ON FUNCTION "private"."is_run_status"(text, timestamp with time zone, timestamp with time zone, jsonb, text[]) IS 'Whether a run may have this status with these times, output and errors. A function, since the expression of a check constraint is read and planned anew by each statement, which costs a start more than all its indexes.';

COMMENT ON FUNCTION "private"."lock_caller"() IS 'The calling user, for what is stored in the user''s name: nobody deletes the user until the transaction ends. Null for a caller who is no user. Definer for the same reason as private.caller().';

COMMENT ON FUNCTION "private"."lock_user"() IS 'As private.lock_caller(), where only a user does; 401 unauthenticated when there is none. Definer for the same reason.';

COMMENT ON FUNCTION "private"."pending_snapshots"() IS 'The snapshots of runs that have not ended, by hash. Definer: the jobs are private.';

COMMENT ON FUNCTION "private"."pick_flow_runs"(integer) IS 'Locks the runs to claim next, in turn: those whose message is visible. Definer: queue and jobs are private; called under the lock of claim_flow_runs.';

COMMENT ON FUNCTION "private"."refuse_deleted_user"() IS 'Raises the one refusal of users who are deleted.';

COMMENT ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) IS 'Stores runs that interflow nodes of a run''s tree started; they take owner, starter and network over. Definer: runs are written by functions only.';

COMMENT ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) IS 'Stores what a claimed run has come to, {children, node_runs, transactions, logs}, replay-safe; 409 claim_lost when the claim is not the newest. Definer: nobody else writes these tables.';

COMMENT ON FUNCTION "public"."finish_flow_runs"(jsonb) IS 'For the runner: finishes several runs in one transaction, [{flow_run_id, attempt, status, output, errors, not_run, progress}], each as finish_flow_run does, and returns the ids of those that it finished. It leaves those of an older claim and those that another transaction has locked; with one that can''t be stored it finishes none.';

COMMENT ON FUNCTION "public"."sweep_runner"(interval, integer) IS 'For operators: deletes runs that ended longer than max_age ago (null: none) with all that is theirs, idempotency keys of more than 24 hours, messages that belong to no run, usage of deployments that are gone, and snapshots that neither a deployment nor a run that has not ended needs; of each at most max_runs. Returns {runs, idempotency_keys, messages, snapshots, has_more}: how many, and whether to call again. 400 request_invalid.';

COMMENT ON TABLE "public"."flow_run" IS 'Runs of flows: written by functions only, read by the flow''s owner and by whoever started the run. Its settings are copies of a deployment''s, which has checked them.';

REVOKE ALL ON FUNCTION "private"."bad_value"(jsonb, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."bad_value"(jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."bad_value"(jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_inputs"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."claimed_user_id"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."claimed_user_id"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."claimed_user_id"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_progress"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_progress"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_progress"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[], bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[], bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[], bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."finish_flow_runs"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."finish_flow_runs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_runs"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."finish_flow_runs"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."hide_messages"(bigint[], integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hide_messages"(bigint[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hide_messages"(bigint[], integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_anonymous_sign_in"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_anonymous_sign_in"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_anonymous_sign_in"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_run_status"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_run_status"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_run_status"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_caller"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_caller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_caller"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_user"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_user"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_user"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."pending_snapshots"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pending_snapshots"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pending_snapshots"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick_flow_runs"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick_flow_runs"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_deleted_user"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_deleted_user"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_deleted_user"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_child_runs"(public.flow_run, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "public"."finish_flow_runs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_runs"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_runs"(jsonb) TO "service_role";

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_status_consistent" CHECK (private.is_run_status(status, start_time, end_time, output, errors));

-- What the metrics count as failed within the hour.
UPDATE private.flow_run_jobs AS j
SET failed_at = r.end_time
FROM public.flow_run AS r
WHERE r.id = j.flow_run_id AND r.status = 'failed' AND r.end_time > now() - interval '1 hour';
