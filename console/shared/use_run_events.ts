import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { FlowClient, RunEvent, RunReference } from 'flow-deployments-client';
import { useEffect } from 'react';
import { useApi } from './api.tsx';

/** So long events are gathered before anything is read again: a run tells many at once. */
const GATHER_MS = 500;
/** Reads all again, also where no events come: there may be no room for one more stream. */
const FALLBACK_MS = 15_000;

/** The queries below the key of a run that tell something new after an event. The run's own row may be new after each. */
const PARTS: Record<RunEvent['event'], readonly string[]> = {
  run_start: ['called'],
  run_finish: ['called'],
  node_start: ['executions'],
  // Whoever answers a request or an input ends its node.
  node_finish: ['executions', 'transactions', 'pending inputs', 'signature request'],
  node_error: ['executions', 'pending inputs', 'signature request'],
  log: ['log'],
  signature_request: ['signature request'],
  api_input: ['pending inputs'],
};

/** The key of a run's row. The keys of what else is read of the run begin with it. */
export const runKey = (id: string): readonly string[] => ['runs', 'one', id];

/** Marks what an event made old until the signal aborts or the run has ended. */
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
    // An event that is newer than this page may tell of anything.
    for (const part of PARTS[event] ?? Object.values(PARTS).flat()) old.add(part);
    timer ??= setTimeout(read, GATHER_MS);
  }
}

/**
 * Reads again what is shown of a run when an event tells that it is old, as long as `isLive`. This is the one place that
 * knows how a page hears of news.
 */
export function useRunEvents(run: RunReference<object>, isLive: boolean): void {
  const { flows } = useApi();
  const queries = useQueryClient();
  const [id, token] = typeof run === 'string' ? [run, undefined] : [run.flow_run_id, run.token];
  useEffect(() => {
    if (!isLive) return;
    const watching = new AbortController();
    const reference = token === undefined ? id : { flow_run_id: id, token };
    // Without events the page goes on by the fallback.
    follow(flows, queries, reference, id, watching.signal).catch(() => {});
    const fallback = setInterval(() => void queries.invalidateQueries({ queryKey: runKey(id) }), FALLBACK_MS);
    return () => {
      watching.abort();
      clearInterval(fallback);
    };
  }, [flows, queries, id, token, isLive]);
}
