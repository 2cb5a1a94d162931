import { expect, it } from 'vitest';
import { type HeldMemory, makeMemoryBudget, type MemoryBudget } from './memory_budget.ts';

const MIB = 1_048_576;

/** A run that was admitted or is waiting. */
interface AskedFor {
  memory: () => HeldMemory | undefined;
  hasGivenUp: () => boolean;
  wasAsked: () => boolean;
}

async function admit(
  budget: MemoryBudget,
  ownerId: string,
  bytes: number,
  signal = new AbortController().signal,
  stopping?: AbortSignal,
) {
  let memory: HeldMemory | undefined;
  let hasGivenUp = false;
  let wasAsked = false;
  const run = { ownerId, bytes, release: () => wasAsked = true, heldMs: () => 1_000, stopping };
  void Promise.resolve(budget.admit(run, [signal])).then((given) => {
    memory = given;
    hasGivenUp = given === undefined;
  });
  await settled();
  return { memory: () => memory, hasGivenUp: () => hasGivenUp, wasAsked: () => wasAsked } satisfies AskedFor;
}

const settled = () => new Promise((resolve) => setImmediate(resolve));
const isAdmitted = ({ memory }: AskedFor) => memory() !== undefined;

it('admits runs that fit, and a run above the budget if it is alone', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  const [first, second, large] = [
    await admit(budget, 'a', 6 * MIB),
    await admit(budget, 'b', 4 * MIB),
    await admit(budget, 'c', 20 * MIB),
  ];
  expect([first, second, large].map(isAdmitted)).toEqual([true, true, false]);
  first.memory()?.free();
  await settled();
  expect(isAdmitted(large)).toBe(false);
  second.memory()?.free();
  await settled();
  expect(isAdmitted(large)).toBe(true);
});

it('a small run never waits', async () => {
  const budget = makeMemoryBudget(MIB);
  await admit(budget, 'a', 20 * MIB);
  await admit(budget, 'a', 20 * MIB);
  expect(isAdmitted(await admit(budget, 'b', 65_536))).toBe(true);
});

it('the next admitted run belongs to the owner who holds the least memory, even if another run came first', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  const first = await admit(budget, 'a', 5 * MIB);
  await admit(budget, 'a', 5 * MIB);
  const greedy = await admit(budget, 'a', 5 * MIB);
  const other = await admit(budget, 'b', 5 * MIB);
  expect([greedy, other].map(isAdmitted)).toEqual([false, false]);
  first.memory()?.free();
  await settled();
  expect([greedy, other].map(isAdmitted)).toEqual([false, true]);
});

it('a run that stops waiting is not admitted, and the runs behind it are admitted', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  await admit(budget, 'a', 6 * MIB);
  const givingUp = new AbortController();
  const large = await admit(budget, 'b', 9 * MIB, givingUp.signal);
  const fitting = await admit(budget, 'c', 2 * MIB);
  expect([large, fitting].map(isAdmitted)).toEqual([false, false]);
  givingUp.abort();
  await settled();
  expect([large.hasGivenUp(), isAdmitted(fitting)]).toEqual([true, true]);
});

it('when runs exceed the budget, one of the owner who holds most is asked to release its claim, unless it is alone', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  const large = await admit(budget, 'a', 0);
  large.memory()?.grow(30 * MIB);
  expect(large.wasAsked()).toBe(false);
  const small = await admit(budget, 'b', 0);
  small.memory()?.grow(MIB);
  expect([large.wasAsked(), small.wasAsked()]).toEqual([true, false]);
});

it('a run that holds memory for long is asked to release its claim when others wait', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  const large = await admit(budget, 'a', 30 * MIB);
  budget.relieve(1_000);
  expect(large.wasAsked()).toBe(false);
  await admit(budget, 'b', 5 * MIB);
  budget.relieve(2_000);
  expect(large.wasAsked()).toBe(false);
  budget.relieve(1_000);
  expect(large.wasAsked()).toBe(true);
});

it('runs that are to stop are admitted before all others, whatever their size, one at a time', async () => {
  const budget = makeMemoryBudget(10 * MIB);
  const never = new AbortController().signal;
  await admit(budget, 'a', 10 * MIB);
  const stop = new AbortController();
  const other = await admit(budget, 'b', 8 * MIB);
  const stopped = await admit(budget, 'a', 8 * MIB, never, stop.signal);
  expect([other, stopped].map(isAdmitted)).toEqual([false, false]);
  stop.abort();
  await settled();
  expect([other, stopped].map(isAdmitted)).toEqual([false, true]);
  const next = await admit(budget, 'c', 8 * MIB, never, AbortSignal.abort());
  expect(isAdmitted(next)).toBe(false);
  stopped.memory()?.free();
  await settled();
  expect([other, next].map(isAdmitted)).toEqual([false, true]);
});

it('runs that grew after they were admitted are released for one that has waited long, if their owners hold more', async () => {
  const budget = makeMemoryBudget(16 * MIB);
  const growing = await Promise.all(Array.from({ length: 6 }, () => admit(budget, 'a', 0)));
  for (const one of growing) one.memory()?.grow(MIB);
  const large = await admit(budget, 'b', 12 * MIB);
  expect(isAdmitted(large)).toBe(false);
  budget.relieve(1_000);
  const asked = () => growing.filter((one) => one.wasAsked());
  expect(asked()).toHaveLength(2);
  const newcomer = await admit(budget, 'a', 0);
  newcomer.memory()?.grow(MIB);
  expect([...growing, newcomer].filter((one) => one.wasAsked())).toHaveLength(3);
  for (const one of [...growing, newcomer].filter((one) => one.wasAsked())) one.memory()?.free();
  await settled();
  expect(isAdmitted(large)).toBe(true);
});
