import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ReadRows } from '../../../platform/database/rpc.ts';
import { lookForEnded, makeRunWaiter } from './run_waiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes a database in which runs end at the test's command. */
function makeRuns() {
  const ended = new Set<string>();
  const asked: string[][] = [];
  const read: ReadRows = <Row>(table: string, query: string) => {
    if (table !== 'flow_run') throw new Error(`reads ${table}`);
    const ids = /id=in\.\((.*)\)$/.exec(query)?.[1]?.split(',') ?? [];
    asked.push(ids);
    const rows = ids.filter((id) => ended.has(id)).map((id) => ({
      id,
      status: 'succeeded',
      output: { M: {} },
      errors: null,
    }));
    return Promise.resolve(rows as Row[]);
  };
  const waiter = makeRunWaiter(lookForEnded(read));
  const wait = (id: string, seconds: number, signal?: AbortSignal) => {
    let isOver = false;
    void waiter.wait(id, seconds, signal).then(() => isOver = true);
    return () => isOver;
  };
  return { ended, asked, wait };
}

it('a waiting caller is answered soon after the end of the run, and the looks stop', async () => {
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

it('looks become rarer while no run ends, and serve all callers together', async () => {
  const { asked, wait } = makeRuns();
  const waiting = Array.from({ length: 50 }, (_, index) => wait(String(index), 25));
  await vi.advanceTimersByTimeAsync(1_000);
  const first = asked.length;
  expect(first).toBeLessThan(20);
  await vi.advanceTimersByTimeAsync(23_900);
  expect(waiting.some((isOver) => isOver())).toBe(false);
  expect(asked.length - first).toBeLessThan(24 * 10);
  expect(asked.every((ids) => ids.length === 50)).toBe(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(waiting.every((isOver) => isOver())).toBe(true);
});

it('a new caller is answered just as fast after long waits of other callers', async () => {
  const { ended, wait } = makeRuns();
  const patient = wait('long', 25);
  await vi.advanceTimersByTimeAsync(20_000);
  const isOver = wait('short', 25);
  ended.add('short');
  await vi.advanceTimersByTimeAsync(50);
  expect([isOver(), patient()]).toEqual([true, false]);
});

it('a caller gets the end of the run, or undefined when the time is over', async () => {
  const read: ReadRows = <Row>() =>
    Promise.resolve([{ id: 'a', status: 'failed', output: { M: {} }, errors: ['a 1: no'] }] as Row[]);
  const { wait } = makeRunWaiter(lookForEnded(read));
  const answers = Promise.all([wait('a', 25), wait('b', 1)]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await answers).toEqual([{ status: 'failed', output: { M: {} }, errors: ['a 1: no'] }, undefined]);
});

it('a look at more runs than fit into one URL takes several requests', async () => {
  const { ended, asked, wait } = makeRuns();
  const waiting = Array.from({ length: 250 }, (_, index) => wait(String(index), 25));
  ended.add('249');
  await vi.advanceTimersByTimeAsync(10);
  expect(asked.slice(0, 3).map((ids) => ids.length)).toEqual([100, 100, 50]);
  expect(waiting.findIndex((isOver) => isOver())).toBe(249);
});

it('a wait of 100 s takes fewer than 400 looks and ends within a hundredth of the elapsed time', async () => {
  const { ended, asked, wait } = makeRuns();
  const isOver = wait('a', 100);
  await vi.advanceTimersByTimeAsync(98_000);
  expect(asked.length).toBeLessThan(400);
  expect(isOver()).toBe(false);
  ended.add('a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isOver()).toBe(true);
});

it('callers who come one after another cause no extra looks for a run that others wait for', async () => {
  const { asked, wait } = makeRuns();
  wait('long', 100);
  await vi.advanceTimersByTimeAsync(60_000);
  const before = asked.length;
  for (let index = 0; index < 100; index++) {
    wait(`new ${index}`, 0.05);
    await vi.advanceTimersByTimeAsync(100);
  }
  const looks = asked.slice(before);
  expect(looks.length).toBeGreaterThan(100);
  expect(looks.filter((ids) => ids.includes('long')).length).toBeLessThan(30);
});

it('a caller who has left stops waiting, and the looks stop', async () => {
  const { asked, wait } = makeRuns();
  const gone = new AbortController();
  const isOver = wait('a', 100, gone.signal);
  const other = wait('a', 2);
  await vi.advanceTimersByTimeAsync(1_000);
  gone.abort();
  await vi.advanceTimersByTimeAsync(1);
  expect([isOver(), other()]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(1_500);
  expect(other()).toBe(true);
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(90_000);
  expect(asked.length).toBe(before);
  const late = wait('a', 100, gone.signal);
  await vi.advanceTimersByTimeAsync(1);
  expect(late()).toBe(true);
});
