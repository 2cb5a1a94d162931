import { expect, it, vi } from 'vitest';
import { makeSlice, UNLIMITED } from '../engine/state/slice.ts';
import type { Claim } from './claim/claims.ts';
import type { ClaimExecution } from './claim/claim_execution.ts';
import { isSuspect, makeExecuteAlone } from './suspects.ts';

// SAFETY: these tests read no other member of a claim.
const SUSPECT = { flow_run_id: 'suspect', lost_claim_count: 2 } as Partial<Claim> as Claim;

/** Executes the suspect. The test sets the state of the execution. */
function begin(slice = makeSlice(UNLIMITED)) {
  const state = { isExecuting: false, hasStored: false, isResting: false, isAlone: true, released: 0 };
  const runs = {
    execute: () => {
      state.isExecuting = true;
      // SAFETY: `executeAlone` calls no other function of an execution.
      return { hasStored: () => state.hasStored, isResting: () => state.isResting } as Partial<
        ClaimExecution
      > as ClaimExecution;
    },
    isExecuting: () => state.isExecuting,
    nextChange: async () => {
      await vi.advanceTimersByTimeAsync(1_000);
      return true;
    },
  };
  const claims = { release: () => Promise.resolve(void state.released++) };
  const settings = { heartbeatMs: 1_000, runnerLeaseSeconds: 30 } as const;
  return { state, done: makeExecuteAlone({ claims, runs, settings })(SUSPECT, slice) };
}

it('a run that lost two workers in a row is suspect', () => {
  expect([0, 1, 2, 3].map((lost_claim_count) => isSuspect({ ...SUSPECT, lost_claim_count }))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

it.each(['has ended', 'has stored progress', 'rests', 'has lived as long as a lease'])(
  'a suspect is alone until it %s',
  async (reason) => {
    vi.useFakeTimers();
    try {
      const { state, done } = begin();
      void done.then(() => state.isAlone = false);
      await vi.advanceTimersByTimeAsync(5_000);
      expect([state.isExecuting, state.isAlone]).toEqual([true, true]);
      if (reason === 'has ended') state.isExecuting = false;
      if (reason === 'has stored progress') state.hasStored = true;
      if (reason === 'rests') state.isResting = true;
      if (reason.endsWith('lease')) await vi.advanceTimersByTimeAsync(30_000);
      await done;
      expect(state.released).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  },
);

it('a suspect whose slice is over is released without being executed', async () => {
  const slice = makeSlice(UNLIMITED);
  slice.end();
  const { state, done } = begin(slice);
  await done;
  expect(state).toMatchObject({ isExecuting: false, released: 1 });
});
