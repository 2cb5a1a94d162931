import type { WorkerProcess } from '../support/worker_process.ts';

/** Tells when a worker has finished a run. */
export interface FinishedRuns {
  /** Resolves with the time, by `performance.now()`, at which the worker told that the run has succeeded. Once for each run. */
  finishedAt: (flowRunId: string) => Promise<number>;
}

/** How a run has ended, and when. */
interface End {
  status: string;
  at: number;
}

/**
 * Watches a worker's log, where each run that it has finished is a line, written when the database has answered that
 * the result is committed. So it hears of an end as does who carries out the statements of the floor, and asks the
 * database nothing meanwhile.
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
