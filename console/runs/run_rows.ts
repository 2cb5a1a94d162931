import type { RunStatus } from 'flow-deployments-client';
import type { Api } from '../shared/api.tsx';
import { readFlowNames } from '../shared/flow_names.ts';
import { firstIdAt, type RunSearch } from './run_filter.ts';

/** A run as lists show it. */
export interface RunListRow {
  id: string;
  flow_id: number;
  status: RunStatus;
  created_at: string;
  start_time: string | null;
  end_time: string | null;
  first_error: string | null;
}

/** A run of the list with the name of its flow; undefined where the flow is a private one of somebody else. */
export interface NamedRun extends RunListRow {
  flow_name: string | undefined;
}

type Db = Api['db'];

/** The root runs of a filter, the newest first. Its times are found by the ids, which are in their order and indexed. */
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

/** One page of the list. */
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
  // SAFETY: these are the columns above; supabase-js does not know the type of a member of an array.
  const rows = data as unknown as RunListRow[];
  const names = await readFlowNames(db, [...new Set(rows.map(({ flow_id }) => flow_id))], signal);
  return rows.map((row) => ({ ...row, flow_name: names.get(row.flow_id) }));
}

/** What a chart needs of a run. */
export type ChartedRun = Pick<RunListRow, 'id' | 'status' | 'created_at' | 'start_time' | 'end_time'>;

/** How many runs a chart shows: as many as one answer of the project may have. */
export const RUNS_CHARTED = 1_000;
export const HOURS_CHARTED = 24;

/** The newest runs of the last day, whatever their state. */
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
  // SAFETY: the table's constraint knows these states only.
  return data as unknown as ChartedRun[];
}

/** What `rpc('flow_run_stats')` answers. */
export interface RunStats {
  is_complete: boolean;
  runs: number;
  duration_ms: { p50: number | null; p95: number | null };
  failures: { code: string | null; count: number }[];
}

/** How the runs of a flow or a deployment went in the last day. */
export async function readStats(db: Db, { flow, deployment }: RunSearch, signal: AbortSignal): Promise<RunStats> {
  const since = new Date(Date.now() - HOURS_CHARTED * 3_600_000).toISOString();
  const target = deployment === undefined ? { flow: flow ?? 0 } : { deployment };
  const { data } = await db.rpc('flow_run_stats', { ...target, since }).abortSignal(signal).throwOnError();
  // SAFETY: the function makes this object.
  return data as unknown as RunStats;
}
