-- Finds the parts of a graph that will fail in a run, and the parts that a run ignores. Deploys and starts report these
-- warnings and continue. If the caller sets `strict`, any warning causes a refusal, except acts_on_owner_data and those
-- about missing values of nodes with effects.

-- A node exists if the service role has stored a definition of it. If there are no definitions at all, every native
-- node counts as existing, and has the ports in the flow's JSON. `acting_flows` lists the called flows that have
-- effects or touch the owner's data, as private.acting_flows() and private.data_flows() return them. `definitions` are
-- those of the snapshot; a described node exists if they contain its definition.
create function private.flow_warnings(
  nodes jsonb, edges jsonb, acting_flows jsonb, definitions jsonb default null
)
returns jsonb
language plpgsql stable security invoker
set search_path = ''
-- The planner can't estimate the size of a graph. It could choose nested loops, which take quadratic time. A generic
-- plan is made once and not for each call: for most flows, planning takes longer than executing the plan.
set enable_nestloop = off
set plan_cache_mode = force_generic_plan
as $$
declare
  v_nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  -- Without any definitions, the database does not know which nodes the runner has.
  v_knows_nodes constant boolean := exists (
    select from public.nodes as n where n.owner_key = v_nobody and n.type = 'native'
  );
begin
  return (
    with node as materialized (
      select
        (n.position - 1)::integer as index, n.node ->> 'id' as id, d.data ->> 'type' as type,
        d.data ->> 'node_id' as name, private.node_key(d.data) as node_id,
        -- True if the node's inputs and outputs come from the flow's JSON instead of the definition.
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_inputs(d.data ->> 'node_id'))
          as are_inputs_drawn,
        d.data ->> 'type' = 'native' and (not v_knows_nodes or private.draws_outputs(d.data ->> 'node_id'))
          as are_outputs_drawn,
        private.draws_inputs(private.node_key(d.data)) as draws_inputs,
        d.data -> 'sources' as sources, d.data -> 'targets' as targets,
        d.data #> '{targets_form,form_data}' as form_data,
        coalesce(d.data -> 'retry' <> 'null', false) as has_retry,
        coalesce(d.data -> 'timeout_ms' <> 'null', false) as has_timeout,
        coalesce(d.data ->> 'on_error' = 'output', false) as handles_errors,
        d.data ->> 'on_error' = 'output' and jsonb_path_exists(d.data, '$.sources[*] ? (@.name == "error")')
          as has_error_output,
        case when d.data ->> 'type' = 'native' and d.data ->> 'node_id' in ('flow_input', 'flow_output')
          then private.port_label(d.data)
        end as label
      from jsonb_array_elements(flow_warnings.nodes) with ordinality as n (node, position)
      cross join lateral (select n.node -> 'data' as data offset 0) as d
      where d.data ->> 'type' <> 'mock'
    ),
    definition as materialized (
      select d.node_key as node_id, d.sources, d.targets
      from private.definitions_of_keys(
        array(select distinct n.node_id from node as n), flow_warnings.definitions
      ) as d
    ),
    defined_port as materialized (
      select d.node_id, 'source' as side, s.port ->> 'name' as name, false as is_required, false as is_handed_on,
        coalesce((s.port ->> 'optional')::boolean, false) as may_be_unset,
        jsonb_build_array(coalesce(s.port ->> 'type', 'free')) as types
      from definition as d cross join lateral jsonb_array_elements(d.sources) as s (port)
      union all
      select d.node_id, 'target', t.port ->> 'name', coalesce((t.port ->> 'required')::boolean, false),
        coalesce((t.port ->> 'passthrough')::boolean, false), false, t.port -> 'type_bounds'
      from definition as d cross join lateral jsonb_array_elements(d.targets) as t (port)
    ),
    drawn as materialized (
      select s.index, 'source' as side, s.port ->> 'id' as handle, s.port ->> 'name' as name, false as is_required,
        false as is_handed_on, s.port ->> 'optional' = 'true' as may_be_unset, false as runs_when_absent
      from (select n.index, jsonb_array_elements(n.sources) as port from node as n) as s
      union all
      select t.index, 'target', t.port ->> 'id', t.port ->> 'name', (t.port -> 'required')::boolean,
        (t.port -> 'passthrough')::boolean, false, t.port ->> 'when_absent' is not null
      from (select n.index, jsonb_array_elements(n.targets) as port from node as n) as t
    ),
    -- Look up each handle in the whole flow, as the runner does. Copies of a node may share a handle.
    handle as materialized (
      select d.side, d.handle, max(d.name) as name, min(d.index) as first_index, max(d.index) as last_index
      from drawn as d group by d.side, d.handle
    ),
    edge as materialized (
      select (e.position - 1)::integer as index, e.edge ->> 'source' as source, e.edge ->> 'target' as target,
        e.edge ->> 'targetHandle' as target_handle,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then 'target' else 'source' end as side,
        case when e.edge ->> 'sourceHandle' like 'passthrough-%' then substr(e.edge ->> 'sourceHandle', 13)
          else e.edge ->> 'sourceHandle' end as source_handle,
        private.edge_expression(e.edge) is not null as has_expression
      from jsonb_array_elements(flow_warnings.edges) with ordinality as e (edge, position)
    ),
    wired as materialized (
      select e.index, e.side, e.has_expression, s.index as source_index, t.index as target_index,
        s.node_id as source_id, t.node_id as target_id,
        case when sh.name is not null and e.side = 'source' and s.node_id = 'flow_input' then coalesce(s.label, sh.name)
          else sh.name end as source_name,
        case when th.name is not null and t.node_id = 'flow_output' then coalesce(t.label, th.name)
          else th.name end as target_name,
        s.type = 'native' and not v_knows_nodes or s.node_id in (select d.node_id from definition as d)
          as is_source_known,
        t.type = 'native' and not v_knows_nodes or t.node_id in (select d.node_id from definition as d)
          as is_target_known,
        case e.side when 'source' then s.are_outputs_drawn else s.are_inputs_drawn end as is_source_drawn,
        e.side = 'source' and sh.name = 'error' and coalesce(s.has_error_output, false) as is_error,
        t.are_inputs_drawn as is_target_drawn,
        case when sh.first_index = sh.last_index then sh.first_index = s.index
          else (s.index, e.side, e.source_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_source,
        case when th.first_index = th.last_index then th.first_index = t.index
          else (t.index, 'target', e.target_handle) in (select d.index, d.side, d.handle
            from drawn as d) end as is_own_target
      from edge as e
      join node as s on s.id = e.source
      join node as t on t.id = e.target
      left join handle as sh on sh.side = e.side and sh.handle = e.source_handle
      left join handle as th on th.side = 'target' and th.handle = e.target_handle
    ),
    -- Compare only types in node definitions. The values of a node always have the types of its definition, but may
    -- have other types than the flow's JSON says.
    typed as materialized (
      select w.index, w.source_name, w.target_name, w.side = 'target' as is_passed_on, s.types as given,
        t.types as wanted
      from wired as w
      join defined_port as s on s.node_id = w.source_id and s.side = w.side and s.name = w.source_name
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.is_source_known and w.is_target_known and not w.is_source_drawn and not w.is_target_drawn
        -- An expression converts its result to a type of the input.
        and not w.has_expression
        and (s.side = 'source' or s.is_handed_on)
      union all
      -- The values of a typed input have the type that its author chose.
      select w.index, w.source_name, w.target_name, false, jsonb_build_array(i.port_type), t.types
      from wired as w
      join node as s on s.index = w.source_index and s.node_id = 'flow_input'
      join private.input_types() as i on i.name = s.form_data ->> 'type'
      join defined_port as t on t.node_id = w.target_id and t.side = 'target' and t.name = w.target_name
      where w.side = 'source' and w.is_target_known and not w.is_target_drawn and not w.has_expression
    ),
    -- Without `materialized`, the planner would call do_types_meet for each edge instead of once for each pair of types.
    pair as materialized (
      select distinct t.given, t.wanted, t.is_passed_on from typed as t
    ),
    unlike as materialized (
      select p.given, p.wanted, p.is_passed_on
      from pair as p where not private.do_types_meet(p.given, p.wanted, p.is_passed_on)
    ),
    required as (
      select n.index, n.form_data, case n.node_id when 'flow_output' then n.label else p.name end as name
      from defined_port as p join node as n on n.node_id = p.node_id
      where p.side = 'target' and p.is_required and not n.are_inputs_drawn
      union all
      select n.index, n.form_data, d.name
      from drawn as d join node as n on n.index = d.index
      where d.side = 'target' and d.is_required and n.type = 'native' and n.are_inputs_drawn and not n.draws_inputs
    ),
    acting as materialized (
      select n.index, n.id, n.draws_inputs, n.node_id
      from private.acting_nodes(
        flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows, flow_warnings.definitions
      ) as a
      join node as n on n.id = a.node_id
    ),
    -- The edges whose output may stay unset although the source succeeds.
    unset as (
      select w.index
      from wired as w
      where (w.side = 'source' or w.has_expression) and case
        when w.has_expression or w.is_error or w.source_id in ('switch', 'fileexplorer')
          or private.is_script(w.source_id) then true
        when w.is_source_drawn then (w.source_index, w.source_name) in (
          select d.index, d.name from drawn as d where d.side = 'source' and d.may_be_unset
        )
        else (w.source_id, w.source_name) in (select p.node_id, p.name from defined_port as p where p.may_be_unset)
      end
    ),
    -- The edges whose value may be missing while another edge into the same node brings one, and the node runs.
    lacking as materialized (
      select w.index, w.target_index, w.source_name, w.target_name
      from wired as w
      join node as s on s.index = w.source_index
      join node as t on t.index = w.target_index
      join (
        select o.target_index, count(distinct o.source_index) as sources from wired as o
        where o.source_name is not null and o.target_name is not null
        group by o.target_index having count(*) > 1
      ) as others on others.target_index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and t.node_id not in ('merge', 'collect') and t.index not in (select a.index from acting as a)
        and (
          -- A constant and a flow input never fail. Two outputs of one node are missing together if the node fails.
          others.sources > 1 and s.node_id not in ('const', 'flow_input') or w.index in (select u.index from unset as u)
        )
        and (w.target_index, w.target_name) not in (
          select d.index, d.name from drawn as d where d.side = 'target' and (d.is_required or d.runs_when_absent)
        )
        and (t.draws_inputs or (w.target_id, w.target_name) not in (
          select p.node_id, p.name from defined_port as p where p.side = 'target' and p.is_required
        ))
    ),
    before_effect as materialized (
      select unnest(private.nodes_from(flow_warnings.edges, array(select a.id from acting as a), true)) as id
      where exists (select from lacking)
    ),
    warning (place, index, code, member, message) as (
      select 0, 0, 'flow_empty', '', 'the flow has no nodes, so its runs do nothing'
      where jsonb_array_length(flow_warnings.nodes) = 0
      union all
      select 1, n.index, 'node_not_implemented', '.data.node_id', case
        when n.type = 'native'
          then format('this project has no node %s, so the run fails at it', to_jsonb(private.shorten(n.name)))
        when private.is_described(n.type) then format(
          'neither you nor this project has a definition of type %s with this node_id (%s) and version, so the run '
            || 'fails at the node',
          n.type, to_jsonb(private.shorten(n.name))
        )
        when n.type = 'deno' then
          'nodes of type deno are not executed, so the run fails at this one; the node javascript runs JavaScript'
        else format('nodes of type %s are not executed, so the run fails at this one', n.type)
      end
      from node as n
      where (n.type <> 'native' or v_knows_nodes) and n.node_id not in (select d.node_id from definition as d)
      union all
      select 1, n.index, 'node_not_implemented', format('.data.targets_form.form_data.tools[%s].node', t.index), case
        when not private.is_described(t.tool #>> '{node,type}') then
          'a tool is a flow, or a node of type openapi, mcp or solana; the run fails at the agent'
        when t.definition is null then format(
          'neither you nor this project has a definition of type %s with this node_id (%s) and version, so the run '
            || 'fails at the agent',
          t.tool #>> '{node,type}', to_jsonb(private.shorten(t.tool #>> '{node,node_id}'))
        )
        else 'the node makes an instruction, which needs a flow around it as the tool; the run fails at the agent'
      end
      from node as n
      cross join lateral (
        select a.index, a.tool, flow_warnings.definitions -> (a.tool #>> '{node,definition}') as definition
        from private.agent_tools(flow_warnings.nodes -> n.index -> 'data') as a
        where coalesce(a.tool -> 'node', 'null') <> 'null'
      ) as t
      where n.node_id = 'ai_agent' and (
        t.definition is null or not private.is_described(t.tool #>> '{node,type}')
        or t.definition #>> '{data,implementation,kind}' = 'instruction' and t.definition ->> 'type' = 'solana'
      )
      union all
      select 1, c.index, 'constant_invalid', '.data.targets_form.form_data', 'the run fails at the node: ' || c.fault
      from (
        select n.index, private.constant_fault(n.form_data) as fault
        from node as n where n.node_id = 'const' and n.type = 'native'
      ) as c
      where c.fault is not null
      union all
      -- Values that come by an edge bring no names of their own (runner/postgrest/names.ts).
      select distinct 1, n.index, 'names_missing', '.data.targets_form.form_data.' || k.listed_in, format(
        'an edge brings the values of %s, so the form data must list their names in %s; without the list, '
          || 'the run fails at the node',
        to_jsonb(k.input), to_jsonb(k.listed_in)
      )
      from (values
        ('postgrest_builder_match', 'filter', 'columns'), ('postgrest_builder_insert', 'body', 'columns'),
        ('postgrest_builder_update', 'body', 'columns'), ('postgrest_builder_upsert', 'body', 'columns'),
        ('postgrest_new_rpc', 'params', 'param_names'), ('sql_function', 'params', 'param_names')
      ) as k (node_id, input, listed_in)
      join wired as w on w.target_id = k.node_id and w.target_name = k.input
      join node as n on n.index = w.target_index and n.type = 'native'
      where w.source_name is not null
        and coalesce(n.form_data -> k.listed_in in ('[]', 'null'), true) and n.form_data ? k.input is not true
      union all
      select 1, n.index, 'retry_without_effect', '.data.retry', case
        when private.is_script(n.node_id) then 'a script has no transient failures, so it is never tried again'
        else 'a called flow is not tried again as a whole; let its nodes try again instead'
      end
      from node as n
      where n.has_retry and n.type = 'native'
        -- If a script exceeds its timeout, a retry runs it again. A retry never runs a called flow again.
        and (n.node_id in ('interflow', 'interflow_instructions') or private.is_script(n.node_id) and not n.has_timeout)
      union all
      select 1, n.index, 'error_output_missing', '.data.on_error',
        'sources has no output named error, so a failure of the node is not handled'
      from node as n where n.handles_errors and n.has_error_output is not true and n.node_id <> ''
      union all
      select 1, n.index, 'error_output_unused', '.data.on_error',
        'failures of the node go to its output error, which has no edge; so the run goes on as if nothing had failed'
      from node as n
      where n.handles_errors and n.has_error_output and n.index not in (select w.source_index from wired as w where w.is_error)
      union all
      select 1, n.index, 'answered_by_invalid', '.data.targets_form.form_data.answered_by', f.fault
      from node as n cross join lateral (select private.answered_by_fault(n.form_data) as fault) as f
      where n.node_id = 'api_input' and n.type = 'native' and f.fault is not null
      union all
      select 1, v.index, 'value_type_differs', '.data.targets_form.form_data.' || v.name, v.fault
      from (
        select n.index, p.name, private.form_value_fault(n.form_data -> p.name, p.types) as fault
        from defined_port as p join node as n on n.node_id = p.node_id
        where p.side = 'target' and not n.are_inputs_drawn and jsonb_typeof(n.form_data) = 'object'
          and n.form_data ? p.name and p.types not in ('["free"]', '["json"]', '[]')
          and (n.index, p.name) not in (
            select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
          )
      ) as v
      where v.fault is not null
      union all
      select 1, u.node_index, 'connection_url_open', '.data.targets_form.form_data.connection', format(
        'url depends on a flow input, so whoever starts the flow chooses the URL that gets the secret of connection %s,'
          || ' within its hosts',
        to_jsonb(private.shorten(u.name))
      )
      from private.open_connection_urls(flow_warnings.nodes, flow_warnings.edges) as u
      union all
      select 1, l.node_index, 'acts_on_owner_data', '',
        'the node may send to another server what nodes before it read from your rows, files or key-value stores'
      from private.owner_data_leaks(flow_warnings.nodes, flow_warnings.edges, flow_warnings.acting_flows) as l
      union all
      select 1, max(n.index), 'input_label_duplicate', '.data.targets_form.form_data.label',
        format('two flow inputs have the label %s, and get the same value', to_jsonb(private.shorten(n.label)))
      from node as n where n.node_id = 'flow_input' and n.label is not null
      group by n.label having count(*) > 1
      union all
      -- In this branch, `member` is the name of the input. The query at the end stores it in the warning's member
      -- `port` and leaves it out of `path`.
      select distinct 1, r.index, 'input_missing', r.name, format(
        'the input %s is required, and has neither an edge nor a value, so the run fails at the node',
        to_jsonb(private.shorten(r.name))
      )
      from required as r
      where case jsonb_typeof(r.form_data) when 'object' then not r.form_data ? r.name else true end
        and (r.index, r.name) not in (
          select w.target_index, w.target_name from wired as w
            where w.source_name is not null and w.target_name is not null
        )
      union all
      select 2, w.index, 'edge_source_handle_unknown', '.sourceHandle', case
        when w.source_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the source''s port %s instead',
          to_jsonb(private.shorten(w.source_name))
        )
      end
      from wired as w where w.is_own_source is not true
      union all
      select 2, w.index, 'edge_target_handle_unknown', '.targetHandle', case
        when w.target_name is null then 'no port has this id, so the edge is left out'
        else format(
          'the port with this id belongs to another node, so the run takes the target''s port %s instead',
          to_jsonb(private.shorten(w.target_name))
        )
      end
      from wired as w where w.is_own_target is not true
      union all
      select 2, w.index, 'edge_source_port_unknown', '.sourceHandle', format(
        case w.side when 'source' then 'the node has no output %s, so the run fails at it'
          else 'the node does not pass its input %s on, so the run fails at it' end,
        to_jsonb(private.shorten(w.source_name))
      )
      from wired as w
      where w.source_name is not null and w.target_name is not null and w.is_source_known and not w.is_error
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
      where w.source_name is not null and w.target_name is not null and w.is_target_known
        and w.target_id <> 'flow_output'
        and not (w.is_target_drawn and w.is_own_target is true)
        and case when w.is_target_drawn
          then (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.side = 'target')
          else (w.target_id, w.target_name) not in (
            select p.node_id, p.name from defined_port as p where p.side = 'target'
          )
        end
      union all
      select 2, w.index, case when d.is_decided then 'effect_skipped_by_branch' else 'effect_may_be_skipped' end, '',
        case when d.is_decided then format(
          'the target runs only if the node before it chooses the output %s', to_jsonb(private.shorten(w.source_name))
        ) else format(
          case when w.has_expression then 'the expression of output %s may have no result'
            else 'the output %s may give no value' end
            || '; then the target, a node with effects, does not run, unless "Without a value of %s" says otherwise',
          to_jsonb(private.shorten(w.source_name)), private.shorten(w.target_name)
        ) end
      from wired as w
      cross join lateral (
        select w.source_id in ('branch', 'switch', 'gate') and not w.has_expression and not w.is_error as is_decided
      ) as d
      join acting as a on a.index = w.target_index
      where w.source_name is not null and w.target_name is not null and w.index in (select u.index from unset as u)
        and case when a.draws_inputs
          then (w.target_index, w.target_name) in (
            select d.index, d.name from drawn as d where d.side = 'target' and not d.is_required
          )
          else (w.target_id, w.target_name) in (
            select p.node_id, p.name from defined_port as p where p.side = 'target' and not p.is_required
          )
        end
        and (w.target_index, w.target_name) not in (select d.index, d.name from drawn as d where d.runs_when_absent)
      union all
      select 2, l.index, 'effect_may_lack_value', '', format(
        'if the output %s gives no value, the target runs without its input %s, and a node with effects behind it acts; '
          || 'choose at "Without a value of %s" what the target does',
        to_jsonb(private.shorten(l.source_name)), to_jsonb(private.shorten(l.target_name)),
        private.shorten(l.target_name)
      )
      from lacking as l join node as n on n.index = l.target_index
      where n.id in (select b.id from before_effect as b)
      union all
      select 2, t.index, 'edge_types_differ', '', format(
        'the port %s gives %s, but the input %s takes %s; the value can''t be converted, so the run fails at the target',
        to_jsonb(private.shorten(t.source_name)),
        array_to_string(array(select jsonb_array_elements_text(t.given)), ' or '),
        to_jsonb(private.shorten(t.target_name)),
        array_to_string(array(select jsonb_array_elements_text(t.wanted)), ' or ')
      )
      from typed as t join unlike as u on u.given = t.given and u.wanted = t.wanted and u.is_passed_on = t.is_passed_on
    )
    select coalesce(jsonb_agg(jsonb_build_object(
      'code', first.code,
      'path', case first.place
        when 0 then 'nodes'
          else format('%s[%s]%s', case first.place when 1 then 'nodes' else 'edges' end, first.index,
            case when first.code <> 'input_missing' then first.member end)
      end,
      'message', first.message
    ) || case when first.code = 'input_missing' then jsonb_build_object('port', first.member) else '{}' end
      order by first.place, first.index, first.code, first.message), '[]')
    from (
      select w.* from warning as w
      order by w.place, w.index, w.code, w.message limit private.limit_listed_warnings()
    ) as first
  );
end;
$$;
comment on function private.flow_warnings(jsonb, jsonb, jsonb, jsonb) is
  'The first warnings about a graph, {code, path, message} each: about parts that will fail in a run, and about parts that a run ignores. A warning input_missing also has port, the input''s name. The graph must have no findings.';
