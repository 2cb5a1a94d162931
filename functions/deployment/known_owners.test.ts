import { expect, it } from 'vitest';
import { makeKnownOwners } from './known_owners.ts';

it('knows owners of tokens until they are forgotten, or too many others were shown since', () => {
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
