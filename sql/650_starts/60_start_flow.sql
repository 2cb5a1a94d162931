create function private.start_flow(
  flow_id integer, inputs jsonb, action_signer text, idempotency_key text, strict boolean, "values" jsonb,
  partial_config jsonb, environment jsonb, output_instructions boolean, priority integer
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_caller private.caller;
  v_flow public.flows;
  -- Stands for a deployment of the flow as it is now. This deployment is not stored, so it has no id.
  v_deployment public.flow_deployments;
  v_warnings jsonb;
begin
  v_caller.user_id := private.lock_user();
  -- The lock delays a deletion of the flow until the run is stored, so that the deletion also deletes the run. The lock
  -- does not prevent edits. So read the flow only once: its network and graph must come from the same edit.
  select f.* into v_flow from public.flows as f
    where f.id = start_flow.flow_id and f.user_id = v_caller.user_id for key share;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  v_deployment.snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_deployment.snapshot_hash, v_flow, start_flow.strict);
  v_deployment.user_id := v_flow.user_id;
  v_deployment.entrypoint := v_flow.id;
  v_deployment.input_names := private.input_names(v_flow.nodes);
  v_deployment.typed_inputs := private.typed_inputs(v_flow.nodes);
  v_deployment.chain_network := v_flow.chain_network;
  v_deployment.fees := '[]';
  v_deployment.output_instructions := start_flow.output_instructions;
  return private.enqueue_run(
    v_deployment, v_caller, coalesce(start_flow.inputs, '{}'), start_flow."values", start_flow.action_signer,
    start_flow.idempotency_key,
    jsonb_build_object(
      'flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer
    ) || (
      select coalesce(jsonb_object_agg(o.name, o.value), '{}')
      from (values
        ('values', start_flow."values"), ('partial_config', start_flow.partial_config),
        ('environment', start_flow.environment), ('output_instructions', to_jsonb(start_flow.output_instructions)),
        ('priority', to_jsonb(start_flow.priority))
      ) as o (name, value)
      where o.value is not null
    ),
    flow => v_flow, priority => start_flow.priority
  ) || jsonb_build_object('warnings', v_warnings);
end;
$$;
comment on function private.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) is
  'Implements public.start_flow. Definer, because no API role may insert snapshots or runs.';
grant execute on function private.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer)
  to anon, authenticated, service_role;

create function public.start_flow(
  flow_id integer, inputs jsonb default null, action_signer text default null, idempotency_key text default null,
  strict boolean default false, "values" jsonb default null, partial_config jsonb default null,
  environment jsonb default null, output_instructions boolean default null, priority integer default null
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.start_flow(
    flow_id, inputs, action_signer, idempotency_key, strict, "values", partial_config, environment, output_instructions,
    priority
  );
end;
$$;
comment on function public.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer) is
  'Starts the caller''s flow as it is now, without a deployment: {flow_run_id, token, warnings}. inputs, values and priority are as in start_deployment, warnings and strict as in deploy_flow. 400 environment_invalid; 404 flow_not_found; 422 flow_invalid; others as in start_deployment and private.partial_setting.';
grant execute on function public.start_flow(integer, jsonb, text, text, boolean, jsonb, jsonb, jsonb, boolean, integer)
  to anon, authenticated, service_role;
