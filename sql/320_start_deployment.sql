create function private.enqueue_run(run public.flow_run, snapshot_hash bytea, chain_url text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_run_id uuid := private.uuid_v7();
begin
  insert into public.flow_run (
    id, user_id, flow_id, deployment_id, started_by, started_by_public_key, inputs,
    output_instructions, action_identity, action_signer, fees, chain_network
  ) values (
    v_run_id, run.user_id, run.flow_id, run.deployment_id, run.started_by, run.started_by_public_key, run.inputs,
    run.output_instructions, run.action_identity, run.action_signer, run.fees, run.chain_network
  );
  insert into private.flow_run_jobs (flow_run_id, snapshot_hash, chain_url)
  values (v_run_id, enqueue_run.snapshot_hash, enqueue_run.chain_url);
  perform pgmq.send('flow_runs', jsonb_build_object('flow_run_id', v_run_id));
  return jsonb_build_object('flow_run_id', v_run_id, 'token', private.run_token(v_run_id));
end;
$$;
comment on function private.enqueue_run(public.flow_run, bytea, text) is
  'Stores a root run with the given settings, queues it, and returns {flow_run_id, token}. Definer: runs are inserted nowhere else; callers check who asks.';

create function private.start_deployment(id uuid, flow integer, tag text, inputs jsonb, action_signer text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
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
    perform private.require_user();
  end if;

  -- Key share: the deployment stays until the run is stored; deploys, customising and other starts don't wait.
  select d.* into v_deployment
  from public.flow_deployments as d
  where d.id = coalesce(start_deployment.id, (
    select t.deployment_id from public.flow_deployments_tags as t
    where t.entrypoint = start_deployment.flow and t.tag = coalesce(start_deployment.tag, 'latest')
  ))
  for key share;
  if not found or not (case v_deployment.start_permission
    when 'Owner' then v_deployment.user_id = v_caller.user_id
    when 'Authenticated' then v_deployment.user_id = v_caller.user_id or not v_caller.is_anonymous
    when 'Anonymous' then true
  end) then
    perform private.fail(404, 'deployment_not_found', 'There is no such deployment.');
  end if;

  perform private.check_inputs(v_inputs);
  if start_deployment.action_signer is not null and not private.is_public_key(to_jsonb(start_deployment.action_signer)) then
    perform private.fail(400, 'action_signer_invalid', 'action_signer: takes a public key, base58 of 32 bytes.');
  end if;

  v_run.user_id := v_deployment.user_id;
  v_run.flow_id := v_deployment.entrypoint;
  v_run.deployment_id := v_deployment.id;
  v_run.started_by := v_caller.user_id;
  v_run.inputs := jsonb_build_object('M', v_inputs);
  v_run.output_instructions := v_deployment.output_instructions;
  v_run.action_identity := v_deployment.action_identity;
  v_run.action_signer := start_deployment.action_signer;
  v_run.fees := v_deployment.fees;
  v_run.chain_network := jsonb_build_object('cluster', v_deployment.chain_network -> 'cluster');
  return private.enqueue_run(v_run, v_deployment.snapshot_hash, v_deployment.chain_network ->> 'url');
end;
$$;
comment on function private.start_deployment(uuid, integer, text, jsonb, text) is
  'Does what public.start_deployment says. Definer: it reads deployments of others, as far as their start_permission allows, and stores the run.';
grant execute on function private.start_deployment(uuid, integer, text, jsonb, text) to anon, authenticated, service_role;

create function public.start_deployment(
  id uuid default null, flow integer default null, tag text default null, inputs jsonb default '{}', action_signer text default null
)
returns jsonb
language sql volatile security invoker
set search_path = ''
as $$
  select private.start_deployment(
    start_deployment.id, start_deployment.flow, start_deployment.tag, start_deployment.inputs, start_deployment.action_signer
  );
$$;
comment on function public.start_deployment(uuid, integer, text, jsonb, text) is
  'Starts a deployment, named by id or by flow and tag (default latest), and returns {flow_run_id, token}. 400 start_target_ambiguous, inputs_invalid, action_signer_invalid; 401; 404 deployment_not_found, for what the caller may not start too.';
grant execute on function public.start_deployment(uuid, integer, text, jsonb, text) to anon, authenticated, service_role;
