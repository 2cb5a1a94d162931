import { expect, it } from 'vitest';
import type { Claim } from './claim/claims.ts';
import { chooseRunToRelease, freeSlots } from './slots.ts';
import { readRunnerSettings } from '../settings.ts';

const settings = readRunnerSettings(
  (name) => ({ RUNNER_CONCURRENCY: '4', RUNNER_RESTING_RUNS: '6', RUNNER_RESERVED_SLOTS: '2' })[name],
  false,
);

/** Makes a run of the owner, held for this many milliseconds. */
const held = (ownerId: string, { isResting = false, ms = 0, isReleasing = false } = {}) => ({
  // SAFETY: the slots read no other member of a claim.
  claim: { user_id: ownerId } as Partial<Claim> as Claim,
  isResting: () => isResting,
  heldMs: () => ms,
  isReleasing: () => isReleasing,
});
const some = (count: number, ownerId: string, isResting = false) =>
  Array.from({ length: count }, () => held(ownerId, { isResting }));

it.each([
  ['no run', [], { regular: 4, reserved: 2, ownersWithSlots: [] }],
  ['some working runs', some(3, 'a'), { regular: 1, reserved: 2, ownersWithSlots: ['a'] }],
  ['working runs in all slots', some(4, 'a'), { regular: 0, reserved: 2, ownersWithSlots: ['a'] }],
  ['working runs in all slots and in a reserved slot', [...some(4, 'a'), held('b')], {
    regular: 0,
    reserved: 1,
    ownersWithSlots: ['a', 'b'],
  }],
  [
    'working runs in all slots; an owner with only resting runs holds no slot',
    [...some(4, 'a'), ...some(2, 'b', true)],
    { regular: 0, reserved: 2, ownersWithSlots: ['a'] },
  ],
  ['as many resting runs as it may hold', some(10, 'a', true), { regular: 0, reserved: 2, ownersWithSlots: ['a'] }],
  ['as many resting runs as it may hold, and runs in all reserved slots', [
    ...some(10, 'a', true),
    held('b'),
    held('c'),
  ], {
    regular: 0,
    reserved: 0,
    ownersWithSlots: ['a', 'b', 'c'],
  }],
])('the free slots of a worker with %s', (_, executing, expected) => {
  expect(freeSlots(executing, settings)).toEqual(expected);
});

it('the longest held run of the owner with the most slots is released, once it has been held for the time of a slice', () => {
  const [old, older] = [held('a', { ms: 100 }), held('a', { ms: 200 })];
  const oldest = held('b', { ms: 300 });
  expect(chooseRunToRelease([oldest, old, older], 100)).toBe(older);
  expect(chooseRunToRelease([oldest, old, older], 250)).toBe(oldest);
  expect(chooseRunToRelease([oldest, old, older], 400)).toBeUndefined();
  expect(chooseRunToRelease([held('a', { ms: 500, isReleasing: true }), held('b', { ms: 1 })], 100)).toBeUndefined();
});
