import { expect, it } from 'vitest';
import { describeDuration } from '../run/duration.ts';
import { describeAge } from './when.tsx';

const DAY_MS = 86_400_000;
const now = new Date('2026-11-28T12:00:00Z');

it.each([
  [7 * DAY_MS, 'in 7 days'],
  [7 * DAY_MS - 60_000, 'in 7 days'],
  [7 * DAY_MS - 7_200_000, 'in 6 days'],
  [DAY_MS - 60_000, 'tomorrow'],
  [-7 * DAY_MS + 60_000, '6 days ago'],
  [-61_000, '1 minute ago'],
])('a time %i ms ahead is %s', (ms, described) => {
  expect(describeAge(new Date(now.getTime() + ms), now)).toBe(described);
});

it.each([[850, '850 ms'], [DAY_MS, '1 day'], [7 * DAY_MS, '7 days'], [7 * DAY_MS + 3_600_000, '7 d 1 h']])(
  'a duration of %i ms is %s',
  (ms, described) => {
    expect(describeDuration(ms)).toBe(described);
  },
);
