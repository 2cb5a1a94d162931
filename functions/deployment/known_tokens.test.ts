import { expect, it } from 'vitest';
import { makeKnownTokens } from './known_tokens.ts';

it('knows tokens until they are forgotten, or too many others were shown since', () => {
  const known = makeKnownTokens(2);
  expect(known.has('a')).toBe(false);
  known.add('a');
  known.add('b');
  known.add('a');
  known.add('c');
  expect(['a', 'b', 'c'].filter(known.has)).toEqual(['a', 'c']);
  known.forget('a');
  expect(known.has('a')).toBe(false);
});
