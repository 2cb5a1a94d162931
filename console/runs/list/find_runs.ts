import type { RunStatus } from 'flow-deployments-client';
import type { Api } from '../../shared/api.tsx';
import { readFlowNames } from '../../shared/targets/flow_names.ts';
import type { RunStarter } from '../started_by.tsx';
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
}

/** A run of the list with the names of its flow and deployment. */
export interface NamedRun extends RunListRow {
  /** Undefined for a private flow of another user. */
  flow_name: string | undefined;
  /** The tags of the deployment; empty if the deployment has no tags or belongs to another user. */
  tags: readonly string[];
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

/** The tags of deployments, by their ids. Only the owner of a deployment reads its tags. */
async function readTags(db: Db, ids: readonly string[], signal: AbortSignal): Promise<Map<string, string[]>> {
  const tags = new Map<string, string[]>();
  if (ids.length === 0) return tags;
  const { data } = await db.from('flow_deployments_tags').select('tag, deployment_id').in('deployment_id', ids)
    .order('tag').abortSignal(signal).throwOnError();
  for (const { tag, deployment_id } of data) tags.set(deployment_id, [...tags.get(deployment_id) ?? [], tag]);
  return tags;
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
  const { runs, is_complete } = data as unknown as { runs: RunListRow[]; is_complete: boolean };
  const deployments = runs.flatMap(({ deployment_id }) => deployment_id === null ? [] : [deployment_id]);
  const [names, tags] = await Promise.all([
    readFlowNames(db, [...new Set(runs.map(({ flow_id }) => flow_id))], signal),
    readTags(db, [...new Set(deployments)], signal),
  ]);
  return {
    runs: runs.map((run) => ({
      ...run,
      flow_name: names.get(run.flow_id),
      tags: tags.get(run.deployment_id ?? '') ?? [],
    })),
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
