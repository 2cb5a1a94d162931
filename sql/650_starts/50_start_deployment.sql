create function private.start_deployment(
  id uuid, flow integer, tag text, inputs jsonb, action_signer text, public_key text, idempotency_key text,
  "values" jsonb, priority integer
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if num_nonnulls(start_deployment.id, start_deployment.flow) <> 1
    or num_nonnulls(start_deployment.id, start_deployment.tag) > 1 then
    perform private.refuse_start_target(start_deployment.id, start_deployment.flow, start_deployment.tag);
  end if;
  -- Lock the caller's row first, then the deployment. A deletion of the user locks in the same order, so the two can't
  -- deadlock.
  v_caller := private.lock_caller();
  v_deployment := private.startable_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, v_caller, start_deployment.public_key, true
  );
  if v_caller.user_id is null then
    v_caller.public_key := start_deployment.public_key;
    v_caller.run_id := private.token_run_id();
  end if;

  if start_deployment.idempotency_key is not null then
    v_request := jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    ) || jsonb_strip_nulls(jsonb_build_object('priority', start_deployment.priority))
      || case when start_deployment."values" is null then '{}'
        else jsonb_build_object('values', start_deployment."values") end;
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_deployment.inputs, '{}'), start_deployment."values",
    start_deployment.action_signer,
    start_deployment.idempotency_key, v_request, priority => start_deployment.priority
  );
end;
$$;
comment on function private.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb, integer) is
  'Implements public.start_deployment. Definer, because it reads other users'' deployments, as their start_permission allows, and inserts the run.';
grant execute on function private.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb, integer)
  to anon, authenticated, service_role;

-- Starts the deployment named by id, or by flow and tag (default latest), and returns {flow_run_id, token}. inputs are
-- tagged values. values are plain JSON, which is converted by the types that read_deployment reports. An input may be
-- in inputs or in values, but not in both. A caller who is not a user must send a public_key. With an idempotency_key,
-- the same request within 24 hours returns the same run. The owner may give a priority in seconds, as if the run had
-- been started so much earlier. 400 start_target_ambiguous, inputs_invalid,
-- action_signer_invalid, priority_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found,
-- also for a deployment that the caller may not start; 409 idempotency_key_reused, start_loop; 413 inputs_too_large;
-- 429 queue_full, start_limit_reached. A start by the owner gets no 429, with one exception: a start by a node, which
-- acts as the owner, may get queue_full.
create function public.start_deployment(
  id uuid default null, flow integer default null, tag text default null, inputs jsonb default null,
  action_signer text default null, public_key text default null, idempotency_key text default null,
  "values" jsonb default null, priority integer default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_deployment(id, flow, tag, inputs, action_signer, public_key, idempotency_key, "values", priority);
end;
comment on function public.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb, integer) is
  'Starts the deployment named by id, or by flow and tag (default latest): {flow_run_id, token}. inputs are tagged values, values are plain JSON. 400; 401; 404 deployment_not_found, also for a deployment that the caller may not start; 409; 413; 429.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text, text, text, jsonb, integer)
  to anon, authenticated, service_role;
