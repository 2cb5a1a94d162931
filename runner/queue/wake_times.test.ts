import { expect, it } from 'vitest';
import { makeWakeTimes } from './wake_times.ts';

it('returns the earliest time, in whatever order times were added, and drops past ones', () => {
  const times = makeWakeTimes();
  expect(times.first()).toBe(Infinity);
  for (const time of [30, 10, 20, 10]) times.add(time);
  expect(times.first()).toBe(10);
  expect(times.dropDue(9)).toBe(false);
  expect(times.dropDue(10)).toBe(true);
  expect(times.first()).toBe(20);
  expect(times.dropDue(30)).toBe(true);
  expect(times.first()).toBe(Infinity);
});

it('keeps the earliest times up to its limit', () => {
  const times = makeWakeTimes(2);
  for (const time of [3, 1, 2]) times.add(time);
  expect(times.dropDue(1)).toBe(true);
  expect(times.first()).toBe(2);
  times.dropDue(2);
  expect(times.first()).toBe(Infinity);
});
