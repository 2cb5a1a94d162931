import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { csvParseNode } from '../csv_parse/index.ts';
import { csvFormatNode } from './index.ts';

const run = (rows: Value[], given: ValueMap = {}) => runNode(csvFormatNode, { rows: { A: rows }, ...given });
const MAPS: Value[] = [
  { M: { a: { U: '18446744073709551615' }, b: { S: 'x, "y"' } } },
  { M: { b: { A: [{ U: '1' }] }, c: { B: true } } },
];

it.each<[name: string, rows: Value[], given: ValueMap, text: string]>([
  ['maps', MAPS, {}, 'a,b\n18446744073709551615,"x, ""y"""\n,[1]\n'],
  ['chosen columns', MAPS, { columns: { A: [{ S: 'c' }, { S: 'a' }] } }, 'c,a\n,18446744073709551615\ntrue,\n'],
  ['no header', MAPS, { header: { B: false }, columns: { A: [{ S: 'c' }] } }, '""\ntrue\n'],
  ['another delimiter', [{ A: [{ S: 'a;b' }, { N: 0 }] }], { delimiter: { S: ';' } }, '"a;b";\n'],
  ['nothing', [], {}, ''],
  [
    'decimals',
    [{ A: [{ D: '2.20' }, { D: '0.00' }, { D: '1.10000000000000000001' }] }],
    {},
    '2.20,0.00,1.10000000000000000001\n',
  ],
  [
    'nested numbers',
    [{ A: [{ M: { id: { U: '820982911946154508' }, price: { D: '2.20' } } }] }],
    {},
    '"{""id"":820982911946154508,""price"":2.20}"\n',
  ],
])('%s', async (_, rows, given, text) => {
  expect(await run(rows, given)).toEqual({ text: { S: text } });
});

it('rows are maps or arrays', async () => {
  await expect(run([{ U: '820982911946154508' }])).rejects.toThrow('row 0 is no array');
  await expect(run([{ S: 'a' }])).rejects.toThrow('row 0 is no array');
  await expect(run([MAPS[0]!, { U: '1' }])).rejects.toThrow('row 1 is no map');
  await expect(runNode(csvFormatNode, { rows: { S: 'a' } })).rejects.toThrow('rows: invalid type');
});

it.each<[name: string, rows: Value[], given: ValueMap]>([
  [
    'an empty cell in the only column',
    [{ M: { a: { S: '' } } }, { M: { a: { S: 'x' } } }, { M: { a: { S: '' } } }],
    {},
  ],
  ['an empty name', [{ M: { '': { S: 'x' } } }], {}],
  [
    'line ends in cells',
    [{ M: { a: { S: 'x\ry' }, b: { S: '\r\n' } } }, { M: { a: { S: '\r' }, b: { S: '\n' } } }],
    {},
  ],
  ['a mark of the byte order', [{ M: { '\ufeffa': { S: '\ufeff' } } }], {}],
  ['quotes, blanks and delimiters', [{ M: { 'a,"b': { S: ' "x", ' }, c: { S: '"' } } }], {}],
  ['arrays', [{ A: [{ S: '' }] }, { A: [{ S: '\ufeff' }] }], { header: { B: false }, delimiter: { S: ';' } }],
])('%s: csv_parse gives the same rows', async (_, rows, given) => {
  const { text } = await run(rows, given);
  expect(await runNode(csvParseNode, { text: text!, ...given })).toEqual({ rows: { A: rows } });
});
