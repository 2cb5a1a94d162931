SET local check_function_bodies = off;

DROP FUNCTION "private"."interflow_references"(jsonb);

DROP FUNCTION "private"."take_snapshot"(integer);

CREATE OR REPLACE FUNCTION private.bad_value (
  value jsonb,
  depth integer
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_tag text;
  v_payload jsonb;
  v_type text;
  v_member record;
  v_bad text;
begin
  if bad_value.depth <= 0 then
    return ': nested too deeply';
  end if;
  if jsonb_typeof(bad_value.value) = 'object' then
    v_tag := case
      when bad_value.value ? 'A' then 'A'
      when bad_value.value ? 'M' then 'M'
      when bad_value.value ? 'S' then 'S'
      when bad_value.value ? 'N' then 'N'
      -- Copies all that is in the value, so no level of arrays or maps may come here.
      else jsonb_path_query_first(bad_value.value, '$.keyvalue().key') #>> '{}'
    end;
  end if;
  if v_tag is null or bad_value.value - v_tag <> '{}' then
    return ': a value is an object with exactly one tag, such as {"S": "text"}';
  end if;
  v_payload := bad_value.value -> v_tag;
  v_type := jsonb_typeof(v_payload);

  case
    when v_tag in ('S', 'U', 'I', 'U1', 'I1', 'F', 'D', 'B3', 'B6', 'BY') then
      return case when v_type <> 'string' then '.' || v_tag || ': takes a string' end;
    when v_tag = 'B' then
      return case when v_type <> 'boolean' then '.B: takes true or false' end;
    when v_tag = 'N' then
      return case when v_payload <> '0' then '.N: takes 0' end;
    when v_tag = 'A' then
      if v_type <> 'array' then
        return '.A: takes an array';
      end if;
      for v_index in 0..jsonb_array_length(v_payload) - 1 loop
        v_bad := private.bad_value(v_payload -> v_index, bad_value.depth - 1);
        if v_bad is not null then
          return format('.A[%s]%s', v_index, v_bad);
        end if;
      end loop;
      return null;
    when v_tag = 'M' then
      if v_type <> 'object' then
        return '.M: takes an object';
      end if;
      for v_member in select m.key, m.value from jsonb_each(v_payload) as m loop
        v_bad := private.bad_value(v_member.value, bad_value.depth - 1);
        if v_bad is not null then
          return format('.M.%s%s', v_member.key, v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(v_tag));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_inputs (
  inputs jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_pairs jsonb;
  v_bad text;
begin
  if jsonb_typeof(check_inputs.inputs) <> 'object' then
    perform private.fail(400, 'inputs_invalid', 'inputs: takes an object of values, such as {"a": {"S": "text"}}');
  end if;
  if octet_length(check_inputs.inputs::text) > 1048576 then
    perform private.fail(413, 'inputs_too_large', 'inputs: larger than 1 MiB');
  end if;
  -- One look at all levels, which copies nothing: what is good by it is good. Only a lax path counts members ((…) is unknown unless
  -- there is exactly one), and as it looks into arrays where an object belongs, no value may be an array.
  if not jsonb_path_exists(check_inputs.inputs, (
    'lax $ ? (@.*.type() == "array" || exists (@.* ? ('
    || repeat(
      '@.type() != "object" || (@.*.size() * 0 == 0) is unknown || !('
      '@.*.type() == "string" && (exists (@.S) || exists (@.U) || exists (@.D) || exists (@.B3) || exists (@.I) || exists (@.F)'
      ' || exists (@.BY) || exists (@.B6) || exists (@.U1) || exists (@.I1))'
      ' || @.M.type() == "object" || @.A.type() == "array" || @.B.type() == "boolean" || @.N.type() == "number" && @.N == 0'
      ') || @.*.**{1}.type() == "array" || exists (@.*.**{1} ? (', 64
    )
    -- The 65th level.
    || '1 == 1' || repeat('))', 65) || ')'
  )::jsonpath) then
    return;
  end if;
  -- Otherwise what is wrong is looked for, level by level.
  v_pairs := jsonb_path_query_array(check_inputs.inputs, '$.keyvalue()');
  for v_index in 0..jsonb_array_length(v_pairs) - 1 loop
    v_bad := private.bad_value(v_pairs -> v_index -> 'value', 64);
    if v_bad is not null then
      perform private.fail(400, 'inputs_invalid', 'inputs.' || (v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id integer
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.fees_faults (
  fees jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := '[]';
  v_fee record;
begin
  if jsonb_typeof(fees_faults.fees) is distinct from 'array' then
    return '[{"path": "fees", "message": "takes a list of [address, amount] pairs"}]';
  end if;
  -- A transaction of 1,232 bytes has room for 62 transfers of 17, beside the 168 that each needs.
  if jsonb_array_length(fees_faults.fees) > 64 then
    return '[{"path": "fees", "message": "takes at most 64 pairs, more than a transaction has room for"}]';
  end if;
  for v_fee in
    select f.pair, format('fees[%s]', f.position - 1) as path from jsonb_array_elements(fees_faults.fees) with ordinality as f (pair, position)
  loop
    if jsonb_typeof(v_fee.pair) <> 'array' then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_array_length(v_fee.pair) <> 2 then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path, 'message', 'takes a pair [address, amount]');
      continue;
    end if;
    if jsonb_typeof(v_fee.pair -> 0) <> 'string' or not private.is_public_key(v_fee.pair ->> 0) then
      v_faults := v_faults || jsonb_build_object('path', v_fee.path || '[0]', 'message', 'takes an address, base58 of 32 bytes');
    end if;
    if private.lamports(v_fee.pair -> 1) is null then
      v_faults := v_faults || jsonb_build_object(
        'path', v_fee.path || '[1]', 'message', 'takes lamports, an integer from 0 to 2^64-1, as a number or a string'
      );
    end if;
  end loop;
  return v_faults;
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
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (select finding.* from finding order by finding.path, finding.code limit 1001) as first
    ),
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
    node_index integer,
    id         integer
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return query
  select
    (position - 1)::integer,
    case when node #>> '{data,targets_form,form_data,id}' ~ '^[0-9]{1,10}$'
      and pg_input_is_valid(node #>> '{data,targets_form,form_data,id}', 'integer')
      then (node #>> '{data,targets_form,form_data,id}')::integer
    end
  from jsonb_array_elements(interflow_references.nodes) with ordinality as n (node, position)
  where node #>> '{data,type}' = 'native' and node #>> '{data,node_id}' in ('interflow', 'interflow_instructions');
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
  where f.fault is not null
  order by n.position limit 1001;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, and is
  -- read once: network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => private.take_snapshot(v_flow),
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  entry public.flows
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_flow public.flows := take_snapshot.entry;
  v_reached integer[] := array[take_snapshot.entry.id];
  v_called integer[];
  v_position integer := 1;
  v_ids integer[] := '{}';
  v_graphs text[] := '{}';
  v_max_size constant integer := 16777216;
  v_size integer := 0;
  v_is_entry_called boolean := false;
  v_findings jsonb := '[]';
  v_data text;
  v_hash bytea;
begin
  -- The flow itself, then every flow that it reaches through interflow nodes; a flow may call itself, directly or in a ring.
  <<flows>>
  loop
    v_findings := v_findings || coalesce((
      select jsonb_agg(jsonb_build_object('flow_id', v_flow.id) || finding)
      from jsonb_array_elements(
        private.flow_findings(v_flow.nodes, v_flow.edges) || private.environment_findings(v_flow.environment, v_flow.user_id)
      ) as finding
    ), '[]');
    if v_findings = '[]' then
      v_ids := v_ids || v_flow.id;
      v_graphs := v_graphs || format(
        '{"edges": %s, "nodes": %s, "environment": %s, "instructions_bundling": %s}', private.reduce_edges(v_flow.edges),
        private.reduce_nodes(v_flow.nodes), v_flow.environment, to_jsonb(v_flow.instructions_bundling)
      );
    end if;

    select
      v_findings || coalesce(jsonb_agg(jsonb_build_object(
        'flow_id', v_flow.id, 'code', 'interflow_flow_unknown', 'message', 'this is the id of none of your flows',
        'path', format('nodes[%s].data.targets_form.form_data.id', r.node_index)
      ) order by r.node_index) filter (where f.id is null), '[]'),
      array_agg(distinct f.id) filter (where f.id is not null)
    into v_findings, v_called
    from private.interflow_references(v_flow.nodes) as r
    left join public.flows as f on f.id = r.id and f.user_id = take_snapshot.entry.user_id;
    -- Not by the query, which would be planned anew each time.
    if v_called is not null then
      v_reached := v_reached || array(select c.id from unnest(v_called) as c (id) where c.id <> all (v_reached));
      v_is_entry_called := v_is_entry_called or take_snapshot.entry.id = any (v_called);
    end if;

    loop
      exit flows when v_position = cardinality(v_reached);
      v_position := v_position + 1;
      select f.* into v_flow
      from public.flows as f where f.id = v_reached[v_position] and f.user_id = take_snapshot.entry.user_id;
      -- Deleted since it was found: a run that calls it says so.
      exit when found;
    end loop;
    if v_findings = '[]' then
      v_size := v_size + octet_length(v_graphs[cardinality(v_graphs)]);
    end if;
    -- What comes behind would change nothing.
    exit when v_size > v_max_size or jsonb_array_length(v_findings) > 1000;
  end loop;

  if v_findings = '[]' then
    v_data := format('{"entry": %s, "flows": {%s}}', v_graphs[1], (
      -- Called by its id, the entry is one of the called flows too.
      select string_agg(format('"%s": %s', reached.id, reached.graph), ', ' order by reached.id)
      from unnest(v_ids, v_graphs) as reached (id, graph) where reached.id <> take_snapshot.entry.id or v_is_entry_called
    ));
    if octet_length(v_data) > v_max_size then
      v_findings := jsonb_build_array(jsonb_build_object(
        'flow_id', take_snapshot.entry.id, 'code', 'snapshot_too_large', 'path', 'nodes',
        'message', 'with the flows that it calls it is larger than 16 MiB'
      ));
    end if;
  end if;
  if v_findings <> '[]' then
    perform private.fail(
      422, 'flow_invalid',
      format('The flow can''t run: %s.', v_findings #>> '{0,message}')
        || case when jsonb_array_length(v_findings) > 1000 then ' The details are the first 1,000 findings.' else '' end,
      jsonb_path_query_array(v_findings, '$[0 to 999]')
    );
  end if;
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

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_chain_network_size" CHECK ((pg_column_size(chain_network) <= 16384)) NOT VALID;

ALTER TABLE "public"."flows"
  ADD CONSTRAINT "flows_environment_size" CHECK ((pg_column_size(environment) <= 65536)) NOT VALID;

COMMENT ON FUNCTION "private"."fees_faults"(jsonb) IS 'What is wrong with the fees of a deployment.';

COMMENT ON FUNCTION "private"."flow_findings"(jsonb, jsonb) IS 'What keeps a graph from being run, as an array of {code, path, message}; empty when nothing does, and after a thousand it is cut. Interflow references are checked by private.take_snapshot, which follows them.';

COMMENT ON FUNCTION "private"."interflow_references"(jsonb) IS 'The flows that a graph calls, with the node that names each; id is null where the node names no integer.';

COMMENT ON FUNCTION "private"."node_faults"(jsonb) IS 'What makes nodes unreadable for the runner, one fault a node, the first 1,001. Source: the node object of the editor''s flow JSON, its mandatory members.';

COMMENT ON FUNCTION "private"."take_snapshot"(public.flows) IS 'Freezes a flow, as its caller has read it, and all flows that it reaches, as they are now, and returns the snapshot''s key; 422 flow_invalid lists what keeps them from running, the first 1,000 findings. Definer, since snapshots are private; callers check who asks.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid with the first 1,000 findings.';

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interflow_references"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interflow_references"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."take_snapshot"(public.flows) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_snapshot"(public.flows) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."take_snapshot"(public.flows) TO "postgres";
