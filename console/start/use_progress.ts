import { useQuery } from '@tanstack/react-query';
import type { RunEvent, RunRow, StartedRun } from 'flow-deployments-client';
import { useCallback, useState } from 'react';
import { useApi } from '../shared/api.tsx';
import { runKey, useRunEvents } from '../shared/use_run_events.ts';

/** The progress of a run. */
interface StartProgress {
  run: RunRow | undefined;
  /** The number of nodes of the run that have ended at least once, not counting nodes of called flows. */
  endedNodes: number;
  error: unknown;
  retry: () => void;
}

/** Returns the nodes that ended in these events, without nodes of called flows. */
const endedIn = (events: RunEvent[]): string[] =>
  events.flatMap(({ event, data }) =>
    (event === 'node_finish' || event === 'node_error') && data.called_by === null ? [data.node_id] : []
  );

/** Follows a run by its token until it has ended. */
export function useProgress(started: StartedRun): StartProgress {
  const { flows } = useApi();
  const { data: run, error, refetch } = useQuery({
    queryKey: runKey(started.flow_run_id),
    queryFn: ({ signal }) => flows.run(started, { signal }),
  });
  const [ended, setEnded] = useState<ReadonlySet<string>>(new Set());
  const onEvents = useCallback(
    (events: RunEvent[]) => setEnded((before) => new Set([...before, ...endedIn(events)])),
    [],
  );
  useRunEvents(started, run?.end_time === null, onEvents);
  return { run, endedNodes: ended.size, error, retry: () => void refetch() };
}
