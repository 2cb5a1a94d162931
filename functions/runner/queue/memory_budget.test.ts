import { expect, it } from 'vitest';
import { makeMemoryRoom, type MemoryRoom, type MemorySeat } from './memory_budget.ts';

const MIB = 1_048_576;

/** Somebody who has entered, or waits to. */
interface Entered {
  seat: () => MemorySeat | undefined;
  hasGivenUp: () => boolean;
  wasAsked: () => boolean;
}

async function enter(
  room: MemoryRoom,
  ownerId: string,
  bytes: number,
  signal = new AbortController().signal,
  stopping?: AbortSignal,
) {
  let seat: MemorySeat | undefined;
  let hasGivenUp = false;
  let wasAsked = false;
  const guest = { ownerId, bytes, giveWay: () => wasAsked = true, heldMs: () => 1_000, stopping };
  void Promise.resolve(room.enter(guest, [signal])).then((given) => {
    seat = given;
    hasGivenUp = given === undefined;
  });
  await settled();
  return { seat: () => seat, hasGivenUp: () => hasGivenUp, wasAsked: () => wasAsked } satisfies Entered;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const isIn = ({ seat }: Entered) => seat() !== undefined;

it('takes in what fits, and a run that is too large for any room when it is alone', async () => {
  const room = makeMemoryRoom(10 * MIB);
  const [first, second, large] = [
    await enter(room, 'a', 6 * MIB),
    await enter(room, 'b', 4 * MIB),
    await enter(room, 'c', 20 * MIB),
  ];
  expect([first, second, large].map(isIn)).toEqual([true, true, false]);
  first.seat()?.leave();
  await settled();
  expect(isIn(large)).toBe(false);
  second.seat()?.leave();
  await settled();
  expect(isIn(large)).toBe(true);
});

it('what is small waits for nobody', async () => {
  const room = makeMemoryRoom(MIB);
  await enter(room, 'a', 20 * MIB);
  await enter(room, 'a', 20 * MIB);
  expect(isIn(await enter(room, 'b', 65_536))).toBe(true);
});

it('the next to enter is of the owner who holds least, whoever came first', async () => {
  const room = makeMemoryRoom(10 * MIB);
  const first = await enter(room, 'a', 5 * MIB);
  await enter(room, 'a', 5 * MIB);
  const greedy = await enter(room, 'a', 5 * MIB);
  const other = await enter(room, 'b', 5 * MIB);
  expect([greedy, other].map(isIn)).toEqual([false, false]);
  first.seat()?.leave();
  await settled();
  expect([greedy, other].map(isIn)).toEqual([false, true]);
});

it('who no longer wants to wait gets nothing, and keeps nobody behind', async () => {
  const room = makeMemoryRoom(10 * MIB);
  await enter(room, 'a', 6 * MIB);
  const leaving = new AbortController();
  const large = await enter(room, 'b', 9 * MIB, leaving.signal);
  const fitting = await enter(room, 'c', 2 * MIB);
  expect([large, fitting].map(isIn)).toEqual([false, false]);
  leaving.abort();
  await settled();
  expect([large.hasGivenUp(), isIn(fitting)]).toEqual([true, true]);
});

it('when runs outgrow the room, the one of the owner who holds most is asked to leave, and nobody who is alone', async () => {
  const room = makeMemoryRoom(10 * MIB);
  const large = await enter(room, 'a', 0);
  large.seat()?.grow(30 * MIB);
  expect(large.wasAsked()).toBe(false);
  const small = await enter(room, 'b', 0);
  small.seat()?.grow(MIB);
  expect([large.wasAsked(), small.wasAsked()]).toEqual([true, false]);
});

it('who holds room for long leaves it where others wait', async () => {
  const room = makeMemoryRoom(10 * MIB);
  const large = await enter(room, 'a', 30 * MIB);
  room.relieve(1_000);
  expect(large.wasAsked()).toBe(false);
  await enter(room, 'b', 5 * MIB);
  room.relieve(2_000);
  expect(large.wasAsked()).toBe(false);
  room.relieve(1_000);
  expect(large.wasAsked()).toBe(true);
});

it('who shall stop goes before all others, beside what they hold, one at a time', async () => {
  const room = makeMemoryRoom(10 * MIB);
  const never = new AbortController().signal;
  await enter(room, 'a', 10 * MIB);
  const stop = new AbortController();
  const other = await enter(room, 'b', 8 * MIB);
  const stopped = await enter(room, 'a', 8 * MIB, never, stop.signal);
  expect([other, stopped].map(isIn)).toEqual([false, false]);
  stop.abort();
  await settled();
  expect([other, stopped].map(isIn)).toEqual([false, true]);
  const next = await enter(room, 'c', 8 * MIB, never, AbortSignal.abort());
  expect(isIn(next)).toBe(false);
  stopped.seat()?.leave();
  await settled();
  expect([other, next].map(isIn)).toEqual([false, true]);
});

it('those who enter small and grow make room for who has waited for long, where their owners hold more', async () => {
  const room = makeMemoryRoom(16 * MIB);
  const growing = await Promise.all(Array.from({ length: 6 }, () => enter(room, 'a', 0)));
  for (const one of growing) one.seat()?.grow(MIB);
  const large = await enter(room, 'b', 12 * MIB);
  expect(isIn(large)).toBe(false);
  room.relieve(1_000);
  const leaving = () => growing.filter((one) => one.wasAsked());
  expect(leaving()).toHaveLength(2);
  const newcomer = await enter(room, 'a', 0);
  newcomer.seat()?.grow(MIB);
  expect([...growing, newcomer].filter((one) => one.wasAsked())).toHaveLength(3);
  for (const one of [...growing, newcomer].filter((one) => one.wasAsked())) one.seat()?.leave();
  await settled();
  expect(isIn(large)).toBe(true);
});
