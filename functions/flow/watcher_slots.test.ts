import { expect, it } from 'vitest';
import { makeWatcherSlots, type WatcherSlotsOptions } from './watcher_slots.ts';

const refusal = (take: () => unknown): unknown => {
  try {
    return take() && 'taken';
  } catch (error) {
    const { status, code, headers } = error as { status: number; code: string; headers: object };
    return [status, code, headers];
  }
};
/** Makes slots without a narrower limit for guests. */
function make(options: Pick<WatcherSlotsOptions, 'slots' | 'partySlots'>) {
  const { take } = makeWatcherSlots({ ...options, guestSlots: options.slots, ownersGuestSlots: options.slots });
  return { take: (caller: string, owner: string) => take({ caller, owner, isGuest: false }) };
}
const TOO_MANY = [429, 'too_many_requests', { 'retry-after': '5' }];

it('limits the streams of a caller across owners, and frees a slot when a stream ends', () => {
  const { take } = make({ slots: 10, partySlots: 2 });
  const leave = take('caller', 'owner 1');
  take('caller', 'owner 2');
  expect(refusal(() => take('caller', 'owner 3'))).toEqual(TOO_MANY);
  expect(refusal(() => take('other', 'owner 1'))).toBe('taken');
  leave();
  leave();
  expect(refusal(() => take('caller', 'owner 3'))).toBe('taken');
  expect(refusal(() => take('caller', 'owner 4'))).toEqual(TOO_MANY);
});

it('limits the streams of others on the runs of an owner, without effect on the owner', () => {
  const { take } = make({ slots: 10, partySlots: 2 });
  take('run 1', 'owner');
  take('run 2', 'owner');
  expect(refusal(() => take('run 3', 'owner'))).toEqual(TOO_MANY);
  expect(refusal(() => take('owner', 'owner'))).toBe('taken');
  expect(refusal(() => take('owner', 'owner'))).toBe('taken');
  expect(refusal(() => take('owner', 'owner'))).toEqual(TOO_MANY);
  expect(refusal(() => take('run 4', 'other'))).toBe('taken');
});

it('counts one slot for owners who watch their own runs', () => {
  const { take } = make({ slots: 10, partySlots: 2 });
  take('owner', 'owner');
  expect(refusal(() => take('owner', 'owner'))).toBe('taken');
});

it('limits all streams together, and counts no refused stream', () => {
  const { take } = make({ slots: 3, partySlots: 2 });
  const leaves = ['a', 'b', 'c'].map((caller) => take(caller, caller));
  expect(refusal(() => take('d', 'd'))).toEqual(TOO_MANY);
  leaves[0]!();
  expect(refusal(() => take('d', 'd'))).toBe('taken');
  leaves[1]!();
  leaves[2]!();
  expect(refusal(() => take('d', 'd'))).toBe('taken');
});

it('limits guests in total and per owner, and keeps the other slots for users with accounts', () => {
  const { take } = makeWatcherSlots({ slots: 6, partySlots: 6, guestSlots: 4, ownersGuestSlots: 2 });
  const guest = (run: string, owner: string) => refusal(() => take({ caller: run, owner, isGuest: true }));
  const user = (caller: string, owner: string) => refusal(() => take({ caller, owner, isGuest: false }));
  expect(['run 1', 'run 2', 'run 3'].map((run) => guest(run, 'ann'))).toEqual(['taken', 'taken', TOO_MANY]);
  expect(user('bob', 'ann')).toBe('taken');
  expect(['run 4', 'run 5', 'run 6'].map((run) => guest(run, run))).toEqual(['taken', 'taken', TOO_MANY]);
  expect(user('ann', 'ann')).toBe('taken');
  expect(user('cat', 'ann')).toEqual(TOO_MANY);
});

it('frees the slot of a guest who leaves', () => {
  const { take } = makeWatcherSlots({ slots: 6, partySlots: 6, guestSlots: 1, ownersGuestSlots: 1 });
  const guest = () => take({ caller: 'run', owner: 'ann', isGuest: true });
  guest()();
  expect(refusal(guest)).toBe('taken');
});
