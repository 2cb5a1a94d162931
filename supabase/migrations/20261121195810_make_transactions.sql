SET local check_function_bodies = off;

DROP INDEX "public"."signature_requests_flow_run_id_idx";

ALTER TABLE "public"."flow_deployments"
  DROP CONSTRAINT "flow_deployments_action_identity_public_key";

ALTER TABLE "public"."flow_deployments"
  DROP CONSTRAINT "flow_deployments_fees_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_action_identity_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_action_signer_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_fees_valid";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_started_by_public_key_valid";

ALTER TABLE "public"."signature_requests"
  DROP CONSTRAINT "signature_requests_pubkey_valid";

ALTER TABLE "public"."wallets"
  DROP CONSTRAINT "wallets_public_key_valid";

DROP FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb);

DROP FUNCTION "private"."fail"(integer, text, text, jsonb, text);

DROP FUNCTION "private"."has_queued_run"(interval);

DROP FUNCTION "private"."is_fees"(jsonb);

DROP FUNCTION "private"."is_public_key"(jsonb);

DROP FUNCTION "private"."next_turn"(uuid);

DROP FUNCTION "private"."pick"(jsonb, text[]);

DROP FUNCTION "private"."request_claims"();

DROP FUNCTION "private"."request_header"(text);

DROP FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer);

DROP FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer);

DROP FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb);

DROP FUNCTION "public"."flow_run_result"(uuid);

DROP FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text);

DROP FUNCTION "public"."start_flow"(integer, jsonb, text, text);

CREATE SEQUENCE "private"."queue_check_message" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE SEQUENCE "private"."queue_full_until" AS bigint INCREMENT BY 1 MINVALUE 0 MAXVALUE 9223372036854775807 START WITH 0 CACHE 1 NO CYCLE;

CREATE TABLE "private"."deployment_usage" (
  "deployment_id"         uuid                     NOT NULL,
  "slot"                  integer                  NOT NULL,
  "minute"                timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp WITH time zone,
  "starts"                integer                  NOT NULL DEFAULT 0,
  "in_flight"             integer                  NOT NULL DEFAULT 0,
  "reserved"              integer                  NOT NULL DEFAULT 0,
  "max_starts_per_minute" integer                  NOT NULL DEFAULT 0,
  "max_runs_in_flight"    integer                  NOT NULL DEFAULT 0,
  CONSTRAINT "deployment_usage_pkey" PRIMARY KEY (deployment_id, slot),
  CONSTRAINT "deployment_usage_reserved_natural" CHECK ((reserved >= 0)),
  CONSTRAINT "deployment_usage_starts_natural" CHECK ((starts >= 0))
);

ALTER TABLE "private"."deployment_usage"
  SET (fillfactor=50);

CREATE TABLE "private"."flow_run_transactions" (
  "flow_run_id"             uuid                     NOT NULL,
  "node_id"                 uuid                     NOT NULL,
  "times"                   integer                  NOT NULL,
  "root_flow_run_id"        uuid                     NOT NULL,
  "created_at"              timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  "members"                 jsonb                    NOT NULL,
  "message"                 text                     NOT NULL,
  "wire"                    text,
  "memo"                    text,
  "has_fees"                boolean                  NOT NULL,
  "slot"                    bigint                   NOT NULL,
  "last_valid_block_height" bigint                   NOT NULL,
  "outcome"                 text,
  "signature"               text,
  CONSTRAINT "flow_run_transactions_heights_natural" CHECK (((slot >= 0) AND (last_valid_block_height >= 0))),
  CONSTRAINT "flow_run_transactions_key_is_first_member" CHECK ((((members -> 0) @> jsonb_build_object('flow_run_id', flow_run_id, 'node_id', node_id, 'times', times)) IS TRUE)),
  CONSTRAINT "flow_run_transactions_outcome_known" CHECK ((outcome = ANY (ARRAY['confirmed'::text, 'failed'::text]))),
  CONSTRAINT "flow_run_transactions_pkey" PRIMARY KEY (flow_run_id, node_id, times),
  CONSTRAINT "flow_run_transactions_signature_matches_outcome" CHECK (
CASE outcome
    WHEN 'confirmed'::text THEN (signature IS NOT NULL)
    WHEN 'failed'::text THEN true
    ELSE (signature IS NULL)
END),
  CONSTRAINT "flow_run_transactions_times_natural" CHECK ((times >= 0))
);

CREATE TABLE "private"."queue_settings" (
  "id"         boolean NOT NULL DEFAULT true,
  "max_length" integer NOT NULL,
  CONSTRAINT "queue_settings_max_length_natural" CHECK ((max_length >= 0)),
  CONSTRAINT "queue_settings_pkey" PRIMARY KEY (id),
  CONSTRAINT "queue_settings_single" CHECK (id)
);

ALTER TABLE "private"."flow_run_jobs"
  ADD COLUMN "counted_deployment_id" uuid;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_starts_per_minute" integer NOT NULL DEFAULT 60000;

ALTER TABLE "public"."flow_deployments"
  ADD COLUMN "max_runs_in_flight" integer NOT NULL DEFAULT 10000;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "node_id" uuid NOT NULL;

