SET local check_function_bodies = off;

DROP FUNCTION "private"."deploy_flow"(integer);

DROP FUNCTION "private"."json_faults"(jsonb);

DROP FUNCTION "private"."start_flow"(integer, jsonb, text, text);

DROP FUNCTION "public"."deploy_flow"(integer);

DROP FUNCTION "public"."start_flow"(integer, jsonb, text, text);

CREATE TABLE "private"."flow_snapshot_warnings" (
  "snapshot_hash" bytea  NOT NULL,
  "nodes_version" bigint NOT NULL,
  "warnings"      jsonb  NOT NULL,
  CONSTRAINT "flow_snapshot_warnings_pkey" PRIMARY KEY (snapshot_hash)
);

CREATE TABLE "private"."native_nodes" (
  "id"      boolean NOT NULL DEFAULT true,
  "version" bigint  NOT NULL DEFAULT 0,
  CONSTRAINT "native_nodes_pkey" PRIMARY KEY (id),
  CONSTRAINT "native_nodes_single" CHECK (id)
);

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
          return format('.M.%s%s', private.shorten(v_member.key), v_bad);
        end if;
      end loop;
      return null;
    else
      return format(': there is no tag %s', to_jsonb(private.shorten(v_tag)));
  end case;
end;
$function$;

CREATE OR REPLACE FUNCTION private.chain_network_faults (
  chain_network jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  if jsonb_typeof(chain_network_faults.chain_network) is distinct from 'object' then
    return '[{"path": "chain_network", "message": "takes an object {url, cluster}"}]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('path', 'chain_network.' || fault.member, 'message', fault.message)), '[]')
    from (
      select 'url', 'takes an http or https address of at most 2048 characters'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"cluster": "devnet"}')
      union all
      select 'cluster', 'takes devnet, testnet or mainnet-beta'
      where not private.is_chain_network(chain_network_faults.chain_network || '{"url": "https://rpc.example.com"}')
      union all
      (
        select private.shorten(m.name), 'there is no such member'
        from jsonb_object_keys(chain_network_faults.chain_network) as m (name)
        where m.name not in ('url', 'cluster') limit 20
      )
    ) as fault (member, message)
  );
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
      perform private.fail(400, 'inputs_invalid', 'inputs.' || private.shorten(v_pairs -> v_index ->> 'key') || v_bad);
    end if;
  end loop;
end;
$function$;

