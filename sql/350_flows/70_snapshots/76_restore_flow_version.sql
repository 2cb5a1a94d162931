create function private.restore_flow_version(id bigint, updated_at timestamptz)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.lock_user();
  v_version public.flow_versions;
  v_flow public.flows;
  v_kept_id bigint;
begin
  -- Lock the flow's row first, as a save does. While this transaction holds the lock, no other transaction deletes
  -- versions of this flow to make room for another.
  select f.* into v_flow
  from public.flow_versions as v join public.flows as f on f.id = v.flow_id
  where v.id = restore_flow_version.id and v.user_id = v_user_id
  for no key update of f;
  select v.* into v_version from public.flow_versions as v
  where v.id = restore_flow_version.id and v.user_id = v_user_id;
  if not found then
    perform private.fail('flow_version_not_found', 'There is no such version.');
  end if;
  if v_flow.updated_at <> restore_flow_version.updated_at then
    perform private.fail('flow_changed', 'The flow has been saved since the time in updated_at.',
      hint => 'Read the flow again, and restore the version if you still want it.');
  end if;
  v_kept_id := private.store_flow_version(
    v_flow.id,
    private.flow_version_hash(
      v_flow.nodes, v_flow.edges, v_flow.environment, v_flow.chain_network, v_flow.instructions_bundling
    ),
    null
  );
  update public.flows as f
  set nodes = v_version.nodes, edges = v_version.edges, environment = v_version.environment,
    chain_network = v_version.chain_network, instructions_bundling = v_version.instructions_bundling
  where f.id = v_flow.id
  returning f.* into v_flow;
  return jsonb_build_object('updated_at', v_flow.updated_at, 'kept_version_id', v_kept_id);
end;
$$;
comment on function private.restore_flow_version(bigint, timestamptz) is
  'Implements public.restore_flow_version. Definer, because no API role may insert versions.';
grant execute on function private.restore_flow_version(bigint, timestamptz) to anon, authenticated, service_role;

-- First makes a version of the flow's present contents. Then saves the contents of the version `id` as the contents of
-- its flow. Returns {updated_at, kept_version_id}. The parameter `updated_at` is the flow's updated_at when the caller
-- last read the flow. If the flow has been saved since, the answer is 409 flow_changed. If the parameter is null, the
-- function does not check for later saves. The returned updated_at is that of the restored flow.
create function public.restore_flow_version(id bigint, updated_at timestamptz default null)
returns jsonb
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  return private.restore_flow_version(id, updated_at);
end;
$$;
comment on function public.restore_flow_version(bigint, timestamptz) is
  'Saves the contents of a version as its flow''s contents. Before that, keeps the present contents as a version. Returns {updated_at, kept_version_id}. 401; 404 flow_version_not_found; 409 flow_changed, quota_exceeded.';
grant execute on function public.restore_flow_version(bigint, timestamptz) to anon, authenticated, service_role;
