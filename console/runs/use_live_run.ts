import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useUserId } from '../session/use_user_id.ts';
import { type Api, useApi } from '../shared/api.tsx';
import { runKey, useRunEvents } from '../shared/use_run_events.ts';

/** An execution of a node, without its values. */
export interface ShownExecution {
  node_id: string;
  /** 0 for the first execution; counts up inside a loop. */
  times: number;
  start_time: string;
  end_time: string | null;
  errors: string[] | null;
  /** Counts from 1; more for a node that is tried again only. */
  attempt: number;
  /** In a pause between two attempts, the time of the next one. */
  retry_at: string | null;
  /** It was executed in the run that this one was redriven from. */
  is_taken_over: boolean;
}

/** A run with what its nodes did until now. */
export interface LiveRun {
  run: RunRow | undefined;
  /** Its nodes, values and log are for the owner of the flow only. */
  isOwner: boolean;
  /** It has not ended. */
  isLive: boolean;
  /** In the order of their starts. */
  executions: readonly ShownExecution[];
  /** There are more executions than are read. */
  isCut: boolean;
  error: unknown;
}

const PAGE = 1_000;
/** How many executions are read: a loop may have many more. */
export const EXECUTIONS_READ = 5 * PAGE;

const COLUMNS = 'node_id, times, start_time, end_time, errors, attempt, retry_at, is_taken_over';
const NONE: readonly ShownExecution[] = [];

async function readExecutions(db: Api['db'], runId: string, signal: AbortSignal): Promise<ShownExecution[]> {
  const executions: ShownExecution[] = [];
  while (executions.length < EXECUTIONS_READ) {
    const { data } = await db.from('node_run').select(COLUMNS)
      .eq('flow_run_id', runId).order('start_time').order('node_id').order('times')
      .range(executions.length, executions.length + PAGE - 1).abortSignal(signal).throwOnError();
    executions.push(...data);
    if (data.length < PAGE) break;
  }
  return executions;
}

/** Reads a run, and reads it again when something has happened in it. */
export function useLiveRun(id: string, isEnabled: boolean): LiveRun {
  const { db, flows } = useApi();
  const userId = useUserId();
  const { data: run, error: runError } = useQuery({
    queryKey: runKey(id),
    queryFn: ({ signal }) => flows.run(id, { signal }),
    enabled: isEnabled,
  });
  const isOwner = run?.user_id === userId;
  const isLive = run !== undefined && run.end_time === null;
  useRunEvents(id, isLive);
  const { data: executions = NONE, error } = useQuery({
    // The end is a part of the key, so that what ended with the run is read after it.
    queryKey: [...runKey(id), 'executions', { isLive }],
    queryFn: ({ signal }) => readExecutions(db, id, signal),
    enabled: isOwner,
    placeholderData: keepPreviousData,
  });
  return {
    run,
    isOwner,
    isLive,
    executions,
    isCut: executions.length >= EXECUTIONS_READ,
    error: runError ?? error,
  };
}
