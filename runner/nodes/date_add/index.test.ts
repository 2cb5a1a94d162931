import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { dateAddNode } from './index.ts';

const add = (date: string, amount: string, unit: string, zone = 'UTC') =>
  runNode(dateAddNode, { date: { S: date }, amount: { I: amount }, unit: { S: unit }, zone: { S: zone } });

it.each([
  ['2026-11-25T22:46:56Z', '90', 'minutes', 'UTC', '2026-11-26T00:16:56.000Z'],
  ['2026-01-31T00:00:00Z', '1', 'months', 'UTC', '2026-02-28T00:00:00.000Z'],
  ['2026-03-31T00:00:00Z', '-1', 'months', 'UTC', '2026-02-28T00:00:00.000Z'],
  // The clocks go forward in this night, so this day has 23 hours. One day later is 10:00 UTC, and 24 hours later is
  // 11:00 UTC.
  ['2026-03-28T11:00:00Z', '1', 'days', 'Europe/Berlin', '2026-03-29T10:00:00.000Z'],
  ['2026-03-28T11:00:00Z', '24', 'hours', 'Europe/Berlin', '2026-03-29T11:00:00.000Z'],
])('adds to %s %s %s in %s', async (date, amount, unit, zone, iso) => {
  expect(await add(date, amount, unit, zone)).toEqual({ iso: { S: iso }, timestamp: { I: String(Date.parse(iso)) } });
});

it.each([
  ['1', 'day', 'unit: must be one of years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds'],
  ['9223372036854775807', 'years', 'amount: leads beyond the dates that can be computed'],
  ['-300000', 'years', 'amount: leads beyond the dates that can be computed'],
])('refuses %s %s: %s', async (amount, unit, error) => {
  await expect(add('2026-11-25', amount, unit)).rejects.toThrow(error);
});
