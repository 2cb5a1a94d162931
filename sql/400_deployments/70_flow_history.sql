create function private.flow_history(flow_id integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_user_id constant uuid := private.require_user();
  v_hash bytea;
begin
  select private.flow_version_hash(f.nodes, f.edges, f.environment, f.chain_network, f.instructions_bundling)
  into v_hash
  from public.flows as f where f.id = flow_history.flow_id and f.user_id = v_user_id;
  if not found then
    perform private.fail('flow_not_found', 'There is no such flow.');
  end if;
  return (
    with deployed as materialized (
      select c.flow_hash, (array_agg(d.id order by d.id desc))[1] as newest_id, array_agg(d.id) as ids
      from public.flow_deployments as d
      join private.flow_deployment_canvases as c on c.deployment_id = d.id
      where d.entrypoint = flow_history.flow_id
      group by c.flow_hash
    ),
    tagged as materialized (
      select d.flow_hash, array_agg(t.tag order by t.tag) as tags
      from public.flow_deployments_tags as t
      join deployed as d on t.deployment_id = any (d.ids)
      where t.entrypoint = flow_history.flow_id
      group by d.flow_hash
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', v.id, 'name', v.name, 'saved_at', v.saved_at, 'created_at', v.created_at, 'bytes', v.bytes,
      'is_current', v.hash = v_hash, 'deployment_id', d.newest_id, 'tags', coalesce(to_jsonb(t.tags), '[]')
    ) order by v.saved_at desc, v.id desc), '[]')
    from public.flow_versions as v
    left join deployed as d on d.flow_hash = v.hash
    left join tagged as t on t.flow_hash = v.hash
    where v.flow_id = flow_history.flow_id and v.user_id = v_user_id
  );
end;
$$;
comment on function private.flow_history(integer) is
  'Implements public.flow_history. Definer, because no API role may access private.flow_deployment_canvases.';
grant execute on function private.flow_history(integer) to anon, authenticated, service_role;

-- Lists the versions of the caller's flow, the newest contents first, without the contents: [{id, name, saved_at,
-- created_at, bytes, is_current, deployment_id, tags}]. is_current: whether the saved flow has these contents.
-- deployment_id: the newest deployment with these contents, or null. tags: the tags of all deployments with these
-- contents.
create function public.flow_history(flow_id integer)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.flow_history(flow_id);
end;
$$;
comment on function public.flow_history(integer) is
  'The versions of the caller''s flow, without their contents: [{id, name, saved_at, created_at, bytes, is_current, deployment_id, tags}]. 401; 404 flow_not_found.';
grant execute on function public.flow_history(integer) to anon, authenticated, service_role;
