create function private.deploy_flow(flow_id integer, strict boolean)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_frozen record;
  v_warnings jsonb;
  v_deployment public.flow_deployments;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  v_frozen := private.freeze_flow(v_flow, true);
  v_warnings := private.snapshot_warnings(v_frozen.snapshot_hash, v_flow.id, deploy_flow.strict);
  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, name, description, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, v_frozen.snapshot_hash, v_flow.name, left(v_flow.description, 2000),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning * into v_deployment;
  insert into private.flow_deployment_canvases (deployment_id, canvas) values (v_deployment.id, v_frozen.canvas);
  return jsonb_build_object('deployment_id', v_deployment.id, 'warnings', v_warnings) || private.describe_start_limits(v_deployment);
end;
$$;
comment on function private.deploy_flow(integer, boolean) is
  'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';
grant execute on function private.deploy_flow(integer, boolean) to anon, authenticated, service_role;

create function public.deploy_flow(flow_id integer, strict boolean default false)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.deploy_flow(deploy_flow.flow_id, deploy_flow.strict);
end;
$$;
comment on function public.deploy_flow(integer, boolean) is
  'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id, warnings, limits}: warnings are what will make a run fail, the first 100 as {flow_id, code, path, message}; limits are there where anybody may start it. 401 unauthenticated or token_invalid; 404 flow_not_found, also for somebody else''s flow; 409 quota_exceeded; 422 flow_invalid with the first 1,000 findings, and if strict with the warnings.';
grant execute on function public.deploy_flow(integer, boolean) to anon, authenticated, service_role;
