create function private.enqueue_run(
  user_id uuid, flow_id integer, inputs jsonb, chain_network jsonb, snapshot_hash bytea, started_by uuid,
  input_names text[], started_by_public_key text default null, deployment_id uuid default null, output_instructions boolean default false,
  action_identity text default null, action_signer text default null, fees jsonb default '[]',
  counted_shares text[] default null, max_starts_per_minute integer default null, max_runs_in_flight integer default null,
  idempotency_key text default null, request jsonb default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while there was no usage.
set enable_seqscan = off
as $$
-- Every start goes through here, and each function and statement costs it as much as a write or two: id and token are made as
-- private.uuid_v7 and private.run_token make them, without calling those.
declare
  v_now timestamptz := clock_timestamp();
  v_microseconds bigint := date_part('epoch', v_now) * 1000000;
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
  -- What nearly all starts bring, a few short strings with one tag each for inputs that there are and nothing else, is good by one look at its text, as jsonb
  -- writes it.
  if (pg_column_size(enqueue_run.inputs) < 1024
    and enqueue_run.inputs::text ~ '^\{("([^"\\]|\\.)*": \{"([SFD]|[UI]1?|B[36Y])": "([^"\\]|\\.)*"\}(, )?)*\}$'
    and enqueue_run.action_signer is null and enqueue_run.idempotency_key is null
    -- Each input is compared with each name.
    and cardinality(enqueue_run.input_names) <= 100 and enqueue_run.inputs - enqueue_run.input_names = '{}') is not true then
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
    -- After the key: a start that is repeated gives its run, whatever a flow that was edited meanwhile takes.
    perform private.check_input_names(enqueue_run.inputs, enqueue_run.input_names);
  end if;
  v_message_id := nextval('pgmq.q_flow_runs_msg_id_seq');
  if enqueue_run.counted_shares is not null then
    perform private.count_start(
      enqueue_run.deployment_id, enqueue_run.counted_shares, enqueue_run.max_starts_per_minute, enqueue_run.max_runs_in_flight
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
  insert into pgmq.q_flow_runs (msg_id, vt, message) overriding system value
  values (v_message_id, v_now, jsonb_build_object('flow_run_id', v_run_id));
  insert into private.flow_run_jobs (flow_run_id, user_id, snapshot_hash, chain_url, message_id, counted_deployment_id, counted_shares, turn)
  values (
    v_run_id, enqueue_run.user_id, enqueue_run.snapshot_hash, enqueue_run.chain_network ->> 'url', v_message_id,
    case when enqueue_run.counted_shares is not null then enqueue_run.deployment_id end, enqueue_run.counted_shares, v_message_id
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
$$;
comment on function private.enqueue_run(
  uuid, integer, jsonb, jsonb, bytea, uuid, text[], text, uuid, boolean, text, text, jsonb, text[], integer, integer, text, jsonb
) is
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run with counted_shares counts for the limits of its deployment: 429 queue_full, start_limit_reached. 400 action_signer_invalid, inputs_invalid; 413 inputs_too_large. Definer: runs are inserted nowhere else; callers check who asks.';
