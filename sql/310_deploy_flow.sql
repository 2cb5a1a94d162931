create function private.deploy_flow(flow_id integer)
returns uuid
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, private.take_snapshot(v_flow),
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return v_deployment_id;
end;
$$;
comment on function private.deploy_flow(integer) is
  'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';
grant execute on function private.deploy_flow(integer) to anon, authenticated, service_role;

create function public.deploy_flow(flow_id integer)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return jsonb_build_object('deployment_id', private.deploy_flow(deploy_flow.flow_id));
end;
$$;
comment on function public.deploy_flow(integer) is
  'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid with the first 1,000 findings.';
grant execute on function public.deploy_flow(integer) to anon, authenticated, service_role;
