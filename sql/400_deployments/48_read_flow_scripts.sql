-- The database can't parse scripts and JSON Schemas. So before the deploy route deploys a flow, it reads and parses the
-- flow's scripts and the schemas of its api_input nodes. If a flow changes meanwhile, the route reads its scripts
-- again.

create function private.flow_scripts(nodes jsonb, edges jsonb)
returns table (index integer, node_id text, language text, inputs jsonb, source text)
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  -- The nodes are not checked yet, so this query uses only operators that accept any JSON.
  return query
  with script as materialized (
    select (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data -> 'targets' as targets,
      case d.data ->> 'node_id' when 'javascript' then 'javascript' when 'api_input' then 'json_schema' else 'rhai' end
        as language,
      case
        when d.data ->> 'node_id' = 'api_input'
          then nullif(d.data #> '{targets_form,form_data,json_schema}', 'null')::text
        when jsonb_typeof(d.data #> '{targets_form,form_data,source}') = 'string'
          then d.data #>> '{targets_form,form_data,source}'
      end as source,
      case d.data ->> 'node_id'
        when 'api_input' then false
        when 'javascript' then jsonb_typeof(d.data #> '{targets_form,form_data,source}') is distinct from 'string'
        else d.data #> '{targets_form,form_data,source}' is null end as is_missing
    from jsonb_array_elements(flow_scripts.nodes) with ordinality as n (node, position)
    cross join lateral (select n.node -> 'data' as data offset 0) as d
    where d.data ->> 'type' = 'native'
      and (private.is_script(d.data ->> 'node_id') or d.data ->> 'node_id' = 'api_input')
  ),
  fed as materialized (
    select s.index
    from script as s
    join jsonb_array_elements(flow_scripts.edges) as e (edge) on e.edge ->> 'target' = s.id
    -- A javascript node never takes its script from an input.
    where s.language <> 'javascript'
      and s.targets @> jsonb_build_array(jsonb_build_object('id', e.edge -> 'targetHandle',
        'name', case s.language when 'json_schema' then 'json_schema' else 'source' end))
  )
  select all_scripts.* from (
    select s.index, s.id, s.language,
      case s.language
        when 'javascript' then jsonb_path_query_array(s.targets, '$[*].name ? (@.type() == "string")')
        else '[]' end as inputs,
      s.source
    from script as s
    where (s.source is not null or s.is_missing) and s.index not in (select f.index from fed as f)
    union all
    -- For an expression, index is the index of the edge, and node_id is the target of the edge.
    select (e.position - 1)::integer, e.edge ->> 'target', 'jsonata', '[]', private.edge_expression(e.edge)
    from jsonb_array_elements(flow_scripts.edges) with ordinality as e (edge, position)
    where private.edge_expression(e.edge) is not null
  ) as all_scripts (index, node_id, language, inputs, source)
  order by all_scripts.language = 'jsonata', all_scripts.index;
end;
$$;
comment on function private.flow_scripts(jsonb, jsonb) is
  'First the scripts in the form data of a graph''s nodes, and the JSON Schemas of its api_input nodes (language json_schema), in the order of the nodes. Then the expressions of its edges (language jsonata), in the order of the edges. If a node has no script, source is null.';

create function private.read_flow_scripts(flow_id integer)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_max_flows constant integer := 1000;
  v_max_scripts constant integer := 500;
  v_max_characters constant integer := 262144;
  v_max_script_characters constant integer := 65536;
  v_user_id constant uuid := private.require_user();
  v_reached integer[] := array[read_flow_scripts.flow_id];
  v_position integer := 1;
  v_flow record;
  v_read record;
  v_as_of jsonb := '{}';
  v_scripts jsonb := '[]';
  v_characters bigint := 0;
  v_left_out bigint := 0;
begin
  while v_position <= least(cardinality(v_reached), v_max_flows) loop
    select f.id, private.nodes_to_run(f.nodes || '[]') as nodes, f.edges || '[]' as edges, f.updated_at into v_flow
    from public.flows as f where f.id = v_reached[v_position] and f.user_id = v_user_id;
    if found then
      v_as_of := v_as_of || jsonb_build_object(v_flow.id, v_flow.updated_at);
      select
        coalesce(jsonb_agg(jsonb_build_object('flow_id', v_flow.id, 'index', s.index, 'node_id', s.node_id, 'language',
          s.language, 'inputs', s.inputs, 'source', s.source) order by s.place)
          filter (where s.fits), '[]') as scripts,
        coalesce(sum(length(s.source)) filter (where s.fits), 0) as characters,
        count(*) filter (where not s.fits) as left_out
      into v_read
      from (
        select s.*, coalesce(length(s.source), 0) <= v_max_script_characters
          and v_characters + coalesce(sum(length(s.source)) over (order by s.place), 0) <= v_max_characters
          and jsonb_array_length(v_scripts) + s.place <= v_max_scripts as fits
        from private.flow_scripts(v_flow.nodes, v_flow.edges) with ordinality
          as s (index, node_id, language, inputs, source, place)
      ) as s;
      v_scripts := v_scripts || v_read.scripts;
      v_characters := v_characters + v_read.characters;
      v_left_out := v_left_out + v_read.left_out;
      v_reached := v_reached || array(
        select distinct r.id from private.interflow_references(v_flow.nodes) as r
          where r.id is not null and r.id <> all (v_reached)
      );
    elsif v_position = 1 then
      perform private.fail('flow_not_found', 'There is no such flow.');
    end if;
    v_position := v_position + 1;
  end loop;
  return jsonb_build_object(
    'as_of', v_as_of, 'scripts', v_scripts, 'scripts_left_out', v_left_out,
    'flows_left_out', greatest(cardinality(v_reached) - v_max_flows, 0)
  );
end;
$$;
comment on function private.read_flow_scripts(integer) is
  'Implements public.read_flow_scripts. Definer, because no API role may call private.require_user().';
grant execute on function private.read_flow_scripts(integer) to anon, authenticated, service_role;

-- Returns {as_of, scripts, scripts_left_out, flows_left_out} for a flow of the caller and the flows that it calls.
-- Reads at most 1,000 flows, and from these at most 500 scripts: at most 65,536 characters each, and 262,144 characters
-- in total. The other flows and scripts are only counted, in flows_left_out and scripts_left_out. as_of holds the time
-- of the last change of each flow; pass as_of to deploy_flow.
create function public.read_flow_scripts(flow_id integer)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return private.read_flow_scripts(flow_id);
end;
$$;
comment on function public.read_flow_scripts(integer) is
  'The scripts of the caller''s flow and of the flows that it calls, {as_of, scripts, scripts_left_out, flows_left_out}. Pass as_of, the times of the flows'' last changes, to deploy_flow. 401; 404 flow_not_found, also for another user''s flow.';
grant execute on function public.read_flow_scripts(integer) to anon, authenticated, service_role;

create function private.flows_are_as_of(user_id uuid, as_of jsonb)
returns boolean
language plpgsql stable security invoker
set search_path = ''
as $$
begin
  return not exists (
    select
    from jsonb_each(case jsonb_typeof(flows_are_as_of.as_of) when 'object' then flows_are_as_of.as_of end) as c
    left join public.flows as f on f.id = private.integer_or_null(c.key) and f.user_id = flows_are_as_of.user_id
    where to_jsonb(f.updated_at) is distinct from c.value
  );
end;
$$;
comment on function private.flows_are_as_of(uuid, jsonb) is
  '`as_of` is {"<flow id>": updated_at}. True if each of these flows of the user still has the given updated_at, or if as_of is null.';
