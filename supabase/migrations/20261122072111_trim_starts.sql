SET local check_function_bodies = off;

ALTER TABLE "private"."run_token_secrets"
  ADD COLUMN "previous_secret" bytea;

-- The secret before the newest one is kept beside it: tokens that were made with it stay valid.
update private.run_token_secrets as s
set previous_secret = (select p.secret from private.run_token_secrets as p where p.generation = s.generation - 1);
delete from private.run_token_secrets as s
where s.generation < (select max(newest.generation) from private.run_token_secrets as newest);

ALTER TABLE "private"."run_token_secrets"
  DROP CONSTRAINT "run_token_secrets_pkey";

ALTER TABLE "private"."run_token_secrets"
  DROP COLUMN "created_at";

ALTER TABLE "private"."run_token_secrets"
  DROP COLUMN "generation";

ALTER TABLE "private"."run_token_secrets"
  ADD COLUMN "id" boolean NOT NULL DEFAULT true;

DROP FUNCTION "private"."refuse_start_target"(uuid, integer);

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
  v_message_id bigint;
  v_started jsonb;
begin
  -- What nearly all starts bring, a few strings with one tag each and nothing else, is good by one look.
  if (pg_column_size(enqueue_run.inputs) < 65536 and not jsonb_path_exists(
    enqueue_run.inputs,
    'strict $.* ? (@.type() != "object" || !exists (@.keyvalue()) || @.keyvalue().key != @.keyvalue().key
      || exists (@.keyvalue() ? (@.value.type() != "string" || !(@.key like_regex "^([SFD]|[UI]1?|B[36Y])$"))))',
    silent => true
  ) and enqueue_run.action_signer is null and enqueue_run.idempotency_key is null) is not true then
    perform private.check_inputs(enqueue_run.inputs);
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
    -- What the backend's slot has reserved, while the queue need not be counted.
    update private.deployment_usage as u
    set reserved = u.reserved - 1
    where u.deployment_id = enqueue_run.deployment_id and u.slot = pg_backend_pid() % 32 and u.reserved > 0
      and u.minute = date_bin('1 minute', v_now, 'epoch')
      and u.max_starts_per_minute = enqueue_run.max_starts_per_minute and u.max_runs_in_flight = enqueue_run.max_runs_in_flight
      and v_message_id < pg_sequence_last_value('private.queue_check_message');
    if not found then
      perform private.count_start(enqueue_run.deployment_id, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight);
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
    v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id,
    case when enqueue_run.max_starts_per_minute is not null then enqueue_run.deployment_id end,
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
      from private.run_token_secrets as s
    ),
    -- The function makes the first secret.
    private.run_token(v_run_id)
  )) into v_started;
  return v_started;
end;
$function$;

