-- If node_ids is null, all nodes of the runs are read. Otherwise node_ids has one element for each run in run_ids: the
-- node whose rows are read, or null for all nodes of the run. The rows of input_nodes have their inputs; if input_nodes
-- is null, all rows have them.
create function private.node_runs_page(
  run_ids uuid[], after jsonb, max_bytes integer, node_ids uuid[] default null, input_nodes uuid[] default '{}',
  out node_runs text, out next json
)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  c_first_id constant uuid := '00000000-0000-0000-0000-000000000000';
  c_last_id constant uuid := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  v_run_id uuid;
  v_first_id uuid;
  v_last_id uuid;
  v_last_run_id uuid := node_runs_page.after ->> 'flow_run_id';
  v_node_id uuid := node_runs_page.after ->> 'node_id';
  v_times integer := node_runs_page.after ->> 'times';
  v_row record;
  v_input_node_id uuid;
  v_has_input boolean;
  v_text text;
  v_rows text[] := '{}';
  v_bytes bigint := 0;
begin
  <<pages>>
  for v_run_id, v_first_id, v_last_id in
    select r.id, coalesce(r.node_id, c_first_id), coalesce(r.node_id, c_last_id)
    from unnest(node_runs_page.run_ids, node_runs_page.node_ids) as r (id, node_id)
    where v_last_run_id is null or (r.id, coalesce(r.node_id, c_last_id)) >= (v_last_run_id, v_node_id)
    order by r.id, r.node_id
  loop
    if v_run_id is distinct from v_last_run_id or v_first_id > v_node_id then
      v_node_id := v_first_id;
      v_times := -1;
    end if;
    -- Postgres reads a large value only when this loop reaches the row of the value, so only the values of this page
    -- are in memory.
    for v_row in
      select n.node_id, n.times, n.attempt, n.retry_at, n.start_time, n.attempt_start_time, n.end_time,
        n.output, n.errors, n.error_handled, n.input
      from public.node_run as n
      where n.flow_run_id = v_run_id and (n.node_id, n.times) > (v_node_id, v_times) and n.node_id <= v_last_id
      order by n.node_id, n.times
    loop
      v_text := json_build_object(
        'flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times, 'attempt', v_row.attempt,
        'retry_at', v_row.retry_at, 'start_time', v_row.start_time, 'attempt_start_time', v_row.attempt_start_time,
        'end_time', v_row.end_time,
        'output', v_row.output, 'errors', v_row.errors, 'error_handled', v_row.error_handled
      )::text;
      if v_row.node_id is distinct from v_input_node_id then
        v_input_node_id := v_row.node_id;
        v_has_input := coalesce(v_row.node_id = any (node_runs_page.input_nodes), true);
      end if;
      if v_has_input then
        v_text := left(v_text, -1) || format(', "input": %s}', v_row.input);
      end if;
      v_rows := array_append(v_rows, v_text);
      v_bytes := v_bytes + octet_length(v_text);
      if v_bytes >= node_runs_page.max_bytes then
        next := json_build_object('flow_run_id', v_run_id, 'node_id', v_row.node_id, 'times', v_row.times);
        exit pages;
      end if;
    end loop;
  end loop;
  node_runs := format('[%s]', array_to_string(v_rows, ','));
end;
$$;
comment on function private.node_runs_page(uuid[], jsonb, integer, uuid[], uuid[]) is
  'A page of the node runs of these runs, as JSON in the order of their keys. node_ids may select one node of each run. The page begins after the key `after`, and ends at max_bytes. next: the `after` of the next page, or null. Definer, because it reads runs of any user. Its callers check the user.';

create function private.flow_run_history_page(flow_run_id uuid, after jsonb, max_bytes integer)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id from public.flow_run as r where r.id = flow_run_history_page.flow_run_id and r.end_time is null
    union all
    select c.id
    from tree
    cross join lateral (
      select r.id from public.flow_run as r where r.parent_flow_run_id = tree.id and r.end_time is null offset 0
    ) as c
  )
  select format('{"node_runs": %s, "next": %s}', p.node_runs, coalesce(p.next::text, 'null'))::json
  from private.node_runs_page(
    array(select tree.id from tree), flow_run_history_page.after, flow_run_history_page.max_bytes
  ) as p;
$$;
comment on function private.flow_run_history_page(uuid, jsonb, integer) is
  'Implements public.flow_run_history_page. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.flow_run_history_page(uuid, jsonb, integer) to service_role;

