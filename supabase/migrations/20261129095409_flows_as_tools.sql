SET local check_function_bodies = off;

ALTER TABLE "private"."flow_snapshot_interfaces"
  ADD COLUMN "has_effects" boolean NOT NULL DEFAULT true;

ALTER TABLE "public"."flows"
  ADD COLUMN "tool_name" text;

ALTER TABLE "public"."flows"
  ADD COLUMN "tool_tag" text NOT NULL DEFAULT 'latest'::text;

ALTER TABLE "public"."flows"
  ADD COLUMN "tool_description" text NOT NULL DEFAULT ''::text;

CREATE OR REPLACE FUNCTION private.acting_nodes_of (
  snapshot jsonb
)
  RETURNS TABLE (
    flow    text,
    node_id uuid
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  with graph as materialized (
    select 'entry' as flow, acting_nodes_of.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(acting_nodes_of.snapshot -> 'flows') as f
  )
  select g.flow, a.node_id::uuid
  from graph as g
  cross join lateral private.acting_nodes(
    g.graph -> 'nodes', g.graph -> 'edges', private.acting_flows(acting_nodes_of.snapshot),
    acting_nodes_of.snapshot -> 'definitions'
  ) as a
  union
  select u.flow, u.node_id from private.unpublished_nodes(acting_nodes_of.snapshot) as u;
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_effects (
  snapshot jsonb
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select exists (
    select from private.acting_nodes(
      has_effects.snapshot #> '{entry,nodes}', has_effects.snapshot #> '{entry,edges}',
      private.acting_flows(has_effects.snapshot), has_effects.snapshot -> 'definitions'
    )
  ) or exists (select from private.unpublished_nodes(has_effects.snapshot));
$function$;

CREATE OR REPLACE FUNCTION private.limit_tool_description_characters()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 1000;

CREATE OR REPLACE FUNCTION private.limit_tool_name_characters()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 64;

CREATE OR REPLACE FUNCTION private.limit_tools_page()
  RETURNS integer
  LANGUAGE sql
  IMMUTABLE
RETURN 100;

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
    v_last := v_flow.id;
    select d.* into v_deployment
    from public.flow_deployments_tags as t join public.flow_deployments as d on d.id = t.deployment_id
    where t.entrypoint = v_flow.id and t.tag = v_flow.tool_tag;
    if found then
      v_tools := v_tools || private.tool_of(
        v_deployment, v_flow.tool_name, array[v_flow.tool_description, v_flow.description, v_flow.name]
      );
    end if;
  end loop;
  return jsonb_build_object('tools', v_tools);
end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot_interface (
  hash bytea
)
  RETURNS private.flow_snapshot_interfaces
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_interface private.flow_snapshot_interfaces;
begin
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- One transaction computes the interface, and the others wait for its result. If all transactions computed it in
  -- parallel, each would be slower, and perhaps none would finish within its time limit. The computation may already
  -- use node definitions that are added meanwhile. So the result may be newer than v_version, but never older.
  perform pg_advisory_xact_lock(hashtextextended(format('private.snapshot_interface %s', snapshot_interface.hash), 0));
  select i.* into v_interface
  from private.flow_snapshot_interfaces as i
  where i.snapshot_hash = snapshot_interface.hash and i.nodes_version >= v_version;
  if found then
    return v_interface;
  end if;
  -- The lock keeps the sweep from deleting the snapshot before the interface is stored.
  select s.hash, v_version, d.inputs, d.outputs, private.uses_solana(s.data), (
    select count(*) from jsonb_array_elements(s.data #> '{entry,nodes}') as n (node)
    where n.node #>> '{data,type}' <> 'mock' and n.node #>> '{data,node_id}' <> 'note'
  ), private.has_effects(s.data) into v_interface
  from (
    select f.hash, f.data from private.flow_snapshots as f where f.hash = snapshot_interface.hash for key share
  ) as s
  cross join lateral private.describe_snapshot(s.data) as d;
  if found then
    insert into private.flow_snapshot_interfaces as i
      (snapshot_hash, nodes_version, inputs, outputs, uses_solana, node_count, has_effects)
    values (
      v_interface.snapshot_hash, v_interface.nodes_version, v_interface.inputs, v_interface.outputs,
      v_interface.uses_solana, v_interface.node_count, v_interface.has_effects
    )
    on conflict (snapshot_hash) do update
    set nodes_version = excluded.nodes_version, inputs = excluded.inputs, outputs = excluded.outputs,
      uses_solana = excluded.uses_solana, node_count = excluded.node_count, has_effects = excluded.has_effects;
  end if;
  return v_interface;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tool_of (
  deployment public.flow_deployments,
  tool_name  text,
  texts      text[]
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.unpublished_nodes (
  snapshot jsonb
)
  RETURNS TABLE (
    flow    text,
    node_id uuid
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select g.flow, (n.node ->> 'id')::uuid
  from (
    select 'entry' as flow, unpublished_nodes.snapshot -> 'entry' as graph
    union all
    select f.key, f.value from jsonb_each(unpublished_nodes.snapshot -> 'flows') as f
  ) as g
  cross join lateral jsonb_array_elements(g.graph -> 'nodes') as n (node)
  where n.node #>> '{data,type}' = 'native' and not exists (
    select from public.nodes as d
    where d.owner_key = '00000000-0000-0000-0000-000000000000' and d.type = 'native'
      and d.node_id = n.node #>> '{data,node_id}'
  );
$function$;

CREATE OR REPLACE FUNCTION public.list_tools (
  id         uuid    DEFAULT NULL::uuid,
  flow       integer DEFAULT NULL::integer,
  tag        text    DEFAULT NULL::text,
  public_key text    DEFAULT NULL::text,
  tool_name  text    DEFAULT NULL::text,
  after_flow integer DEFAULT NULL::integer
)
  RETURNS jsonb
  LANGUAGE sql
BEGIN ATOMIC
 SELECT private.list_tools(id, flow, TAG, public_key, tool_name, after_flow)
  AS list_tools;
END;

-- Written by hand: the stored interfaces lack has_effects, so the next read of each computes it again.
UPDATE "private"."flow_snapshot_interfaces" SET "nodes_version" = -1;

CREATE UNIQUE INDEX flows_user_id_tool_name_idx ON public.flows USING btree (user_id, tool_name)
  WHERE (tool_name IS NOT NULL);

COMMENT ON COLUMN "private"."flow_snapshot_interfaces"."has_effects" IS 'False if no node of the snapshot has effects outside of a run or asks a person.';

COMMENT ON COLUMN "public"."flows"."tool_description" IS 'The description of the tool for assistants. If it is empty, the tool has the description or the name of the flow.';

COMMENT ON COLUMN "public"."flows"."tool_name" IS 'The name under which assistants call the flow as a tool (MCP). Null: the flow is no tool.';

COMMENT ON COLUMN "public"."flows"."tool_tag" IS 'The tag of the deployment that the tool starts.';

COMMENT ON FUNCTION "private"."has_effects"(jsonb) IS 'True if a run of the snapshot may have effects outside of the run, or may ask a person.';

COMMENT ON FUNCTION "private"."limit_tool_description_characters"() IS 'Limit in characters: `tool_description` of a flow.';

COMMENT ON FUNCTION "private"."limit_tool_name_characters"() IS 'Limit in characters: `tool_name` of a flow: letters, digits, `_`, `-`.';

COMMENT ON FUNCTION "private"."limit_tools_page"() IS 'Limit in flows: an answer to `tools/list`.';

COMMENT ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) IS 'Implements public.list_tools. Definer, because it reads snapshots, and other users'' deployments as their start_permission allows.';

COMMENT ON FUNCTION "private"."tool_of"(public.flow_deployments, text, text[]) IS 'Describes a deployment as a tool. The description is the first of the texts that is not blank, else the name. Callers must check the permission. Definer, because it reads snapshots.';

COMMENT ON FUNCTION "private"."unpublished_nodes"(jsonb) IS 'The native nodes of a snapshot whose definition the service role has not published. flow is `entry` or the id of a called flow.';

COMMENT ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) IS 'The tools of a user, or one deployment as a tool: {tools, next}. Name the deployment as in start_deployment. 400 start_target_ambiguous, public_key_invalid; 401; 404 deployment_not_found, also for a deployment that the caller may not start.';

REVOKE ALL ON FUNCTION "private"."has_effects"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_effects"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_effects"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_tool_description_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_tool_description_characters"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_tool_description_characters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tool_description_characters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tool_description_characters"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_tool_name_characters"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_tool_name_characters"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_tool_name_characters"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tool_name_characters"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tool_name_characters"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."limit_tools_page"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."limit_tools_page"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_tools_page"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_tools"(uuid, integer, text, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tool_of"(public.flow_deployments, text, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tool_of"(public.flow_deployments, text, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tool_of"(public.flow_deployments, text, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unpublished_nodes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unpublished_nodes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unpublished_nodes"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."list_tools"(uuid, integer, text, text, text, integer) TO "service_role";

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_tool_description_length"
    CHECK
    (((char_length(tool_description) <= private.limit_tool_description_characters()) OR private.refuse_column('tool_description'::text,
    format('must have at most %s characters'::text, private.limit_tool_description_characters()))));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_tool_name_form"
    CHECK
    (((tool_name IS NULL) OR ((char_length(tool_name) <= private.limit_tool_name_characters()) AND (tool_name ~ '^[A-Za-z0-9_-]+$'::text) AND (tool_name <> ALL
    (ARRAY['read_run'::text, 'stop_run'::text, 'list_runs'::text]))) OR
    private.refuse_column('tool_name'::text, format('must be 1 to %s letters, digits, underscores and hyphens, and not read_run, stop_run or list_runs'::text,
    private.limit_tool_name_characters()))));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_tool_tag_form"
    CHECK
    ((((char_length(tool_tag) <= private.limit_tag_characters()) AND (tool_tag ~ '^[A-Za-z0-9][A-Za-z0-9._-]*$'::text)) OR private.refuse_column('tool_tag'::text,
    'must be a tag of a deployment'::text)));
