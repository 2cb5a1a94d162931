import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeWorkClock } from './work_clock.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const makeClock = (limitMs: number) => {
  const events: string[] = [];
  const clock = makeWorkClock({
    limitMs,
    onLimit: () => events.push('limit'),
    onRest: () => events.push('rest'),
    now: Date.now,
  });
  return { clock, events };
};

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

it('all time counts as work, even rests, except waits for somebody', async () => {
  const { clock, events } = makeClock(1_000);
  await vi.advanceTimersByTimeAsync(100);
  expect([clock.workedMs(), clock.isResting()]).toEqual([100, false]);
  const rest = clock.resting(() => sleep(200));
  expect(clock.isResting()).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  await rest;
  expect([clock.workedMs(), clock.isResting()]).toEqual([300, false]);
  const wait = clock.waiting(() => sleep(5_000));
  await vi.advanceTimersByTimeAsync(5_000);
  await wait;
  expect([clock.workedMs(), clock.isResting(), events]).toEqual([300, false, ['rest', 'rest']]);
  await vi.advanceTimersByTimeAsync(699);
  expect(events).not.toContain('limit');
  await vi.advanceTimersByTimeAsync(1);
  expect(events).toContain('limit');
});

it('stops while any wait is under way, and continues after a failed wait', async () => {
  const { clock } = makeClock(1_000);
  const long = clock.waiting(() => sleep(500));
  const failing = clock.waiting(() => sleep(100).then(() => Promise.reject(new Error('no'))));
  const failed = expect(failing).rejects.toThrow('no');
  await vi.advanceTimersByTimeAsync(500);
  await Promise.all([long, failed]);
  expect(clock.workedMs()).toBe(0);
  await vi.advanceTimersByTimeAsync(50);
  expect(clock.workedMs()).toBe(50);
});

it('a closed clock does not call its listener', async () => {
  const { clock, events } = makeClock(100);
  const wait = clock.waiting(() => sleep(50));
  clock.close();
  await vi.advanceTimersByTimeAsync(1_000);
  await wait;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(events).toEqual(['rest']);
});