ALTER TABLE "public"."signature_requests"
  ADD COLUMN "times" integer NOT NULL;

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
    perform pgmq.set_vt('flow_runs', j.message_id, 0)
    from private.flow_run_jobs as j where j.flow_run_id = v_run_id and not j.is_held;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.asking_flow_runs (
  flow_run_ids uuid[]
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select asked.id
  from unnest(asking_flow_runs.flow_run_ids) as asked (id)
  cross join lateral private.root_run_id(asked.id) as root (id)
  where exists (select from private.open_signature_requests(root.id))
    -- Who waits for a run that is gone need not wait either.
    or not exists (select from public.flow_run as r where r.id = root.id and r.end_time is null);
$function$;

CREATE OR REPLACE FUNCTION private.check_answer (
  request public.signature_requests,
  new_msg text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := (select r from public.flow_run as r where r.id = request.root_flow_run_id);
  v_state jsonb := jsonb_build_object(
    'signature', request.signature, 'new_msg', request.new_msg, 'expires_at', request.expires_at, 'run_status', v_run.status
  );
begin
  if request.signature is not null then
    perform private.fail(409, 'signature_request_answered', 'This signature request is answered already.', v_state,
      'Where details.signature is the one that you sent, it was taken.');
  end if;
  if v_run.end_time is not null then
    perform private.fail(409, 'signature_request_expired', 'The run that asked for this signature has ended.', v_state);
  end if;
  if request.expires_at <= clock_timestamp() then
    perform private.fail(409, 'signature_request_expired', 'The time to answer this signature request is over.', v_state,
      'Start the run again, and sign before expires_at.');
  end if;
  if check_answer.new_msg <> request.msg and (
    jsonb_array_length(request.signatures) > 0
      or exists (
        select from public.signature_requests as other
        where (other.flow_run_id, other.node_id, other.times) = (request.flow_run_id, request.node_id, request.times)
          and other.id <> request.id
      )
  ) then
    perform private.fail(400, 'transaction_changed',
      'Others have signed this transaction as it is, or are asked to: a change would invalidate their signatures.',
      hint => 'Sign message unchanged, and leave new_msg out.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_queue_length()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_max_length integer;
  v_message_id bigint;
  v_length integer;
begin
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  perform private.lock_queue_check();
  -- Whoever had the lock has counted, or changed the limit.
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  v_message_id := coalesce(pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq'), 0);
  if v_message_id < pg_sequence_last_value('private.queue_check_message') then
    return;
  end if;
  -- By the index, for which the time is a sub-select: what is due later is not looked at.
  select count(*) into v_length
  from (
    select from pgmq.q_flow_runs as m where m.vt <= (select clock_timestamp()) order by m.vt limit v_max_length
  ) as queued;
  -- A count takes time as it finds runs: the next one comes a hundredth of the limit later, in messages or in milliseconds.
  if v_length >= v_max_length then
    perform setval('private.queue_full_until', private.queue_clock() + v_max_length / 100);
    perform private.refuse_queue_full(v_max_length);
  end if;
  perform setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_usage (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer,
  minute                timestamp with time zone,
  own_starts            integer,
  OUT                   room bigint,
  OUT                   is_same_minute boolean
)
  RETURNS record
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_starts bigint;
  v_runs bigint;
begin
  select
    coalesce(sum(u.starts) filter (where u.minute >= check_usage.minute), 0), coalesce(sum(u.in_flight), 0),
    least(
      check_usage.max_starts_per_minute - coalesce(sum(u.starts + u.reserved) filter (where u.minute >= check_usage.minute), 0),
      check_usage.max_runs_in_flight - coalesce(sum(u.in_flight + u.reserved), 0)
    ),
    -- Read last: had another slot gone on to the next minute, and so given up its count of this one, it would be the next by now.
    date_bin('1 minute', clock_timestamp(), 'epoch') = check_usage.minute
  into v_starts, v_runs, check_usage.room, check_usage.is_same_minute
  from private.deployment_usage as u
  where u.deployment_id = check_usage.deployment_id;

  if v_starts - check_usage.own_starts >= check_usage.max_starts_per_minute then
    perform private.refuse_start('max_starts_per_minute', check_usage.max_starts_per_minute,
      greatest(ceil(extract(epoch from check_usage.minute + interval '1 minute' - clock_timestamp())), 1)::integer);
  end if;
  if v_runs - check_usage.own_starts >= check_usage.max_runs_in_flight then
    perform private.refuse_start('max_runs_in_flight', check_usage.max_runs_in_flight, 5);
  end if;
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
  if checkpoint_flow_run.hand_back_seconds is not null then
    perform private.give_back_flow_run(checkpoint_flow_run.flow_run_id, checkpoint_flow_run.hand_back_seconds);
  else
    perform pgmq.set_vt('flow_runs', j.message_id, checkpoint_flow_run.lease_seconds)
    from private.flow_run_jobs as j where j.flow_run_id = checkpoint_flow_run.flow_run_id and j.is_held;
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_start (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  update private.deployment_usage as u
  set starts = u.starts + 1, in_flight = u.in_flight + 1, reserved = u.reserved - 1
  where u.deployment_id = count_start.deployment_id and u.slot = pg_backend_pid() % 32 and u.reserved > 0
    and u.minute = date_bin('1 minute', clock_timestamp(), 'epoch')
    and u.max_starts_per_minute = count_start.max_starts_per_minute and u.max_runs_in_flight = count_start.max_runs_in_flight;
  if not found then
    perform private.reserve_starts(count_start.deployment_id, count_start.max_starts_per_minute, count_start.max_runs_in_flight);
  end if;
  return count_start.deployment_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.end_flow_run (
  flow_run_id uuid,
  status      text,
  output      jsonb,
  errors      text[],
  not_run     uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_message_id bigint;
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
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

  -- Whoever reads them sees that nobody waits for an answer any more.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  select j.message_id into v_message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id;
  update private.flow_run_jobs as j set message_id = null, is_held = false where j.flow_run_id = end_flow_run.flow_run_id;
  perform pgmq.delete('flow_runs', v_message_id);
end;
$function$;

CREATE OR REPLACE FUNCTION private.enqueue_run (
  run                   public.flow_run,
  snapshot_hash         bytea,
  chain_url             text,
  idempotency_key       text,
  request               jsonb,
  max_starts_per_minute integer         DEFAULT NULL::integer,
  max_runs_in_flight    integer         DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_new_id uuid := private.uuid_v7();
  v_run_id uuid := v_new_id;
  v_counted_id uuid;
begin
  if enqueue_run.idempotency_key is not null then
    v_run_id := private.claim_idempotency_key(
      coalesce('user:' || run.started_by, 'key:' || run.started_by_public_key), enqueue_run.idempotency_key, enqueue_run.request, v_new_id
    );
  end if;
  if v_run_id = v_new_id then
    if enqueue_run.max_starts_per_minute is not null then
      v_counted_id := private.count_start(run.deployment_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight);
    end if;
    insert into public.flow_run (
      id, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
      output_instructions, action_identity, action_signer, fees, chain_network
    ) values (
      v_run_id, run.user_id, run.flow_id, run.deployment_id, run.started_by, run.started_by_public_key, run.inputs,
      run.output_instructions, run.action_identity, run.action_signer, run.fees, run.chain_network
    );
    insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, turn)
    values (
      v_run_id, run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_url,
      (select m.message_id from pgmq.send('flow_runs', jsonb_build_object('flow_run_id', v_run_id)) as m (message_id)),
      v_counted_id,
      private.next_turn(run.user_id)
    );
  end if;
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
end;
$function$;

CREATE OR REPLACE FUNCTION private.environment_fault (
  name  text,
  value text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  -- No fault repeats the value, which may be a secret.
  select case
    when environment_fault.name = 'COMPUTE_BUDGET'
      and (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes auto, no or an integer from 0 to 2^32-1'
    when environment_fault.name = 'FALLBACK_COMPUTE_BUDGET'
      and (private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes an integer from 0 to 2^32-1'
    when environment_fault.name = 'PRIORITY_FEE'
      and not (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) is not null)
      then 'takes auto, no or an integer from 0 to 2^64-1'
    when environment_fault.name in ('SIMULATION_COMMITMENT_LEVEL', 'TX_COMMITMENT_LEVEL', 'WAIT_COMMITMENT_LEVEL')
      and environment_fault.value not in ('processed', 'confirmed', 'finalized')
      then 'takes processed, confirmed or finalized'
    when environment_fault.name in ('OVERWRITE_FEEPAYER', 'DEVNET_LOOKUP_TABLE', 'MAINNET_LOOKUP_TABLE')
      and not private.is_base58(environment_fault.value, 32)
      then 'takes a public key, base58 of 32 bytes'
  end;
$function$;

CREATE OR REPLACE FUNCTION private.environment_findings (
  environment jsonb,
  owner_id    uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select coalesce(jsonb_agg(
      jsonb_build_object('code', finding.code, 'path', 'environment.' || setting.name, 'message', finding.message) order by setting.name
    ), '[]')
    from jsonb_each_text(environment_findings.environment) as setting (name, value)
    cross join lateral (
      select case
        when setting.name = 'OVERWRITE_FEEPAYER' and private.is_key_pair(setting.value) then 'environment_key_pair'
        when private.environment_fault(setting.name, setting.value) is not null then 'environment_value_invalid'
        when setting.name = 'OVERWRITE_FEEPAYER' and not exists (
          select from public.wallets as w
          where w.user_id = environment_findings.owner_id and w.public_key = setting.value and w.type = 'HARDCODED'
        ) then 'environment_wallet_unknown'
      end
    ) as fault (code)
    cross join lateral (
      select fault.code, case fault.code
        when 'environment_key_pair'
          then 'OVERWRITE_FEEPAYER holds a key pair, and no secret belongs into a flow: store it as a HARDCODED wallet, and give its public key there'
        when 'environment_wallet_unknown' then 'OVERWRITE_FEEPAYER takes the public key of a HARDCODED wallet of yours, and you have none of this one'
        else setting.name || ' ' || private.environment_fault(setting.name, setting.value)
      end
    ) as finding (code, message)
    where finding.code is not null
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.fail (
  status  integer,
  code    text,
  message text,
  details jsonb   DEFAULT NULL::jsonb,
  hint    text    DEFAULT NULL::text,
  headers jsonb   DEFAULT '{}'::jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- PostgREST carries details as text only; the Edge Functions give the JSON in it back.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', fail.message, 'details', fail.details::text, 'hint', fail.hint
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.fees_faults (
  fees jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "takes a list of [address, amount] pairs"}]';
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    -- A list of nothing but faults needs no complete answer.
    exit when jsonb_array_length(v_faults) >= 100;
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if not private.is_public_key(v_fee.pair -> 0) then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path || '[0]', 'message', 'takes an address, base58 of 32 bytes');
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'takes lamports, an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_run_history (
  flow_run_id uuid
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r where r.id = flow_run_history.flow_run_id
    union all
    select r.id, r.parent_flow_run_id, r.end_time from tree join public.flow_run as r on r.parent_flow_run_id = tree.id
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id, 'parent_node_id', r.parent_node_id,
        'parent_times', r.parent_times, 'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        'inputs', r.inputs, 'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree join public.flow_run as r on r.id = tree.id
      where tree.parent_flow_run_id is not null
    ),
    'node_runs', (
      -- Of a child that has ended its result is enough.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input}'::text[]), '[]')
      from tree join public.node_run as n on n.flow_run_id = tree.id
      where tree.end_time is null
    ),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message', t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- As text: no number of 64 bits passes through a JavaScript float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- They count against the limit of the tree, though nobody goes through them again.
      select count(*) from tree join public.node_run as n on n.flow_run_id = tree.id where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
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
  perform pgmq.set_vt('flow_runs', v_message_id, give_back_flow_run.delay_seconds);
  return v_message_id is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_queued_run (
  min_age interval DEFAULT '00:00:00'::interval
)
  RETURNS boolean
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_seqscan TO 'off'
  AS $function$
begin
  return coalesce(
    (select m.vt from pgmq.q_flow_runs as m order by m.vt limit 1) <= clock_timestamp() - has_queued_run.min_age, false
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_base58 (
  value      text,
  byte_count integer
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  select coalesce(octet_length(private.decode_base58(is_base58.value)) = is_base58.byte_count, false);
$function$;

CREATE OR REPLACE FUNCTION private.is_base64 (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  select is_base64.value ~ '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$'
    and length(is_base64.value) <= 8192;
$function$;

CREATE OR REPLACE FUNCTION private.is_fees (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    when jsonb_typeof(is_fees.value) <> 'array' then false
    else not exists (
      select
      from jsonb_array_elements(is_fees.value) as fee
      where case
        when jsonb_typeof(fee) <> 'array' or jsonb_array_length(fee) <> 2 then true
        when not coalesce(private.is_public_key(fee -> 0), false) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_key_pair (
  value text
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  select private.is_base58(is_key_pair.value, 64)
    or is_key_pair.value ~ '^\s*\[\s*\d{1,3}(\s*,\s*\d{1,3}){63}\s*\]\s*$';
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
  -- Base58 of 256^0 to 256^32.
  v_powers constant text[] := '{
    2,5R,LUw,2UzHM,7YXq9H,VtB5VXd,3CUsUpv9u,Ahg1opVcGX,jpXCZedGfVR,4FzkJ37568tQw,FPBt6CHo3fovdM,26Uw2Vvq8EnJ7hRH,
    5qCHTcgbQwpvYZQ9d,NKioeUVktgzXLJ1B3u,2d7dWtQMvj9WttA3mMnX,8AQGAut7N92awznwCnjuR,YcVfxkQb6JRzqk5kF2tNLw,
    3QXfYy4b7UPwLJ99wrwKjCyM,BcrMA6SqZZvEpAezV9QmfHqhH,osEoy933LkHyyBcgjE7v81Kvmd,4ZrjxJnU1LA5xSyrWMNuXTvSYKwu,
    Gk2Yb7VgCTZ6sjfwWYwgqTpsjGdJX,2CUupRZfa1aCgvwLsbRzNpuQJuZyEKR,6HgC8KRBEhXYbF4riJyJFLSHt32XBnGw,
    QLbz7JHiBTspS962RLKV8GndWFwiEaqKM,2n1XR4oJkmBdJMxhBGQGb96gQ88xUzxLFyH,8qfKFDmPNA1uDdWpLJyhogk4u4W7taoE15Pd,
    bbn7XmLuiNnyUkAbvEMH74R6CnTXQgB2PLNqu,3diW7pnisfdBvHTXP7wvW5k5Ky1e5DVuF7aXQpX,
    Cd4BX7vopdUjCBe56dfR9Mw86iDpdcAZbJ2yE8jR,tJ93RwaVfE1PEMxd5rpZZuPtLCwbEaDCrNBhAy8Cw,
    4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM,JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH
  }';
  v_text text := is_public_key.value #>> '{}';
  v_digits text;
  v_bytes integer;
begin
  if jsonb_typeof(is_public_key.value) <> 'string' or v_text !~ '^[1-9A-HJ-NP-Za-km-z]{32,44}$' then
    return false;
  end if;
  -- Each leading 1 is a zero byte; the rest is a number of the other bytes. The alphabet is in the order of its characters, so numbers
  -- of as many digits compare as texts: every start of a caller with a public key asks this, and to decode takes fifty times as long.
  v_digits := ltrim(v_text, '1');
  v_bytes := 32 - (length(v_text) - length(v_digits));
  return case
    when v_bytes < 0 then false
    when v_bytes = 0 then v_digits = ''
    else (length(v_digits), v_digits collate "C") >= (length(v_powers[v_bytes]), v_powers[v_bytes] collate "C")
      and (length(v_digits), v_digits collate "C") < (length(v_powers[v_bytes + 1]), v_powers[v_bytes + 1] collate "C")
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_queue_check()
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select pg_advisory_xact_lock(hashtextextended('private.check_queue_length', 0));
$function$;

CREATE OR REPLACE FUNCTION private.max_queue_length()
  RETURNS integer
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce((select s.max_length from private.queue_settings as s), 100000);
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
    (select t.last_value from private.flow_run_turn as t),
    (select max(j.turn) + 1 from private.flow_run_jobs as j where j.user_id = next_turn.user_id and j.message_id is not null)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.open_signature_requests (
  root_flow_run_id uuid
)
  RETURNS SETOF public.signature_requests
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select s.* from public.signature_requests as s
  where s.root_flow_run_id = open_signature_requests.root_flow_run_id
    and s.signature is null and s.expires_at > clock_timestamp()
  order by s.id;
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
  v_run_id uuid := private.root_run_id((private.run_for_caller(pending_signature_request.flow_run_id)).id);
begin
  perform from public.flow_run as r where r.id = v_run_id and r.end_time is null;
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'The run has ended: it asks for no signature any more.');
  end if;
  return jsonb_build_object(
    'request', (
      select jsonb_build_object(
        'id', s.id, 'time', floor(extract(epoch from s.created_at) * 1000), 'pubkey', s.pubkey, 'message', s.msg,
        'timeout', extract(epoch from s.expires_at - s.created_at), 'flow_run_id', s.flow_run_id, 'signatures', s.signatures
      )
      from private.open_signature_requests(v_run_id) as s
      limit 1
    ),
    'is_overdue', private.has_queued_run(interval '2 seconds')
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.pick (
  value   jsonb,
  members text[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_member text;
  v_picked jsonb := '{}';
begin
  if jsonb_typeof(pick.value) is distinct from 'object' then
    return pick.value;
  end if;
  -- In plpgsql, since a deploy calls it several times a node: each call of an SQL function starts an executor.
  foreach v_member in array pick.members loop
    if pick.value ? v_member then
      v_picked := v_picked || jsonb_build_object(v_member, pick.value -> v_member);
    end if;
  end loop;
  return v_picked;
end;
$function$;

CREATE OR REPLACE FUNCTION private.queue_clock()
  RETURNS bigint
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select (extract(epoch from clock_timestamp()) * 1000)::bigint;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_queue_full (
  max_length integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(429, 'queue_full', 'More runs wait to be executed than this project allows.',
    jsonb_build_object('limit', 'max_queue_length', 'value', refuse_queue_full.max_length),
    'Try again after the seconds in Retry-After.', '{"Retry-After": "10"}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_start (
  name                text,
  value               integer,
  retry_after_seconds integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(429, 'start_limit_reached', format('This deployment has reached its %s, %s.', refuse_start.name, refuse_start.value),
    jsonb_build_object('limit', refuse_start.name, 'value', refuse_start.value), 'Try again after the seconds in Retry-After.',
    jsonb_build_object('Retry-After', refuse_start.retry_after_seconds::text));
end;
$function$;

CREATE OR REPLACE FUNCTION private.request_claims()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
end;
$function$;

CREATE OR REPLACE FUNCTION private.request_header (
  name text
)
  RETURNS text
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return nullif(current_setting('request.headers', true), '')::json ->> request_header.name;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reserve_starts (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_slot integer := pg_backend_pid() % 32;
  v_minute timestamptz := date_bin('1 minute', clock_timestamp(), 'epoch');
  v_batch integer;
  v_is_blocked boolean := false;
  v_usage record;
begin
  v_usage := private.check_usage(
    reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 0
  );
  -- A batch for each slot takes half of what there is. Of one transaction only the first reservation is made beside those of
  -- others, which see none of it.
  v_batch := case
    when current_setting('private.has_reserved_starts', true) = 'true' then 0 else least(v_usage.room / 64, 64)
  end;
  loop
    begin
      loop
        -- The slot before the lock of the deployment: who has that waits for no slot.
        perform from private.deployment_usage as u where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot for no key update;
        exit when found;
        insert into private.deployment_usage (deployment_id, slot)
        values (reserve_starts.deployment_id, v_slot), (reserve_starts.deployment_id, -1 - v_slot)
        on conflict on constraint deployment_usage_pkey do nothing;
      end loop;
      if v_batch < 1 then
        -- Alone, after all reservations that were under way, and with what the other slots have left: nothing is missed.
        perform pg_advisory_xact_lock(uuid_hash_extended(reserve_starts.deployment_id, 0));
        update private.deployment_usage as u set reserved = 0
        where u.deployment_id = reserve_starts.deployment_id and u.slot = any (array(
          select other.slot from private.deployment_usage as other
          where other.deployment_id = reserve_starts.deployment_id and other.reserved > 0
          for no key update skip locked
        ));
      elsif not pg_try_advisory_xact_lock_shared(uuid_hash_extended(reserve_starts.deployment_id, 0)) then
        raise sqlstate 'AGAIN';
      end if;

      v_minute := date_bin('1 minute', clock_timestamp(), 'epoch');
      update private.deployment_usage as u
      set
        minute = greatest(u.minute, v_minute), starts = case when u.minute >= v_minute then u.starts + 1 else 1 end,
        in_flight = u.in_flight + 1, reserved = greatest(v_batch - 1, 0),
        max_starts_per_minute = reserve_starts.max_starts_per_minute, max_runs_in_flight = reserve_starts.max_runs_in_flight
      where u.deployment_id = reserve_starts.deployment_id and u.slot = v_slot;
      v_usage := private.check_usage(
        reserve_starts.deployment_id, reserve_starts.max_starts_per_minute, reserve_starts.max_runs_in_flight, v_minute, 1
      );
      -- Each other slot may have one reservation under way that is not seen here.
      if v_usage.is_same_minute and v_usage.room >= 31 * v_batch then
        perform set_config('private.has_reserved_starts', 'true', true);
        return;
      end if;
      v_is_blocked := v_batch < 1 and v_usage.room < 0;
      raise sqlstate 'AGAIN';
    exception when sqlstate 'AGAIN' then
      -- With the subtransaction its locks are gone.
      v_batch := 0;
    end;
    if v_is_blocked then
      -- Starts under way keep what their slots have left: it is waited for without a lock that they could wait for.
      begin
        perform from private.deployment_usage as u
        where u.deployment_id = reserve_starts.deployment_id and u.reserved > 0 order by u.slot for no key update;
        raise sqlstate 'AGAIN';
      exception when sqlstate 'AGAIN' then
        v_is_blocked := false;
      end;
    end if;
  end loop;
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
    perform private.fail(400, 'request_invalid', 'max_length: takes an integer from 0 to 2^31-1.');
  end if;
  perform private.lock_queue_check();
  insert into private.queue_settings as s (max_length) values (set_max_queue_length.max_length)
  on conflict on constraint queue_settings_pkey do update set max_length = excluded.max_length;
  -- The next start counts anew, after this commits.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 0);
end;
$function$;

CREATE OR REPLACE FUNCTION private.signature_request_for_caller (
  id      uuid,
  new_msg text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_request public.signature_requests;
begin
  if v_caller.user_id is null and v_caller.run_id is null then
    perform private.unauthenticated();
  end if;
  select s.* into v_request
  from public.signature_requests as s
  join public.flow_run as r on r.id = s.root_flow_run_id
  where s.id = signature_request_for_caller.id and (
    s.owner_id = v_caller.user_id or s.user_id = v_caller.user_id or r.started_by = v_caller.user_id
      or s.root_flow_run_id = v_caller.run_id
  );
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answer(v_request, signature_request_for_caller.new_msg);
  return jsonb_build_object('id', v_request.id, 'pubkey', v_request.pubkey, 'msg', v_request.msg);
end;
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
  v_caller record := private.caller();
  v_deployment public.flow_deployments;
  v_inputs jsonb := coalesce(start_deployment.inputs, '{}');
  v_run public.flow_run;
begin
  if (start_deployment.id is null) = (start_deployment.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if start_deployment.tag is not null and start_deployment.flow is null then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
  if v_caller.user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif not private.is_public_key(to_jsonb(start_deployment.public_key)) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment stays until the run is stored; deploys, customising and other starts don't wait. Its owner first, as
  -- the deletion of a user goes: whoever had the deployment already would wait for the owner in a circle.
  loop
    select d.* into v_deployment
    from public.flow_deployments as d
    join auth.users as u on u.id = d.user_id
    where d.id = coalesce(start_deployment.id, (
      select t.deployment_id from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    ))
    for key share of u for key share of d;
    -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
    exit when found or start_deployment.id is not null or not exists (
      select from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
    );
  end loop;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_caller.user_id, false)
    when 'Authenticated' then v_caller.user_id is not null and (v_deployment.user_id = v_caller.user_id or not v_caller.is_anonymous)
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;
  perform private.check_start(v_inputs, start_deployment.action_signer);

  v_run.user_id := v_deployment.user_id;
  v_run.flow_id := v_deployment.entrypoint;
  v_run.deployment_id := v_deployment.id;
  v_run.started_by := v_caller.user_id;
  if v_caller.user_id is null then
    v_run.started_by_public_key := start_deployment.public_key;
  end if;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := v_deployment.output_instructions;
  v_run.action_identity := v_deployment.action_identity;
  v_run.action_signer := start_deployment.action_signer;
  v_run.fees := v_deployment.fees;
  v_run.chain_network := jsonb_build_object('cluster', v_deployment.chain_network -> 'cluster');
  return private.enqueue_run(
    v_run, v_deployment.snapshot_hash, v_deployment.chain_network ->> 'url', start_deployment.idempotency_key,
    jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    ),
    case when v_run.started_by is distinct from v_run.user_id then v_deployment.max_starts_per_minute end,
    v_deployment.max_runs_in_flight
  );
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

  update private.flow_run_jobs as j
  set
    work_ms = greatest(j.work_ms, (store_progress.progress ->> 'work_ms')::bigint),
    -- It gets somewhere: whatever ended the workers before, it is not what they were doing.
    lost_claim_count = case
      when jsonb_path_exists(store_progress.progress, '$.node_runs[*].end_time ? (@ != null)') then 0 else j.lost_claim_count
    end
  where j.flow_run_id = store_progress.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_signature_requests (
  run         public.flow_run,
  transaction private.flow_run_transactions,
  requests    jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into public.signature_requests (
    id, flow_run_id, node_id, times, root_flow_run_id, owner_id, user_id, pubkey, msg, signatures, expires_at
  )
  select
    made.id, transaction.flow_run_id, transaction.node_id, transaction.times, run.id, run.user_id,
    case
      when exists (select from public.wallets as w where w.user_id = run.user_id and w.public_key = made.pubkey) then run.user_id
      else run.started_by
    end,
    made.pubkey, made.msg, made.signatures, private.uuid_v7_time(made.id) + made.timeout_ms * interval '1 millisecond'
  from (
    select private.uuid_v7() as id, r.*
    from jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text, signatures jsonb, timeout_ms integer)
  ) as made
  on conflict on constraint signature_requests_transaction_pubkey_key do nothing;

  perform
  from public.signature_requests as s
  join jsonb_to_recordset(store_signature_requests.requests) as r (pubkey text, msg text) on r.pubkey = s.pubkey
  where (s.flow_run_id, s.node_id, s.times) = (transaction.flow_run_id, transaction.node_id, transaction.times) and s.msg <> r.msg;
  if found then
    perform private.fail(500, 'internal', 'A key was asked to sign this transaction before, with another message.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.store_transaction (
  flow_run_id uuid,
  attempt     integer,
  transaction jsonb,
  requests    jsonb
)
  RETURNS json
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_run public.flow_run := private.hold_flow_run(store_transaction.flow_run_id, store_transaction.attempt);
  v_new private.flow_run_transactions := jsonb_populate_record(
    null::private.flow_run_transactions, store_transaction.transaction - '{created_at,outcome,signature}'::text[]
  );
  v_stored private.flow_run_transactions;
begin
  select t.* into v_stored
  from private.flow_run_transactions as t
  where (t.flow_run_id, t.node_id, t.times) = (v_new.flow_run_id, v_new.node_id, v_new.times);
  if v_stored.wire is null and v_stored.outcome is null then
    insert into private.flow_run_transactions (
      flow_run_id, node_id, times, root_flow_run_id, members, message, wire, memo, has_fees, slot, last_valid_block_height
    ) values (
      v_new.flow_run_id, v_new.node_id, v_new.times, v_run.id, v_new.members, v_new.message, v_new.wire, v_new.memo, v_new.has_fees,
      v_new.slot, v_new.last_valid_block_height
    )
    on conflict on constraint flow_run_transactions_pkey do update
    set
      members = excluded.members, message = excluded.message, wire = excluded.wire, memo = excluded.memo, has_fees = excluded.has_fees,
      slot = excluded.slot, last_valid_block_height = excluded.last_valid_block_height;
  elsif (v_new.message, v_new.wire) is distinct from (v_stored.message, v_stored.wire) then
    -- Sent once more in another form, it would be paid twice.
    perform private.fail(500, 'internal', 'This transaction may have been sent, or has ended: it can''t change any more.');
  end if;
  perform private.store_signature_requests(v_run, v_new, store_transaction.requests);
  return private.transaction_requests(v_new.flow_run_id, v_new.node_id, v_new.times);
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

CREATE OR REPLACE FUNCTION private.take_snapshot (
  flow_id integer
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_flow public.flows;
  v_owner uuid;
  v_graph jsonb;
  v_entry jsonb;
  v_flows jsonb := '{}';
  v_wanted integer[] := array[take_snapshot.flow_id];
  v_seen integer[] := '{}';
  v_current integer;
  v_findings jsonb := '[]';
  v_reference record;
  v_data jsonb;
  v_hash bytea;
begin
  select f.user_id into strict v_owner from public.flows as f where f.id = take_snapshot.flow_id;

  -- The flow itself, then every flow that it reaches through interflow nodes; a flow may call itself, directly or in a ring.
  while cardinality(v_wanted) > 0 loop
    v_current := v_wanted[1];
    v_wanted := v_wanted[2:];
    continue when v_current = any (v_seen);
    v_seen := v_seen || v_current;

    select * into v_flow from public.flows as f where f.id = v_current and f.user_id = v_owner;
    v_graph := jsonb_build_object(
      'nodes', private.reduce_nodes(v_flow.nodes), 'edges', private.reduce_edges(v_flow.edges),
      'environment', v_flow.environment, 'instructions_bundling', v_flow.instructions_bundling
    );
    v_findings := v_findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_current) || finding)
      from jsonb_array_elements(
        private.flow_findings(v_graph -> 'nodes', v_graph -> 'edges') || private.environment_findings(v_flow.environment, v_owner)
      ) as finding
    ), '[]');
    if v_current = take_snapshot.flow_id then
      v_entry := v_graph;
    else
      v_flows := v_flows || jsonb_build_object(v_current, v_graph);
    end if;

    for v_reference in
      select r.*, f.id as flow_id
      from private.interflow_references(v_graph -> 'nodes') as r
      left join public.flows as f on f.id = r.id and f.user_id = v_owner
    loop
      if v_reference.flow_id is null then
        v_findings := v_findings || jsonb_build_object(
          'flow_id', v_current, 'code', 'interflow_flow_unknown', 'path', v_reference.path,
          'message', 'this is the id of none of your flows'
        );
      elsif v_reference.flow_id = take_snapshot.flow_id then
        -- Called by its id, the entry is one of the called flows too.
        v_flows := v_flows || jsonb_build_object(v_reference.flow_id, v_entry);
      else
        v_wanted := v_wanted || v_reference.flow_id;
      end if;
    end loop;
  end loop;

  if v_findings <> '[]' then
    perform private.fail(422, 'flow_invalid', format('The flow can''t run: %s.', v_findings #>> '{0,message}'), v_findings);
  end if;

  v_data := jsonb_build_object('entry', v_entry, 'flows', v_flows);
  v_hash := sha256(convert_to(v_data::text, 'UTF8'));
  loop
    insert into private.flow_snapshots (hash, data) values (v_hash, v_data) on conflict (hash) do nothing;
    -- An older equal snapshot is held against the retention job until whoever needs it refers to it.
    perform from private.flow_snapshots as s where s.hash = v_hash for key share;
    exit when found;
  end loop;
  return v_hash;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.deployment_usage as u where u.deployment_id = old.id;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_deployments__before_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if new.start_permission is distinct from old.start_permission
    and coalesce(new.start_permission not in ('Owner', 'Authenticated', 'Anonymous'), true)
  then
    perform private.refuse_faults('start_permission_invalid',
      '[{"path": "start_permission", "message": "takes Owner, Authenticated or Anonymous"}]');
  end if;

  if coalesce(new.max_starts_per_minute < 0, true) then
    perform private.refuse_faults('max_starts_per_minute_invalid',
      '[{"path": "max_starts_per_minute", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;
  if coalesce(new.max_runs_in_flight < 0, true) then
    perform private.refuse_faults('max_runs_in_flight_invalid',
      '[{"path": "max_runs_in_flight", "message": "takes an integer from 0 to 2^31-1"}]');
  end if;

  if tg_op = 'INSERT' then
    -- The flow's own may have more members.
    new.chain_network := jsonb_build_object('url', new.chain_network -> 'url', 'cluster', new.chain_network -> 'cluster');
  end if;
  if new.chain_network is distinct from old.chain_network then
    perform private.refuse_faults('chain_network_invalid', private.chain_network_faults(new.chain_network));
  end if;

  -- As text, in which 1.0 is not 1.
  if new.fees::text is distinct from old.fees::text then
    perform private.refuse_faults('fees_invalid', private.fees_faults(new.fees));
    select coalesce(jsonb_agg(jsonb_build_array(f.pair -> 0, private.lamports(f.pair -> 1)) order by f.position), '[]')
    into new.fees
    from jsonb_array_elements(new.fees) with ordinality as f (pair, position);
  end if;

  if new.action_identity is distinct from old.action_identity and new.action_identity is not null then
    if not private.is_public_key(to_jsonb(new.action_identity)) then
      perform private.refuse_faults('action_identity_invalid',
        '[{"path": "action_identity", "message": "takes a public key, base58 of 32 bytes, or null"}]');
    end if;
    -- Share: until this is stored, the wallet is neither deleted nor made an ADAPTER; whoever tries waits, and then sees it.
    perform from public.wallets as w
    where w.user_id = new.user_id and w.public_key = new.action_identity and w.type = 'HARDCODED'
    for share;
    if not found then
      perform private.fail(400, 'action_identity_without_wallet',
        'action_identity: takes the public key of a HARDCODED wallet of the deployment''s owner.',
        '[{"path": "action_identity", "message": "there is no HARDCODED wallet of this public key"}]',
        'POST /wallets/upsert stores a wallet with its key pair.');
    end if;
  end if;
  return new;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_flow_run_jobs__after_end()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_slot integer := -1 - pg_backend_pid() % 32;
begin
  update private.deployment_usage as u set in_flight = u.in_flight - 1
  where u.deployment_id = old.counted_deployment_id and u.slot = v_slot;
  if not found then
    -- Starts make the slots of ends too. None is made here, so that none is left of a deleted deployment.
    update private.deployment_usage as u set in_flight = u.in_flight - 1
    where u.deployment_id = old.counted_deployment_id and u.slot = coalesce(
      (select max(e.slot) from private.deployment_usage as e where e.deployment_id = old.counted_deployment_id and e.slot < v_slot),
      (select max(e.slot) from private.deployment_usage as e where e.deployment_id = old.counted_deployment_id and e.slot < 0)
    );
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.transaction_requests (
  flow_run_id uuid,
  node_id     uuid,
  times       integer
)
  RETURNS json
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select coalesce(json_agg(json_build_object(
    'id', s.id, 'pubkey', s.pubkey, 'signature', s.signature, 'new_msg', s.new_msg, 'expires_at', s.expires_at
  ) order by s.id), '[]')
  from public.signature_requests as s
  where s.flow_run_id = transaction_requests.flow_run_id and s.node_id = transaction_requests.node_id
    and s.times = transaction_requests.times;
$function$;

CREATE OR REPLACE FUNCTION private.unauthenticated()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(401, 'unauthenticated', 'This needs a credential.',
    hint => 'Send an access token (Authorization: Bearer <ACCESS_TOKEN>) or an API key (x-api-key: <API_KEY>); a run token does for its run, a public key for a start only.');
end;
$function$;

CREATE OR REPLACE FUNCTION public.answer_signature_request (
  id        uuid,
  signature text,
  new_msg   text DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.answer_signature_request(
    answer_signature_request.id, answer_signature_request.signature, answer_signature_request.new_msg
  );
$function$;

REVOKE ALL ON FUNCTION "public"."answer_signature_request"(uuid, text, text) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.asking_flow_runs (
  flow_run_ids uuid[]
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select * from private.asking_flow_runs(asking_flow_runs.flow_run_ids);
$function$;

REVOKE ALL ON FUNCTION "public"."asking_flow_runs"(uuid[]) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.checkpoint_flow_run (
  flow_run_id       uuid,
  attempt           integer,
  lease_seconds     integer,
  progress          jsonb,
  hand_back_seconds integer DEFAULT NULL::integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.checkpoint_flow_run(
    checkpoint_flow_run.flow_run_id, checkpoint_flow_run.attempt, checkpoint_flow_run.lease_seconds, checkpoint_flow_run.progress,
    checkpoint_flow_run.hand_back_seconds
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.claim_flow_runs (
  max_runs        integer,
  lease_seconds   integer,
  known_snapshots text[]  DEFAULT '{}'::text[],
  max_lost_claims integer DEFAULT 5
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
  SET search_path TO ''
  AS $function$
begin
  return query
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots, claim_flow_runs.max_lost_claims
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.finish_flow_run (
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
  SET search_path TO ''
  AS $function$
begin
  perform private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.progress
  );
end;
$function$;

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.flow_run_result (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return private.flow_run_result(flow_run_result.flow_run_id);
end;
$function$;

CREATE OR REPLACE FUNCTION public.max_queue_length()
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.max_queue_length();
$function$;

REVOKE ALL ON FUNCTION "public"."max_queue_length"() FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.pending_signature_request (
  flow_run_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select private.pending_signature_request(pending_signature_request.flow_run_id);
$function$;

CREATE OR REPLACE FUNCTION public.set_max_queue_length (
  max_length integer
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.set_max_queue_length(set_max_queue_length.max_length);
$function$;

REVOKE ALL ON FUNCTION "public"."set_max_queue_length"(integer) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.signature_request_for_caller (
  id      uuid,
  new_msg text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.signature_request_for_caller(signature_request_for_caller.id, signature_request_for_caller.new_msg);
$function$;

CREATE OR REPLACE FUNCTION public.start_deployment (
  id              uuid    DEFAULT NULL::uuid,
  flow            integer DEFAULT NULL::integer,
  tag             text    DEFAULT NULL::text,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  public_key      text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs,
    start_deployment.action_signer, start_deployment.public_key, start_deployment.idempotency_key
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.start_flow (
  flow_id         integer,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.start_flow(start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key);
end;
$function$;

CREATE OR REPLACE FUNCTION public.store_transaction (
  flow_run_id uuid,
  attempt     integer,
  transaction jsonb,
  requests    jsonb
)
  RETURNS json
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.store_transaction(
    store_transaction.flow_run_id, store_transaction.attempt, store_transaction.transaction, store_transaction.requests
  );
$function$;

REVOKE ALL ON FUNCTION "public"."store_transaction"(uuid, integer, jsonb, jsonb) FROM PUBLIC, "anon", "authenticated";

CREATE OR REPLACE FUNCTION public.suspend_flow_run (
  flow_run_id uuid,
  attempt     integer,
  progress    jsonb
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.suspend_flow_run(suspend_flow_run.flow_run_id, suspend_flow_run.attempt, suspend_flow_run.progress);
$function$;

REVOKE ALL ON FUNCTION "public"."suspend_flow_run"(uuid, integer, jsonb) FROM PUBLIC, "anon", "authenticated";

ALTER TABLE "private"."flow_run_transactions"
  ADD CONSTRAINT "flow_run_transactions_flow_run_id_fkey" FOREIGN KEY (flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "private"."flow_run_transactions"
  ADD CONSTRAINT "flow_run_transactions_root_flow_run_id_fkey" FOREIGN KEY (root_flow_run_id) REFERENCES public.flow_run(id) ON DELETE CASCADE;

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_runs_in_flight_natural" CHECK ((max_runs_in_flight >= 0));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_max_starts_per_minute_natural" CHECK ((max_starts_per_minute >= 0));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_transaction_fkey" FOREIGN KEY (flow_run_id, node_id, times) REFERENCES private.flow_run_transactions(flow_run_id, node_id, times)
    ON DELETE CASCADE;

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_transaction_pubkey_key" UNIQUE (flow_run_id, node_id, times, pubkey);

CREATE INDEX flow_run_transactions_root_flow_run_id_idx ON private.flow_run_transactions USING btree (root_flow_run_id);

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_delete
  AFTER DELETE ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.message_id IS NOT NULL)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

CREATE CONSTRAINT TRIGGER flow_run_jobs_count_end
  AFTER UPDATE OF message_id ON private.flow_run_jobs DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  WHEN (((old.counted_deployment_id IS NOT NULL) AND (old.message_id IS NOT NULL) AND (new.message_id IS NULL)))
  EXECUTE FUNCTION private.tg_flow_run_jobs__after_end();

CREATE CONSTRAINT TRIGGER flow_deployments_delete_usage
  AFTER DELETE ON public.flow_deployments DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_flow_deployments__after_delete();

COMMENT ON COLUMN "private"."deployment_usage"."in_flight" IS 'Runs that were started here, or less those that ended here: right in sum.';

COMMENT ON COLUMN "private"."deployment_usage"."minute" IS 'The minute that starts counts, and that reserved is for.';

COMMENT ON COLUMN "private"."deployment_usage"."reserved" IS 'Starts that the slot may count without a look at the others, under the limits that are repeated beside it: all slots together never use and reserve more than the limits.';

COMMENT ON COLUMN "private"."deployment_usage"."slot" IS 'pg_backend_pid() % 32 for starts, and for ends the negative of it less one: an end never waits for a start.';

COMMENT ON COLUMN "private"."flow_run_jobs"."counted_deployment_id" IS 'The deployment whose max_runs_in_flight the run counts for until it ends; null for a run that counts for none.';

COMMENT ON COLUMN "private"."flow_run_transactions"."has_fees" IS 'It carries the fees of the run.';

COMMENT ON COLUMN "private"."flow_run_transactions"."last_valid_block_height" IS 'Beyond this block height its blockhash is no longer good.';

COMMENT ON COLUMN "private"."flow_run_transactions"."members" IS 'The node executions whose instructions it has, in order: [{flow_run_id, node_id, times, instruction_count}].';

COMMENT ON COLUMN "private"."flow_run_transactions"."memo" IS 'The text of the action identity''s memo, where the message ends with one.';

COMMENT ON COLUMN "private"."flow_run_transactions"."message" IS 'The compiled v0 message, base64.';

COMMENT ON COLUMN "private"."flow_run_transactions"."outcome" IS 'confirmed or failed; null as long as it is not known.';

COMMENT ON COLUMN "private"."flow_run_transactions"."root_flow_run_id" IS 'The run that was started, in whose tree flow_run_id is.';

COMMENT ON COLUMN "private"."flow_run_transactions"."signature" IS 'Its first signature, base58; null when it was not sent, or as long as the outcome is not known.';

COMMENT ON COLUMN "private"."flow_run_transactions"."slot" IS 'The slot in which its blockhash was read: it is in no earlier one.';

COMMENT ON COLUMN "private"."flow_run_transactions"."wire" IS 'The whole signed transaction, base64; null as long as signatures are missing. What is here may have been sent: it never changes.';

COMMENT ON COLUMN "private"."queue_settings"."max_length" IS 'With so many runs there to be claimed, others than the owner start none.';

COMMENT ON COLUMN "public"."flow_deployments"."max_runs_in_flight" IS 'How many runs that others than the owner started have not ended yet, at most; 0: they start none. The owner is not limited.';

COMMENT ON COLUMN "public"."flow_deployments"."max_starts_per_minute" IS 'How often others than the owner start it in a calendar minute, all of them together; 0: not at all. The owner is not limited.';

COMMENT ON COLUMN "public"."signature_requests"."expires_at" IS 'Without an answer until then the request has failed; no later than the end of the transaction and the run.';

COMMENT ON COLUMN "public"."signature_requests"."flow_run_id" IS 'The run that waits, with node_id and times: the first node execution whose instructions are in the transaction; root_flow_run_id is the run that was started, which its token shows.';

COMMENT ON COLUMN "public"."signature_requests"."user_id" IS 'The user whose key is asked: the owner, where it is the key of a wallet of theirs, else who started the run; null for a caller with a public key only.';

COMMENT ON FUNCTION "private"."answer_signature_request"(uuid, text, text) IS 'Does what public.answer_signature_request says. Definer: nobody else writes signature requests, and the queue is private.';

COMMENT ON FUNCTION "private"."asking_flow_runs"(uuid[]) IS 'Does what public.asking_flow_runs says. Definer: one look for many callers, who were checked before.';

COMMENT ON FUNCTION "private"."check_answer"(public.signature_requests, text) IS 'Refuses an answer that comes too late, 409 with the state of the request, or that changes what others sign, 400. Definer: for callers that were checked before.';

COMMENT ON FUNCTION "private"."check_queue_length"() IS 'Counts the runs that are there to be claimed, no further than the limit: 429 queue_full. Counting again only after as many new messages as a hundredth of the limit lets the queue grow so much beyond it. Definer: the queue is private.';

COMMENT ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp with time zone, integer) IS 'Adds up the slots of a deployment: 429 start_limit_reached when others than own_starts use a limit up, else what is neither used nor reserved of both limits, and whether the minute is the present one. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."count_start"(uuid, integer, integer) IS 'Counts a start by somebody else than the deployment''s owner, or refuses it, exact whatever else starts at the time: 429 queue_full, start_limit_reached. Returns the deployment. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."end_flow_run"(uuid, text, jsonb, text[], uuid[]) IS 'Ends a root run with its result, what is left of its children, and its open signature requests, and takes its message out of the queue. A null not_run is made of the snapshot. Definer: the one place where runs end.';

COMMENT ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) IS 'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."environment_fault"(text, text) IS 'What is wrong with a setting in a flow''s environment, or null. The value is never repeated.';

COMMENT ON FUNCTION "private"."environment_findings"(jsonb, uuid) IS 'What is wrong with the settings in the environment of an owner''s flow, as an array of {code, path, message}; empty when nothing is.';

COMMENT ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) IS 'The one way to raise an error that a caller sees: PostgREST answers with `status`, the body {code, message, details, hint}, and `headers`, an object of strings. The codes are listed in types/errors.ts. Source: PostgREST documentation, "Raise errors with HTTP status codes".';

COMMENT ON FUNCTION "private"."give_back_flow_run"(uuid, integer) IS 'Gives a claim up, for the run to be claimed again after delay_seconds, with no lost claims; false when it was given up before. The caller holds the run''s lock. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."has_queued_run"(interval) IS 'Whether some run has been there to be claimed for at least min_age: a look at the first entry of the queue''s index.';

COMMENT ON FUNCTION "private"."is_base58"(text, integer) IS 'Whether the text is base58 of exactly so many bytes.';

COMMENT ON FUNCTION "private"."is_base64"(text) IS 'Whether the text is padded standard base64 of at least one byte, not longer than any transaction or message would be.';

COMMENT ON FUNCTION "private"."is_fees"(jsonb) IS 'Whether the value is a list of [address, amount] pairs: a base58 public key and an integer of lamports from 0 to 2^64-1.';

COMMENT ON FUNCTION "private"."is_key_pair"(text) IS 'Whether the text may be a Solana key pair: base58 of 64 bytes, or a JSON array of 64 numbers, as the command line tools store it.';

COMMENT ON FUNCTION "private"."is_public_key"(jsonb) IS 'Whether the value is the base58 text of 32 bytes, a Solana public key.';

COMMENT ON FUNCTION "private"."lock_queue_check"() IS 'One at a time counts the queue or sets its limit.';

COMMENT ON FUNCTION "private"."max_queue_length"() IS 'Does what public.max_queue_length says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."next_turn"(uuid) IS 'The turn of an owner''s new run: after the owner''s other pending runs, and not before the queue''s present. Source: P. Goyal, H. M. Vin, H. Cheng, Start-time fair queuing, SIGCOMM 1996. Definer: the jobs are private.';

COMMENT ON FUNCTION "private"."open_signature_requests"(uuid) IS 'The signature requests of a tree of runs that can still be answered, the oldest first. Definer: for callers that were checked before.';

COMMENT ON FUNCTION "private"."pending_signature_request"(uuid) IS 'Does what public.pending_signature_request says. Definer, as private.run_for_caller is.';

COMMENT ON FUNCTION "private"."pick"(jsonb, text[]) IS 'The named members of an object, as far as it has them; anything else as it is.';

COMMENT ON FUNCTION "private"."queue_clock"() IS 'The time as private.queue_full_until has it.';

COMMENT ON FUNCTION "private"."refuse_queue_full"(integer) IS 'Raises 429 queue_full. A queue of the default length takes longer than 10 seconds to work off, one that just touches the limit less.';

COMMENT ON FUNCTION "private"."refuse_start"(text, integer, integer) IS 'Raises 429 start_limit_reached of the named limit.';

COMMENT ON FUNCTION "private"."request_claims"() IS 'The claims of the caller, verified by PostgREST, or set by private.pre_request for an API key; {} outside of a request.';

COMMENT ON FUNCTION "private"."request_header"(text) IS 'A header of the request, by its lower-case name; null when it has none.';

COMMENT ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) IS 'Counts a start of a deployment and reserves more for the backend''s slot, as far as the limits are away; 429 start_limit_reached. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."set_max_queue_length"(integer) IS 'Does what public.set_max_queue_length says. Definer: the settings are private.';

COMMENT ON FUNCTION "private"."signature_request_for_caller"(uuid, text) IS 'Does what public.signature_request_for_caller says. Definer: it is the check itself.';

COMMENT ON FUNCTION "private"."store_progress"(uuid, integer, jsonb) IS 'Stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms}, replay-safe; 409 claim_lost when the claim is not the newest. Definer: nobody else writes these tables.';

COMMENT ON FUNCTION "private"."store_signature_requests"(public.flow_run, private.flow_run_transactions, jsonb) IS 'Makes the requests for signatures of a transaction, [{pubkey, msg, signatures, timeout_ms}], once for each key. Definer: nobody else writes them.';

COMMENT ON FUNCTION "private"."store_transaction"(uuid, integer, jsonb, jsonb) IS 'Does what public.store_transaction says. Definer: nobody else writes transactions.';

COMMENT ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb) IS 'Does what public.suspend_flow_run says. Definer: queue and jobs are private.';

COMMENT ON FUNCTION "private"."tg_flow_deployments__after_delete"() IS 'A deleted deployment takes its usage along. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."tg_flow_run_jobs__after_end"() IS 'Takes a run that has ended, or is deleted, off what counts for its deployment''s max_runs_in_flight. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."transaction_requests"(uuid, uuid, integer) IS 'The signature requests of a transaction, as the runner reads them: [{id, pubkey, signature, new_msg, expires_at}]. Definer: for the runner, which may read everything of the runs that it claims.';

COMMENT ON FUNCTION "public"."answer_signature_request"(uuid, text, text) IS 'For functions/signature, which has verified the signature, as SQL can''t: stores the answer to a signature request, and queues the run when it waits for no other. A new_msg that is the request''s msg is none. Errors as signature_request_for_caller.';

COMMENT ON FUNCTION "public"."asking_flow_runs"(uuid[]) IS 'For the functions that wait on behalf of callers: which of these runs ask for a signature now, anywhere in their tree, or never will again.';

COMMENT ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) IS 'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms}, and holds the claim for lease_seconds from now, or gives it back to the queue, to be claimed after hand_back_seconds. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) IS 'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds; owners take turns. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots. A run that lost more than max_lost_claims workers in a row fails (null: none does); one that lost two comes alone.';

COMMENT ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) IS 'For the runner: stores the last of what the run has come to, {children, node_runs, transactions, logs, work_ms}, ends the run with its result and removes its message, in one transaction. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."flow_run_history"(uuid) IS 'For the runner: what earlier claims stored of a root run and its interflow children, {children, node_runs, transactions, ended_executions, log_counts}; node_runs without their inputs, and only those of runs that have not ended; every transaction, with its signature requests. A call of its own, so that a run with too much of it fails alone; json, since jsonb ends at 256 MB.';

COMMENT ON FUNCTION "public"."flow_run_result"(uuid) IS 'How a run stands, {status, output, errors, is_overdue}, for its owner, who started it, and the holder of its token. is_overdue: it has not ended, and the runner, having left a run queued for 2 seconds, needs a poke. 401; 404 flow_run_not_found.';

COMMENT ON FUNCTION "public"."max_queue_length"() IS 'For operators: how many runs may be there to be claimed when others than the owner start a deployment; 100000 unless set by set_max_queue_length.';

COMMENT ON FUNCTION "public"."pending_signature_request"(uuid) IS 'The oldest signature that the tree of a run waits for, {request, is_overdue}, for the run''s owner, who started it, and the holder of its token. request: null, or {id, time (milliseconds since 1970), pubkey, message, timeout (seconds), flow_run_id, signatures}. is_overdue: as flow_run_result. 401; 404 flow_run_not_found; 404 signature_request_not_found once the run has ended.';

COMMENT ON FUNCTION "public"."set_max_queue_length"(integer) IS 'For operators: from so many runs on that are there to be claimed, others than a deployment''s owner start none of it, 429 queue_full; 0: never. What waits is counted again after a hundredth of it: a queue may grow so much longer. 400 request_invalid.';

COMMENT ON FUNCTION "public"."signature_request_for_caller"(uuid, text) IS 'A signature request that can be answered, {id, pubkey, msg}, for the flow''s owner, the user whose key is asked, who started the run, and the holder of its token; new_msg: the message that shall be signed instead. It is POST /signature/submit that answers. 400 transaction_changed; 401; 404 signature_request_not_found, for those of others too; 409 signature_request_answered, signature_request_expired.';

COMMENT ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) IS 'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is no user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, for what the caller may not start too; 409 idempotency_key_reused; for others than the owner 429 queue_full, start_limit_reached.';

COMMENT ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) IS 'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token}. 401; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid; else as start_deployment.';

COMMENT ON FUNCTION "public"."store_transaction"(uuid, integer, jsonb, jsonb) IS 'For the runner: stores a transaction of the tree of a claimed run, {flow_run_id, node_id, times, members, message, wire, memo, has_fees, slot, last_valid_block_height}, makes its signature requests, [{pubkey, msg, signatures, timeout_ms}], once for each key, and returns all that it has, [{id, pubkey, signature, new_msg, expires_at}]. The run of the transaction''s key is stored before. What is stored with its wire may have been sent: another message or wire is 500 internal. 409 claim_lost for an older claim.';

COMMENT ON FUNCTION "public"."suspend_flow_run"(uuid, integer, jsonb) IS 'For the runner: stores what a claimed run has come to, {children, node_runs, transactions, logs, work_ms}, and gives it back to the queue, waiting for signatures: to be claimed when all are there, when the first request expires, when the run shall stop, at once where none is unanswered, or in a second where those have expired. 409 claim_lost for an older claim.';

COMMENT ON SEQUENCE "private"."queue_check_message" IS 'The message from which on the queue is counted again: until then it is not full.';

COMMENT ON SEQUENCE "private"."queue_full_until" IS 'Milliseconds since 1970 until which a queue that was found full is not counted again.';

COMMENT ON TABLE "private"."deployment_usage" IS 'How much others than its owner use a deployment, for its limits: the sum over slots, of which a backend writes its own, so that starts don''t wait for each other. No foreign key: the rows go when the deletion of the deployment commits.';

COMMENT ON TABLE "private"."flow_run_transactions" IS 'The transactions of runs, from the moment at which anybody outside could know of one: what is signed or sent once is never made anew. A transaction is known by the first node execution whose instructions are in it.';

COMMENT ON TABLE "private"."queue_settings" IS 'What operators set of the queue, in one row; without it the defaults of private.max_queue_length() hold.';

REVOKE ALL ON FUNCTION "private"."answer_signature_request"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answer_signature_request"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answer_signature_request"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."answer_signature_request"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."asking_flow_runs"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."asking_flow_runs"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."asking_flow_runs"(uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."asking_flow_runs"(uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_answer"(public.signature_requests, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_answer"(public.signature_requests, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_answer"(public.signature_requests, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_queue_length"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_queue_length"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_usage"(uuid, integer, integer, timestamp WITH time zone, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(uuid, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enqueue_run"(public.flow_run, bytea, text, text, jsonb, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."environment_fault"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."environment_fault"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."environment_fault"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."environment_findings"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."environment_findings"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."environment_findings"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."fail"(integer, text, text, jsonb, text, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."give_back_flow_run"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."give_back_flow_run"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."give_back_flow_run"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_queued_run"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_queued_run"(interval) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_base58"(text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_base58"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_base58"(text, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_base64"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_base64"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_base64"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_fees"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_fees"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_fees"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_key_pair"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_key_pair"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_key_pair"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_public_key"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_public_key"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_queue_check"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_queue_check"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_queue_check"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."max_queue_length"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."max_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."max_queue_length"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."max_queue_length"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."next_turn"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."next_turn"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."next_turn"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_signature_requests"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_signature_requests"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_signature_requests"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."pending_signature_request"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."pending_signature_request"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."pending_signature_request"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pending_signature_request"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."pending_signature_request"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."pick"(jsonb, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."pick"(jsonb, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."pick"(jsonb, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."queue_clock"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."queue_clock"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."queue_clock"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_queue_full"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_queue_full"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_queue_full"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_start"(text, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_start"(text, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."request_claims"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."request_claims"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_claims"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."request_header"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."request_header"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."request_header"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reserve_starts"(uuid, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_max_queue_length"(integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_max_queue_length"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_max_queue_length"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_max_queue_length"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."signature_request_for_caller"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."signature_request_for_caller"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."signature_request_for_caller"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."signature_request_for_caller"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."signature_request_for_caller"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."store_signature_requests"(public.flow_run, private.flow_run_transactions, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_signature_requests"(public.flow_run, private.flow_run_transactions, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_signature_requests"(public.flow_run, private.flow_run_transactions, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."store_transaction"(uuid, integer, jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."store_transaction"(uuid, integer, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_transaction"(uuid, integer, jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."store_transaction"(uuid, integer, jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."suspend_flow_run"(uuid, integer, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_deployments__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_deployments__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_run_jobs__after_end"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_run_jobs__after_end"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."transaction_requests"(uuid, uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."transaction_requests"(uuid, uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."transaction_requests"(uuid, uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "public"."answer_signature_request"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."answer_signature_request"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."answer_signature_request"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."asking_flow_runs"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."asking_flow_runs"(uuid[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."asking_flow_runs"(uuid[]) TO "service_role";

REVOKE ALL ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."checkpoint_flow_run"(uuid, integer, integer, jsonb, integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."claim_flow_runs"(integer, integer, text[], integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."finish_flow_run"(uuid, integer, text, jsonb, text[], uuid[], jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."flow_run_result"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."flow_run_result"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."flow_run_result"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."max_queue_length"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."max_queue_length"() TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."max_queue_length"() TO "service_role";

REVOKE ALL ON FUNCTION "public"."pending_signature_request"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."pending_signature_request"(uuid) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."pending_signature_request"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."pending_signature_request"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."pending_signature_request"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "public"."set_max_queue_length"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_max_queue_length"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."set_max_queue_length"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "public"."signature_request_for_caller"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."signature_request_for_caller"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."signature_request_for_caller"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."signature_request_for_caller"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."signature_request_for_caller"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_deployment"(uuid, integer, text, jsonb, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."store_transaction"(uuid, integer, jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_transaction"(uuid, integer, jsonb, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."store_transaction"(uuid, integer, jsonb, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "public"."suspend_flow_run"(uuid, integer, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."suspend_flow_run"(uuid, integer, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."suspend_flow_run"(uuid, integer, jsonb) TO "service_role";

ALTER TABLE "private"."flow_run_transactions"
  ADD CONSTRAINT "flow_run_transactions_message_base64" CHECK (private.is_base64(message));

ALTER TABLE "private"."flow_run_transactions"
  ADD CONSTRAINT "flow_run_transactions_signature_valid" CHECK (private.is_base58(signature, 64));

ALTER TABLE "private"."flow_run_transactions"
  ADD CONSTRAINT "flow_run_transactions_wire_base64" CHECK (private.is_base64(wire));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_action_identity_public_key" CHECK (private.is_public_key(to_jsonb(action_identity)));

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_fees_valid" CHECK (private.is_fees(fees));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_action_identity_valid" CHECK (private.is_public_key(to_jsonb(action_identity)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_action_signer_valid" CHECK (private.is_public_key(to_jsonb(action_signer)));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_fees_valid" CHECK (private.is_fees(fees));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_started_by_public_key_valid" CHECK (private.is_public_key(to_jsonb(started_by_public_key)));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_msg_base64" CHECK (private.is_base64(msg));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_new_msg_base64" CHECK (private.is_base64(new_msg));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_pubkey_valid" CHECK (private.is_public_key(to_jsonb(pubkey)));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_signature_valid" CHECK (private.is_base58(signature, 64));

ALTER TABLE "public"."wallets"
  ADD CONSTRAINT "wallets_public_key_valid" CHECK (private.is_public_key(to_jsonb(public_key)));
