create function private.refuse_start_target(id uuid, flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if (refuse_start_target.id is null) = (refuse_start_target.flow is null) then
    perform private.fail(400, 'start_target_ambiguous', 'A start must name its deployment either by id or by flow.',
      hint => 'Send ?id=<deployment id>, or ?flow=<flow id> with an optional &tag=.');
  end if;
  perform private.fail(400, 'start_target_ambiguous', 'A tag names a deployment of a flow: send it with flow, not with id.');
end;
$$;
comment on function private.refuse_start_target(uuid, integer, text) is
  'Raises the refusal of a start that does not name one deployment: 400 start_target_ambiguous.';

create function private.refuse_public_key(public_key text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if refuse_public_key.public_key is null then
    perform private.unauthenticated();
  end if;
  perform private.fail(400, 'public_key_invalid', '`public_key` must be a public key: base58 of 32 bytes.');
end;
$$;
comment on function private.refuse_public_key(text) is
  'Raises the refusal of a caller who is not a user and shows no public key, 401 unauthenticated, or one that is not valid, 400 public_key_invalid.';

create function private.start_deployment(
  id uuid, flow integer, tag text, inputs jsonb, action_signer text, public_key text, idempotency_key text
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_id uuid := start_deployment.id;
  v_deployment public.flow_deployments;
  v_request jsonb;
begin
  if num_nonnulls(start_deployment.id, start_deployment.flow) <> 1 or num_nonnulls(start_deployment.id, start_deployment.tag) > 1 then
    perform private.refuse_start_target(start_deployment.id, start_deployment.flow, start_deployment.tag);
  end if;
  -- The caller before the deployment, the order in which the deletion of a user comes to both: nobody waits in a circle.
  v_caller := private.lock_caller();
  if v_caller.user_id is null then
    if private.is_public_key(start_deployment.public_key) is not true then
      perform private.refuse_public_key(start_deployment.public_key);
    end if;
    v_caller.public_key := start_deployment.public_key;
  end if;
  -- Key share: the deployment, and so its snapshot, stays until the run is stored. Deploys, customising and other starts do not wait.
  loop
    if start_deployment.flow is not null then
      v_id := (
        select t.deployment_id from public.flow_deployments_tags as t
        where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
      );
    end if;
    select d.* into v_deployment from public.flow_deployments as d where d.id = v_id for key share;
    -- If the deployment was deleted while this waited for it, the tag may name another one now, as latest does: look it up again.
    exit when found or start_deployment.flow is null or v_id is null;
  end loop;
  if not private.may_start(v_deployment, v_caller) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;

  if start_deployment.idempotency_key is not null then
    v_request := jsonb_build_object(
      'deployment', jsonb_build_array(start_deployment.id, start_deployment.flow, start_deployment.tag),
      'inputs', start_deployment.inputs, 'action_signer', start_deployment.action_signer
    );
  end if;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_deployment.inputs, '{}'), start_deployment.action_signer,
    start_deployment.idempotency_key, v_request
  );
end;
$$;
comment on function private.start_deployment(uuid, integer, text, jsonb, text, text, text) is
  'Does what public.start_deployment says. Definer: it reads deployments of others, as far as their start_permission allows, and stores the run.';
grant execute on function private.start_deployment(uuid, integer, text, jsonb, text, text, text) to anon, authenticated, service_role;

create function public.start_deployment(
  id uuid default null, flow integer default null, tag text default null, inputs jsonb default null,
  action_signer text default null, public_key text default null, idempotency_key text default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs,
    start_deployment.action_signer, start_deployment.public_key, start_deployment.idempotency_key
  );
end;
comment on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) is
  'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is not a user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start; 409 idempotency_key_reused; for everybody but the owner 429 queue_full, start_limit_reached.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) to anon, authenticated, service_role;
