create function private.claim_flow_runs(max_runs integer, lease_seconds integer, known_snapshots text[])
returns table (
  flow_run_id uuid, message_id bigint, attempt integer, flow_id integer, user_id uuid, started_by uuid, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, node_runs jsonb, log_count integer
)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_message_ids bigint[];
  v_run_ids uuid[];
begin
  select array_agg(m.msg_id), array_agg((m.message ->> 'flow_run_id')::uuid)
  into v_message_ids, v_run_ids
  from pgmq.read('flow_runs', claim_flow_runs.lease_seconds, claim_flow_runs.max_runs) as m;
  if v_run_ids is null then
    return;
  end if;

  return query
  with message as materialized (
    select m.id, m.run_id from unnest(v_message_ids, v_run_ids) as m (id, run_id)
  ),
  run as (
    update public.flow_run as r
    set status = 'running', start_time = coalesce(r.start_time, clock_timestamp())
    from message where r.id = message.run_id and r.end_time is null
    returning r.*, message.id as message_id
  ),
  job as (
    update private.flow_run_jobs as j set attempt = j.attempt + 1
    from run where j.flow_run_id = run.id
    returning j.*
  )
  select
    run.id, run.message_id, job.attempt, run.flow_id, run.user_id, run.started_by, run.inputs,
    jsonb_build_object(
      'output_instructions', run.output_instructions, 'action_identity', run.action_identity, 'action_signer', run.action_signer,
      -- As text: no amount passes through a JavaScript float.
      'fees', (
        select coalesce(jsonb_agg(jsonb_build_array(fee.pair -> 0, fee.pair ->> 1) order by fee.position), '[]')
        from jsonb_array_elements(run.fees) with ordinality as fee (pair, position)
      ),
      'chain_network', run.chain_network || jsonb_build_object('url', job.chain_url)
    ),
    encode(job.snapshot_hash, 'hex'),
    case when encode(job.snapshot_hash, 'hex') = any (claim_flow_runs.known_snapshots) then null else s.data::text end,
    -- Only a run that was claimed before can have node runs and logs.
    case when job.attempt > 1 then (
      select coalesce(jsonb_agg(to_jsonb(n) - 'flow_run_id' - 'user_id' order by n.start_time, n.times), '[]')
      from public.node_run as n where n.flow_run_id = run.id
    ) else '[]' end,
    case when job.attempt > 1 then (
      select coalesce(max(l.log_index) + 1, 0) from public.flow_run_logs as l where l.flow_run_id = run.id
    ) else 0 end
  from run
  join job on job.flow_run_id = run.id
  join private.flow_snapshots as s on s.hash = job.snapshot_hash;

  -- Runs that have ended or are deleted need their messages no more.
  perform pgmq.delete('flow_runs', m.id)
  from unnest(v_message_ids, v_run_ids) as m (id, run_id)
  where not exists (select from public.flow_run as r where r.id = m.run_id and r.end_time is null);
end;
$$;
comment on function private.claim_flow_runs(integer, integer, text[]) is
  'Does what public.claim_flow_runs says. Definer: queue, jobs and snapshots are private.';
grant execute on function private.claim_flow_runs(integer, integer, text[]) to service_role;

create function public.claim_flow_runs(max_runs integer, lease_seconds integer, known_snapshots text[] default '{}')
returns table (
  flow_run_id uuid, message_id bigint, attempt integer, flow_id integer, user_id uuid, started_by uuid, inputs jsonb, settings jsonb,
  snapshot_hash text, snapshot text, node_runs jsonb, log_count integer
)
language sql volatile security invoker
set search_path = ''
as $$
  select * from private.claim_flow_runs(
    claim_flow_runs.max_runs, claim_flow_runs.lease_seconds, claim_flow_runs.known_snapshots
  );
$$;
comment on function public.claim_flow_runs(integer, integer, text[]) is
  'For the runner: claims up to max_runs queued runs, or runs whose claim has run out, for lease_seconds. A snapshot comes as its JSON text, or null when its hash (hex) is in known_snapshots; node_runs are what earlier claims stored.';
grant execute on function public.claim_flow_runs(integer, integer, text[]) to service_role;
