SET local check_function_bodies = off;

DROP FUNCTION "private"."json_faults"(jsonb);

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
  -- Without the values that hold others, of which every level copies what is in it.
  select coalesce(sum(8 + case jsonb_typeof(leaf.value) when 'string' then octet_length(leaf.value #>> '{}') else 0 end), 0) into v_size
  from jsonb_path_query(json_faults.value, 'strict $.** ? (@.type() != "object" && @.type() != "array")') as leaf (value);
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
    when length(n.node #>> '{data,node_id}') > 200 then 'data.node_id: takes at most 200 characters'
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
    when jsonb_array_length(n.node #> '{data,sources}') > 1000 then 'data.sources: takes at most 1,000 sources'
    when jsonb_array_length(n.node #> '{data,targets}') > 1000 then 'data.targets: takes at most 1,000 targets'
    -- A pattern repeats at most 255 times.
    when jsonb_path_exists(n.node,
        '$.data.sources[*] ? (@.id like_regex "^.{255}.." flag "s" || @.name like_regex "^.{255}.." flag "s")')
      then 'data.sources: the id and the name of a source take at most 256 characters'
    when jsonb_path_exists(n.node,
        '$.data.targets[*] ? (@.id like_regex "^.{255}.." flag "s" || @.name like_regex "^.{255}.." flag "s")')
      then 'data.targets: the id and the name of a target take at most 256 characters'
    when n.node #> '{data,targets_form,form_data}' is null then 'data.targets_form.form_data: is missing'
    when n.node #>> '{data,node_id}' in ('flow_input', 'flow_output')
        and length(n.node #>> '{data,targets_form,form_data,label}') > 256
      then 'data.targets_form.form_data.label: takes at most 256 characters'
  end) as f (fault)
  where f.fault is not null
  order by n.position limit 1001;
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
RETURN CASE WHEN (length(VALUE) > longest) THEN ("left"(VALUE, longest) || '…'::text) ELSE VALUE END;

COMMENT ON FUNCTION "private"."chain_network_faults"(jsonb) IS 'What is wrong with the chain_network of a deployment, by member: of unknown ones the first 20.';

COMMENT ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) IS 'Whether a graph has more nodes or edges than a runner sets up without keeping others waiting, as flow_findings tells it.';

COMMENT ON FUNCTION "private"."json_faults"(jsonb) IS 'What is wrong with a JSON value whatever it means: nested too deeply, too large, with names that are too long, or no I-JSON (RFC 7493), as an array of {path, message}, the first 100; empty when nothing is. Its texts need no check: jsonb takes no NUL and no lone surrogates.';

COMMENT ON FUNCTION "private"."node_definition_faults"(jsonb) IS 'What is wrong with a node definition, as an array of {path, message}, the first 100; empty when nothing is.';

COMMENT ON FUNCTION "private"."shape_faults"(jsonb, jsonb) IS 'Where a JSON value differs from a shape, as an array of {path, message}, the first 100; empty when it fits. A shape is the name of a JSON type, [the shape of every element], or {member: shape} with the names of mandatory members marked by !; further members may be there.';

COMMENT ON FUNCTION "private"."shorten"(text, integer) IS 'A text that came from outside, as a message may name it: what is longer than so many characters ends with ….';

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."flow_size_findings"(jsonb, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."json_faults"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."json_faults"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "anon", "authenticated";

REVOKE ALL ON FUNCTION "private"."shorten"(text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."shorten"(text, integer) TO "service_role";
