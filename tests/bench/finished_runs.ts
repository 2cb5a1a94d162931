import type { WorkerProcess } from '../support/worker_process.ts';

/** Reports when a worker has finished a run. */
interface FinishedRuns {
  /**
   * Resolves with the time, by `performance.now()`, at which the worker reported the run's success. May be called only
   * once for each run.
   */
  finishedAt: (flowRunId: string) => Promise<number>;
}

/** The status and the time of a run's end. */
interface End {
  status: string;
  at: number;
}

/**
 * Watches a worker's log. The worker logs a line for each finished run, after the database has acknowledged the result.
 * So the bench learns the end of a run without a query. It measures the floor, which is the baseline, up to the
 * acknowledgement too.
 */
export function watchFinishedRuns({ process: { stdout } }: WorkerProcess): FinishedRuns {
  const ended = new Map<string, End>();
  const waiting = new Map<string, (end: End) => void>();
  let rest = '';
  stdout!.on('data', (chunk: string) => {
    const at = performance.now();
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines.filter((line) => line.startsWith('{'))) {
      const { event, flow_run_id, status } = JSON.parse(line);
      if (event !== 'run_finished') continue;
      const tell = waiting.get(flow_run_id);
      if (tell === undefined) ended.set(flow_run_id, { status, at });
      else tell({ status, at });
    }
  });
  return {
    finishedAt: async (flowRunId) => {
      const { status, at } = ended.get(flowRunId) ??
        await new Promise<End>((resolve) => waiting.set(flowRunId, resolve));
      ended.delete(flowRunId);
      waiting.delete(flowRunId);
      if (status !== 'succeeded') throw new Error(`a run is ${status}`);
      return at;
    },
  };
}