CREATE OR REPLACE FUNCTION private.check_node_definition (
  definition jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  v_faults jsonb := private.node_definition_faults(check_node_definition.definition);
begin
  if v_faults <> '[]' then
    perform private.fail(400, 'node_definition_invalid',
      format('%s: %s.', coalesce(nullif(v_faults #>> '{0,path}', ''), 'the definition'), v_faults #>> '{0,message}'),
      -- The first ones tell enough.
      details => jsonb_path_query_array(v_faults, '$[0 to 19]'),
      hint => format('This is the definition of node %s.', to_jsonb(private.shorten(check_node_definition.definition #>> '{data,node_id}', 200))));
  end if;
end;
$function$;

CREATE OR REPLACE FUNCTION private.deploy_flow (
  flow_id integer,
  strict  boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
  v_deployment_id uuid;
begin
  select * into v_flow from public.flows as f
  where f.id = deploy_flow.flow_id and f.user_id = v_user_id
  for no key update;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;

  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, deploy_flow.strict);
  insert into public.flow_deployments (user_id, entrypoint, snapshot_hash, start_permission, chain_network)
  values (
    v_user_id, v_flow.id, v_snapshot_hash,
    case
      when v_flow.is_public and v_flow.start_shared and v_flow.start_unverified then 'Anonymous'
      when v_flow.is_public and v_flow.start_shared then 'Authenticated'
      else 'Owner'
    end,
    v_flow.chain_network
  )
  returning id into v_deployment_id;
  return jsonb_build_object('deployment_id', v_deployment_id, 'warnings', v_warnings);
end;
$function$;

CREATE OR REPLACE FUNCTION private.fail (
  status  integer,
  code    text,
  message text,
  details jsonb   DEFAULT NULL::jsonb,
  hint    text    DEFAULT NULL::text,
  headers jsonb   DEFAULT '{}'::jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  -- PostgREST carries details as text only; the Edge Functions give the JSON in it back.
  raise sqlstate 'PGRST' using
    message = json_build_object(
      'code', fail.code, 'message', private.shorten(fail.message, 2000), 'details', fail.details::text,
      'hint', private.shorten(fail.hint, 2000)
    )::text,
    detail = json_build_object('status', fail.status, 'headers', fail.headers)::text;
end;
$function$;

CREATE OR REPLACE FUNCTION private.flow_cycle (
  nodes   text[],
  sources text[],
  targets text[]
)
  RETURNS text[]
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_count integer := coalesce(cardinality(flow_cycle.nodes), 0);
  v_from integer[];
  v_to integer[];
  v_first integer[];
  v_waiting integer[];
  v_ready integer[];
  v_done integer := 0;
  v_node integer;
  v_edge integer;
  v_next integer;
  v_before integer[];
  v_step integer[];
  v_path integer[] := '{}';
begin
  -- Kahn's algorithm on node numbers, its edges sorted by source: one pass over nodes and edges.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
    return null;
  end if;

  -- As many flows are drawn: what comes later in the array never leads back.
  if (select bool_and(e.source < e.target) from unnest(v_from, v_to) as e (source, target)) then
    return null;
  end if;
  v_first := array_fill(0, array[v_count + 1]);
  v_waiting := array_fill(0, array[v_count]);
  for v_edge in reverse cardinality(v_from)..1 loop
    v_first[v_from[v_edge]] := v_edge;
    v_waiting[v_to[v_edge]] := v_waiting[v_to[v_edge]] + 1;
  end loop;
  select coalesce(array_agg(number), '{}') into v_ready
  from unnest(v_waiting) with ordinality as w (waiting, number)
  where waiting = 0;

  while v_done < cardinality(v_ready) loop
    v_done := v_done + 1;
    v_edge := v_first[v_ready[v_done]];
    while v_edge > 0 and v_edge <= cardinality(v_from) and v_from[v_edge] = v_ready[v_done] loop
      v_next := v_to[v_edge];
      v_waiting[v_next] := v_waiting[v_next] - 1;
      if v_waiting[v_next] = 0 then
        v_ready := v_ready || v_next;
      end if;
      v_edge := v_edge + 1;
    end loop;
  end loop;
  if v_done = v_count then
    return null;
  end if;

  -- Every node left waits for another one that is left: walking backwards from any of them ends up going round a cycle.
  v_before := array_fill(null::integer, array[v_count]);
  for v_edge in 1..cardinality(v_from) loop
    if v_waiting[v_from[v_edge]] > 0 then
      v_before[v_to[v_edge]] := v_from[v_edge];
    end if;
  end loop;
  v_step := array_fill(null::integer, array[v_count]);
  v_node := (select w.number from unnest(v_waiting) with ordinality as w (waiting, number) where w.waiting > 0 limit 1);
  while v_step[v_node] is null loop
    v_path := v_path || v_node;
    v_step[v_node] := cardinality(v_path);
    v_node := v_before[v_node];
  end loop;
  return (
    select array_agg(flow_cycle.nodes[p.number] order by p.position desc)
    from unnest(v_path) with ordinality as p (number, position)
    where p.position >= v_step[v_node]
  );
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
  -- Not by jsonb_path_query, which takes what it gives from the beginning of a list, and moves all the rest.
  with target_handle as materialized (
    select t.port ->> 'id' as id, max(t.port ->> 'name') as name
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,targets}') as t (port)
    where n.node #>> '{data,type}' <> 'mock'
    group by t.port ->> 'id'
  )
  select (e.position - 1)::integer, e.edge ->> 'source', e.edge ->> 'target', target_handle.name
  from jsonb_array_elements(flow_edges.edges) with ordinality as e (edge, position)
  join target_handle on target_handle.id = e.edge ->> 'targetHandle'
  where e.edge ->> 'sourceHandle' in (
    select s.port ->> 'id'
    from jsonb_array_elements(flow_edges.nodes) as n (node)
    cross join lateral jsonb_array_elements(n.node #> '{data,sources}') as s (port)
    where n.node #>> '{data,type}' <> 'mock'
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
  -- Whoever looks at it must know how much there is to look at.
  v_findings := private.flow_size_findings(flow_findings.nodes, flow_findings.edges);
  if v_findings <> '[]' then
    return v_findings;
  end if;
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
    select 'edge_source_unknown', format('edges[%s].source', edge.index), format('there is no node %s', coalesce(private.shorten(edge.source), 'null'))
    from edge
    where not exists (select from node where node.id = edge.source and node.type <> 'mock')
      and not exists (select from node where node.id = edge.target and node.type = 'mock')
    union all
    select 'edge_target_unknown', format('edges[%s].target', edge.index), format('there is no node %s', coalesce(private.shorten(edge.target), 'null'))
    from edge where not exists (select from node where node.id = edge.target)
    union all
    select 'input_connected_twice', format('edges[%s].targetHandle', max(kept.edge_index)),
      format('two edges lead into the input %s of node %s', to_jsonb(private.shorten(kept.target_port)), kept.target)
    from kept
    where exists (select from node where node.id = kept.target and node.type <> 'mock')
    group by kept.target, kept.target_port having count(*) > 1
    union all
    -- More than it may have inputs: handles may be those of other nodes.
    select 'node_edges_too_many', format('nodes[%s]', min(node.index)), 'at most 1,000 edges lead into one node'
    from (select k.target from kept as k group by k.target having count(*) > 1000) as crowded
    join node on node.id = crowded.target
    group by node.id
    union all
    select 'output_label_duplicate', format('nodes[%s].data.targets_form.form_data.label', max(node.index)),
      format('two flow outputs have the label %s', coalesce(to_jsonb(private.shorten(node.label))::text, 'null'))
    from node where node.type = 'native' and node.node_id = 'flow_output'
    group by node.label having count(*) > 1
  )
  select
    (
      select jsonb_agg(to_jsonb(first) order by first.path, first.code)
      from (select finding.* from finding order by finding.path, finding.code limit 1001) as first
    ),
    -- Each id once: edges of a node that is there a thousand times are not looked at a thousand times.
    (
      select array_agg(u.id order by u.index)
      from (select node.id, min(node.index) as index from node where node.type <> 'mock' group by node.id) as u
    ),
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

CREATE OR REPLACE FUNCTION private.flow_size_findings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(jsonb_build_object(
    'code', 'flow_too_large', 'path', part.name, 'message', format('a flow takes at most %s %s, and these are %s', part.most, part.name, part.size)
  )), '[]')
  from (values
    ('nodes', 10000, jsonb_array_length(flow_size_findings.nodes)), ('edges', 50000, jsonb_array_length(flow_size_findings.edges))
  ) as part (name, most, size)
  where part.size > part.most;
$function$;

CREATE OR REPLACE FUNCTION private.flow_warnings (
  nodes jsonb,
  edges jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  SET plan_cache_mode TO 'force_generic_plan'
  AS $function$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without definitions nothing is known of what runs here.
  v_knows_nodes constant boolean := exists (select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native');
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type, d.data ->> 'node_id' as node_id,
        -- Of which the JSON tells the ports, of both sides or the inputs alone.
        not v_knows_nodes or d.data ->> 'node_id' in ('interflow', 'interflow_instructions')
          or d.data ->> 'node_id' like 'rhai\_script\_%' as are_inputs_drawn,
        not v_knows_nodes or d.data ->> 'node_id' = 'interflow' or d.data ->> 'node_id' like 'rhai\_script\_%' as are_outputs_drawn,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets, d.data #> '{targets_form,form_data}' as form_data,
        -- A labelled node has one port, whatever the JSON calls it.
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output') then coalesce(
          case jsonb_typeof(d.data #> '{targets_form,form_data,label}')
            when 'string' then d.data #>> '{targets_form,form_data,label}'
          end,
          d.data -> case d.data ->> 'node_id' when 'flow_input' then 'sources' else 'targets' end -> 0 ->> 'name',
          ''
        ) end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select distinct on (d.node_id) d.node_id, d.sources, d.targets
      from public.nodes as d
      where d.owner_key = v_nobody and d.type = 'native'
        and d.node_id = any (array(select distinct n.node_id from node as n where n.type = 'native'))
      order by d.node_id, d.created_at desc, d.version desc
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false)
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select n.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required, false as is_handed_on
      from node as n cross join lateral jsonb_array_elements(n.sources) as s (port)
      union all
      select n.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port ->> 'required')::boolean, (t.port ->> 'passthrough')::boolean
      from node as n cross join lateral jsonb_array_elements(n.targets) as t (port)
    ),
    -- Handles name ports flow-wide; copies of a node may share them.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, s.index as source_index, t.index as target_index, s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name) else sh.name end
          as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name) else th.name end as target_name,
        s.type = 'native' and (not v_knows_nodes or s.node_id in (select d.node_id from definition as d)) as is_source_known,
        t.type = 'native' and (not v_knows_nodes or t.node_id in (select d.node_id from definition as d)) as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and n.type = 'native' and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn
        and (not v_knows_nodes or n.node_id in (select f.node_id from definition as f))
    ),
    warning (place, index, code, member, message) as (
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native' then format('there is no node %s here, so the run fails at it', to_jsonb(private.shorten(n.node_id)))
        else format('nodes of type %s are not executed, so the run fails at it', n.type)
      end
      from node as n
      where n.type <> 'native' or v_knows_nodes and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      select distinct 1, r.index, 'input_missing', '', format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node', to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format('this is the id of another node''s port: of the source the one of its name is taken, %s', to_jsonb(private.shorten(w.source_name)))
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format('this is the id of another node''s port: of the target the one of its name is taken, %s', to_jsonb(private.shorten(w.target_name)))
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not hand its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known
        and not (w.side = 'source' and (w.source_id = 'flow_input' or w.is_source_drawn and w.is_own_source is true))
        and case when w.is_source_drawn
          then (w.source_index, w.side, w.source_name) not in (
            select d.index, d.side, d.name from drawn as d where d.side = 'source' or d.is_handed_on
          )
          else (w.source_id, w.side, w.source_name) not in (
            select p.node_id, p.side, p.name from defined_port as p where p.side = 'source' or p.is_handed_on
          )
        end
      union all
      select 2, w.index, 'edge_target_port_unknown', '.targetHandle',
        format('the node has no input %s, so the run fails at it', to_jsonb(private.shorten(w.target_name)))
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_target_known and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (select p.node_id, p.name from defined_port as p where p.side = 'target')
        end
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code, 'path', format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index, first.member),
      'message', first.message
    ) order by first.place, first.index, first.code, first.message), '[]')
    from (select w.* from warning as w order by w.place, w.index, w.code, w.message limit 100) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.json_faults (
  value jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  -- Half-way between the greatest double and 2^1024: from here on a double is infinite.
  v_infinite constant numeric := 179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904174497792;
  v_size bigint;
  v_is_faulty boolean;
begin
  -- Without the values that hold others, of which every level copies what is in it. (What jsonb_path_query gives it takes from the
  -- beginning of a list, which moves all the rest.)
  select coalesce(sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0) into v_size
  from jsonb_array_elements(
    jsonb_path_query_array(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")')
  ) as leaf (value);
  if v_size <= 262144 then
    with recursive part as (
      select json_faults.value as value, 0 as depth, '' as name
      union all
      select inside.value, part.depth + 1, inside.name
      from part
      cross join lateral (
        select m.value, m.key as name
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, ''
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end) as e (value)
      ) as inside
      where part.depth <= 64
    )
    select
      -- The UTF-8 bytes of strings and member names, and 8 for each value: a size that TypeScript counts alike.
      sum(8 + octet_length(part.name) + case jsonb_typeof(part.value) when 'string' then octet_length(part.value #>> '{}') else 0 end),
      bool_or(
        part.depth > 64 or length(part.name) > 256
        or case jsonb_typeof(part.value) when 'number' then abs(part.value::numeric) >= v_infinite else false end
      )
    into v_size, v_is_faulty
    from part;
  end if;
  if v_size > 262144 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  if not v_is_faulty then
    return '[]';
  end if;

  -- Where a path is told it is built, of bounded pieces: a long name would be copied to all that is below it.
  return (
    with recursive part as (
      select json_faults.value as value, '' as path, 0 as depth, false as is_named_too_long
      union all
      select inside.value, private.shorten(part.path || inside.step, 200), part.depth + 1, inside.is_named_too_long
      from part
      cross join lateral (
        select m.value, '.' || private.shorten(m.key) as step, length(m.key) > 256 as is_named_too_long
        from jsonb_each(case jsonb_typeof(part.value) when 'object' then part.value end) as m
        union all
        select e.value, format('[%s]', e.position - 1), false
        from jsonb_array_elements(case jsonb_typeof(part.value) when 'array' then part.value end)
          with ordinality as e (value, position)
      ) as inside
      where part.depth <= 64
    ),
    fault as (
      select ltrim(part.path, '.') as path,
        case
          when part.depth > 64 then 'is nested deeper than 64 levels'
          when part.is_named_too_long then 'has a name of more than 256 characters'
          when jsonb_typeof(part.value) = 'number' then case
            when abs(part.value::numeric) >= v_infinite then 'takes a number that a double can hold'
          end
        end as message
      from part
    )
    select coalesce(jsonb_agg(jsonb_build_object('path', first.path, 'message', first.message) order by first.path collate "C"), '[]')
    from (select f.path, f.message from fault as f where f.message is not null order by f.path collate "C" limit 100) as first
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_create_store (
  claim  jsonb,
  effect jsonb,
  store  text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id constant uuid := private.hold_run_and_owner(kv_create_store.claim);
begin
  if private.lock_effect(kv_create_store.effect, v_user_id) is not null then
    return;
  end if;
  begin
    insert into public.kv_stores (user_id, name) values (v_user_id, kv_create_store.store) on conflict do nothing;
  exception when check_violation then
    perform private.fail(400, 'kv_store_name_invalid',
      'The name of a store takes 1 to 120 letters, digits, _ and -, a letter first.');
  end;
  if not found then
    perform private.fail(409, 'kv_store_exists', format('There is a store %s already.', to_jsonb(private.shorten(kv_create_store.store, 120))));
  end if;
  perform private.keep_effect(kv_create_store.effect, '{"M": {}}');
end;
$function$;

CREATE OR REPLACE FUNCTION private.kv_store_missing (
  store text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.fail(404, 'kv_store_not_found', format('There is no store %s.', to_jsonb(private.shorten(kv_store_missing.store, 120))));
$function$;

CREATE OR REPLACE FUNCTION private.node_definition_faults (
  definition jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
declare
  v_definition jsonb := node_definition_faults.definition;
  v_faults jsonb;
begin
  -- What is within the limit takes less than this: what costs much isn't even looked at.
  if pg_column_size(v_definition) > 1048576 then
    return '[{"path": "", "message": "holds more than 256 KiB"}]';
  end if;
  -- A row has null for the columns that its definition leaves out: the size must not depend on it.
  if jsonb_typeof(v_definition) = 'object' then
    v_definition := v_definition - array(select m.key from jsonb_each(v_definition) as m where m.value = 'null');
  end if;
  v_faults := private.json_faults(v_definition);
  if v_faults = '[]' then
    v_faults := private.shape_faults(v_definition, private.node_definition_shape());
  end if;
  if v_faults <> '[]' then
    return v_faults;
  end if;
  with fault (path, message) as (
    select private.shorten(m.name), 'there is no such member'
    from jsonb_object_keys(node_definition_faults.definition) as m (name)
    where m.name <> all (array(select rtrim(s.name, '!') from jsonb_object_keys(private.node_definition_shape()) as s (name)))
    union all
    -- Numbers and booleans that PostgREST writes into the text column arrive as their text.
    select 'type', 'takes a name: a letter, then letters, digits, _ and -, 64 at most, but neither true nor false'
    where v_definition ->> 'type' !~ '^(?!(true|false)$)[A-Za-z][A-Za-z0-9_-]{0,63}$'
    union all
    select 'data.' || l.name, format('takes 1 to %s characters', l.longest)
    from (values ('node_id', 200), ('version', 100)) as l (name, longest)
    where char_length(v_definition -> 'data' ->> l.name) not between 1 and l.longest
    union all
    select f.name, 'is missing: the two form schemas come together'
    from (values
      ('targets_form.json_schema', 'targets_form.ui_schema'), ('targets_form.ui_schema', 'targets_form.json_schema')
    ) as f (name, other)
    where v_definition ->> f.name is null and v_definition ->> f.other is not null
    union all
    select format('%s[%s].name', p.side, p.position - 1), format('there is another one of the name %s', to_jsonb(private.shorten(p.port ->> 'name')))
    from (
      select s.side, e.port, e.position,
        row_number() over (partition by s.side, e.port ->> 'name' order by e.position) as occurrence
      from (values ('sources'), ('targets')) as s (side)
      cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    ) as p
    where p.occurrence > 1
    union all
    select format('%s[%s].name', s.side, e.position - 1), 'takes at most 256 characters'
    from (values ('sources'), ('targets')) as s (side)
    cross join lateral jsonb_array_elements(v_definition -> s.side) with ordinality as e (port, position)
    where length(e.port ->> 'name') > 256
  )
  select coalesce(jsonb_agg(to_jsonb(first) order by first.path collate "C"), '[]') into v_faults
  from (select fault.* from fault order by fault.path collate "C" limit 100) as first;
  return v_faults;
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
declare
  -- Asked of all at once: only where a port is wrong, it is looked for node by node.
  v_has_bad_ports constant boolean := coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'sources') when 'array' then node -> 'data' -> 'sources' end
    ) as port
  ), false) or coalesce((
    select bool_or(
      jsonb_typeof(port -> 'id') is distinct from 'string' or jsonb_typeof(port -> 'name') is distinct from 'string'
      or greatest(length(port ->> 'id'), length(port ->> 'name')) > 256
      or jsonb_typeof(port -> 'type_bounds') is distinct from 'array'
      or jsonb_typeof(port -> 'required') is distinct from 'boolean' or jsonb_typeof(port -> 'passthrough') is distinct from 'boolean'
    )
    from jsonb_array_elements(node_faults.nodes) as node
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(node -> 'data' -> 'targets') when 'array' then node -> 'data' -> 'targets' end
    ) as port
  ), false);
begin
  return query
  select (n.position - 1)::integer, f.fault
  from jsonb_array_elements(node_faults.nodes) with ordinality as n (node, position)
  -- Taken out once, not by each condition.
  cross join lateral (select n.node -> 'data' as data offset 0) as d
  cross join lateral (select case
    when jsonb_typeof(n.node) <> 'object' then 'a node is an object'
    -- Postgres writes a UUID like that; a pattern takes four times as long.
    when not pg_input_is_valid(coalesce(n.node ->> 'id', ''), 'uuid') or (n.node ->> 'id')::uuid::text <> n.node ->> 'id'
      then 'id: takes a UUID in lower case with hyphens'
    when jsonb_typeof(d.data) is distinct from 'object' then 'data: takes an object'
    when coalesce(d.data ->> 'type', '') not in ('native', 'deno', 'WASM', 'mock')
      then 'data.type: takes native, deno, WASM or mock'
    when jsonb_typeof(d.data -> 'node_id') is distinct from 'string' then 'data.node_id: takes a string'
    when length(d.data ->> 'node_id') > 200 then 'data.node_id: takes at most 200 characters'
    when jsonb_typeof(d.data -> 'sources') is distinct from 'array' then 'data.sources: takes an array'
    when jsonb_typeof(d.data -> 'targets') is distinct from 'array' then 'data.targets: takes an array'
    when jsonb_array_length(d.data -> 'sources') > 1000 then 'data.sources: takes at most 1,000 sources'
    when jsonb_array_length(d.data -> 'targets') > 1000 then 'data.targets: takes at most 1,000 targets'
    when v_has_bad_ports and private.port_fault(d.data) is not null then private.port_fault(d.data)
    when d.data #> '{targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when d.data ->> 'node_id' in ('flow_input', 'flow_output')
        and length(d.data #>> '{targets_form,form_data,label}') > 256
      then 'data.targets_form.form_data.label: takes at most 256 characters'
  end) as f (fault)
  where f.fault is not null
  order by n.position limit 1001;
end;
$function$;

CREATE OR REPLACE FUNCTION private.port_fault (
  data jsonb
)
  RETURNS text
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
begin
  return case
    -- Strict: lax paths look into arrays of arrays.
    when jsonb_path_exists(port_fault.data, 'strict $.sources[*] ? (@.type() != "object")')
      then 'data.sources: a source is an object'
    when jsonb_path_exists(port_fault.data, 'strict $.targets[*] ? (@.type() != "object")')
      then 'data.targets: a target is an object'
    when jsonb_path_exists(port_fault.data, '$.sources[*] ? (!(@.id.type() == "string" && @.name.type() == "string"))')
      then 'data.sources: a source has a string id and a string name'
    when jsonb_path_exists(port_fault.data, '$.targets[*] ? (!(@.id.type() == "string" && @.name.type() == "string"
        && @.type_bounds.type() == "array" && @.required.type() == "boolean" && @.passthrough.type() == "boolean"))')
      then 'data.targets: a target has a string id and name, an array type_bounds, and booleans required and passthrough'
    -- A pattern repeats at most 255 times.
    when jsonb_path_exists(port_fault.data,
        '$.sources[*] ? (@.id like_regex "^.{255}.." flag "s" || @.name like_regex "^.{255}.." flag "s")')
      then 'data.sources: the id and the name of a source take at most 256 characters'
    when jsonb_path_exists(port_fault.data,
        '$.targets[*] ? (@.id like_regex "^.{255}.." flag "s" || @.name like_regex "^.{255}.." flag "s")')
      then 'data.targets: the id and the name of a target take at most 256 characters'
  end;
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
      node -> 'id', d.data -> 'type', d.data -> 'node_id',
      (
        select string_agg(format(
          '{"id": %s, "name": %s%s%s}', port -> 'id', port -> 'name',
          ', "type": ' || (port -> 'type')::text, ', "optional": ' || (port -> 'optional')::text
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'sources') with ordinality as p (port, position)
      ),
      (
        select string_agg(format(
          '{"id": %s, "name": %s, "required": %s, "passthrough": %s, "type_bounds": %s}',
          port -> 'id', port -> 'name', port -> 'required', port -> 'passthrough', port -> 'type_bounds'
        ), ', ' order by p.position)
        from jsonb_array_elements(d.data -> 'targets') with ordinality as p (port, position)
      ),
      ', "display_name": ' || (d.data -> 'display_name')::text,
      '"extra": ' || (d.data -> 'targets_form' -> 'extra')::text || ', ',
      d.data -> 'targets_form' -> 'form_data',
      ', "instruction_info": ' || (d.data -> 'instruction_info')::text
    ), ', ' order by n.position))
    from jsonb_array_elements(reduce_nodes.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
  );
end;
$function$;

CREATE OR REPLACE FUNCTION private.shape_faults (
  value jsonb,
  shape jsonb
)
  RETURNS jsonb
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  with recursive part as (
    select shape_faults.value as value, shape_faults.shape as shape, '' as path, true as is_required
    union all
    select inside.value, inside.shape, part.path || inside.step, inside.is_required
    from part
    cross join lateral (
      -- A member that is null counts as missing.
      select nullif(part.value -> rtrim(m.key, '!'), 'null') as value, m.value as shape, '.' || rtrim(m.key, '!') as step,
        m.key like '%!' as is_required
      from jsonb_each(case when jsonb_typeof(part.value) = 'object' and jsonb_typeof(part.shape) = 'object' then part.shape end) as m
      union all
      select e.value, part.shape -> 0, format('[%s]', e.position - 1), true
      from jsonb_array_elements(case when jsonb_typeof(part.value) = 'array' and jsonb_typeof(part.shape) = 'array' then part.value end)
        with ordinality as e (value, position)
    ) as inside
  ),
  typed as (
    select ltrim(part.path, '.') as path, part.is_required, jsonb_typeof(part.value) as type,
      case jsonb_typeof(part.shape) when 'string' then part.shape #>> '{}' else jsonb_typeof(part.shape) end as expected
    from part
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', fault.path, 'message', case
    when fault.type is null then 'is missing'
    else 'takes ' || case fault.expected
      when 'boolean' then 'true or false' when 'object' then 'an object' when 'array' then 'an array' else 'a ' || fault.expected
    end
  end) order by fault.path collate "C"), '[]')
  from (
    select typed.path, typed.type, typed.expected from typed
    where case when typed.type is null then typed.is_required else typed.type <> typed.expected end
    order by typed.path collate "C" limit 100
  ) as fault;
