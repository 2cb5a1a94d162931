import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { FlowClient, RunEvent, RunReference } from 'flow-deployments-client';
import { useEffect } from 'react';
import { useApi } from './api.tsx';

/** Milliseconds during which events are collected before data is read again: a run sends many at once. */
const GATHER_MS = 500;
/** Milliseconds after which everything is read again, even without events: there may be no room for one more stream. */
const FALLBACK_MS = 15_000;

/** The queries below the key of a run that an event makes outdated. Every event may change the run's own row. */
const PARTS: Record<RunEvent['event'], readonly string[]> = {
  run_start: ['called'],
  run_finish: ['called'],
  node_start: ['executions'],
  // An answer to a request or an input ends the node that waits for it.
  node_finish: ['executions', 'transactions', 'pending inputs', 'signature request'],
  node_error: ['executions', 'pending inputs', 'signature request'],
  log: ['log'],
  signature_request: ['executions', 'signature request'],
  api_input: ['executions', 'pending inputs'],
};

/** Returns the key of a run's row. The keys of other queries of the run begin with it. */
export const runKey = (id: string): readonly string[] => ['runs', 'one', id];

/** Marks queries as outdated by events, until the signal aborts or the run has ended. */
async function follow(
  { events }: FlowClient,
  queries: QueryClient,
  run: RunReference<object>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const old = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const read = () => {
    timer = undefined;
    void queries.invalidateQueries({ queryKey: runKey(id), exact: true });
    for (const part of old) void queries.invalidateQueries({ queryKey: [...runKey(id), part] });
    old.clear();
  };
  for await (const { event } of events(run, { signal })) {
    // An event that is newer than this page may change anything.
    for (const part of PARTS[event] ?? Object.values(PARTS).flat()) old.add(part);
    timer ??= setTimeout(read, GATHER_MS);
  }
}

/**
 * Reads the shown data of a run again when events make it outdated, as long as `isLive`. Only this hook receives a
 * run's events.
 */
export function useRunEvents(run: RunReference<object>, isLive: boolean): void {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [id, token] = typeof run === 'string' ? [run, undefined] : [run.flow_run_id, run.token];
  useEffect(() => {
    if (!isLive) return;
    const watching = new AbortController();
    const reference = token === undefined ? id : { flow_run_id: id, token };
    // Without events the page is updated by the fallback.
    follow(flows, queries, reference, id, watching.signal).catch(() => {});
    const fallback = setInterval(() => void queries.invalidateQueries({ queryKey: runKey(id) }), FALLBACK_MS);
    return () => {
      watching.abort();
      clearInterval(fallback);
    };
  }, [flows, queries, id, token, isLive]);
}
