create function private.end_flow_run(flow_run_id uuid, status text, output jsonb, errors text[], not_run uuid[])
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_id bigint;
begin
  update public.flow_run as r
  set
    status = end_flow_run.status, output = coalesce(end_flow_run.output, '{"M": {}}'), errors = end_flow_run.errors,
    not_run = coalesce(end_flow_run.not_run, private.not_begun_nodes(r, r.id)),
    end_time = clock_timestamp()
  where r.id = end_flow_run.flow_run_id and r.end_time is null;

  -- Children end with the run at the latest; they are left over when it ends before it was taken up again.
  with recursive child as (
    select r.id, r.end_time from public.flow_run as r where r.parent_flow_run_id = end_flow_run.flow_run_id
    union all
    select r.id, r.end_time from child join public.flow_run as r on r.parent_flow_run_id = child.id
  )
  update public.flow_run as r
  set
    status = case end_flow_run.status when 'stopped' then 'stopped' else 'failed' end,
    errors = case end_flow_run.status when 'stopped' then null else array['the run that called this flow has ended'] end,
    output = '{"M": {}}', not_run = private.not_begun_nodes(r, end_flow_run.flow_run_id), end_time = clock_timestamp()
  from child
  where r.id = child.id and child.end_time is null;

  -- Whoever reads them sees that nobody waits for an answer any more.
  update public.signature_requests as s set expires_at = clock_timestamp()
  where s.root_flow_run_id = end_flow_run.flow_run_id and s.signature is null and s.expires_at > clock_timestamp();

  select j.message_id into v_message_id from private.flow_run_jobs as j where j.flow_run_id = end_flow_run.flow_run_id;
  update private.flow_run_jobs as j set message_id = null, is_held = false where j.flow_run_id = end_flow_run.flow_run_id;
  perform pgmq.delete('flow_runs', v_message_id);
end;
$$;
comment on function private.end_flow_run(uuid, text, jsonb, text[], uuid[]) is
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

create function private.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform private.store_progress(finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.progress);
  perform private.end_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.status, finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run
  );
end;
$$;
comment on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'Does what public.finish_flow_run says. Definer: nobody else ends runs, and the queue is private.';
grant execute on function private.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;

create function public.finish_flow_run(
  flow_run_id uuid, attempt integer, status text, output jsonb, errors text[], not_run uuid[], progress jsonb
)
returns void
language plpgsql volatile security invoker
set search_path = ''
as $$
begin
  perform private.finish_flow_run(
    finish_flow_run.flow_run_id, finish_flow_run.attempt, finish_flow_run.status,
    finish_flow_run.output, finish_flow_run.errors, finish_flow_run.not_run, finish_flow_run.progress
  );
end;
$$;
comment on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) is
  'For the runner: stores the last of what the run has come to, {children, node_runs, transactions, logs, work_ms}, ends the run with its result and removes its message, in one transaction. 409 claim_lost for an older claim.';
grant execute on function public.finish_flow_run(uuid, integer, text, jsonb, text[], uuid[], jsonb) to service_role;
