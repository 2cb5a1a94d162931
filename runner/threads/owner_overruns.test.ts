import { expect, it } from 'vitest';
import { OwnerOverruns } from './owner_overruns.ts';

it('an owner has many overruns after three within a second, until a second after the first of them', () => {
  let now = 0;
  const overruns = new OwnerOverruns(() => now);
  const addAt = (time: number) => {
    now = time;
    overruns.add('a');
    return overruns.hasMany('a');
  };
  expect([0, 900, 1_000, 1_100].map(addAt)).toEqual([false, false, false, true]);
  now = 1_899;
  expect([overruns.hasMany('a'), overruns.hasMany('b')]).toEqual([true, false]);
  now = 1_900;
  expect(overruns.hasMany('a')).toBe(false);
});

it('forgets the owners whose last overruns are the oldest', () => {
  const overruns = new OwnerOverruns(() => 0);
  const addThree = (ownerId: string) => [1, 2, 3].forEach(() => overruns.add(ownerId));
  addThree('first');
  addThree('second');
  for (let index = 0; index < 998; index++) overruns.add(`${index}`);
  overruns.add('first');
  overruns.add('one more');
  expect([overruns.hasMany('first'), overruns.hasMany('second')]).toEqual([true, false]);
});
