import { useQuery } from '@tanstack/react-query';
import type { RunRow, StartedRun } from 'flow-deployments-client';
import { useApi } from '../shared/api.tsx';
import { runKey, useRunEvents } from '../shared/use_run_events.ts';

/** The progress of a run. */
export interface StartProgress {
  run: RunRow | undefined;
  error: unknown;
  retry: () => void;
}

/** Follows a run by its token until it has ended. */
export function useProgress(started: StartedRun): StartProgress {
  const { flows } = useApi();
  const { data: run, error, refetch } = useQuery({
    queryKey: runKey(started.flow_run_id),
    queryFn: ({ signal }) => flows.run(started, { signal }),
  });
  useRunEvents(started, run?.end_time === null);
  return { run, error, retry: () => void refetch() };
}
