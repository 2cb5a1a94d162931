import { expect, it } from 'vitest';
import { makeByteBudget } from './byte_budget.ts';
import { makeHttpShare } from './http_share.ts';
import { makeOwnerBudgets } from './owner_budgets.ts';

const signal = new AbortController().signal;
const makeBudget = () => makeByteBudget({ totalBytes: 100, oneBytes: 40, freeBytes: 10 });

/** Returns the present state of a promise. */
async function stateOf(wait: Promise<unknown> | undefined): Promise<string> {
  if (wait === undefined) return 'at once';
  return await Promise.race([
    wait.then(() => 'let on', () => 'ended'),
    new Promise<string>((resolve) => setTimeout(() => resolve('waits'), 5)),
  ]);
}

it('holders that want more than is left wait until others release theirs', async () => {
  const budget = makeBudget();
  const [first, second, third] = [budget.enter(), budget.enter(), budget.enter()];
  expect([first.hold(40, signal), second.hold(50, signal)]).toEqual([undefined, undefined]);
  const waiting = third.hold(40, signal);
  expect(await stateOf(waiting)).toBe('waits');
  second.release();
  expect(await stateOf(waiting)).toBe('let on');
  expect(budget.heldBytes()).toBe(60);
});

it('the oldest holder always gets its bytes, so holders never block each other', async () => {
  const budget = makeBudget();
  const holders = Array.from({ length: 5 }, () => budget.enter());
  expect(holders.map((holder) => holder.hold(25, signal))).toEqual(Array(5).fill(undefined));
  const waits = holders.map((holder) => holder.hold(40, signal));
  expect(await Promise.all(waits.map(stateOf))).toEqual(['at once', 'waits', 'waits', 'waits', 'waits']);
  for (const [index, holder] of holders.entries()) {
    expect(['at once', 'let on']).toContain(await stateOf(waits[index]));
    holder.release();
  }
  expect(budget.heldBytes()).toBe(0);
});

it('a holder never waits for its free bytes', () => {
  const budget = makeBudget();
  const [first, second] = [budget.enter(), budget.enter()];
  first.hold(40, signal);
  second.hold(70, signal);
  expect(Array.from({ length: 20 }, () => budget.enter().hold(10, signal))).toEqual(Array(20).fill(undefined));
});

it('a holder that is aborted while it waits returns its bytes to the others', async () => {
  const budget = makeBudget();
  const [first, second, third] = [budget.enter(), budget.enter(), budget.enter()];
  first.hold(40, signal);
  second.hold(40, signal);
  const abort = new AbortController();
  const waiting = second.hold(90, abort.signal);
  const other = third.hold(60, signal);
  abort.abort(new Error('over'));
  await expect(waiting).rejects.toThrow('over');
  expect(await stateOf(other)).toBe('waits');
  second.release();
  expect(await stateOf(other)).toBe('let on');
});

it('a run makes a limited number of requests at a time, and the others follow in order', async () => {
  const share = makeHttpShare(2, []);
  const begun: number[] = [];
  const begin = (index: number, until = signal) =>
    share.begin(until).then((holder) => {
      begun.push(index);
      return holder;
    });
  const abort = new AbortController();
  const [first, , third, fourth] = [begin(1), begin(2), begin(3, abort.signal), begin(4)];
  abort.abort(new Error('stopped'));
  await expect(third).rejects.toThrow('stopped');
  expect(begun).toEqual([1, 2]);
  (await first).release();
  await fourth;
  expect(begun).toEqual([1, 2, 4]);
  await expect(share.begin(abort.signal)).rejects.toThrow('stopped');
});

it('a request that waits for its own run or owner holds no bytes of the shared budget', async () => {
  const MIB = 1_048_576;
  const makeBudget = (totalBytes: number) => makeByteBudget({ totalBytes, oneBytes: 20 * MIB, freeBytes: 131_072 });
  const worker = makeBudget(48 * MIB);
  const owners = makeOwnerBudgets(() => makeBudget(24 * MIB));
  const shareOf = (ownerId: string) => makeHttpShare(16, [makeBudget(24 * MIB), owners.of(ownerId), worker]);
  const first = await shareOf('first').begin(signal);
  const greedy = await Promise.all(
    Array.from({ length: 3 }, () => shareOf('greedy')).flatMap((share) => [share.begin(signal), share.begin(signal)]),
  );
  const waits = greedy.map((holder) => holder.hold(10 * MIB, signal));
  expect(await Promise.all(waits.map(stateOf))).toEqual(['at once', ...Array(5).fill('waits')]);
  expect(worker.heldBytes()).toBeLessThan(12 * MIB);
  const other = await shareOf('other').begin(signal);
  expect(other.hold(3 * MIB, signal)).toBe(undefined);
  for (const [index, holder] of greedy.entries()) {
    expect(['at once', 'let on']).toContain(await stateOf(waits[index]));
    holder.release();
  }
  expect(owners.count()).toBe(2);
  for (const holder of [first, other]) holder.release();
  expect([owners.count(), worker.heldBytes()]).toEqual([0, 0]);
});