$function$;

CREATE OR REPLACE FUNCTION private.shorten (
  value   text,
  longest integer DEFAULT 100
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case when length(shorten.value) > shorten.longest then left(shorten.value, shorten.longest) || '…' else shorten.value end;
$function$;

CREATE OR REPLACE FUNCTION private.snapshot_warnings (
  hash    bytea,
  flow_id integer,
  strict  boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_version bigint := coalesce((select n.version from private.native_nodes as n), 0);
  v_warnings jsonb;
begin
  select w.warnings into v_warnings
  from private.flow_snapshot_warnings as w
  where w.snapshot_hash = snapshot_warnings.hash and w.nodes_version = v_version;
  if not found then
    select coalesce(jsonb_agg(warning order by graph.flow_id nulls first, warning.position), '[]') into v_warnings
    from (
      select null::integer as flow_id, s.data -> 'entry' as graph from private.flow_snapshots as s where s.hash = snapshot_warnings.hash
      union all
      -- One that is called by itself is there twice.
      select f.key::integer, f.value
      from private.flow_snapshots as s cross join lateral jsonb_each(s.data -> 'flows') as f
      where s.hash = snapshot_warnings.hash and f.value <> s.data -> 'entry'
    ) as graph
    cross join lateral (
      select w.warning || case when graph.flow_id is null then '{}' else jsonb_build_object('flow_id', graph.flow_id) end as warning, w.position
      from jsonb_array_elements(private.flow_warnings(graph.graph -> 'nodes', graph.graph -> 'edges')) with ordinality as w (warning, position)
    ) as warning;
    v_warnings := jsonb_path_query_array(v_warnings, '$[0 to 99]');
    -- Of whoever else finds them meanwhile the same.
    insert into private.flow_snapshot_warnings as w (snapshot_hash, nodes_version, warnings)
    values (snapshot_warnings.hash, v_version, v_warnings)
    on conflict (snapshot_hash) do update set nodes_version = excluded.nodes_version, warnings = excluded.warnings;
  end if;
  if v_warnings = '[]' then
    return '[]';
  end if;
  v_warnings := (
    select jsonb_agg(jsonb_build_object('flow_id', snapshot_warnings.flow_id) || w.warning order by w.position)
    from jsonb_array_elements(v_warnings) with ordinality as w (warning, position)
  );
  if snapshot_warnings.strict then
    perform private.fail(422, 'flow_invalid', format('The flow is not without warnings: %s.', v_warnings #>> '{0,message}'), v_warnings);
  end if;
  return v_warnings;
end;
$function$;

CREATE OR REPLACE FUNCTION private.start_flow (
  flow_id         integer,
  inputs          jsonb,
  action_signer   text,
  idempotency_key text,
  strict          boolean
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  v_user_id uuid := private.lock_user();
  v_flow public.flows;
  v_snapshot_hash bytea;
  v_warnings jsonb;
begin
  -- Key share: the flow stays until the run is stored, so that its deletion takes the run along. It may be edited meanwhile, and is
  -- read once: network and graph are of one edit.
  select f.* into v_flow from public.flows as f where f.id = start_flow.flow_id and f.user_id = v_user_id for key share;
  if not found then
    perform private.fail(404, 'flow_not_found', 'There is no such flow.');
  end if;
  v_snapshot_hash := private.take_snapshot(v_flow);
  v_warnings := private.snapshot_warnings(v_snapshot_hash, v_flow.id, start_flow.strict);
  return private.enqueue_run(
    user_id => v_user_id, flow_id => v_flow.id, started_by => v_user_id,
    inputs => coalesce(start_flow.inputs, '{}'), action_signer => start_flow.action_signer,
    chain_network => v_flow.chain_network, snapshot_hash => v_snapshot_hash,
    idempotency_key => start_flow.idempotency_key,
    request => jsonb_build_object('flow', start_flow.flow_id, 'inputs', start_flow.inputs, 'action_signer', start_flow.action_signer)
  ) || jsonb_build_object('warnings', v_warnings);
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__after_update()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Each start of a stack writes all of them, mostly as they are.
  if exists (
    select from former as f join changed as c on c.id = f.id
    where c.user_id is null and private.node_definition(c) <> private.node_definition(f)
  ) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION private.tg_nodes__after_write()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if exists (select from changed as c where c.user_id is null) then
    insert into private.native_nodes as n (version) values (1) on conflict (id) do update set version = n.version + 1;
  end if;
  return null;
end;
$function$;

CREATE OR REPLACE FUNCTION public.deploy_flow (
  flow_id integer,
  strict  boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.deploy_flow(deploy_flow.flow_id, deploy_flow.strict);
end;
$function$;

CREATE OR REPLACE FUNCTION public.start_flow (
  flow_id         integer,
  inputs          jsonb   DEFAULT NULL::jsonb,
  action_signer   text    DEFAULT NULL::text,
  idempotency_key text    DEFAULT NULL::text,
  strict          boolean DEFAULT false
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  return private.start_flow(
    start_flow.flow_id, start_flow.inputs, start_flow.action_signer, start_flow.idempotency_key, start_flow.strict
  );
end;
$function$;

ALTER TABLE "private"."flow_snapshot_warnings"
  ADD CONSTRAINT "flow_snapshot_warnings_snapshot_hash_fkey" FOREIGN KEY (snapshot_hash) REFERENCES private.flow_snapshots(hash) ON DELETE CASCADE;

CREATE TRIGGER _100_count_inserted
  AFTER INSERT ON public.nodes REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_write();

CREATE TRIGGER _110_count_updated
  AFTER UPDATE ON public.nodes REFERENCING OLD TABLE AS former NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_update();

CREATE TRIGGER _120_count_deleted
  AFTER DELETE ON public.nodes REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.tg_nodes__after_write();

COMMENT ON COLUMN "private"."flow_snapshot_warnings"."nodes_version" IS 'The version in private.native_nodes that they were found with; with another one they are found anew.';

COMMENT ON COLUMN "private"."flow_snapshot_warnings"."warnings" IS 'Of private.flow_warnings, the first 100; those of called flows have the flow''s flow_id, those of the flow itself none, since flows that are equal share a snapshot.';

COMMENT ON FUNCTION "private"."chain_network_faults"(jsonb) IS 'What is wrong with the chain_network of a deployment, by member: of unknown ones the first 20.';

COMMENT ON FUNCTION "private"."deploy_flow"(integer, boolean) IS 'Does what public.deploy_flow says. Definer: snapshots are private, and deployments are inserted nowhere else.';

COMMENT ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) IS 'Whether a graph has more nodes or edges than a runner sets up without keeping others waiting, as flow_findings tells it.';

COMMENT ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) IS 'What in a graph without findings a run fails at or leaves out, as an array of {code, path, message}, the first 100. What nodes there are, and which ports they have, say the definitions that the service role has added; as long as there are none, every native node counts as there, with the ports that the JSON says.';

COMMENT ON FUNCTION "private"."json_faults"(jsonb) IS 'What is wrong with a JSON value whatever it means: nested too deeply, too large, with names that are too long, or no I-JSON (RFC 7493), as an array of {path, message}, the first 100; empty when nothing is. Its texts need no check: jsonb takes no NUL and no lone surrogates.';

COMMENT ON FUNCTION "private"."node_definition_faults"(jsonb) IS 'What is wrong with a node definition, as an array of {path, message}, the first 100; empty when nothing is.';

COMMENT ON FUNCTION "private"."port_fault"(jsonb) IS 'What makes a port of a node unreadable for the runner, the first fault, or null; of the node''s data, whose sources and targets are arrays.';

COMMENT ON FUNCTION "private"."shape_faults"(jsonb, jsonb) IS 'Where a JSON value differs from a shape, as an array of {path, message}, the first 100; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';

COMMENT ON FUNCTION "private"."shorten"(text, integer) IS 'A text that came from outside, as a message may name it: what is longer than so many characters ends with ….';

COMMENT ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) IS 'What a run of a snapshot will stumble over, as an array of {flow_id, code, path, message}, the first 100; strict: 422 flow_invalid with them, if there are any. Definer, since snapshots are private; callers check who asks.';

COMMENT ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) IS 'Does what public.start_flow says. Definer: it stores a snapshot and the run.';

COMMENT ON FUNCTION "private"."tg_nodes__after_update"() IS 'Counts changes of the service role''s definitions. Definer: the count is private.';

COMMENT ON FUNCTION "private"."tg_nodes__after_write"() IS 'Counts new definitions of the service role, and deleted ones. Definer: the count is private.';

COMMENT ON FUNCTION "public"."deploy_flow"(integer, boolean) IS 'Freezes the caller''s flow, as it is now, into a new deployment, and returns {deployment_id, warnings}: what a run will stumble over, the first 100 as {flow_id, code, path, message}. 401 unauthenticated or token_invalid; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid with the first 1,000 findings, and if strict with the warnings.';

COMMENT ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) IS 'Starts the caller''s flow as it is now, without a deployment, and returns {flow_run_id, token, warnings}; warnings and strict as in deploy_flow. 401; 404 flow_not_found, for somebody else''s flow too; 422 flow_invalid; else as start_deployment.';

COMMENT ON TABLE "private"."flow_snapshot_warnings" IS 'What a run of a frozen graph will stumble over: kept, since a flow is started far more often than it is changed.';

COMMENT ON TABLE "private"."native_nodes" IS 'How often what the service role says of native nodes has changed, in one row, which the first change makes: warnings about flows depend on it.';

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."deploy_flow"(integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."deploy_flow"(integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_warnings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."port_fault"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."port_fault"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."port_fault"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."snapshot_warnings"(bytea, integer, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_flow"(integer, jsonb, text, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_update"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_update"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__after_update"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_write"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."tg_nodes__after_write"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."tg_nodes__after_write"() TO "postgres";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."deploy_flow"(integer, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."deploy_flow"(integer, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "public"."start_flow"(integer, jsonb, text, text, boolean) TO "service_role";
