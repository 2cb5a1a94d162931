create function private.flow_cycle(nodes text[], sources text[], targets text[])
returns text[]
language plpgsql immutable security invoker
set search_path = ''
as $$
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
  -- Kahn's algorithm on numbered nodes. The edges are sorted by source, so each node and each edge is visited once.
  select array_agg(s.number order by s.number, t.number), array_agg(t.number order by s.number, t.number)
  into v_from, v_to
  from unnest(flow_cycle.sources, flow_cycle.targets) as e (source, target)
  join unnest(flow_cycle.nodes) with ordinality as s (id, number) on s.id = e.source
  join unnest(flow_cycle.nodes) with ordinality as t (id, number) on t.id = e.target;
  if v_from is null then
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

  -- Into each node that is still waiting, an edge leads from a node that is also waiting. So a walk backwards along
  -- such edges ends in a cycle.
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
$$;
comment on function private.flow_cycle(text[], text[], text[]) is
  'The node ids of one cycle in the order of its edges; null if there is no cycle. Edge i leads from sources[i] to targets[i]. Source: A. B. Kahn, Topological sorting of large networks, CACM 5 (1962).';
