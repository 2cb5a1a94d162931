create function private.read_deployment(id uuid, flow integer, tag text, public_key text)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_deployment public.flow_deployments;
  v_interface private.flow_snapshot_interfaces;
begin
  if num_nonnulls(read_deployment.id, read_deployment.flow) <> 1
    or num_nonnulls(read_deployment.id, read_deployment.tag) > 1 then
    perform private.refuse_start_target(read_deployment.id, read_deployment.flow, read_deployment.tag);
  end if;
  v_deployment := private.startable_deployment(
    read_deployment.id, read_deployment.flow, read_deployment.tag, private.caller(), read_deployment.public_key, false
  );
  v_interface := private.snapshot_interface(v_deployment.snapshot_hash);
  if v_interface.snapshot_hash is null then
    -- The deployment and its snapshot were deleted after this call had found the deployment.
    perform private.fail('deployment_not_found', 'There is no such deployment.');
  end if;
  return jsonb_build_object(
    'deployment_id', v_deployment.id, 'flow_id', v_deployment.entrypoint, 'name', v_deployment.name,
    'description', v_deployment.description, 'icon_url', v_deployment.icon_url, 'created_at', v_deployment.created_at,
    'start_permission', v_deployment.start_permission, 'output_instructions', v_deployment.output_instructions,
    'action_identity', v_deployment.action_identity, 'fees', v_deployment.fees,
    'cluster', v_deployment.chain_network -> 'cluster',
    'uses_solana', v_interface.uses_solana or v_deployment.output_instructions
      or v_deployment.action_identity is not null or v_deployment.fees <> '[]',
    'node_count', v_interface.node_count, 'inputs', v_interface.inputs, 'outputs', v_interface.outputs
  );
end;
$$;
comment on function private.read_deployment(uuid, integer, text, text) is
  'Implements public.read_deployment. Definer, because it reads snapshots, and other users'' deployments as their start_permission allows.';
grant execute on function private.read_deployment(uuid, integer, text, text) to anon, authenticated, service_role;

-- Returns {deployment_id, flow_id, name, description, icon_url, created_at, start_permission, output_instructions,
-- action_identity, fees, cluster, uses_solana, node_count, inputs: [{name, description, type_bounds, required,
-- default, json_schema}], outputs: [{name, type}]}. The caller names the deployment and sends credentials as for
-- start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a
-- deployment that the caller may not start.
create function public.read_deployment(
  id uuid default null, flow integer default null, tag text default null, public_key text default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.read_deployment(id, flow, tag, public_key);
end;
comment on function public.read_deployment(uuid, integer, text, text) is
  'The inputs, outputs and settings of a deployment, for callers who may start it. Name the deployment as in start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start.';
grant execute on function public.read_deployment(uuid, integer, text, text) to anon, authenticated, service_role;
