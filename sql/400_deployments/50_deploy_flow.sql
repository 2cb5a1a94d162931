create function private.deploy_flow(flow_id integer, strict boolean, as_of jsonb)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_frozen record;
  v_warnings jsonb;
  v_hash bytea;
  v_deployment public.flow_deployments;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;

  v_frozen := private.freeze_flow(v_flow, true);
  -- Compare the times after freezing: a flow that is unchanged now was also unchanged when it was frozen.
  if not private.flows_are_as_of(v_user_id, deploy_flow.as_of) then
    perform private.fail('flow_changed', 'The flow, or a flow that it calls, was changed during the deploy.',
      hint => 'Deploy the flow again.');
  end if;
  v_warnings := private.snapshot_warnings(v_frozen.snapshot_hash, v_flow, deploy_flow.strict);
  insert into public.flow_deployments (
    user_id, entrypoint, snapshot_hash, name, description, start_permission, chain_network
  )
  values (
    v_user_id, v_flow.id, v_frozen.snapshot_hash, v_flow.name,
    left(v_flow.description, private.limit_description_characters()),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning * into v_deployment;
  v_hash := private.flow_version_hash(
    v_flow.nodes, v_flow.edges, v_flow.environment, v_flow.chain_network, v_flow.instructions_bundling
  );
  insert into private.flow_deployment_canvases (deployment_id, canvas, flow_hash)
  values (v_deployment.id, v_frozen.canvas, v_hash);
  perform private.store_deployed_version(v_flow.id, v_hash);
  insert into private.flow_deployment_connections (deployment_id, name, connection_id)
  select v_deployment.id, c.key, c.value::uuid
  from jsonb_each_text(private.snapshot_connections(v_frozen.snapshot_hash, v_user_id)) as c;
  return jsonb_build_object('deployment_id', v_deployment.id, 'warnings', v_warnings)
    || private.describe_start_limits(v_deployment);
end;
$$;
comment on function private.deploy_flow(integer, boolean, jsonb) is
  'Implements public.deploy_flow. Definer, because no API role may access snapshots or insert deployments.';
grant execute on function private.deploy_flow(integer, boolean, jsonb) to anon, authenticated, service_role;

-- Returns {deployment_id, warnings}, with at most 100 warnings. If anybody may start the deployment, the answer also
-- has limits. If strict is true, all warnings count as errors, except those that
-- private.snapshot_warnings() accepts. as_of is the value that read_flow_scripts returned. If a flow has changed since
-- then, the answer is 409 flow_changed. The error 422 flow_invalid lists the first 1,000 findings.
create function public.deploy_flow(flow_id integer, strict boolean default false, as_of jsonb default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deploy_flow(flow_id, strict, as_of);
end;
$$;
comment on function public.deploy_flow(integer, boolean, jsonb) is
  'Freezes the caller''s flow into a new deployment, {deployment_id, warnings, limits}. 401; 404 flow_not_found, also for another user''s flow; 409 quota_exceeded, flow_changed; 422 flow_invalid.';
grant execute on function public.deploy_flow(integer, boolean, jsonb) to anon, authenticated, service_role;
