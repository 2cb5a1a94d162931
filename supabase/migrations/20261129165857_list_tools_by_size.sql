SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.limit_tools_page_bytes()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 1048576;

CREATE OR REPLACE FUNCTION private.list_tools (
  id         uuid,
  flow       integer,
  tag        text,
  public_key text,
  tool_name  text,
  after_flow integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

COMMENT ON FUNCTION "private"."limit_tools_page_bytes"() IS 'Limit in bytes: a page of `tools/list`, as stored; a single tool may have more.';

REVOKE ALL ON FUNCTION "private"."limit_tools_page_bytes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page_bytes"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_tools_page_bytes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page_bytes"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page_bytes"() TO "service_role";
