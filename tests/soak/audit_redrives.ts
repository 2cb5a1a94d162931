import type { RowCheck } from './facts.ts';

/** The rules on a redriven run and its redrive. */
export const redriveChecks: RowCheck[] = [
  {
    name: 'taken_over_from_nothing',
    find: (sql) =>
      sql`
      select n.flow_run_id, n.node_id, n.times
      from private.flow_run_jobs as j
      join public.node_run as n on n.flow_run_id = j.flow_run_id and n.is_taken_over
      where not exists (
        select from public.node_run as o
        where o.flow_run_id = any (j.redriven_from) and o.node_id = n.node_id and o.end_time is not null and o.errors is null
          and (o.start_time, o.end_time, o.input, o.output) = (n.start_time, n.end_time, n.input, n.output)
      )`,
  },
  {
    name: 'done_again',
    find: (sql) =>
      sql`
      select n.flow_run_id, n.node_id, n.times
      from private.flow_run_jobs as j
      join public.node_run as n on n.flow_run_id = j.flow_run_id and not n.is_taken_over
      join public.node_run as o on o.flow_run_id = any (j.redriven_from) and (o.node_id, o.times, o.input) = (n.node_id, n.times, n.input)
      where o.end_time is not null and o.errors is null`,
  },
  {
    name: 'redriven_although_it_succeeded',
    find: (sql) =>
      sql`
      select r.id, o.id as redriven_from, o.status from public.flow_run as r
      join public.flow_run as o on o.id = r.redriven_from
      where o.status not in ('failed', 'stopped') or o.end_time > r.created_at`,
  },
];
