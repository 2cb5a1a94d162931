import { Settings } from 'luxon';
import { afterEach, expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import { dateParseNode } from './index.ts';

const { now } = Settings;
afterEach(() => {
  Settings.now = now;
});

const parse = (text: string, format?: string, zone?: string) =>
  runNode(dateParseNode, {
    text: { S: text },
    ...(format !== undefined && { format: { S: format } }),
    ...(zone !== undefined && { zone: { S: zone } }),
  });

it.each([
  ['2026-11-25T22:46:56Z', undefined, undefined, '2026-11-25T22:46:56.000Z'],
  ['2026-11-25', undefined, undefined, '2026-11-25T00:00:00.000Z'],
  ['2026-11-25', undefined, 'Europe/Berlin', '2026-11-24T23:00:00.000Z'],
  ['2026-11-25T00:00:00+05:30', undefined, 'Europe/Berlin', '2026-11-24T18:30:00.000Z'],
  ['25.11.2026 22:46', 'dd.LL.yyyy HH:mm', 'America/New_York', '2026-11-26T03:46:00.000Z'],
  // The IANA database has several names for some zones, and the node accepts each of them.
  ['2026-11-25', undefined, 'Asia/Kolkata', '2026-11-24T18:30:00.000Z'],
  ['2026-11-25', undefined, 'US/Pacific', '2026-11-25T08:00:00.000Z'],
  // The clocks go forward in this night, so 02:30 does not exist. The node reads it as 03:30.
  ['2026-03-29T02:30', undefined, 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
])('reads %s (%s, %s)', async (text, format, zone, iso) => {
  expect(await parse(text, format, zone)).toEqual({ iso: { S: iso }, timestamp: { I: String(Date.parse(iso)) } });
});

it.each([
  ['25.11.2026', undefined, undefined, 'text: must be a date in ISO 8601, such as 2026-11-25T22:46:56Z'],
  ['2026-02-30', undefined, undefined, 'text: must be a date in ISO 8601'],
  ['2026-11-25', 'dd.LL.yyyy', undefined, 'text: must be a date in the given format'],
  ['2026-11-25', undefined, 'Mars/Base', 'zone: must be a time zone of the IANA database, such as Europe/Berlin'],
  ['2026-11-25', undefined, '+05:30', 'zone: must be a time zone of the IANA database'],
  ['1'.repeat(101), undefined, undefined, 'text: must be a date in ISO 8601'],
  ['1'.repeat(101), 'd', undefined, 'text: must have at most 100 characters'],
  ['1', 'd'.repeat(101), undefined, 'format: must have at most 100 characters'],
  // A token may match texts of several lengths, and Luxon would try all combinations of lengths. So the node refuses
  // formats with repeated or many tokens.
  ['1'.repeat(60), 'dM'.repeat(20), undefined, 'format: must have each token once, and at most 12 tokens'],
  ['1', 'ZZZZ', undefined, 'must be a date in the given format'],
  ['2026-11-25', 'YYYY-MM-DD', undefined, 'format: has the unknown token YYYY: the year is yyyy, the day dd'],
])('refuses case %#', async (text, format, zone, error) => {
  await expect(parse(text, format, zone)).rejects.toThrow(error);
});

it.each([
  ['2026-10-25T02:30', undefined, 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['25.10.2026 02:30', 'dd.LL.yyyy HH:mm', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
  ['2026-11-01 01:30 America/New_York', 'yyyy-LL-dd HH:mm z', 'UTC', '2026-11-01T05:30:00.000Z'],
  ['2026-04-05T02:30', undefined, 'Australia/Sydney', '2026-04-04T15:30:00.000Z'],
  // An offset in the text names the second moment.
  ['2026-10-25T02:30+01:00', undefined, 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
  ['2026-10-25 02:30 +01:00', 'yyyy-LL-dd HH:mm ZZ', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
])('reads %s (%s, %s) as the first of two moments, in each season', async (text, format, zone, iso) => {
  for (const present of ['2026-01-15', '2026-07-15']) {
    Settings.now = () => Date.parse(present);
    expect((await parse(text, format, zone)).iso).toEqual({ S: iso });
  }
});
