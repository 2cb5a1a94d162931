SET local check_function_bodies = off;

ALTER TABLE "private"."flow_run_jobs"
  DROP CONSTRAINT "flow_run_jobs_flow_run_id_fkey";

ALTER TABLE "public"."flow_deployments"
  DROP CONSTRAINT "flow_deployments_action_identity_public_key";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_parent_complete";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_started_by_fkey";

ALTER TABLE "public"."flow_run"
  DROP CONSTRAINT "flow_run_status_consistent";

ALTER TABLE "public"."signature_requests"
  DROP CONSTRAINT "signature_requests_pubkey_valid";

ALTER TABLE "public"."wallets"
  DROP CONSTRAINT "wallets_public_key_valid";

-- From now on starts and in_flight hold what is reserved: with nothing reserved they say the same before and after.
UPDATE "private"."deployment_usage" SET reserved = 0 WHERE reserved > 0;

DROP FUNCTION "private"."check_inputs"(jsonb);

DROP FUNCTION "private"."claimed_user_id"();

DROP FUNCTION "private"."count_start"(uuid, integer, integer);

DROP FUNCTION "private"."is_anonymous_sign_in"();

DROP FUNCTION "private"."is_public_key"(jsonb);

DROP FUNCTION "private"."is_run_status"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[]);

DROP FUNCTION "private"."lock_queue_check"();

DROP FUNCTION "private"."request_claims"();

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
declare
  v_claims jsonb := auth.jwt();
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  user_id := v_claims ->> 'sub';
  is_anonymous := coalesce((v_claims ->> 'is_anonymous')::boolean, false);
  run_id := private.token_run_id();
  if user_id is not null and not exists (select from auth.users as u where u.id = caller.user_id) then
    perform private.refuse_deleted_user();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_pairs jsonb;
  v_bad text;
begin
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
  v_was_full boolean := coalesce(pg_sequence_last_value('private.queue_full_until') > 0, false);
  v_message_id bigint;
  v_length integer;
