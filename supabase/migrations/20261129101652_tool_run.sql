SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.tool_run (
  deployment_id uuid,
  public_key    text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller constant private.caller := private.caller();
  v_run public.flow_run;
begin
  select r.* into v_run
  from public.flow_run as r
  -- A later deploy may have moved the tag to another deployment of the flow, so the flow is compared.
  join public.flow_deployments as d on d.id = tool_run.deployment_id and d.entrypoint = r.flow_id
  where r.id = v_caller.run_id and r.parent_flow_run_id is null and r.deployment_id is not null
    and r.started_by is not distinct from v_caller.user_id
    and (v_caller.user_id is not null or r.started_by_public_key = tool_run.public_key);
  if not found then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  return jsonb_build_object(
    'flow_run_id', v_run.id, 'status', v_run.status, 'output', v_run.output, 'errors', to_jsonb(v_run.errors),
    'asks_for_signature', v_run.end_time is null and exists (select from private.open_signature_requests(v_run.id)),
    'questions', (
      select coalesce(jsonb_agg(
        jsonb_build_object('id', p.id) || case when private.may_answer(a, v_caller.user_id, v_caller.run_id)
          then jsonb_build_object(
            'url', p.url, 'title', p.title, 'description', p.description, 'json_schema', p.json_schema,
            'choices', p.choices
          ) else '{}' end
        order by p.id
      ), '[]')
      from public.pending_inputs as p join private.api_inputs as a on a.id = p.id
      where p.root_flow_run_id = v_run.id
    )
  );
end;
$function$;

CREATE OR REPLACE FUNCTION public.tool_run (
  deployment_id uuid,
  public_key    text DEFAULT NULL::text
)
  RETURNS jsonb
  LANGUAGE sql
BEGIN ATOMIC
 SELECT private.tool_run(deployment_id, public_key)
  AS tool_run;
END;

COMMENT ON FUNCTION "private"."tool_run"(uuid, text) IS 'Implements public.tool_run. Definer, because no API role may read inputs of runs, and callers may see only parts of them.';

COMMENT ON FUNCTION "public"."tool_run"(uuid, text) IS 'The state of a run that the caller has started as a tool, and its open questions. The token of the run is in x-flow-run-token. For the Edge Function mcp. 404 flow_run_not_found, also for the run of another caller or flow.';

REVOKE ALL ON FUNCTION "private"."tool_run"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."tool_run"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."tool_run"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tool_run"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."tool_run"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "public"."tool_run"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."tool_run"(uuid, text) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."tool_run"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."tool_run"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."tool_run"(uuid, text) TO "service_role";
