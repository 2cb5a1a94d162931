create function private.admit_start(deployment public.flow_deployments, caller private.caller, runs integer)
returns text[]
language plpgsql volatile security definer
set search_path = ''
as $$
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
$$;
comment on function private.admit_start(public.flow_deployments, private.caller, integer) is
  'Counts a start by a node, a webhook or a caller other than the owner for the limits (runs: 1, or 0 if it joins a run), and returns the shares for which it counts. Returns null for a node, which acts as the owner and counts only for the length of the queue. 429 queue_full, start_limit_reached. Definer, because no API role may access usage and queue.';

create function private.check_priority(priority integer, is_owner boolean)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if not check_priority.is_owner then
    perform private.fail('priority_invalid', 'Only the owner of the flow may start a run with a `priority`.',
      hint => 'Leave `priority` out.');
  elsif check_priority.priority not between -private.limit_priority_seconds() and private.limit_priority_seconds() then
    perform private.fail('priority_invalid', format(
      '`priority` must be a whole number of seconds from -%1$s to %1$s.', private.limit_priority_seconds()
    ));
  end if;
end;
$$;
comment on function private.check_priority(integer, boolean) is
  'Refuses the priority of a start if the caller is not the owner, or if it is out of range: 400 priority_invalid.';

-- Stores and queues a run of the deployment, and returns {flow_run_id, token}. If the idempotency key was used for
-- the same request, returns the earlier run instead. If the deployment debounces its starts, and a run of the key
-- sleeps, the start joins this run: it replaces the inputs and postpones the run.
--
--   inputs       tagged values
--   plain        plain JSON, which is converted by the types of the flow's inputs
--   schedule_id  the schedule that starts the run
--   settings     for a redrive: the settings of the run that it continues
--   starter      for a redrive: the caller who started that run
--   priority     the seconds that are subtracted from the turn of the run; null for none. Only for the owner.
--   flow         for start_flow: the flow. From it and the request, private.flow_start_settings makes the settings.
--                start_flow passes a deployment without an id, which is not a stored row.
--
-- All other starts read the settings in private.deployment_run_settings. If a node of a run makes the request with a
-- claim token, the chain_depth of the new run is one higher than the chain_depth of the node's run. A start by a
-- webhook, or by a caller other than the owner, counts for the limits: 429 queue_full, start_limit_reached. While the
-- queue is full, a start by a node may also be refused. Otherwise a flow that starts itself several times could fill
-- the queue. Other errors: 400 action_signer_invalid, priority_invalid, inputs_invalid, idempotency_key_invalid; 409
-- idempotency_key_reused, start_loop; 413 inputs_too_large.
create function private.enqueue_run(
  deployment public.flow_deployments, caller private.caller, inputs jsonb, plain jsonb, action_signer text,
  idempotency_key text,
  request jsonb, schedule_id uuid default null, settings jsonb default null, flow public.flows default null,
  starter private.caller default null, priority integer default null
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_now timestamptz := clock_timestamp();
  v_run_id uuid := private.uuid_v7(v_now);
  v_earlier_run_id uuid;
  v_is_announced boolean;
  v_shares text[];
  v_started jsonb;
  v_inputs jsonb := enqueue_run.inputs;
  v_claims constant jsonb := auth.jwt();
  -- The number of runs that started one another up to this request, including the run of the node that makes it with a
  -- claim token. Null if no node makes the request.
  v_node_depth constant integer := v_claims ->> 'chain_depth';
  v_settings jsonb := enqueue_run.settings;
  v_is_limited boolean;
  v_queue jsonb;
  -- Not v_run_id if the start joins a sleeping run.
  v_joined_run_id uuid := v_run_id;
  -- Without limits by key, the job is ready at once.
  v_queue_key_id bigint;
  v_state private.job_state := 'ready';
  v_due_at timestamptz;
begin
  if v_node_depth > private.limit_chain_depth() then
    perform private.fail('start_loop',
      format('%s runs have started one another: it seems to be a loop.', v_node_depth),
      hint => 'Remove the loop: a flow must not start itself, directly or by other flows.');
  end if;
  perform private.check_inputs(v_inputs);
  if enqueue_run.plain is not null then
    perform private.check_values(enqueue_run.plain, v_inputs);
  end if;
  if not private.is_public_key(enqueue_run.action_signer) then
    perform private.fail('action_signer_invalid', '`action_signer` must be a public key: base58 of 32 bytes.');
  end if;
  if enqueue_run.priority is not null then
    perform private.check_priority(
      enqueue_run.priority, enqueue_run.caller.user_id is not distinct from enqueue_run.deployment.user_id
    );
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
  -- flow knows, and whose types the flow does not choose. Such starts need no further check. This condition finds them:
  -- it compares each name with each name, which is quick if the flow has few inputs.
  if (
    enqueue_run.plain is null and enqueue_run.deployment.typed_inputs is null
      and cardinality(enqueue_run.deployment.input_names) <= 100
      and v_inputs - enqueue_run.deployment.input_names = '{}'
  ) is not true then
    v_inputs := private.inputs_of_start(
      enqueue_run.deployment, v_inputs, enqueue_run.plain, waits => enqueue_run.caller.row_start_id is null
    );
  end if;
  if (enqueue_run.flow).id is not null then
    v_settings := private.flow_start_settings(
      enqueue_run.deployment, enqueue_run.flow, enqueue_run.action_signer,
      enqueue_run.request -> 'environment', enqueue_run.request -> 'partial_config'
    );
  elsif v_settings is null then
    v_settings := (
      select s.settings from private.deployment_run_settings as s where s.deployment_id = enqueue_run.deployment.id
    );
    if enqueue_run.action_signer is not null then
      v_settings := v_settings || jsonb_build_object('action_signer', enqueue_run.action_signer);
    end if;
  end if;

  v_is_limited := enqueue_run.deployment.user_id is distinct from enqueue_run.caller.user_id
    or enqueue_run.caller.webhook_id is not null or v_node_depth is not null;
  v_queue := v_settings -> 'queue';
  if v_queue is not null and enqueue_run.caller.row_start_id is not null then
    v_state := 'blocked';
    -- The write of the row must not wait for a key. So only check the key; the next claim takes a place of it.
    perform private.queue_key_hash(v_queue, v_inputs, '');
    if v_is_limited then
      perform private.refuse_many_keys(enqueue_run.deployment.id);
    end if;
  elsif v_queue is not null then
    select p.run_id, p.queue_key_id, p.state, p.due_at into v_joined_run_id, v_queue_key_id, v_state, v_due_at
    from private.take_queue_place(
      enqueue_run.deployment.id, v_queue, v_inputs,
      private.queue_starter(enqueue_run.deployment, coalesce(enqueue_run.starter, enqueue_run.caller)), v_is_limited,
      enqueue_run.settings is not null, enqueue_run.caller.run_id, v_run_id
    ) as p;
  end if;
  if v_is_limited then
    v_shares := private.admit_start(
      enqueue_run.deployment, enqueue_run.caller, (v_joined_run_id = v_run_id)::integer
    );
  end if;
  if v_joined_run_id <> v_run_id then
    -- The key and the limits do not count the new run, because private.join_debounced_run deletes it again.
    v_queue_key_id := null;
    v_shares := null;
  end if;
  insert into public.flow_run (
    id, created_at, user_id, flow_id, deployment_id, schedule_id, webhook_id, row_start_id, started_by,
    started_by_public_key, started_by_run_id, inputs, output_instructions, action_identity, action_signer, fees,
    chain_network
  ) values (
    v_run_id, v_now, enqueue_run.deployment.user_id, enqueue_run.deployment.entrypoint, enqueue_run.deployment.id,
    enqueue_run.schedule_id, enqueue_run.caller.webhook_id, enqueue_run.caller.row_start_id,
    enqueue_run.caller.user_id, enqueue_run.caller.public_key,
    (v_claims ->> 'claimed_run_id')::uuid, jsonb_build_object('M', v_inputs),
    (v_settings -> 'output_instructions')::boolean, v_settings ->> 'action_identity', enqueue_run.action_signer,
    enqueue_run.deployment.fees, jsonb_build_object('cluster', v_settings -> 'chain_network' -> 'cluster')
  );
  insert into private.flow_run_jobs (
    flow_run_id, user_id, snapshot_hash, settings, counted_deployment_id, counted_shares, queue_key_id, state, due_at, turn,
    priority, chain_depth
  ) values (
    v_run_id, enqueue_run.deployment.user_id, enqueue_run.deployment.snapshot_hash, v_settings,
    case when v_shares is not null then enqueue_run.deployment.id end, v_shares, v_queue_key_id, v_state,
    v_due_at, v_now - make_interval(secs => coalesce(enqueue_run.priority, 0)), coalesce(enqueue_run.priority, 0),
    coalesce(enqueue_run.caller.chain_depth, v_node_depth, 0)
  )
  returning jsonb_build_object('flow_run_id', v_run_id, 'token', coalesce(
    (select private.run_token(v_run_id, s.secret) from private.run_token_secrets as s),
    -- The first call of run_token makes the secret.
    private.run_token(v_run_id)
  )) into v_started;
  if v_joined_run_id <> v_run_id then
    perform private.join_debounced_run(v_run_id, v_joined_run_id, v_due_at);
    return jsonb_build_object('flow_run_id', v_joined_run_id, 'token', private.run_token(v_joined_run_id));
  end if;
  v_is_announced := private.announce_claimable_run();
  return v_started;
end;
$$;
comment on function private.enqueue_run(
  public.flow_deployments, private.caller, jsonb, jsonb, text, text, jsonb, uuid, jsonb, public.flows, private.caller, integer
) is
  'Stores and queues a run of the deployment: {flow_run_id, token}. Does not check permission; callers must. Definer, because no API role may insert runs.';
