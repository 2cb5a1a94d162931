import { expect, it } from 'vitest';
import type { Claim } from './claim/claims.ts';
import type { FreeSlots } from './slots.ts';
import { makePolling } from './polling.ts';

const FREE: FreeSlots = { regular: 2, reserved: 1, ownersWithSlots: [] };
const RESERVED_ONLY: FreeSlots = { regular: 0, reserved: 1, ownersWithSlots: ['a'] };
const FULL: FreeSlots = { regular: 0, reserved: 0, ownersWithSlots: ['a', 'b'] };

// SAFETY: these tests read no other member of a claim.
const claimOf = (flow_run_id: string) => ({ flow_run_id }) as Partial<Claim> as Claim;
const ended = (isReleased: boolean, sleepsUntil?: number) => ({
  isReleased: () => isReleased,
  sleepsUntil: () => sleepsUntil,
});

/** Makes polling on a clock that the test sets, after a look at the queue that found no runs. */
function makePolled(wakesByPokes: boolean, isWatching = false, settings: { idleWaitMs?: number } = {}) {
  let time = 0;
  const polling = makePolling(
    { wakesByPokes, isWatching, pollMs: 500, watchedPollMs: 5_000, idleWaitMs: 0, ...settings },
    () => time,
    () => time,
  );
  const look = (slots: FreeSlots, found: Claim[] | undefined, isIdle = false) => {
    const started = polling.startLook(slots, isIdle);
    polling.endLook(started, found);
    return started;
  };
  look(FREE, []);
  return { polling, look, pass: (ms: number) => time += ms };
}

it('after a look that found fewer runs than slots, a poke for another run makes the next look due', () => {
  const { polling, look } = makePolled(true);
  expect(polling.isLookDue(FREE)).toBe(false);
  polling.poke('run');
  expect(polling.hasPokes()).toBe(true);
  expect(polling.isLookDue(FREE)).toBe(true);
  expect(look(FREE, [claimOf('run')])).toEqual({ maxRuns: 2, waitMs: 0 });
  expect(polling.isLookDue(FREE)).toBe(false);
});

it('another look is due at once when the last one filled all slots or failed, or a run was released', () => {
  for (const found of [[claimOf('1'), claimOf('2')], undefined]) {
    const { polling, look } = makePolled(true);
    look(FREE, found);
    expect(polling.isLookDue(FREE)).toBe(true);
  }
  const { polling } = makePolled(true);
  polling.runEnded(ended(false));
  expect(polling.isLookDue(FREE)).toBe(false);
  polling.runEnded(ended(true));
  expect(polling.isLookDue(FREE)).toBe(true);
});

it('a poke during a look causes another look only if the look did not find its run', () => {
  const { polling } = makePolled(true);
  const look = polling.startLook(FREE, false);
  polling.poke('found');
  polling.endLook(look, [claimOf('found')]);
  expect(polling.isLookDue(FREE)).toBe(false);
  const next = polling.startLook(FREE, false);
  polling.poke('other');
  polling.endLook(next, [claimOf('found')]);
  expect(polling.isLookDue(FREE)).toBe(true);
});

it('looks for reserved slots come at intervals and exclude the owners who hold a slot', () => {
  const { polling, look, pass } = makePolled(false);
  polling.waited({ hasChanged: true, hasFewerRuns: false, isIdle: false, isWatched: false });
  expect(polling.isLookDue(FULL)).toBe(false);
  expect(polling.isLookDue(RESERVED_ONLY)).toBe(false);
  expect(polling.patienceMs(RESERVED_ONLY)).toBe(100);
  pass(100);
  expect(polling.isLookDue(RESERVED_ONLY)).toBe(true);
  expect(look(RESERVED_ONLY, [])).toEqual({ maxRuns: 1, waitMs: 0, ownersWithSlots: ['a'] });
  pass(100);
  expect(polling.isLookDue(RESERVED_ONLY)).toBe(false);
});

