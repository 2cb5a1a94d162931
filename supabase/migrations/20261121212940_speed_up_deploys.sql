SET local check_function_bodies = off;

ALTER TABLE "public"."flow_deployments"
  DROP CONSTRAINT "flow_deployments_chain_network_valid";

ALTER TABLE "public"."flows"
  DROP CONSTRAINT "flows_chain_network_valid";

ALTER TABLE "public"."flows"
  DROP CONSTRAINT "flows_environment_strings";

DROP FUNCTION "private"."ended_flow_runs"(uuid[]);

DROP FUNCTION "private"."environment_fault"(text, text);

DROP FUNCTION "private"."flow_edges"(jsonb, jsonb);

DROP FUNCTION "private"."interflow_references"(jsonb);

DROP FUNCTION "private"."is_chain_network"(jsonb);

DROP FUNCTION "private"."is_string_map"(jsonb);

DROP FUNCTION "private"."node_fault"(jsonb);

DROP FUNCTION "private"."pick"(jsonb, text[]);

DROP FUNCTION "private"."reduce_edges"(jsonb);

DROP FUNCTION "private"."reduce_nodes"(jsonb);

DROP FUNCTION "private"."reduce_ports"(jsonb, text[]);

DROP FUNCTION "public"."deploy_flow"(integer);

DROP FUNCTION "public"."ended_flow_runs"(uuid[]);

