import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Rpc } from './database.ts';
import { makeRunWaiter } from './run_waiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A database in which runs end when the test says so. */
function makeRuns() {
  const ended = new Set<string>();
  const asked: string[][] = [];
  const rpc: Rpc = <Result>(name: string, args: object) => {
    if (name !== 'ended_flow_runs') throw new Error(`asks ${name}`);
    const { flow_run_ids } = args as { flow_run_ids: string[] };
    asked.push(flow_run_ids);
    return Promise.resolve(flow_run_ids.filter((id) => ended.has(id)) as Result);
  };
  const waiter = makeRunWaiter(rpc, 'ended_flow_runs');
  const wait = (id: string, seconds: number) => {
    let isOver = false;
    void waiter.wait(id, seconds).then(() => isOver = true);
    return () => isOver;
  };
  return { ended, asked, wait };
}

it('who waits for a run is told soon after it has ended, and the database is asked no more', async () => {
  const { ended, asked, wait } = makeRuns();
  const isOver = wait('a', 25);
  await vi.advanceTimersByTimeAsync(30);
  ended.add('a');
  await vi.advanceTimersByTimeAsync(20);
  expect(isOver()).toBe(true);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(asked.length).toBe(before);
});

it('the longer nothing ends, the less often the database is asked, once for all who wait', async () => {
  const { asked, wait } = makeRuns();
  const waiting = Array.from({ length: 50 }, (_, index) => wait(String(index), 25));
  await vi.advanceTimersByTimeAsync(1_000);
  const first = asked.length;
  expect(first).toBeLessThan(20);
  await vi.advanceTimersByTimeAsync(23_900);
  expect(waiting.some((isOver) => isOver())).toBe(false);
  expect(asked.length - first).toBeLessThan(24 * 7);
  expect(asked.every((ids) => ids.length === 50)).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(waiting.every((isOver) => isOver())).toBe(true);
});

it('somebody new is answered as soon, however long others have waited', async () => {
  const { ended, wait } = makeRuns();
  const patient = wait('long', 25);
  await vi.advanceTimersByTimeAsync(20_000);
  const isOver = wait('short', 25);
  ended.add('short');
  await vi.advanceTimersByTimeAsync(50);
  expect([isOver(), patient()]).toEqual([true, false]);
});
