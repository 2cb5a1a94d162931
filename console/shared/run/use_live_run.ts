import { useQuery } from '@tanstack/react-query';
import type { RunRow } from 'flow-deployments-client';
import { useUserId } from '../../session/use_user_id.ts';
import { type Api, useApi } from '../api.tsx';
import { runKey, useRunEvents } from '../use_run_events.ts';

/** An execution of a node, without its values. */
export interface ShownExecution {
  node_id: string;
  /** 0 for the first execution of the node. Each further execution in a loop has the next number. */
  times: number;
  start_time: string;
  end_time: string | null;
  errors: string[] | null;
  /** True if the errors went to the output `error` of the node. */
  error_handled: boolean;
  /** The number of the present attempt, from 1. Only nodes with retries have further attempts. */
  attempt: number;
  /** The time of the next attempt; null outside of a pause between two attempts. */
  retry_at: string | null;
  /** True if this run redrives another run, and took over this execution from that run. */
  is_taken_over: boolean;
  /** True if the node waits for a value or a signature that a person gives. */
  waits_for_person?: boolean;
  /** True if the node was not executed, because the user had pinned its outputs in `flow_pins`. */
  is_pinned: boolean;
  /** The time at which a person answered, and the person; null for other nodes. */
  answered_at: string | null;
  answered_by: string | null;
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
/** The most executions that are read. A loop may have many more. */
export const EXECUTIONS_READ = 5 * PAGE;

const COLUMNS = `node_id, times, start_time, end_time, errors, error_handled, attempt, retry_at, is_taken_over,
  is_pinned, answered_at, answered_by`;
const NONE: readonly ShownExecution[] = [];

/** Reads the executions of a run, in the order of their starts. */
export async function readExecutions(db: Api['db'], runId: string, signal: AbortSignal): Promise<ShownExecution[]> {
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

/** Reads the executions of a run that wait for an input or a signature of a person. */
async function readWaiting(db: Api['db'], runId: string, signal: AbortSignal): Promise<Set<string>> {
  const [inputs, signatures] = await Promise.all([
    db.from('pending_inputs').select('node_id, times').eq('flow_run_id', runId).abortSignal(signal).throwOnError(),
    db.from('signature_requests').select('node_id, times').eq('flow_run_id', runId).is('signature', null)
      .gt('expires_at', new Date().toISOString()).abortSignal(signal).throwOnError(),
  ]);
  return new Set([...inputs.data, ...signatures.data].map(({ node_id, times }) => `${node_id} ${times}`));
}

/** Reads the executions of a run, and which of them wait for a person. */
async function readStates(db: Api['db'], runId: string, isLive: boolean, signal: AbortSignal) {
  const [executions, waiting] = await Promise.all([
    readExecutions(db, runId, signal),
    isLive ? readWaiting(db, runId, signal) : new Set<string>(),
  ]);
  return executions.map((one) => ({ ...one, waits_for_person: waiting.has(`${one.node_id} ${one.times}`) }));
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
    queryFn: ({ signal }) => readStates(db, id, isLive, signal),
    enabled: isOwner,
    // The key changes when the run ends. The executions of the same run then stay visible until they are read again.
    placeholderData: (before, query) => query?.queryKey[2] === id ? before : undefined,
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
