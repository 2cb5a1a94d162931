create function private.start_flow(flow_id integer, inputs jsonb, action_signer text, idempotency_key text, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, and is
  -- read once: network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, start_flow.strict);
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => v_snapshot_hash,
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer),
    input_names => private.input_names(v_flow.nodes)
  ) || jsonb_build_object('warnings', v_warnings);
end;
$$;
comment on function private.start_flow(integer, jsonb, text, text, boolean) is
  'Does what public.start_flow says. Definer: it stores a snapshot and the run.';
grant execute on function private.start_flow(integer, jsonb, text, text, boolean) to anon, authenticated, service_role;

create function public.start_flow(
  flow_id integer, inputs jsonb default null, action_signer text default null, idempotency_key text default null,
  strict boolean default false
)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.start_flow(
    start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key, start_flow.strict
  );
end;
$$;
comment on function public.start_flow(integer, jsonb, text, text, boolean) is
  'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token, warnings}; warnings and strict as in deploy_flow. 401; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid; else as start_deployment.';
grant execute on function public.start_flow(integer, jsonb, text, text, boolean) to anon, authenticated, service_role;
