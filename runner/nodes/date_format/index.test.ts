import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { dateFormatNode } from './index.ts';

const format = (date: Value, more: ValueMap = {}) => runNode(dateFormatNode, { date, ...more });
const MOMENT: Value = { S: '2026-11-25T22:46:56Z' };

it.each<[Value, ValueMap, string]>([
  [MOMENT, {}, '2026-11-25T22:46:56.000Z'],
  [{ D: '1795646816000' }, {}, '2026-11-25T22:46:56.000Z'],
  [MOMENT, { zone: { S: 'Asia/Tokyo' } }, '2026-11-26T07:46:56.000+09:00'],
  [MOMENT, { format: { S: "cccc, d LLLL yyyy 'at' HH:mm" } }, 'Wednesday, 25 November 2026 at 22:46'],
  [MOMENT, { format: { S: 'cccc' }, locale: { S: 'de' } }, 'Mittwoch'],
  [MOMENT, { format: { S: "yyyy 'open YYYY" } }, '2026 open YYYY'],
  [{ S: '2026-10-25T02:30' }, { zone: { S: 'Europe/Berlin' } }, '2026-10-25T02:30:00.000+02:00'],
  // The node drops the extension of the locale and corrects the spelling of the zone. Otherwise Luxon would keep data
  // for each extension and each spelling.
  [
    MOMENT,
    { format: { S: 'cccc z' }, locale: { S: 'de-u-nu-arab' }, zone: { S: 'eUROPE/bERLIN' } },
    'Mittwoch Europe/Berlin',
  ],
])('writes %j by %j', async (date, more, text) => {
  expect(await format(date, more)).toEqual({ text: { S: text } });
});

it.each<[Value, ValueMap, string]>([
  [{ S: 'today' }, {}, 'date: must be a date in ISO 8601, such as 2026-11-25T22:46:56Z'],
  [{ B: true }, {}, 'date: invalid type: boolean `true`, expected a date in ISO 8601 or milliseconds since 1970'],
  [{ U: '9223372036854775807' }, {}, 'date: is beyond the dates that can be computed'],
  [MOMENT, { locale: { S: 'no language' } }, 'locale: must be a language tag, such as de or pt-BR'],
  [MOMENT, { format: { S: 'YYYY-MM-DD' } }, 'format: has the unknown token YYYY: the year is yyyy, the day dd'],
  [MOMENT, { format: { S: 'dddd' } }, 'format: has the unknown token dddd'],
  [MOMENT, { format: { S: 'y'.repeat(101) } }, 'format: must have at most 100 characters'],
])('refuses case %#', async (date, more, error) => {
  await expect(format(date, more)).rejects.toThrow(error);
});