CREATE OR REPLACE FUNCTION private.environment_fault (
  name  text,
  value text
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- No fault repeats the value, which may be a secret.
  return case
    when environment_fault.name = 'COMPUTE_BUDGET'
      and (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes auto, no or an integer from 0 to 2^32-1'
    when environment_fault.name = 'FALLBACK_COMPUTE_BUDGET'
      and (private.lamports(to_jsonb(environment_fault.value)) <= 4294967295) is not true
      then 'takes an integer from 0 to 2^32-1'
    when environment_fault.name = 'PRIORITY_FEE'
      and not (environment_fault.value in ('auto', 'no') or private.lamports(to_jsonb(environment_fault.value)) is not null)
      then 'takes auto, no or an integer from 0 to 2^64-1'
    when environment_fault.name in ('SIMULATION_COMMITMENT_LEVEL', 'TX_COMMITMENT_LEVEL', 'WAIT_COMMITMENT_LEVEL')
      and environment_fault.value not in ('processed', 'confirmed', 'finalized')
      then 'takes processed, confirmed or finalized'
    when environment_fault.name in ('OVERWRITE_FEEPAYER', 'DEVNET_LOOKUP_TABLE', 'MAINNET_LOOKUP_TABLE')
      and not private.is_base58(environment_fault.value, 32)
      then 'takes a public key, base58 of 32 bytes'
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_edges (
  nodes jsonb,
  edges jsonb
)
  RETURNS TABLE (
    edge_index  integer,
    source      text,
    target      text,
    target_port text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  -- Handle ids name ports flow-wide: an edge's handle may belong to any node, only its node ids say what it joins.
  return query
  with target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from jsonb_path_query(flow_edges.nodes, '$[*] ? (@.data.type != "mock").data.targets[*]') as t (port)
    group by t.port ->> 'id'
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select s.port ->> 'id'
    from jsonb_path_query(flow_edges.nodes, '$[*] ? (@.data.type != "mock").data.sources[*]') as s (port)
    union all
    select 'passthrough-' || target_handle.id from target_handle
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_findings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_findings jsonb;
  v_nodes text[];
  v_sources text[];
  v_targets text[];
  v_cycle text[];
begin
  select jsonb_agg(jsonb_build_object('code', 'node_malformed', 'path', format('nodes[%s]', f.node_index), 'message', f.fault) order by f.node_index)
  into v_findings
  from private.node_faults(flow_findings.nodes) as f;
  if v_findings is not null then
    -- Nothing more can be said of a graph whose nodes can't be read.
    return v_findings;
  end if;

  with node as materialized (
    select
      n.position - 1 as index, n.node ->> 'id' as id, n.node #>> '{data,type}' as type, n.node #>> '{data,node_id}' as node_id,
      n.node #>> '{data,targets_form,form_data,label}' as label
    from jsonb_array_elements(flow_findings.nodes) with ordinality as n (node, position)
  ),
  edge as materialized (
    select e.position - 1 as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target
    from jsonb_array_elements(flow_findings.edges) with ordinality as e (edge, position)
  ),
  kept as materialized (
    select k.edge_index, k.source, k.target, k.target_port
    from private.flow_edges(flow_findings.nodes, flow_findings.edges) as k
  ),
  finding as (
    select 'node_id_duplicate' as code, format('nodes[%s].id', max(node.index)) as path,
      format('two nodes have the id %s', node.id) as message
    from node group by node.id having count(*) > 1
    union all
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(edge.source, 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(edge.target, 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(kept.target_port), kept.target)
    from kept
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(node.label)::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (select jsonb_agg(to_jsonb(finding) order by finding.path, finding.code) from finding),
    (select array_agg(node.id order by node.index) from node where node.type <> 'mock'),
    (select array_agg(kept.source) from kept),
    (select array_agg(kept.target) from kept)
  into v_findings, v_nodes, v_sources, v_targets;

  v_cycle := private.flow_cycle(v_nodes, v_sources, v_targets);
  if v_cycle is not null then
    v_findings := coalesce(v_findings, '[]') || jsonb_build_object(
      'code', 'graph_has_cycle', 'path', 'edges',
      'message', 'these nodes wait for each other in a circle: ' || array_to_string(v_cycle[:20], ' → ')
        || case when cardinality(v_cycle) > 20 then ' → …' else '' end
    );
  end if;
  return coalesce(v_findings, '[]');
end;
$function$;

CREATE OR REPLACE FUNCTION private.interflow_references (
  nodes jsonb
)
  RETURNS TABLE (
    path text,
    id   integer
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  select
    format('nodes[%s].data.targets_form.form_data.id', position - 1),
    case when node #>> '{data,targets_form,form_data,id}' ~ '^[0-9]{1,10}$'
      and pg_input_is_valid(node #>> '{data,targets_form,form_data,id}', 'integer')
      then (node #>> '{data,targets_form,form_data,id}')::integer
    end
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  where node #>> '{data,type}' = 'native' and node #>> '{data,node_id}' in ('interflow', 'interflow_instructions')
  order by position;
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_chain_network (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return coalesce(
    jsonb_typeof(is_chain_network.value) = 'object'
      and is_chain_network.value ->> 'cluster' in ('devnet', 'testnet', 'mainnet-beta')
      and jsonb_typeof(is_chain_network.value -> 'url') = 'string'
      and is_chain_network.value ->> 'url' ~ '^https?://[^[:space:]/?#]+[^[:space:]]*$'
      and length(is_chain_network.value ->> 'url') <= 2048,
    false
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.is_string_map (
  value jsonb
)
  RETURNS boolean
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    when jsonb_typeof(is_string_map.value) <> 'object' then false
    else not jsonb_path_exists(is_string_map.value, 'strict $.* ? (@.type() != "string")')
  end;
end;
$function$;

CREATE OR REPLACE FUNCTION private.node_faults (
  nodes jsonb
)
  RETURNS TABLE (
    node_index integer,
    fault      text
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node is an object'
    -- Postgres writes a UUID like that; a pattern takes four times as long.
    when not pg_input_is_valid(coalesce(n.node ->> 'id', ''), 'uuid') or (n.node ->> 'id')::uuid::text <> n.node ->> 'id'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(n.node -> 'data') is distinct from 'object' then 'data: takes an object'
    when coalesce(n.node #>> '{data,type}', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(n.node #> '{data,node_id}') is distinct from 'string' then 'data.node_id: takes a string'
    when jsonb_typeof(n.node #> '{data,sources}') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(n.node #> '{data,targets}') is distinct from 'array' then 'data.targets: takes an array'
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(n.node, 'strict $.data.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(n.node, 'strict $.data.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(n.node, '$.data.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(n.node, '$.data.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    when n.node #> '{data,targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
  end) as f (fault)
  where f.fault is not null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_edges (
  edges jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select format('[%s]', string_agg(format(
      '{%s"target": %s%s%s}', '"source": ' || (edge -> 'source')::text || ', ', edge -> 'target',
      ', "sourceHandle": ' || (edge -> 'sourceHandle')::text, ', "targetHandle": ' || (edge -> 'targetHandle')::text
    ), ', ' order by position))
    from jsonb_array_elements(reduce_edges.edges) with ordinality as e (edge, position)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.reduce_nodes (
  nodes jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return (
    select format('[%s]', string_agg(format(
      '{"id": %s, "data": {"type": %s, "node_id": %s, "sources": [%s], "targets": [%s]%s, "targets_form": {%s"form_data": %s}%s}}',
      node -> 'id', node #> '{data,type}', node #> '{data,node_id}',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(node #> '{data,sources}') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds'
        ), ', ' order by p.position)
        from jsonb_array_elements(node #> '{data,targets}') with ordinality as p (port, position)
      ),
      ', "display_name": ' || (node #> '{data,display_name}')::text,
      '"extra": ' || (node #> '{data,targets_form,extra}')::text || ', ',
      node #> '{data,targets_form,form_data}',
      ', "instruction_info": ' || (node #> '{data,instruction_info}')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.require_caller (
  OUT user_id uuid,
  OUT is_anonymous boolean,
  OUT run_id uuid
)
  RETURNS record
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  select c.user_id, c.is_anonymous, c.run_id into user_id, is_anonymous, run_id from private.caller() as c;
  if user_id is null and run_id is null then
    perform private.unauthenticated();
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.run_for_caller (
  flow_run_id uuid
)
  RETURNS public.flow_run
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.require_caller();
  v_run public.flow_run;
begin
  select r.* into v_run from public.flow_run as r
  where r.id = run_for_caller.flow_run_id
    and (r.user_id = v_caller.user_id or r.started_by = v_caller.user_id or r.id = v_caller.run_id);
  if not found then
    perform private.fail(404, 'flow_run_not_found', 'There is no such run.');
  end if;
  return v_run;
end;
$function$;

CREATE OR REPLACE FUNCTION private.signature_request_for_caller (
  id      uuid,
  new_msg text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_caller record := private.require_caller();
  v_request public.signature_requests;
begin
  select s.* into v_request
  from public.signature_requests as s
  join public.flow_run as r on r.id = s.root_flow_run_id
  where s.id = signature_request_for_caller.id and (
    s.owner_id = v_caller.user_id or s.user_id = v_caller.user_id or r.started_by = v_caller.user_id
      or s.root_flow_run_id = v_caller.run_id
  );
  if not found then
    perform private.fail(404, 'signature_request_not_found', 'There is no such signature request.');
  end if;
  perform private.check_answer(v_request, signature_request_for_caller.new_msg);
  return jsonb_build_object('id', v_request.id, 'pubkey', v_request.pubkey, 'msg', v_request.msg);
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  flow_id integer
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_flow public.flows;
  v_owner uuid;
  v_graphs text[] := '{}';
  v_called integer[] := '{}';
  v_wanted integer[] := array[take_snapshot.flow_id];
  v_seen integer[] := '{}';
  v_current integer;
  v_findings jsonb := '[]';
  v_reference record;
  v_data text;
  v_hash bytea;
begin
  select f.user_id into strict v_owner from public.flows as f where f.id = take_snapshot.flow_id;

  -- The flow itself, then every flow that it reaches through interflow nodes; a flow may call itself, directly or in a ring.
  while cardinality(v_wanted) > 0 loop
    v_current := v_wanted[1];
    v_wanted := v_wanted[2:];
    continue when v_current = any (v_seen);

    select * into v_flow from public.flows as f where f.id = v_current and f.user_id = v_owner;
    -- Deleted since it was found: a run that calls it says so.
    continue when not found;
    v_seen := v_seen || v_current;
    v_findings := v_findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_current) || finding)
      from jsonb_array_elements(
        private.flow_findings(v_flow.nodes, v_flow.edges) || private.environment_findings(v_flow.environment, v_owner)
      ) as finding
    ), '[]');
    if v_findings = '[]' then
      v_graphs := v_graphs || format(
        '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}', private.reduce_edges(v_flow.edges),
        private.reduce_nodes(v_flow.nodes), v_flow.environment, to_jsonb(v_flow.instructions_bundling)
      );
    end if;

    for v_reference in
      select r.*, f.id as flow_id
      from private.interflow_references(v_flow.nodes) as r
      left join public.flows as f on f.id = r.id and f.user_id = v_owner
    loop
      if v_reference.flow_id is null then
        v_findings := v_findings || jsonb_build_object(
          'flow_id', v_current, 'code', 'interflow_flow_unknown', 'path', v_reference.path,
          'message', 'this is the id of none of your flows'
        );
      else
        v_called := v_called || v_reference.flow_id;
        v_wanted := v_wanted || v_reference.flow_id;
      end if;
    end loop;
  end loop;

  if v_findings <> '[]' then
    perform private.fail(422, 'flow_invalid', format('The flow can''t run: %s.', v_findings #>> '{0,message}'), v_findings);
  end if;

  v_data := format('{"entry": %s, "flows": {%s}}', v_graphs[1], (
    -- Called by its id, the entry is one of the called flows too.
    select string_agg(format('"%s": %s', reached.id, reached.graph), ', ' order by reached.id)
    from unnest(v_seen, v_graphs) as reached (id, graph) where reached.id = any (v_called)
  ));
  v_hash := sha256(convert_to(v_data, 'UTF8'));
  loop
    -- An older equal snapshot is held against the retention job until whoever needs it refers to it.
    perform from private.flow_snapshots as s where s.hash = v_hash for key share;
    exit when found;
    insert into private.flow_snapshots (hash, data) values (v_hash, v_data::jsonb) on conflict (hash) do nothing;
    exit when found;
  end loop;
  return v_hash;
end;
$function$;

CREATE OR REPLACE FUNCTION public.deploy_flow (
  flow_id integer
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return jsonb_build_object('deployment_id', private.deploy_flow(deploy_flow.flow_id));
end;
$function$;

COMMENT ON FUNCTION "private"."environment_fault"(text, text) IS 'What is wrong with a setting in a flow''s environment, or null. The value is never repeated.';

COMMENT ON FUNCTION "private"."flow_edges"(jsonb, jsonb) IS 'The edges that a run keeps: those whose two handles are known. Editors leave others behind; a run drops them with a warning.';

COMMENT ON FUNCTION "private"."interflow_references"(jsonb) IS 'The flows that a graph calls, with the path that names each; id is null where the path holds no integer.';

COMMENT ON FUNCTION "private"."is_chain_network"(jsonb) IS 'Whether the value is a Solana network: {url: an http(s) address, cluster: devnet | testnet | mainnet-beta}.';

COMMENT ON FUNCTION "private"."is_string_map"(jsonb) IS 'Whether the value is an object whose members are all strings.';

COMMENT ON FUNCTION "private"."node_faults"(jsonb) IS 'What makes nodes unreadable for the runner, one fault a node. Source: the node object of the editor''s flow JSON, its mandatory members.';

COMMENT ON FUNCTION "private"."reduce_edges"(jsonb) IS 'A flow''s edges, which all lead to nodes, without what only the editor needs, in the same order, as the text of jsonb.';

COMMENT ON FUNCTION "private"."reduce_nodes"(jsonb) IS 'A flow''s nodes, which have no faults, without what only the editor needs (places, sizes, colours, forms), in the same order, as the text of jsonb.';

COMMENT ON FUNCTION "private"."require_caller"() IS 'Who calls, as private.caller() says, where a run token does too; 401 unauthenticated when nothing proves it. Definer for the same reason.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid with all findings.';

REVOKE ALL ON FUNCTION "private"."environment_fault"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."environment_fault"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."environment_fault"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_edges"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_edges"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_edges"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interflow_references"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_chain_network"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_chain_network"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_chain_network"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_string_map"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_string_map"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_string_map"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."node_faults"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."node_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."node_faults"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reduce_edges"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_edges"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_edges"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reduce_nodes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reduce_nodes"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_caller"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_caller"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_caller"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer) TO "service_role";

ALTER TABLE "public"."flow_deployments"
  ADD CONSTRAINT "flow_deployments_chain_network_valid" CHECK (private.is_chain_network(chain_network));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_chain_network_valid" CHECK (private.is_chain_network(chain_network));

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_environment_strings" CHECK (private.is_string_map(environment));
