import type { RowCheck } from './facts.ts';

/** The rules on runs, their jobs and the queue. */
export const queueChecks: RowCheck[] = [
  {
    name: 'run_neither_ended_nor_waiting',
    find: (sql) =>
      sql`
      select r.id, r.status, j.state, j.claim_number, j.due_at
      from public.flow_run as r
      left join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.parent_flow_run_id is null and r.end_time is null and (
        j.state is null or j.state = 'ended'
        -- A run may wait for a signature that can still come, or whose request expired less than 15 seconds ago. The
        -- sweeper wakes the runner every five seconds, and a worker that ends may release the run again. A run may also
        -- wait for an input, or for the time of a node.
        or not exists (
          select from public.signature_requests as s
          where s.root_flow_run_id = r.id and s.signature is null and (r.status = 'waiting' or s.expires_at <= clock_timestamp())
            and s.expires_at > clock_timestamp() - interval '15 seconds'
        )
        and not exists (
          select from public.pending_inputs as p
          where p.root_flow_run_id = r.id and p.expires_at > clock_timestamp() - interval '15 seconds'
        )
        and not exists (
          select from public.node_run as n
          where n.flow_run_id = r.id and n.end_time is null
            and greatest(n.retry_at, n.start_time + (n.input #>> '{M,duration_ms,U}')::bigint * interval '1 millisecond') > clock_timestamp()
        )
      )`,
  },
  {
    name: 'run_without_job',
    find: (sql) =>
      sql`
      select r.id, r.status from public.flow_run as r
      where (r.parent_flow_run_id is null) <> exists (select from private.flow_run_jobs as j where j.flow_run_id = r.id)`,
  },
  {
    name: 'ended_run_in_queue',
    find: (sql) =>
      sql`
      select r.id, r.status, j.state from public.flow_run as r join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.end_time is not null and j.state <> 'ended'`,
  },
  {
    name: 'job_never_due',
    find: (sql) =>
      sql`
      select j.flow_run_id, j.state, j.due_at from private.flow_run_jobs as j
      where j.due_at > clock_timestamp() + case j.state when 'held' then interval '1 hour' else interval '1 year' end`,
  },
  {
    name: 'child_outlives_parent',
    find: (sql) =>
      sql`
      select c.id, c.status from public.flow_run as c join public.flow_run as p on p.id = c.parent_flow_run_id
      where c.end_time is null and p.end_time is not null`,
  },
  {
    name: 'node_without_end',
    find: (sql) =>
      sql`
      select n.flow_run_id, n.node_id, n.times from public.node_run as n join public.flow_run as r on r.id = n.flow_run_id
      where n.end_time is null and r.status = 'succeeded'`,
  },
  {
    name: 'owner_differs',
    find: (sql) =>
      sql`
      select owned.what, owned.flow_run_id from (
        select 'node_run' as what, n.flow_run_id, n.user_id from public.node_run as n
        union all select 'flow_run_logs', l.flow_run_id, l.user_id from public.flow_run_logs as l
        union all select 'flow_run_jobs', j.flow_run_id, j.user_id from private.flow_run_jobs as j
        union all select 'signature_requests', s.flow_run_id, s.owner_id from public.signature_requests as s
        union all select 'pending_inputs', p.flow_run_id, p.owner_id from public.pending_inputs as p
        union all select 'flow_run', c.parent_flow_run_id, c.user_id from public.flow_run as c where c.parent_flow_run_id is not null
      ) as owned join public.flow_run as r on r.id = owned.flow_run_id
      where owned.user_id <> r.user_id`,
  },
  {
    name: 'request_of_ended_run_open',
    find: (sql) =>
      sql`
      select s.id, r.status from public.signature_requests as s join public.flow_run as r on r.id = s.root_flow_run_id
      where r.end_time is not null and s.signature is null and s.expires_at > clock_timestamp()`,
  },
  {
    name: 'pending_input_over',
    find: (sql) =>
      sql`
      select p.id, r.status, a.outcome from public.pending_inputs as p
      join private.api_inputs as a on a.id = p.id
      join public.flow_run as r on r.id = p.root_flow_run_id
      left join private.flow_run_jobs as j on j.flow_run_id = r.id
      where r.end_time is not null or j.stop_requested_at is not null or a.outcome is not null`,
  },
  {
    // If the caller got an acknowledgement of an answer, the node's output is this answer. Stopped runs are excluded:
    // they may have ended before the node got the answer.
    name: 'answer_lost',
    find: (sql) =>
      sql`
      select a.flow_run_id, a.outcome, n.output, n.errors from private.api_inputs as a
      join public.node_run as n on (n.flow_run_id, n.node_id, n.times) = (a.flow_run_id, a.node_id, a.times)
      join public.flow_run as r on r.id = a.root_flow_run_id
      where n.end_time is not null and r.status <> 'stopped' and (case a.outcome
        when 'submitted' then n.output -> 'M' -> 'value' is distinct from a.value
        when 'cancelled' then n.errors[1] not like 'input_cancelled%'
        when 'expired' then n.errors[1] not like 'input_expired%'
      end)`,
  },
  {
    name: 'transaction_without_outcome',
    find: (sql) =>
      sql`
      select t.flow_run_id, t.node_id, r.status from private.flow_run_transactions as t
      join public.flow_run as r on r.id = t.root_flow_run_id
      where r.status = 'succeeded' and t.outcome is distinct from 'confirmed'`,
  },
];
