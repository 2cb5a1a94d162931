import { afterEach, expect, it, vi } from 'vitest';
import { makeKnownOwners } from './known_owners.ts';

afterEach(() => vi.useRealTimers());

it('remembers the owner of a token until the token is forgotten or displaced by others', () => {
  const known = makeKnownOwners(2);
  expect(known.of('a')).toBeUndefined();
  known.add('a', 'ann');
  known.add('b', 'bob');
  known.add('a', 'ann');
  known.add('c', 'ann');
  expect(['a', 'b', 'c'].map(known.of)).toEqual(['ann', undefined, 'ann']);
  known.forget('a');
  expect(known.of('a')).toBeUndefined();
});

it('forgets a token at its end', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000 });
  const known = makeKnownOwners();
  known.add('a', 'ann', 1_100);
  expect(known.of('a')).toBe('ann');
  vi.setSystemTime(1_100);
  expect(known.of('a')).toBeUndefined();
});

it('forgets the most recently shown token last', () => {
  const known = makeKnownOwners(2);
  for (const token of ['a', 'b']) known.add(token, 'ann');
  known.of('a');
  known.add('c', 'ann');
  expect(['a', 'b', 'c'].map(known.of)).toEqual(['ann', undefined, 'ann']);
});