create function private.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security definer
set search_path = ''
as $$
  with recursive tree as (
    select r.id, r.parent_flow_run_id, r.end_time from public.flow_run as r
    where r.id = flow_run_history.flow_run_id
    union all
    -- `offset 0`, here and below, forces one search of an index for each run of the tree. Without `offset 0`, the
    -- planner would read whole tables, because it expects too many called runs: it assumes that every run calls other
    -- runs.
    select r.id, r.parent_flow_run_id, r.end_time
    from tree
    cross join lateral (
      select c.id, c.parent_flow_run_id, c.end_time from public.flow_run as c
      where c.parent_flow_run_id = tree.id offset 0
    ) as r
  ),
  page as materialized (
    select private.flow_run_history_page(flow_run_history.flow_run_id, null, flow_run_history.max_bytes) as content
    where flow_run_history.max_bytes is not null
  )
  select json_build_object(
    'children', (
      select coalesce(json_agg(json_build_object(
        'id', r.id, 'flow_id', r.flow_id, 'parent_flow_run_id', r.parent_flow_run_id,
        'parent_node_id', r.parent_node_id, 'parent_times', r.parent_times,
        'status', r.status, 'start_time', r.start_time, 'end_time', r.end_time,
        -- If the history is read in pages (max_bytes), leave out the inputs of called runs. The interflow node that
        -- called the run computes the inputs again.
        'inputs', case when flow_run_history.max_bytes is null then r.inputs else '{"M": {}}' end,
        'output', r.output, 'errors', r.errors, 'not_run', r.not_run
      )), '[]')
      from tree cross join lateral (select c.* from public.flow_run as c where c.id = tree.id offset 0) as r
      where tree.parent_flow_run_id is not null
        -- Leave out a called run if the run and the interflow node that called it have both ended. Then nobody reads
        -- the run's result any more.
        and (r.end_time is null or not exists (
          select from public.node_run as e
          where e.flow_run_id = r.parent_flow_run_id and e.node_id = r.parent_node_id
            and e.times = r.parent_times and e.end_time is not null
        ))
    ),
    'node_runs', case
      when flow_run_history.max_bytes is not null then (select page.content -> 'node_runs' from page)
    else (
      -- If a called run has ended, only its result is needed, so leave out its node runs.
      select coalesce(json_agg(to_jsonb(n) - '{user_id,input,is_taken_over,is_pinned,answered_at,answered_by}'::text[]), '[]')
      from tree cross join lateral (select e.* from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is null
    ) end,
    'next', (select page.content -> 'next' from page),
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'flow_run_id', t.flow_run_id, 'node_id', t.node_id, 'times', t.times, 'members', t.members, 'message',
        t.message,
        'wire', t.wire, 'memo', t.memo, 'has_fees', t.has_fees,
        -- The numbers are text, because JavaScript would read a JSON number as a float.
        'slot', t.slot::text, 'last_valid_block_height', t.last_valid_block_height::text,
        'outcome', t.outcome, 'signature', t.signature,
        'requests', private.transaction_signature_requests(t.flow_run_id, t.node_id, t.times)
      ) order by t.created_at), '[]')
      from private.flow_run_transactions as t
      where t.root_flow_run_id = flow_run_history.flow_run_id
    ),
    'ended_executions', (
      -- `node_runs` does not list the executions of ended runs, but they count towards the limit of executions of the
      -- tree. Each attempt counts as one execution.
      select coalesce(sum(n.attempt), 0)
      from tree
      cross join lateral (select e.attempt from public.node_run as e where e.flow_run_id = tree.id offset 0) as n
      where tree.end_time is not null
    ),
    'log_counts', (
      select coalesce(json_object_agg(tree.id, counted.log_count), '{}')
      from tree
      cross join lateral (
        select max(l.log_index) + 1 as log_count from public.flow_run_logs as l where l.flow_run_id = tree.id
      ) as counted
      where counted.log_count is not null
    )
  );
$$;
comment on function private.flow_run_history(uuid, integer) is
  'Implements public.flow_run_history. Definer, because the role of a worker may have no rights on the tables.';
grant execute on function private.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history(flow_run_id uuid, max_bytes integer default null)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history(flow_run_id, max_bytes);
$$;
--   node_runs     the node runs, without inputs, of runs that have not ended; with max_bytes, only the first page of
--                 flow_run_history_page
--   next          with max_bytes: the key for the next page
--   children      the called runs, without those whose result is no longer needed
--   transactions  all transactions with their signature requests
--
-- If a history is too long, only its own run fails, because this function is separate from claim_flow_runs. The result
-- is json, because jsonb is limited to 256 MB.
comment on function public.flow_run_history(uuid, integer) is
  'For the runner: the stored progress of a root run and of the runs that it called, {children, node_runs, transactions, ended_executions, log_counts, next}.';
grant execute on function public.flow_run_history(uuid, integer) to service_role;

create function public.flow_run_history_page(
  flow_run_id uuid, after jsonb default null, max_bytes integer default 4194304
)
returns json
language sql stable security invoker
set search_path = ''
as $$
  select private.flow_run_history_page(flow_run_id, after, max_bytes);
$$;
-- A page begins after the key `after`, {flow_run_id, node_id, times}, or at the beginning if `after` is null. The page
-- ends with the node run at which its size reaches max_bytes. next is the `after` of the next page; null on the last
-- page.
comment on function public.flow_run_history_page(uuid, jsonb, integer) is
  'For the runner: the node_runs of flow_run_history in pages of about max_bytes, {node_runs, next}. next is the `after` of the next page; null on the last page.';
grant execute on function public.flow_run_history_page(uuid, jsonb, integer) to service_role;
