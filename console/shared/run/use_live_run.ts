import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useUserId } from '../../session/use_user_id.ts';
import { type Api, useApi } from '../api.tsx';
import { runKey, useRunEvents } from '../use_run_events.ts';

/** An execution of a node, without its values. */
export interface ShownExecution {
  node_id: string;
  /** 0 for the first execution; counts up inside a loop. */
  times: number;
  start_time: string;
  end_time: string | null;
  errors: string[] | null;
  /** True if the errors went to the output `error` of the node. */
  error_handled: boolean;
  /** The number of the attempt, from 1. Only nodes with retries have more than one. */
  attempt: number;
  /** The time of the next attempt, in a pause between two attempts. */
  retry_at: string | null;
  /** True if it was taken over from the run that this run redrives. */
  is_taken_over: boolean;
}

/** A run with the present state of its nodes. */
export interface LiveRun {
  run: RunRow | undefined;
  /** True for the owner of the flow. Only the owner sees nodes, values and log. */
  isOwner: boolean;
  /** True until the run has ended. */
  isLive: boolean;
  /** The executions, in the order of their starts. */
  executions: readonly ShownExecution[];
  /** True if there are more executions than were read. */
  isCut: boolean;
  error: unknown;
}

const PAGE = 1_000;
/** The most executions that are read: a loop may have many more. */
export const EXECUTIONS_READ = 5 * PAGE;

const COLUMNS = 'node_id, times, start_time, end_time, errors, error_handled, attempt, retry_at, is_taken_over';
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

/** Reads a run, and reads it again after each of its events. */
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
    // `isLive` is part of the key, so that the executions are read again after the end of the run.
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
