create function private.end_called_runs(root_flow_run_id uuid, status text)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Without this setting, Postgres could make a plan with a sequential scan while the table is empty, and reuse it when
-- the table is full.
set enable_seqscan = off
as $$
declare
  v_events private.new_run_event[];
begin
  -- `offset 0` forces one search of an index for the children of each run. Without `offset 0`, the planner would read
  -- all called runs, because it expects too many children: it assumes that every run has children.
  with recursive descendant as (
    select child.id, child.end_time from public.flow_run as child
    where child.parent_flow_run_id = end_called_runs.root_flow_run_id
    union all
    select child.id, child.end_time
    from descendant
    cross join lateral (
      select c.id, c.end_time from public.flow_run as c where c.parent_flow_run_id = descendant.id offset 0
    ) as child
  ), ended as (
    update public.flow_run as r
    set
      status = case end_called_runs.status when 'stopped' then 'stopped' else 'failed' end,
      errors = case end_called_runs.status
        when 'stopped' then null else array['the run that called this flow has ended']
      end,
      output = '{"M": {}}', not_run = private.nodes_not_run(r, end_called_runs.root_flow_run_id),
      end_time = clock_timestamp()
    where r.id = any (array(select descendant.id from descendant where descendant.end_time is null))
    returning r.id, r.end_time
  )
  select array_agg((
    end_called_runs.root_flow_run_id, null, e.end_time,
    ('run_finish', e.id, null, null, null, null, null)::private.run_event
  )::private.new_run_event) into v_events from ended as e;
  perform private.add_run_events(v_events);
end;
$$;
comment on function private.end_called_runs(uuid, text) is
  'Ends all called runs in a root run''s tree that have not ended yet. They end as stopped if the root run was stopped, otherwise as failed. Definer, because no API role may write runs.';

create function private.end_flow_runs(run_ids uuid[], results jsonb)
returns void
language plpgsql volatile security definer
set search_path = ''
-- Planning takes a third of the time that the end of one run takes, so force_generic_plan lets Postgres keep the first
-- plan. Without the other settings, that plan could have sequential scans, because the tables may be empty when it is
-- made.
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  v_has_called_runs boolean;
  v_has_requests boolean;
  v_told_ids uuid[];
  v_has_inputs boolean;
begin
  -- Runs end in the order of run_ids. At the commit, the ended runs are subtracted from the usage of their
  -- deployments in the same order.
  with result as materialized (
    select f.*
    from jsonb_to_recordset(end_flow_runs.results) as f (
      flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
    )
    where f.flow_run_id = any (end_flow_runs.run_ids)
    order by array_position(end_flow_runs.run_ids, f.flow_run_id)
  ), ended_run as (
    update public.flow_run as r
    set
      status = f.status, output = coalesce(f.output, '{"M": {}}'), errors = f.errors,
      error_code = private.error_code(f.errors[1]), not_run = coalesce(f.not_run, private.nodes_not_run(r, r.id)),
      end_time = clock_timestamp()
    from result as f
    where r.id = f.flow_run_id and r.id = any (end_flow_runs.run_ids) and r.end_time is null
  ), ended_job as (
    update private.flow_run_jobs as j
    set
      state = 'ended', due_at = null,
      work_ms = greatest(j.work_ms, (f.progress ->> 'work_ms')::bigint),
      failed_at = case f.status when 'failed' then clock_timestamp() end,
      is_complete = coalesce((f.progress ->> 'is_complete')::boolean, false)
    from result as f
    where j.flow_run_id = f.flow_run_id and j.flow_run_id = any (end_flow_runs.run_ids)
    returning j.flow_run_id, jsonb_typeof(j.settings -> 'on_end') = 'object' as has_on_end
  )
  select array_agg(j.flow_run_id) filter (where j.has_on_end) into v_told_ids from ended_job as j;

  select
    exists (select from public.flow_run as r where r.parent_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.signature_requests as s where s.root_flow_run_id = any (end_flow_runs.run_ids)),
    exists (select from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids))
  into v_has_called_runs, v_has_requests, v_has_inputs;
  -- Called runs must end with the root run at the latest. Some called runs may not have ended yet, because no worker
  -- continued them before the end of the root run.
  if v_has_called_runs then
    perform private.end_called_runs(f.flow_run_id, f.status)
    from jsonb_to_recordset(end_flow_runs.results) as f (flow_run_id uuid, status text)
    where f.flow_run_id = any (end_flow_runs.run_ids);
  end if;
  -- Let the open requests expire, so that their readers see that no answer is needed any more.
  if v_has_requests then
    update public.signature_requests as s set expires_at = clock_timestamp()
    where s.root_flow_run_id = any (end_flow_runs.run_ids) and s.signature is null and s.expires_at > clock_timestamp();
  end if;
  if v_has_inputs then
    delete from public.pending_inputs as p where p.root_flow_run_id = any (end_flow_runs.run_ids);
  end if;
  if v_told_ids is not null then
    perform private.queue_end_webhooks(v_told_ids);
  end if;
end;
$$;
-- Stores the results, and queues the messages to the addresses in on_end. Ends the called runs, the open signature
-- requests and the pending inputs of the trees. results: [{flow_run_id, status, output, errors, not_run,
-- progress: {work_ms, is_complete}}]. If not_run is null, it is set to all nodes without a node run.
comment on function private.end_flow_runs(uuid[], jsonb) is
  'Ends root runs whose jobs the caller has locked. Definer, because no API role may write runs.';

create function private.end_flow_run(
  flow_run_id uuid, status text, output jsonb default null, errors text[] default null, not_run uuid[] default null
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.end_flow_runs(
    array[end_flow_run.flow_run_id],
    jsonb_build_array(jsonb_build_object(
      'flow_run_id', end_flow_run.flow_run_id, 'status', end_flow_run.status, 'output', end_flow_run.output,
      'errors', end_flow_run.errors, 'not_run', end_flow_run.not_run
    ))
  );
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[]) is
  'Ends a run for which no worker reports a result. The caller has locked the job of the run. Definer, because no API role may write runs.';

create function private.nodes_not_run(run public.flow_run, root_run_id uuid)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  with selected as materialized (
    select o.node_id
    from private.flow_run_jobs as j
    cross join lateral jsonb_array_elements_text(j.settings #> '{partial_config,only_nodes}') as o (node_id)
    where j.flow_run_id = nodes_not_run.root_run_id and nodes_not_run.run.id = nodes_not_run.root_run_id
  )
  select coalesce(array_agg((n.node ->> 'id')::uuid order by n.position), '{}')
  from private.flow_run_jobs as j
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  cross join lateral jsonb_array_elements(
    case
      when nodes_not_run.run.id = nodes_not_run.root_run_id then s.data #> '{entry,nodes}'
      else s.data #> array['flows', nodes_not_run.run.flow_id::text, 'nodes']
    end
  ) with ordinality as n (node, position)
  where j.flow_run_id = nodes_not_run.root_run_id and n.node #>> '{data,type}' <> 'mock'
    and (not exists (select from selected) or n.node ->> 'id' in (select s.node_id from selected as s))
    and not exists (
      select from public.node_run as r
      where r.flow_run_id = nodes_not_run.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$$;
comment on function private.nodes_not_run(public.flow_run, uuid) is
  'The nodes of a run''s flow that have no node run, in the order of the flow. If the run is partial, only the nodes that it selects count. root_run_id is the root of the run''s tree; the job of the root names the snapshot. Definer, because no API role may access jobs and snapshots.';
