-- Tools are deployments as assistants see them (MCP). The function `mcp` calls list_tools before it serves a request,
-- so list_tools also refuses callers.

create function private.tool_of(deployment public.flow_deployments, tool_name text, texts text[])
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_interface constant private.flow_snapshot_interfaces := private.snapshot_interface(tool_of.deployment.snapshot_hash);
begin
  return jsonb_build_object(
    'name', tool_of.tool_name,
    'description', (
      select t.text from unnest(tool_of.texts || tool_of.tool_name) with ordinality as t (text, place)
      where btrim(t.text) <> '' order by t.place limit 1
    ),
    'deployment_id', tool_of.deployment.id, 'has_effects', v_interface.has_effects,
    'inputs', v_interface.inputs, 'outputs', v_interface.outputs
  );
end;
$$;
comment on function private.tool_of(public.flow_deployments, text, text[]) is
  'Describes a deployment as a tool. The description is the first of the texts that is not blank, else the name. Callers must check the permission. Definer, because it reads snapshots.';

create function private.list_tools(
  id uuid, flow integer, tag text, public_key text, tool_name text, after_flow integer
)
returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_tools_page();
  v_user_id uuid;
  v_deployment public.flow_deployments;
  v_flow record;
  v_last integer;
  v_count integer := 0;
  v_bytes integer := 0;
  v_tool jsonb;
  v_tools jsonb := '[]';
begin
  if num_nonnulls(list_tools.id, list_tools.flow, list_tools.tag) > 0 then
    if num_nonnulls(list_tools.id, list_tools.flow) <> 1 or num_nonnulls(list_tools.id, list_tools.tag) > 1 then
      perform private.refuse_start_target(list_tools.id, list_tools.flow, list_tools.tag);
    end if;
    v_deployment := private.startable_deployment(
      list_tools.id, list_tools.flow, list_tools.tag, private.caller(), list_tools.public_key, false
    );
    select f.tool_name, f.tool_description into v_flow from public.flows as f where f.id = v_deployment.entrypoint;
    -- Only the owner may read the flow. So the texts are those of the deployment, and those that are meant for tools.
    return jsonb_build_object('tools', jsonb_build_array(private.tool_of(
      v_deployment, coalesce(v_flow.tool_name, format('flow_%s', v_deployment.entrypoint)),
      array[v_flow.tool_description, v_deployment.description, v_deployment.name]
    )));
  end if;
  v_user_id := private.require_user();
  for v_flow in
    select f.id, f.tool_name, f.tool_tag, f.tool_description, f.name, f.description from public.flows as f
    where f.user_id = v_user_id and f.tool_name is not null and f.id > coalesce(list_tools.after_flow, 0)
      and (list_tools.tool_name is null or f.tool_name = list_tools.tool_name)
    order by f.id limit v_most + 1
  loop
    v_count := v_count + 1;
    if v_count > v_most then
      return jsonb_build_object('tools', v_tools, 'next', v_last);
    end if;
    select d.* into v_deployment
    from public.flow_deployments_tags as t join public.flow_deployments as d on d.id = t.deployment_id
    where t.entrypoint = v_flow.id and t.tag = v_flow.tool_tag;
    if found then
      v_tool := private.tool_of(
        v_deployment, v_flow.tool_name, array[v_flow.tool_description, v_flow.description, v_flow.name]
      );
      v_bytes := v_bytes + pg_column_size(v_tool);
      -- The inputs of a flow may be described by megabytes. A page has at least one tool, so that the last page comes.
      if v_bytes > private.limit_tools_page_bytes() and v_tools <> '[]' then
        return jsonb_build_object('tools', v_tools, 'next', v_last);
      end if;
      v_tools := v_tools || v_tool;
    end if;
    v_last := v_flow.id;
  end loop;
  return jsonb_build_object('tools', v_tools);
end;
$$;
comment on function private.list_tools(uuid, integer, text, text, text, integer) is
  'Implements public.list_tools. Definer, because it reads snapshots, and other users'' deployments as their start_permission allows.';
grant execute on function private.list_tools(uuid, integer, text, text, text, integer)
  to anon, authenticated, service_role;

-- Returns {tools: [{name, description, deployment_id, has_effects, inputs, outputs}], next}. With id, or with flow and
-- tag, the one tool is that deployment; the caller sends credentials as for start_deployment. Otherwise the tools are
-- the caller's flows that have a tool_name and a deployment with their tool_tag: all of them, or the one with this
-- tool_name. A page has the flows after after_flow; next is the after_flow of the next page, and is missing on the last
-- one. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a deployment that the
-- caller may not start.
create function public.list_tools(
  id uuid default null, flow integer default null, tag text default null, public_key text default null,
  tool_name text default null, after_flow integer default null
)
returns jsonb
language sql volatile security invoker
begin atomic
  select private.list_tools(id, flow, tag, public_key, tool_name, after_flow);
end;
comment on function public.list_tools(uuid, integer, text, text, text, integer) is
  'The tools of a user, or one deployment as a tool: {tools, next}. Name the deployment as in start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start.';
grant execute on function public.list_tools(uuid, integer, text, text, text, integer)
  to anon, authenticated, service_role;
