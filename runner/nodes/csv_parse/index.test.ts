import { expect, it } from 'vitest';
import { runNode } from '../../../tests/support/node_call.ts';
import type { Value, ValueMap } from '../../../types/values/value.ts';
import { csvParseNode } from './index.ts';

const run = (text: string, given: ValueMap = {}) => runNode(csvParseNode, { text: { S: text }, ...given });
const row = (members: { [name: string]: string }): Value => ({
  M: Object.fromEntries(Object.entries(members).map(([name, text]) => [name, { S: text }])),
});
const list = (...texts: string[]): Value => ({ A: texts.map((text) => ({ S: text })) });

it.each<[name: string, text: string, given: ValueMap, rows: Value[]]>([
  ['a header', 'a,b\n1,"x, ""y"""\r\n2,z\n', {}, [row({ a: '1', b: 'x, "y"' }), row({ a: '2', b: 'z' })]],
  ['no header', 'a,b\n1,2', { header: { B: false } }, [list('a', 'b'), list('1', '2')]],
  ['another delimiter', 'a;b\n1;2', { delimiter: { S: ';' } }, [row({ a: '1', b: '2' })]],
  ['a mark of the byte order and empty lines', '\ufeffa\n\n1\n', {}, [row({ a: '1' })]],
  ['a line end in a value', 'a\n"1\n2"', {}, [row({ a: '1\n2' })]],
  ['nothing', '', {}, []],
])('%s', async (_, text, given, rows) => {
  expect(await run(text, given)).toEqual({ rows: { A: rows } });
});

it.each([
  ['a row that is too short', 'a,b\n1', 'Invalid Record Length'],
  ['a quote that is not closed', 'a\n"1', 'Quote Not Closed'],
  ['two columns of one name', 'a,a\n1,2', 'two columns have the name "a"'],
])('%s fails', async (_, text, error) => {
  await expect(run(text)).rejects.toThrow(error);
});

it('refuses an input `text` that is not a text', async () => {
  await expect(runNode(csvParseNode, { text: { U: '1' } })).rejects.toThrow('text: invalid type');
});
