create function private.take_snapshot(flow_id integer)
returns bytea
language plpgsql volatile security definer
set search_path = ''
as $$
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
$$;
comment on function private.take_snapshot(integer) is
  'Freezes a flow and all flows that it reaches, as they are now, and returns the snapshot''s key; 422 flow_invalid lists everything that keeps them from running. Definer, since snapshots are private; callers check who asks.';

create function private.interflow_references(nodes jsonb)
returns table (path text, id integer)
language plpgsql immutable security invoker
set search_path = ''
as $$
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
$$;
comment on function private.interflow_references(jsonb) is
  'The flows that a graph calls, with the path that names each; id is null where the path holds no integer.';
