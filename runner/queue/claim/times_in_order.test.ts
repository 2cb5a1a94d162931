import { expect, it } from 'vitest';
import { makeTimesInOrder } from './times_in_order.ts';

it('events within a millisecond get different times, and a later time is not changed', () => {
  const times = makeTimesInOrder();
  const second = '2026-01-01T00:00:01';
  expect(['.000Z', '.000Z', '.000Z', '.001Z', '.001Z', '.250Z'].map((part) => times.next(`${second}${part}`))).toEqual(
    ['.000000Z', '.000001Z', '.000002Z', '.001000Z', '.001001Z', '.250000Z'].map((part) => `${second}${part}`),
  );
  expect(times.isKept()).toBe(true);
});

it('more than a thousand events in a millisecond use times of the next one', () => {
  const times = makeTimesInOrder();
  const told = Array.from(
    { length: 1_500 },
    (_, index) => times.next(new Date(Date.UTC(2026) + Math.floor(index / 1_000)).toISOString()),
  );
  expect(told).toEqual(told.toSorted());
  expect(new Set(told).size).toBe(told.length);
  expect(times.isKept()).toBe(true);
});

it.each(['2026-01-01T00:00:00.998Z', '2025-12-31T00:00:01.000Z'])(
  'a time that is further back, %s, is not changed, and the order is lost',
  (time) => {
    const times = makeTimesInOrder();
    times.next('2026-01-01T00:00:01.000Z');
    expect(times.next(time)).toBe(time);
    expect(times.isKept()).toBe(false);
    expect(times.next('2026-01-01T00:00:02.000Z')).toBe('2026-01-01T00:00:02.000000Z');
    expect(times.isKept()).toBe(false);
  },
);
