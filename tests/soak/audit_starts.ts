import { flowKind } from './flow_kinds.ts';
import type { RowCheck, SoakFacts } from './facts.ts';

/** The starts with the answers that their callers received, as a parameter for SQL. */
const startRows = ({ starts }: SoakFacts) =>
  starts.map((start) => ({
    mark: start.mark,
    run_ids: [...new Set(start.runIds)],
    // If an answer named a run, exactly that run exists. If all answers were refusals, no run exists. Otherwise the run
    // may exist or not.
    fewest: start.runIds.length > 0 ? 1 : 0,
    most: start.runIds.length > 0 || start.isUncertain ? 1 : 0,
    ends: [...flowKind(start.flowKind).ends, ...(start.isStopAsked ? ['stopped'] : [])],
    start: { kind: start.flowKind, caller: start.caller, has_key: start.hasKey, sent: start.sent },
  }));

const starts = (facts: SoakFacts) => JSON.stringify(startRows(facts));

/** The rules on the answers to callers and the stored rows. */
export const startChecks: RowCheck[] = [
  {
    name: 'start_without_run',
    find: (sql, facts) =>
      sql`
      select s.mark, told.id, s.start from jsonb_to_recordset(${
        starts(facts)
      }::text::jsonb) as s (mark text, run_ids uuid[], start jsonb)
      cross join lateral unnest(s.run_ids) as told (id)
      where not exists (
        select from public.flow_run as r where r.id = told.id and r.inputs #>> '{M,mark,S}' = s.mark and r.parent_flow_run_id is null
      )`,
  },
  {
    name: 'runs_of_start_miscounted',
    find: (sql, facts) =>
      sql`
      select s.mark, s.fewest, s.most, coalesce(made.runs, 0) as runs, s.start
      from jsonb_to_recordset(${starts(facts)}::text::jsonb) as s (mark text, fewest integer, most integer, start jsonb)
      left join (
        select r.inputs #>> '{M,mark,S}' as mark, count(*) as runs from public.flow_run as r
        where r.parent_flow_run_id is null and r.redriven_from is null group by 1
      ) as made on made.mark = s.mark
      where coalesce(made.runs, 0) not between s.fewest and s.most`,
  },
  {
    name: 'run_without_start',
    find: (sql, facts) =>
      sql`
      select r.id, r.status from public.flow_run as r
      where r.parent_flow_run_id is null and r.schedule_id is null and not exists (
        select from jsonb_to_recordset(${
        starts(facts)
      }::text::jsonb) as s (mark text) where s.mark = r.inputs #>> '{M,mark,S}'
      )`,
  },
  {
    name: 'run_ended_otherwise',
    find: (sql, facts) =>
      sql`
      select r.id, r.status, r.errors, s.start
      from jsonb_to_recordset(${starts(facts)}::text::jsonb) as s (mark text, ends text[], start jsonb)
      join public.flow_run as r on r.inputs #>> '{M,mark,S}' = s.mark and r.parent_flow_run_id is null
      where r.end_time is not null and not (r.status = any (s.ends))`,
  },
  {
    name: 'deployment_misplaced',
    find: (sql, { deployments }) =>
      sql`
      select told.* from jsonb_to_recordset(${
        JSON.stringify(deployments)
      }::text::jsonb) as told (id uuid, "isGoing" boolean, "isGone" boolean)
      left join public.flow_deployments as d on d.id = told.id
      where d.id is null and not told."isGoing" or d.id is not null and told."isGone"`,
  },
];