begin
  v_max_length := private.max_queue_length();
  if private.queue_clock() < pg_sequence_last_value('private.queue_full_until') then
    perform private.refuse_queue_full(v_max_length);
  end if;
  -- While there is room nobody waits for who counts: those who start meanwhile are few beside the hundredth that is not counted.
  if not private.lock_queue_check(wait => v_was_full) then
    return;
  end if;
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
  perform setval('private.queue_full_until', 0), setval('private.queue_check_message', v_message_id + greatest(v_max_length / 100, 1));
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
    coalesce(sum(u.starts - u.reserved) filter (where u.minute >= check_usage.minute), 0), coalesce(sum(u.in_flight - u.reserved), 0),
    least(
      check_usage.max_starts_per_minute - coalesce(sum(u.starts) filter (where u.minute >= check_usage.minute), 0),
      check_usage.max_runs_in_flight - coalesce(sum(u.in_flight), 0)
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

CREATE OR REPLACE FUNCTION private.claim_idempotency_key (
  caller      text,
  key         text,
  request     jsonb,
  flow_run_id uuid
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_key_hash bytea := sha256(convert_to(jsonb_build_array(claim_idempotency_key.caller, claim_idempotency_key.key)::text, 'UTF8'));
  v_request_hash bytea := sha256(convert_to(claim_idempotency_key.request::text, 'UTF8'));
  v_stored private.idempotency_keys;
begin
  if length(claim_idempotency_key.key) not between (case when claim_idempotency_key.caller like 'key:%' then 22 else 1 end) and 255 then
    perform private.fail(400, 'idempotency_key_invalid',
      'Idempotency-Key: takes 1 to 255 characters, 22 or more from a caller with a public key only; use a random UUID.');
  end if;
  -- A start of the same key that is under way is waited for here; one of yesterday makes way.
  insert into private.idempotency_keys as k (key_hash, request_hash, flow_run_id)
  values (v_key_hash, v_request_hash, claim_idempotency_key.flow_run_id)
  on conflict (key_hash) do update
  set request_hash = excluded.request_hash, flow_run_id = excluded.flow_run_id, created_at = excluded.created_at
  where k.created_at < now() - interval '24 hours';
  if found then
    return null;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail(409, 'idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint => 'Use a new key for a new request; repeat a request only as it was.');
  end if;
  return v_stored.flow_run_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.count_start (
  deployment_id         uuid,
  max_starts_per_minute integer,
  max_runs_in_flight    integer
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if (pg_sequence_last_value('pgmq.q_flow_runs_msg_id_seq') < pg_sequence_last_value('private.queue_check_message')) is not true then
    perform private.check_queue_length();
  end if;
  perform private.reserve_starts(count_start.deployment_id, count_start.max_starts_per_minute, count_start.max_runs_in_flight);
end;
$function$;

CREATE OR REPLACE FUNCTION private.create_api_key (
  name text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.caller();
  v_key text;
  v_row public.api_keys;
begin
  if v_caller.user_id is null then
    perform private.unauthenticated();
  end if;
  if v_caller.is_anonymous or auth.jwt() ? 'api_key_id' then
    perform private.fail(403, 'token_required', 'This needs the access token of a user who has signed up: API keys and anonymous users can''t make API keys.');
  end if;
  if char_length(create_api_key.name) not between 1 and 100 or create_api_key.name is null then
    perform private.fail(400, 'request_invalid', 'name: takes 1 to 100 characters.');
  end if;

  -- 32 bytes: their base64 has one = at its end.
  v_key := 'fk_' || translate(encode(extensions.gen_random_bytes(32), 'base64'), '+/=', '-_');
  insert into public.api_keys as k (user_id, name, prefix)
  values (v_caller.user_id, create_api_key.name, substr(v_key, 1, 10))
  returning k.* into v_row;
  insert into private.api_key_hashes (hash, api_key_id) values (sha256(convert_to(v_key, 'UTF8')), v_row.id);
  return to_jsonb(v_row) - 'user_id' || jsonb_build_object('key', v_key);
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
  SET enable_seqscan TO 'off'
  AS $function$
-- Every start goes through here, and each function and statement costs it as much as a write or two: id, turn and token are made as
-- private.uuid_v7, private.next_turn and private.run_token make them, without calling those.
declare
  v_now timestamptz := clock_timestamp();
  v_microseconds bigint := round(date_part('epoch', v_now) * 1000000);
  v_run_id uuid := encode(
    overlay(
      uuid_send(gen_random_uuid())
      placing int8send(v_microseconds * 512 / 125 + v_microseconds / 1000 * 61440 + 28672) from 1 for 8
    ),
    'hex'
  )::uuid;
  v_earlier_id uuid;
  v_counted_id uuid;
  v_message_id bigint;
  v_started jsonb;
begin
  -- What nearly all starts bring, a few strings with one tag each, is good by one look.
  if (pg_column_size(enqueue_run.inputs) < 65536 and not jsonb_path_exists(
    enqueue_run.inputs,
    'strict $.* ? (@.type() != "object" || !exists (@.keyvalue()) || @.keyvalue().key != @.keyvalue().key
      || exists (@.keyvalue() ? (@.value.type() != "string" || !(@.key like_regex "^([SFD]|[UI]1?|B[36Y])$"))))',
    silent => true
  )) is not true then
    perform private.check_inputs(enqueue_run.inputs);
  end if;
  if num_nonnulls(enqueue_run.action_signer, enqueue_run.idempotency_key) > 0 then
    if not private.is_public_key(enqueue_run.action_signer) then
      perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
    end if;
    if enqueue_run.idempotency_key is not null then
      v_earlier_id := private.claim_idempotency_key(
        coalesce('user:' || enqueue_run.started_by, 'key:' || enqueue_run.started_by_public_key), enqueue_run.idempotency_key,
        enqueue_run.request, v_run_id
      );
      if v_earlier_id is not null then
        return jsonb_build_object('flow_run_id', v_earlier_id, 'token', private.run_token(v_earlier_id));
      end if;
    end if;
  end if;
  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  if enqueue_run.max_starts_per_minute is not null then
    v_counted_id := enqueue_run.deployment_id;
    -- What the backend's slot has reserved, while the queue need not be counted.
    update private.deployment_usage as u
    set reserved = u.reserved - 1
    where u.deployment_id = v_counted_id and u.slot = pg_backend_pid() % 32 and u.reserved > 0
      and u.minute = date_bin('1 minute', v_now, 'epoch')
      and u.max_starts_per_minute = enqueue_run.max_starts_per_minute and u.max_runs_in_flight = enqueue_run.max_runs_in_flight
      and v_message_id < pg_sequence_last_value('private.queue_check_message');
    if not found then
      perform private.count_start(v_counted_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight);
    end if;
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
  insert into pgmq.q_flow_runs (msg_id, vt, message) overriding system value
  values (v_message_id, v_now, jsonb_build_object('flow_run_id', v_run_id));
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, turn)
  values (
    v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id, v_counted_id,
    greatest(
      coalesce(pg_sequence_last_value('private.flow_run_turn'), 0),
      (
        select j.turn + 1 from private.flow_run_jobs as j
        where j.user_id = enqueue_run.user_id and j.message_id is not null
        order by j.turn desc limit 1
      )
    )
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (
      select 'fr_' || translate(
        encode(uuid_send(v_run_id) || extensions.hmac(uuid_send(v_run_id), s.secret, 'sha256'), 'base64'), '+/', '-_'
      )
      from private.run_token_secrets as s order by s.generation desc limit 1
    ),
    -- The function makes the first secret.
    private.run_token(v_run_id)
  )) into v_started;
  return v_started;
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
    if jsonb_typeof(v_fee.pair -> 0) <> 'string' or not private.is_public_key(v_fee.pair ->> 0) then
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
        when jsonb_typeof(fee -> 0) <> 'string' or not private.is_public_key(fee ->> 0) then true
        when jsonb_typeof(fee -> 1) <> 'number' then true
        else (fee ->> 1)::numeric <> trunc((fee ->> 1)::numeric)
          or (fee ->> 1)::numeric not between 0 and 18446744073709551615
      end
    )
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_public_key (
  value text
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
begin
  -- The alphabet is in the order of its characters, so numbers of as many digits compare as texts, here with 256^31 and 256^32. Every
  -- start of a caller with a public key asks this: to decode would take fifty times as long, only zero bytes, which are ones, need it;
  -- and the length as a part of the pattern would take eight times as long.
  return case
    when length(is_public_key.value) not between 32 and 44 or is_public_key.value ~ '[^1-9A-HJ-NP-Za-km-z]' then false
    when is_public_key.value like '1%' then octet_length(private.decode_base58(is_public_key.value)) = 32
    when length(is_public_key.value) = 43 then is_public_key.value collate "C" >= '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM'
    else length(is_public_key.value) = 44 and is_public_key.value collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_run_consistent (
  status             text,
  start_time         timestamp with time zone,
  end_time           timestamp with time zone,
  output             jsonb,
  errors             text[],
  parent_flow_run_id uuid,
  parent_node_id     uuid,
  parent_times       integer,
  deployment_id      uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if num_nonnulls(is_run_consistent.parent_flow_run_id, is_run_consistent.parent_node_id, is_run_consistent.parent_times) not in (0, 3)
    or num_nonnulls(is_run_consistent.parent_flow_run_id, is_run_consistent.deployment_id) > 1
  then
    return false;
  end if;
  case is_run_consistent.status
    when 'queued' then
      return num_nonnulls(is_run_consistent.start_time, is_run_consistent.end_time, is_run_consistent.output, is_run_consistent.errors) = 0;
    when 'running', 'waiting' then
      return is_run_consistent.start_time is not null
        and num_nonnulls(is_run_consistent.end_time, is_run_consistent.output, is_run_consistent.errors) = 0;
    when 'succeeded' then
      return is_run_consistent.start_time is not null and is_run_consistent.end_time is not null and is_run_consistent.errors is null;
    when 'failed' then
      return is_run_consistent.end_time is not null and coalesce(cardinality(is_run_consistent.errors) > 0, false);
    when 'stopped' then
      return is_run_consistent.end_time is not null and coalesce(cardinality(is_run_consistent.errors) > 0, true);
    else return false;
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_caller()
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_claims jsonb := auth.jwt();
  v_user_id uuid := v_claims ->> 'sub';
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  if v_user_id is not null then
    perform from auth.users as u where u.id = v_user_id for key share;
    if not found then
      perform private.refuse_deleted_user();
    end if;
  end if;
  return v_user_id;
end;
$function$;

CREATE OR REPLACE FUNCTION private.lock_queue_check (
  wait boolean DEFAULT true
)
  RETURNS boolean
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_key bigint := hashtextextended('private.check_queue_length', 0);
begin
  if lock_queue_check.wait then
    perform pg_advisory_xact_lock(v_key);
    return true;
  end if;
  return pg_try_advisory_xact_lock(v_key);
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
    (
      select j.turn + 1 from private.flow_run_jobs as j where j.user_id = next_turn.user_id and j.message_id is not null
      order by j.turn desc limit 1
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_service_role()
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform private.fail(401, 'token_invalid', 'This needs a user: the service role is nobody in particular.',
    hint => 'Send the access token of the user on whose behalf you call.');
end;
$function$;

CREATE OR REPLACE FUNCTION private.refuse_start_target (
  id   uuid,
  flow integer
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if (refuse_start_target.id is null) = (refuse_start_target.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
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
    when current_setting('private.has_reserved_starts', true) = 'true' then 0 else least(v_usage.room / 64, 256)
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
        update private.deployment_usage as u
        set starts = u.starts - u.reserved, in_flight = u.in_flight - u.reserved, reserved = 0
        where u.deployment_id = reserve_starts.deployment_id and u.slot = any (array(
          select other.slot from private.deployment_usage as other
          where other.deployment_id = reserve_starts.deployment_id and other.reserved > 0
          for no key update skip locked
        ));
      else
        -- Waits for who is alone, and does not go alone too: one after another they would all, and reserve nothing any more.
        perform pg_advisory_xact_lock_shared(uuid_hash_extended(reserve_starts.deployment_id, 0));
      end if;

      v_minute := date_bin('1 minute', clock_timestamp(), 'epoch');
      update private.deployment_usage as u
      set
        minute = greatest(u.minute, v_minute),
        starts = case when u.minute >= v_minute then u.starts - u.reserved else 0 end + greatest(v_batch, 1),
        in_flight = u.in_flight - u.reserved + greatest(v_batch, 1),
        reserved = greatest(v_batch - 1, 0),
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
      -- With the subtransaction its locks are gone. A minute that has just ended is no reason to go alone.
      if v_usage.is_same_minute then
        v_batch := 0;
      end if;
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
  -- The next start counts anew, after this commits, and others wait for what it finds.
  perform setval('private.queue_check_message', 0), setval('private.queue_full_until', 1);
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
  v_claims jsonb := auth.jwt();
  v_user_id uuid := v_claims ->> 'sub';
  v_id uuid := start_deployment.id;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if v_claims ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  if num_nonnulls(start_deployment.id, start_deployment.flow) <> 1 or num_nonnulls(start_deployment.id, start_deployment.tag) > 1 then
    perform private.refuse_start_target(start_deployment.id, start_deployment.flow);
  end if;
  if v_user_id is null then
    if start_deployment.public_key is null then
      perform private.unauthenticated();
    elsif (
      -- Nearly every key has as many digits, and is told to be one without a call.
      length(start_deployment.public_key) = 44 and start_deployment.public_key !~ '[^1-9A-HJ-NP-Za-km-z]'
      and start_deployment.public_key collate "C" >= '2'
      and start_deployment.public_key collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
    ) is not true and not private.is_public_key(start_deployment.public_key) then
      perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
    end if;
  end if;

  -- Key share: the deployment, and so its snapshot, stays until the run is stored; deploys, customising and other starts don't wait.
  loop
    if start_deployment.flow is not null then
      select t.deployment_id into v_id
      from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest');
    end if;
    if v_user_id is null then
      select d.* into v_deployment from public.flow_deployments as d where d.id = v_id for key share;
    else
      -- The caller first, as the deletion of a user goes: whoever had the deployment already would wait for the user in a circle.
      -- By one statement, which locks in the order of its names, since a second one would cost every start a twentieth.
      select d.* into v_deployment
      from auth.users as u, public.flow_deployments as d
      where u.id = v_user_id and d.id = v_id
      for key share of u, d;
    end if;
    exit when v_deployment.id is not null;
    -- It may be the caller who is gone.
    perform private.lock_caller();
    -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
    exit when start_deployment.flow is null or v_id is null;
  end loop;
  if v_deployment.id is null or not (case v_deployment.start_permission
    when 'Owner' then coalesce(v_deployment.user_id = v_user_id, false)
    when 'Authenticated' then v_user_id is not null
      and (v_deployment.user_id = v_user_id or not coalesce((v_claims ->> 'is_anonymous')::boolean, false))
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
    inputs => coalesce(start_deployment.inputs, '{}'),
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
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => private.take_snapshot(v_flow.id),
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
  );
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
    if not private.is_public_key(new.action_identity) then
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

CREATE OR REPLACE FUNCTION private.tg_flow_run__after_delete()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  delete from private.flow_run_jobs as j where j.flow_run_id = old.id;
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
  loop
    update public.flow_run as r set started_by = null where r.started_by = old.id;
    -- A run that had to be waited for may have got children meanwhile, which took its starter over.
    exit when not found;
  end loop;
  return null;
end;
$function$;

CREATE TRIGGER _500_forget_starter
  AFTER DELETE ON auth.users
  FOR EACH ROW
  EXECUTE FUNCTION private.tg_users__after_delete();

CREATE TRIGGER _500_delete_job
  AFTER DELETE ON public.flow_run
  FOR EACH ROW
  WHEN ((old.parent_flow_run_id IS NULL))
  EXECUTE FUNCTION private.tg_flow_run__after_delete();

COMMENT ON COLUMN "private"."deployment_usage"."in_flight" IS 'Runs that were started here, with what is still reserved, or less those that ended here: right in sum.';

COMMENT ON COLUMN "private"."deployment_usage"."reserved" IS 'Starts that are counted already, and which the slot may use without a look at the others, under the limits that are repeated beside it: all slots together never count more than the limits.';

COMMENT ON COLUMN "private"."deployment_usage"."starts" IS 'Starts of that minute, with what is still reserved.';

COMMENT ON COLUMN "private"."flow_run_jobs"."flow_run_id" IS 'The run, which is stored by the same function; no foreign key, which would look for it at every start.';

COMMENT ON COLUMN "public"."flow_run"."started_by" IS 'The user who started it; null for a caller with a public key only, and once the user is deleted. No foreign key: a start locks the user itself.';

COMMENT ON FUNCTION "private"."check_inputs"(jsonb) IS 'Refuses inputs of a flow that are not an object of one-tag values, 64 levels deep and 1 MiB at most: 400 inputs_invalid, 413 inputs_too_large.';

COMMENT ON FUNCTION "private"."claim_idempotency_key"(text, text, jsonb, uuid) IS 'The run of an earlier start by the same caller, with the same key and request, within 24 hours; null when there is none, and the key is now the given new run''s. 400 idempotency_key_invalid, 409 idempotency_key_reused. Definer: the keys are private.';

COMMENT ON FUNCTION "private"."count_start"(uuid, integer, integer) IS 'Counts a start by somebody else than the deployment''s owner that private.enqueue_run can''t take from what its slot has reserved, or refuses it, exact whatever else starts at the time: 429 queue_full, start_limit_reached. Definer: the usage is private.';

COMMENT ON FUNCTION "private"."enqueue_run"(uuid, integer, jsonb, jsonb, bytea, uuid, text, uuid, boolean, text, text, jsonb, integer, integer, text, jsonb) IS
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; callers check who asks.';

COMMENT ON FUNCTION "private"."is_public_key"(text) IS 'Whether the text is the base58 of 32 bytes, a Solana public key.';

COMMENT ON FUNCTION "private"."is_run_consistent"(text, timestamp with time zone, timestamp with time zone, jsonb, text[], uuid, uuid, integer, uuid) IS 'Whether a run may have this status with these times, output and errors, and this place among others: a called run has a parent, its node and times, and no deployment. A function, since the expression of a check constraint is read and planned anew by each statement, which costs a start more than all its indexes.';

COMMENT ON FUNCTION "private"."lock_queue_check"(boolean) IS 'One at a time counts the queue or sets its limit: whether it is the caller until the transaction ends, which is waited for if told.';

COMMENT ON FUNCTION "private"."refuse_service_role"() IS 'Raises the one refusal of the service role, where a user is needed.';

COMMENT ON FUNCTION "private"."refuse_start_target"(uuid, integer) IS 'Raises 400 start_target_ambiguous, for a start that names id and flow, neither, or a tag with an id.';

COMMENT ON FUNCTION "private"."tg_flow_run__after_delete"() IS 'A deleted run takes its job along. Definer: jobs are private.';

COMMENT ON FUNCTION "private"."tg_users__after_delete"() IS 'Runs of others'' flows that a deleted user started name nobody any more. Definer: who deletes users has no part in runs.';

COMMENT ON SEQUENCE "private"."queue_full_until" IS 'Milliseconds since 1970 until which a queue that was found full is not counted again; 0 while there is room.';

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_inputs"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_inputs"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_start"(uuid, integer, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_start"(uuid, integer, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_public_key"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_public_key"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_public_key"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_run_consistent"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[], uuid, uuid, integer, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_run_consistent"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[], uuid, uuid, integer, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_run_consistent"(text, timestamp WITH time zone, timestamp WITH time zone, jsonb, text[], uuid, uuid, integer, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_queue_check"(boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_queue_check"(boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_queue_check"(boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_service_role"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_service_role"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_service_role"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_start_target"(uuid, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_start_target"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_start_target"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_flow_run__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_flow_run__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_flow_run__after_delete"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_users__after_delete"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_users__after_delete"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_users__after_delete"() TO "postgres";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_action_identity_public_key" CHECK (private.is_public_key(action_identity));

ALTER TABLE "public"."flow_run"
  ADD CONSTRAINT "flow_run_consistent"
    CHECK
    ((((status = 'queued'::text) AND (num_nonnulls(start_time, end_time, output, errors, parent_flow_run_id, parent_node_id, parent_times) = 0)) OR
    private.is_run_consistent(status, start_time, end_time, output, errors, parent_flow_run_id, parent_node_id, parent_times, deployment_id)));

ALTER TABLE "public"."signature_requests"
  ADD CONSTRAINT "signature_requests_pubkey_valid" CHECK (private.is_public_key(pubkey));

ALTER TABLE "public"."wallets"
  ADD CONSTRAINT "wallets_public_key_valid" CHECK (private.is_public_key(public_key));
