import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { makeEventHub } from './event_hub.ts';
import type { Cursor, WatchedPage } from './watched_events.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Makes runs with events that are stored while the hub looks. The events are numbered from 1. */
function makeRuns({ pageSize = 200 } = {}) {
  const runs = new Map<string, { count: number; hasEnded: boolean }>();
  const looks: Cursor[][] = [];
  const state = { isDown: false };

  const pageOf = ({ flowRunId, after }: Cursor): WatchedPage[] => {
    const { count, hasEnded } = runs.get(flowRunId) ?? { count: after, hasEnded: true };
    const last = Math.min(count, after + pageSize);
    const events = Array.from({ length: Math.max(last - after, 0) }, (_, index) => ({ id: after + 1 + index }));
    const page = {
      flow_run_id: flowRunId,
      last,
      has_more: last < count,
      has_ended: hasEnded && last === count,
      events,
    };
    // SAFETY: the hub reads only the numbers of events.
    return events.length > 0 || page.has_ended ? [page as unknown as WatchedPage] : [];
  };
  const look = (cursors: Cursor[]): Promise<WatchedPage[]> => {
    looks.push(cursors);
    return state.isDown ? Promise.reject(new Error('down')) : Promise.resolve(cursors.flatMap(pageOf));
  };
  const hub = makeEventHub(look);
  const store = (id: string, count: number, hasEnded = false) => {
    runs.set(id, { count: (runs.get(id)?.count ?? 0) + count, hasEnded });
  };
  /**
   * Watches a run from an event number on, and records the numbers that it receives. Ends with the run, or when the
   * test calls `leave`.
   */
  const watch = (id: string, from = 0, busyMs = 0) => {
    const gone = new AbortController();
    const told: number[] = [];
    const watcher = { told, reads: 0, isOver: false, leave: () => gone.abort() };
    const run = hub.watch(id);
    void (async () => {
      for (let last = from; !gone.signal.aborted;) {
        const page = await run.next(last, 1_000_000, gone.signal);
        if (page === undefined) break;
        if (page === 'behind') {
          watcher.reads++;
          const [read] = pageOf({ flowRunId: id, after: last });
          told.push(...read?.events.map((event) => event.id) ?? []);
          last = read?.last ?? last;
          continue;
        }
        told.push(...page.events.map((event) => event.id));
        last = page.last;
        if (busyMs > 0) await new Promise((resolve) => setTimeout(resolve, busyMs));
        if (page.has_ended) break;
      }
      watcher.isOver = true;
      run.close();
    })();
    return watcher;
  };
  return { runs, looks, state, store, watch };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

it('all watchers of all runs share their looks, at most ten a second', async () => {
  const { looks, store, watch } = makeRuns();
  for (let run = 0; run < 20; run++) store(`run ${run}`, 1);
  const watchers = Array.from({ length: 200 }, (_, index) => watch(`run ${index % 20}`));
  await pass(1);
  for (let moment = 0; moment < 100; moment++) {
    for (let run = 0; run < 20; run++) store(`run ${run}`, 3);
    await pass(100);
  }
  expect(looks.length).toBeLessThanOrEqual(101);
  expect(watchers.map(({ told }) => told)).toEqual(watchers.map(() => upTo(301)));
  expect(watchers.every(({ reads }) => reads === 0)).toBe(true);
});

it('looks become rarer while no event comes, at last one a second', async () => {
  const { looks, store, watch } = makeRuns();
  for (let run = 0; run < 20; run++) watch(`run ${run}`);
  for (let run = 0; run < 20; run++) store(`run ${run}`, 1);
  await pass(10_000);
  expect(looks.length).toBeLessThan(40);
  const before = looks.length;
  await pass(10_000);
  expect(looks.length - before).toBe(10);
});

it('an event arrives within 100 ms of the one before, and later within a tenth of the time between them', async () => {
  const { store, watch } = makeRuns();
  store('a', 1);
  const watcher = watch('a');
  await pass(1);
  for (const [index, quietMs] of [50, 500, 3_000, 6_000].entries()) {
    await pass(quietMs);
    store('a', 1);
    await pass(Math.max(100, quietMs / 10));
    expect(watcher.told).toEqual(upTo(index + 2));
  }
});

it('the first event of a new watcher arrives as fast after a long quiet time of the others', async () => {
  const { store, watch } = makeRuns();
  store('quiet', 1);
  store('a', 1);
  watch('quiet');
  await pass(60_000);
  const watcher = watch('a', 1);
  await pass(100);
  store('a', 1);
  await pass(100);
  expect(watcher.told).toEqual([2]);
});

it('watchers who begin at different numbers receive each later event once', async () => {
  const { store, watch } = makeRuns({ pageSize: 4 });
  store('a', 10);
  const watchers = [0, 3, 7, 10].map((from) => ({ from, ...watch('a', from) }));
  await pass(3_000);
  store('a', 5, true);
  await pass(5_000);
  for (const { from, told } of watchers) expect(told).toEqual(upTo(15).slice(from));
});

it('a watcher who is busy for long reads the missed events itself and delays no other watcher', async () => {
  const { store, watch } = makeRuns();
  const slow = watch('a', 0, 10_000);
  const fast = watch('a');
  for (let second = 0; second < 9; second++) {
    store('a', 1);
    await pass(1_000);
  }
  expect(fast.told).toEqual(upTo(9));
  store('a', 1, true);
  await pass(30_000);
  expect(slow.told).toEqual(upTo(10));
  expect(slow.reads).toBeGreaterThan(0);
});

it('looks stop after the last watcher has left', async () => {
  const { looks, store, watch } = makeRuns();
  store('a', 1);
  const watchers = [watch('a'), watch('a')];
  await pass(5_000);
  watchers[0]!.leave();
  await pass(5_000);
  expect(watchers.map(({ isOver }) => isOver)).toEqual([true, false]);
  watchers[1]!.leave();
  await pass(1_000);
  const before = looks.length;
  await pass(60_000);
  expect(looks.length).toBe(before);
});

it('a failed look loses no event', async () => {
  const { state, store, watch } = makeRuns();
  const watcher = watch('a');
  store('a', 2);
  state.isDown = true;
  await pass(5_000);
  state.isDown = false;
  store('a', 1, true);
  await pass(2_000);
  expect(watcher).toMatchObject({ told: [1, 2, 3], isOver: true });
});

it('watchers of a deleted run learn that it has ended', async () => {
  const { runs, store, watch } = makeRuns();
  store('a', 1);
  const watcher = watch('a');
  await pass(2_000);
  runs.delete('a');
  await pass(2_000);
  expect(watcher).toMatchObject({ told: [1], isOver: true });
});
