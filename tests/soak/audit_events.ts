import type { RowCheck } from './facts.ts';

/**
 * SQL for two lists of events with their keys: `meant` has the events that the rows of each tree of runs require, and
 * `numbered` has the stored events with their numbers.
 */
const EVENTS = `
  tree as (
    select r.id as root_id, r.id from public.flow_run as r where r.parent_flow_run_id is null
    union all
    select tree.root_id, r.id from tree join public.flow_run as r on r.parent_flow_run_id = tree.id
  ), meant as (
    select t.root_id, concat_ws(' ', 'run_start', r.id) as key from tree as t join public.flow_run as r on r.id = t.id
    where r.start_time is not null and r.id <> t.root_id
    union all
    select t.root_id, concat_ws(' ', 'run_finish', r.id) from tree as t join public.flow_run as r on r.id = t.id
    where r.end_time is not null and r.id <> t.root_id
    union all
    select t.root_id, concat_ws(' ', 'node_start', n.flow_run_id, n.node_id, n.times) from tree as t join public.node_run as n on n.flow_run_id = t.id
    union all
    select t.root_id, concat_ws(' ', 'node_finish', n.flow_run_id, n.node_id, n.times) from tree as t join public.node_run as n on n.flow_run_id = t.id
    where n.end_time is not null
    union all
    select t.root_id, concat_ws(' ', 'log', l.flow_run_id, l.node_id, l.times, l.log_index) from tree as t join public.flow_run_logs as l on l.flow_run_id = t.id
    union all
    select s.root_flow_run_id, concat_ws(' ', 'signature_request', s.flow_run_id, s.node_id, s.times, s.id) from public.signature_requests as s
    union all
    select i.root_flow_run_id, concat_ws(' ', 'api_input', i.flow_run_id, i.node_id, i.times, i.id) from private.api_inputs as i
  ), numbered as (
    select e.root_flow_run_id as root_id, e.first_number + k.position - 1 as number,
      concat_ws(' ', k.event, k.flow_run_id, k.node_id, k.times, k.log_index, k.request_id, k.input_id) as key
    from private.flow_run_events as e
    cross join lateral unnest(e.events) with ordinality as k (event, flow_run_id, node_id, times, log_index, request_id, input_id, position)
    union all
    -- If a single report has ended a run, its events get their numbers only when somebody asks for them.
    select r.id, 1 + k.position, concat_ws(' ', k.event, k.flow_run_id, k.node_id, k.times, k.log_index, k.request_id, k.input_id)
    from public.flow_run as r
    cross join lateral unnest(private.unnumbered_events(r.id))
      with ordinality as k (event, flow_run_id, node_id, times, log_index, request_id, input_id, position)
    where r.parent_flow_run_id is null and r.end_time is not null
      and not exists (select from private.flow_run_events as e where e.root_flow_run_id = r.id)
  )`;

/** The rules on the events of runs, and on the events that watchers received. */
export const eventChecks: RowCheck[] = [
  {
    name: 'event_lost',
    find: (sql) =>
      sql.unsafe(`with recursive ${EVENTS}
        select m.root_id, m.key from meant as m
        where not exists (select from numbered as n where n.root_id = m.root_id and n.key = m.key)`),
  },
  {
    name: 'event_of_nothing',
    find: (sql) =>
      sql.unsafe(`with recursive ${EVENTS}
        select n.root_id, n.key from numbered as n
        where not exists (select from meant as m where m.root_id = n.root_id and m.key = n.key)`),
  },
  {
    name: 'event_numbered_twice',
    find: (sql) =>
      sql.unsafe(`with recursive ${EVENTS}
        select n.root_id, n.key, count(*)::integer as count from numbered as n group by 1, 2 having count(*) > 1`),
  },
  {
    name: 'event_numbers_with_gaps',
    find: (sql) =>
      sql.unsafe(`with recursive ${EVENTS}
        select n.root_id, min(n.number)::integer as first, max(n.number)::integer as last, count(*)::integer as count
        from numbered as n group by 1 having min(n.number) <> 2 or max(n.number) <> count(*) + 1`),
  },
  {
    // Watchers used the tokens of the runs, which do not show log lines.
    name: 'watcher_told_otherwise',
    find: (sql, { watched }) =>
      sql.unsafe(
        `with recursive ${EVENTS}, visible as (
          select n.root_id, n.number::integer from numbered as n where n.key not like 'log %'
          union all
          select r.id, 1 from public.flow_run as r where r.parent_flow_run_id is null and r.start_time is not null
          union all
          select r.id, coalesce((select max(n.number) from numbered as n where n.root_id = r.id), 1)::integer + 1
          from public.flow_run as r where r.parent_flow_run_id is null and r.end_time is not null
        )
        select w."runId", w.told, w."isComplete", v.numbers
        from jsonb_to_recordset($1::text::jsonb) as w ("runId" uuid, told integer[], "isComplete" boolean)
        join public.flow_run as r on r.id = w."runId"
        cross join lateral (
          select coalesce(array_agg(v.number order by v.number), '{}') as numbers from visible as v where v.root_id = r.id
        ) as v
        where w.told is distinct from case when w."isComplete" then v.numbers else v.numbers[: cardinality(w.told)] end`,
        [JSON.stringify(watched)],
      ),
  },
];
