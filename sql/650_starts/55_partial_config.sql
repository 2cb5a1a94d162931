-- A partial run executes only some nodes of its flow. For the other nodes, the run uses outputs of earlier runs, or
-- values from the request.

create function private.partial_config_fault(path text, message text)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
begin
  perform private.fail(
    'partial_config_invalid', format('partial_config%s: %s.', partial_config_fault.path, partial_config_fault.message),
    jsonb_build_array(jsonb_build_object(
      'path', 'partial_config' || partial_config_fault.path, 'message', partial_config_fault.message
    ))
  );
end;
$$;
comment on function private.partial_config_fault(text, text) is
  'Refuses the partial_config of a start: 400 partial_config_invalid.';

create function private.check_partial_shape(config jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_values constant jsonb := coalesce(check_partial_shape.config -> 'values_config', '{}');
  v_measure constant private.json_measure := private.measure_json(
    check_partial_shape.config, private.limit_inputs_bytes()
  );
  v_fault record;
begin
  if v_measure.fault = 'size' then
    perform private.fail('inputs_too_large', format(
      'partial_config: must be at most %s of JSON', private.size_text(private.limit_inputs_bytes())
    ));
  elsif v_measure.fault is not null then
    perform private.partial_config_fault(v_measure.path, v_measure.message);
  end if;
  select f.* into v_fault
  from (values
    (
      '', 'must be {only_nodes, values_config}',
      case when jsonb_typeof(check_partial_shape.config) = 'object'
        then check_partial_shape.config - '{only_nodes,values_config}'::text[] = '{}' end
    ),
    (
      '.only_nodes', 'must be a list of node ids',
      jsonb_typeof(check_partial_shape.config -> 'only_nodes') = 'array'
      and not coalesce(jsonb_path_exists(
        check_partial_shape.config, 'strict $.only_nodes[*] ? (@.type() != "string")', silent => true
      ), false)
    ),
    (
      '.values_config', 'must be {nodes, default_run_id, inline}',
      case when jsonb_typeof(v_values) = 'object'
        then v_values - '{nodes,default_run_id,inline}'::text[] = '{}' end
    ),
    (
      '.values_config.nodes', 'must be an object {node id: run id}',
      jsonb_typeof(coalesce(v_values -> 'nodes', '{}')) = 'object'
        and not coalesce(
          jsonb_path_exists(v_values, 'strict $.nodes.* ? (@.type() != "string")', silent => true), false
        )
    ),
    (
      '.values_config.default_run_id', 'must be the id of a run',
      jsonb_typeof(coalesce(v_values -> 'default_run_id', 'null')) in ('null', 'string')
    ),
    (
      '.values_config.inline', 'must be an object {node id: {port: value}}',
      jsonb_typeof(coalesce(v_values -> 'inline', '{}')) = 'object'
    )
  ) as f (path, message, is_valid)
  where not coalesce(f.is_valid, false)
  limit 1;
  if found then
    perform private.partial_config_fault(v_fault.path, v_fault.message);
  end if;
  -- Check the values in `inline` like inputs, so that they have the same bounds and errors.
  perform private.check_inputs(coalesce((
    select jsonb_object_agg(i.node_id, jsonb_build_object('M', i.ports))
    from jsonb_each(v_values -> 'inline') as i (node_id, ports)
  ), '{}'), 'partial_config.values_config.inline');
end;
$$;
comment on function private.check_partial_shape(jsonb) is
  'Refuses a partial_config whose JSON has the wrong shape, or contains a value that is not tagged: 400 partial_config_invalid, inputs_invalid; 413 inputs_too_large.';

create function private.check_partial_nodes(nodes jsonb, only_nodes text[], values_config jsonb)
returns void
language plpgsql immutable security invoker
set search_path = ''
as $$
declare
  v_known constant text[] := array(
    select n.node ->> 'id' from jsonb_array_elements(check_partial_nodes.nodes) as n (node)
  );
  v_fault record;
begin
  -- Use `except` and `intersect`, which hash or sort both sides. Comparing each id with every other id takes
  -- quadratic time.
  select f.* into v_fault
  from (
    (select u.id, '.only_nodes' as path, 'the flow has no node' as message
    from unnest(check_partial_nodes.only_nodes) as u (id)
    except select k.id, '.only_nodes', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.nodes', 'the flow has no node'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'nodes') as k (id)
    except select k.id, '.values_config.nodes', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.inline', 'the flow has no node'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'inline') as k (id)
    except select k.id, '.values_config.inline', 'the flow has no node' from unnest(v_known) as k (id))
    union all
    (select k.id, '.values_config.nodes', 'no run may be named for a node of only_nodes, such as'
    from jsonb_object_keys(check_partial_nodes.values_config -> 'nodes') as k (id)
    intersect select u.id, '.values_config.nodes', 'no run may be named for a node of only_nodes, such as'
    from unnest(check_partial_nodes.only_nodes) as u (id))
  ) as f
  limit 1;
  if found then
    perform private.partial_config_fault(v_fault.path, format('%s %s', v_fault.message, private.shorten(v_fault.id)));
  end if;
end;
$$;
comment on function private.check_partial_nodes(jsonb, text[], jsonb) is
  'Refuses a partial_config that names a node which the flow does not have, or that names a run for a node in only_nodes: 400 partial_config_invalid.';

create function private.check_named_runs(run_ids text[], flow public.flows)
returns void
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_most constant integer := private.limit_named_runs();
  v_found_count integer;
  v_all_ended boolean;
begin
  if cardinality(check_named_runs.run_ids) > v_most then
    perform private.partial_config_fault('.values_config', format('names more than %s runs', v_most));
  end if;
  select count(*), coalesce(bool_and(r.end_time is not null), true) into v_found_count, v_all_ended
  from public.flow_run as r
  where r.id = any (array(
    select u.id::uuid from unnest(check_named_runs.run_ids) as u (id) where pg_input_is_valid(u.id, 'uuid')
  )) and r.flow_id = (check_named_runs.flow).id and r.user_id = (check_named_runs.flow).user_id
    and r.parent_flow_run_id is null;
  if v_found_count < cardinality(check_named_runs.run_ids) then
    perform private.fail('flow_run_not_found', 'There is no such run.');
  end if;
  -- If a run has not ended, its outputs may change while the partial run reads them.
  if not v_all_ended then
    perform private.fail('run_not_ended', 'A run that `partial_config` names has not ended.',
      hint => 'Wait for its end, or stop it.');
  end if;
end;
$$;
comment on function private.check_named_runs(text[], public.flows) is
  'Refuses runs that have not ended, are not root runs, or belong to another flow or owner: 404 flow_run_not_found, 409 run_not_ended. Definer, because the query itself checks the owner, so it needs no policy.';

-- Returns the partial_config for the settings of the run: {only_nodes, runs, inline}. `runs` is {node id: run id}: for
-- nodes outside only_nodes that have an edge into it, the earlier run that provides the node's outputs. `inline` has
-- the values from the request. It also has the pinned outputs of nodes outside only_nodes, unless values_config.nodes
-- names a run for the node. Null if only_nodes is empty, because then the whole flow runs.
create function private.partial_setting(flow public.flows, partial_config jsonb, pins jsonb)
returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_values jsonb;
  v_only text[];
  v_inline jsonb;
  v_runs jsonb;
begin
  perform private.check_partial_shape(partial_setting.partial_config);
  if partial_setting.partial_config -> 'only_nodes' = '[]' then
    return null;
  end if;
  v_values := '{"nodes": {}, "inline": {}}'
    || jsonb_strip_nulls(coalesce(partial_setting.partial_config -> 'values_config', '{}'));
  v_only := array(
    select distinct e.id from jsonb_array_elements_text(partial_setting.partial_config -> 'only_nodes') as e (id)
  );
  perform private.check_partial_nodes((partial_setting.flow).nodes, v_only, v_values);
  perform private.check_named_runs(array(
    select lower(n.run_id) from jsonb_each_text(v_values -> 'nodes') as n (node_id, run_id)
    union select lower(v_values ->> 'default_run_id') where v_values ? 'default_run_id'
  ), partial_setting.flow);
  v_inline := partial_setting.pins - v_only - array(select jsonb_object_keys(v_values -> 'nodes'))
    || (v_values -> 'inline');
  -- check_named_runs has accepted the ids. The cast to uuid changes each id into the spelling that the runner compares.
  select jsonb_object_agg(
    s.node_id, coalesce(v_values -> 'nodes' ->> s.node_id, v_values ->> 'default_run_id')::uuid
  )
  into v_runs
  from (
    select e.edge ->> 'source' as node_id
    from jsonb_array_elements((partial_setting.flow).edges) as e (edge)
    where e.edge ->> 'target' in (select o.id from unnest(v_only) as o (id))
    except select o.id from unnest(v_only) as o (id)
    except select k.id from jsonb_object_keys(v_inline) as k (id)
  ) as s
  where v_values ? 'default_run_id' or v_values -> 'nodes' ? s.node_id;
  return jsonb_build_object('only_nodes', v_only, 'runs', coalesce(v_runs, '{}'), 'inline', v_inline);
end;
$$;
comment on function private.partial_setting(public.flows, jsonb, jsonb) is
  'The checked partial_config of a start, in the form that the runner needs: {only_nodes, runs, inline}; null if only_nodes is empty. 400 partial_config_invalid, inputs_invalid; 404 flow_run_not_found; 409 run_not_ended; 413 inputs_too_large. Definer, because it reads runs of the flow''s owner.';
