import { LosslessNumber } from 'lossless-json';
import { expect, it } from 'vitest';
import type { SnapshotNode } from '../../../types/flow.ts';
import { pauseAfter, readRetryPolicy } from './retry_policy.ts';

const policy = { maxAttempts: 20, delayMs: 1_000, backoff: 2, maxDelayMs: 60_000 };
const [longest, shortest] = [() => 0, () => 1];

it('a policy is read from the numbers of a snapshot', () => {
  const number = (text: string) => new LosslessNumber(text);
  // SAFETY: nothing else of the node is read.
  const data = {
    retry: {
      max_attempts: number('3.0'),
      delay_ms: number('250'),
      backoff: number('1.5'),
      max_delay_ms: number('1E+3'),
    },
  } as unknown as SnapshotNode['data'];
  expect(readRetryPolicy(data)).toEqual({ maxAttempts: 3, delayMs: 250, backoff: 1.5, maxDelayMs: 1_000 });
  expect(readRetryPolicy({ ...data, retry: undefined } as never)).toBeUndefined();
});

it.each([[1, 1_000], [2, 2_000], [6, 32_000], [7, 60_000], [19, 60_000]])(
  'after attempt %i the pause is %i ms, or up to a fifth less',
  (attempt, expected) => {
    expect(pauseAfter(policy, attempt, undefined, longest)).toBe(expected);
    expect(pauseAfter(policy, attempt, undefined, shortest)).toBe(expected * 0.8);
  },
);

it.each([[0, 1_000], [5_000, 5_000], [1e15, 60_000]])(
  'if a server asks for a pause of %i ms, the pause is %i ms',
  (asked, expected) => {
    expect(pauseAfter(policy, 1, asked, longest)).toBe(expected);
  },
);

it('a random pause is never shorter than a server asks for', () => {
  expect(pauseAfter(policy, 1, 950, shortest)).toBe(950);
});

it('without a delay there is no pause', () => {
  expect(pauseAfter({ ...policy, delayMs: 0, maxDelayMs: 0 }, 19, 5_000)).toBe(0);
});
