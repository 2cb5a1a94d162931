create function private.claim_idempotency_key(caller text, key text, request jsonb, flow_run_id uuid)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
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
    return claim_idempotency_key.flow_run_id;
  end if;

  select k.* into strict v_stored from private.idempotency_keys as k where k.key_hash = v_key_hash;
  if v_stored.request_hash <> v_request_hash then
    perform private.fail(409, 'idempotency_key_reused', 'This Idempotency-Key was used for another request within the last 24 hours.',
      hint => 'Use a new key for a new request; repeat a request only as it was.');
  end if;
  return v_stored.flow_run_id;
end;
$$;
comment on function private.claim_idempotency_key(text, text, jsonb, uuid) is
  'The run of an earlier start by the same caller, with the same key and request, within 24 hours; else takes the key for the given new run and returns that. 400 idempotency_key_invalid, 409 idempotency_key_reused. Definer: the keys are private.';

create function private.next_turn(user_id uuid)
returns bigint
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one that was made while there were no jobs.
set enable_seqscan = off
as $$
begin
  return greatest(
    (select t.last_value from private.flow_run_turn as t),
    (select max(j.turn) + 1 from private.flow_run_jobs as j where j.user_id = next_turn.user_id and j.message_id is not null)
  );
end;
$$;
comment on function private.next_turn(uuid) is
  'The turn of an owner''s new run: after the owner''s other pending runs, and not before the queue''s present. Source: P. Goyal, H. M. Vin, H. Cheng, Start-time fair queuing, SIGCOMM 1996. Definer: the jobs are private.';

create function private.enqueue_run(
  run public.flow_run, snapshot_hash bytea, chain_url text, idempotency_key text, request jsonb,
  max_starts_per_minute integer default null, max_runs_in_flight integer default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
$$;
comment on function private.enqueue_run(public.flow_run, bytea, text, text, jsonb, integer, integer) is
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}; with an idempotency key that was used for the same request, the earlier run''s. A new run that has limits counts for its deployment: 429 queue_full, start_limit_reached. Definer: runs are inserted nowhere else; callers check who asks.';

create function private.check_start(inputs jsonb, action_signer text)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  perform private.check_inputs(check_start.inputs);
  if check_start.action_signer is not null and not private.is_public_key(to_jsonb(check_start.action_signer)) then
    perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
  end if;
end;
$$;
comment on function private.check_start(jsonb, text) is
  'Refuses the parameters of a start that are malformed: 400 inputs_invalid or action_signer_invalid, 413 inputs_too_large.';
