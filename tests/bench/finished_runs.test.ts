import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { WorkerProcess } from '../support/worker_process.ts';
import { watchFinishedRuns } from './finished_runs.ts';

function watch() {
  const stdout = new PassThrough({ encoding: 'utf8' });
  const runs = watchFinishedRuns({ process: { stdout } } as unknown as WorkerProcess);
  return { runs, write: (text: string) => stdout.write(text) };
}

const finished = (id: string, status = 'succeeded') =>
  `${JSON.stringify({ event: 'run_finished', flow_run_id: id, status })}\n`;

it('the log line of a run ends the wait for the run, even if it comes before the wait begins, or in two pieces', async () => {
  const { runs, write } = watch();
  const waited = runs.finishedAt('a');
  const line = finished('a');
  write('no JSON\n{"event":"worker_started"}\n');
  write(line.slice(0, 20));
  const before = performance.now();
  write(line.slice(20) + finished('b'));
  expect(await waited).toBeGreaterThanOrEqual(before);
  expect(await runs.finishedAt('b')).toBeGreaterThanOrEqual(before);
});

it('a failed run is an error', async () => {
  const { runs, write } = watch();
  write(finished('a', 'failed'));
  await expect(runs.finishedAt('a')).rejects.toThrow('a run is failed');
});