CREATE OR REPLACE FUNCTION private.rotate_run_token_secret()
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.run_token_secrets as s default values
  on conflict (id) do update set secret = excluded.secret, previous_secret = s.secret;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_token (
  flow_run_id uuid
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_secret bytea;
begin
  loop
    select s.secret into v_secret from private.run_token_secrets as s;
    exit when found;
    insert into private.run_token_secrets default values on conflict do nothing;
  end loop;
  -- 48 bytes: their base64 is one line without padding.
  return 'fr_' || translate(
    encode(uuid_send(run_token.flow_run_id) || extensions.hmac(uuid_send(run_token.flow_run_id), v_secret, 'sha256'), 'base64'),
    '+/', '-_'
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_public_key (
  public_key text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if check_public_key.public_key is null then
    perform private.unauthenticated();
  elsif not private.is_public_key(check_public_key.public_key) then
    perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_start (
  id   uuid,
  flow integer,
  tag  text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  if auth.jwt() ->> 'role' = 'service_role' then
    perform private.refuse_service_role();
  end if;
  if (check_start.id is null) = (check_start.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'Name the deployment either by id or by flow.',
      hint => 'Give ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  if num_nonnulls(check_start.id, check_start.tag) > 1 then
    perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: give flow with it, not id.');
  end if;
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
  v_tagged_id uuid;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  -- A start pays for each expression that it comes through, and for each function in it: most come through one here.
  if (
    start_deployment.idempotency_key is null
    and (start_deployment.id is null) <> (start_deployment.flow is null) and (start_deployment.id is null or start_deployment.tag is null)
    and v_claims ->> 'role' <> 'service_role'
  ) is not true then
    perform private.check_start(start_deployment.id, start_deployment.flow, start_deployment.tag);
    if start_deployment.idempotency_key is not null then
      v_request := jsonb_build_object(
        'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
        'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
      );
    end if;
  end if;

  -- Key share: the deployment, and so its snapshot, stays until the run is stored; deploys, customising and other starts don't wait.
  loop
    if start_deployment.flow is not null then
      select t.deployment_id into v_tagged_id
      from public.flow_deployments_tags as t
      where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest');
    end if;
    if v_user_id is null then
      -- Nearly every key has as many digits, and is told to be one without a call.
      if (
        length(start_deployment.public_key) = 44 and start_deployment.public_key !~ '[^1-9A-HJ-NP-Za-km-z]'
        and start_deployment.public_key collate "C" >= '2'
        and start_deployment.public_key collate "C" < 'JEKNVnkbo3jma5nREBBJCDoXFVeKkD56V3xKrvRmWxFH'
      ) is not true then
        perform private.check_public_key(start_deployment.public_key);
      end if;
      select d.* into v_deployment
      from public.flow_deployments as d where d.id = coalesce(start_deployment.id, v_tagged_id) for key share;
    else
      -- The caller first, as the deletion of a user goes: whoever had the deployment already would wait for the user in a circle.
      -- By one statement, which locks in the order of its names, since a second one would cost every start a twentieth.
      select d.* into v_deployment
      from auth.users as u, public.flow_deployments as d
      where u.id = v_user_id and d.id = coalesce(start_deployment.id, v_tagged_id)
      for key share of u, d;
    end if;
    -- Nothing is equal to what is not there.
    exit when v_deployment.user_id = v_user_id or v_deployment.start_permission = 'Anonymous'
      or v_deployment.start_permission = 'Authenticated' and v_user_id is not null
        and not coalesce((v_claims ->> 'is_anonymous')::boolean, false);
    if v_deployment.id is null then
      -- It may be the caller who is gone.
      perform private.lock_caller();
      -- Whoever deleted it while it was waited for has moved the tag, as latest always is: it is looked up anew.
      continue when start_deployment.flow is not null and v_tagged_id is not null;
    end if;
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end loop;

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

CREATE OR REPLACE FUNCTION private.token_run_id()
  RETURNS uuid
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_token text := private.request_header('x-flow-run-token');
  v_bytes bytea;
begin
  if v_token is null or v_token !~ '^fr_[A-Za-z0-9_-]{64}$' then
    return null;
  end if;
  v_bytes := decode(translate(substr(v_token, 4), '-_', '+/'), 'base64');
  -- Digests are compared, so that the time says nothing about how far a forged token is right.
  perform from private.run_token_secrets as s cross join lateral (values (s.secret), (s.previous_secret)) as valid (secret)
  where sha256(extensions.hmac(substring(v_bytes for 16), valid.secret, 'sha256')) = sha256(substring(v_bytes from 17));
  if not found then
    return null;
  end if;
  return encode(substring(v_bytes for 16), 'hex')::uuid;
end;
$function$;

ALTER TABLE "private"."run_token_secrets"
  ADD CONSTRAINT "run_token_secrets_pkey" PRIMARY KEY (id);

ALTER TABLE "private"."run_token_secrets"
  ADD CONSTRAINT "run_token_secrets_single" CHECK (id);

COMMENT ON COLUMN "private"."run_token_secrets"."previous_secret" IS 'Tokens that were made with it before the last rotation are still valid.';

COMMENT ON COLUMN "private"."run_token_secrets"."secret" IS 'Tokens are made with it.';

COMMENT ON TABLE "private"."run_token_secrets" IS 'Keys of the run tokens, in one row, which every start reads: it is made when the first token is.';

COMMENT ON FUNCTION "private"."check_public_key"(text) IS 'Refuses who shows nothing, 401 unauthenticated, and what is no public key, 400 public_key_invalid.';

COMMENT ON FUNCTION "private"."check_start"(uuid, integer, text) IS 'Refuses a start that names no deployment, and one by the service role: 400 start_target_ambiguous; 401 token_invalid.';

REVOKE ALL ON FUNCTION "private"."check_public_key"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_public_key"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_public_key"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_start"(uuid, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_start"(uuid, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_start"(uuid, integer, text) TO "postgres";
