import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { FlowClient, RunEvent, RunReference } from 'flow-deployments-client';
import { useEffect } from 'react';
import { useApi } from './api.tsx';

/**
 * A run sends many events at once. The page collects them for this number of milliseconds before it reads data again.
 */
const GATHER_MS = 500;
/**
 * The interval in milliseconds at which everything is read again even without events, because the project may refuse
 * the stream of events.
 */
const FALLBACK_MS = 15_000;

/** The queries of a run that each kind of event makes outdated. Every event also makes the run's own row outdated. */
const PARTS: Record<RunEvent['event'], readonly string[]> = {
  run_start: ['called'],
  run_finish: ['called'],
  node_start: ['executions'],
  // If a node ends, somebody may have given the signature or input for which it waited, so the requests are outdated.
  node_finish: ['executions', 'transactions', 'pending inputs', 'signature request'],
  node_error: ['executions', 'pending inputs', 'signature request'],
  log: ['log'],
  signature_request: ['executions', 'signature request'],
  api_input: ['executions', 'pending inputs'],
};

/** Returns the key of a run's row. The keys of other queries of the run begin with it. */
export const runKey = (id: string): readonly string[] => ['runs', 'one', id];

/**
 * Receives a run's events, and marks the queries that they make outdated. Ends when the signal aborts or the run has
 * ended.
 */
async function follow(
  { events }: FlowClient,
  queries: QueryClient,
  run: RunReference<object>,
  id: string,
  onEvents: ((events: RunEvent[]) => void) | undefined,
  signal: AbortSignal,
): Promise<void> {
  const old = new Set<string>();
  let gathered: RunEvent[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const read = () => {
    timer = undefined;
    void queries.invalidateQueries({ queryKey: runKey(id), exact: true });
    for (const part of old) void queries.invalidateQueries({ queryKey: [...runKey(id), part] });
    old.clear();
    onEvents?.(gathered);
    gathered = [];
  };
  for await (const event of events(run, { signal })) {
    gathered.push(event);
    // A kind of event that this page does not know may change anything.
    for (const part of PARTS[event.event] ?? Object.values(PARTS).flat()) old.add(part);
    timer ??= setTimeout(read, GATHER_MS);
  }
}

/**
 * Reads the shown data of a run again when an event makes it outdated. Stops when `isLive` becomes false. Only this
 * hook receives a run's events. It calls `onEvents` with several events at a time. Each render must give the same
 * function `onEvents`.
 */
export function useRunEvents(
  run: RunReference<object>,
  isLive: boolean,
  onEvents?: (events: RunEvent[]) => void,
): void {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [id, token] = typeof run === 'string' ? [run, undefined] : [run.flow_run_id, run.token];
  useEffect(() => {
    if (!isLive) return;
    const watching = new AbortController();
    const reference = token === undefined ? id : { flow_run_id: id, token };
    // If the events can't be received, the timer below reads the data again.
    follow(flows, queries, reference, id, onEvents, watching.signal).catch(() => {});
    const fallback = setInterval(() => void queries.invalidateQueries({ queryKey: runKey(id) }), FALLBACK_MS);
    return () => {
      watching.abort();
      clearInterval(fallback);
    };
  }, [flows, queries, id, token, isLive, onEvents]);
}
