create function private.check_start(id uuid, flow integer, tag text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
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
$$;
comment on function private.check_start(uuid, integer, text) is
  'Refuses a start that names no deployment, and one by the service role: 400 start_target_ambiguous; 401 token_invalid.';

create function private.check_public_key(public_key text)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  if check_public_key.public_key is null then
    perform private.unauthenticated();
  elsif not private.is_public_key(check_public_key.public_key) then
    perform private.fail(400, 'public_key_invalid', 'public_key: takes base58 of 32 bytes.');
  end if;
end;
$$;
comment on function private.check_public_key(text) is
  'Refuses who shows nothing, 401 unauthenticated, and what is no public key, 400 public_key_invalid.';

create function private.start_deployment(
  id uuid, flow integer, tag text, inputs jsonb, action_signer text, public_key text, idempotency_key text
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
      where u.id = v_user_id and u.deleted_at is null and d.id = coalesce(start_deployment.id, v_tagged_id)
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
    counted_shares => case when v_deployment.user_id is distinct from v_user_id then
      private.start_shares(v_user_id, (v_claims ->> 'is_anonymous')::boolean, start_deployment.public_key)
    end,
    max_starts_per_minute => v_deployment.max_starts_per_minute, max_runs_in_flight => v_deployment.max_runs_in_flight,
    idempotency_key => start_deployment.idempotency_key, request => v_request, input_names => v_deployment.input_names
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
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs,
    start_deployment.action_signer, start_deployment.public_key, start_deployment.idempotency_key
  );
end;
$$;
comment on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) is
  'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. A caller who is no user shows a public_key. With an idempotency_key, the same request within 24 hours gives the same run. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid, public_key_invalid, idempotency_key_invalid; 401; 404 deployment_not_found, for what the caller may not start too; 409 idempotency_key_reused; for others than the owner 429 queue_full, start_limit_reached.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text, text, text) to anon, authenticated, service_role;
