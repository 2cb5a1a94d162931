import { expect, it } from 'vitest';
import { makeRequestKey } from './idempotency.ts';

const REQUEST = ['deployment', 'wallet', { amount: 1 }];

/**
 * Returns the keys that one function derives for the same request at these times, in seconds. The function has a clock
 * of its own.
 */
async function keysAt(seconds: number[], secret = 'secret'): Promise<string[]> {
  let time = 0;
  const makeKey = makeRequestKey(secret, () => time);
  const keys = [];
  for (const second of seconds) {
    time = second * 1_000;
    keys.push(await makeKey(REQUEST));
  }
  return keys;
}

it('a request has one key within a minute', async () => {
  const [first, again, later] = await keysAt([60, 119, 121]);
  expect(again).toBe(first);
  expect(later, 'a minute after the first click').not.toBe(first);
});

it('two clicks are one order, even across the end of a minute', async () => {
  const [first, again, later] = await keysAt([119.9, 120.1, 150]);
  expect(again).toBe(first);
  expect(later, 'half a minute later it is another').not.toBe(first);
});

it('a request that is repeated without a pause becomes another order after some time', async () => {
  expect(new Set(await keysAt(Array.from({ length: 19 }, (_, index) => 100 + index * 10))).size).toBe(4);
});

it('different requests and different secrets make different keys', async () => {
  const makeKey = makeRequestKey('secret', () => 0);
  const keys = await Promise.all([REQUEST, ['deployment', 'another wallet', { amount: 1 }]].map(makeKey));
  expect(new Set(keys).size).toBe(2);
  expect(await keysAt([0], 'another secret')).not.toEqual([keys[0]]);
  expect(await keysAt([0]), 'another isolate makes the same').toEqual([keys[0]]);
});

it('the number of remembered requests is bounded', async () => {
  let time = 59_000;
  const makeKey = makeRequestKey('secret', () => time);
  const first = await makeKey(REQUEST);
  for (let count = 0; count <= 1_000; count++) await makeKey(count);
  time = 61_000;
  expect(await makeKey(REQUEST), 'forgotten').not.toBe(first);
});
