SET local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.data_nodes (
  nodes      jsonb,
  edges      jsonb,
  data_flows jsonb
)
  RETURNS TABLE (
    id    text,
    reads boolean,
    sends boolean
  )
  LANGUAGE plpgsql
  IMMUTABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
begin
  return query
  with node as materialized (
    select n.node ->> 'id' as id, case n.node #>> '{data,type}' when 'native' then n.node #>> '{data,node_id}'
        else '' end as node_id,
      n.node #> '{data,targets_form,form_data}' as form_data,
      private.is_described(n.node #>> '{data,type}') as is_request
    from jsonb_array_elements(data_nodes.nodes) as n (node)
  ),
  -- The nodes that send a request only if one of their inputs has an address.
  addressed as materialized (
    select n.id, n.node_id
    from node as n
    join (values
      ('api_input', 'webhook_url'), ('postgrest_new_query', 'url'), ('postgrest_new_rpc', 'url')
    ) as a (node_id, input) on a.node_id = n.node_id
    where case jsonb_typeof(n.form_data) when 'object'
        then coalesce(n.form_data ->> a.input, '') <> '' else false end
      or (n.id, a.input) in (
        select e.target, e.target_port from private.flow_edges(data_nodes.nodes, data_nodes.edges) as e
          where e.target_port in ('webhook_url', 'url')
      )
  ),
  -- A query with an address is built by some nodes and sent by another one.
  foreign_query as materialized (
    select exists (select from addressed as a where a.node_id <> 'api_input')
      or jsonb_path_exists(data_nodes.nodes, '$[*].data.targets_form.form_data.query.url ? (@ != null)') as exists
  )
  select * from (
    select n.id,
      private.reads_owner_data(n.node_id) or c.is_call and coalesce(data_nodes.data_flows -> 'reads' @> c.called, false) as reads,
      n.node_id in ('das_api', 'http_request') or n.is_request
        or n.node_id = 'api_input' and n.id in (select a.id from addressed as a)
        or n.node_id = 'postgrest_execute_query' and f.exists
        or c.is_call and coalesce(data_nodes.data_flows -> 'sends' @> c.called, false) as sends
    from node as n
    cross join foreign_query as f
    cross join lateral (
      select n.node_id in ('interflow', 'interflow_instructions') as is_call,
        to_jsonb(private.integer_or_null(case jsonb_typeof(n.form_data) when 'object' then n.form_data ->> 'id' end))
          as called
      offset 0
    ) as c
  ) as d
  where d.reads or d.sends;
end;
$function$;

CREATE OR REPLACE FUNCTION private.has_described_nodes (
  nodes jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM jsonb_path_query(has_described_nodes.nodes, '$[*]."data"."type"'::jsonpath) t(TYPE)
           WHERE private.is_described((t.type #>> '{}'::text[]))))
  AS "exists";
END;

CREATE OR REPLACE FUNCTION private.take_snapshot (
  entry public.flows
)
  RETURNS bytea
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  -- Freezing a small flow costs less than a search for its snapshot. If this transaction has edited the flow, its
  -- snapshot is not stored: a further edit in this transaction would set the same updated_at, so nothing would show
  -- that the flow has changed.
  v_is_kept constant boolean := pg_column_size(take_snapshot.entry.nodes) > 65536
    and take_snapshot.entry.updated_at < now();
  v_hash bytea := case when v_is_kept then private.current_snapshot(take_snapshot.entry) end;
begin
  if v_hash is not null then
    return v_hash;
  end if;
  v_hash := (private.freeze_flow(take_snapshot.entry, false)).snapshot_hash;
  -- Do not keep the snapshot of a flow that calls others or has described nodes: called flows and definitions may
  -- change without a change of the flow.
  if v_is_kept and not private.has_described_nodes(take_snapshot.entry.nodes)
    and not exists (select from private.interflow_references(take_snapshot.entry.nodes)) then
    insert into private.flow_current_snapshots as c (flow_id, flow_updated_at, snapshot_hash)
    values (take_snapshot.entry.id, take_snapshot.entry.updated_at, v_hash)
    on conflict (flow_id) do update
    set flow_updated_at = excluded.flow_updated_at, snapshot_hash = excluded.snapshot_hash;
  end if;
  return v_hash;
end;
$function$;

CREATE OR REPLACE FUNCTION private.takes_connection (
  data jsonb
)
  RETURNS boolean
  LANGUAGE sql
  IMMUTABLE
BEGIN ATOMIC
 SELECT
         CASE
             WHEN ((DATA ->> 'type'::text) = 'native'::text) THEN ((DATA ->> 'node_id'::text) = 'http_request'::text)
             ELSE private.is_described((DATA ->> 'type'::text))
         END
  AS is_described;
END;
