import type { RowCheck } from './facts.ts';

/** The rules on runs, the messages that `on_end` requests about them, and the messages that the receiver got. */
export const webhookChecks: RowCheck[] = [
  {
    name: 'end_not_told_once',
    find: (sql) =>
      sql`
      select r.id, r.status, j.settings -> 'on_end' as on_end, count(d.id) as told
      from public.flow_run as r
      join private.flow_run_jobs as j on j.flow_run_id = r.id
      left join public.webhook_deliveries as d on d.flow_run_id = r.id and d.event <> 'signature_request'
      where r.parent_flow_run_id is null
      group by r.id, r.status, j.settings
      having count(d.id) <> (coalesce(j.settings -> 'on_end' -> 'events' ? r.status, false))::integer
        or count(d.id) filter (where d.event <> r.status) > 0`,
  },
  {
    name: 'signature_request_not_told_once',
    find: (sql) =>
      sql`
      select s.id, j.settings -> 'on_end' as on_end, told.count
      from public.signature_requests as s
      join private.flow_run_jobs as j on j.flow_run_id = s.root_flow_run_id
      cross join lateral (
        select count(*) from public.webhook_deliveries as d
        where d.flow_run_id = s.root_flow_run_id and d.event = 'signature_request'
          and d.payload #> '{data,signature_requests}' @> jsonb_build_array(jsonb_build_object('id', s.id))
      ) as told (count)
      where told.count <> (coalesce(j.settings -> 'on_end' -> 'events' ? 'signature_request', false))::integer`,
  },
  {
    name: 'webhook_of_no_run',
    find: (sql) =>
      sql`
      select d.id, d.flow_run_id from public.webhook_deliveries as d
      where not exists (select from private.flow_run_jobs as j where j.flow_run_id = d.flow_run_id and jsonb_typeof(j.settings -> 'on_end') = 'object')`,
  },
  {
    name: 'webhook_not_delivered',
    find: (sql, { drainedAt = new Date() }) =>
      sql`
      select d.id, d.status, d.attempts, d.is_held, d.next_attempt_at, d.last_error from public.webhook_deliveries as d
      where d.status <> 'delivered' and d.created_at <= ${drainedAt}`,
  },
  {
    name: 'webhook_not_received',
    find: (sql, { webhookIds, drainedAt = new Date() }) =>
      sql`
      select d.id, d.attempts from public.webhook_deliveries as d
      where d.status = 'delivered' and d.id <> all (${[...webhookIds]}::uuid[])
        and d.created_at <= ${drainedAt}`,
  },
];
