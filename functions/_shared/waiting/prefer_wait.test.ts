import { expect, it } from 'vitest';
import { readPreferredWait } from './prefer_wait.ts';

it.each([
  [undefined, undefined],
  ['', undefined],
  ['wait=10', 10],
  ['respond-async, wait=10', 10],
  ['WAIT = "7"', 7],
  ['wait=5; foo=bar', 5],
  ['wait=3, wait=9', 3],
  ['wait=0', 0],
  ['wait=100000', 100],
  // Preferences that cannot be read are ignored.
  ['wait', undefined],
  ['wait=-1', undefined],
  ['wait=1.5', undefined],
  ['wait=soon', undefined],
  ['return=minimal', undefined],
  [`${'x,'.repeat(1_000)}wait=10`, undefined],
])('%s prefers a wait of %s s', (header, seconds) => {
  expect(readPreferredWait(header)).toBe(seconds);
});
