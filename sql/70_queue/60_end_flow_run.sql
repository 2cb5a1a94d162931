create function private.end_called_runs(root_flow_run_id uuid, status text)
returns void
language plpgsql volatile security definer
set search_path = ''
-- A plan that is kept must not be one of an empty table.
set enable_seqscan = off
as $$
begin
  -- Each run's children by a look of its own (`offset 0`): the planner takes the average of all that call others for every level, and
  -- would rather read all called runs there are than look for so many.
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
    output = '{"M": {}}', not_run = private.not_begun_nodes(r, end_called_runs.root_flow_run_id), end_time = clock_timestamp()
  where r.id = any (array(select descendant.id from descendant where descendant.end_time is null));
end;
$$;
comment on function private.end_called_runs(uuid, text) is
  'Ends what has not ended of the runs that a root run''s tree called: stopped if the root was, else failed. Definer: runs are written by functions only.';

create function private.end_flow_run(
  flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[], work_ms bigint default 0
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
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
  if exists (select from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id) then
    perform private.end_called_runs(end_flow_run.flow_run_id, end_flow_run.status);
  end if;

  -- Whoever reads them sees that nobody waits for an answer any more.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  -- The job before its message, as heartbeats lock them.
  update private.flow_run_jobs as j
  set
    message_id = null, is_held = false, sleeps_until = null, work_ms = greatest(j.work_ms, end_flow_run.work_ms),
    failed_at = case end_flow_run.status when 'failed' then clock_timestamp() end
  where j.flow_run_id = end_flow_run.flow_run_id;
  delete from pgmq.q_flow_runs as m where m.msg_id = v_message_id;
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[], bigint) is
  'Ends a root run with its result, what is left of its children, and its open signature requests, and takes its message out of the queue. A null not_run is made of the snapshot. Definer: the one place where runs end.';

create function private.not_begun_nodes(run public.flow_run, root_run_id uuid)
returns uuid[]
language sql stable security definer
set search_path = ''
as $$
  select coalesce(array_agg((n.node ->> 'id')::uuid order by n.position), '{}')
  from private.flow_run_jobs as j
  join private.flow_snapshots as s on s.hash = j.snapshot_hash
  cross join lateral jsonb_array_elements(
    case
      when not_begun_nodes.run.id = not_begun_nodes.root_run_id then s.data #> '{entry,nodes}'
      else s.data #> array['flows', not_begun_nodes.run.flow_id::text, 'nodes']
    end
  ) with ordinality as n (node, position)
  where j.flow_run_id = not_begun_nodes.root_run_id and n.node #>> '{data,type}' <> 'mock'
    and not exists (
      select from public.node_run as r where r.flow_run_id = not_begun_nodes.run.id and r.node_id = (n.node ->> 'id')::uuid
    );
$$;
comment on function private.not_begun_nodes(public.flow_run, uuid) is
  'The nodes of a run''s flow of which no execution is stored, in the flow''s order, for a run of the tree of root_run_id. Definer: jobs and snapshots are private.';
