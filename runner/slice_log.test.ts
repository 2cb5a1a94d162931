import { expect, it } from 'vitest';
import type { WriteLog } from './log_line.ts';
import { makeSliceLog } from './slice_log.ts';

function makeLog() {
  const lines: Parameters<WriteLog>[] = [];
  const clock = { now: 0 };
  return { lines, clock, log: makeSliceLog((...line) => void lines.push(line), () => clock.now) };
}

it('a slice writes one line with the counts of its events, and a slice without events writes none', () => {
  const { lines, log } = makeLog();
  for (let run = 0; run < 300; run++) log.write('info', { event: 'run_finished', status: 'succeeded', errors: 0 });
  log.write('info', { event: 'run_released' });
  log.endSlice();
  log.endSlice();
  expect(lines).toEqual([
    ['info', { event: 'slice_ended', counts: { run_succeeded: 300, run_released: 1 }, unlogged: 0 }],
  ]);
});

it('failures have lines of their own, 50 in 10 seconds, and further ones are only counted', () => {
  const { lines, clock, log } = makeLog();
  for (let run = 0; run < 60; run++) log.write('warn', { event: 'run_finished', status: 'failed', errors: 1 });
  expect(lines.length).toBe(50);
  clock.now = 9_999;
  log.write('error', { event: 'run_broken', error: 'broken' });
  expect(lines.length).toBe(50);
  clock.now = 10_000;
  log.write('error', { event: 'run_broken', error: 'broken' });
  expect(lines.slice(50)).toEqual([['error', { event: 'run_broken', error: 'broken' }]]);
  log.endSlice();
  expect(lines.at(-1)).toEqual([
    'info',
    { event: 'slice_ended', counts: { run_failed: 60, run_broken: 2 }, unlogged: 11 },
  ]);
});
