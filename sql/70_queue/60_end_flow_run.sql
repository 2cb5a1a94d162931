create function private.end_called_runs(root_flow_run_id uuid, status text)
returns void
language plpgsql volatile security definer
set search_path = ''
-- The first plan is kept. It may be made while the table is empty, and must be good for a full one too.
set enable_seqscan = off
as $$
begin
  -- `offset 0` makes this one look at an index for the children of each run. The planner expects far more children than there are, since
  -- it goes by the average of all runs that call others, and would read all called runs instead.
  with recursive descendant as (
    select child.id, child.end_time from public.flow_run as child where child.parent_flow_run_id = end_called_runs.root_flow_run_id
    union all
    select child.id, child.end_time
    from descendant
    cross join lateral (
      select c.id, c.end_time from public.flow_run as c where c.parent_flow_run_id = descendant.id offset 0
    ) as child
  )
  update public.flow_run as r
  set
    status = case end_called_runs.status when 'stopped' then 'stopped' else 'failed' end,
    errors = case end_called_runs.status when 'stopped' then null else array['the run that called this flow has ended'] end,
    output = '{"M": {}}', not_run = private.nodes_not_run(r, end_called_runs.root_flow_run_id), end_time = clock_timestamp()
  where r.id = any (array(select descendant.id from descendant where descendant.end_time is null));
end;
$$;
comment on function private.end_called_runs(uuid, text) is
  'Ends the called runs in a root run''s tree that have not ended: as stopped when the root was stopped, else as failed. Definer: only functions write runs.';

create function private.end_flow_run(
  flow_run_id uuid, status text, output jsonb default null, errors text[] default null, not_run uuid[] default null, work_ms bigint default 0
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint := (select j.message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id);
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.nodes_not_run(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Called runs end with the root at the latest. Some are left when the root ends before a worker went on with them.
  if exists (select from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id) then
    perform private.end_called_runs(end_flow_run.flow_run_id, end_flow_run.status);
  end if;

  -- So that readers of open requests see that nobody waits for an answer.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  -- The job before its message, the order in which heartbeats lock them.
  update private.flow_run_jobs as j
  set
    message_id = null, is_held = false, sleeps_until = null, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
    failed_at = case end_flow_run.status when 'failed' then clock_timestamp() end
  where j.flow_run_id = end_flow_run.flow_run_id;
  delete from pgmq.q_flow_runs as m where m.msg_id = v_message_id;
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[], bigint) is
  'The one place where root runs end: stores the result, ends the called runs and the open signature requests of the tree, and deletes the message from the queue. not_run: null for all nodes that have no node run. Definer: only functions write runs.';

create function private.nodes_not_run(run public.flow_run, root_run_id uuid)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
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
    and not exists (
      select from public.node_run as r where r.flow_run_id = nodes_not_run.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$$;
comment on function private.nodes_not_run(public.flow_run, uuid) is
  'The nodes of a run''s flow that have no node run, in the flow''s order. root_run_id is the root of the run''s tree, whose job names the snapshot. Definer: jobs and snapshots are private.';