it('poked runs are looked for again after a look for reserved slots, which may have excluded them', () => {
  const { polling, look, pass } = makePolled(true);
  polling.poke('of a holder');
  pass(25);
  expect(polling.isLookDue(RESERVED_ONLY)).toBe(true);
  look(RESERVED_ONLY, []);
  expect(polling.hasPokes()).toBe(false);
  expect(polling.isLookDue(FREE)).toBe(true);
});

it('only the last look of a worker that is poked waits for a run', () => {
  const poked = makePolled(true);
  expect(poked.look(FREE, [], false).waitMs).toBe(0);
  expect(poked.look(FREE, [], true).waitMs).toBe(40);
  poked.polling.poke();
  expect(poked.look(FREE, [], true).waitMs).toBe(0);
  expect(makePolled(false).look(FREE, [], true).waitMs).toBe(0);
});

it('a worker that gets no pokes looks at intervals and whenever a run has ended; a worker that gets pokes looks when idle', () => {
  const quiet = { hasChanged: false, hasFewerRuns: false, isIdle: false, isWatched: false };
  for (const [wakesByPokes, patienceMs] of [[false, 500], [true, Infinity]] as const) {
    expect(makePolled(wakesByPokes).polling.patienceMs(FREE)).toBe(patienceMs);
    for (
      const [outcome, isDue] of [
        [quiet, !wakesByPokes],
        [{ ...quiet, hasChanged: true }, false],
        [{ ...quiet, hasChanged: true, hasFewerRuns: true }, !wakesByPokes],
        [{ ...quiet, hasChanged: true, hasFewerRuns: true, isIdle: true }, true],
        [{ hasChanged: true, hasFewerRuns: true, isIdle: true, isWatched: true }, false],
        [{ ...quiet, isWatched: true }, !wakesByPokes],
      ] as const
    ) {
      const { polling } = makePolled(wakesByPokes);
      polling.waited(outcome);
      expect(polling.isLookDue(FREE)).toBe(isDue);
    }
  }
});

it('a sleeping run makes a look due at its time, and only a worker that is poked waits for it', () => {
  const { polling, pass } = makePolled(true);
  polling.runEnded(ended(false, 2_000));
  expect(polling.patienceMs(FREE)).toBe(2_000);
  expect([polling.staysForSleepers(3_000), polling.staysForSleepers(2_000)]).toEqual([true, false]);
  pass(2_000);
  polling.waited({ hasChanged: false, hasFewerRuns: false, isIdle: false, isWatched: false });
  expect(polling.isLookDue(FREE)).toBe(true);
  const unpoked = makePolled(false).polling;
  unpoked.runEnded(ended(false, 2_000));
  expect(unpoked.staysForSleepers(3_000)).toBe(false);
});

it('a worker that may watch begins after a look that found no runs, and then rarely looks by itself', () => {
  const { polling, look } = makePolled(false, true);
  expect([polling.isQuiet(), polling.patienceMs(FREE)]).toEqual([true, 5_000]);
  polling.poke();
  expect(polling.isLookDue(FREE)).toBe(true);
  look(FREE, [claimOf('1')]);
  // More runs may come soon, and a notification for each would slow down the starts.
  expect([polling.isQuiet(), polling.patienceMs(FREE)]).toEqual([false, 20]);
  polling.waited({ hasChanged: false, hasFewerRuns: false, isIdle: false, isWatched: false });
  expect(polling.isLookDue(FREE)).toBe(true);
  look(FREE, []);
  expect([polling.isQuiet(), polling.patienceMs(FREE)]).toEqual([true, 5_000]);
});

it("a worker that may watch polls like others while no slot is free, and while the queue can't be read", () => {
  const { polling, look } = makePolled(false, true);
  expect(polling.patienceMs(FULL)).toBe(500);
  look(FREE, undefined);
  expect([polling.isQuiet(), polling.patienceMs(FREE)]).toEqual([false, 500]);
});

it('the looks of an idle worker that gets neither pokes nor notifications wait for runs', () => {
  const { look } = makePolled(false, false, { idleWaitMs: 400 });
  expect(look(FREE, [], true)).toEqual({ maxRuns: 2, waitMs: 400 });
  expect(look(FREE, [], false)).toEqual({ maxRuns: 2, waitMs: 0 });
});
