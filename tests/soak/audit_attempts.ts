import type { RowCheck } from './facts.ts';

/** The rules on nodes with several attempts. */
export const attemptChecks: RowCheck[] = [
  {
    name: 'too_many_attempts',
    find: (sql) =>
      sql`
      with recursive tried as (
        select n.flow_run_id, n.node_id, n.attempt, n.flow_run_id as ancestor_id from public.node_run as n
        where n.attempt > 1 or n.retry_at is not null
        union all
        select t.flow_run_id, t.node_id, t.attempt, r.parent_flow_run_id
        from tried as t join public.flow_run as r on r.id = t.ancestor_id where r.parent_flow_run_id is not null
      )
      select t.flow_run_id, t.node_id, t.attempt
      from tried as t
      join private.flow_run_jobs as j on j.flow_run_id = t.ancestor_id
      join private.flow_snapshots as s on s.hash = j.snapshot_hash
      where t.attempt > coalesce(
        (jsonb_path_query_first(
          s.data, 'strict $.**.nodes[*] ? (@.id == $id).data.retry.max_attempts', jsonb_build_object('id', t.node_id), true
        ))::integer,
        1
      )`,
  },
  {
    name: 'last_attempt_differs',
    // If the run was not stopped, the last log line about a node's attempts reports a failure exactly if the node has
    // failed.
    find: (sql) =>
      sql`
      select n.flow_run_id, n.node_id, n.times, n.attempt, n.errors
      from public.node_run as n join public.flow_run as r on r.id = n.flow_run_id
      where n.attempt > 1 and n.end_time is not null and r.status in ('succeeded', 'failed')
        and (n.errors is not null) <> exists (
          select from public.flow_run_logs as l
          where l.flow_run_id = n.flow_run_id and l.node_id = n.node_id and l.times = n.times
            and l.content like format('attempt %s of %% failed: %%', n.attempt)
        )`,
  },
];
