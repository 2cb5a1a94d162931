import { useQueries, useQuery, useQueryClient, type UseQueryOptions } from '@tanstack/react-query';
import type { RunRow, ValueMap } from 'flow-deployments-client';
import { useMemo } from 'react';
import { type Api, useApi } from '../../../../shared/api.tsx';
import { isObject } from '../../../../shared/graph/drawn_node.ts';
import { readExecutions, useLiveRun } from '../../../../shared/run/use_live_run.ts';
import { showError } from '../../../../shared/errors/shown_error.ts';
import { runKey } from '../../../../shared/use_run_events.ts';
import type { DraftRun } from './node_results.ts';
import type { StartedDraft } from './started_runs.ts';

/** The outputs that were read so far. */
interface ReadOutputs {
  /** The outputs of the first execution of each node. */
  outputs: ReadonlyMap<string, ValueMap>;
  /** The end of the execution that ended last, in the format of the database. */
  until: string | undefined;
}

const PAGE = 1_000;
const NO_OUTPUTS: ReadOutputs = { outputs: new Map(), until: undefined };
const POLL_MS = 2_000;

const valuesIn = (output: unknown): ValueMap | undefined =>
  // SAFETY: the column contains one tagged value, which is a map.
  isObject(output) && isObject(output.M) ? output.M as unknown as ValueMap : undefined;

/** Reads the outputs of nodes that have ended since the last read. */
async function readOutputs(
  db: Api['db'],
  runId: string,
  known: ReadOutputs,
  signal: AbortSignal,
): Promise<ReadOutputs> {
  const outputs = new Map(known.outputs);
  let { until } = known;
  while (true) {
    let query = db.from('node_run').select('node_id, end_time, output').eq('flow_run_id', runId).eq('times', 0)
      .not('end_time', 'is', null);
    // Several executions may have the same end time, so executions that ended exactly at `until` are read again.
    if (until !== undefined) query = query.gte('end_time', until);
    const { data } = await query.order('end_time').limit(PAGE).abortSignal(signal).throwOnError();
    const before = outputs.size;
    for (const { node_id, output } of data) {
      const values = valuesIn(output);
      if (values !== undefined && !outputs.has(node_id)) outputs.set(node_id, values);
    }
    until = data.at(-1)?.end_time ?? until;
    if (data.length < PAGE || outputs.size === before) return { outputs, until };
  }
}

/** A run of the drawn flow, with its row. */
export interface ShownDraft extends DraftRun {
  row: RunRow;
}

/** Reads a run that is not the newest. */
const earlierRunQuery = (
  { db, flows }: Api,
  { id, only }: StartedDraft,
): UseQueryOptions<DraftRun | null> => ({
  queryKey: [...runKey(id), 'earlier'],
  queryFn: async ({ signal = new AbortController().signal }) => {
    const row = await flows.run(id, { signal }).catch((error: unknown) => {
      if (showError(error).code === 'flow_run_not_found') return undefined;
      throw error;
    });
    if (row === undefined) return null;
    const [executions, { outputs }] = await Promise.all([
      readExecutions(db, id, signal),
      readOutputs(db, id, NO_OUTPUTS, signal),
    ]);
    return { id, end_time: row.end_time, not_run: row.not_run, only: only && new Set(only), executions, outputs };
  },
  staleTime: ({ state: { data } }) => data?.end_time === null ? 0 : Infinity,
  refetchInterval: ({ state: { data } }) => data?.end_time === null && POLL_MS,
  structuralSharing: false,
});

/** The runs whose results the canvas shows. */
export interface DraftRuns {
  newest: ShownDraft | undefined;
  /** The newest run first. */
  runs: readonly DraftRun[];
  isLive: boolean;
  error: unknown;
}

/** Reads the newest run until it has ended, and each ended earlier run once. */
export function useDraftRuns(started: readonly StartedDraft[]): DraftRuns {
  const api = useApi();
  const queries = useQueryClient();
  const [first, ...others] = started;
  const id = first?.id ?? '';
  const live = useLiveRun(id, first !== undefined);
  const { run: row, isLive, executions } = live;
  // The key begins with the key of the executions, so an event that makes the executions outdated also makes the
  // outputs outdated.
  const key = [...runKey(id), 'executions', 'outputs', { isLive }];
  const { data: { outputs } = NO_OUTPUTS } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => readOutputs(api.db, id, queries.getQueryData(key) ?? NO_OUTPUTS, signal),
    enabled: row !== undefined,
    structuralSharing: false,
    // The key changes when the run ends. The outputs under the former key stay visible until the last outputs are read.
    placeholderData: (before, query) => query?.queryKey[2] === id ? before : undefined,
  });
  const newest = useMemo(() =>
    row && {
      id: row.id,
      end_time: row.end_time,
      not_run: row.not_run,
      only: first?.only && new Set(first.only),
      executions,
      outputs,
      row,
    }, [row, first, executions, outputs]);
  const earlier = useQueries({
    queries: others.map((other) => earlierRunQuery(api, other)),
    combine: (results) => results.map(({ data }) => data ?? null),
  });
  const runs = useMemo(
    () => [newest ?? null, ...earlier].filter((one) => one !== null),
    [newest, earlier],
  );
  const isMissing = showError(live.error).code === 'flow_run_not_found';
  return { newest, runs, isLive, error: isMissing ? null : live.error };
}
