import { beforeEach, expect, it } from 'vitest';
import { type LookupTurn, makeLookupTurns } from './lookup_turns.ts';

let underWay: { name: string; end: () => void }[];
beforeEach(() => {
  underWay = [];
});

const names = () => underWay.map(({ name }) => name);
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
async function endAll(): Promise<void> {
  for (await settle(); underWay.length > 0; await settle()) underWay.shift()!.end();
}

const make = () => {
  const turns = makeLookupTurns({
    slots: 7,
    addressSlots: 5,
    aloneSlots: 3,
    sharedSlots: 1,
    callerSlots: 2,
    maxWaiting: 4,
  });
  return (lookup: Partial<LookupTurn>, name: string) =>
    turns.take(
      { owner: 'shop', caller: name, url: 'rpc', ...lookup },
      () => new Promise<string>((resolve) => underWay.push({ name, end: () => resolve(name) })),
    ).catch(({ code }) => code as string);
};

it('an owner with endless look-ups leaves slots for others at the same address', async () => {
  const look = make();
  const mine = Array.from({ length: 9 }, (_, n) => look({}, `mine ${n}`));
  const theirs = look({ owner: 'other' }, 'theirs');
  await settle();
  expect(names()).toEqual(['mine 0', 'mine 1', 'mine 2', 'theirs']);
  await endAll();
  expect(await theirs).toBe('theirs');
  // Three look-ups were under way and four waited, so two were refused.
  expect((await Promise.all(mine)).filter((answer) => answer === 'too_many_requests')).toHaveLength(2);
});

it('look-ups at one address are limited, and waiting owners take turns', async () => {
  const look = make();
  const asked = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((
    owner,
  ) => [look({ owner }, `${owner}1`), look({ owner }, `${owner}2`)]);
  await settle();
  expect(underWay.length).toBe(5);
  expect(new Set(names()).size).toBe(5);
  await endAll();
  expect((await Promise.all(asked)).toSorted()).toEqual([
    'a1',
    'a2',
    'b1',
    'b2',
    'c1',
    'c2',
    'd1',
    'd2',
    'e1',
    'e2',
    'f1',
    'f2',
  ]);
});

it('look-ups of one caller for one owner are limited, without effect on other callers', async () => {
  const look = make();
  const asked = ['1', '2', '3'].map((name) => look({ caller: 'buyer' }, name));
  const other = look({ caller: 'another buyer' }, 'other');
  await settle();
  expect(names()).toEqual(['1', '2', 'other']);
  await endAll();
  expect(await Promise.all([...asked, other])).toEqual(['1', '2', '3', 'other']);
});

it('look-ups at all addresses together are limited', async () => {
  const look = make();
  const asked = ['a', 'b', 'c', 'd'].flatMap((url) =>
    ['1', '2'].map((name) => look({ url, owner: `${url}${name}` }, `${url}${name}`))
  );
  await settle();
  expect(underWay).toHaveLength(7);
  await endAll();
  expect(await Promise.all(asked)).toHaveLength(8);
});
