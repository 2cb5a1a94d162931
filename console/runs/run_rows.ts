import type { RunStatus } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { readFlowNames } from '../shared/flow_names.ts';
import { firstIdAt, type RunSearch } from './run_filter.ts';

/** A run in a list. */
export interface RunListRow {
  id: string;
  flow_id: number;
  status: RunStatus;
  created_at: string;
  start_time: string | null;
  end_time: string | null;
  first_error: string | null;
}

/** A run of the list with the name of its flow; undefined for a private flow of another user. */
export interface NamedRun extends RunListRow {
  flow_name: string | undefined;
}

type Db = Api['db'];

/**
 * Selects the root runs of a filter, the newest first. Times are compared by the ids, which are ordered by time and
 * indexed.
 */
function selectRuns<Columns extends string>(db: Db, columns: Columns, filter: RunSearch) {
  let query = db.from('flow_run').select(columns).is('parent_flow_run_id', null).order('id', { ascending: false });
  if (filter.flow !== undefined) query = query.eq('flow_id', filter.flow);
  if (filter.deployment !== undefined) query = query.eq('deployment_id', filter.deployment);
  if (filter.schedule !== undefined) query = query.eq('schedule_id', filter.schedule);
  if (filter.webhook !== undefined) query = query.eq('webhook_id', filter.webhook);
  if (filter.status !== undefined) query = query.eq('status', filter.status);
  if (filter.from !== undefined) query = query.gte('id', firstIdAt(new Date(filter.from)));
  if (filter.until !== undefined) query = query.lt('id', firstIdAt(new Date(filter.until)));
  return query;
}

/** Reads one page of the list. */
export async function readRuns(
  db: Db,
  filter: RunSearch,
  [from, to]: [number, number],
  signal: AbortSignal,
): Promise<NamedRun[]> {
  const { data } = await selectRuns(
    db,
    'id, flow_id, status, created_at, start_time, end_time, first_error:errors->>0',
    filter,
  ).range(from, to).abortSignal(signal).throwOnError();
  // SAFETY: these are the selected columns; supabase-js can't infer the type of a list of column names.
  const rows = data as unknown as RunListRow[];
  const names = await readFlowNames(db, [...new Set(rows.map(({ flow_id }) => flow_id))], signal);
  return rows.map((row) => ({ ...row, flow_name: names.get(row.flow_id) }));
}

/** The parts of a run that a chart uses. */
export type ChartedRun = Pick<RunListRow, 'id' | 'status' | 'created_at' | 'start_time' | 'end_time'>;

/** The most runs of a chart: the limit of one answer of the project. */
export const RUNS_CHARTED = 1_000;
export const HOURS_CHARTED = 24;

/** Reads the newest runs of the last day, in every status. */
export async function readLastDay(
  db: Db,
  { flow, deployment, schedule, webhook }: RunSearch,
  signal: AbortSignal,
): Promise<ChartedRun[]> {
  const since = new Date(Date.now() - HOURS_CHARTED * 3_600_000);
  const { data } = await selectRuns(db, 'id, status, created_at, start_time, end_time', {
    flow,
    deployment,
    schedule,
    webhook,
    from: since.toISOString(),
  }).limit(RUNS_CHARTED).abortSignal(signal).throwOnError();
  // SAFETY: the table's constraint allows only these statuses.
  return data as unknown as ChartedRun[];
}

/** The answer of `rpc('flow_run_stats')`. */
export interface RunStats {
  is_complete: boolean;
  runs: number;
  duration_ms: { p50: number | null; p95: number | null };
  failures: { code: string | null; count: number }[];
}

/** Reads the statistics of a flow or a deployment for the last day. */
export async function readStats(db: Db, { flow, deployment }: RunSearch, signal: AbortSignal): Promise<RunStats> {
  const since = new Date(Date.now() - HOURS_CHARTED * 3_600_000).toISOString();
  const target = deployment === undefined ? { flow: flow ?? 0 } : { deployment };
  const { data } = await db.rpc('flow_run_stats', { ...target, since }).abortSignal(signal).throwOnError();
  // SAFETY: the function builds an object of this shape.
  return data as unknown as RunStats;
}
