import { expect, it } from 'vitest';
import { readPreferredWait } from './prefer_wait.ts';

it.each([
  [undefined, 0],
  ['', 0],
  ['wait=10', 10],
  ['respond-async, wait=10', 10],
  ['WAIT = "7"', 7],
  ['wait=5; foo=bar', 5],
  ['wait=3, wait=9', 3],
  ['wait=0', 0],
  ['wait=100000', 100],
  // Preferences that cannot be read are ignored.
  ['wait', 0],
  ['wait=-1', 0],
  ['wait=1.5', 0],
  ['wait=soon', 0],
  ['return=minimal', 0],
  [`${'x,'.repeat(1_000)}wait=10`, 0],
])('%s prefers a wait of %i s', (header, seconds) => {
  expect(readPreferredWait(header)).toBe(seconds);
});
