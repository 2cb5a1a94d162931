import type { RunStatus } from 'flow-deployments-client';
import type { Api } from '../../shared/api.tsx';
import type { RunStarter } from '../../shared/run/started_by.tsx';
import type { RunSearch } from './run_filter.ts';

/** A run in a list. */
interface RunListRow extends RunStarter {
  id: string;
  flow_id: number;
  /** The deployment that was started; null for a run of the drawn flow. */
  deployment_id: string | null;
  status: RunStatus;
  created_at: string;
  start_time: string | null;
  end_time: string | null;
  first_error: string | null;
  /** Null for a deleted deployment, and for a draft of another user's flow. */
  flow_name: string | null;
}

/** A deployment of the user. */
interface OwnDeployment {
  id: string;
  created_at: string;
  flow_deployments_tags: { tag: string }[];
}

/** A run of the list with its deployment. */
export interface NamedRun extends RunListRow {
  user_id: string;
  /** Undefined if the deployment belongs to another user, or is deleted. */
  deployment: OwnDeployment | undefined;
}

/** One page of the list. */
interface FoundRuns {
  runs: NamedRun[];
  /** False if the search ended before it had examined all older runs. */
  isComplete: boolean;
}

type Db = Api['db'];

/** Converts the filter to the arguments of the SQL functions. */
const argumentsOf = ({ from, until, ...filter }: RunSearch) => ({
  ...filter,
  ...(from !== undefined && { since: new Date(from).toISOString() }),
  ...(until !== undefined && { until: new Date(until).toISOString() }),
});

/** Reads those of the deployments that belong to the user, by id. */
async function readDeployments(
  db: Db,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, OwnDeployment>> {
  if (ids.length === 0) return new Map();
  const { data } = await db.from('flow_deployments').select('id, created_at, flow_deployments_tags(tag)').in('id', ids)
    .order('tag', { referencedTable: 'flow_deployments_tags' }).abortSignal(signal).throwOnError();
  return new Map(data.map((deployment) => [deployment.id, deployment]));
}

/** Reads the rows of the list from `from` to `to`, both included. */
export async function findRuns(
  db: Db,
  filter: RunSearch,
  [from, to]: [number, number],
  signal: AbortSignal,
): Promise<FoundRuns> {
  const { data } = await db.rpc('find_flow_runs', { ...argumentsOf(filter), skip: from, take: to - from + 1 })
    .abortSignal(signal).throwOnError();
  // SAFETY: the function builds an object of this shape.
  const { runs, is_complete } = data as unknown as { runs: Omit<NamedRun, 'deployment'>[]; is_complete: boolean };
  const ids = new Set(runs.flatMap(({ deployment_id }) => deployment_id === null ? [] : [deployment_id]));
  const deployments = await readDeployments(db, [...ids], signal);
  return {
    runs: runs.map((run) => ({ ...run, deployment: deployments.get(run.deployment_id ?? '') })),
    isComplete: is_complete,
  };
}

/** A group of failed runs whose first errors have the same node and text. */
export interface FailureGroup {
  /** Null if the error is one of the run itself and not of a node. */
  node_id: string | null;
  node: string | null;
  code: string | null;
  message: string;
  count: number;
  /** The newest of these runs. */
  last_id: string;
}

/** The answer of `rpc('flow_run_overview')`. */
export interface RunOverview {
  since: string;
  until: string;
  runs: number;
  is_complete: boolean;
  by_status: Partial<Record<RunStatus, number>>;
  /** The counts of each of the equal parts of the period. */
  parts: { part: number; status: RunStatus; count: number }[];
  durations: { id: string; status: RunStatus; created_at: string; ms: number }[];
  duration_ms: { p50: number | null; p95: number | null };
  failures: FailureGroup[];
}

/** Reads the counts of the filtered runs. Without a period, counts the runs of the last day. */
export async function readOverview(db: Db, filter: RunSearch, signal: AbortSignal): Promise<RunOverview> {
  const { data } = await db.rpc('flow_run_overview', argumentsOf(filter)).abortSignal(signal).throwOnError();
  // SAFETY: the function builds an object of this shape.
  return data as unknown as RunOverview;
}
